"""Tables become a release: every cell a statistic that is named after the cell it stands in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from foregone.model.alike import folded
from foregone.model.domain import Domain
from foregone.model.errors import InputError
from foregone.model.predicate import Predicate
from foregone.model.release import Release
from foregone.model.shown import shown
from foregone.model.statement import Statistic
from foregone.rules.rule import Counts, Totals
from foregone.tables.blocks import dash_is_zero
from foregone.tables.grid import Place
from foregone.tables.meaning import ANY, Meaning, Nothing, Unclear
from foregone.tables.sums import counts_of, parts_of
from foregone.tables.table import Entry, Table
from foregone.tables.values import Kind, value_of
from foregone.tables.variables import Shared

MOST_PLACES = 3  # cells named for one problem


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a statistic stands and what is shown there."""

    name: str
    place: Place
    shown: str
    token: bool  # its meaning was given by a rule or by the user


@dataclass(frozen=True, slots=True)
class Built:
    release: Release
    standing: tuple[Standing, ...]  # in the order of the statistics
    numbers: tuple[int, ...]  # for each table, how many numbers were taken
    hidden: tuple[int, ...]  # and how many of these are not exact


def build(tables: list[Table], shared: Mapping[tuple[int, int], Shared], meaning: Meaning, record: str) -> Built:
    """The release of all tables. Unknown tokens and impossible numbers are problems that name cells."""
    columns = {id(variable): variable.column for variable in shared.values()}
    ordered = [shared[key].column for key in sorted(shared)]
    domain = Domain(
        tuple({column.name: column for column in ordered if id(column) in {id(c) for c in columns.values()}}.values()), record
    )
    problems: dict[str, list[Place]] = {}
    statistics: list[Statistic] = []
    standing: list[Standing] = []
    numbers, hidden = [], []
    for t, table in enumerate(tables):
        where = _where(table, {variable.column.name: variable for variable in shared.values()})
        first = len(statistics)
        for entry in table.entries:
            if entry.percent:
                continue
            counts = _counts(table, entry, meaning, problems)
            if counts is None:
                continue
            conditions = dict(where)
            for a, label in enumerate(entry.labels):
                if label is not None:
                    conditions[shared[t, a].column.name] = shared[t, a].of(label)
            name = f"{table.name}.{entry.place.cell}"
            statistics.append(Statistic(Predicate.of(conditions), counts.low, counts.high, name, table.name))
            token = value_of(entry.shown, table.dotted).kind not in (Kind.NUMBER,) or counts.low != counts.high
            standing.append(Standing(name, entry.place, entry.shown, token))
        numbers.append(len(statistics) - first)
        hidden.append(sum(1 for s in statistics[first:] if s.low != s.high))
    if problems:
        raise InputError([_line(why, places) for why, places in problems.items()])
    return Built(Release(domain, statistics), tuple(standing), tuple(numbers), tuple(hidden))


def _counts(table: Table, entry: Entry, meaning: Meaning, problems: dict[str, list[Place]]) -> Counts | None:
    total = any(label is None for label in entry.labels)
    if total and meaning.rule is not None and meaning.rule.totals == Totals.SUM:
        summed = _sum(table, entry, meaning)
        if summed is not None:
            return summed
    if entry.withheld:
        return ANY
    found = meaning.of(value_of(entry.shown, table.dotted), dash_is_zero(table.footnotes), total)
    if isinstance(found, Unclear):
        problems.setdefault(found.why, []).append(entry.place)
        return None
    return None if isinstance(found, Nothing) else found


def _sum(table: Table, entry: Entry, meaning: Meaning) -> Counts | None:
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
    known = [count for count in counts if count is not None]
    high = None if any(count.high is None for count in known) else sum(count.high or 0 for count in known)
    return Counts(sum(count.low for count in known), high)


def _where(table: Table, variables: Mapping[str, Shared]) -> dict[str, frozenset[str]]:
    found = {}
    for name, labels in table.where:
        variable = next((v for key, v in variables.items() if folded(key) == folded(name)), None)
        if variable is None or any(folded(label) not in variable.codes for label in labels):
            raise InputError(f"layout, table {table.name}: where {name} = {shown(list(labels))} names no value of these tables")
        found[variable.column.name] = frozenset(code for label in labels for code in variable.of(label))
    return found


def _line(why: str, places: list[Place]) -> str:
    also = [place.cell for place in places[1:MOST_PLACES]]
    more = len(places) - 1 - len(also)
    rest = f" (also {', '.join(also)}{f' and {more} more' if more else ''})" if also else ""
    return f"{places[0].text}{rest}: {why}"
