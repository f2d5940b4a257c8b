"""Every dataset of a system that has weights, or counts too large to place records one at a time: bucket by bucket, by count."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from foregone.engine.bounds.prover import AtMost, Endless, Prover
from foregone.engine.system.linear import LinearSystem
from foregone.engine.system.witness import Witness
from foregone.solvers.answer import NO_LIMIT, Undecided
from foregone.solvers.arrays import Ints
from foregone.solvers.deadline import Deadline

Whole = NDArray[Any]  # Python's own integers: sums of weights times counts can be of any size

MOST_BUCKETS = 1_000  # the least and the greatest count of each is worked out
ENDLESS = 1 << 200  # beyond every sum


def points_by_count(prover: Prover) -> Iterator[Witness | None]:
    """Every consistent witness exactly once; None, and the end, when it cannot go on.

    Where there is no largest dataset they come in order of size, roughly, and never end.
    """
    deadline = prover.deadline
    buckets = _occupied(prover)
    few = buckets is not None and len(buckets) <= MOST_BUCKETS
    most = prover.greatest(np.ones(prover.system.buckets, dtype=np.int64)) if few else Undecided("too large")
    ranges = None if buckets is None or isinstance(most, Undecided) else _ranges(prover, buckets)
    if buckets is None or isinstance(most, Undecided) or ranges is None:
        yield None
        return
    kept = np.zeros(prover.system.buckets, dtype=bool)
    kept[buckets] = True
    part = prover.system.part(kept)
    if isinstance(most, Endless):
        start, end = 0, prover.pool.witnesses[0].size + 1
        while True:
            for point in _between(part, start, end, *ranges, deadline):
                yield _placed(point, buckets)
                if point is None:
                    return
            start, end = end + 1, 2 * end
    for point in _between(part, 0, most[0], *ranges, deadline):
        yield _placed(point, buckets)


def _placed(point: Witness | None, buckets: Ints) -> Witness | None:
    """A witness of the part as one of the whole."""
    return None if point is None else Witness(buckets[point.buckets], point.counts)


def _occupied(prover: Prover) -> Ints | None:
    """The buckets that hold a record in some dataset; that all others are empty in every one is proved. None: undecided."""
    while not prover.pool.occupied.all():
        answer = prover.at_most((~prover.pool.occupied).astype(np.int64), 0)
        if isinstance(answer, Undecided):
            return None
        if isinstance(answer, AtMost):
            break
    return np.flatnonzero(prover.pool.occupied)


def _ranges(prover: Prover, buckets: Ints) -> tuple[Whole, Whole] | None:
    """The least and the greatest count of these buckets, proved, so that no count is tried in vain for long."""
    found: list[list[int]] = []
    for sign in (-1, 1):
        found.append([])
        for bucket in buckets.tolist():
            objective = np.zeros(prover.system.buckets, dtype=np.int64)
            objective[bucket] = sign
            answer = prover.greatest(objective)
            if isinstance(answer, Undecided):
                return None
            found[-1].append(ENDLESS if isinstance(answer, Endless) else sign * answer[0])
    return np.array(found[0], dtype=object), np.array(found[1], dtype=object)


def _between(
    system: LinearSystem, least: int, most: int, floor: Whole, ceiling: Whole, deadline: Deadline
) -> Iterator[Witness | None]:
    """Every consistent witness with `least` to `most` records, once; None, and the end, when time runs out.

    The count of one bucket after the other is fixed, within what each row allows if the buckets after it take as much, or as
    little, as they can. The number of records is one more row, so every bucket has a limit.
    """
    everyone = np.ones((1, system.buckets), dtype=np.int64)
    matrix = np.concatenate([system.columns(np.arange(system.buckets)), everyone]).astype(object)
    low, high = np.append(system.low.astype(object), least), np.append(system.high.astype(object), most)
    low[low == -NO_LIMIT], high[high == NO_LIMIT] = -ENDLESS, ENDLESS
    ceiling = np.minimum(ceiling, most)
    counts = np.zeros(system.buckets, dtype=np.int64)
    stack = [iter(_choices(matrix, low, high, floor, ceiling))]
    while stack:
        if deadline.passed():
            yield None
            return
        bucket = len(stack) - 1
        if bucket == system.buckets:
            stack.pop()
            witness = Witness.of_counts(np.arange(system.buckets), counts.copy())
            if system.consistent([witness]) == [True] and least <= witness.size <= most:
                yield witness
            continue
        counts[bucket] = next(stack[-1], -1)
        if counts[bucket] < 0:
            stack.pop()
            continue
        used = matrix[:, : bucket + 1] @ counts[: bucket + 1].astype(object)
        rest = slice(bucket + 1, None)
        stack.append(iter(_choices(matrix[:, rest], low - used, high - used, floor[rest], ceiling[rest])))


def _choices(matrix: Whole, low: Whole, high: Whole, floor: Whole, ceiling: Whole) -> range:
    """The counts of the first bucket that the limits leave possible, as far as each row tells on its own."""
    if not matrix.shape[1]:
        return range(0)
    one, other = matrix[:, 1:] * floor[1:], matrix[:, 1:] * ceiling[1:]
    more, less = np.maximum(one, other).sum(axis=1), np.minimum(one, other).sum(axis=1)
    first, last = floor[0], ceiling[0]
    for weight, least, most in zip(matrix[:, 0], low - more, high - less, strict=True):
        if least > most or (not weight and not least <= 0 <= most):
            return range(0)
        if weight:
            nearest, farthest = (least, most) if weight > 0 else (most, least)
            first, last = max(first, -(-nearest // weight)), min(last, farthest // weight)  # rounded up, rounded down
    return range(first, last + 1)
