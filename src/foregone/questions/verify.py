"""One claim at a time: verify it, or bound the count of any predicate, with exact answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from foregone.engine.bounds.prover import AtMost, Exceeds, Prover, Split
from foregone.engine.bounds.rowspace import Combination, RowSpace
from foregone.engine.claims.audit_loop import Between
from foregone.engine.session import start
from foregone.engine.system.linear import MAX_RECORDS
from foregone.engine.witnesses.pool import dataset_of
from foregone.engine.witnesses.walks import walk
from foregone.model.claim import Claim, Finding, Ground, Verdict
from foregone.model.errors import UndecidedError
from foregone.model.predicate import Predicate
from foregone.model.release import Release
from foregone.questions.proofs import proof_of_claim
from foregone.questions.witnesses_listed import one_witness
from foregone.solvers.answer import Undecided

Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]
Condition = Predicate | Mapping[str, str | Iterable[str]]


def as_predicate(condition: Condition) -> Predicate:
    return condition if isinstance(condition, Predicate) else Predicate.of(condition)


def verify(
    release: Release,
    condition: Condition,
    count: int,
    time_limit: float | None = None,
    max_records: int = MAX_RECORDS,
) -> Finding:
    """Is it certain that exactly `count` records match?

    >>> from foregone import Domain, Predicate, Release, Statistic
    >>> domain = Domain.of({"SEX": ["F", "M"], "AGE": ["young", "old"]})
    >>> release = Release(domain, (Statistic.exact(Predicate(), 3), Statistic.exact(Predicate.of({"SEX": "F"}), 2)))
    >>> verify(release, {"SEX": "M"}, 1).verdict.value
    'verified'
    >>> verify(release, {"AGE": "old"}, 1).verdict.value
    'refuted'
    """
    predicate = as_predicate(condition)
    masks = predicate.masks(release.domain)
    prover = start(release, time_limit, max_records)
    claim = Claim(predicate, count)
    walk(prover, prover.pool.witnesses[0], 3)
    whole, some = prover.system.footprint(predicate)
    for cells in prover.pool:
        if int(some[cells].sum()) != count or int(whole[cells].sum()) != count:
            return _refuted(prover, claim, cells, some)
    everywhere = np.ones(prover.system.cells, dtype=bool)
    combination = RowSpace(prover.system, everywhere).express(whole) if (whole == some).all() else None
    if combination is not None:
        published = any(
            known == masks and statistic.low == statistic.high == count
            for known, statistic in zip(release.masks, release.statistics, strict=True)
        )
        return _verified(prover, claim, Ground.PUBLISHED if published else Ground.LINEAR, combination)
    parts = []
    for objective, target in ((some.astype(np.int64), count), (-whole.astype(np.int64), -count)):
        answer = prover.at_most(objective, target)
        match answer:
            case AtMost(proof=part):
                parts.append(part)
            case Exceeds(witness=cells):
                return _refuted(prover, claim, cells, some)
            case Undecided(reason=reason):
                return Finding(claim, Verdict.UNDECIDED, reason=reason)
    ground = Ground.SEARCH if any(isinstance(part, Split) for part in parts) else Ground.BOUND
    return _verified(prover, claim, ground, Between(parts[0], parts[1]))


def _verified(prover: Prover, claim: Claim, ground: Ground, evidence: Combination | Between) -> Finding:
    document = proof_of_claim(prover.system, claim, ground, evidence, one_witness(prover))
    return Finding(claim, Verdict.VERIFIED, ground, proof=document)


def _refuted(prover: Prover, claim: Claim, cells: Ints, some: Bools) -> Finding:
    match = int(some[cells].sum()) != claim.count
    witness = dataset_of(prover.system, cells, claim.predicate, match)
    if witness.broken(prover.system.release) or witness.count(claim.predicate) == claim.count:
        raise AssertionError("a witness failed its own re-tabulation; please report this release")
    return Finding(claim, Verdict.REFUTED, witness=witness)


def bounds(
    release: Release, condition: Condition, time_limit: float | None = None, max_records: int = MAX_RECORDS
) -> tuple[int, int]:
    """The least and the greatest number of records that can match, both attained and both proved."""
    predicate = as_predicate(condition)
    predicate.masks(release.domain)
    prover = start(release, time_limit, max_records)
    whole, some = prover.system.footprint(predicate)
    limits = []
    for sign, cells in ((-1, whole), (1, some)):
        answer = prover.greatest(sign * cells.astype(np.int64))
        if isinstance(answer, Undecided):
            low, high = known_range(prover, whole, some)
            raise UndecidedError(
                f"undecided: {answer.reason}; datasets with {low} and with {high} such records are known;"
                " raise --time-limit for the exact limits"
            )
        limits.append(sign * answer[0])
    return limits[0], limits[1]


def known_range(prover: Prover, whole: Bools, some: Bools) -> tuple[int, int]:
    """The least and the greatest count among the witnesses found so far."""
    return min(prover.pool.counts(whole)), max(prover.pool.counts(some))
