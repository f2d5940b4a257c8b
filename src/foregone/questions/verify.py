"""One claim at a time: verify it, or bound the count of any predicate, with exact answers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from foregone.engine.bounds.prover import Prover
from foregone.engine.bounds.rowspace import Combination
from foregone.engine.bounds.trees import AtMost, Endless, Exceeds, Split
from foregone.engine.claims.audit_loop import Between
from foregone.engine.claims.evidence import published
from foregone.engine.system.decode import dataset_of
from foregone.engine.system.linear import MAX_RECORDS
from foregone.engine.system.witness import Witness
from foregone.engine.witnesses.walks import walk
from foregone.model.claim import Claim, Finding, Ground, Verdict
from foregone.model.errors import UndecidedError, what_to_do
from foregone.questions.asked import Condition, Source, as_count, as_predicate, as_release
from foregone.questions.proofs import proof_of_claim
from foregone.questions.start import start
from foregone.questions.witnesses_listed import one_witness
from foregone.solvers.answer import Undecided

Bools = NDArray[np.bool_]


def verify(
    release: Source,
    condition: Condition,
    count: int,
    time_limit: float | None = None,
    max_records: int = MAX_RECORDS,
) -> Finding:
    """Is it certain that exactly `count` records match? The finding is verified, refuted by a witness, or undecided.

    `release` may be a path; `condition` a dict, a text such as 'SEX=F, AGE=65-74|75-84', or a Predicate.

    >>> from foregone import Domain, Predicate, Release, Statistic
    >>> domain = Domain.of({"SEX": ["F", "M"], "AGE": ["young", "old"]})
    >>> release = Release(domain, (Statistic.exact(Predicate(), 3), Statistic.exact(Predicate.of({"SEX": "F"}), 2)))
    >>> verify(release, {"SEX": "M"}, 1).verdict.value
    'verified'
    >>> verify(release, {"AGE": "old"}, 1).verdict.value
    'refuted'
    """
    release = as_release(release)
    predicate, count = as_predicate(condition, release), as_count(count)
    session = start(release, time_limit, max_records)
    prover = session.prover
    claim = Claim(predicate, count)
    walk(prover, prover.pool.witnesses[0], 3)
    whole, some = prover.system.footprint(predicate)
    for witness, most, least in zip(prover.pool, prover.pool.counts(some), prover.pool.counts(whole), strict=True):
        if most != count or least != count:
            return _refuted(prover, claim, witness, some)
    combination = session.rowspace.express(whole) if (whole == some).all() else None
    if combination is not None:
        ground = Ground.PUBLISHED if published(release, predicate, count) else Ground.LINEAR
        return _verified(prover, claim, ground, combination)
    parts = []
    for objective, target in ((some.astype(np.int64), count), (-whole.astype(np.int64), -count)):
        answer = prover.at_most(objective, target)
        match answer:
            case AtMost(proof=part):
                parts.append(part)
            case Exceeds(witness=witness):
                return _refuted(prover, claim, witness, some)
            case Undecided(reason=reason):
                return Finding(claim, Verdict.UNDECIDED, reason=reason)
    ground = Ground.SEARCH if any(isinstance(part, Split) for part in parts) else Ground.BOUND
    return _verified(prover, claim, ground, Between(parts[0], parts[1]))


def _verified(prover: Prover, claim: Claim, ground: Ground, evidence: Combination | Between) -> Finding:
    listed = one_witness(prover.system, prover.pool.witnesses[0])
    proof = proof_of_claim(prover.system, claim, ground, evidence, prover.lemmas, listed)
    return Finding(claim, Verdict.VERIFIED, ground, proof=proof)


def _refuted(prover: Prover, claim: Claim, witness: Witness, some: Bools) -> Finding:
    match = witness.value(some) != claim.count
    dataset = dataset_of(prover.system, witness, claim.predicate, match)
    if dataset.broken(prover.system.release) or dataset.count(claim.predicate) == claim.count:
        raise AssertionError("a witness failed its own re-tabulation; please report this release")
    return Finding(claim, Verdict.REFUTED, witness=dataset)


def bounds(
    release: Source, condition: Condition, time_limit: float | None = None, max_records: int = MAX_RECORDS
) -> tuple[int, int | None]:
    """The least and the greatest number of records that can match, both attained and both proved.

    The greatest is None when there is none: nothing published limits it, and any number can be reached.
    """
    release = as_release(release)
    predicate = as_predicate(condition, release)
    prover = start(release, time_limit, max_records).prover
    whole, some = prover.system.footprint(predicate)
    limits: list[int | None] = []
    for sign, cells in ((-1, whole), (1, some)):
        answer = prover.greatest(sign * cells.astype(np.int64))
        match answer:
            case Undecided(reason=reason):
                known = known_range(prover, whole, some)
                raise UndecidedError(
                    f"undecided: {reason}; datasets with {known[0]} and with {known[1]} such records are known;"
                    f" for the exact limits {what_to_do(reason)}"
                )
            case Endless():
                limits.append(None)
            case (value, _):
                limits.append(sign * value)
    low, high = limits
    assert low is not None  # no count is below 0
    return low, high


def known_range(prover: Prover, whole: Bools, some: Bools) -> tuple[int, int]:
    """The least and the greatest count among the witnesses found so far."""
    return min(prover.pool.counts(whole)), max(prover.pool.counts(some))
