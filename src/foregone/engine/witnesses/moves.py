"""Moves: turn one consistent dataset into another without a solver.

A swap exchanges the values of some columns between two records. It keeps every statistic exactly when the two new
records together belong to the same statistics as the two old ones. All swaps of many pairs and column sets are
tried at once by comparing 64-bit sums; a hit is only a suggestion, the pool re-tabulates it exactly.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
from numpy.typing import NDArray

from foregone.engine.system.linear import LinearSystem
from foregone.engine.system.witness import Witness
from foregone.solvers.arrays import Bools, Ints

Hashes = NDArray[np.uint64]

MAX_PAIRS = 250  # pairs of records tried in one step
MOST_CHANGES = 1 << 24  # rows times pairs of buckets looked at in one go
MOST_SPREAD = 20_000  # records of a dataset that are looked at one by one
MAX_FREE = 9  # up to this many free columns all sets are tried for a pair, else as many random ones


@dataclass(frozen=True, slots=True)
class Swaps:
    """Suggested moves from one witness: records at `first` and `second` change into live records of other buckets."""

    buckets: Ints  # buckets of records that may be moved
    first: Ints  # positions among them
    second: Ints
    new_first: Ints  # buckets they move to
    new_second: Ints

    def __len__(self) -> int:
        return len(self.first)


@cache
def all_sets(width: int) -> Hashes:
    """Every set of some columns but the empty one, as a column of zeros and ones."""
    return ((np.arange(1, 1 << width)[None, :] >> np.arange(width)[:, None]) & 1).astype(np.uint64)


class Mover:
    """Tables that make all swaps of a system cheap to try; the same seed gives the same moves."""

    def __init__(self, system: LinearSystem, seed: int = 0) -> None:
        self.system = system
        self.rng = np.random.default_rng(seed)
        records = system.records
        self.columns = [c for c in range(records.shape[1]) if len(records) and (records[:, c] != records[0, c]).any()]
        widths = system.atoms.widths()
        self.values = [self._weights(widths[c]) for c in self.columns]
        parts = [values[records[:, c]] for values, c in zip(self.values, self.columns, strict=True)]
        self.parts: Hashes = np.stack(parts, axis=1) if parts else np.zeros((len(records), 0), dtype=np.uint64)
        total = self.parts.sum(axis=1, dtype=np.uint64)
        self.total = total
        self.order = np.argsort(total, kind="stable")
        self.sorted = total[self.order]
        # do some numbers have ranges, so that swaps may change them?
        self.loose = system.weights is None and bool((system.low < system.high).any())
        weights = self._weights(system.rows)
        self.bucket_hash: Hashes = system.combine(weights)
        self.first_record = np.full(system.buckets, -1, dtype=np.int64)
        self.first_record[system.bucket_of[::-1]] = np.arange(len(records))[::-1]

    def _weights(self, size: int) -> Hashes:
        return self.rng.integers(0, np.iinfo(np.uint64).max, size, dtype=np.uint64)

    def swaps(self, witness: Witness) -> Swaps:
        """Every swap that keeps all statistics, or leaves all within their ranges, among pairs and column sets tried."""
        buckets = movable(witness)
        count = len(buckets)
        none = np.zeros(0, dtype=np.int64)
        if count < 2 or len(self.columns) < 2:
            return Swaps(buckets, none, none, none, none)
        i, j = self._pairs(count)
        own = self.parts[self.first_record[buckets]]
        total = own.sum(axis=1, dtype=np.uint64)
        pair, new_i = self._exchanges(own[j] - own[i])
        new_i += total[i[pair]]
        live_i = self._find(new_i)
        found = np.flatnonzero(live_i >= 0)
        pair, live_i = pair[found], live_i[found]
        i, j = i[pair], j[pair]
        live_j = self._find(total[i] + total[j] - new_i[found])
        found = np.flatnonzero(live_j >= 0)
        i, j = i[found], j[found]
        first, second = self.system.bucket_of[live_i[found]], self.system.bucket_of[live_j[found]]
        old_first, old_second = buckets[i], buckets[j]
        keeps = self.bucket_hash[first] + self.bucket_hash[second] == self.bucket_hash[old_first] + self.bucket_hash[old_second]
        if self.loose:
            other = np.flatnonzero(~keeps)
            keeps[other] = self._within(witness, first[other], second[other], old_first[other], old_second[other])
        same = ((first == old_first) & (second == old_second)) | ((first == old_second) & (second == old_first))
        good = keeps & ~same
        return Swaps(buckets, i[good], j[good], first[good], second[good])

    def _within(self, witness: Witness, first: Ints, second: Ints, old_first: Ints, old_second: Ints) -> Bools:
        """Which exchanges of two records for two others leave every row within its limits? Bits of all rows are compared."""
        system = self.system
        sums = system.tabulate(witness)
        full, fuller = np.packbits(sums >= system.high), np.packbits(sums + 1 >= system.high)
        bare, barer = np.packbits(sums <= system.low), np.packbits(sums - 1 <= system.low)
        good = np.zeros(len(first), dtype=bool)
        step = max(1, MOST_CHANGES // system.rows)
        for part in (slice(start, start + step) for start in range(0, len(first), step)):
            a, b, c, d = (self._rows_of[some[part]] for some in (first, second, old_first, old_second))
            either, both, had, had_both = a | b, a & b, c | d, c & d
            bad = ((either & ~had) | (both & ~had_both)) & full  # rows that gain a record, and below, that lose one
            bad |= (both & ~had) & fuller
            bad |= ((had & ~either) | (had_both & ~both)) & bare
            bad |= (had_both & ~either) & barer
            good[part] = ~bad.any(axis=1)
        return good

    def _pairs(self, count: int) -> tuple[Ints, Ints]:
        """Pairs of positions, a random choice when there are many; the pairs are never listed all."""
        total = count * (count - 1) // 2
        pick = np.arange(total) if total <= MAX_PAIRS else np.sort(self.rng.choice(total, MAX_PAIRS, replace=False))
        position = np.arange(count)
        starts = position * (2 * count - position - 1) // 2  # pairs (i, j), i < j, in order: where those of each i begin
        i = np.searchsorted(starts[:-1], pick, side="right") - 1
        return i, pick - starts[i] + i + 1

    def _exchanges(self, change: Hashes) -> tuple[Ints, Hashes]:
        """For each pair, the sum of changes over every set of columns in which its two records differ.

        Exchanging all but a set of columns is the same as exchanging the set, so the first differing column stays.
        Sums wrap around modulo 2^64, which comparing them does not mind. Returns pair numbers and sums.
        """
        differs = change != 0
        width = differs.sum(axis=1)
        pairs, sums = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.uint64)]
        for d in np.bincount(width)[2:].nonzero()[0] + 2:
            rows = (width == d).nonzero()[0]
            parts = change[rows][differs[rows]].reshape(len(rows), d)[:, 1:]
            few = d - 1 <= MAX_FREE
            sets = all_sets(d - 1) if few else self.rng.integers(0, 2, (d - 1, 1 << MAX_FREE)).astype(np.uint64)
            found = parts @ sets
            pairs.append(np.repeat(rows, found.shape[1]))
            sums.append(found.ravel())
        return np.concatenate(pairs), np.concatenate(sums)

    def _find(self, hashes: Hashes) -> Ints:
        """The live record with each hash, or -1."""
        at = np.minimum(np.searchsorted(self.sorted, hashes), len(self.sorted) - 1)
        return np.where(self.sorted[at] == hashes, self.order[at], -1)

    @property
    def changes_of_each(self) -> int:
        """How many records, at most, differ from a record in one value."""
        return sum(len(values) - 1 for values in self.values)

    def one_changed(self, bucket: int) -> Ints:
        """Other buckets with a record that differs in one value from one of this bucket."""
        record = self.first_record[bucket]
        base = self.total[record] - self.parts[record]
        found = self._find(np.concatenate([base[:0], *(start + values for start, values in zip(base, self.values, strict=True))]))
        others: Ints = self.system.bucket_of[found[found >= 0]]
        return np.asarray(others[others != bucket])

    def mixed(self, buckets: Ints) -> Ints:
        """Buckets of records that have each value from one of two records of some buckets."""
        if len(buckets) < 2:
            return np.zeros(0, dtype=np.int64)
        i, j = self._pairs(len(buckets))
        own = self.parts[self.first_record[buckets]]
        total = own.sum(axis=1, dtype=np.uint64)
        pair, made = self._exchanges(own[j] - own[i])
        found = np.concatenate([self._find(total[i[pair]] + made), self._find(total[j[pair]] - made)])
        return np.unique(self.system.bucket_of[found[found >= 0]])

    def step(self, witness: Witness, swaps: Swaps, chosen: Ints | None = None) -> Witness:
        """Apply as many of the swaps (or of those chosen) as do not share a record, in random order."""
        moved = swaps.buckets.copy()
        order = (self.rng.permutation(len(swaps)) if chosen is None else self.rng.permutation(chosen))[: 4 * len(moved)]
        used: set[int] = set()
        done = []
        sums = self.system.tabulate(witness) if self.loose else None
        for at, a, b in zip(order.tolist(), swaps.first[order].tolist(), swaps.second[order].tolist(), strict=True):
            if a not in used and b not in used and (sums is None or self._done(swaps, at, sums)):
                used.add(a)
                used.add(b)
                done.append(at)
        moved[swaps.first[done]], moved[swaps.second[done]] = swaps.new_first[done], swaps.new_second[done]
        if len(moved) == witness.size:
            return Witness.of_records(moved)
        touched = sorted(used)
        return witness.moved(swaps.buckets[touched], moved[touched])

    def _done(self, swaps: Swaps, at: int, sums: Ints) -> bool:
        """Add a swap to the sums of all rows, if it leaves them within their limits after the swaps before it."""
        system = self.system
        rows, changes = [], []
        old = swaps.buckets[[swaps.first[at], swaps.second[at]]].tolist()
        for bucket, change in zip([*old, swaps.new_first[at], swaps.new_second[at]], [-1, -1, 1, 1], strict=True):
            rows.append(system.members[system.starts[bucket] : system.starts[bucket + 1]])
            changes.append(np.full(len(rows[-1]), change))
        touched = np.concatenate(rows)
        np.add.at(sums, touched, np.concatenate(changes))
        if (sums[touched] <= system.high[touched]).all() and (sums[touched] >= system.low[touched]).all():
            return True
        np.add.at(sums, touched, -np.concatenate(changes))
        return False

    def replacements(self, witness: Witness, tries: int = 4000) -> Ints:
        """Where ranges leave slack: pairs (bucket, other bucket) such that a record can go from one to the other and every
        statement still holds; -1 instead of a bucket where a record is only dropped or added. One pair per row."""
        system = self.system
        slack = system.low < system.high
        if not slack.any() or not system.buckets:
            return np.zeros((0, 2), dtype=np.int64)
        tries = min(tries, max(1, MOST_CHANGES // system.rows))
        buckets = np.append(movable(witness), -1)  # position -1 is the end: nothing is dropped
        new = self.rng.integers(-1, system.buckets, tries)
        old = buckets[self.rng.integers(-1, len(buckets) - 1, tries) if len(buckets) > 1 else np.full(tries, -1)]
        sums = system.tabulate(witness)
        if system.weights is None:
            # only rows that gain or lose the record matter, and whether they are at their limit: bits say it all
            full, bare = np.packbits(sums >= system.high), np.packbits(sums <= system.low)
            gains, loses = self._rows_of[new], self._rows_of[old]
            good = ~((gains & ~loses & full) | (loses & ~gains & bare)).any(axis=1)
        else:
            tried, at = np.unique(np.concatenate([new, old]), return_inverse=True)  # most are tried many times
            weighs = np.zeros((len(tried), system.rows), dtype=np.int64)
            weighs[tried >= 0] = system.columns(tried[tried >= 0]).T
            good = system.within(sums + weighs[at[:tries]] - weighs[at[tries:]]).all(axis=1)
        return np.stack([old[good], new[good]], axis=1)

    @cached_property
    def _rows_of(self) -> NDArray[np.uint8]:
        """One bit per row for each bucket that lies in it; the last entry, that of no bucket, has none."""
        system = self.system
        bits = np.zeros((system.buckets + 1, -(-system.rows // 8)), dtype=np.uint8)
        step = max(1, MOST_CHANGES // max(1, system.rows))
        for start in range(0, system.buckets, step):
            some = np.arange(start, min(start + step, system.buckets))
            at, sizes = system.members_of(some)
            inside = np.zeros((len(some), system.rows), dtype=bool)
            inside[np.repeat(some - start, sizes), system.members[at]] = True
            bits[some] = np.packbits(inside, axis=1)
        return bits


def movable(witness: Witness) -> Ints:
    """The buckets of records to move: all of them while they are few, else two of each kind at most."""
    few = witness.size <= MOST_SPREAD
    return witness.spread() if few else np.repeat(witness.buckets, np.minimum(witness.counts, 2))
