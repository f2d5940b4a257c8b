"""Different datasets that fit a release, and a proof by exhaustion when there are no more."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np

from foregone.engine.answers.counting import points_by_count
from foregone.engine.answers.start import need_witness
from foregone.engine.bounds.prover import Prover
from foregone.engine.case import Case
from foregone.engine.claims.walks import walk
from foregone.engine.system.decode import dataset_of, records_of
from foregone.engine.system.linear import LinearSystem
from foregone.engine.system.witness import Witness
from foregone.engine.witnesses.rounding import without
from foregone.model.dataset import Dataset, Record
from foregone.solvers.deadline import Deadline

MOST_PLACED = 20_000  # records placed one at a time; more of them, or weights, are counted by bucket


@dataclass(frozen=True, slots=True)
class Generated:
    """Different consistent datasets; `complete` is True when these are all there are, None when that is not known."""

    datasets: tuple[Dataset, ...]
    complete: bool | None

    def __repr__(self) -> str:
        return f"Generated({len(self.datasets):,} {'dataset' if len(self.datasets) == 1 else 'datasets'}, complete={self.complete})"


def generate(case: Case, k: int) -> Generated:
    """Up to k different datasets that fit: some that are far apart first, then one after the other.

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
            choices = np.searchsorted(rest.starts, np.flatnonzero(rest.members == row), side="right") - 1
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
