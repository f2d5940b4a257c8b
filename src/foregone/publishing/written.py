"""A file that was made anew, before anybody has looked at it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from foregone.model.marks import Ranges
from foregone.publishing.changes import SheetChanges
from foregone.publishing.outcome import MarkedCell
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


def marked_cells(sheets: Sheets) -> tuple[MarkedCell, ...]:
    """All changed cells of a file, from top to bottom."""
    return tuple(
        MarkedCell(sheet, CellPlace("", row, column, sheet).cell, change.text, change.why)
        for sheet, changes in sheets.items()
        for (row, column), change in sorted(changes.cells.items())
    )
