"""The layout of a table on a sheet: which rows and columns hold headings, labels and numbers; and the table that it makes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from foregone.model.alike import folded
from foregone.tables.block_columns import heading
from foregone.tables.reading.question import Clue, TableQuestion
from foregone.tables.table import Axis, Grid, Table, TableCell, letters
from foregone.tables.values import CellKind, count_and_percent, value_of
from foregone.tables.words import bare

Names = tuple[tuple[str, tuple[str, ...]], ...]
Groups = tuple[tuple[str, Names], ...]  # of a variable, the labels that are several others together


@dataclass(frozen=True, slots=True)
class NotTaken:
    """What is said about a table beside its numbers: rows or columns that are left out and why; or, without a reason, a remark."""

    what: str
    why: str = ""
    rows: tuple[int, ...] = ()
    columns: tuple[int, ...] = ()
    verb: str = "is"

    @property
    def text(self) -> str:
        """
        >>> NotTaken("column E (Residents)", "it does not count the same records").text
        'column E (Residents) is left out: it does not count the same records'
        """
        between = ", " if self.why.startswith("as ") else ": "
        return f"{self.what} {self.verb} left out{between}{self.why}" if self.why else self.what


@dataclass(frozen=True, slots=True)
class Layout:
    """Rows and columns are counted from 1.

    `rows` names the variable of each column of labels, `levels` the variable of each header row that has one. `totals` are
    the labels of a variable that mean any value.
    """

    name: str
    file: str
    sheet: str = ""
    header: tuple[int, ...] = ()
    body: tuple[int, ...] = ()
    labels: tuple[int, ...] = ()
    numbers: tuple[int, ...] = ()
    percents: tuple[int, ...] = ()
    rows: tuple[str, ...] = ()
    levels: tuple[tuple[int, str], ...] = ()  # header row, variable
    totals: Names = ()
    groups: Groups = ()
    open: tuple[str, ...] = ()  # variables with values that are not shown: the total is more than the sum
    pairs: tuple[int, ...] = ()  # columns with a count and its percentage in each cell
    sections: tuple[int, ...] = ()  # rows whose label holds for those below, the first of `rows`; their own numbers are totals
    outside: tuple[int, ...] = ()  # rows that belong to no section: totals of all of them
    where: Names = ()
    within: tuple[str, ...] | None = None  # percentages are of those who have the same values of these variables
    unnamed: tuple[str, ...] = ()  # variables that the file does not name
    left_out: tuple[NotTaken, ...] = ()
    measure: str = ""  # of several measures the one that is taken
    exclusive: tuple[str, ...] = ()  # variables whose labels exclude each other, as somebody said
    dates: tuple[tuple[str, str], ...] = ()  # for variables that are times: new records each time, or the same ones again
    unit: int = 1  # what a number is to be multiplied with, such as 1000
    fixed: tuple[tuple[str, str], ...] = ()  # variables that have the same value in every cell, as somebody said

    @property
    def variables(self) -> tuple[str, ...]:
        return (*self.rows, *(name for _, name in self.levels))


def renamed(layout: Layout, names: Mapping[str, str]) -> Layout:
    """The layout with other names of its variables."""
    return replace(
        layout,
        rows=tuple(names[name] for name in layout.rows),
        levels=tuple((row, names[name]) for row, name in layout.levels),
        totals=tuple((names[name], labels) for name, labels in layout.totals),
        groups=tuple((names[name], groups) for name, groups in layout.groups),
        open=tuple(names[name] for name in layout.open),
        within=None if layout.within is None else tuple(names[name] for name in layout.within),
        unnamed=tuple(names[name] for name in layout.unnamed),
        exclusive=tuple(names[name] for name in layout.exclusive),
        dates=tuple((names[name], said) for name, said in layout.dates),
    )


def read_table(grid: Grid, layout: Layout, title: str = "", footnotes: tuple[str, ...] = (), dotted: bool = False) -> Table:
    """The table that a layout makes of a sheet."""
    totals = dict(layout.totals)
    left = min(layout.labels, default=1) if layout.labels else 1
    rows = _row_labels(grid, layout)
    heads = _heads(grid, layout, left)
    entries, blanks, variables = [], 0, layout.variables
    for row in layout.body:
        if rows[row] is None:
            continue
        for column in (*layout.numbers, *layout.percents):
            text = grid.cell(row, column)
            if value_of(text, dotted).kind == CellKind.BLANK:
                blanks += 1
                continue
            said = (*(rows[row] or ()), *heads[column])
            labels = tuple(
                None if not label or label in totals.get(name, ()) else label for name, label in zip(variables, said, strict=True)
            )
            if column in layout.pairs and (both := count_and_percent(text)) is not None:
                entries.append(TableCell(labels, both[0], grid.place(row, column)))
                entries += [TableCell(labels, both[1], grid.place(row, column), percent=True)] if both[1] else []
                continue
            entries.append(TableCell(labels, text, grid.place(row, column), percent=column in layout.percents))
    axes = []
    for i, name in enumerate(variables):
        seen = dict.fromkeys(entry.labels[i] for entry in entries)
        where = "rows" if i < len(layout.rows) else "columns"
        labels_seen = tuple(label for label in seen if label)
        groups = dict(layout.groups).get(name, ())
        named = name not in layout.unnamed
        axes.append(Axis(name, labels_seen, totals.get(name, ()), named, where, (), groups, open=name in layout.open))
    empty = [f"{blanks} blank cells"] if blanks > 1 else ["1 blank cell"] if blanks else []
    left_out = [*(some.text for some in layout.left_out), *empty]
    kind = "cross-tab" if layout.levels else "list"
    return Table(
        layout.name,
        grid.file,
        grid.sheet,
        kind,
        tuple(axes),
        tuple(entries),
        tuple(left_out),
        footnotes,
        layout.where,
        title,
        grid.note,
        dotted,
        unit=layout.unit,
        fixed=tuple(Axis(name, (value,)) for name, value in layout.fixed),
    )


def paired(heads: Mapping[int, str], counts: tuple[int, ...]) -> Mapping[int, str]:
    """For each column of percentages the heading of the counts it goes with: the same words, or the next one on the left."""
    known = {folded(bare(heads[c]) or heads[c]): heads[c] for c in counts}
    found = {}
    for column, text in heads.items():
        if column in counts:
            continue
        words = folded(bare(text))
        left = [c for c in counts if c < column]
        if words in known:
            found[column] = known[words]
        else:
            found[column] = bare(text) or (heads[max(left)] if left else "")
    return found


def _heads(grid: Grid, layout: Layout, left: int) -> dict[int, tuple[str, ...]]:
    """The labels of each column; columns of percentages have those of the counts they go with."""
    columns = (*layout.numbers, *layout.percents)
    found: dict[int, list[str]] = {c: [] for c in columns}
    for row, _ in layout.levels:
        said = {c: heading(grid, layout.header, layout.header.index(row), c, left) for c in columns}
        if layout.percents:  # "Male n" beside "Male %" is Male
            said = {c: bare(text) or text for c, text in said.items() if c in layout.numbers} | {
                c: said[c] for c in layout.percents
            }
        said |= paired(said, layout.numbers)
        for c in columns:
            found[c].append(said[c])
    return {c: tuple(labels) for c, labels in found.items()}


def _row_labels(grid: Grid, layout: Layout) -> dict[int, tuple[str, ...] | None]:
    """The labels of each row; None: it has none. A blank one left of another repeats what stands above, as merged cells do."""
    found: dict[int, tuple[str, ...] | None] = {}
    above: tuple[str, ...] = ("",) * len(layout.labels)
    for row in layout.body:
        if row in layout.sections:
            numbered = any(grid.cell(row, c) for c in (*layout.numbers, *layout.percents))
            found[row] = ("",) * len(layout.labels) if numbered else None
            continue
        made: list[str] = []
        same = True
        for i, column in enumerate(layout.labels):
            text = grid.cell(row, column)
            if not text and same and i < len(layout.labels) - 1 and row not in layout.outside:
                text = above[i]
            same = same and text == above[i]
            made.append(text)
        found[row] = tuple(made) if any(made) or not layout.labels or row in layout.outside else None
        above = found[row] or above
    if layout.sections:
        section = ""
        for row in layout.body:
            section = grid.cell(row, layout.labels[0]) if row in layout.sections else section
            labels = found[row]
            found[row] = None if labels is None else ("" if row in layout.outside else section, *labels)
    return found


def column_name(grid: Grid, layout: Layout, column: int) -> str:
    """A column in a sentence: its letter and its headings."""
    heads = " ".join(dict.fromkeys(grid.cell(row, column) for row in layout.header if grid.cell(row, column)))
    return f"column {letters(column)} ({heads})" if heads else f"column {letters(column)}"


@dataclass(frozen=True, slots=True)
class ReadAs:
    """How a part of a table was read, and what says so."""

    what: str
    clues: tuple[Clue, ...] = ()


@dataclass(frozen=True, slots=True)
class Fits:
    """A layout that fits, the table that it makes, and what says so."""

    layout: Layout
    table: Table
    told: tuple[ReadAs, ...] = ()


@dataclass(frozen=True, slots=True)
class Misfit:
    """No reading fits: what is wrong with the likeliest one."""

    why: str


@dataclass(frozen=True, slots=True)
class Broken:
    """Something in the file was spoilt on the way; a line that names the place."""

    why: str


Read = Fits | Misfit | TableQuestion | Broken
