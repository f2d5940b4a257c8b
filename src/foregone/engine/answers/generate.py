"""Different datasets that fit a release, and a proof by exhaustion when there are no more."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from foregone.engine.answers.start import need_witness
from foregone.engine.bounds.prover import AtMost, Endless, Prover
from foregone.engine.case import Case
from foregone.engine.claims.walks import walk
from foregone.engine.system.decode import dataset_of, records_of
from foregone.engine.system.linear import LinearSystem
from foregone.engine.system.witness import Witness
from foregone.engine.witnesses.rounding import without
from foregone.model.dataset import Dataset, Record
from foregone.solvers.answer import NO_LIMIT, Undecided
from foregone.solvers.arrays import Ints
from foregone.solvers.deadline import Deadline

Whole = NDArray[Any]  # Python's own integers: sums of weights times counts can be of any size

MOST_PLACED = 20_000  # records placed one at a time; more of them, or weights, are counted by bucket
MOST_BUCKETS = 1_000  # the least and the greatest count of each is worked out
ENDLESS = 1 << 200  # beyond every sum


@dataclass(frozen=True, slots=True)
class Generated:
    """Different consistent datasets; `complete` is True when these are all there are, None when that is not known."""

    datasets: tuple[Dataset, ...]
    complete: bool | None

    def __repr__(self) -> str:
        return f"Generated({len(self.datasets):,} {'dataset' if len(self.datasets) == 1 else 'datasets'}, complete={self.complete})"


def generate(case: Case, k: int, apart: bool = True) -> Generated:
    """Up to k different datasets that fit: some that are far apart first, if wanted, then one after the other.

    `complete` tells whether these are all there are.
    """
    need_witness(case)
    prover, release = case.prover, case.release
    found: dict[Dataset, None] = {}

    def take(dataset: Dataset) -> bool:
        if dataset not in found:
            if dataset.broken(release):
                raise AssertionError("a dataset failed its own re-tabulation; please report this release")
            found[dataset] = None
        return len(found) > k  # one more than asked tells that there are more

    if apart:
        walk(prover, prover.pool.witnesses[0], 2 * k)
    for witness in prover.pool.witnesses[: k + 1]:
        take(dataset_of(prover.system, witness))
    complete: bool | None = False
    if len(found) <= k:
        complete = None
        for point in all_points(prover):
            if point is None or any(take(dataset) for dataset in expansions(prover.system, point, k + 1)):
                complete = None if point is None else False
                break
        else:
            complete = True
    return Generated(tuple(islice(found, k)), complete)


def all_points(prover: Prover) -> Iterator[Witness | None]:
    """Every consistent witness exactly once, in the way that suits the system; None, and the end, when it cannot go on."""
    if prover.system.weights is None and prover.pool.witnesses[0].size <= MOST_PLACED:
        hold = prover.system.clauses.hold
        return (point for point in points(prover.system, prover.deadline) if point is None or hold(point))
    return points_by_count(prover)


def points(system: LinearSystem, deadline: Deadline) -> Iterator[Witness | None]:
    """Every dataset that fits a system of counts, exactly once, built one record at a time.

    Some row still needs a record. Among the buckets of that row, branch on the first one used: it gets one record, and
    the buckets before it get none. When nothing is needed any more, the same is done over all buckets that are left.
    """
    stack = [(system, np.arange(system.buckets), np.zeros(0, dtype=np.int64))]
    while stack:
        if deadline.passed():
            yield None
            return
        rest, names, placed = stack.pop()
        row_of = np.bincount(rest.members, minlength=rest.rows)
        needy = np.flatnonzero(rest.low > 0)
        if len(needy) and (row_of[needy] == 0).any():
            continue
        if len(needy):
            row = int(needy[np.argmin(row_of[needy])])
            choices = rest.touched(row)
        else:
            yield Witness.of_records(placed)
            choices = np.arange(rest.buckets)
        for at in range(len(choices) - 1, -1, -1):
            keep = np.ones(rest.buckets, dtype=bool)
            keep[choices[:at]] = False
            smaller, kept = without(rest, Witness.of_records(choices[at : at + 1]), keep)
            stack.append((smaller, names[kept], np.append(placed, names[choices[at]])))


def expansions(system: LinearSystem, witness: Witness, most: int) -> Iterator[Dataset]:
    """Datasets behind one witness: every choice of a record for each entry, order not mattering.

    A bucket can stand for very many records; `most` of them are enough to make more than `most` - 1 datasets.
    """
    domain = system.release.domain
    options = [list(islice(records_of(system, bucket), most)) for bucket in witness.buckets.tolist()]
    for chosen in _choices(options, witness.counts.tolist()):
        yield Dataset.of_kinds(domain, chosen)


def _choices(options: list[list[Record]], counts: list[int]) -> Iterator[Counter[Record]]:
    """Every way to pick so many records for each bucket, order not mattering."""
    if not options:
        yield Counter()
        return
    for tail in _choices(options[1:], counts[1:]):
        for picked in _divisions(options[0], counts[0]):
            yield tail + picked


def _divisions(kinds: list[Record], count: int) -> Iterator[Counter[Record]]:
    """Every way to divide so many records among kinds; they are never listed one by one, for there may be a billion."""
    if len(kinds) == 1:
        yield Counter({kinds[0]: count})
        return
    for first in range(count, -1, -1):
        for rest in _divisions(kinds[1:], count - first):
            yield Counter({kinds[0]: first}) + rest


def points_by_count(prover: Prover) -> Iterator[Witness | None]:
    """Every consistent witness once, where there are weights, or too many records to place one at a time: bucket by bucket.

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
    part = prover.system.part(prover.system.count_in(buckets) > 0)
    if isinstance(most, Endless):
        start, end = 0, prover.pool.witnesses[0].size + 1
        while True:
            for point in _between(part, start, end, *ranges, deadline):
                if point is None:
                    yield None
                    return
                yield point.among(buckets)
            start, end = end + 1, 2 * end
    for point in _between(part, 0, most[0], *ranges, deadline):
        yield None if point is None else point.among(buckets)


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
            answer = prover.greatest(sign * prover.system.count_in(bucket))
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
    stack = [iter(_counts_left(matrix, low, high, floor, ceiling))]
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
        stack.append(iter(_counts_left(matrix[:, rest], low - used, high - used, floor[rest], ceiling[rest])))


def _counts_left(matrix: Whole, low: Whole, high: Whole, floor: Whole, ceiling: Whole) -> range:
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
