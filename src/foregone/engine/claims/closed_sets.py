"""Step 5: the claims that hold in every known witness, one per closed set, without listing column subsets.

A claim with m >= 1 that is true everywhere occurs in every witness. Its *closed* form names every item shared by all
occupied buckets it selects. Closed sets are grown one layer of items at a time in the manner of LCM (Uno et al. 2004): a
closed set is kept only when it was reached through its unique parent, so none is met twice, and only while it
occurs in every witness.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from foregone.engine.claims.items import BLANK, LayerItems, Values
from foregone.engine.system.linear import LinearSystem
from foregone.engine.system.witness import EXACT_FLOAT, MACHINE_LIMIT
from foregone.engine.witnesses.pool import Pool
from foregone.model.errors import TooLargeError, option
from foregone.solvers.arrays import Ints
from foregone.solvers.deadline import Deadline

MAX_SETS = 4_000_000
MAX_GROUPED = 400_000  # where claims name groups: each set takes longer, and groups that overlap make very many
BATCH = 1 << 16  # items times witnesses counted between two prunings
FEW = 12  # witnesses that closed sets are grown with
TOGETHER = 500  # claims counted in one go


@dataclass(frozen=True, slots=True)
class Candidates:
    """Closed claims that hold in every witness: item per layer (BLANK where free) and count."""

    closed: Values
    counts: NDArray[Any]  # Python's own integers where 64 bits could be too few

    @classmethod
    def of(cls, closed: Sequence[Values], counts: Sequence[int]) -> Candidates:
        return cls(np.array(closed, dtype=np.int16), np.array(counts, dtype=object))

    def __len__(self) -> int:
        return len(self.counts)

    @property
    def keys(self) -> set[bytes]:
        return {row.tobytes() for row in self.closed}

    def and_others(self, others: Candidates) -> Candidates:
        """These, and those of others that are not among them."""
        known = self.keys
        new = np.array([row.tobytes() not in known for row in others.closed], dtype=bool)
        if not new.any():
            return self
        return Candidates(np.concatenate([others.closed[new], self.closed]), np.concatenate([others.counts[new], self.counts]))


def claimable(system: LinearSystem, items: LayerItems) -> Values:
    """For each bucket, the item of each layer that all its records have, else BLANK."""
    order = np.argsort(system.bucket_of, kind="stable")  # records of a bucket stand together
    records = system.records[order]
    starts = np.searchsorted(system.bucket_of[order], np.arange(system.buckets))
    values = np.full((system.buckets, len(items)), BLANK, dtype=np.int16)
    for layer in range(len(items) if system.buckets else 0):
        had = items.of_rows(records, layer)
        if len(order) > system.buckets:
            low, high = np.minimum.reduceat(had, starts), np.maximum.reduceat(had, starts)
            had = np.where(low == high, low, BLANK)
        values[:, layer] = had
    return values


def candidates(pool: Pool, values: Values, deadline: Deadline | None = None, part_of: Ints | None = None) -> Candidates:
    """Closed sets of the occupied buckets that have the same count, at least 1, in every witness.

    `part_of` tells the part of each bucket: then only sets that have buckets of several parts.
    """
    occupied = np.flatnonzero(pool.occupied)
    position = np.full(pool.system.buckets, -1)
    position[occupied] = np.arange(len(occupied))
    largest = pool.system.largest
    if largest is None:
        largest = max(witness.size for witness in pool)
    # most datasets are small, and short numbers are added up faster; very large ones need Python's own integers
    kind = np.int32 if largest < 1 << 31 else np.int64 if largest < MACHINE_LIMIT else object
    times: NDArray[Any] = np.zeros((len(pool), len(occupied)), dtype=kind)
    for row, witness in zip(times, pool, strict=True):
        row[position[witness.buckets]] = witness.counts
    named = values[occupied]
    # few witnesses thin out the sets about as well as all of them do; the others look at what is left
    few = np.unique(np.linspace(0, len(times) - 1, FEW).astype(np.int64))
    most = MAX_SETS if values.shape[1] == pool.system.records.shape[1] else MAX_GROUPED  # more layers than columns: groups
    closed, counts = closed_sets(named, times[few], deadline, most, None if part_of is None else part_of[occupied])
    constant = (counts == counts[:, :1]).all(axis=1)
    closed, count = closed[constant], counts[constant, 0]
    if len(times) > len(few):
        same = np.concatenate([(_counts(named, part, times) == total).all(axis=1) for part, total in _parts(closed, count)] or [[]])
        closed, count = closed[same.astype(bool)], count[same.astype(bool)]
    return Candidates(closed, count.astype(np.int64) if count.dtype == np.int32 else count)


def _parts(closed: Values, count: Ints) -> Iterator[tuple[Values, Ints]]:
    for start in range(0, len(closed), TOGETHER):
        yield closed[start : start + TOGETHER], count[start : start + TOGETHER, None]


def _counts(values: Values, closed: Values, times: NDArray[Any]) -> NDArray[Any]:
    """How many records of each witness match each claim."""
    match = np.ones((len(closed), len(values)), dtype=bool)
    for column in range(values.shape[1]):
        asked = closed[:, column, None]
        match &= (asked == BLANK) | (values[:, column] == asked)
    if int(times.max(initial=0)) * len(values) < EXACT_FLOAT:  # then floats are exact, and much faster
        return np.asarray(match.astype(float) @ times.T)
    return np.asarray(match.astype(times.dtype) @ times.T)


def closed_sets(
    values: Values, times: NDArray[Any], deadline: Deadline | None = None, most: int | None = None, part_of: Ints | None = None
) -> tuple[Values, Ints]:
    """Every closed set that occurs in each witness (a row of `times`), and its count in each.

    Of sets that have buckets of one part only none are wanted where parts are given, and no larger set is reached through them.
    """
    most = MAX_SETS if most is None else most
    k = values.shape[1]
    if not len(values) or not (times.sum(axis=1) > 0).all():
        return np.zeros((0, k), dtype=np.int16), np.zeros((0, len(times)), dtype=np.int64)
    items = np.arange(len(values))
    starts = np.zeros(1, dtype=np.int64)
    state = np.zeros(len(items), dtype=np.int64)  # the set each item stands in
    closed = _closures(values, items, starts)
    counts = times.sum(axis=1)[None, :]
    for column in range(k):
        if deadline is not None:
            deadline.check("listing the claims that all datasets seen agree on")
        value = values[items, column]
        use = ((closed[state, column] == BLANK) & (value != BLANK)).nonzero()[0]
        if not len(use):
            continue
        width = int(value.max()) + 1
        key = state[use] * width + value[use]
        order = np.argsort(key, kind="stable")
        key, chosen = key[order], items[use[order]]
        first = np.concatenate([[0], (key[1:] != key[:-1]).nonzero()[0] + 1])
        parent = key[first] // width
        if part_of is not None:
            several = np.minimum.reduceat(part_of[chosen], first) < np.maximum.reduceat(part_of[chosen], first)
            chosen, first = _select(chosen, first, several)
            parent = parent[several]
        present, found = _present(chosen, first, times)
        chosen, first = _select(chosen, first, present)
        if not len(first):
            continue
        forms = _closures(values, chosen, first)
        unique = (forms[:, :column] == closed[parent[present], :column]).all(axis=1)
        chosen, first = _select(chosen, first, unique)
        sizes = np.diff(first, append=len(chosen))
        state = np.concatenate([state, np.repeat(np.arange(len(first)) + len(starts), sizes)])
        starts = np.concatenate([starts, first + len(items)])
        items = np.concatenate([items, chosen])
        closed = np.concatenate([closed, forms[unique]])
        counts = np.concatenate([counts, found[unique]])
        if len(starts) > most:
            groups = f"name no groups ({option('groups')} none), " if most < MAX_SETS else ""
            raise TooLargeError(
                f"more than {most:,} closed combinations of values occur in every dataset seen; {groups}ask about single claims"
                " with verify or bounds, or leave out columns you do not need"
            )
    return closed, counts


def _present(items: Ints, starts: Ints, times: NDArray[Any]) -> tuple[NDArray[np.bool_], Ints]:
    """Which segments of items occur in every witness, and the counts of those; the rest is dropped on the way."""
    total = len(starts)
    alive = np.arange(total)
    counts = np.zeros((len(starts), 0), dtype=times.dtype)
    begin = 0
    while begin < len(times):
        batch = max(8, BATCH // max(1, len(items)))
        new = np.add.reduceat(times[begin : begin + batch].T[items], starts, axis=0) if len(starts) else counts[:, :0]
        keep = np.asarray((new > 0).all(axis=1))
        counts = np.concatenate([counts, new], axis=1)[keep]
        alive = alive[keep]
        items, starts = _select(items, starts, keep)
        begin += batch
    present = np.zeros(total, dtype=bool)
    present[alive] = True
    return present, counts


def _closures(values: Values, items: Ints, starts: Ints) -> Values:
    """For each segment of items, the values they all share."""
    chosen = values[items]
    low = np.minimum.reduceat(chosen, starts, axis=0)
    high = np.maximum.reduceat(chosen, starts, axis=0)
    return np.where(low == high, low, BLANK).astype(np.int16)


def _select(items: Ints, starts: Ints, keep: NDArray[np.bool_]) -> tuple[Ints, Ints]:
    """Keep some segments of items."""
    if keep.all():
        return items, starts
    sizes = np.concatenate([starts[1:], [len(items)]]) - starts
    left = sizes[keep]
    return items[np.repeat(keep, sizes)], np.cumsum(left) - left
