"""What was published: statistics over a domain, and rules no record can break."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from foregone.domain import Domain
from foregone.errors import InputError
from foregone.predicate import Predicate


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
        return []

    def holds(self, count: int) -> bool:
        return self.low <= count and (self.high is None or count <= self.high)

    @property
    def range_text(self) -> str:
        if self.high is None:
            return f"at least {self.low}"
        return str(self.low) if self.low == self.high else f"{self.low} to {self.high}"


@dataclass(frozen=True, slots=True)
class Release:
    """A domain, the statistics published over it, and the rules that every valid record obeys."""

    domain: Domain
    statistics: tuple[Statistic, ...]
    rules: tuple[Predicate, ...] = ()
    masks: tuple[dict[int, int], ...] = field(init=False, repr=False, compare=False)
    rule_masks: tuple[dict[int, int], ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "statistics", tuple(self.statistics))
        object.__setattr__(self, "rules", tuple(self.rules))
        problems = [f"{self.name_of(i)}: {problem}" for i, s in enumerate(self.statistics) for problem in s.problems()]
        masks: list[list[dict[int, int]]] = [[], []]
        for kind, predicates in enumerate(([s.predicate for s in self.statistics], self.rules)):
            for i, predicate in enumerate(predicates):
                try:
                    masks[kind].append(predicate.masks(self.domain))
                except InputError as error:
                    name = f"rule {i + 1}" if kind else self.name_of(i)
                    problems += [f"{name}: {problem}" for problem in error.problems]
        if not problems:
            largest = self.size_range[1]
            problems = [
                f"{self.name_of(i)}: the count {s.low} is larger than the number of records, {largest}; mend one of the two"
                for i, s in enumerate(self.statistics)
                if largest is not None and s.low > largest and s.predicate.allowed
            ]
        if problems:
            raise InputError(problems)
        object.__setattr__(self, "masks", tuple(masks[0]))
        object.__setattr__(self, "rule_masks", tuple(masks[1]))

    @classmethod
    def read(cls, path: str | Path) -> Release:
        """Read a release folder (or a single .json or .parquet file)."""
        from foregone.files.folder import read_release

        return read_release(path)

    def write(self, path: str | Path) -> None:
        """Write the release as a folder with domain.json, statistics.csv and, if there are any, rules.csv."""
        from foregone.files.folder import write_release

        write_release(self, path)

    @property
    def size_range(self) -> tuple[int, int | None]:
        """What the statistics with an empty predicate say about the number of records."""
        low, high = 0, None
        for statistic in self.statistics:
            if not statistic.predicate.allowed:
                low = max(low, statistic.low)
                if statistic.high is not None:
                    high = statistic.high if high is None else min(high, statistic.high)
        return low, high

    def name_of(self, index: int) -> str:
        """The published name of a statistic, or a description when it has none."""
        statistic = self.statistics[index]
        return statistic.name or statistic.predicate.text() or "number of records"

    def without(self, indices: Iterable[int]) -> Release:
        """The release with some statistics withheld."""
        dropped = set(indices)
        kept = tuple(s for i, s in enumerate(self.statistics) if i not in dropped)
        return Release(self.domain, kept, self.rules)

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

