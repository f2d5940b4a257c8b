"""Tables become a release: every cell a statistic that is named after the cell it stands in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from foregone.model.alike import folded
from foregone.model.domain import Domain
from foregone.model.errors import InputError
from foregone.model.figure import Figure, Measure
from foregone.model.marks import Ranges
from foregone.model.predicate import Predicate
from foregone.model.release import Release
from foregone.model.shown import shown
from foregone.model.statement import Statistic
from foregone.rules.rule import CountRange, Totals, added, is_mark
from foregone.tables.reading.percents import printed
from foregone.tables.reading.sums import counts_of, parts_of
from foregone.tables.table import CellPlace, Labels, Table, TableCell
from foregone.tables.values import ANY, NOT_WHOLE, CellKind, Meaning, NoNumber, Unclear, dash_is_zero, note_about
from foregone.tables.variables import Shared

MOST_PLACES = 3  # cells named for one problem


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a statistic stands and what is shown there."""

    name: str
    place: CellPlace
    shown: str
    token: bool  # its meaning was given by a rule or by the user


@dataclass(frozen=True, slots=True)
class Built:
    release: Release
    standing: tuple[Standing, ...]  # of the statistics, then of the percentages, in their order
    numbers: tuple[int, ...]  # for each table, how many numbers were taken
    hidden: tuple[int, ...]  # and how many of these are not exact


SHEETS = ("cross-tab", "list")
OTHER_VALUES = (
    "take other values of a variable with only = {...} in a layout file, or leave the table out with leave_out = true; or say"
    " unit = 1000 there, if numbers are given in thousands"
)


class _Rows:
    """The rows of the release while they are gathered."""

    def __init__(self, tables: list[Table], shared: Mapping[tuple[int, int], Shared], meaning: Meaning) -> None:
        self.tables, self.shared, self.meaning = tables, shared, meaning
        self.problems: dict[str, list[CellPlace]] = {}
        self.notes: dict[str, str] = {}  # for a problem, the footnote that may tell what is meant
        self.statistics: list[Statistic] = []
        self.figures: list[Figure] = []
        self.standing: list[Standing] = []
        self.of_figures: list[Standing] = []
        self.codes: dict[tuple[int, int, str], frozenset[str]] = {}  # table, axis and label -> what it covers
        self.marks: dict[str, Ranges] = {}  # texts in place of numbers, and the counts that they can stand for

    def add(self, t: int) -> tuple[int, int]:
        """The rows of a table; how many numbers it has, and how many of these are hidden."""
        table, first = self.tables[t], len(self.statistics)
        for entry in table.entries:
            if not entry.percent:
                self._count(t, entry)
        hidden = sum(1 for s in self.statistics[first:] if s.low != s.high)
        numbers = len(self.statistics) - first
        named = {labels: f"{table.name}.{entry.place.cell}" for labels, entry in table.by_labels.items()}
        for entry in table.entries:
            if entry.percent and entry.base is not None:
                self._percent(t, entry, entry.base, named)
                numbers += 1
        return numbers, hidden

    def _count(self, t: int, entry: TableCell) -> None:
        table = self.tables[t]
        counts = _counts(table, entry, self.meaning)
        if isinstance(counts, Unclear):
            if table.kind not in SHEETS and counts.broken:
                counts = Unclear(f"{NOT_WHOLE}; {OTHER_VALUES}")
            self.problems.setdefault(counts.why, []).append(entry.place)
            if note := note_about(entry.shown, table.footnotes):
                self.notes.setdefault(counts.why, f"; a footnote of {table.source} says {shown(note)}")
            return
        if counts is None:
            return
        name = f"{table.name}.{entry.place.cell}"
        mark = entry.shown.strip() if is_mark(entry.shown.strip(), counts) else ""
        if mark:
            self.marks.setdefault(mark, ((counts.low, counts.high),))
        about = self._predicate(t, entry.labels)
        self.statistics.append(Statistic(about, counts.low, counts.high, name, table.name, counts == ANY, mark))
        token = table.value(entry).kind != CellKind.NUMBER or counts.low != counts.high
        self.standing.append(Standing(name, entry.place, entry.shown, token))

    def _percent(self, t: int, entry: TableCell, base: Labels, named: dict[Labels, str]) -> None:
        table = self.tables[t]
        if base not in named and any(label is not None for label in base):
            # a base that is not shown is a cell all the same, which the percentage binds
            named[base] = f"{table.name}.base{len(named)}"
            self.statistics.append(Statistic(self._predicate(t, base), 0, None, named[base], table.name, withheld=True))
            self.standing.append(Standing(named[base], entry.place, "", False))
        both = any(other.place == entry.place for other in self._at(t, entry.labels))  # a cell with a count and its percentage
        name = f"{table.name}.{entry.place.cell}" + ("%" if both else "")
        of = named.get(base, "")
        text = printed(entry, table)
        self.figures.append(Figure.printed(Measure.PERCENT, of, self._predicate(t, entry.labels), text, name, table.name))
        self.of_figures.append(Standing(name, entry.place, entry.shown, False))

    def _at(self, t: int, labels: Labels) -> list[TableCell]:
        """The count with these labels, if there is one."""
        found = self.tables[t].by_labels.get(labels)
        return [] if found is None else [found]

    def _predicate(self, t: int, labels: Labels) -> Predicate:
        conditions: dict[str, frozenset[str]] = {}
        if self.tables[t].where:
            conditions = _where(self.tables[t], {variable.column.name: variable for variable in self.shared.values()})
        for a, label in enumerate(labels):
            if label is not None:
                if (t, a, label) not in self.codes:
                    self.codes[t, a, label] = self.shared[t, a].of(label)
                conditions[self.shared[t, a].column.name] = self.codes[t, a, label]
        return Predicate(tuple(sorted(conditions.items())))


def build(tables: list[Table], shared: Mapping[tuple[int, int], Shared], meaning: Meaning, record: str) -> Built:
    """The release of all tables. Unknown tokens and impossible numbers are problems that name cells."""
    columns = {shared[key].column.name: shared[key].column for key in sorted(shared)}
    rows = _Rows(tables, shared, meaning)
    counted = [rows.add(t) for t in range(len(tables))]
    domain = Domain(tuple(columns.values()), record, tuple(rows.marks.items()))
    if rows.problems:
        raise InputError([_line(why, places) + rows.notes.get(why, "") for why, places in rows.problems.items()])
    standing = (*rows.standing, *rows.of_figures)
    try:
        release = Release(domain, rows.statistics, figures=rows.figures)
    except InputError as error:
        hidden_total = _hidden_total(rows.statistics, rows.standing)
        raise InputError(hidden_total or [_placed(problem, standing) for problem in error.problems]) from None
    return Built(release, standing, tuple(n for n, _ in counted), tuple(h for _, h in counted))


def _hidden_total(statistics: Sequence[Statistic], standing: Sequence[Standing]) -> list[str]:
    """A token in the place of the grand total, read as less than some cell: it hides large numbers, too."""
    counted = list(zip(statistics, standing, strict=True))
    totals = [(s.high, s, at) for s, at in counted if at.token and not s.predicate.allowed and s.high is not None]
    if not totals:
        return []
    most, total, at = min(totals, key=lambda found: found[0])
    larger = [(s, other) for s, other in counted if s.low > most and s.predicate.allowed]
    if not larger:
        return []
    first, place = larger[0]
    others = f", and {len(larger) - 1:,} more are larger" if len(larger) > 1 else ""
    read = f"{shown(at.shown)} was read as {total.range_text}, but it is the number of all records"
    return [
        f"{at.place.text}: {read}, and {place.place.text} counts {first.low:,}{others};"
        f" if it can hide a large number, too, say --token '{at.shown}=0..'"
    ]


def _placed(problem: str, standing: tuple[Standing, ...]) -> str:
    """A problem that names a statistic, with the cell it stands in."""
    name, colon, rest = problem.partition(": ")
    at = next((at for at in standing if at.name == name), None)
    return problem if at is None or not colon else f"{at.place.text}: {rest}"


def _counts(table: Table, entry: TableCell, meaning: Meaning) -> CountRange | Unclear | None:
    total = any(label is None for label in entry.labels)
    if total and meaning.rule is not None and meaning.rule.totals == Totals.SUM:
        summed = _sum(table, entry, meaning)
        if summed is not None:
            return summed
    if entry.withheld:
        return ANY
    found = meaning.of(table.value(entry), dash_is_zero(table.footnotes), total)
    return None if isinstance(found, NoNumber) else found


def _sum(table: Table, entry: TableCell, meaning: Meaning) -> CountRange | None:
    """What a total says that adds up shown cells: no more than the cells themselves. None: the table has no such cells."""
    lists: list[list[str | None]] = [[]]
    for a, label in enumerate(entry.labels):
        labels: tuple[str | None, ...] | None = (label,) if label is not None else parts_of(table, a)
        if not labels:
            return ANY
        lists = [[*made, further] for made in lists for further in labels]
    cells = [table.by_labels.get(tuple(made)) for made in lists]
    counts = [counts_of(table, cell, meaning) for cell in cells if cell is not None]
    if len(counts) < len(lists):
        return ANY
    return added(count for count in counts if count is not None)


def _where(table: Table, variables: Mapping[str, Shared]) -> dict[str, frozenset[str]]:
    found = {}
    for name, labels in table.where:
        variable = next((v for key, v in variables.items() if folded(key) == folded(name)), None)
        if variable is None or any(folded(label) not in variable.codes for label in labels):
            raise InputError(f"layout, table {table.name}: where {name} = {shown(list(labels))} names no value of these tables")
        found[variable.column.name] = frozenset(code for label in labels for code in variable.of(label))
    return found


def _source(place: CellPlace) -> str:
    return f"{place.file} ({place.sheet})" if place.sheet else place.file


def _line(why: str, places: list[CellPlace]) -> str:
    first = places[0]
    also = [
        place.cell if (place.file, place.sheet) == (first.file, first.sheet) else f"{place.cell} of {_source(place)}"
        for place in places[1:MOST_PLACES]
    ]
    more = len(places) - 1 - len(also)
    rest = f" (also {', '.join(also)}{f' and {more} more' if more else ''})" if also else ""
    return f"{places[0].text}{rest}: {why}"
