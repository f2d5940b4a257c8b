"""Step 2: live records that belong to exactly the same statistics are one cell."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from foregone.engine.system.blueprint import Blueprint, Bools

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Cells:
    """Which cell each live record is in, and the cells of each box: `inside[ends[i]:ends[i + 1]]`, ascending."""

    number: int
    cell_of: Ints
    ends: list[int]
    inside: Ints

    def of(self, box: int) -> Ints:
        return self.inside[self.ends[box] : self.ends[box + 1]]

    def summed(self, boxes: Ints, weights: Ints) -> tuple[Ints, Ints]:
        """A weighted sum of boxes: the cells where it is not 0, and what a record adds there."""
        parts = [self.of(box) for box in boxes.tolist()]
        cells, place = np.unique(np.concatenate([*parts, self.inside[:0]]), return_inverse=True)
        total = np.zeros(len(cells), dtype=np.int64)
        np.add.at(total, place, np.repeat(weights, [len(part) for part in parts]))
        return cells[total != 0], total[total != 0]


def find_cells(plan: Blueprint, records: NDArray[np.int16], active: Bools) -> Cells:
    """Group records by the active boxes, those that are not plain zeros, which they lie in."""
    signature = _signatures(plan, records, active)
    cell_of, first = _group(signature)
    boxes = np.flatnonzero(active)
    octets = np.ascontiguousarray(signature[first].view(np.uint8).T)
    member = (octets[boxes >> 3] >> (boxes & 7).astype(np.uint8)[:, None] & 1).view(bool)
    sizes = np.zeros(len(active) + 1, dtype=np.int64)
    sizes[boxes + 1] = member.sum(axis=1)
    return Cells(len(first), cell_of, np.cumsum(sizes).tolist(), np.flatnonzero(member) % max(1, len(first)))


def _signatures(plan: Blueprint, records: NDArray[np.int16], active: Bools) -> NDArray[np.uint64]:
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
    _, first, cell = np.unique(signature @ _weights(signature.shape[1]), return_index=True, return_inverse=True)
    if (signature != signature[first[cell]]).any():  # two different signatures with one sum: next to never
        _, first, cell = np.unique(signature, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return rank[cell].astype(np.int64), first[order].astype(np.int64)


@cache
def _weights(words: int) -> NDArray[np.uint64]:
    return np.random.default_rng(0).integers(0, np.iinfo(np.uint64).max, words, dtype=np.uint64) | np.uint64(1)
