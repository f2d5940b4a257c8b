"""Datasets far from those that are known, where tables are dense: an integer program over the few buckets that corners fill.

A program over thousands of buckets takes long. The corners of the relaxation fill a few hundred of them, and between them and the
datasets that are known there are nearly always others. To ask for much in a direction is no harder than to ask for a little, and
changes more: so a share of what the relaxation allows is asked for, less after it was too much. What comes out is only a
suggestion; the pool tabulates it again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cached_property
from typing import TypeVar

import numpy as np

from foregone.engine.bounds.knowledge import SystemKnowledge
from foregone.engine.system.witness import Witness
from foregone.engine.witnesses.fitting import fitted
from foregone.engine.witnesses.rounding import whole
from foregone.solvers.answer import Answer, Feasible, Undecided
from foregone.solvers.arrays import Bools, Floats, Ints
from foregone.solvers.deadline import TIME_OUT
from foregone.solvers.lp import Relaxation
from foregone.solvers.whole import point_among

Some = TypeVar("Some")

FEW = 1_000  # buckets of a program
MOST_BUCKETS = 20_000  # of a system whose corners in random directions are found in good time
CORNERS = 4  # in random directions, at least, before a first dataset is looked for between them
MOST_CORNERS = 20  # and at most: where corners are much alike, more of them fill enough buckets
LIKELY = (1_500, 2_000, 2_500)  # buckets in which records are likely, by turns, among which a first dataset is looked for
ROUNDS = 5  # of programs between corners, at most
LIKELY_ROUNDS = 15  # and of programs among likely buckets, of each size: each is another draw
DRAWN = 1_000_000  # buckets, drawn at random, of which it is worked out where records are likely
EFFORT = 2.0  # of CP-SAT, in its own measure, about as many seconds
FIRST_EFFORT = 6.0  # and for a first dataset, without which there is nothing to begin with
LIKELY_EFFORT = 10.0  # and for one among more buckets
SOME = 800  # likely buckets that a direction is about, and as many others, where corners of all buckets take long
RECENT = 6  # datasets, the last ones found, whose buckets are added to these
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
        self._share, self._left = SHARE, AIMLESS
        self._then = 0, 0  # datasets and lemmas that were known when the last direction was in vain
        self.ways: dict[bytes, tuple[int, ...]] = {}  # of sets of buckets: may the count grow (1), may it shrink (-1)?
        self._lemmas = 0  # that were known then

    def fits(self) -> bool:
        """Are corners in any direction found in good time?"""
        return self.known.system.buckets <= MOST_BUCKETS

    def first(self) -> Witness | None:
        """A first dataset: between corners in random directions, or among buckets in which records are likely, by turns."""
        tries = _by_turns(self._between_corners() if self.fits() else iter(()), self._where_likely())
        return next((found for found in tries if found is not None), None)

    def _between_corners(self) -> Iterator[Witness | None]:
        """Tries to find a dataset between corners in random directions. This is the quicker way where tables are not large.

        Where it is not found at once, more corners fill as many buckets as a program may have, and the next program begins with
        the whole numbers next to the last corner.
        """
        known, filled, near = self.known, list[Ints](), None
        for attempt in range(ROUNDS):
            for corner in range(MOST_CORNERS):
                if corner >= CORNERS and (not attempt or len(self._together(filled)) >= FEW):
                    break
                answer = known.ask(self.rng.integers(0, FEW, known.system.buckets))
                if not isinstance(answer, Feasible):
                    return
                found = known.take(answer)
                if found is not None:
                    yield found
                filled.insert(0, answer.buckets)
                near = answer if attempt else None
            yield known.take(self._point(self._together(filled), None, FIRST_EFFORT, near))

    def _where_likely(self) -> Iterator[Witness | None]:
        """Tries to find a dataset among some buckets in which records are likely: this is what leads to one in large tables.

        The program begins with the whole numbers next to a corner of the relaxation of these buckets alone. Where the first of
        these relaxations have no point, perhaps nothing fits at all, and the relaxation of all buckets tells.
        """
        known, hopeful = self.known, False
        sizes = [number for number in LIKELY if number < known.system.buckets]  # all would be the same program each time
        for attempt, number in enumerate(sizes * LIKELY_ROUNDS):
            if known.deadline.passed():
                return
            if attempt and number == sizes[0] and known.system.buckets > DRAWN:
                del self._weights  # among others there may be one
            chosen = _largest(self._drawn(), number)
            answer = self._corner_among(chosen, self.rng.random(known.system.buckets))
            hopeful |= isinstance(answer, Feasible)
            if not hopeful and number == sizes[-1]:
                return
            if isinstance(answer, Feasible) and not whole(answer):
                answer = self._point(chosen, None, LIKELY_EFFORT, answer)
            yield known.take(answer)

    def _corner_among(self, chosen: Ints, objective: Floats) -> Answer:
        """A corner of the relaxation of these buckets alone."""
        part = self.known.system.part(self.known.system.count_in(chosen) > 0)
        answer = Relaxation(part).maximise(objective[chosen], deadline=self.known.deadline)
        return replace(answer, buckets=chosen[answer.buckets]) if isinstance(answer, Feasible) else answer

    def _drawn(self) -> Floats:
        """For each bucket a number at random, larger where records are likely; 0 where none is possible."""
        return self._weights * self.rng.exponential(size=self.known.system.buckets) * ~self.known.empty

    @cached_property
    def _weights(self) -> Floats:
        """How likely a record is in each bucket; of very many buckets only some, drawn at random, have any."""
        system, possible = self.known.system, ~self.known.empty
        if int(possible.sum()) <= DRAWN:
            return fitted(system, possible)
        weights = np.zeros(system.buckets)
        drawn = np.sort(self.rng.choice(np.flatnonzero(possible), DRAWN, replace=False))
        weights[drawn] = fitted(system.part(system.count_in(drawn) > 0), np.ones(DRAWN, dtype=bool))
        return weights

    def willing(self) -> bool:
        """Were directions of use of late, or has something else been found since?"""
        if self._left == 0 and self._then != (len(self.known.pool), len(self.known.lemmas)):
            self._left = AIMLESS // 2
        return self._left > 0

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
        best, answer, buckets = max(known.pool.counts(objective)), *self._towards(objective)
        if isinstance(answer, Feasible) and answer.value > best + 1 - ALMOST:
            least = max(best + 1, int(best + self._share * (answer.value - best)))
            found = known.take(self._point(buckets, (objective, least)))
            self._share = self._share / 2 if found is None else min(LARGEST_SHARE, self._share + STEP)
        self._left = AIMLESS if found is not None else max(0, self._left - 1)
        self._then = len(known.pool), len(known.lemmas)
        return found

    def _towards(self, objective: Ints) -> tuple[Answer, Ints]:
        """A corner in some direction, and buckets among which a dataset is looked for there.

        Where a corner of all buckets takes long, it is one of some likely buckets, and a dataset is looked for among these.
        """
        if self.fits():
            answer = self.known.ask(objective)
            return answer, self._around(answer)
        known, drawn, chosen = self.known, self._drawn(), np.zeros(len(objective), dtype=bool)
        for witness in known.pool.witnesses[-RECENT:]:
            chosen[witness.buckets] = True
        for likely in drawn * (objective > 0), drawn:
            chosen[_largest(likely, SOME)] = True
        buckets = np.flatnonzero(chosen & ~known.empty)
        return self._corner_among(buckets, objective.astype(float)), buckets

    def beyond(self, objective: Ints, target: int, answer: Answer) -> Witness | None:
        """A dataset with an objective above the target, around the corner where it is largest."""
        if not isinstance(answer, Feasible):
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

    def _point(
        self, buckets: Ints, extra: tuple[Ints, int] | None, effort: float = EFFORT, near: Feasible | None = None
    ) -> Answer:
        if self.known.deadline.passed():
            return Undecided(TIME_OUT)
        wanted = None if extra is None else (extra[0].astype(float), float(extra[1]))
        return point_among(self.known.system, buckets, wanted, self.known.deadline, effort, near)

    def _around(self, answer: Answer) -> Ints:
        """The buckets of a corner, and those of datasets and corners found of late."""
        corner = [answer.buckets] if isinstance(answer, Feasible) else []
        recent = (witness.buckets for witness in reversed(self.known.pool.witnesses))
        return self._together([*corner, *_by_turns(recent, self.known.corners())])

    def _together(self, filled: Iterable[Ints]) -> Ints:
        """All these buckets but those that are known to be empty, as long as they are few."""
        chosen: Bools = np.zeros(self.known.system.buckets, dtype=bool)
        for buckets in filled:
            if int(chosen.sum()) >= FEW:
                break
            chosen[buckets] = True
        return np.flatnonzero(chosen & ~self.known.empty)


def _largest(numbers: Floats, most: int) -> Ints:
    """Where the largest of some numbers stand, those above 0, and so many at most, in ascending order."""
    places = np.flatnonzero(numbers > 0)
    if len(places) > most:
        places = places[np.argpartition(-numbers[places], most)[:most]]
    return np.sort(places)


def _by_turns(one: Iterator[Some], other: Iterator[Some]) -> Iterator[Some]:
    for pair in zip(one, other, strict=False):
        yield from pair
    yield from one
    yield from other
