"""Buckets that one number settles after another: most of a published table, so that what is left to think about is small.

A row whose limits are the same and that has one bucket left fixes it; a row that has nothing left to give empties its buckets.
What is fixed is taken off the other rows, until nothing more follows. This is whole-number arithmetic from end to end: the
datasets of the smaller system are those of the whole one, bucket by bucket.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from foregone.engine.system.linear import LinearSystem, digest_of, with_cover
from foregone.engine.system.witness import MACHINE_LIMIT, Witness
from foregone.solvers.answer import NO_LIMIT
from foregone.solvers.arrays import Bools, Ints, order_of

ROUNDS = 100  # of looking at all rows; what a longer chain would settle stays open, which costs time and nothing else


@dataclass(frozen=True, slots=True)
class Settled:
    """A system and what is left of it: `open_` are the buckets of the whole that the rest is about, in its order."""

    whole: LinearSystem
    rest: LinearSystem
    open_: Ints
    fixed: Witness  # what is known to lie in the other buckets

    def back(self, witness: Witness) -> Witness:
        """A dataset of the rest as one of the whole."""
        return self.fixed.plus(witness.among(self.open_))

    def forth(self, witness: Witness) -> Witness:
        """A dataset of the whole as one of the rest."""
        return witness.within(self.open_)

    def part(self, buckets: Ints) -> tuple[Ints, int]:
        """Of some buckets of the whole, ascending: those left, as the rest numbers them, and how many records lie in the others."""
        return _among(buckets, self.open_), sum(self.fixed.counts[_among(buckets, self.fixed.buckets)].tolist())


def _among(buckets: Ints, known: Ints) -> Ints:
    """Where some of the buckets stand among the known ones; both are ascending."""
    if not len(known):
        return known
    at = np.minimum(np.searchsorted(known, buckets), len(known) - 1)
    return np.asarray(at[known[at] == buckets])


def settle(system: LinearSystem) -> Settled | None:
    """Take off all that follows one by one; None where numbers contradict each other, or are too large."""
    if (system.high > 0).all() and (np.bincount(system.members, minlength=system.rows) > 1).all():
        return unsettled(system)  # nothing follows, and there may be very many entries to look at
    bucket_of = system.bucket_of_member
    open_ = np.ones(system.buckets, dtype=bool)
    counts = np.zeros(system.buckets, dtype=np.int64)
    low, high = system.low, system.high
    weights = np.ones(len(system.members), dtype=np.int64) if system.weights is None else system.weights
    for _ in range(ROUNDS):
        at = np.flatnonzero(open_[bucket_of])
        rows = system.members[at]
        left = np.bincount(rows, minlength=system.rows)
        least = np.zeros(system.rows, dtype=np.int64)
        np.minimum.at(least, rows, weights[at])
        plain = least == 0  # no negative weights among what is left
        if (plain & (high < 0)).any() or ((left == 0) & ((low > 0) | (high < 0))).any():
            return None
        empty = at[(plain & (high == 0))[rows]]
        single = at[((left == 1) & (low == high))[rows]]
        value, over = np.divmod(low[system.members[single]], weights[single])
        if over.any() or (value < 0).any():
            return None
        new = np.unique(np.concatenate([bucket_of[empty], bucket_of[single]]))
        if not len(new):
            break
        counts[bucket_of[single]] = value
        if (counts[bucket_of[single]] != value).any() or counts[bucket_of[empty]].any():
            return None
        open_[new] = False
        placed = Witness.of_counts(new, counts[new])
        if len(placed.buckets):
            used = system.tabulate(placed)
            if max(map(abs, used.tolist())) >= MACHINE_LIMIT:
                return None  # such sums are nonsense, or beyond what 64 bits can hold
            used = used.astype(np.int64)
            low = np.where(low == -NO_LIMIT, low, low - used)
            high = np.where(high == NO_LIMIT, high, high - used)
            if max(np.abs(low[low != -NO_LIMIT]).max(initial=0), np.abs(high[high != NO_LIMIT]).max(initial=0)) > MACHINE_LIMIT:
                return None
    fixed = Witness.of_counts(np.flatnonzero(~open_), counts[~open_])
    smaller = replace(system, low=low, high=high, clauses=system.clauses.after(fixed))
    return Settled(system, _rest(smaller, open_), np.flatnonzero(open_), fixed)


def unsettled(system: LinearSystem) -> Settled:
    """The whole system as its own rest."""
    nothing = np.zeros(0, dtype=np.int64)
    return Settled(system, system, np.arange(system.buckets), Witness(nothing, nothing))


def _rest(system: LinearSystem, open_: Bools) -> LinearSystem:
    """The rows over the open buckets; rows that touch none of them go, of rows that are the same one stays."""
    part = system.part(open_)
    bucket_of = part.bucket_of_member
    order = order_of(part.members)
    ends = np.cumsum(np.bincount(part.members, minlength=part.rows)).tolist()
    buckets = bucket_of[order]
    weights = None if part.weights is None else part.weights[order]
    first: dict[bytes, int] = {}
    low, high = system.low.copy(), system.high.copy()
    for row, (start, end) in enumerate(zip([0, *ends], ends, strict=False)):
        if start < end:
            key = digest_of(buckets[start:end], *(() if weights is None else [weights[start:end]]))
            at = first.setdefault(key, row)
            low[at], high[at] = max(low[at], low[row]), min(high[at], high[row])
    kept = np.array(list(first.values()), dtype=np.int64)
    number = np.full(part.rows, -1)
    number[kept] = np.arange(len(kept))
    stays = number[part.members] >= 0
    members = number[part.members[stays]]
    starts = np.concatenate([[0], np.cumsum(np.bincount(bucket_of[stays], minlength=part.buckets))])
    record = open_[system.bucket_of]
    place = np.cumsum(open_) - 1
    rest = replace(
        part,
        records=system.records[record],
        bucket_of=place[system.bucket_of[record]],
        starts=starts,
        members=members,
        weights=None if part.weights is None else part.weights[stays],
        low=low[kept],
        high=high[kept],
        low_source=part.low_source[kept],
        high_source=part.high_source[kept],
    )
    return with_cover(rest)
