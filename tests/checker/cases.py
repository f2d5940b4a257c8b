"""Small random releases with everything that brute force knows about them, and genuine proofs to start from."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations, product
from typing import Any

from foregone import Dataset, Domain, ForegoneError, Predicate, Release, Statistic, audit
from foregone.checker import PlainRelease as Rows
from foregone.checker import release_of
from foregone.engine import proofs
from foregone.model.dataset import measured_of
from foregone.model.figure import Figure, Measure
from foregone.model.statement import Statement
from foregone.questions.check import plain
from tests import oracle

Json = dict[str, Any]
Record = tuple[str, ...]
Where = dict[str, Any]

WORLDS = 6  # of each kind, about each release


@dataclass
class Case:
    """A release, all datasets that fit it, and genuine proofs about it."""

    release: Release
    rows: Rows
    datasets: list[tuple[Record, ...]]
    document: Json
    worlds: list[tuple[Where, Json]] = field(default_factory=list)  # one more rule, and proofs in the world that has it
    numbers: list[tuple[int, int, Json]] = field(default_factory=list)  # a statistic, another value, and proofs in that world
    sides: list[tuple[int, bool, int, Json]] = field(default_factory=list)  # an either-or, one side, its row, proofs where it holds
    unruled: list[tuple[Record, ...]] = field(default_factory=list)  # datasets that only break a rule or an either-or
    _counts: dict[str, set[int]] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        return self.release.domain.names

    def count(self, where: Where, records: tuple[Record, ...]) -> int:
        allowed = [(self.names.index(name), [codes] if isinstance(codes, str) else codes) for name, codes in where.items()]
        return sum(all(record[c] in codes for c, codes in allowed) for record in records)

    def counts(self, where: Where) -> set[int]:
        """How many records can match."""
        key = repr(sorted(where.items()))
        if key not in self._counts:
            self._counts[key] = {self.count(where, records) for records in self.datasets}
        return self._counts[key]

    def certain(self) -> list[tuple[Where, int]]:
        """Every conjunction of single values with the same count, at least 1, in all datasets."""
        found = []
        for size in range(1, len(self.names) + 1):
            for chosen in combinations(self.release.domain.columns, size):
                for codes in product(*(column.codes for column in chosen)):
                    where = {column.name: code for column, code in zip(chosen, codes, strict=True)}
                    if self.datasets and len(self.counts(where)) == 1 and self.counts(where) != {0}:
                        found.append((where, min(self.counts(where))))
        return found


def random_release(rng: random.Random) -> tuple[Release, Dataset]:
    """Two or three small columns, a hidden truth, some tables, some counts blurred, some rules; now and then odd cycles."""
    if rng.random() < 0.15:
        return odd_cycles(rng.choice([1, 2, 2]))
    if rng.random() < 0.35:
        return with_figures(rng) if rng.random() < 0.6 else two_people(rng)
    widths = rng.choice([(2, 2), (2, 3), (3, 3), (2, 2, 2), (2, 2, 3)])
    domain = Domain.of({name: [f"{name.lower()}{i}" for i in range(width)] for name, width in zip("ABC", widths, strict=False)})
    everything = list(product(*(column.codes for column in domain.columns)))
    truth = Dataset.of(domain, rng.choices(everything, k=rng.randint(1, 4)))
    chosen = [Predicate()]
    for _ in range(rng.randint(1, 3)):
        names = rng.sample(domain.names, rng.randint(1, 2))
        cells = product(*(domain.column(name).codes for name in names))
        chosen += [Predicate.of(dict(zip(names, codes, strict=True))) for codes in cells]
    for _ in range(rng.randint(0, 3)):
        chosen.append(Predicate.of(random_where(rng, domain)))
    statistics = []
    for number, predicate in enumerate(chosen):
        count = truth.count(predicate)
        blur = rng.random() < (0.1 if number == 0 else 0.25)
        low, high = max(0, count - blur * rng.randint(0, 2)), count + blur * rng.randint(0, 2)
        statistics.append(Statistic(predicate, min(low, len(truth)), min(high, 4) if number == 0 else high))
    rules = [Predicate.of(where) for _ in range(rng.randint(0, 2)) if (where := random_where(rng, domain))]
    ruled = [rule for rule in rules if truth.count(rule) == 0]
    sums = [random_sum(rng, truth) for _ in range(rng.choice([0, 0, 1, 2]))]
    return Release(domain, statistics, ruled, sums), truth


def with_figures(rng: random.Random) -> tuple[Release, Dataset]:
    """A few people with a sex and an age, of whom some counts, means, medians, sums and percentages are published."""
    domain = Domain.of({"SEX": ["F", "M"], "AGE": rng.choice([["1", "2", "4"], ["1", "2", "3", "4"], ["1", "5", "6", "9"]])})
    everything = list(product(*(column.codes for column in domain.columns)))
    truth = Dataset.of(domain, rng.choices(everything, k=rng.choice([2, 2, 3, 4])))
    chosen = [Predicate(), Predicate.of({"SEX": "F"}), *(Predicate.of(random_where(rng, domain)) for _ in range(rng.randint(0, 2)))]
    statistics = [Statistic.exact(predicate, truth.count(predicate), f"s{k}") for k, predicate in enumerate(chosen)]
    if rng.random() < 0.3:
        statistics[1] = Statistic(chosen[1], 0, None, "s1", withheld=True)
    figures = []
    for measure in [Measure.MEDIAN, *rng.choices(list(Measure), k=rng.randint(0, 2))]:
        of = rng.choice(["", "s1"]) if measure is Measure.PERCENT else "AGE"
        predicate = rng.choice([Predicate(), Predicate.of({"SEX": "F"}), Predicate.of(random_where(rng, domain))])
        asked = Figure(measure, of, predicate, None, None, withheld=True)
        value = measured_of(truth, asked, Release(domain, statistics))
        if value is not None:
            slack = rng.choice([Fraction(0), Fraction(0), Fraction(1, 2)])
            figures.append(Figure(measure, of, predicate, value - slack, value + slack))
    return Release(domain, statistics, figures=figures), truth


def two_people(rng: random.Random) -> tuple[Release, Dataset]:
    """Two people and their median age: either both are near it, or one is far below and the other far above."""
    ages = [str(age) for age in range(1, rng.choice([5, 7]))]
    domain = Domain.of({"AGE": ages, "SEX": ["F", "M"]})
    young = rng.choice(ages[: len(ages) // 2])
    truth = Dataset.of(domain, [(young, "F"), (str(len(ages) + 1 - int(young)), "F")])
    numbers = [Statistic.exact(Predicate(), 2, "all"), Statistic.exact(Predicate.of({"SEX": "M"}), 0, "men")]
    middle = Fraction(len(ages) + 1, 2)
    return Release(domain, numbers, figures=[Figure.exact(Measure.MEDIAN, "AGE", Predicate(), middle)]), truth


def odd_cycles(triples: int) -> tuple[Release, Dataset]:
    """Of three values any two have at most one record between them: whole numbers decide, and only a search shows it."""
    values = [f"{t}{v}" for t in range(triples) for v in "abc"]
    domain = Domain.of({"V": [*values, "rest"], "W": ["0", "1"]})
    pairs = [(f"{t}{v}", f"{t}{w}") for t in range(triples) for v, w in ("ab", "bc", "ac")]
    statistics = [Statistic(Predicate.of({"V": pair}), 0, 1) for pair in pairs]
    statistics += [Statistic(Predicate.of({"V": "rest"}), 0, 1), Statistic.exact(Predicate(), triples + 1)]
    truth = Dataset.of(domain, [*((f"{t}a", "0") for t in range(triples)), ("rest", "0")])
    return Release(domain, statistics, [Predicate.of({"W": "1"})]), truth


def random_sum(rng: random.Random, truth: Dataset) -> Statement:
    """A weighted sum of counts with limits around its true value; either end may be open."""
    weights = rng.choices([-2, -1, 1, 2, 3], k=rng.randint(1, 3))
    terms = tuple((weight, Predicate.of(random_where(rng, truth.domain))) for weight in weights)
    value = truth.value(terms)
    low, high = (rng.choice([None, value, value + sign * rng.randint(0, 2)]) for sign in (-1, 1))
    return Statement(terms, low, high)


def with_parts(release: Release, statistics: Any = None, rules: Any = None) -> Release:
    """A release with other statistics or rules."""
    return release.changed(statistics=statistics, rules=rules)


def fitting(release: Release) -> list[tuple[Record, ...]]:
    """Every dataset that fits, by brute force."""
    return [records for records in oracle.consistent_datasets(release, 6) if oracle.fits(records, release)]


def random_where(rng: random.Random, domain: Domain, single: bool = False) -> Where:
    columns = rng.sample(domain.columns, rng.randint(1, len(domain.columns)))
    return {c.name: [rng.choice(c.codes)] if single else rng.sample(c.codes, rng.randint(1, len(c.codes))) for c in columns}


def make_case(rng: random.Random) -> Case | None:
    release, _ = random_release(rng)
    document = proofs_or_none(release, complete=True)
    if document is None:
        return None
    if rng.random() < 0.1:  # numbers changed after the proofs were written: often nothing fits any more
        k = rng.randrange(len(release.statistics))
        changed = Statistic.exact(release.statistics[k].predicate, rng.randint(0, 4))
        try:
            release = with_parts(release, (*release.statistics[:k], changed, *release.statistics[k + 1 :]))
        except ForegoneError:
            return None
    case = Case(release, release_of(plain(release)), fitting(release), document)
    if release.rules or release.workload.alternatives:
        freer = Release(release.domain, release.statistics, (), release.workload.sums)
        case.unruled = sorted(set(fitting(freer)) - set(case.datasets))[:20]
    for _ in range(WORLDS):
        case.worlds += other_world(rng, case)
        case.numbers += other_number(rng, case)
        case.sides += one_side(rng, case)
    return case


def other_world(rng: random.Random, case: Case) -> Iterator[tuple[Where, Json]]:
    """A world with one more rule, which some but not all datasets that fit obey."""
    where = random_where(rng, case.release.domain)
    where = {n: codes for n, codes in where.items() if len(codes) < len(case.release.domain.column(n).codes)}
    if where and case.counts(where) not in ({0}, set()):
        other = proofs_or_none(with_parts(case.release, rules=(*case.release.rules, Predicate.of(where))))
        if other is not None:
            yield where, other


def other_number(rng: random.Random, case: Case) -> Iterator[tuple[int, int, Json]]:
    """A world in which a statistic has one value, which it may or may not have in this one."""
    k = rng.randrange(len(case.release.statistics))
    predicate = case.release.statistics[k].predicate
    seen = sorted(case.counts(where_of(predicate))) or [1]
    value = rng.choice([*seen, *seen, max(0, seen[0] - 1), seen[-1] + 1])
    numbers = (*case.release.statistics[:k], Statistic(predicate, value, value), *case.release.statistics[k + 1 :])
    try:
        other = proofs_or_none(with_parts(case.release, numbers))
    except ForegoneError:
        return
    if other is not None:
        yield k, value, other


def one_side(rng: random.Random, case: Case) -> Iterator[tuple[int, bool, int, Json]]:
    """A world in which one side of an either-or holds for certain: it is one more weighted sum, before those of figures.

    Worlds in which more is certain than here are what a forger is after.
    """
    if case.release.workload.alternatives:
        k = rng.randrange(len(case.release.workload.alternatives))
        right = rng.random() < 0.5
        side = case.release.workload.alternatives[k].sides[right]
        release = case.release
        sums = [stated for stated in release.own if isinstance(stated, Statement)]
        row = 2 * (len(release.statistics) + len(sums)) + (side.high is None)
        try:
            other = Release(release.domain, release.statistics, release.rules, (*release.own, side), (), release.figures)
        except ForegoneError:
            return
        document = proofs_or_none(other)
        if document is not None and any(case.counts(fact["claim"]) != {fact["count"]} for fact in document["facts"]):
            yield k, right, row, document


def proofs_or_none(release: Release, complete: bool = False) -> Json | None:
    try:
        return proofs(audit(release), complete)
    except ForegoneError:
        return None


def where_of(predicate: Predicate) -> Where:
    return {name: sorted(codes) for name, codes in predicate.allowed}
