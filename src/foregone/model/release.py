"""What was published: statistics over a domain, and rules no record can break."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from foregone.model.domain import Domain
from foregone.model.errors import InputError
from foregone.model.predicate import Predicate
from foregone.model.workload import Query, Workload

LARGEST = 1 << 62  # well within the whole numbers the engine adds up


@dataclass(frozen=True, slots=True)
class Statistic:
    """A published number: at least `low` and at most `high` records match `predicate` (None: no upper limit).

    >>> Statistic.exact(Predicate.of({"SEX": "F"}), 3).high
    3
    """

    predicate: Predicate
    low: int
    high: int | None
    name: str = ""
    table: str = ""

    @classmethod
    def exact(cls, predicate: Predicate, count: int, name: str = "", table: str = "") -> Statistic:
        return cls(predicate, count, count, name, table)

    def problems(self) -> list[str]:
        numbers = (self.low,) if self.high is None else (self.low, self.high)
        if any(isinstance(number, bool) or not isinstance(number, int) for number in numbers):
            return [f"the count {self.low!r}..{self.high!r} is not a whole number; counts are whole numbers from 0 up"]
        if self.low < 0:
            return [f"the count {self.low} is negative; counts are whole numbers from 0 up"]
        if self.high is not None and self.low > self.high:
            return [f"low {self.low} is above high {self.high}; swap or mend them"]
        if max(numbers) > LARGEST:
            return [f"the count {max(numbers)} is above {LARGEST}, more than any table counts; mend it"]
        return []

    def holds(self, count: int) -> bool:
        return self.low <= count and (self.high is None or count <= self.high)

    @property
    def range_text(self) -> str:
        if self.high is None:
            return f"at least {self.low}"
        return str(self.low) if self.low == self.high else f"{self.low} to {self.high}"


class Release:
    """A domain, the statistics published over it, and the rules that every valid record obeys.

    Inside it is a workload, which other releases may share, and two arrays of numbers.
    """

    def __init__(self, domain: Domain, statistics: Iterable[Statistic], rules: Iterable[Predicate] = ()) -> None:
        stated = tuple(statistics)
        problems = [f"{_name(s)}: {problem}" for s in stated for problem in s.problems()]
        try:
            asked = Workload(domain, tuple(Query(s.name, s.table, s.predicate) for s in stated), tuple(rules))
        except InputError as error:
            raise InputError([*problems, *error.problems]) from None
        if problems:
            raise InputError(problems)
        self._set(asked, [s.low for s in stated], [s.high for s in stated])

    @classmethod
    def of(cls, workload: Workload, low: Sequence[int], high: Sequence[int | None]) -> Release:
        """The numbers of one release; what they are about is the workload's."""
        made = cls.__new__(cls)
        made._set(workload, low, high)
        return made

    def _set(self, workload: Workload, low: Sequence[int], high: Sequence[int | None]) -> None:
        if not len(low) == len(high) == len(workload.queries):
            raise InputError(f"{len(low)} counts for {len(workload.queries)} published numbers; give one each")
        self.workload = workload
        self.low: tuple[int, ...] = tuple(low)
        self.high: tuple[int | None, ...] = self.low if high is low or tuple(high) == self.low else tuple(high)
        largest = self.size_range[1]
        plain = self.high is self.low and set(map(type, self.low)) == {int} and min(self.low) >= 0 and max(self.low) <= LARGEST
        if not plain and not all(map(_sound, self.low, self.high)):
            raise InputError([f"{_name(s)}: {problem}" for s in self.statistics for problem in s.problems()])
        if largest is not None and max(self.low) > largest:
            problems = [
                f"{self.name_of(i)}: the count {count} is larger than the number of records, {largest}; mend one of the two"
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

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Release):
            return NotImplemented
        same = self.domain == other.domain and self.rules == other.rules
        return same and self.statistics == other.statistics

    def __hash__(self) -> int:
        return hash((self.domain, self.statistics, self.rules))

    def __repr__(self) -> str:
        return f"Release(domain={self.domain!r}, statistics={self.statistics!r}, rules={self.rules!r})"

    @classmethod
    def read(cls, path: str | Path) -> Release:
        """Read a release folder (or a single .json or .parquet file)."""
        from foregone.formats.folder import read_release

        return read_release(path)

    def write(self, path: str | Path) -> None:
        """Write the release as a folder with domain.json, statistics.csv and, if there are any, rules.csv."""
        from foregone.formats.folder import write_release

        write_release(self, path)

    @property
    def size_range(self) -> tuple[int, int | None]:
        """What the statistics with an empty predicate say about the number of records."""
        highs = [high for i in self.workload.whole if (high := self.high[i]) is not None]
        return max((self.low[i] for i in self.workload.whole), default=0), min(highs, default=None)

    def name_of(self, index: int) -> str:
        """The published name of a statistic, or a description when it has none."""
        return self.workload.name_of(index)

    def without(self, indices: Iterable[int]) -> Release:
        """The release with some statistics withheld."""
        dropped = set(indices)
        return Release(self.domain, (s for i, s in enumerate(self.statistics) if i not in dropped), self.rules)

    def fingerprint(self) -> str:
        """A hash of everything that matters to what the release means: names of tables and labels do not."""
        content = {
            "columns": [[column.name, list(column.codes)] for column in self.domain.columns],
            "statistics": [[sorted_conditions(s.predicate), s.low, s.high] for s in self.statistics],
            "rules": [sorted_conditions(rule) for rule in self.rules],
        }
        return hashlib.sha256(json.dumps(content, separators=(",", ":")).encode()).hexdigest()


def sorted_conditions(predicate: Predicate) -> list[list[object]]:
    return [[name, sorted(codes)] for name, codes in predicate.allowed]


def _name(statistic: Statistic) -> str:
    return statistic.name or statistic.predicate.text() or "number of records"


def _sound(low: object, high: object) -> bool:
    """Whole numbers in order; the sentence about what is wrong is made only where this fails."""
    if not isinstance(low, int) or isinstance(low, bool) or not 0 <= low <= LARGEST:
        return False
    return high is None or (isinstance(high, int) and not isinstance(high, bool) and low <= high <= LARGEST)
