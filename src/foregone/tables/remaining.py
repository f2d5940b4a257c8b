"""What is left of a sheet once its tables are read: cells with a number that are neither number, label nor heading of a table.

Whatever is not used is found by looking at what is used, so that nothing is forgotten because nobody thought of it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from foregone.formats.beside import OUTSIDE, LeftOut
from foregone.tables.block_columns import is_row_numbers
from foregone.tables.blocks import SheetBlock, Unread
from foregone.tables.layout import Layout, NotTaken, column_name
from foregone.tables.table import Grid, Table
from foregone.tables.values import CellKind, note_about, value_of

MOST = 1_000  # numbers of one table, or of the rest of a sheet, that are listed where no number of the release stands in their row
ORDINARY = re.compile(r"(?i)\b(table|figure|tab\.?|sheet) ?[0-9]+(\.[0-9]+)*|\b(19|20)[0-9]{2}(\s*[-–/]\s*[0-9]{2,4})?\b")
NUMBERS = (CellKind.NUMBER, CellKind.DECIMAL, CellKind.PERCENT)
NOT_USED = "what it means is not used"
NO_TABLE = "the whole sheet: no table was found in it"


@dataclass(frozen=True)
class SheetPart:
    """A table that was found on a sheet: with the layout it was read by, or why it was left out."""

    block: SheetBlock | Unread
    layout: Layout | None = None
    why: str = ""

    @cached_property
    def rows(self) -> Collection[int]:
        block = self.block
        return range(block.first, block.last + 1) if isinstance(block, Unread) else {*block.header, *block.body}

    @cached_property
    def left(self) -> int:
        return 1 if isinstance(self.block, Unread) else min((*self.block.labels, *self.block.numbers))

    @cached_property
    def labels(self) -> Collection[int]:
        """The columns that name rows, with row numbers that a program wrote left of them."""
        if isinstance(self.block, Unread):
            return ()
        named = self.block.labels if self.layout is None else self.layout.labels
        grid, header, body = self.block.grid, self.block.header, self.block.body
        return {*named, *(c for c in range(1, min(named, default=1)) if is_row_numbers(grid, header, body, c))}

    @cached_property
    def _not_taken(self) -> dict[tuple[str, int], NotTaken]:
        said = () if self.layout is None else self.layout.left_out
        return {("row", r): some for some in said for r in some.rows} | {("column", c): some for some in said for c in some.columns}

    def reason(self, row: int, column: int) -> str:
        """Why a cell of a table that was read was left out; nothing for a percentage that was read."""
        layout, grid = self.layout, self.block.grid
        assert layout is not None
        if whole_row := self._not_taken.get(("row", row)):
            return f"{whole_row.what}: {whole_row.why}"
        name = column_name(grid, layout, column)
        if whole_column := self._not_taken.get(("column", column)):
            return f"{name}: {whole_column.why}"
        # a percentage of a whole of itself is 100 whatever is counted, and no number of the release
        read = column in layout.percents and value_of(grid.cell(row, column)).kind in NUMBERS
        return "" if read else f"{name}: {NOT_USED}"

    @cached_property
    def signs(self) -> Collection[str]:
        """What stands in place of numbers."""
        if isinstance(self.block, Unread):
            return ()
        cells = {self.block.value(row, c) for row in self.block.body for c in self.block.numbers}
        return {cell.text for cell in cells if cell.kind not in (*NUMBERS, CellKind.BLANK)}


@dataclass(frozen=True, slots=True)
class Sheet:
    grid: Grid
    parts: tuple[SheetPart, ...]


def remaining(sheet: Sheet, taken: Collection[tuple[int, int]]) -> list[LeftOut]:
    """The cells with a number that were not taken, from top to bottom; `taken` are the places of those that were."""
    counted = {row for row, _ in taken}
    listed: dict[str, int] = {}
    found: list[LeftOut] = []
    further: dict[str, int] = {}
    for row, column, reason, whole in unused(sheet, taken):
        listed[reason] = listed.get(reason, 0) + 1
        if whole and row not in counted and listed[reason] > MOST:
            further[reason] = further.get(reason, 0) + 1
            continue
        place = sheet.grid.place(row, column)
        found.append(LeftOut(place.file, place.sheet, place.cell, sheet.grid.cell(row, column), reason))
    return found + [LeftOut(sheet.grid.file, sheet.grid.sheet, "", f"and {n:,} more", reason) for reason, n in further.items()]


def of_cube(table: Table, why: str) -> list[LeftOut]:
    """All numbers of a table that was left out, where a format says what they are about."""
    every = [entry for entry in table.entries if _has_digit(entry.shown)]
    found = [LeftOut(e.place.file, e.place.sheet, e.place.cell, e.shown, why) for e in every[:MOST]]
    more = len(every) - len(found)
    return found + ([LeftOut(table.file, table.sheet, "", f"and {more:,} more", why)] if more else [])


def unused(sheet: Sheet, taken: Collection[tuple[int, int]]) -> Iterator[tuple[int, int, str, bool]]:
    """Row, column and reason of each; and whether it belongs to something that was left out as a whole."""
    grid = sheet.grid
    for row in range(1, len(grid.rows) + 1):
        here = [part for part in sheet.parts if row in part.rows]
        for column in grid.filled(row):
            text = grid.cell(row, column)
            if not _has_digit(text) or (row, column) in taken:
                continue
            part = _owner(here, column)
            if not sheet.parts:
                yield row, column, NO_TABLE, True
            elif part is None:
                if not _is_ordinary(text, sheet.parts):
                    yield row, column, f"{OUTSIDE}: {NOT_USED}", True
            elif (isinstance(part.block, SheetBlock) and row in part.block.header) or column in part.labels:
                continue  # a heading or a label
            elif part.layout is None:
                yield row, column, part.why, True
            elif reason := part.reason(row, column):
                yield row, column, reason, False


def _owner(here: list[SheetPart], column: int) -> SheetPart | None:
    """Of the tables in a row the one that a cell belongs to: the last that begins left of it, else the first."""
    before = [part for part in here if part.left <= column]
    return max(before, key=lambda part: part.left) if before else here[0] if here else None


def _has_digit(text: str) -> bool:
    return any(c.isdigit() for c in text)


def _is_ordinary(text: str, parts: Iterable[SheetPart]) -> bool:
    """A title or a note with no number but a year and that of a table, or one that explains a sign of a table."""
    if not _has_digit(ORDINARY.sub(" ", text)):
        return True
    return any(note_about(sign, (text,)) for part in parts for sign in part.signs)
