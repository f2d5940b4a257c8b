"""The published numbers of a release, each on a switch of its own, and what can be asked of those that are on."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from foregone.engine.explain.kinds import MOST_SEEDS, Kinds
from foregone.engine.system.linear import LinearSystem
from foregone.model.measures import said_by
from foregone.model.predicate import Predicate
from foregone.model.release import Release
from foregone.model.statement import Either, Statement
from foregone.solvers.arrays import Bools


class Goal(NamedTuple):
    """So many records match, at least and at most, and their number is none of those `missing`."""

    predicate: Predicate
    low: int
    high: int | None
    missing: tuple[int, ...] = ()


class Failure(NamedTuple):
    """One way in which an answer can be wrong: so many records match predicate number `about`, from and to."""

    about: int | None = None  # None: any dataset is one
    least: int | None = None
    most: int | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """Does every goal hold? Without goals: is there no dataset at all?"""

    goals: tuple[Goal, ...] = ()

    @classmethod
    def about(cls, predicate: Predicate, low: int, high: int | None) -> Question:
        """Do between `low` and `high` records match?"""
        return cls((Goal(predicate, low, high),))

    @property
    def predicates(self) -> tuple[Predicate, ...]:
        return tuple(dict.fromkeys(goal.predicate for goal in self.goals))

    @property
    def failures(self) -> list[Failure]:
        """The ways in which it can fail; if none of them can be, the answer is yes."""
        if not self.goals:
            return [Failure()]
        places = {predicate: place for place, predicate in enumerate(self.predicates)}
        found = []
        for predicate, low, high, missing in self.goals:
            about = places[predicate]
            found += [] if high is None else [Failure(about, high + 1, None)]
            found += [Failure(about, None, low - 1)] if low > 0 else []
            found += [Failure(about, value, value) for value in missing]
        return found

    @property
    def extra(self) -> int:
        """How many records may matter to it that no statement asks for."""
        return sum((goal.low if goal.high is None else goal.high) + 1 for goal in self.goals)


@dataclass(frozen=True, slots=True)
class PublishedNumbers:
    """The published numbers of a release, the counts first.

    `release` says the same, but so that each number can be left out: what a mean says is put without the count that it is a
    mean of. `parts` are, for each number, the statements and either-ors that it makes there; `named`, what it is called in the
    original, numbered as in `Release.statements`: a mean or a median by the first thing it says. The last numbers are figures,
    those of the original that say something: `figures` are their places there.
    """

    release: Release
    parts: tuple[tuple[int, ...], ...]
    named: tuple[int, ...]
    figures: tuple[int, ...] = ()


def published_numbers(release: Release) -> PublishedNumbers:
    counts = release.statistics
    if not release.figures and not any(count.gaps for count in counts):
        numbers = tuple(range(len(release.statements)))
        return PublishedNumbers(release, tuple((i,) for i in numbers), numbers)
    first: dict[int, int] = {}  # of what was printed, the first statement that it makes
    for i, stated in enumerate(release.statements):
        first.setdefault(id(stated.printed), i)
    figures = tuple(f for f, figure in enumerate(release.figures) if id(figure) in first)
    told = [release.figures[f] for f in figures]
    further = [*release.own, *(either for count in counts for either in count.either_ors)]
    further += said_by(release.domain, [count.known(0, None) for count in counts], told)
    further.sort(key=lambda stated: isinstance(stated, Either))  # as a release numbers them
    printed = [*counts, *release.own, *told]
    parts: dict[int, list[int]] = {id(row): [] for row in printed}
    for i, row in enumerate([*counts, *(stated.printed for stated in further)]):
        parts[id(row)].append(i)
    plain = [replace(count, gaps=()) for count in counts]  # what the gaps say is among the either-ors
    apart = Release(release.domain, plain, release.rules, further)
    return PublishedNumbers(apart, tuple(map(tuple, parts.values())), tuple(first[id(row)] for row in printed), figures)


COMFORTABLE = 1 << 24  # limits above are left to the prover, for floating point goes astray among them

Statements = int
"""A set of published numbers, one bit each, as `published_numbers` numbers them: the counts first."""


def members(chosen: Statements) -> list[int]:
    """
    >>> members(0b1010)
    [1, 3]
    """
    return [i for i, bit in enumerate(reversed(f"{chosen:b}")) if bit == "1"]


def set_of(numbers: Iterable[int]) -> Statements:
    """
    >>> set_of([1, 3])
    10
    """
    made = 0
    for i in numbers:
        made |= 1 << i
    return made


class Switches:
    """Everything that can be known or not known by itself, each on a switch of its own, and what all questions about it share.

    `system` is the release, compiled: a good start, and no more than that. `weighed` are published numbers whose weights matter
    to `Subsets.light`, zeros among them, too.
    """

    def __init__(
        self, items: PublishedNumbers, system: LinearSystem | None = None, weighed: Collection[int] = (), seeds: int = MOST_SEEDS
    ) -> None:
        self.items, self.release, self.system, self.seeds = items, items.release, system, seeds
        self.everything: Statements = (1 << len(items.parts)) - 1
        self._weighed = {i for k in weighed for i in items.parts[k]}
        self._kinds = Kinds(self.release, (), self._weighed)
        release = self.release
        self.stated = [stated for stated in release.statements if isinstance(stated, Statement)]
        self.item_of = {i: k for k, item in enumerate(items.parts) for i in item}
        self.item_of_terms = [self.item_of[i] for i, stated in enumerate(release.statements) for _ in stated.sides]
        said = [side for stated in release.statements for side in stated.sides]  # as `Kinds.terms` has them
        rows = self._kinds.rows.tolist()
        self.low = np.array([-np.inf if said[i].low is None else float(said[i].low) for i in rows])
        self.high = np.array([np.inf if (high := said[i].high) is None else float(high) for i in rows])
        self.item_of_row = np.array([self.item_of_terms[i] for i in rows], dtype=np.int64)
        self.choice = np.array([i >= len(self.stated) for i in rows], dtype=bool)  # rows that are sides of either-ors
        self.one_sided = np.isinf(self.low) != np.isinf(self.high)
        gapped = [any(i >= len(release.statistics) or release.statistics[i].gaps for i in item) for item in items.parts]
        lows = [sum(release.low[i] for i in item if i < len(release.statistics)) for item in items.parts]
        self._records = np.array([np.inf if gaps else float(low) for gaps, low in zip(gapped, lows, strict=True)])
        self.largest = max((abs(n) for s in self.stated for n in (s.low, s.high) if n is not None), default=0)

    def kinds(self, predicates: Sequence[Predicate]) -> Kinds:
        """The kinds of record for a question about these predicates: those of all questions, unless one of them cuts an atom."""
        if not any(map(self._kinds.cut_by, predicates)):
            return self._kinds
        return Kinds(self.release, predicates, self._weighed)

    def on(self, kept: Statements) -> Bools:
        """For each published number, whether it is kept."""
        count = len(self.items.parts)
        octets = np.frombuffer(kept.to_bytes((count + 7) // 8, "little"), dtype=np.uint8)
        return np.unpackbits(octets, count=count, bitorder="little").astype(bool)

    def enough_records(self, on: Bools, extra: int) -> float:
        """What `part.enough_records` says about the numbers that are kept; infinite where it says nothing."""
        most = float(self._records[on].sum()) + extra
        return most if most <= COMFORTABLE else np.inf

    def statements(self, kept: Statements) -> list[int]:
        """All that some published numbers say."""
        return sorted(i for k in members(kept) for i in self.items.parts[k])

    def those_of(self, numbers: Iterable[int]) -> Statements:
        """The published numbers that some statements come from."""
        return set_of({self.item_of[i] for i in numbers})


def switches_of(release: Release, system: LinearSystem | None = None) -> Switches:
    """The published numbers of a release, each on a switch."""
    return Switches(published_numbers(release), system)
