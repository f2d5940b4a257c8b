"""Datasets far from those that are known, where tables are dense: an integer program over the few buckets that corners fill.

A program over thousands of buckets takes long. The corners of the relaxation fill a few hundred of them, and between them and the
datasets that are known there are nearly always others. To ask for much in a direction is no harder than to ask for a little, and
changes more: so a share of what the relaxation allows is asked for, less after it was too much. What comes out is only a
suggestion; the pool tabulates it again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from foregone.engine.bounds.knowledge import SystemKnowledge
from foregone.engine.system.witness import Witness
from foregone.solvers.answer import Answer, Feasible, Undecided
from foregone.solvers.arrays import Bools, Ints
from foregone.solvers.deadline import TIME_OUT
from foregone.solvers.whole import point_among

FEW = 1_000  # buckets of a program
MOST_BUCKETS = 20_000  # of a system whose corners in random directions are found in good time
CORNERS = 4  # in random directions, before a first dataset is looked for between them
ROUNDS = 3  # of so many corners each
EFFORT = 2.0  # of CP-SAT, in its own measure, about as many seconds
FIRST_EFFORT = 6.0  # and for a first dataset, without which there is nothing to begin with
SHARE = 0.6  # of the way to what the relaxation allows that is asked for at first
LARGEST_SHARE = 0.9
STEP = 0.1  # by which the share grows after it was reached
AIMLESS = 8  # directions in vain, one after another, after which no more are tried
AGAIN = 3  # corners tried for one question, after the first was in vain
SURELY = 1_000_000  # weight of what is asked for, beside random weights
ALMOST = 1e-6


class Reaching:
    """How far datasets in some direction are asked for, and whether that is still of use."""

    def __init__(self, known: SystemKnowledge, rng: np.random.Generator) -> None:
        self.known, self.rng = known, rng
        self.programs = 0  # integer programs that were asked
        self._share, self._left = SHARE, AIMLESS
        self._then = 0, 0  # datasets and lemmas that were known when the last direction was in vain
        self.ways: dict[bytes, tuple[int, ...]] = {}  # of sets of buckets: may the count grow (1), may it shrink (-1)?
        self._lemmas = 0  # that were known then

    def fits(self) -> bool:
        """Is the relaxation quick enough, and are records counted one by one?"""
        system = self.known.system
        return system.buckets <= MOST_BUCKETS and not len(system.clauses) and system.largest is not None

    def first(self) -> Witness | None:
        """A first dataset, between corners in random directions."""
        known, filled = self.known, list[Ints]()
        for _ in range(ROUNDS):
            for _ in range(CORNERS):
                answer = known.ask(self.rng.integers(0, FEW, known.system.buckets))
                if not isinstance(answer, Feasible):
                    return None
                found = known.take(answer)
                if found is not None:
                    return found
                filled.append(answer.buckets)
            found = known.take(self._point(self._together(filled), None, FIRST_EFFORT))
            if found is not None:
                return found
        return None

    def willing(self) -> bool:
        """Were directions of use of late, or has something else been found since?"""
        if self._left == 0 and self._then != (len(self.known.pool), len(self.known.lemmas)):
            self._left = AIMLESS // 2
        return self.fits() and self._left > 0

    @property
    def in_vain(self) -> int:
        """Directions that were of no use, one after another."""
        return AIMLESS - self._left

    def forget(self) -> None:
        """Which ways are open is asked again once more is known."""
        if len(self.known.lemmas) > self._lemmas:
            self.ways.clear()
        self._lemmas = len(self.known.lemmas)

    def far(self, objective: Ints) -> Witness | None:
        """A dataset with a much larger objective than all that are known."""
        known, found = self.known, None
        best, answer = max(known.pool.counts(objective)), known.ask(objective)
        if isinstance(answer, Feasible) and answer.value > best + 1 - ALMOST:
            least = max(best + 1, int(best + self._share * (answer.value - best)))
            found = known.take(self._point(self._around(answer), (objective, least)))
            self._share = self._share / 2 if found is None else min(LARGEST_SHARE, self._share + STEP)
        self._left = AIMLESS if found is not None else max(0, self._left - 1)
        self._then = len(known.pool), len(known.lemmas)
        return found

    def beyond(self, objective: Ints, target: int, answer: Answer) -> Witness | None:
        """A dataset with an objective above the target, around the corner where it is largest."""
        if not isinstance(answer, Feasible) or not self.fits():
            return None
        return self.known.take(self._point(self._around(answer), (objective, target + 1)))

    def again(self, objective: Ints, target: int) -> Witness | None:
        """A dataset above the target around other corners: what takes long between some buckets often does not between others."""
        for _ in range(AGAIN if self.fits() else 0):
            answer = self.known.ask(objective * SURELY + self.rng.integers(0, FEW, len(objective)))
            found = self.beyond(objective, target, answer)
            if found is not None:
                return found
        return None

    def _point(self, buckets: Ints, extra: tuple[Ints, int] | None, effort: float = EFFORT) -> Answer:
        if self.known.deadline.passed():
            return Undecided(TIME_OUT)
        self.programs += 1
        wanted = None if extra is None else (extra[0].astype(float), float(extra[1]))
        return point_among(self.known.system, buckets, wanted, self.known.deadline, effort)

    def _around(self, answer: Feasible) -> Ints:
        """The buckets of a corner, and those of datasets and corners found of late."""
        recent = (witness.buckets for witness in reversed(self.known.pool.witnesses))
        return self._together([answer.buckets, *_by_turns(recent, self.known.corners())])

    def _together(self, filled: Iterable[Ints]) -> Ints:
        """All these buckets but those that are known to be empty, as long as they are few."""
        chosen: Bools = np.zeros(self.known.system.buckets, dtype=bool)
        for buckets in filled:
            if int(chosen.sum()) >= FEW:
                break
            chosen[buckets] = True
        return np.flatnonzero(chosen & ~self.known.empty)


def _by_turns(one: Iterator[Ints], other: Iterator[Ints]) -> Iterator[Ints]:
    for pair in zip(one, other, strict=False):
        yield from pair
    yield from one
    yield from other
