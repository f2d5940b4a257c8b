"""Step 2: live records that belong to exactly the same statistics are one bucket."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from foregone.engine.system.blueprint import Blueprint
from foregone.engine.system.tables import BoxTable, Tables
from foregone.solvers.arrays import Bools, Ints

TOGETHER = 1 << 22  # pairs of box and bucket looked at in one go


@dataclass(frozen=True, slots=True)
class Buckets:
    """Which bucket each live record is in, and the buckets of each box: `inside[ends[i]:ends[i + 1]]`, ascending."""

    number: int
    bucket_of: Ints
    ends: list[int]
    inside: Ints

    def of(self, box: int) -> Ints:
        return self.inside[self.ends[box] : self.ends[box + 1]]

    def summed(self, boxes: Ints, weights: Ints) -> tuple[Ints, Ints]:
        """A weighted sum of boxes: the buckets where it is not 0, and what a record adds there."""
        parts = [self.of(box) for box in boxes.tolist()]
        buckets, place = np.unique(np.concatenate([*parts, self.inside[:0]]), return_inverse=True)
        total = np.zeros(len(buckets), dtype=np.int64)
        np.add.at(total, place, np.repeat(weights, [len(part) for part in parts]))
        return buckets[total != 0], total[total != 0]


def find_buckets(plan: Blueprint, records: NDArray[Any], active: Bools) -> Buckets:
    """Group records by the active boxes, those that are not plain zeros, which they lie in."""
    if plan.tables is not None:
        return _by_table(plan.tables, records, active)
    signature = _signatures(plan, records, active)
    bucket_of, first = _group(signature)
    boxes = np.flatnonzero(active)
    octets = np.ascontiguousarray(signature[first].view(np.uint8).T)
    sizes, inside = np.zeros(len(active) + 1, dtype=np.int64), [np.zeros(0, dtype=np.int64)]
    step = max(1, TOGETHER // max(1, len(first)))
    for some in (boxes[start : start + step] for start in range(0, len(boxes), step)):
        member = (octets[some >> 3] >> (some & 7).astype(np.uint8)[:, None] & 1).view(bool)
        sizes[some + 1] = member.sum(axis=1)
        inside.append(np.flatnonzero(member) % max(1, len(first)))
    return Buckets(len(first), bucket_of, np.cumsum(sizes).tolist(), np.concatenate(inside))


def _by_table(tables: Tables, records: NDArray[Any], active: Bools) -> Buckets:
    """Buckets of records for the many boxes of a large workload: a record has a place in each table, or none."""
    counted = np.concatenate([active, np.zeros(_boxes(tables) - len(active), dtype=bool)])  # rules come last
    rng = np.random.default_rng(0)
    used = [(table, np.maximum.reduceat(counted[table.boxes], table.starts[:-1])) for table in tables.tables]
    used = [(table, open_) for table, open_ in used if open_.any()]

    def places(table: BoxTable, open_: Bools) -> Ints:
        place = tables.places(table, [records[:, c] for c in table.columns], len(records))
        return np.where((place >= 0) & open_[place], place, -1)

    while True:
        sums = np.zeros(len(records), dtype=np.uint64)
        for table, open_ in used:
            numbers = np.append(rng.integers(0, 1 << 63, table.places, dtype=np.uint64), np.uint64(0))
            sums += numbers[places(table, open_)]
        bucket_of, first = _numbered(sums)
        boxes, buckets = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
        for table, open_ in used:
            place = places(table, open_)
            if (place != place[first[bucket_of]]).any():  # two different buckets with one sum: next to never
                break
            mine = np.flatnonzero(place[first] >= 0)
            where = place[first][mine]
            sizes = table.starts[where + 1] - table.starts[where]
            at = np.repeat(table.starts[where] - np.cumsum(sizes) + sizes, sizes) + np.arange(sizes.sum())
            boxes.append(table.boxes[at])
            buckets.append(np.repeat(mine, sizes))
        else:
            break
    box, inside = np.concatenate(boxes), np.concatenate(buckets)
    box, inside = box[counted[box]], inside[counted[box]]
    order = np.argsort(box, kind="stable")
    ends = [0, *np.cumsum(np.bincount(box, minlength=len(active))).tolist()]
    return Buckets(len(first), bucket_of, ends, inside[order])


def _boxes(tables: Tables) -> int:
    return sum(len(table.boxes) for table in tables.tables)


def _signatures(plan: Blueprint, records: NDArray[Any], active: Bools) -> NDArray[np.uint64]:
    """For each record, one bit per active box: does it match? 64 boxes to a word."""
    words = plan.words[0].shape[1]
    used = np.zeros(64 * words, dtype=bool)
    used[: len(active)] = active
    signature = np.tile(np.packbits(used, bitorder="little").view(np.uint64), (len(records), 1))
    for column, table in enumerate(plan.words):
        signature &= table[records[:, column]]
    return signature


def _group(signature: NDArray[np.uint64]) -> tuple[Ints, Ints]:
    """Number the different signatures in the order in which they first occur."""
    _, first, bucket = np.unique(signature @ _weights(signature.shape[1]), return_index=True, return_inverse=True)
    if (signature != signature[first[bucket]]).any():  # two different signatures with one sum: next to never
        _, first, bucket = np.unique(signature, axis=0, return_index=True, return_inverse=True)
    return _in_order(first, bucket)


def _numbered(sums: NDArray[np.uint64]) -> tuple[Ints, Ints]:
    """Equal numbers get equal places, counted from 0."""
    _, first, bucket = np.unique(sums, return_index=True, return_inverse=True)
    return _in_order(first, bucket)


def _in_order(first: Ints, bucket: Ints) -> tuple[Ints, Ints]:
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return rank[bucket].astype(np.int64), first[order].astype(np.int64)


@cache
def _weights(words: int) -> NDArray[np.uint64]:
    return np.random.default_rng(0).integers(0, np.iinfo(np.uint64).max, words, dtype=np.uint64) | np.uint64(1)
