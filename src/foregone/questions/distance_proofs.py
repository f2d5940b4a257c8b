"""Write down how far apart two datasets that fit can be: two that are, and a proof that no two are farther (docs/proofs.md)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from foregone.checker.distance import FORMAT, VERSION
from foregone.checker.seal import digest
from foregone.engine.bounds.prover import AtMost, Prover
from foregone.engine.bounds.trees import Form, Lemma, Tree
from foregone.engine.pairs import lonely_cells, ranges
from foregone.engine.session import open_session
from foregone.engine.system.decode import records_of, witness_of
from foregone.model.dataset import Dataset
from foregone.model.errors import UndecidedError
from foregone.model.predicate import Predicate
from foregone.model.release import Release
from foregone.questions.pair_release import KindRange, PairRelease, pair_release
from foregone.questions.proofs import proofs_of_bounds
from foregone.questions.witnesses_listed import listed_dataset
from foregone.solvers.deadline import Deadline
from foregone.version import __version__

Ints = NDArray[np.int64]
Json = dict[str, Any]

RANGES = 0.3  # share of the time for how many records of each kind there can be
NO_TIME = "the proof of the limit took too long"


def distance_proof(release: Release, first: Dataset, second: Dataset, limit: float, time_limit: float | None = None) -> Json:
    """Two datasets that fit; and that no two are farther apart than the limit, or why that is not written."""
    deadline = Deadline.after(time_limit)
    try:
        steps, kinds, proof = _limit_proof(release, (first, second), int(2 * limit), deadline)
    except UndecidedError as error:
        steps, kinds, proof = [], [], {"unknown": f"{NO_TIME}: {error}"}
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


def _limit_proof(
    release: Release, pair: tuple[Dataset, Dataset], twice: int, deadline: Deadline
) -> tuple[list[Json], list[Json], Json]:
    """The steps and the ranges of kinds of record, all about one dataset; and what follows about two."""
    session = open_session(release, deadline)
    prover, system = session.prover, session.system
    for data in pair:
        witness = witness_of(system, data)
        if witness is None or not prover.pool.add(witness):
            raise AssertionError("a dataset that was found does not fit; please report this release")
    lonely = lonely_cells(system)
    least, most = ranges(prover, RANGES)
    kinds, trees = list[KindRange](), list[Tree]()
    for cell in np.flatnonzero(lonely).tolist():
        (record,) = records_of(system, cell)
        kind = KindRange(record, int(least[cell]), int(most[cell]))
        single = np.zeros(system.cells, dtype=np.int64)
        single[cell] = 1
        kinds.append(kind)
        trees += [_proved(prover, -single, -kind.low), _proved(prover, single, kind.high)]
    steps, written = proofs_of_bounds(system, prover.lemmas, trees)
    listed = [
        {"record": list(kind.record), "low": kind.low, "high": kind.high, "lower": lower, "upper": upper}
        for kind, lower, upper in zip(kinds, written[::2], written[1::2], strict=True)
    ]
    return steps, listed, _about_pairs(pair_release(release, kinds), release, pair, twice, deadline)


def _about_pairs(made: PairRelease, release: Release, pair: tuple[Dataset, Dataset], twice: int, deadline: Deadline) -> Json:
    """No two datasets are farther apart, proved about one dataset of the release for pairs."""
    prover = open_session(made.release, deadline).prover
    system = prover.system
    witness = witness_of(system, made.joined(*pair))
    if witness is None or not prover.pool.add(witness):
        raise AssertionError("two datasets that fit do not fit the release for pairs; please report this release")
    least, most = release.size_range
    if least == most:  # then the distance is a whole number: the records that are not shared
        shared = -sum((_weights(prover, both) for both in made.shared), np.zeros(system.cells, dtype=np.int64))
        target = twice // 2 - least
        prover.known.learn(Lemma(Form.of(shared), target, _proved(prover, shared, target)))
    objective = sum((weight * _weights(prover, where) for weight, where in made.twice), np.zeros(system.cells, dtype=np.int64))
    steps, (tree,) = proofs_of_bounds(system, prover.lemmas, [_proved(prover, objective, twice)])
    return {"twice": twice, "steps": steps, "proof": tree}


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
