"""Is the whole dataset determined? If not, two datasets as far apart as possible."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from foregone.engine.bounds.prover import AtMost, Exceeds, Prover
from foregone.engine.session import start
from foregone.engine.system.linear import MAX_RECORDS, LinearSystem
from foregone.engine.witnesses.pool import dataset_of
from foregone.engine.witnesses.walks import walk
from foregone.model.claim import Verdict
from foregone.model.dataset import Dataset
from foregone.model.predicate import Predicate
from foregone.model.release import Release
from foregone.solvers.answer import Undecided

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Uniqueness:
    """Verified: `first` is the only dataset. Refuted: `first` and `second` both fit and are `distance` apart.

    The distance is half the L1 distance of the histograms: how many records must change. `limit` is a proved upper
    limit on it over all pairs; the pair is as far apart as can be when the two are equal.
    """

    verdict: Verdict
    first: Dataset
    second: Dataset | None = None
    distance: float = 0.0
    limit: float = 0.0
    reason: str = ""

    @property
    def farthest(self) -> bool:
        return self.distance == self.limit


def unique(release: Release, time_limit: float | None = 60.0, max_records: int = MAX_RECORDS) -> Uniqueness:
    """Decide uniqueness exactly, then look for the farthest pair until it is proved or time runs out."""
    prover = start(release, time_limit, max_records)
    system = prover.system
    first = prover.pool.witnesses[0]
    lonely = _kinds(system) == 1
    other = _another(prover, first, lonely)
    if isinstance(other, Undecided):
        return Uniqueness(Verdict.UNDECIDED, dataset_of(system, first), reason=other.reason)
    if other is None:
        return Uniqueness(Verdict.VERIFIED, dataset_of(system, first))
    return _farthest(prover, lonely)


def _kinds(system: LinearSystem) -> Ints:
    """How many different records a cell stands for, 2 meaning two or more."""
    sizes = np.ones(len(system.records), dtype=np.int64)
    for column, groups in enumerate(system.atoms.groups):
        many = np.array([1 if group & (group - 1) == 0 else 2 for group in groups])
        sizes = np.minimum(sizes * many[system.records[:, column]], 2)
    return np.minimum(np.bincount(system.cell_of, sizes, system.cells), 2).astype(np.int64)


def _another(prover: Prover, first: Ints, lonely: NDArray[np.bool_]) -> Ints | Undecided | None:
    """A list of cells behind which a second dataset stands; None is a proof that there is none."""
    if not lonely[first].all():
        return first
    walk(prover, first, 10)
    if len(prover.pool) > 1:
        return prover.pool.witnesses[1]
    counts = np.bincount(first, minlength=prover.system.cells)
    questions = [((counts == 0).astype(np.int64), 0)]
    for cell in np.unique(first):
        single = np.zeros(prover.system.cells, dtype=np.int64)
        single[cell] = 1
        questions += [(single, int(counts[cell])), (-single, -int(counts[cell]))]
    for objective, target in questions:
        answer = prover.at_most(objective, target)
        if not isinstance(answer, AtMost):
            return answer.witness if isinstance(answer, Exceeds) else answer
    return None


def _farthest(prover: Prover, lonely: NDArray[np.bool_]) -> Uniqueness:
    """Put two copies of the system side by side and maximise how little they share.

    Only cells that stand for a single record force two datasets to share records, namely min(x, y) of them. With u an
    upper limit on both, min(x, y) >= x + y - u, exact when u = 1. A slack s with x + y + s <= 2u, s <= u turns
    that into rows of zeros and ones, and the distance is (|x| + |y|) / 2 - sum(u - s).
    """
    system = prover.system
    walk(prover, prover.pool.witnesses[-1], 20)
    shared = np.flatnonzero(lonely)
    most = system.room()[shared]
    pair = _pair_system(system, shared, most)
    n = system.cells
    objective = np.concatenate([np.ones(2 * n, dtype=np.int64), np.full(len(shared), 2, dtype=np.int64)])
    twin = Prover(pair, prover.deadline)
    best = _best_known(prover, lonely)
    for x, y in (best, (best[0], best[0])):
        twin.pool.add(_join(x, y, shared, most, n))
    answer = twin.greatest(objective)
    for cells in twin.pool:
        x, y = cells[cells < n], cells[(cells >= n) & (cells < 2 * n)] - n
        if _distance(x, y, lonely) > _distance(*best, lonely):
            best = (x, y)
    distance = _distance(*best, lonely)
    if isinstance(answer, Undecided):
        limit, reason = (len(best[0]) + len(best[1])) / 2, answer.reason
        limit = max(limit, float(system.largest))
    else:
        limit, reason = (answer[0] - 2 * int(most.sum())) / 2, ""
    first, second = _spell_out(system, best, lonely)
    for dataset in (first, second):
        if dataset.broken(system.release):
            raise AssertionError("a dataset failed its own re-tabulation; please report this release")
    if first.distance(second) != distance:
        raise AssertionError("two datasets are not as far apart as computed; please report this release")
    return Uniqueness(Verdict.REFUTED, first, second, distance, limit, reason)


def _pair_system(system: LinearSystem, shared: Ints, most: Ints) -> LinearSystem:
    n, m, u = system.cells, system.rows, len(shared)
    place = np.full(n, -1)
    place[shared] = np.arange(u)
    columns: list[list[int]] = []
    for copy in range(2):
        for j in range(n):
            rows = (system.members[system.starts[j] : system.starts[j + 1]] + copy * m).tolist()
            columns.append(rows + ([2 * m + int(place[j])] if place[j] >= 0 else []))
    columns += [[2 * m + j, 2 * m + u + j] for j in range(u)]
    sizes = np.array([len(rows) for rows in columns])
    zeros = np.zeros(2 * u, dtype=np.int64)
    none = np.zeros(0, dtype=np.int64)
    return replace(
        system,
        records=system.records[:0],
        cell_of=none,
        starts=np.concatenate([[0], np.cumsum(sizes)]),
        members=np.array([row for rows in columns for row in rows], dtype=np.int64),
        low=np.concatenate([system.low, system.low, zeros]),
        high=np.concatenate([system.high, system.high, 2 * most, most]),
        low_source=none,
        high_source=none,
        cover=np.concatenate([system.cover, system.cover + m, 2 * m + u + np.arange(u)]),
    )


def _join(x: Ints, y: Ints, shared: Ints, most: Ints, n: int) -> Ints:
    """Two lists of cells as one of the pair system, with the largest slack they allow."""
    both = np.bincount(np.concatenate([x, y]), minlength=n)[shared]
    slack = np.minimum(most, 2 * most - both)
    return np.concatenate([x, y + n, np.repeat(2 * n + np.arange(len(shared)), slack)])


def _distance(x: Ints, y: Ints, lonely: NDArray[np.bool_]) -> float:
    size = int(max(x.max(initial=0), y.max(initial=0))) + 1
    shared = np.minimum(np.bincount(x, minlength=size), np.bincount(y, minlength=size))
    return (len(x) + len(y)) / 2 - int(shared[lonely[:size]].sum())


def _best_known(prover: Prover, lonely: NDArray[np.bool_]) -> tuple[Ints, Ints]:
    witnesses = prover.pool.witnesses
    pairs = [(x, y) for i, x in enumerate(witnesses) for y in witnesses[i:]]
    return max(pairs, key=lambda pair: _distance(pair[0], pair[1], lonely))


def _spell_out(system: LinearSystem, pair: tuple[Ints, Ints], lonely: NDArray[np.bool_]) -> tuple[Dataset, Dataset]:
    """Datasets that share nothing in cells that stand for two or more records: one takes the first, one another."""
    first, second = (dataset_of(system, cells) for cells in pair)
    records = []
    for cell in pair[1]:
        base = dataset_of(system, np.array([cell])).records[0]
        if not lonely[cell]:
            fixed = Predicate.of(dict(zip(system.release.domain.names, base, strict=True)))
            base = dataset_of(system, np.array([cell]), fixed, match=False).records[0]
        records.append(base)
    second = Dataset.of(system.release.domain, records)
    return first, second
