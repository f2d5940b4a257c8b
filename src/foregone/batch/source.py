"""What a run is about: a unit file, a folder of releases or a table of releases, behind one face."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from foregone.batch.plan import Part
from foregone.model.errors import InputError

if TYPE_CHECKING:
    from foregone.batch.part import Content

Progress = Callable[[str, int, int], None]

CHUNK = 1 << 24  # bytes hashed between two reports


@dataclass(frozen=True, slots=True)
class Options:
    """What matters to the result of a run."""

    variant: str = "official"
    rules: str = "none"
    units: str = "households"
    state: str | None = None
    limit: int | None = None


@dataclass(frozen=True, slots=True)
class Input:
    """An opened source: its parts, and how the releases of one of them are read."""

    noun: str
    releases: int
    parts: tuple[Part, ...]
    read: Callable[[Part], Content]
    names: tuple[str, ...] = ()  # of the columns, where all releases have the same
    synthetic: bool = False


def open_input(path: Path, options: Options) -> AbstractContextManager[Input]:
    """Whatever the path is: a folder with predicates.csv is a table of releases, another folder holds releases."""
    if not path.exists():
        raise InputError(f"{path}: there is no such file or folder; give a unit file, a folder of releases or a table of releases")
    if options.state is not None and not (len(options.state) == 2 and options.state.isdecimal()):
        raise InputError(f"--state {options.state!r}: give the two digits of a state, such as 06")
    if path.is_file():
        from foregone.census.block_source import open_blocks

        return open_blocks(path, options)
    from foregone.batch.release_sources import open_folder, open_table

    return (open_table if (path / "predicates.csv").exists() else open_folder)(path, options)


def fingerprint(path: Path, progress: Progress | None = None) -> dict[str, Any]:
    """Name, size and hash of the input, so that a run is never continued with another."""
    hashed, size = hashlib.sha256(), 0
    files = [path] if path.is_file() else sorted(p for p in path.rglob("*") if p.is_file())
    total = sum(file.stat().st_size for file in files)
    for file in files:
        if file != path:
            hashed.update(f"{file.relative_to(path).as_posix()}\0{file.stat().st_size}\0".encode())
        for chunk in _chunks(file):
            hashed.update(chunk)
            size += len(chunk)
            if progress:
                progress("fingerprint of the input", size, total)
    return {"name": path.name or str(path.resolve().name), "size": size, "sha256": hashed.hexdigest()}


def _chunks(file: Path) -> Iterator[bytes]:
    try:
        with file.open("rb") as opened:
            while chunk := opened.read(CHUNK):
                yield chunk
    except OSError as error:
        raise InputError(f"{file}: cannot be read ({error.strerror}); check its permissions") from None
