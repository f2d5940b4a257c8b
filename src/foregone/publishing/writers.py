"""One table of writers, as there is one of readers: by the ending of a file, what writes it back with some cells changed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from foregone.model.marks import Ranges
from foregone.model.shown import shown
from foregone.publishing.changes import AllChanges, SheetChanges
from foregone.publishing.csv_file import csv_with
from foregone.publishing.outcome import MarkedCell, NotPublished
from foregone.tables.table import CellPlace


@dataclass(frozen=True)
class FileWritten:
    """The bytes of a file, which cells changed, what else was taken out, and what a person should look at. `signs` are what the
    format prints in place of marks of ours, and what they stand for.
    """

    content: bytes
    cells: tuple[MarkedCell, ...]
    taken_out: tuple[str, ...] = ()
    look_at: tuple[str, ...] = ()
    signs: tuple[tuple[str, Ranges], ...] = ()


Sheets = Mapping[str, SheetChanges]
Writer = Callable[[Path, Sheets, AllChanges], FileWritten]


def marked_cells(sheets: Sheets) -> tuple[MarkedCell, ...]:
    """All changed cells of a file, from top to bottom."""
    return tuple(
        MarkedCell(sheet, CellPlace("", row, column, sheet).cell, change.text, change.why)
        for sheet, changes in sheets.items()
        for (row, column), change in sorted(changes.cells.items())
    )


def write_csv(path: Path, sheets: Sheets, changes: AllChanges) -> FileWritten:
    """A CSV file, byte for byte but for the cells that change."""
    (sheet,) = sheets.values()
    content = csv_with(path, {at: change.text for at, change in sheet.cells.items()}, sheet.notes, sheet.apart)
    return FileWritten(content, marked_cells(sheets), (), tuple(sheet.look_at), tuple(changes.marks.items()))


def write_file(path: Path, sheets: Sheets, changes: AllChanges) -> FileWritten:
    """A file with some cells changed, by the writer for its kind; what cannot be cleaned is refused."""
    problems = [problem for sheet in sheets.values() for problem in sheet.problems]
    if problems:
        raise NotPublished(problems)
    suffix = path.suffix.lower()
    if suffix not in WRITERS:
        instead = " as .xlsx" if suffix in (".xls", ".ods", ".xlsm") else ""
        raise NotPublished(
            f"{path}: files that end in {shown(path.suffix)} are read but not written back; save it{instead or ' as CSV'}, and import"
            " and protect that"
        )
    return WRITERS[suffix](path, sheets, changes)


WRITERS: dict[str, Writer] = {".csv": write_csv, ".tsv": write_csv, ".txt": write_csv}
