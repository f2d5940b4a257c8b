"""What was published: statistics over a domain, and rules no record can break."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from types import MappingProxyType

from foregone.model import storage, what_if
from foregone.model.domain import Domain
from foregone.model.errors import InputError
from foregone.model.figure import Figure, Measure
from foregone.model.measures import Said, said_by
from foregone.model.predicate import Predicate
from foregone.model.size import size_by_cells
from foregone.model.statement import LARGEST, Either, Statement, Statistic
from foregone.model.workload import Query, Sum, Workload

Limits = tuple[int | None, int | None]


class Release:
    """A domain, the statistics published over it, and the rules that every valid record obeys.

    `statements` are limits on weighted sums of counts, beside the counts; of each of the `alternatives` at least one side
    holds. `figures` are sums, means, medians and percentages; what they say about counts is added to the statements and
    the alternatives. Inside it is a workload, which other releases may share, and arrays of numbers.
    """

    def __init__(
        self,
        domain: Domain,
        statistics: Iterable[Statistic],
        rules: Iterable[Predicate] = (),
        statements: Iterable[Statement] = (),
        alternatives: Iterable[Either] = (),
        figures: Iterable[Figure] = (),
    ) -> None:
        stated, sums, choices = tuple(statistics), tuple(statements), tuple(alternatives)
        self.figures = tuple(f if f.table else replace(f, table=table_of(f.name)) for f in figures)
        problems = _problems([*stated, *sums, *choices])
        said = Said()
        try:
            queries = tuple(Query(s.name, s.table or table_of(s.name), s.predicate) for s in stated)
            said = said_by(domain, stated, self.figures) if self.figures and not problems else said
            summed = tuple(Sum(s.name, s.table, s.terms) for s in (*sums, *said.statements))
            about, added = tuple(f.predicate for f in self.figures), len(said.statements)
            between = [(i, e) for i, s in enumerate(stated) if s.gaps for e in replace(s, table=queries[i].table).either_ors]
            alternatives_ = (*choices, *(either for _, either in between), *said.alternatives)
            asked = Workload(domain, queries, tuple(rules), summed, alternatives_, about, added)
        except InputError as error:
            raise InputError([*problems, *error.problems]) from None
        if problems:
            raise InputError(problems)
        first = len(stated)
        self.origins = (
            *[None] * len(sums),
            *(first + f for f in said.sources[0]),
            *[None] * len(choices),
            *(i for i, _ in between),
            *(first + f for f in said.sources[1]),
        )
        self.withheld = frozenset(i for i, s in enumerate(stated) if s.withheld)
        self.marked = {i: (s.mark, s.gaps) for i, s in enumerate(stated) if s.mark or s.gaps}
        limits = tuple((s.low, s.high) for s in (*sums, *said.statements))
        self._set(asked, [s.low for s in stated], [s.high for s in stated], limits)

    @classmethod
    def of(cls, workload: Workload, low: Sequence[int], high: Sequence[int | None], limits: tuple[Limits, ...] = ()) -> Release:
        """The numbers of one release; what they are about is the workload's."""
        made = cls.__new__(cls)
        made._set(workload, low, high, limits)
        return made

    figures: tuple[Figure, ...] = ()
    origins: tuple[int | None, ...] = ()  # of each statement, then of each alternative, the place in `published` of what says it
    withheld: frozenset[int] = frozenset()  # statistics that exist and are not shown
    marked: Mapping[int, tuple[str, tuple[tuple[int, int], ...]]] = MappingProxyType({})  # statistics with a mark, or with gaps
    places: Mapping[str, str] = MappingProxyType({})  # for names of numbers: where they stand in the files it was imported from

    def _set(self, workload: Workload, low: Sequence[int], high: Sequence[int | None], limits: tuple[Limits, ...]) -> None:
        if not len(low) == len(high) == len(workload.queries):
            raise InputError(f"{len(low)} counts for {len(workload.queries)} published numbers; give one each")
        if len(limits) != len(workload.sums):
            raise InputError(f"limits for {len(limits)} of {len(workload.sums)} weighted sums; give one pair each")
        self.workload = workload
        self.source: Path | None = None  # where it was read from, for messages
        self.limits = limits
        self.origins = self.origins or (None,) * (len(workload.sums) + len(workload.alternatives))
        self.low: tuple[int, ...] = tuple(low)
        self.high: tuple[int | None, ...] = self.low if high is low or tuple(high) == self.low else tuple(high)
        # exact counts, as most releases have, are looked at all at once; the sentence about what is wrong is made only then
        plain = self.high is self.low and set(map(type, self.low)) == {int} and min(self.low) >= 0 and max(self.low) <= LARGEST
        if not plain or limits:
            problems = _problems([*self.statistics, *self.statements])
            if problems:
                raise InputError(problems)
        largest = self.size_range[1]
        if largest is not None and max(self.low) > largest:
            problems = [
                f"{self.name_of(i)}: the count {count} is larger than the number of records, {largest}; correct one of the two"
                for i, count in enumerate(self.low)
                if count > largest and workload.queries[i].predicate.allowed
            ]
            if problems:
                raise InputError(problems)

    @property
    def domain(self) -> Domain:
        """The columns and their values."""
        return self.workload.domain

    @property
    def rules(self) -> tuple[Predicate, ...]:
        """Combinations that no record can have."""
        return self.workload.rules

    @property
    def masks(self) -> tuple[dict[int, int], ...]:
        return self.workload.masks

    @property
    def rule_masks(self) -> tuple[dict[int, int], ...]:
        return self.workload.rule_masks

    @cached_property
    def statistics(self) -> tuple[Statistic, ...]:
        """The published counts."""
        numbers = enumerate(zip(self.workload.queries, self.low, self.high, strict=True))
        hidden, marked = self.withheld, self.marked
        return tuple(
            Statistic(predicate, low, high, name, table, i in hidden, *marked.get(i, ()))
            for i, ((name, table, predicate), low, high) in numbers
        )

    @property
    def published(self) -> tuple[Statistic | Figure, ...]:
        """The counts, then the figures: a row of a file each."""
        return (*self.statistics, *self.figures)

    @property
    def hidden(self) -> tuple[Statistic | Figure, ...]:
        """What is published without its number: that the cell exists and, perhaps, a limit on it."""
        return tuple(row for row in self.published if row.withheld)

    @property
    def shown(self) -> tuple[Statistic | Figure | Statement | Either, ...]:
        """All numbers that are published: counts and figures, each once, and what is stated beside them."""
        return (*(row for row in self.published if not row.withheld), *(stated for some in self.loose for stated in some))

    @cached_property
    def statements(self) -> tuple[Statement, ...]:
        """Limits on weighted sums of counts, beside the statistics."""
        numbers = zip(self.workload.sums, self.limits, strict=True)
        return tuple(Statement(asked.terms, low, high, asked.name, asked.table) for asked, (low, high) in numbers)

    @property
    def all_statements(self) -> tuple[Statement, ...]:
        """Everything the release says, in one form: the statistics first, in their order, then the weighted sums."""
        return (*(statistic.statement for statistic in self.statistics), *self.statements)

    @property
    def alternatives(self) -> tuple[Either, ...]:
        """Pairs of statements of which at least one holds."""
        return self.workload.alternatives

    @property
    def everything(self) -> tuple[Statement | Either, ...]:
        """All statements, then the alternatives: what `name_of` and `columns_of` number."""
        return (*self.all_statements, *self.alternatives)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Release):
            return NotImplemented
        same = self.domain == other.domain and self.rules == other.rules and self.figures == other.figures
        same = same and self.alternatives == other.alternatives
        return same and self.statistics == other.statistics and self.statements == other.statements

    def __hash__(self) -> int:
        return hash((self.domain, self.statistics, self.rules, self.statements, self.alternatives, self.figures))

    def __repr__(self) -> str:
        """In a line, for people: hundreds of numbers are looked at in `statistics`."""
        columns = ", ".join(self.domain.names[:6]) + (", ..." if len(self.domain.names) > 6 else "")
        further = f", {_number(len(self.figures), 'figure')}" if self.figures else ""
        further += f", {_number(len(self.statements), 'weighted sum')}" if self.statements else ""
        further += f", {_number(len(self.alternatives), 'either-or')}" if self.alternatives else ""
        rules = f", {_number(len(self.rules), 'rule')}" if self.rules else ""
        return f"Release({_number(len(self.statistics), 'published number')} about {columns}{further}{rules})"

    @classmethod
    def read(cls, path: str | Path) -> Release:
        """Read a release folder (or a single .json or .parquet file)."""
        read: Release = storage.files().read_release(path)
        return read

    def write(self, path: str | Path) -> None:
        """Write the release as a folder with domain.json, statistics.csv and, if there are any, rules.csv."""
        storage.files().write_release(self, path)

    @property
    def size_range(self) -> tuple[int, int | None]:
        """What the statistics with an empty predicate say about the number of records."""
        highs = [high for i in self.workload.whole if (high := self.high[i]) is not None]
        return max((self.low[i] for i in self.workload.whole), default=0), min(highs, default=None)

    @cached_property
    def size(self) -> tuple[int, int | None]:
        """The least and the greatest number of records (None: no limit is known), also where only cells tell that add up."""
        low, high = self.size_range
        if low == high:
            return low, high
        columns = [len(column.codes) for column in self.domain.columns]
        least, most = size_by_cells(columns, self.masks, self.low, self.high)
        highs = [number for number in (high, most) if number is not None]
        return max(low, least, *self.low), min(highs, default=None)

    def name_of(self, index: int) -> str:
        """The published name of a statistic (or, numbered after these, of a weighted sum or an either-or), or a description."""
        return self.workload.name_of(index)

    def range_of(self, index: int) -> str:
        """What a number, numbered in the same way, is published as, in words."""
        return (self.statistics if index < len(self.masks) else self.everything)[index].range_text

    def columns_of(self, index: int) -> set[int]:
        """The positions of the columns that a statistic or, numbered after these, a weighted sum or an either-or looks at."""
        if index < len(self.masks):
            return set(self.masks[index])
        both = [(*left, *right) for left, right in self.workload.side_masks]
        return {column for _, masks in [*self.workload.sum_masks, *both][index - len(self.masks)] for column in masks}

    def without(self, indices: Iterable[int]) -> Release:
        """The release without some statistics; one that a percentage is of stays as a cell that is not shown."""
        dropped = set(indices)
        named = {figure.of for figure in self.figures if figure.measure is Measure.PERCENT}
        kept = (
            s.known(0, None) if i in dropped else s
            for i, s in enumerate(self.statistics)
            if i not in dropped or (s.name and s.name in named)
        )
        return Release(self.domain, kept, self.rules, *self.loose, self.figures)

    def hide(self, *names: str) -> Release:
        """The release with some numbers withheld, by their names or by the names of their tables."""
        return what_if.hide(self, names)

    def round(self, base: int, below: int = 0) -> Release:
        """The release with counts rounded to the nearest multiple of `base`, half up, totals on their own.

        With `below`, counts from 1 to `below` - 1 are a range instead: ask for both at once, since who knows both rules
        concludes more than from one after the other.
        """
        return what_if.shown_as(self, base, below)

    def below(self, number: int) -> Release:
        """The release with counts from 1 to `number` - 1 given as that range; zeros stay."""
        return what_if.shown_as(self, 1, number)

    @property
    def loose(self) -> tuple[tuple[Statement, ...], tuple[Either, ...]]:
        """The statements and the alternatives that neither a figure nor a mark says."""
        count = len(self.statements)
        free = tuple(s for s, origin in zip(self.statements, self.origins[:count], strict=True) if origin is None)
        return free, tuple(e for e, origin in zip(self.alternatives, self.origins[count:], strict=True) if origin is None)

    def figure_of(self, index: int) -> Figure | None:
        """The figure that a statement or an alternative, numbered as in `name_of`, comes from, if it comes from one."""
        origin = self.origins[index - len(self.masks)] if index >= len(self.masks) else None
        return None if origin is None or origin < len(self.masks) else self.figures[origin - len(self.masks)]

    def fingerprint(self) -> str:
        """A hash of everything that matters to what the release means: names of tables and labels do not."""
        content: dict[str, object] = {
            "columns": [[column.name, list(column.codes)] for column in self.domain.columns],
            "statistics": [[sorted_conditions(s.predicate), s.low, s.high] for s in self.statistics],
            "rules": [sorted_conditions(rule) for rule in self.rules],
        }
        if self.statements:
            content["statements"] = [_meaning(s) for s in self.statements]
        if self.alternatives:
            content["alternatives"] = [[_meaning(side) for side in either.sides] for either in self.alternatives]
        return hashlib.sha256(json.dumps(content, separators=(",", ":")).encode()).hexdigest()


def table_of(name: str) -> str:
    """The table that a row belongs to which does not say: what its name starts with, up to the last dot.

    >>> table_of("P16.3"), table_of("women")
    ('P16', '')
    """
    return name.rpartition(".")[0]


def _number(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def _meaning(statement: Statement) -> list[object]:
    terms = [[weight, sorted_conditions(predicate)] for weight, predicate in statement.terms]
    return [terms, statement.low, statement.high]


def _problems(stated: Sequence[Statistic | Statement | Either]) -> list[str]:
    return [f"{s.label}: {problem}" for s in stated for problem in s.problems()]


def sorted_conditions(predicate: Predicate) -> list[list[object]]:
    return [[name, sorted(codes)] for name, codes in predicate.allowed]
