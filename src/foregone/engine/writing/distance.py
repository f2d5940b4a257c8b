"""Write down how far apart two datasets that fit can be: two that are, and a proof that no two are farther (docs/proofs.md)."""

from __future__ import annotations

from typing import Any

import numpy as np

from foregone.checker import digest
from foregone.checker.verdicts.distance import FORMAT, VERSION
from foregone.engine.bounds.prover import AtMost, Prover
from foregone.engine.bounds.trees import Form, Lemma, Tree
from foregone.engine.case import Case
from foregone.engine.pairs import MANY, NO_END, lonely_buckets, ranges
from foregone.engine.system.decode import records_of, witness_of
from foregone.engine.system.linear import MAX_RECORDS
from foregone.engine.writing.datasets import listed_dataset
from foregone.engine.writing.pair_release import KindRange, PairRelease, pair_release
from foregone.engine.writing.proofs import proofs_of_bounds
from foregone.model.dataset import Dataset
from foregone.model.errors import TooLargeError, UndecidedError
from foregone.model.predicate import Predicate
from foregone.model.release import Release
from foregone.solvers.arrays import Ints
from foregone.solvers.deadline import Deadline
from foregone.version import __version__

Json = dict[str, Any]

Pair = tuple[Dataset, Dataset]

RANGES = 0.3  # share of the time for how many records of each kind there can be


def distance_proof(
    release: Release,
    first: Dataset,
    second: Dataset,
    limit: float,
    time_limit: float | None = None,
    max_records: int = MAX_RECORDS,
) -> Json:
    """Two datasets that fit; and that no two are farther apart than the limit, or why that is not written."""
    steps, kinds, proof = list[Json](), list[Json](), Json(unknown=NO_END)
    if limit < MANY:
        try:
            case = Case(release, time_limit, max_records)
            steps, kinds, proof = _limit_proof(case, (first, second), int(2 * limit))
        except (UndecidedError, TooLargeError) as error:
            proof = {"unknown": f"its proof was not found ({error})"}
    content: Json = {
        "format": FORMAT,
        "version": VERSION,
        "tool": f"foregone {__version__}",
        "release": release.fingerprint(),
        "steps": steps,
        "kinds": kinds,
        "witnesses": [listed_dataset(data) for data in (first, second)],
        "limit": proof,
    }
    return {**content, "digest": digest(content)}


def _limit_proof(case: Case, pair: Pair, twice: int) -> tuple[list[Json], list[Json], Json]:
    """The steps and the ranges of kinds of record, all about one dataset; and what follows about two."""
    prover, system, release = case.prover, case.system, case.system.release
    for data in pair:
        _begin(prover, data)
    lonely = lonely_buckets(system)
    least, most = ranges(prover, RANGES)
    kinds, trees = list[KindRange](), list[Tree]()
    for bucket in np.flatnonzero(lonely).tolist():
        (record,) = records_of(system, bucket)
        kind = KindRange(record, int(least[bucket]), int(most[bucket]))
        single = system.count_in(bucket)
        kinds.append(kind)
        trees += [_proved(prover, -single, -kind.low), _proved(prover, single, kind.high)]
    steps, written = proofs_of_bounds(case, trees)
    listed = [
        {"record": list(kind.record), "low": kind.low, "high": kind.high, "lower": lower, "upper": upper}
        for kind, lower, upper in zip(kinds, written[::2], written[1::2], strict=True)
    ]
    return steps, listed, _about_pairs(pair_release(release, kinds), pair, twice, release.size_range, case.deadline)


def _about_pairs(made: PairRelease, pair: Pair, twice: int, sizes: tuple[int, int | None], deadline: Deadline) -> Json:
    """No two datasets are farther apart, proved about one dataset of the release for pairs."""
    case = Case(made.release, deadline)
    prover, system = case.prover, case.system
    _begin(prover, made.joined(*pair))
    if sizes[0] == sizes[1]:  # then the distance is a whole number: the records that are not shared
        shared = -sum((_weights(prover, both) for both in made.shared), np.zeros(system.buckets, dtype=np.int64))
        target = twice // 2 - sizes[0]
        prover.known.learn(Lemma(Form.of(shared), target, _proved(prover, shared, target)))
    objective = sum((weight * _weights(prover, where) for weight, where in made.twice), np.zeros(system.buckets, dtype=np.int64))
    steps, (tree,) = proofs_of_bounds(case, [_proved(prover, objective, twice)])
    return {"twice": twice, "steps": steps, "proof": tree}


def _begin(prover: Prover, data: Dataset) -> None:
    """A dataset that is known to fit; two may look the same to the prover, which keeps one."""
    witness = witness_of(prover.system, data)
    if witness is None or prover.system.consistent([witness]) != [True]:
        raise AssertionError("a dataset that was found does not fit; please report this release")
    prover.pool.add(witness)


def _weights(prover: Prover, where: Predicate) -> Ints:
    whole, _ = prover.system.footprint(where)
    return whole.astype(np.int64)


def _proved(prover: Prover, objective: Ints, target: int) -> Tree:
    """What is known to hold, with its proof; it is not looked for a dataset that breaks it."""
    leaf, _ = prover.known.settle(objective, target)
    if leaf is not None:
        return leaf
    found = prover.searched(objective, target)
    if not isinstance(found, AtMost):
        raise UndecidedError(getattr(found, "reason", "a dataset was found that breaks it"))
    return found.proof
