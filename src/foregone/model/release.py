"""What was published: statistics over a domain, and rules no record can break."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from foregone.model.domain import Domain
from foregone.model.errors import InputError
from foregone.model.predicate import Predicate
from foregone.model.statement import LARGEST, Statement, Statistic
from foregone.model.workload import Query, Sum, Workload

Limits = tuple[int | None, int | None]


class Release:
    """A domain, the statistics published over it, and the rules that every valid record obeys.

    `statements` are limits on weighted sums of counts, beside the counts. Inside it is a workload, which other releases
    may share, and arrays of numbers.
    """

    def __init__(
        self,
        domain: Domain,
        statistics: Iterable[Statistic],
        rules: Iterable[Predicate] = (),
        statements: Iterable[Statement] = (),
    ) -> None:
        stated, sums = tuple(statistics), tuple(statements)
        problems = _problems([*stated, *sums])
        try:
            queries = tuple(Query(s.name, s.table, s.predicate) for s in stated)
            asked = Workload(domain, queries, tuple(rules), tuple(Sum(s.name, s.table, s.terms) for s in sums))
        except InputError as error:
            raise InputError([*problems, *error.problems]) from None
        if problems:
            raise InputError(problems)
        self._set(asked, [s.low for s in stated], [s.high for s in stated], tuple((s.low, s.high) for s in sums))

    @classmethod
    def of(cls, workload: Workload, low: Sequence[int], high: Sequence[int | None], limits: tuple[Limits, ...] = ()) -> Release:
        """The numbers of one release; what they are about is the workload's."""
        made = cls.__new__(cls)
        made._set(workload, low, high, limits)
        return made

    def _set(self, workload: Workload, low: Sequence[int], high: Sequence[int | None], limits: tuple[Limits, ...]) -> None:
        if not len(low) == len(high) == len(workload.queries):
            raise InputError(f"{len(low)} counts for {len(workload.queries)} published numbers; give one each")
        if len(limits) != len(workload.sums):
            raise InputError(f"limits for {len(limits)} of {len(workload.sums)} weighted sums; give one pair each")
        self.workload = workload
        self.source: Path | None = None  # where it was read from, for messages
        self.limits = limits
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
        return self.workload.domain

    @property
    def rules(self) -> tuple[Predicate, ...]:
        return self.workload.rules

    @property
    def masks(self) -> tuple[dict[int, int], ...]:
        return self.workload.masks

    @property
    def rule_masks(self) -> tuple[dict[int, int], ...]:
        return self.workload.rule_masks

    @cached_property
    def statistics(self) -> tuple[Statistic, ...]:
        numbers = zip(self.workload.queries, self.low, self.high, strict=True)
        return tuple(Statistic(predicate, low, high, name, table) for (name, table, predicate), low, high in numbers)

    @cached_property
    def statements(self) -> tuple[Statement, ...]:
        """Limits on weighted sums of counts, beside the statistics."""
        numbers = zip(self.workload.sums, self.limits, strict=True)
        return tuple(Statement(asked.terms, low, high, asked.name, asked.table) for asked, (low, high) in numbers)

    @property
    def all_statements(self) -> tuple[Statement, ...]:
        """Everything the release says, in one form: the statistics first, in their order, then the weighted sums."""
        return (*(statistic.statement for statistic in self.statistics), *self.statements)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Release):
            return NotImplemented
        same = self.domain == other.domain and self.rules == other.rules
        return same and self.statistics == other.statistics and self.statements == other.statements

    def __hash__(self) -> int:
        return hash((self.domain, self.statistics, self.rules, self.statements))

    def __repr__(self) -> str:
        """In a line, for people: hundreds of numbers are looked at in `statistics`."""
        columns = ", ".join(self.domain.names[:6]) + (", ..." if len(self.domain.names) > 6 else "")
        further = f", {_number(len(self.statements), 'weighted sum')}" if self.statements else ""
        rules = f", {_number(len(self.rules), 'rule')}" if self.rules else ""
        return f"Release({_number(len(self.statistics), 'published number')} about {columns}{further}{rules})"

    if TYPE_CHECKING:  # attached in foregone/__init__, so that the nouns know no file formats

        @classmethod
        def read(cls, path: str | Path) -> Release:
            """Read a release folder (or a single .json or .parquet file)."""

        def write(self, path: str | Path) -> None:
            """Write the release as a folder with domain.json, statistics.csv and, if there are any, rules.csv."""

    @property
    def size_range(self) -> tuple[int, int | None]:
        """What the statistics with an empty predicate say about the number of records."""
        highs = [high for i in self.workload.whole if (high := self.high[i]) is not None]
        return max((self.low[i] for i in self.workload.whole), default=0), min(highs, default=None)

    def name_of(self, index: int) -> str:
        """The published name of a statistic (or, numbered after these, of a weighted sum), or a description when it has none."""
        return self.workload.name_of(index)

    def columns_of(self, index: int) -> set[int]:
        """The positions of the columns that a statistic or, numbered after these, a weighted sum looks at."""
        if index < len(self.masks):
            return set(self.masks[index])
        return {column for _, masks in self.workload.sum_masks[index - len(self.masks)] for column in masks}

    def without(self, indices: Iterable[int]) -> Release:
        """The release with some statistics withheld."""
        dropped = set(indices)
        kept = (s for i, s in enumerate(self.statistics) if i not in dropped)
        return Release(self.domain, kept, self.rules, self.statements)

    def fingerprint(self) -> str:
        """A hash of everything that matters to what the release means: names of tables and labels do not."""
        content: dict[str, object] = {
            "columns": [[column.name, list(column.codes)] for column in self.domain.columns],
            "statistics": [[sorted_conditions(s.predicate), s.low, s.high] for s in self.statistics],
            "rules": [sorted_conditions(rule) for rule in self.rules],
        }
        if self.statements:
            content["statements"] = [
                [[[weight, sorted_conditions(predicate)] for weight, predicate in s.terms], s.low, s.high] for s in self.statements
            ]
        return hashlib.sha256(json.dumps(content, separators=(",", ":")).encode()).hexdigest()


def _number(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def _problems(stated: list[Statistic | Statement]) -> list[str]:
    return [f"{s.label}: {problem}" for s in stated for problem in s.problems()]


def sorted_conditions(predicate: Predicate) -> list[list[object]]:
    return [[name, sorted(codes)] for name, codes in predicate.allowed]
