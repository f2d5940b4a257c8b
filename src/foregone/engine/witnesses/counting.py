"""Every dataset of a system that has weights, or counts too large to place records one at a time: cell by cell, by count."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from foregone.engine.system.linear import LinearSystem
from foregone.engine.system.witness import Witness
from foregone.solvers.answer import NO_LIMIT
from foregone.solvers.deadline import Deadline

Whole = NDArray[Any]  # Python's own integers: sums of weights times counts can be of any size

MOST_ENTRIES = 5_000_000  # of the matrix, which is written out
ENDLESS = 1 << 200  # beyond every sum


def points_by_count(system: LinearSystem, least: int, most: int, deadline: Deadline) -> Iterator[Witness | None]:
    """Every consistent witness with `least` to `most` records, once; None, and the end, when time runs out or it is too large.

    The count of one cell after the other is fixed, within what the rows allow if all cells after it take as much, or as
    little, as fits. The number of records is one more row, so every cell has a limit.
    """
    if system.cells * (system.rows + 1) > MOST_ENTRIES:
        yield None
        return
    matrix = np.concatenate([system.columns(np.arange(system.cells)), np.ones((1, system.cells), dtype=np.int64)]).astype(object)
    low = np.append(system.low.astype(object), least)
    high = np.append(system.high.astype(object), most)
    low[low == -NO_LIMIT] = -ENDLESS
    high[high == NO_LIMIT] = ENDLESS
    counts = np.zeros(system.cells, dtype=np.int64)
    stack = [iter(_choices(matrix, low, high))]
    while stack:
        if deadline.passed():
            yield None
            return
        cell = len(stack) - 1
        if cell == system.cells:
            stack.pop()
            if _fits(matrix, counts, low, high):
                yield Witness.of_counts(np.arange(system.cells), counts.copy())
            continue
        counts[cell] = next(stack[-1], -1)
        if counts[cell] < 0:
            stack.pop()
            continue
        used = matrix[:, : cell + 1] @ counts[: cell + 1].astype(object)
        stack.append(iter(_choices(matrix[:, cell + 1 :], low - used, high - used)))


def _fits(matrix: Whole, counts: Whole, low: Whole, high: Whole) -> bool:
    sums = matrix @ counts.astype(object)
    return bool((sums >= low).all() and (sums <= high).all())


def _choices(matrix: Whole, low: Whole, high: Whole) -> range:
    """The counts of the first cell that the limits leave possible, as far as each row tells on its own."""
    if not matrix.shape[1]:
        return range(0)
    positive = (matrix >= 0).all(axis=1) & (high < ENDLESS // 2)
    limits = [[h // w for h, w in zip(high[positive], column[positive], strict=True) if w] for column in matrix.T]
    room = np.array([max(0, min(some)) for some in limits], dtype=object)
    rest = matrix[:, 1:] * room[1:]
    more, less = np.maximum(rest, 0).sum(axis=1), np.minimum(rest, 0).sum(axis=1)
    first, last = 0, int(room[0])
    for weight, least, most in zip(matrix[:, 0], low - more, high - less, strict=True):
        if least > most or (not weight and not least <= 0 <= most):
            return range(0)
        if weight:
            nearest, farthest = (least, most) if weight > 0 else (most, least)
            first, last = max(first, -(-nearest // weight)), min(last, farthest // weight)  # rounded up, rounded down
    return range(first, last + 1)
