"""Is the whole dataset determined? If not, two datasets as far apart as possible."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from math import inf

import numpy as np
from numpy.typing import NDArray

from foregone.engine.bounds.prover import AtMost, Exceeds, Prover
from foregone.engine.system.decode import dataset_of
from foregone.engine.system.linear import MAX_RECORDS, LinearSystem
from foregone.engine.system.witness import Witness
from foregone.engine.witnesses.walks import walk
from foregone.model.claim import Verdict
from foregone.model.dataset import Dataset, Record
from foregone.model.predicate import Predicate
from foregone.model.statement import LARGEST
from foregone.questions.asked import Source, as_release
from foregone.questions.start import start
from foregone.solvers.answer import Undecided

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Pair = tuple[Witness, Witness]


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


def unique(release: Source, time_limit: float | None = 60.0, max_records: int = MAX_RECORDS) -> Uniqueness:
    """Decide uniqueness exactly, then look for the farthest pair until it is proved or time runs out."""
    prover = start(as_release(release), time_limit, max_records).prover
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


def _another(prover: Prover, first: Witness, lonely: Bools) -> Witness | Undecided | None:
    """A witness behind which a second dataset stands; None is a proof that there is none."""
    if not lonely[first.cells].all():
        return first
    walk(prover, first, 10)
    if len(prover.pool) > 1:
        return prover.pool.witnesses[1]
    empty = np.ones(prover.system.cells, dtype=np.int64)
    empty[first.cells] = 0
    questions = [(empty, 0)]
    for cell, count in zip(first.cells, first.counts.tolist(), strict=True):
        single = np.zeros(prover.system.cells, dtype=np.int64)
        single[cell] = 1
        questions += [(single, count), (-single, -count)]
    for objective, target in questions:
        answer = prover.at_most(objective, target)
        if not isinstance(answer, AtMost):
            return answer.witness if isinstance(answer, Exceeds) else answer
    return None


def _farthest(prover: Prover, lonely: Bools) -> Uniqueness:
    """Put two copies of the system side by side and maximise how little they share.

    Only cells that stand for a single record force two datasets to share records, namely min(x, y) of them. With u an
    upper limit on both, min(x, y) >= x + y - u, exact when u = 1. A slack s with x + y + s <= 2u, s <= u turns
    that into rows of the same kind, and the distance is (|x| + |y|) / 2 - sum(u - s).
    """
    system = prover.system
    walk(prover, prover.pool.witnesses[-1], 20)
    best = _best_known(prover, lonely)
    limit, reason = inf, "nothing published limits the number of records"
    if system.largest is not None and system.largest < LARGEST:
        best, limit, reason = _side_by_side(prover, best, lonely)
    elif system.largest is not None:
        limit, reason = float(system.largest), "the counts are too large to put two datasets side by side"
    distance = _distance(*best, lonely)
    first, second = _spell_out(system, best, lonely)
    for dataset in (first, second):
        if dataset.broken(system.release):
            raise AssertionError("a dataset failed its own re-tabulation; please report this release")
    if first.distance(second) != distance:
        raise AssertionError("two datasets are not as far apart as computed; please report this release")
    return Uniqueness(Verdict.REFUTED, first, second, distance, limit, reason)


def _side_by_side(prover: Prover, best: Pair, lonely: Bools) -> tuple[Pair, float, str]:
    """A pair as far apart as could be found, a proved limit on how far apart pairs can be, and why it may not be the least."""
    system = prover.system
    shared = np.flatnonzero(lonely)
    most = system.room()[shared]
    n = system.cells
    objective = np.concatenate([np.ones(2 * n, dtype=np.int64), np.full(len(shared), 2, dtype=np.int64)])
    twin = Prover(_pair_system(system, shared, most), prover.deadline)
    for x, y in (best, (best[0], best[0])):
        twin.pool.add(_join(x, y, shared, most, n))
    answer = twin.greatest(objective)
    for both in twin.pool:
        pair = _half(both, 0, n), _half(both, n, 2 * n)
        if _distance(*pair, lonely) > _distance(*best, lonely):
            best = pair
    match answer:
        case (value, _):
            return best, (value - 2 * sum(most.tolist())) / 2, ""
        case Undecided(reason=reason):
            return best, max((best[0].size + best[1].size) / 2, float(system.largest or 0)), reason
        case _:
            return best, inf, "nothing published limits the number of records"


def _half(both: Witness, start: int, end: int) -> Witness:
    some = (both.cells >= start) & (both.cells < end)
    return Witness(both.cells[some] - start, both.counts[some])


def _pair_system(system: LinearSystem, shared: Ints, most: Ints) -> LinearSystem:
    n, m, u = system.cells, system.rows, len(shared)
    place = np.full(n, -1)
    place[shared] = np.arange(u)
    columns: list[list[tuple[int, int]]] = []
    own = np.ones(len(system.members), dtype=np.int64) if system.weights is None else system.weights
    for copy in range(2):
        for j in range(n):
            entries = slice(system.starts[j], system.starts[j + 1])
            rows = zip((system.members[entries] + copy * m).tolist(), own[entries].tolist(), strict=True)
            columns.append([*rows, *([(2 * m + int(place[j]), 1)] if place[j] >= 0 else [])])
    columns += [[(2 * m + j, 1), (2 * m + u + j, 1)] for j in range(u)]
    sizes = np.array([len(rows) for rows in columns])
    zeros = np.zeros(2 * u, dtype=np.int64)
    none = np.zeros(0, dtype=np.int64)
    return replace(
        system,
        records=system.records[:0],
        cell_of=none,
        starts=np.concatenate([[0], np.cumsum(sizes)]),
        members=np.array([row for rows in columns for row, _ in rows], dtype=np.int64),
        weights=None if system.weights is None else np.array([weight for rows in columns for _, weight in rows], dtype=np.int64),
        low=np.concatenate([system.low, system.low, zeros]),
        high=np.concatenate([system.high, system.high, 2 * most, most]),
        low_source=none,
        high_source=none,
        cover=np.concatenate([system.cover, system.cover + m, 2 * m + u + np.arange(u)]),
        covered=np.ones(2 * n + u, dtype=bool),
        clauses=system.clauses.twice(u),
    )


def _join(x: Witness, y: Witness, shared: Ints, most: Ints, n: int) -> Witness:
    """Two witnesses as one of the pair system, with the largest slack they allow."""
    held = np.zeros(n, dtype=np.int64)
    for witness in (x, y):
        held[witness.cells] += witness.counts
    slack = np.minimum(most, 2 * most - held[shared])
    cells = np.concatenate([x.cells, y.cells + n, 2 * n + np.arange(len(shared))])
    return Witness.of_counts(cells, np.concatenate([x.counts, y.counts, slack]))


def _distance(x: Witness, y: Witness, lonely: Bools) -> float:
    common, at_x, at_y = np.intersect1d(x.cells, y.cells, assume_unique=True, return_indices=True)
    shared = np.minimum(x.counts[at_x], y.counts[at_y])[lonely[common]]
    common_records: int = sum(shared.tolist())
    return (x.size + y.size - 2 * common_records) / 2


def _best_known(prover: Prover, lonely: Bools) -> Pair:
    witnesses = prover.pool.witnesses
    pairs = [(x, y) for i, x in enumerate(witnesses) for y in witnesses[i:]]
    return max(pairs, key=lambda pair: _distance(pair[0], pair[1], lonely))


def _spell_out(system: LinearSystem, pair: Pair, lonely: Bools) -> tuple[Dataset, Dataset]:
    """Datasets that share nothing in cells that stand for two or more records: one takes the first, one another."""
    first = dataset_of(system, pair[0])
    kinds: Counter[Record] = Counter()
    for cell, count in zip(pair[1].cells.tolist(), pair[1].counts.tolist(), strict=True):
        alone = Witness(np.array([cell]), np.array([1]))
        ((base, _),) = dataset_of(system, alone).kinds
        if not lonely[cell]:
            fixed = Predicate.of(dict(zip(system.release.domain.names, base, strict=True)))
            ((base, _),) = dataset_of(system, alone, fixed, match=False).kinds
        kinds[base] += count
    return first, Dataset.of_kinds(system.release.domain, kinds)
