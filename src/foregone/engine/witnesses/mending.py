"""Datasets by changing records a value at a time: a first one where ranges leave room, and others far apart from it.

Rounded and starred tables say of most numbers only a range. So much fits that no solver is needed: records are put in, dropped or
given another value wherever that mends most of what is still amiss. From a dataset that fits, the same changes lead to others, as
long as every number stays in its range. What comes out is only a suggestion; the pool tabulates it again.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from foregone.engine.system.witness import Witness
from foregone.engine.witnesses.moves import Mover
from foregone.solvers.answer import NO_LIMIT
from foregone.solvers.arrays import Bools, Floats, Ints
from foregone.solvers.deadline import Deadline

MOST_PLACES = 1 << 22  # records times changes times rows of each, looked at in one step
OFFERED = 400  # records to put in that are looked at in one step
COMPARED = 1000  # buckets in which a record is wanted that are compared with the records there are
RESTS = 8  # steps, at most, during which a record that was changed is left alone
PRESSED = 1.0  # weight that a row beyond its limits gains where no change helps
FADING = 0.9  # share of it that is kept then
RESTLESS = 0.5  # how often a change is made there all the same
SLIGHT = 1e-9
HOPELESS = 5  # a search is given up when, after a quarter of its steps, one record in so many was never mended
ROUNDS = 4  # of changes, one of each record at most, from one dataset to the next
VACANT = -1  # the bucket of a place where there is no record


@dataclass(frozen=True, slots=True)
class Wanted:
    """How many records are to lie in some buckets, beside what is published."""

    buckets: Bools
    least: int = -NO_LIMIT
    most: int = NO_LIMIT


class Mending:
    """A dataset that is being changed: a bucket for each place, how many records each row has, and what every change would do.

    A row that is beyond its limits counts by its weight for each record. Wherever no change helps, such rows gain weight, so that
    the search leaves the spot.
    """

    def __init__(self, mover: Mover, places: int, rng: np.random.Generator, wanted: Wanted | None = None) -> None:
        self.system, self.mover, self.rng = mover.system, mover, rng
        system, self.wanted = self.system, wanted
        # two more rows: that of the records that are wanted, and one of nothing, which fills up tables
        least, most = (-NO_LIMIT, NO_LIMIT) if wanted is None else (wanted.least, wanted.most)
        self.low, self.high = np.append(system.low, [least, 0]), np.append(system.high, [most, 0])
        self.none = system.rows + 1
        self.weight = np.append(np.ones(self.none), 0.0)
        self.sums = np.zeros(self.none + 1, dtype=np.int64)
        self.at = np.full(places, VACANT, dtype=np.int64)
        depth, width = int(np.diff(system.starts).max(initial=0)) + 1, mover.changes_of_each
        self.options = np.full((places, width + 1), VACANT, dtype=np.int64)  # where each record may go, VACANT: away
        self.open = np.zeros((places, width + 1), dtype=bool)  # which of these there are
        # rows of each option; those that the record is in already, in the second half of the values
        self.rows = np.full((places, width + 1, depth), self.none, dtype=np.int32)
        self.own = np.full((places, depth), self.none, dtype=np.int32)

    @staticmethod
    def fits(mover: Mover, places: int) -> bool:
        """Is a dataset of so many records small enough?"""
        system = mover.system
        depth = int(np.diff(system.starts).max(initial=0)) + 1
        return system.weights is None and 0 < places * (mover.changes_of_each + 1) * depth <= MOST_PLACES

    def begin(self, witness: Witness) -> None:
        """Take over a dataset."""
        buckets = witness.spread()
        for place, bucket in enumerate(np.append(buckets, np.full(len(self.at) - len(buckets), VACANT)).tolist()):
            self.put(place, bucket)

    def approach(self) -> None:
        """Where more records are wanted in some buckets: move one there from outside, the nearest, however that fits."""
        if self.wanted is None or self.sums[self.system.rows] >= self.wanted.least:
            return
        mover, buckets = self.mover, np.flatnonzero(self.wanted.buckets)
        places = np.flatnonzero((self.at != VACANT) & ~self.wanted.buckets[self.at])
        some = buckets if len(buckets) <= COMPARED else self.rng.choice(buckets, COMPARED, replace=False)
        if not len(places) or not len(some):
            return
        there, here = mover.parts[mover.first_record[some]], mover.parts[mover.first_record[self.at[places]]]
        apart = (there[:, None] != here[None, :]).sum(axis=2)
        nearest = np.argwhere(apart == apart.min())
        bucket, place = nearest[self.rng.integers(len(nearest))].tolist()
        self.put(int(places[place]), int(some[bucket]))

    def copy(self) -> Mending:
        """Another one that is just like this."""
        made = copy(self)
        for name in ("sums", "at", "options", "open", "rows", "own"):
            setattr(made, name, getattr(self, name).copy())
        return made

    @property
    def witness(self) -> Witness:
        return Witness.of_records(self.at[self.at != VACANT])

    @property
    def amiss(self) -> int:
        """By how much all rows together are beyond their limits."""
        return int((np.maximum(self.low - self.sums, 0) + np.maximum(self.sums - self.high, 0)).sum())

    def put(self, place: int, bucket: int) -> None:
        """Another record, or none, at a place."""
        if self.at[place] != VACANT:
            self.sums[self.own[place]] -= 1
        self.at[place] = bucket
        self.own[place] = self._rows_of(np.array([bucket]))[0]
        self.sums[self.own[place]] += 1
        self.sums[-1] = 0
        if bucket == VACANT:
            self.open[place] = False
        else:
            self._look_around(place)

    def _look_around(self, place: int) -> None:
        found = self.mover.one_changed(int(self.at[place]))
        self.open[place] = False
        self.options[place, : len(found)], self.open[place, : len(found)] = found, True
        self.options[place, -1], self.open[place, -1] = VACANT, True
        self._list_rows(place, self.options[place])

    def offer(self) -> None:
        """At a vacant place, some records that could be put in."""
        vacant = np.flatnonzero(self.at == VACANT)
        if not len(vacant):
            return
        place = int(vacant[0])
        count = min(OFFERED, self.options.shape[1])
        self.options[place, :count] = self.rng.integers(0, self.system.buckets, count)
        self.open[place, :count] = True
        self._list_rows(place, self.options[place])

    def _list_rows(self, place: int, options: Ints) -> None:
        rows = self._rows_of(options)
        mine = np.zeros(self.none + 1, dtype=bool)
        mine[self.own[place]] = True
        mine[-1] = False
        self.rows[place] = rows + np.where(mine[rows], self.none + 1, 0)

    def _rows_of(self, buckets: Ints) -> NDArray[np.int32]:
        """The rows of each bucket, filled up with the row of nothing."""
        system, depth = self.system, self.own.shape[1]
        begin, size = system.starts[buckets], system.starts[buckets + 1] - system.starts[buckets]
        size = np.where(buckets == VACANT, 0, size)
        step = np.arange(depth)
        inside = step < size[:, None]
        found = np.full(inside.shape, self.none, dtype=np.int32)
        found[inside] = system.members[(begin[:, None] + step)[inside]]
        if self.wanted is not None:
            found[self.wanted.buckets[buckets] & (buckets != VACANT), -1] = system.rows
        return found

    def worth(self) -> Floats:
        """For each place and option, by how much more would be amiss after it, by weight; without end where there is no option."""
        over, under = self.sums - self.high, self.low - self.sums
        more = self.weight * ((over >= 0).astype(float) - (under > 0))
        less = self.weight * ((under >= 0).astype(float) - (over > 0))
        values = np.concatenate([more, -less])
        made = values[self.rows].sum(axis=2) + less[self.own].sum(axis=1)[:, None]
        return np.where(self.open, made, np.inf)

    def press(self) -> None:
        """Give weight to what is amiss, and take some from what has it from before."""
        amiss = (self.sums > self.high) | (self.sums < self.low)
        self.weight[: self.none] += PRESSED * amiss[: self.none]
        self.weight[: self.none] = 1 + FADING * (self.weight[: self.none] - 1)

    def harmless(self) -> Ints:
        """Places and options, a pair in each row, after which a dataset that fits still does."""
        self.offer()
        return np.argwhere(self.worth() <= 0)

    def still_harmless(self, place: int, option: int) -> bool:
        """Does everything still fit after this change, now that others have been made?"""
        rows, none = self.rows[place, option], self.none
        gained, kept = rows[rows < none], rows[rows > none] - none - 1
        lost = np.setdiff1d(self.own[place], kept)
        lost = lost[lost < none]
        return bool((self.sums[gained] < self.high[gained]).all() and (self.sums[lost] > self.low[lost]).all())

    def change(self, pairs: Ints) -> None:
        """Make the changes that stay harmless, one after another, at most one at each place."""
        done: set[int] = set()
        for place, option in pairs.tolist():
            if place not in done and self.still_harmless(place, option):
                done.add(place)
                self.put(place, int(self.options[place, option]))


def mended(made: Mending, steps: int, deadline: Deadline) -> Witness | None:
    """A dataset that seems to fit, after so many changes at most; given up early where much is amiss for long."""
    rng, places = made.rng, len(made.at)
    nearest = made.amiss
    rested = np.zeros(places, dtype=np.int64)  # the step from which on each place may be changed again
    for step in range(steps):
        nearest = min(nearest, made.amiss)
        if not nearest:
            return made.witness
        if deadline.passed() or (4 * step > steps and HOPELESS * nearest > places):
            return None
        made.offer()
        worth = made.worth()
        worth[rested > step] = np.inf
        best = worth.min()
        if best > -SLIGHT:
            made.press()
        if np.isfinite(best) and (best <= -SLIGHT or rng.random() < RESTLESS):
            ties = np.argwhere(worth < best + SLIGHT)
            place, option = ties[rng.integers(len(ties))].tolist()
            made.put(place, int(made.options[place, option]))
            rested[place] = step + 1 + rng.integers(RESTS)
    return None


class Changes:
    """All changes of one record, from a dataset that fits, that leave everything within its limits."""

    def __init__(self, mover: Mover, witness: Witness, places: int, rng: np.random.Generator) -> None:
        self.witness, self.rng, self._mending = witness, rng, Mending(mover, places, rng)
        self._mending.begin(witness)
        self._pairs = self._mending.harmless()
        self.old = self._mending.at[self._pairs[:, 0]]  # the bucket that a record leaves, VACANT where there was none
        self.new = self._mending.options[self._pairs[:, 0], self._pairs[:, 1]]  # and the one it goes to

    def made(self, chosen: Ints) -> Witness:
        """The dataset after some of the changes, in random order, as far as they get along with each other."""
        if len(chosen) == 1:
            old, new = self.old[chosen], self.new[chosen]
            return self.witness.moved(old[old != VACANT], new[new != VACANT])
        mending = self._mending.copy()
        mending.change(self._pairs[self.rng.permutation(chosen)])
        return mending.witness


def stirred(mover: Mover, witness: Witness, places: int, stops: int, rng: np.random.Generator) -> list[Witness]:
    """Datasets that seem to fit, each many changes away from the one before."""
    made, found = Mending(mover, places, rng), list[Witness]()
    made.begin(witness)
    for _ in range(stops):
        for _ in range(ROUNDS):
            made.change(rng.permutation(made.harmless()))
        found.append(made.witness)
    return found
