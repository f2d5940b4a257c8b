"""A sheet of cells as text, before anybody has said what they mean; and a table whose cells are understood.

Sizes are looked at before memory is spent: a small file can ask for a lot of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from pathlib import Path

from foregone.formats.text import regular_file
from foregone.model.errors import InputError
from foregone.tables.values import CellKind, Value, in_units, value_of

MOST_CELLS = 250_000  # of a sheet; larger tables are read by programs, not by people
LAST_ROW, LAST_COLUMN = 1_048_576, 16_384  # of a sheet, in every spreadsheet program
MOST_BYTES = 32_000_000  # of a file with a table for people
TOO_MANY = f"more than the {MOST_CELLS:,} that are read as a table for people; cut it, or write statistics.csv yourself"
Rows = tuple[tuple[str, ...], ...]
Labels = tuple[str | None, ...]
"""One label for each variable of the table; None: any value."""


def check_cells(source: str, cells: int) -> None:
    """Refuse a table before it is made."""
    if cells > MOST_CELLS:
        number = f"{cells:,}" if cells < 10**15 else "very many"  # a few keywords of a file can ask for more than can be told
        raise InputError(f"{source}: {number} cells are {TOO_MANY}")


def check_bytes(path: Path) -> None:
    """Refuse a file before it is read."""
    size = regular_file(path)
    if size > MOST_BYTES:
        raise InputError(f"{path}: {size:,} bytes are more than the {MOST_BYTES:,} of a table for people; cut it into several")


def read_bytes(path: Path) -> bytes:
    """A file of bounded size."""
    check_bytes(path)
    return path.read_bytes()


@dataclass(frozen=True, slots=True)
class CellPlace:
    """Where something stands in a file: rows and columns are counted from 1, as a spreadsheet shows them."""

    file: str
    row: int
    column: int = 0  # 0: the file has no columns, and its numbers are counted instead
    sheet: str = ""

    @property
    def cell(self) -> str:
        """
        >>> CellPlace("t1.csv", 5, 28).cell, CellPlace("t1.px", 7).cell
        ('AB5', '7')
        """
        return f"{letters(self.column)}{self.row}" if self.column else str(self.row)

    @property
    def text(self) -> str:
        """
        >>> CellPlace("b.xlsx", 5, 2, "June").text
        'b.xlsx, sheet June, row 5, column B'
        """
        if not self.column:
            return f"{self.file}{f', dataset {self.sheet}' if self.sheet else ''}, number {self.row}"
        return f"{self.file}{f', sheet {self.sheet}' if self.sheet else ''}, row {self.row}, column {letters(self.column)}"


@dataclass(frozen=True, slots=True)
class Grid:
    """The cells of a sheet, all rows equally long; `merged` are the cells that a merged cell covers, which repeat its text."""

    file: str
    rows: Rows
    sheet: str = ""
    merged: frozenset[tuple[int, int]] = frozenset()  # row and column from 1; the first cell of a merged one is not among them
    note: str = ""  # about how the file was read
    indents: Mapping[tuple[int, int], int] = field(default_factory=dict, compare=False)  # how far labels are moved to the right
    dates: frozenset[tuple[int, int]] = frozenset()  # cells that hold a date, not a text

    @classmethod
    def of(
        cls,
        file: str,
        rows: list[list[str]],
        sheet: str = "",
        merged: frozenset[tuple[int, int]] = frozenset(),
        note: str = "",
        indents: Mapping[tuple[int, int], int] | None = None,
    ) -> Grid:
        width = max(map(len, rows), default=0)
        check_cells(f"{file}, sheet {sheet}" if sheet else file, len(rows) * width)
        padded = tuple((*row, *[""] * (width - len(row))) for row in rows)
        return cls(file, padded, sheet, merged, note, indents or {})

    @property
    def width(self) -> int:
        return len(self.rows[0]) if self.rows else 0

    @property
    def source(self) -> str:
        return f"{self.file}, sheet {self.sheet}" if self.sheet else self.file

    def cell(self, row: int, column: int) -> str:
        """The text of a cell; row and column from 1."""
        return self.rows[row - 1][column - 1]

    def filled(self, row: int) -> list[int]:
        """The columns of a row that hold something of their own."""
        return [c for c in range(1, self.width + 1) if self.cell(row, c) and (row, c) not in self.merged]

    def place(self, row: int, column: int) -> CellPlace:
        return CellPlace(self.file, row, column, self.sheet)


def indent(text: str) -> int:
    """How many blanks a label begins with.

    >>> indent("North"), indent("   Ambridge")
    (0, 3)
    """
    return len(text) - len(text.lstrip())


@lru_cache(maxsize=LAST_COLUMN)
def letters(column: int) -> str:
    """The name of a column as a spreadsheet shows it.

    >>> letters(1), letters(26), letters(27)
    ('A', 'Z', 'AA')
    """
    made = ""
    while column:
        column, rest = divmod(column - 1, 26)
        made = chr(ord("A") + rest) + made
    return made


def number_of(name: str) -> int:
    """The number of a column by its letters; 0 when these are none.

    >>> number_of("AB"), number_of("7")
    (28, 0)
    """
    found = 0
    for letter in name.upper():
        if not "A" <= letter <= "Z":
            return 0
        found = found * 26 + ord(letter) - ord("A") + 1
    return found


def rows_text(rows: tuple[int, ...]) -> str:
    """Rows as people name them.

    >>> rows_text((4, 5, 6, 9))
    '4-6, 9'
    """
    runs: list[list[int]] = []
    for row in rows:
        if runs and runs[-1][1] == row - 1:
            runs[-1][1] = row
        else:
            runs.append([row, row])
    return ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in runs)


@dataclass(frozen=True, slots=True)
class Axis:
    """A variable of a table: its labels in order, without those that mean any value (`totals`)."""

    name: str
    labels: tuple[str, ...]
    totals: tuple[str, ...] = ()
    named: bool = True  # the file itself names it
    where: str = "rows"
    words: tuple[tuple[str, str], ...] = ()  # what codes mean, where a file says so
    groups: tuple[tuple[str, tuple[str, ...]], ...] = ()  # labels that are several others together, where a file says so
    title: str = ""
    open: bool = False  # people may have other values than these labels say
    measure: bool = False  # its values are what is measured, and not whom it is about
    units: tuple[tuple[str, str], ...] = ()  # what is said about the units of its values
    coded: tuple[tuple[str, str], ...] = ()  # codes that the file gives beside its labels
    scales: tuple[tuple[str, int], ...] = ()  # what numbers about its values are to be multiplied with, where a file says so

    @property
    def own_name(self) -> str:
        """The name that the file gives it; nothing where it gives none."""
        return self.name if self.named else ""


@dataclass(frozen=True, slots=True)
class TableCell:
    """A cell: which labels it is about and what it shows. `withheld`: the file says that its number is not shown."""

    labels: Labels
    shown: str
    place: CellPlace
    withheld: bool = False
    percent: bool = False
    base: Labels | None = None  # of a percentage: what it is of


@dataclass(frozen=True)
class Table:
    """A table as it was read; `left_out` says what was not taken, and why, a sentence each."""

    name: str
    file: str
    sheet: str
    kind: str
    axes: tuple[Axis, ...]
    entries: tuple[TableCell, ...]
    left_out: tuple[str, ...] = ()
    footnotes: tuple[str, ...] = ()
    where: tuple[tuple[str, tuple[str, ...]], ...] = ()  # every cell is about these records only
    title: str = ""
    note: str = ""
    dotted: bool = field(default=False, compare=False)  # a point stands between thousands
    fixed: tuple[Axis, ...] = ()  # variables with one value, which all cells have
    texts: tuple[str, ...] = ()  # words about what is counted, those nearest to the numbers first
    stock: str = ""  # what the file says about counting at a time
    dates: tuple[tuple[str, str], ...] = ()  # variables that are times: new records each time, or the same ones again
    unit: int = 1  # what a number is to be multiplied with, such as 1000
    cut_from: str = ""  # a list of several variables that it is one of: these are different ones

    def value(self, entry: TableCell) -> Value:
        """What a cell holds; numbers in thousands are ranges of counts."""
        found = value_of(entry.shown, self.dotted)
        return found if entry.percent else in_units(found, self.unit)

    def plain(self, entry: TableCell) -> int | None:
        """The number that a cell shows, in units of one; None for signs, ranges and blanks."""
        value = value_of(entry.shown, self.dotted)
        if self.unit != 1 and value.kind == CellKind.DECIMAL:
            return round(Fraction(value.printed) * self.unit)
        return value.counts.low * self.unit if value.kind == CellKind.NUMBER and value.counts is not None else None

    @property
    def source(self) -> str:
        part = "sheet" if self.kind in ("cross-tab", "list") else "dataset"
        return f"{self.file}, {part} {self.sheet}" if self.sheet else self.file

    @cached_property
    def by_labels(self) -> dict[Labels, TableCell]:
        return {entry.labels: entry for entry in self.entries if not entry.percent}

    def with_axis(self, at: int, axis: Axis, renamed: Mapping[str, str | None]) -> Table:
        """The table with another axis in one place, and other labels of its cells there."""
        cells = (
            replace(c, labels=(*c.labels[:at], renamed.get(c.labels[at] or "", c.labels[at]), *c.labels[at + 1 :]))
            for c in self.entries
        )
        return replace(self, axes=(*self.axes[:at], axis, *self.axes[at + 1 :]), entries=tuple(cells))

    def lines(self, axis: int) -> Iterator[dict[str | None, TableCell]]:
        """The cells along one axis, for every combination of labels of the others."""
        if axis not in self._along:
            found: dict[Labels, dict[str | None, TableCell]] = {}
            for labels, entry in self.by_labels.items():
                found.setdefault((*labels[:axis], *labels[axis + 1 :]), {})[labels[axis]] = entry
            self._along[axis] = list(found.values())
        yield from self._along[axis]

    @cached_property
    def _along(self) -> dict[int, list[dict[str | None, TableCell]]]:
        return {}

    def with_axes(self, axes: tuple[Axis, ...]) -> Table:
        """The table with the same cells and other axes, of which it keeps how they lie."""
        made = replace(self, axes=axes)
        made.__dict__["by_labels"], made.__dict__["_along"] = self.by_labels, self._along
        return made
