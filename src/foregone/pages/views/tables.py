"""Tables as a page draws them: as their publisher knows them, rows against columns, or lists; and two releases side by side."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from foregone.batch.subject import Subject, TableDefinition
from foregone.model.domain import Column
from foregone.model.figure import Figure
from foregone.model.predicate import within
from foregone.model.release import Release
from foregone.model.sentences import condition, said, values_text
from foregone.model.statement import Either, Statement, Statistic
from foregone.pages.sentences import counted, listed, title

MOST_LINES = 40
MOST_ACROSS = 12
DEEPEST = 3
TOTAL = "Total"
Codes = frozenset[str] | None
"""What a number asks of one column: some of its codes, or nothing, as a total does."""
_Grid = dict[tuple[Codes, ...], dict[Codes, int]]
"""For each line and each heading, which number stands there."""
UNNAMED = "Other published numbers"
SHEET_PLACE = re.compile("([A-Z]+)([0-9]+)")  # at the end of the name of a number that was imported: B5
MOST_TABLES = 60


@dataclass(frozen=True, slots=True)
class CellView:
    """A number in a table; `statistic` is None for a total that follows from the others, or for a blank."""

    statistic: int | None
    text: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class LineView:
    label: str
    cells: tuple[CellView, ...]
    depth: int = 0
    total: bool = False


@dataclass(frozen=True, slots=True)
class TableView:
    """A table ready to be drawn; `across` are the column headings, `down` says what the lines are and `hidden` counts the
    lines left out."""

    id: str
    title: str
    across: tuple[str, ...]
    lines: tuple[LineView, ...]
    hidden: int = 0
    down: str = ""


def number_text(statistic: Statistic | Statement) -> str:
    return f"{statistic.low:,}" if statistic.low == statistic.high else statistic.range_text.replace(" to ", "–")


def cell_view(release: Release, i: int | None) -> CellView:
    """What a table prints in a cell: a mark stays a mark."""
    if i is None:
        return CellView(None, "")
    return CellView(i, release.statistics[i].mark or number_text(release.statistics[i]), release.name_of(i))


def cut(shown: TableView, wanted: set[int]) -> TableView:
    """Long tables keep the lines that matter and, as far as there is room, those at the top."""
    if len(shown.lines) <= MOST_LINES:
        return shown
    matter = [any(cell.statistic in wanted for cell in line.cells) for line in shown.lines]
    room = max(0, MOST_LINES - sum(matter))
    kept = []
    for line, needed in zip(shown.lines, matter, strict=True):
        if needed or room > 0:
            kept.append(line)
            room -= not needed
    return replace(shown, lines=tuple(kept), hidden=len(shown.lines) - len(kept))


def cross_table(release: Release, table: str, members: Sequence[int]) -> TableView | None:
    """The table with its totals, or None where its numbers are no grid: some stand twice, or most places would be blank."""
    asked = [dict(release.statistics[i].predicate.allowed) for i in members]
    named = [column for column in release.domain.columns if any(column.name in parts for parts in asked)]
    columns = [column for column in named if len({parts.get(column.name) for parts in asked}) > 1]
    if len(columns) < len(named) and columns:
        common = [condition(column, asked[0][column.name]) for column in named if column not in columns]
        rest = [{name: codes for name, codes in parts.items() if name in {c.name for c in columns}} for parts in asked]
        drawn = _shaped(release, table, columns, members, rest)
        return drawn and replace(drawn, title=f"{drawn.title or listed([title(c) for c in columns])} ({'; '.join(common)})")
    return _shaped(release, table, named, members, asked)


def _shaped(
    release: Release,
    table: str,
    columns: Sequence[Column],
    members: Sequence[int],
    asked: Sequence[Mapping[str, frozenset[str]]],
) -> TableView | None:
    """A table of numbers that differ in all of these columns: a list of one, or rows against columns; None if neither fits."""
    if len(columns) == 1:
        return _list(release, table, columns[0], members, asked)
    if not any(len(parts) > 1 for parts in asked):
        return None  # totals of different columns, and nothing that would lie where they cross
    for across in _candidates(columns, asked, [release.statistics[i].name for i in members]):
        down = [column for column in columns if column is not across]
        grid = _grid(down, across, members, asked)
        if grid is not None:
            return _drawn(release, table, down, across, grid)
    return None


def _candidates(
    columns: Sequence[Column], asked: Sequence[Mapping[str, frozenset[str]]], names: Sequence[str]
) -> Iterator[Column]:
    """Columns whose values may stand side by side: as in the sheet the numbers are from, where their names tell their places there;
    else the last one first, then those with the fewest values."""
    *others, last = columns
    values = {column.name: len({parts.get(column.name) for parts in asked}) for column in columns}
    ordered = [last, *sorted(others, key=lambda column: values[column.name])]
    places = [SHEET_PLACE.fullmatch(name.rpartition(".")[2]) for name in names]
    if all(places):
        lines: dict[str, list[Mapping[str, frozenset[str]]]] = {}
        for place, parts in zip(places, asked, strict=True):
            lines.setdefault(place[2] if place else "", []).append(parts)
        ordered.sort(key=lambda column: all(len({parts.get(column.name) for parts in line}) == 1 for line in lines.values()))
    for column in ordered:
        if values[column.name] <= MOST_ACROSS:
            yield column


def _grid(
    down: Sequence[Column], across: Column, members: Sequence[int], asked: Sequence[Mapping[str, frozenset[str]]]
) -> _Grid | None:
    grid: _Grid = {}
    for i, parts in zip(members, asked, strict=True):
        line = grid.setdefault(tuple(parts.get(column.name) for column in down), {})
        if line.setdefault(parts.get(across.name), i) != i:
            return None  # published twice: a list shows both
    headings = {heading for line in grid.values() for heading in line}
    return grid if 2 * len(members) > len(grid) * len(headings) else None


def _drawn(release: Release, table: str, down: Sequence[Column], across: Column, grid: _Grid) -> TableView:
    headings = _ordered(across, {heading for line in grid.values() for heading in line})
    places = [{part: k for k, part in enumerate(_ordered(column, {key[j] for key in grid}))} for j, column in enumerate(down)]
    keys = sorted(grid, key=lambda key: [place[part] for place, part in zip(places, key, strict=True)])
    lines = tuple(
        LineView(
            _line_label(down, key),
            tuple(cell_view(release, grid[key].get(heading)) for heading in headings),
            _depth(key[0], places[0]) if len(down) == 1 else 0,
            all(part is None for part in key),
        )
        for key in keys
    )
    names = listed([title(column) for column in down])
    heading = "" if table == ",".join(title(column) for column in (*down, across)) else f"{names}, by {title(across)}"
    return TableView(table, heading, tuple(_part_label(across, part) for part in headings), lines, down=names)


def _list(
    release: Release,
    table: str,
    column: Column,
    members: Sequence[int],
    asked: Sequence[Mapping[str, frozenset[str]]],
) -> TableView | None:
    """A table about one column: its values, one below the other."""
    grid = {parts.get(column.name): i for i, parts in zip(members, asked, strict=True)}
    if len(grid) < len(members):
        return None
    keys = _ordered(column, grid)
    lines = tuple(
        LineView(_part_label(column, key), (cell_view(release, grid[key]),), _depth(key, keys), key is None) for key in keys
    )
    return TableView(table, "" if table == title(column) else title(column), (), lines)


def _ordered(column: Column, parts: Iterable[Codes]) -> list[Codes]:
    """In the order of their first values, a group before what it is made of, and the total last."""

    def order(part: Codes) -> tuple[bool, int, int]:
        return part is None, min(map(column.index.__getitem__, part), default=0) if part else 0, -len(part or ())

    return sorted(parts, key=order)


def _depth(part: Codes, among: Iterable[Codes]) -> int:
    """How many of the groups that are listed a value lies in."""
    return 0 if part is None else min(DEEPEST, sum(other is not None and part < other for other in among))


def _part_label(column: Column, part: Codes) -> str:
    return TOTAL if part is None else values_text(column, part)


def _line_label(columns: Sequence[Column], parts: Sequence[Codes]) -> str:
    if all(part is None for part in parts):
        return TOTAL
    return ", ".join(
        _part_label(column, part) if part is not None else f"all of {title(column)}"
        for column, part in zip(columns, parts, strict=True)
    )


class TableViews:
    """The tables of a release, drawn on request with only some of their lines when they are long."""

    def __init__(self, release: Release, subject: Subject) -> None:
        self.release, self.subject = release, subject
        self.stated = release.statements
        self.members: dict[str, list[int]] = {}
        for i, statistic in enumerate(release.statistics):
            self.members.setdefault(statistic.table or UNNAMED, []).append(i)
        self.known = self._known()

    def holding(self, statistics: Sequence[int]) -> list[TableView]:
        """The tables these statistics stand in, in the order in which they are first spoken of."""
        counts = [count for i in statistics if isinstance(count := self.stated[i].source, Statistic)]
        used = dict.fromkeys(count.table or UNNAMED for count in counts)
        return [self.draw(table, set(statistics)) for table in used]

    def _known(self) -> dict[str, TableDefinition]:
        """The subject's tables whose lines mean what the release says they mean; variants number some lines differently."""
        known: dict[str, TableDefinition] = {}
        for table in self.subject.tables:
            lines = {cell.line: cell.predicate for cell in table.cells}
            members = self.members.get(table.id, [])
            if all(self.release.statistics[i].predicate == lines.get(self._line(i) or 0) for i in members):
                known.setdefault(table.id, table)
        return known

    def draw(self, table: str, wanted: set[int]) -> TableView:
        members = self.members[table]
        if table in self.known:
            shown = known_table(self.release, self.known[table], {self._line(i) or 0: i for i in members})
        else:
            shown = cross_table(self.release, table, members) or line_table(self.release, table, members)
        return cut(shown, wanted)

    def _line(self, i: int) -> int | None:
        name, _, line = self.release.statistics[i].name.rpartition(".")
        return int(line) if name == self.release.statistics[i].table and line.isdecimal() else None

    def label(self, i: int, among: Collection[int] | None = None) -> str:
        """A statistic, a weighted sum or a figure in one line: by its table's own words where these are known.

        With `among` a figure is told as if these were all the counts there are.
        """
        statistic = self.stated[i].source
        if not isinstance(statistic, Statistic):
            return said(self.release, i, among)
        table, line = self.known.get(statistic.table), self._line(i)
        if table is not None:
            for cell in table.cells:
                if cell.line == line:
                    return f"{table.title}: {cell.label}"
        return counted(statistic.predicate, self.release.domain)

    def amount(self, i: int) -> str:
        """The number itself; of an either-or there is none."""
        stated = self.stated[i]
        if isinstance(stated.source, Figure):
            return stated.source.range_text
        return "" if isinstance(stated, Either) else number_text(stated)


def known_table(release: Release, table: TableDefinition, members: dict[int, int]) -> TableView:
    """A table with every line it is published with; totals are added up from the lines of the release."""
    domain = release.domain
    lines = []
    for cell in table.cells:
        words = cell.label.split("; ")
        depth = min(len(words) - 1, 3) + (cell.line > 1)
        if cell.line in members:
            i = members[cell.line]
            shown = cell_view(release, i)
        else:
            mask = cell.predicate.masks(domain)
            leaves = [
                release.statistics[members[leaf.line]]
                for leaf in table.cells
                if leaf.kind == "leaf" and leaf.line in members and within(leaf.predicate.masks(domain), mask)
            ]
            exact = all(leaf.low == leaf.high for leaf in leaves)
            shown = CellView(None, f"{sum(leaf.low for leaf in leaves):,}" if exact else "")
        lines.append(LineView(cell.label, (shown,), depth, cell.kind == "total"))
    return TableView(table.id, table.title, (), tuple(lines))


def line_table(release: Release, table: str, members: Sequence[int]) -> TableView:
    """One number a line, told in full: what remains when a table is neither rows against columns nor about one column."""
    lines = tuple(LineView(counted(release.statistics[i].predicate, release.domain), (cell_view(release, i),)) for i in members)
    return TableView(table, "", (), lines)


@dataclass(frozen=True, slots=True)
class SideBySide:
    """Tables in which something changed, each before and after; `marked` are the numbers that did, `hidden` more tables."""

    tables: tuple[tuple[TableView, TableView], ...]
    marked: frozenset[int]
    hidden: int
    percents: tuple[tuple[TableView, TableView], ...] = ()  # of figures, which are counted apart
    marked_percents: frozenset[int] = frozenset()


def side_by_side(before: Release, after: Release, subject: Subject) -> SideBySide:
    marked = changed(before, after)
    old, new = TableViews(before, subject), TableViews(after, subject)
    names = dict.fromkeys(before.statistics[i].table or UNNAMED for i in sorted(marked))
    shown = [name for name in list(names)[:MOST_TABLES] if name in new.members]
    tables = tuple((old.draw(name, set(marked)), new.draw(name, set(marked))) for name in shown)
    hidden = len(names) - len(shown)
    if len(before.figures) != len(after.figures):  # a merge took some of them with it
        return SideBySide(tables, marked, hidden)
    pairs = enumerate(zip(before.figures, after.figures, strict=True))
    figures = frozenset(i for i, (one, other) in pairs if one != other)
    drawn = dict.fromkeys(figure.table or UNNAMED for figure in before.figures)
    percents = [
        (figure_table(before, name, figures), figure_table(after, name, figures))
        for name in list(drawn)[:MOST_TABLES]
        if name in names or any((before.figures[i].table or UNNAMED) == name for i in figures)
    ]
    return SideBySide(tables, marked, hidden, tuple(percents), figures)


def figure_table(release: Release, table: str, wanted: Collection[int]) -> TableView:
    """Percentages, means and the like of one table, laid out as counts are; cells are numbered as the figures are."""
    members = [i for i, figure in enumerate(release.figures) if (figure.table or UNNAMED) == table]
    # a release of cells that are about the same, as only counts are laid out
    cells = Release(release.domain, [Statistic(figure.predicate, 0, None, f"{i}") for i, figure in enumerate(release.figures)])
    drawn = cross_table(cells, table, members) or line_table(cells, table, members)

    def shown(cell: CellView) -> CellView:
        figure = None if cell.statistic is None else release.figures[cell.statistic]
        return cell if figure is None else CellView(cell.statistic, figure.range_text, figure.name)

    lines = tuple(replace(line, cells=tuple(map(shown, line.cells))) for line in drawn.lines)
    measures = " and ".join(dict.fromkeys(str(release.figures[i].measure) for i in members))
    return cut(replace(drawn, lines=lines, title=f"{drawn.title}{' · ' if drawn.title else ''}{measures}"), set(wanted))


def changed(before: Release, after: Release) -> frozenset[int]:
    """Counts that are not shown as they were, while both releases have the same rows."""
    if len(before.statistics) != len(after.statistics):  # values were merged: rows are others
        return frozenset()
    rows = zip(before.statistics, after.statistics, strict=True)
    return frozenset(
        i for i, (old, new) in enumerate(rows) if (old.low, old.high, old.withheld) != (new.low, new.high, new.withheld)
    )
