"""A dataset: a multiset of records, one code per column, kept as kinds of record with how often each occurs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import prod

from foregone.model.domain import Domain
from foregone.model.errors import TooLargeError, refuse
from foregone.model.figure import Figure, Measure, number_text
from foregone.model.measures import base_of
from foregone.model.predicate import Predicate
from foregone.model.release import Number, Release
from foregone.model.shown import NAMED, and_more, listed, shown
from foregone.model.statement import Terms

Record = tuple[str, ...]

LISTED = 1_000  # up to this many records a dataset is shown record by record, above as kinds with their number
MOST_LISTED = 10_000_000  # records spelled out one by one


@dataclass(frozen=True, slots=True)
class Dataset:
    """Records over a domain; order never matters, so kinds are kept sorted by the domain's order of codes.

    >>> domain = Domain.of({"SEX": ["F", "M"]})
    >>> Dataset.of(domain, [("M",), ("F",)]).count(Predicate.of({"SEX": "F"}))
    1
    >>> len(Dataset.of_kinds(domain, {("M",): 10**9}))
    1000000000
    """

    domain: Domain
    kinds: tuple[tuple[Record, int], ...]

    @classmethod
    def of(cls, domain: Domain, records: Iterable[Iterable[str]]) -> Dataset:
        """A dataset from records, each a value for every column in the domain's order."""
        return cls.of_kinds(domain, Counter(_checked(domain, map(tuple, records))))

    @classmethod
    def of_kinds(cls, domain: Domain, counts: dict[Record, int]) -> Dataset:
        """From different records and how often each occurs; those that occur 0 times are left out."""
        columns = domain.columns
        wrong = [
            f"the number {shown(n)} of records is not a whole number from 0 up; correct it"
            for n in counts.values()
            if not isinstance(n, int) or n < 0
        ]
        refuse(wrong)
        known = [(record, n) for record, n in zip(_checked(domain, counts), counts.values(), strict=True) if n]
        known.sort(key=lambda kind: tuple(c.index[v] for c, v in zip(columns, kind[0], strict=True)))
        return cls(domain, tuple(known))

    def __repr__(self) -> str:
        """In a line, for people: there may be very many records."""
        some = listed(("" if n == 1 else f"{n:,} x ") + f"({', '.join(record)})" for record, n in self.kinds[:NAMED])
        more = and_more(len(self.kinds) - NAMED)
        return f"Dataset({self.size:,} {'record' if self.size == 1 else 'records'}{some and ': '}{some}{more})"

    def __len__(self) -> int:
        return self.size

    @property
    def size(self) -> int:
        """The number of records; `len` says the same, but Python ends it at 2^63."""
        return sum(n for _, n in self.kinds)

    @property
    def records(self) -> tuple[Record, ...]:
        """Every record, one by one, in order."""
        if self.size > MOST_LISTED:
            raise TooLargeError(f"{self.size:,} records are too many to be listed one by one; use `kinds`, which counts them")
        return tuple(record for record, n in self.kinds for _ in range(n))

    def matching(self, predicate: Predicate) -> list[tuple[Record, int]]:
        """The kinds of record that match, with how often each occurs."""
        tests = [(self.domain.index[name], codes) for name, codes in predicate.allowed]
        return [kind for kind in self.kinds if all(kind[0][i] in codes for i, codes in tests)]

    def count(self, predicate: Predicate) -> int:
        """How many records match."""
        return sum(n for _, n in self.matching(predicate))

    def counts(self, predicates: Iterable[Predicate]) -> list[int]:
        """How many records match each of many predicates, such as all cells of a release: each column set is tabulated once."""
        tables: dict[tuple[str, ...], dict[Record, int]] = {}
        found = []
        for predicate in predicates:
            names = tuple(name for name, _ in predicate.allowed)
            if names not in tables:
                at = [self.domain.index[name] for name in names]
                table: dict[Record, int] = {}
                tables[names] = table
                for record, n in self.kinds:
                    key = tuple([record[i] for i in at])
                    table[key] = table.get(key, 0) + n
            table = tables[names]
            sets = [codes for _, codes in predicate.allowed]
            if prod(map(len, sets)) <= len(table):
                found.append(sum(table.get(key, 0) for key in product(*sets)))
            else:
                found.append(sum(n for key, n in table.items() if all(map(frozenset.__contains__, sets, key))))
        return found

    def count_any(self, predicates: Iterable[Predicate]) -> int:
        """How many records match at least one of several conditions."""
        tests = [[(self.domain.index[name], codes) for name, codes in predicate.allowed] for predicate in predicates]
        return sum(n for record, n in self.kinds if any(all(record[i] in codes for i, codes in test) for test in tests))

    def value(self, terms: Terms) -> int:
        """A weighted sum of counts."""
        return sum(weight * self.count(predicate) for weight, predicate in terms)

    def histogram(self) -> Counter[Record]:
        """How many records there are of each kind."""
        return Counter(dict(self.kinds))

    def distance(self, other: Dataset) -> float:
        """Half the L1 distance of the two histograms: how many records must change to turn one into the other."""
        mine, theirs = self.histogram(), other.histogram()
        apart = (mine - theirs).total() + (theirs - mine).total()
        return apart / 2

    def broken(self, release: Release) -> list[str]:
        """Every statistic and rule of the release that this dataset breaks, one sentence each."""
        wrong: list[tuple[Number, str]] = []  # what is published, and what the data have instead
        counts = self.counts(statistic.predicate for statistic in release.statistics)
        wrong += [(s, str(count)) for s, count in zip(release.statistics, counts, strict=True) if not s.holds(count)]
        for stated in release.own:
            values = [self.value(side.terms) for side in stated.sides]
            if not any(side.holds(value) for side, value in zip(stated.sides, values, strict=True)):
                wrong.append((stated, ", and ".join(map(str, values))))
        for figure in release.figures:
            measured = measured_of(self, figure, release)
            if not figure.holds(measured):
                wrong.append((figure, "no such records" if measured is None else number_text(measured)))
        found = [f"{row.label} is published as {row.range_text} but the data have {have}" for row, have in wrong]
        for i, (rule, count) in enumerate(zip(release.rules, self.counts(release.rules), strict=True)):
            if count:
                found.append(f"rule {i + 1} ({rule.text(release.domain)}) is broken by {count} of the records")
        return found


def measured_of(dataset: Dataset, figure: Figure, release: Release) -> Fraction | None:
    """A sum, mean, median or percentage, worked out from the records alone; None where there is nothing to take it of."""
    base = base_of(figure, release.statistics)
    if figure.measure is Measure.PERCENT:
        whole = dataset.count(base)
        return Fraction(100 * dataset.count(figure.predicate), whole) if whole else None
    at, column = dataset.domain.index[figure.of], dataset.domain.column(figure.of)
    matching = [(column.number_of(record[at]), n) for record, n in dataset.matching(figure.predicate)]
    total, count = sum((value * n for value, n in matching), Fraction(0)), sum(n for _, n in matching)
    if figure.measure is Measure.SUM:
        return total
    if not count:
        return None
    return total / count if figure.measure is Measure.MEAN else _median(sorted(matching), count)


def _median(ordered: list[tuple[Fraction, int]], count: int) -> Fraction:
    """The middle value, or the midpoint of the two middle ones; values with how often each occurs."""
    passed, middle = 0, []
    for value, n in ordered:
        before, passed = passed, passed + n
        middle += [value for place in ((count - 1) // 2, count // 2) if before <= place < passed]
    return sum(middle, Fraction(0)) / 2


def _checked(domain: Domain, records: Iterable[Record]) -> list[Record]:
    """The records, each with a known code in every column; all problems at once."""
    columns, width = domain.columns, len(domain.columns)
    made, problems = [], []
    for row, record in enumerate(records, start=1):
        if len(record) != width:
            problems.append(f"record {row} has {len(record)} values, expected {width}; give one per column")
            continue
        problems += [
            f"record {row}, column {column.name}: {column.unknown(code)}"
            for column, code in zip(columns, record, strict=True)
            if code not in column.index
        ]
        made.append(record)
    refuse(problems)
    return made
