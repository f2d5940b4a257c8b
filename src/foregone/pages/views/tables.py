"""Published tables as people know them: lines with titles, or rows against columns, cut to what a page can hold."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from foregone.model.domain import Column, Domain
from foregone.model.figure_sentences import said
from foregone.model.release import Release
from foregone.model.statement import Either, Statement, Statistic
from foregone.model.subject import Subject, TableDefinition
from foregone.pages.sentences import short, title

MOST_LINES = 40
MOST_ACROSS = 12
UNNAMED = "Other published numbers"


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
    """A table ready to be drawn; `across` are the column headings and `hidden` counts the lines left out."""

    id: str
    title: str
    across: tuple[str, ...]
    lines: tuple[LineView, ...]
    hidden: int = 0


class TableViews:
    """The tables of a release, drawn on request with only some of their lines when they are long."""

    def __init__(self, release: Release, subject: Subject) -> None:
        self.release, self.subject = release, subject
        self.stated = release.everything  # weighted sums and figures too; they stand in no table
        self.members: dict[str, list[int]] = {}
        for i, statistic in enumerate(release.statistics):
            self.members.setdefault(statistic.table or UNNAMED, []).append(i)
        self.known = self._known()

    def holding(self, statistics: Sequence[int]) -> list[TableView]:
        """The tables these statistics stand in, in the order in which they are first spoken of."""
        count = len(self.release.statistics)
        used = dict.fromkeys(self.release.statistics[i].table or UNNAMED for i in statistics if i < count)
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
        if i >= len(self.release.statistics):
            return said(self.release, i, among)
        statistic = self.release.statistics[i]
        table, line = self.known.get(statistic.table), self._line(i)
        if table is not None:
            for cell in table.cells:
                if cell.line == line:
                    return f"{table.title}: {cell.label}"
        return short(statistic.predicate, self.release.domain) or "all records"

    def amount(self, i: int) -> str:
        """The number itself; of an either-or there is none."""
        figure, stated = self.release.figure_of(i), self.stated[i]
        if figure is not None:
            return figure.range_text
        return "" if isinstance(stated, Either) else number_text(stated)


def number_text(statistic: Statistic | Statement) -> str:
    return f"{statistic.low:,}" if statistic.low == statistic.high else statistic.range_text.replace(" to ", "–")


def known_table(release: Release, table: TableDefinition, members: dict[int, int]) -> TableView:
    """A table with every line it is published with; totals are added up from the lines of the release."""
    domain = release.domain
    lines = []
    for cell in table.cells:
        words = cell.label.split("; ")
        depth = min(len(words) - 1, 3) + (cell.line > 1)
        if cell.line in members:
            i = members[cell.line]
            shown = CellView(i, number_text(release.statistics[i]), release.name_of(i))
        else:
            mask = cell.predicate.masks(domain)
            leaves = [
                release.statistics[members[leaf.line]]
                for leaf in table.cells
                if leaf.kind == "leaf" and leaf.line in members and inside(leaf.predicate.masks(domain), mask)
            ]
            exact = all(leaf.low == leaf.high for leaf in leaves)
            shown = CellView(None, f"{sum(leaf.low for leaf in leaves):,}" if exact else "")
        lines.append(LineView(cell.label, (shown,), depth, cell.kind == "total"))
    return TableView(table.id, table.title, (), tuple(lines))


def inside(inner: dict[int, int], outer: dict[int, int]) -> bool:
    return all(column in inner and inner[column] & ~mask == 0 for column, mask in outer.items())


def cross_table(release: Release, table: str, members: Sequence[int]) -> TableView | None:
    """Rows against columns, when every number of the table fixes one value in each of the same two or more columns."""
    predicates = [release.statistics[i].predicate for i in members]
    names = {tuple(name for name, _ in predicate.allowed) for predicate in predicates}
    if len(names) != 1 or any(len(codes) != 1 for predicate in predicates for _, codes in predicate.allowed):
        return None
    order = sorted(next(iter(names)), key=release.domain.index.__getitem__)
    if len(order) < 2:
        return None
    *down, across = [release.domain.column(name) for name in order]
    if len(across.codes) > MOST_ACROSS:
        return None
    places: dict[tuple[str, ...], dict[str, int]] = {}
    for i, predicate in zip(members, predicates, strict=True):
        codes = {name: next(iter(values)) for name, values in predicate.allowed}
        row = places.setdefault(tuple(codes[column.name] for column in down), {})
        if codes[across.name] in row:
            return None  # published twice: a list shows both
        row[codes[across.name]] = i
    lines = tuple(
        LineView(row_label(down, key), tuple(_cell(release, row.get(code)) for code in across.codes))
        for key, row in sorted(places.items(), key=lambda item: [c.index[v] for c, v in zip(down, item[0], strict=True)])
    )
    heading = f"{' and '.join(title(column) for column in down)}, by {title(across)}"
    if table == ",".join(title(column) for column in (*down, across)):
        heading = ""  # the name of the table says it already
    return TableView(table, heading, tuple(across.label_of(code) for code in across.codes), lines)


def row_label(columns: Sequence[Column], codes: Sequence[str]) -> str:
    return ", ".join(column.label_of(code) for column, code in zip(columns, codes, strict=True))


def _cell(release: Release, i: int | None) -> CellView:
    return CellView(None, "") if i is None else CellView(i, number_text(release.statistics[i]), release.name_of(i))


def line_table(release: Release, table: str, members: Sequence[int]) -> TableView:
    lines = tuple(LineView(_label(release.domain, release.statistics[i]), (_cell(release, i),)) for i in members)
    return TableView(table, "", (), lines)


def _label(domain: Domain, statistic: Statistic) -> str:
    return short(statistic.predicate, domain) or "all records"

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
    return TableView(shown.id, shown.title, shown.across, tuple(kept), len(shown.lines) - len(kept))
