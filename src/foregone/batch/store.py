"""The folder of a run: parts that are either whole or absent, and run.json."""

from __future__ import annotations

import json
import os
import shutil
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from foregone.batch.part_files import LOOP, PART_FILES, PartResult, part_totals
from foregone.formats.outputs import drafted
from foregone.formats.text import Kinds, is_there, read_object
from foregone.model.errors import InputError
from foregone.workers.pool import StoppedError

SUFFIX = ".parquet"
ABOUT: Kinds = {  # what run.json holds, as far as it is read again
    "options": {
        "variant": str,
        "rules": str,
        "units": str,
        "state": str | None,
        "limit": int | None,
        "asked": list,
        "groups": str,
    },
    "input": {"name": str, "size": int, "sha256": str},
    "settings": {"time_limit": float | int | None, "memory": float | int | None},
    "versions": {"foregone": str},
    "totals": {},
    "columns": list,
    "noun": str,
    "synthetic": bool,
    "complete": bool,
    "releases": int,
    "parts": int,
}


def read_about(path: Path) -> dict[str, Any]:
    """run.json, as Foregone wrote it."""
    return read_object(path, ABOUT, "restore it, or choose another folder")


class Store:
    """Three folders of Parquet files, one file per part and folder; a part is done when its summary is there."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def check(self) -> None:
        """Refuse a name under which there is something else, before anything is made."""
        if not self.path.parent.is_dir():
            raise InputError(f"{self.path.parent}: there is no such folder; make it first")
        if self.path.exists() and not self.path.is_dir():
            raise InputError(f"{self.path}: this is a file; give the name of a folder")
        if self.path.is_dir() and any(self.path.iterdir()) and not self._is_run():
            raise InputError(f"{self.path}: already exists and holds no run; choose another name or remove it first")

    def open(self) -> None:
        """Make the folders."""
        with _writing(self.path):
            for kind in PART_FILES:
                (self.path / kind).mkdir(parents=True, exist_ok=True)

    def _is_run(self) -> bool:
        return self.json.is_file() or all((self.path / kind).is_dir() for kind in PART_FILES)

    @property
    def json(self) -> Path:
        return self.path / "run.json"

    def file(self, kind: str, part: str) -> Path:
        return self.path / kind / f"{part}{SUFFIX}"

    def finished(self) -> set[str]:
        """The names of the parts that are done."""
        folder = self.path / "summary"
        return {name.removesuffix(SUFFIX) for name in os.listdir(folder) if name.endswith(SUFFIX)} if folder.is_dir() else set()

    def clean(self, parts: set[str]) -> None:
        """Remove what an earlier start left half-written of these parts, and nothing that another shard is writing."""
        for kind in PART_FILES:
            for entry in os.scandir(self.path / kind):
                if entry.name.startswith(".") and entry.name[1:].partition(".")[0] in parts:
                    (shutil.rmtree if entry.is_dir() else os.unlink)(entry.path)

    def keep(self, part: str, done: PartResult) -> None:
        """Write a part, the summary last."""
        for kind in PART_FILES:
            self._write(self.file(kind, part), getattr(done, kind))

    def forget(self, part: str) -> None:
        """A part that is to be done again is not done; the summary goes first."""
        self.file("summary", part).unlink(missing_ok=True)

    def troubled(self, parts: set[str]) -> set[str]:
        """Those finished parts in which a release failed or stayed undecided."""
        undecided = {part for part in parts if any(row["undecided"] for row in self.rows("summary", part, ["undecided"]))}
        return undecided | {part for part in parts if self.rows("failures", part, ["release"])}

    def rows(self, kind: str, part: str, columns: list[str]) -> list[dict[str, Any]]:
        """Some columns of a file of a finished part."""
        rows: list[dict[str, Any]] = self._table(kind, part, columns).to_pylist()
        return rows

    def _table(self, kind: str, part: str, columns: list[str] | None = None) -> Any:
        """A file of a finished part; `parquet.read_table` would load pandas, which takes as long as many blocks."""
        import pyarrow.parquet as parquet

        with parquet.ParquetFile(self.file(kind, part)) as file:
            return file.read(columns)

    def totals(self, parts: set[str]) -> dict[str, Any]:
        """What all parts together found, read from the files."""
        import pyarrow.compute as pc

        total: dict[str, Any] = {}
        seconds, loops = 0.0, Counter[str]()
        for part in sorted(parts):
            summary = self._table("summary", part)
            for name, number in part_totals(summary, self._table("failures", part)).items():
                total[name] = total.get(name, 0) + number
            seconds += pc.sum(summary["seconds"]).as_py() or 0.0
            if LOOP in summary.column_names:  # older runs have none
                loops.update({row["values"]: row["counts"] for row in summary[LOOP].value_counts().to_pylist() if row["values"]})
        return {**total, "seconds": round(seconds, 3), "loops": dict(sorted(loops.items()))}

    def read_json(self) -> dict[str, Any] | None:
        return read_about(self.json) if is_there(self.json) else None

    def write_json(self, content: dict[str, Any]) -> None:
        self._write(self.json, (json.dumps(content, indent=1, ensure_ascii=False) + "\n").encode())

    def _write(self, target: Path, content: bytes) -> None:
        with _writing(target), drafted(target, silent=True) as draft:
            draft.write_bytes(content)

    @contextmanager
    def locked(self, shared: bool) -> Iterator[None]:
        """Keep a second run out of the folder; shards of one run share it. Held by the system, so that a crash frees it."""
        try:
            import fcntl
        except ImportError:  # not a system with such locks
            yield
            return
        handle = os.open(self.path, os.O_RDONLY)
        try:
            try:
                fcntl.flock(handle, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
            except BlockingIOError:
                raise InputError(
                    f"{self.path}: another run is writing to this folder; wait for it, or let several share it with --shard"
                ) from None
            except OSError:  # a file system without locks
                pass
            yield
        finally:
            os.close(handle)


@contextmanager
def _writing(target: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        why = f"could not be written ({error.strerror or error})"
        raise StoppedError(f"{target}: {why}; make room on the disk, or check its permissions") from None
