"""The results of a run, opened for questions: the views `facts`, `summary` and `failures` over its finished parts."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from foregone.batch.guessing import PRIOR_TABLE
from foregone.batch.part_files import ATTRIBUTES, PART_FILES, REGION
from foregone.batch.store import read_about
from foregone.batch.subject import Subject
from foregone.formats.claims import GUESSES
from foregone.formats.extras import database, first_line, quoted
from foregone.formats.text import is_there, raise_all
from foregone.model.errors import InputError

if TYPE_CHECKING:
    import duckdb

HELD = {  # columns that are always there; all others of facts are attributes
    "facts": ("release", REGION, "count", "columns", "ground"),
    "summary": ("release", REGION, "records", "verified", "singletons", "facts", "undecided", "seconds"),
    "failures": ("release", REGION, "reason"),
}
# of facts, where a run does not know them
ELSE = {
    **{"exact": "NULL::BIGINT", "published": "NULL::BOOLEAN", "printed": "NULL::VARCHAR"},
    **{ATTRIBUTES: "columns"},
}
AGAIN = "give the folder as `foregone run` wrote it"

FindSubject = Callable[[Mapping[str, Any], frozenset[str]], Subject]
"""The subject of a run, from its run.json and the columns of its summary."""


@dataclass(frozen=True, slots=True)
class RunFolder:
    """An open run. `names` are the attributes, `about` is run.json, `parts` tells how many are finished, and of how many."""

    path: Path
    base: duckdb.DuckDBPyConnection
    about: dict[str, Any]
    names: tuple[str, ...]
    measures: frozenset[str]  # columns of summary
    parts: tuple[int, int | None]
    subject: Subject

    @property
    def counted(self) -> str:
        """The column with the number of true records singled out; empty when the run did not know them."""
        return self.subject.counted

    @property
    def noun(self) -> str:
        return str(self.about.get("noun", "release"))

    @property
    def record(self) -> str:
        return self.subject.record

    @property
    def guessed(self) -> str:
        """The table that guessers guess from; empty when the run was given none."""
        return str(self.about.get("options", {}).get(PRIOR_TABLE) or "").partition(" (SHA-256")[0]

    @property
    def unfinished(self) -> str:
        """A sentence when parts are still missing, else nothing."""
        done, of = self.parts
        if self.about.get("complete", False):
            return ""
        what = f"{done:,} of {of:,} parts" if of is not None else f"{done:,} parts so far"
        return f"The run is not finished ({what}); the same `foregone run` command continues it. Answers cover only these parts."

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        import duckdb

        try:
            return self.base.execute(query).fetchall()
        except duckdb.Error as error:
            raise InputError(f"{self.path}: its Parquet files cannot be read ({first_line(error)}); {AGAIN}") from None

    def seal(self, *further: Path) -> None:
        """From now on nothing can be read but the results of the run, nothing written but into the `further` folders, and no
        setting changed: what follows may be a question that somebody else wrote.
        """
        folders = [os.path.realpath(self.path / kind) for kind in PART_FILES] + [os.path.realpath(folder) for folder in further]
        listed = ", ".join(f"'{quoted(folder)}'" for folder in folders)
        for setting in (
            f"allowed_directories = [{listed}]",
            "python_enable_replacements = false",
            "enable_external_access = false",
            "lock_configuration = true",
        ):
            self.base.execute(f"SET {setting}")

    def widths(self) -> list[int]:
        """The numbers of columns that the summary knows, 1 to K."""
        return sorted(int(name.removeprefix("singletons_")) for name in self.measures if name.startswith("singletons_"))


def is_run(path: Path) -> bool:
    return path.is_dir() and (is_there(path / "run.json") or (path / "summary").is_dir())


@contextmanager
def open_run(path: Path, find_subject: FindSubject) -> Iterator[RunFolder]:
    """Open a run folder. Parts whose summary is missing were never finished, so nothing of them is read."""
    import duckdb

    if not path.is_dir():
        raise InputError(f"{path}: there is no such folder; give the folder that `foregone run ... --out` wrote")
    if not is_run(path):
        raise InputError(f"{path}: has neither run.json nor summary/, so it is not a run; give what `foregone run` wrote")
    about = read_about(path / "run.json") if is_there(path / "run.json") else {}
    if "claims" not in about.get("options", {}).get("asked", ["claims"]):
        raise InputError(f"{path}: this run did not look for claims; its answers are in {path.parent}")
    parts = sorted(file.name for file in (path / "summary").glob("*.parquet"))
    if not parts:
        raise InputError(f"{path}: no part of this run is finished yet; wait, or start the same `foregone run` command again")
    # where all releases have the same columns, one file tells the columns of all; else every file is asked, which takes longer
    mixed = "false" if about.get("columns") else "true"
    with database() as base:
        base.execute("SET autoinstall_known_extensions = false")
        base.execute("SET autoload_known_extensions = false")
        columns: dict[str, list[str]] = {}
        try:
            for kind in PART_FILES:
                folder = Path(os.path.realpath(path / kind))
                listed = ", ".join(f"'{quoted(str(folder / part))}'" for part in parts if (folder / part).is_file())
                source = f"read_parquet([{listed}], union_by_name = {mixed})"
                known = [row[0] for row in base.execute(f"DESCRIBE SELECT * FROM {source}").fetchall()]
                further = ELSE if kind == "facts" and "columns" in known else {}
                add = {name: value for name, value in further.items() if name not in known}
                whole = ", ".join(["*", *(f"{value} AS {name}" for name, value in add.items())])
                base.execute(f"CREATE VIEW {kind} AS SELECT {whole} FROM {source}")
                columns[kind] = [*known, *add]
        except duckdb.Error as error:
            raise InputError(f"{path}: its Parquet files cannot be read ({first_line(error)}); {AGAIN}") from None
        missing = [(kind, name) for kind in PART_FILES for name in HELD[kind] if name not in columns[kind]]
        raise_all([f"{path / kind}: has no column {name}; {AGAIN}" for kind, name in missing])
        guessed = GUESSES if about.get("options", {}).get(PRIOR_TABLE) else ()
        names = tuple(name for name in columns["facts"] if name not in (*HELD["facts"], *ELSE, *guessed))
        measures = frozenset(columns["summary"])
        subject = find_subject(about, measures)
        yield RunFolder(path, base, about, names, measures, (len(parts), about.get("parts")), subject)
