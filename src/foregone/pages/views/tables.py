"""The published tables of a release, each as its publisher knows it: with its titles, or rows against columns."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from foregone.batch.subject import Subject, TableDefinition
from foregone.model.domain import Domain
from foregone.model.figure import Figure
from foregone.model.predicate import within
from foregone.model.release import Release
from foregone.model.sentences import plural, said
from foregone.model.statement import Either, Statistic
from foregone.pages.sentences import short
from foregone.pages.views.crosstab import cross_table
from foregone.pages.views.sheet import CellView, LineView, TableView, cell_view, cut, number_text

UNNAMED = "Other published numbers"


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
        return _label(self.release.domain, statistic)

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
    lines = tuple(LineView(_label(release.domain, release.statistics[i]), (cell_view(release, i),)) for i in members)
    return TableView(table, "", (), lines)


def _label(domain: Domain, statistic: Statistic) -> str:
    return short(statistic.predicate, domain) or f"all {plural(domain.record, 2)}"
