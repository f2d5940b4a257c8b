"""A dataset: a multiset of records, one code per column."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from foregone.model.domain import Domain
from foregone.model.errors import InputError
from foregone.model.predicate import Predicate
from foregone.model.release import Release


@dataclass(frozen=True, slots=True)
class Dataset:
    """Records over a domain; order never matters, so they are kept sorted by the domain's order of codes.

    >>> domain = Domain.of({"SEX": ["F", "M"]})
    >>> Dataset.of(domain, [("M",), ("F",)]).count(Predicate.of({"SEX": "F"}))
    1
    """

    domain: Domain
    records: tuple[tuple[str, ...], ...]

    @classmethod
    def of(cls, domain: Domain, records: Iterable[Iterable[str]]) -> Dataset:
        columns, width = domain.columns, len(domain.columns)
        made, problems = [], []
        for row, values in enumerate(records, start=1):
            record = tuple(values)
            if len(record) != width:
                problems.append(f"record {row} has {len(record)} values, expected {width}; give one per column")
                continue
            problems += [
                f"record {row}, column {column.name}: {column.unknown(code)}"
                for column, code in zip(columns, record, strict=True)
                if code not in column.index
            ]
            made.append(record)
        if problems:
            raise InputError(problems)
        made.sort(key=lambda record: tuple(c.index[v] for c, v in zip(columns, record, strict=True)))
        return cls(domain, tuple(made))

    def __len__(self) -> int:
        return len(self.records)

    def count(self, predicate: Predicate) -> int:
        """How many records match."""
        tests = [(self.domain.index[name], codes) for name, codes in predicate.allowed]
        return sum(all(record[i] in codes for i, codes in tests) for record in self.records)

    def histogram(self) -> Counter[tuple[str, ...]]:
        return Counter(self.records)

    def distance(self, other: Dataset) -> float:
        """Half the L1 distance of the two histograms: how many records must change to turn one into the other."""
        mine, theirs = self.histogram(), other.histogram()
        return ((mine - theirs).total() + (theirs - mine).total()) / 2

    def broken(self, release: Release) -> list[str]:
        """Every statistic and rule of the release that this dataset breaks, one sentence each."""
        found = []
        for i, statistic in enumerate(release.statistics):
            count = self.count(statistic.predicate)
            if not statistic.holds(count):
                found.append(f"{release.name_of(i)} is published as {statistic.range_text} but the data have {count}")
        for i, rule in enumerate(release.rules):
            count = self.count(rule)
            if count:
                found.append(f"rule {i + 1} ({rule.text(release.domain)}) is broken by {count} of the records")
        return found
