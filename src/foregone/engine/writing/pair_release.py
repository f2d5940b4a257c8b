"""Two datasets that fit a release as one dataset of another release: what is proved about that one limits how far apart two can be.

A column is added that tells where a record stands: in the first dataset, in the second, or in what they share. Of some kinds of
record the shared ones are counted; of all others it is enough that two datasets share 0 or more. The checker makes
the same rows, in the same order, on a page of its own (checker/encode/pairs.py), which says why they hold.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from foregone.model.dataset import Dataset, Record
from foregone.model.domain import Column, Domain
from foregone.model.predicate import Predicate
from foregone.model.release import Release
from foregone.model.statement import Either, Statement, Statistic, Terms

COLUMN = "DATASET"  # with lines below it where the release has such a column already
FIRST, SECOND = "first", "second"


@dataclass(frozen=True, slots=True)
class KindRange:
    """Every dataset that fits has at least `low` and at most `high` records of a kind."""

    record: Record
    low: int
    high: int

    @property
    def wide(self) -> bool:
        """Where two numbers of records can differ by more than one, it matters which dataset has more."""
        return self.high > self.low + 1


@dataclass(frozen=True, slots=True)
class PairRelease:
    """The release about two datasets, the name of its new column, and the kinds whose shared records it counts."""

    release: Release
    column: str
    kinds: tuple[KindRange, ...]

    @property
    def twice(self) -> Terms:
        """Twice the distance: the records of both datasets, less those that they share, which were counted twice."""
        return (*((1, self.inside(side)) for side in (FIRST, SECOND)), *((-2, both) for both in self.shared))

    @property
    def shared(self) -> list[Predicate]:
        return [self.inside(_both(number)) for number in range(len(self.kinds))]

    def inside(self, mark: str) -> Predicate:
        return Predicate.of({self.column: mark})

    def joined(self, first: Dataset, second: Dataset) -> Dataset:
        """Two datasets as one of this release."""
        one, two = first.histogram(), second.histogram()
        made = Counter({(*record, FIRST): n for record, n in one.items()})
        made.update({(*record, SECOND): n for record, n in two.items()})
        nobody = tuple(column.codes[0] for column in first.domain.columns)
        for number, kind in enumerate(self.kinds):
            here, there = one[kind.record], two[kind.record]
            made[*nobody, _both(number)] = min(here, there)
            if kind.wide:
                made[*nobody, _more(number)] = int(here >= there)
        return Dataset.of_kinds(self.release.domain, made)


def pair_release(release: Release, kinds: Iterable[KindRange]) -> PairRelease:
    """What two datasets that fit, taken together, fit."""
    listed = tuple(kinds)
    domain = release.domain
    name = COLUMN
    while name in domain.names:
        name += "_"
    marks = [mark for number, kind in enumerate(listed) for mark in [_both(number), *([_more(number)] if kind.wide else [])]]
    whole = Domain((*domain.columns, Column(name, (FIRST, SECOND, *marks))), domain.record)
    made = PairRelease(release, name, listed)
    sides = [made.inside(side) for side in (FIRST, SECOND)]
    statistics = [Statistic(_meet(s.predicate, side), s.low, s.high) for side in sides for s in release.statistics]
    sums = [_on(s, side) for side in sides for s in release.workload.sums]
    choices = [Either(_on(e.left, side), _on(e.right, side)) for side in sides for e in release.workload.alternatives]
    rules = [_meet(rule, Predicate.of({name: [FIRST, SECOND]})) for rule in release.rules]
    # a mark counts something and stands for no record: it has the first code of every column
    rules += [Predicate.of({c.name: c.codes[1:], name: marks}) for c in domain.columns if marks and len(c.codes) > 1]
    for number, kind in enumerate(listed):
        sums += _about(made, domain.names, number, kind)
    return PairRelease(Release(whole, statistics, rules, sums, choices), name, listed)


def _about(pair: PairRelease, names: Sequence[str], number: int, kind: KindRange) -> list[Statement]:
    """x and y are the records of the kind in the two datasets, m those that they share, a is 1 where x is y or more."""
    record = Predicate.of(dict(zip(names, kind.record, strict=True)))
    x, y = (_meet(record, pair.inside(side)) for side in (FIRST, SECOND))
    m, low, high = pair.inside(_both(number)), kind.low, kind.high
    made = [Statement(((1, part),), low, high) for part in (x, y, m)]
    made.append(Statement(((1, x), (1, y), (-1, m)), None, high))
    if kind.wide:
        a, width = pair.inside(_more(number)), high - low
        made.append(Statement(((1, a),), None, 1))
        made.append(Statement(((1, y), (-1, m), (width, a)), None, width))
        made.append(Statement(((1, x), (-1, m), (-width, a)), None, 0))
    return made


def _both(number: int) -> str:
    return f"both {number + 1}"


def _more(number: int) -> str:
    return f"more {number + 1}"


def _meet(predicate: Predicate, other: Predicate) -> Predicate:
    """Both conditions; they are about different columns."""
    return Predicate(tuple(sorted((*predicate.allowed, *other.allowed))))


def _on(stated: Statement, side: Predicate) -> Statement:
    """A statement made about one of the two datasets."""
    return Statement(tuple((weight, _meet(predicate, side)) for weight, predicate in stated.terms), stated.low, stated.high)
