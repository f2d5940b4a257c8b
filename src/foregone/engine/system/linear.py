"""Steps 2 and 3: group live records into buckets and write the statistics as an exact linear system over them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from heapq import heapify, heappop, heappush
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from foregone.engine.system.atoms import Atoms
from foregone.engine.system.blueprint import Blueprint, blueprint
from foregone.engine.system.buckets import Buckets, find_buckets
from foregone.engine.system.clauses import Clauses, clauses_of
from foregone.engine.system.implied import Exclusion
from foregone.engine.system.live import live_records
from foregone.engine.system.witness import EXACT_FLOAT, Witness
from foregone.engine.system.zeros import find_zeros
from foregone.model.predicate import Predicate
from foregone.model.release import Release
from foregone.solvers.answer import NO_LIMIT
from foregone.solvers.arrays import Bools, Ints, order_of
from foregone.solvers.deadline import Deadline

Number = TypeVar("Number", np.int64, np.uint64, np.float64)

DENSE = 1 << 22  # entries of a matrix that may be looked at one by one
LONG = 1_000  # buckets of a row, on average, from which on rows are placed one after another
MAX_RECORDS = 5_000_000  # live records; with eight columns and all their pairs about 6 GB at the peak of an audit


@dataclass(frozen=True, slots=True)
class LinearSystem:
    """One non-negative integer unknown per bucket, one row per statement: low <= weighted sum of its buckets <= high.

    Buckets are classes of live records that belong to exactly the same statistics, so records of one bucket can be
    exchanged freely. The matrix is stored by bucket: bucket j lies in the rows `members[starts[j]:starts[j + 1]]`, at least
    one, with the weights at the same place in `weights`, which is None when they are all 1, as they are for counts.
    """

    release: Release
    atoms: Atoms
    records: NDArray[np.int16]  # live records as atom numbers
    bucket_of: Ints  # live record -> bucket
    starts: Ints
    members: Ints
    weights: Ints | None
    low: Ints  # -NO_LIMIT where a row has no lower limit
    high: Ints  # NO_LIMIT where a row has no upper limit
    low_source: Ints  # row -> statement that gives its low, and its high
    high_source: Ints
    row_of: Ints  # published count -> a row over its records; -1 where it is 0
    cover: Ints  # rows without negative weights and with upper limits that together touch every bucket that such rows touch
    covered: Bools  # buckets that the cover bounds; if they are all, the number of records is bounded
    exclusions: tuple[Exclusion, ...]  # implied zeros that were used
    clauses: Clauses  # either-ors beside the rows, which alone allow more than the release does

    @property
    def buckets(self) -> int:
        return len(self.starts) - 1

    @property
    def rows(self) -> int:
        return len(self.low)

    @property
    def largest(self) -> int | None:
        """An upper limit on the number of records, in Python's own integers; None when there is none."""
        return sum(self.high[self.cover].tolist()) if self.covered.all() else None

    @property
    def heaviest(self) -> int:
        """The largest sum of absolute weights over the rows of one bucket."""
        if self.weights is None:
            return int(np.diff(self.starts).max(initial=0))
        return int(np.add.reduceat(np.abs(self.weights), self.starts[:-1]).max(initial=0)) if self.buckets else 0

    @property
    def bucket_of_member(self) -> Ints:
        """The bucket that each entry of `members` belongs to."""
        return np.repeat(np.arange(self.buckets), np.diff(self.starts))

    def touched(self, row: int) -> Ints:
        """The buckets that a row touches."""
        return np.searchsorted(self.starts, np.flatnonzero(self.members == row), side="right") - 1

    def count_in(self, buckets: Ints | Bools | int) -> Ints:
        """The number of records in some buckets, as an objective: 1 there, 0 elsewhere."""
        made = np.zeros(self.buckets, dtype=np.int64)
        made[buckets] = 1
        return made

    def columns(self, buckets: Ints) -> Ints:
        matrix = np.zeros((self.rows, len(buckets)), dtype=np.int64)
        at, sizes = self.members_of(buckets)
        matrix[self.members[at], np.repeat(np.arange(len(buckets)), sizes)] = 1 if self.weights is None else self.weights[at]
        return matrix

    def tabulate(self, witness: Witness) -> Ints:
        """Row sums of a dataset."""
        return np.asarray(self.tabulate_each([witness])[0])

    def tabulate_each(self, witnesses: Sequence[Witness]) -> Ints:
        """Every row in several datasets, a dataset per line; Python's own integers where 64 bits could be too few."""
        buckets = np.concatenate([witness.buckets for witness in witnesses])
        counts = np.concatenate([witness.counts for witness in witnesses])
        at, sizes = self.members_of(buckets)
        dataset = np.repeat(np.arange(len(witnesses)), [len(witness.buckets) for witness in witnesses])
        row = np.repeat(dataset * self.rows, sizes) + self.members[at]
        times = np.repeat(counts, sizes)
        largest = sum(counts.tolist()) * (1 if self.weights is None else int(np.abs(self.weights).max(initial=1)))
        if largest < EXACT_FLOAT:  # bincount adds in floating point, which is exact for whole numbers of this size
            values = times if self.weights is None else times * self.weights[at]
            sums = np.bincount(row, values, len(witnesses) * self.rows).astype(np.int64)
        else:
            sums = np.zeros(len(witnesses) * self.rows, dtype=object)
            np.add.at(sums, row, times.astype(object) * (1 if self.weights is None else self.weights[at].astype(object)))
        return sums.reshape(len(witnesses), self.rows)

    def combine(self, multipliers: NDArray[Number]) -> NDArray[Number]:
        """For each bucket, the sum of weight times multiplier over the rows it lies in (exact integers)."""
        if not self.buckets:
            return np.zeros(0, dtype=multipliers.dtype)
        values = multipliers[self.members]
        if self.weights is not None:
            values = values * self.weights.astype(multipliers.dtype)
        return np.asarray(np.add.reduceat(values, self.starts[:-1]))

    def part(self, kept: Bools) -> LinearSystem:
        """This system over some of the buckets."""
        if kept.all():
            return self
        buckets = np.flatnonzero(kept)
        at, sizes = self.members_of(buckets)
        starts = np.concatenate([[0], np.cumsum(sizes)])
        weights = None if self.weights is None else self.weights[at]
        rest = replace(self, starts=starts, members=self.members[at], weights=weights, covered=self.covered[kept])
        return replace(rest, clauses=self.clauses.part(kept)) if self.clauses else rest

    def limited(self, low: Ints, high: Ints, low_source: Ints, high_source: Ints) -> LinearSystem:
        """This system with other limits of its rows, and where these come from."""
        return with_cover(replace(self, low=low, high=high, low_source=low_source, high_source=high_source, exclusions=()))

    def members_of(self, buckets: Ints) -> tuple[Ints, Ints]:
        """Where the rows of some buckets stand in `members`, and how many each has."""
        sizes = self.starts[buckets + 1] - self.starts[buckets]
        return np.repeat(self.starts[buckets] - np.cumsum(sizes) + sizes, sizes) + np.arange(sizes.sum()), sizes

    def room(self) -> Ints:
        """For each bucket, how many records the tightest of its rows leaves; NO_LIMIT where none of them limits it."""
        if not self.buckets:
            return self.starts[:0]
        limits = self.high[self.members]
        if self.weights is not None:  # what has a negative weight in a row makes room for the others
            least = np.zeros(self.rows, dtype=np.int64)
            np.minimum.at(least, self.members, self.weights)
            limited = (limits < NO_LIMIT) & (least[self.members] >= 0)
            limits = np.where(limited, limits // np.maximum(self.weights, 1), NO_LIMIT)
        return np.minimum.reduceat(limits, self.starts[:-1])

    def consistent(self, witnesses: Sequence[Witness]) -> list[bool]:
        """Which of these datasets match every statement, and one side of each either-or?"""
        sums = self.tabulate_each(witnesses)
        fits: Bools = np.asarray(self.within(sums).all(axis=1))
        return [
            bool(fit) and bool((w.counts >= 0).all()) and self.clauses.hold(w) for fit, w in zip(fits, witnesses, strict=True)
        ]

    def within(self, sums: Ints) -> Bools:
        """Which sums (rows along the last axis) keep their limits; sums beyond 64 bits are not beyond a limit that is none."""
        enough = (sums >= self.low) | (self.low == -NO_LIMIT)
        return np.asarray(enough & ((sums <= self.high) | (self.high == NO_LIMIT)))

    def extent(self, predicate: Predicate) -> tuple[Bools, Bools]:
        """Live records all of whose values match, and live records some of whose values match."""
        inside = np.ones(len(self.records), dtype=bool)
        touching = np.ones(len(self.records), dtype=bool)
        for column, mask in predicate.masks(self.release.domain).items():
            groups = self.atoms.groups[column]
            inside &= np.array([group & ~mask == 0 for group in groups])[self.records[:, column]]
            touching &= np.array([group & mask != 0 for group in groups])[self.records[:, column]]
        return inside, touching

    def footprint(self, predicate: Predicate) -> tuple[Bools, Bools]:
        """Buckets wholly inside the predicate (they give its least count) and buckets touching it (its greatest)."""
        inside, touching = self.extent(predicate)
        whole = np.ones(self.buckets, dtype=bool)
        whole[self.bucket_of[~inside]] = False
        some = np.zeros(self.buckets, dtype=bool)
        some[self.bucket_of[touching]] = True
        return whole, some


def compile_release(release: Release, max_records: int = MAX_RECORDS, deadline: Deadline | None = None) -> LinearSystem:
    """From published numbers to integers: atoms, zeros, live records, buckets, rows."""
    deadline = deadline or Deadline()
    plan = blueprint(release.workload)
    deadline.check("compiling the release")
    low, high = plan.numbers(release)
    zeros = find_zeros(plan, low, high)
    records = live_records(plan.atoms, zeros, max_records, deadline)
    deadline.check("compiling the release")
    return _system(release, plan, records, find_buckets(plan, records, high > 0), low, high, zeros.exclusions)


def digest_of(*numbers: Ints) -> bytes:
    """A few bytes that stand for arrays of numbers, millions of them perhaps: nobody can make two that have the same."""
    made = blake2b(digest_size=32)
    for some in numbers:
        made.update(some.data)
    return made.digest()


def _system(
    release: Release,
    plan: Blueprint,
    records: NDArray[np.int16],
    found: Buckets,
    low: Ints,
    high: Ints,
    exclusions: tuple[Exclusion, ...],
) -> LinearSystem:
    """Merge statistics that touch the same buckets into one row with the tightest limits."""
    groups: dict[bytes, list[int]] = {}
    for i in np.flatnonzero(high[: plan.queries] > 0).tolist():
        groups.setdefault(digest_of(found.of(i)), []).append(i)
    lows, highs = low.tolist(), high.tolist()
    row_of = np.full(plan.queries, -1)
    touched: list[Ints] = []
    least: list[int] = []
    most: list[int] = []
    for group in groups.values():
        # on ties prefer an exact statistic, so that a row that one of them fixes has a single source
        lower = group[0] if len(group) == 1 else max(group, key=lambda i: (lows[i], -highs[i]))
        upper = group[0] if len(group) == 1 else min(group, key=lambda i: (highs[i], -lows[i]))
        # two that contradict each other stay rows of their own, so that a combination of rows can show it
        pairs = [(lower, upper)] if lows[lower] <= highs[upper] else [(lower, lower), (upper, upper)]
        row_of[group] = len(touched)
        touched += [found.of(group[0])] * len(pairs)
        least += [pair[0] for pair in pairs]
        most += [pair[1] for pair in pairs]
    low_source, high_source = np.array(least, dtype=np.int64), np.array(most, dtype=np.int64)
    low, high = low[low_source], high[high_source]
    weights: list[Ints] | None = None
    if plan.sums:
        sums, floors, ceilings = _sums(release, plan, found)
        weights = [np.ones(len(buckets), dtype=np.int64) for buckets in touched] + [weights for _, weights in sums]
        touched += [buckets for buckets, _ in sums]
        low, high = np.append(low, floors), np.append(high, ceilings)
        sources = np.arange(plan.queries, plan.queries + len(plan.sums))
        low_source, high_source = np.append(low_source, sources), np.append(high_source, sources)
    seen = np.zeros(found.number, dtype=bool)
    for some in touched:
        seen[some] = True
    if not seen.all():  # a row without limits for records that nothing published looks at
        touched.append(np.flatnonzero(~seen))
        low, high = np.append(low, -NO_LIMIT), np.append(high, NO_LIMIT)
        low_source, high_source = np.append(low_source, -1), np.append(high_source, -1)
        if weights is not None:
            weights.append(np.ones(len(touched[-1]), dtype=np.int64))
    starts, members, placed = by_bucket(touched, weights, found.number)
    system = LinearSystem(
        release,
        plan.atoms,
        records,
        found.bucket_of,
        starts,
        members,
        placed,
        low,
        high,
        low_source,
        high_source,
        row_of,
        np.zeros(0, dtype=np.int64),
        np.zeros(0, dtype=bool),
        exclusions,
        clauses_of(release.workload, plan, found),
    )
    return with_cover(system)


def _sums(release: Release, plan: Blueprint, found: Buckets) -> tuple[list[tuple[Ints, Ints]], list[int], list[int]]:
    """Weighted sums as further rows: the buckets each touches with their weights, and its limits."""
    made = [found.summed(boxes, weights) for boxes, weights in plan.sums]
    floors = [-NO_LIMIT if stated.low is None else stated.low for stated in release.workload.sums]
    ceilings = [NO_LIMIT if stated.high is None else stated.high for stated in release.workload.sums]
    return made, floors, ceilings


def by_bucket(touched: Sequence[Ints], weights: Sequence[Ints] | None, number: int) -> tuple[Ints, Ints, Ints | None]:
    """The entries of rows, given by the buckets that each touches, put bucket by bucket, the rows of each in order.

    Where the entries of each of so many buckets begin, their rows, and their weights, if there are any.
    """
    entries = sum(map(len, touched))
    if entries < LONG * len(touched):
        buckets, rows = np.concatenate(touched), np.repeat(np.arange(len(touched)), [len(some) for some in touched])
        if number * len(touched) > DENSE:
            order = np.argsort(buckets, kind="stable")
        else:
            place = np.full(number * len(touched), -1, dtype=np.int32)  # for small systems quicker than sorting
            place[buckets * len(touched) + rows] = np.arange(len(buckets))
            order = place[place >= 0].astype(np.int64)
        starts = np.concatenate([[0], np.cumsum(np.bincount(buckets, minlength=number))])
        return starts, rows[order], None if weights is None else np.concatenate(weights)[order]
    # few long rows are placed one after another: there may be a hundred million entries, and this needs no list of them besides
    starts = np.zeros(number + 1, dtype=np.int64)
    for some in touched:
        starts[some + 1] += 1
    starts = np.cumsum(starts)
    free, members = starts[:-1].copy(), np.empty(entries, dtype=np.int64)
    placed = None if weights is None else np.empty(entries, dtype=np.int64)
    for row, some in enumerate(touched):
        members[free[some]] = row
        if placed is not None and weights is not None:
            placed[free[some]] = weights[row]
        free[some] += 1
    return starts, members, placed


def with_cover(system: LinearSystem) -> LinearSystem:
    """The system with the cover that its rows and limits give."""
    cover, covered = cover_of(system)
    return replace(system, cover=cover, covered=covered)


def cover_of(system: LinearSystem) -> tuple[Ints, Bools]:
    """Greedily, rows with upper limits and no negative weights that touch as many buckets as such rows can, and these buckets."""
    gains = np.bincount(system.members, minlength=system.rows)
    usable = (system.high < NO_LIMIT) & (gains > 0)
    if system.weights is not None:
        usable[system.members[system.weights < 0]] = False
    some = np.flatnonzero(usable)
    whole = some[gains[some] == system.buckets]
    if len(whole):  # a row that touches everything, as a published total does
        return whole[np.argmin(system.high[whole])][None], np.ones(system.buckets, dtype=bool)
    order = order_of(system.members)
    ends = np.cumsum(gains)
    buckets = np.repeat(np.arange(system.buckets), np.diff(system.starts))[order]
    open_ = np.ones(system.buckets, dtype=bool)
    chosen: list[int] = []
    # the best first; what a row would add only shrinks, so one that is still ahead after a new look is the best
    queue = list(zip((-gains[some]).tolist(), system.high[some].tolist(), some.tolist(), strict=True))
    heapify(queue)
    while queue and open_.any():
        _, limit, row = heappop(queue)
        mine = buckets[ends[row] - gains[row] : ends[row]]
        gain = int(open_[mine].sum())
        if gain and queue and (-gain, limit, row) > queue[0]:
            heappush(queue, (-gain, limit, row))
        elif gain:
            chosen.append(row)
            open_[mine] = False
    return np.array(chosen, dtype=np.int64), ~open_
