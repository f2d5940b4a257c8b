"""One claim at a time, with exact answers: verify it, ask whether it can hold at all, or bound the count of any predicate."""

from __future__ import annotations

from contextlib import suppress

import numpy as np

from foregone.engine.answers.start import need_witness, seek_witness
from foregone.engine.bounds.prover import Prover
from foregone.engine.bounds.rowspace import Combination
from foregone.engine.bounds.trees import AtMost, Between, Endless, Exceeds
from foregone.engine.case import Case
from foregone.engine.claims.evidence import published
from foregone.engine.claims.walks import walk
from foregone.engine.system.decode import dataset_of
from foregone.engine.system.linear import compile_release
from foregone.engine.system.witness import Witness
from foregone.engine.writing.datasets import one_witness
from foregone.engine.writing.proofs import proof_of_claim
from foregone.model.claim import Claim, Finding, Ground, Possibility, Verdict
from foregone.model.errors import InputError, UndecidedError, what_to_do
from foregone.model.predicate import Predicate
from foregone.model.release import Release
from foregone.model.statement import LARGEST, Statistic
from foregone.solvers.answer import Undecided
from foregone.solvers.arrays import Bools, Ints


def verify(case: Case, claim: Claim) -> Finding:
    """Is a claim certain? The finding is verified, refuted by a dataset, or undecided.

    What follows by addition and subtraction, or from one bound, is verified even where no dataset that fits is found soon; the
    finding's `reason` then says so, and there is no proof in it, for a proof has to show that some dataset fits.
    """
    short = _without_dataset(case, claim)
    if seek_witness(case) if short is not None else need_witness(case):
        return _with_dataset(case, claim)
    assert short is not None
    return short


def _without_dataset(case: Case, claim: Claim) -> Finding | None:
    """What arithmetic alone says, if it says that the claim holds in every dataset that fits: there may be none."""
    prover, count = case.prover, claim.count
    whole, some = prover.system.footprint(claim.predicate)
    combination = _combination(case, whole, some)
    if combination is not None:
        forced = combination.forces(prover.system, count)
        ground = Ground.PUBLISHED if published(prover.system.release, claim.predicate, count) else Ground.LINEAR
    else:
        forced = all(_limit(case, sign, buckets) == sign * count for sign, buckets in ((1, some), (-1, whole)))
        ground = Ground.BOUND
    reason = "it holds in every dataset that fits, but none has been found yet, so nothing shows that one does; no proof is given"
    return Finding(claim, Verdict.VERIFIED, ground, reason=reason) if forced else None


def _limit(case: Case, sign: int, buckets: Bools) -> int | None:
    """What the number of records in some buckets, or its negative, never exceeds, by one relaxation."""
    smaller = case.smaller
    if smaller is None:
        return case.prover.outer(sign * buckets.astype(np.int64))
    objective, fixed = smaller.objective(buckets)
    most = smaller.prover.outer(sign * objective)
    return None if most is None else most + sign * fixed


def _combination(case: Case, whole: Bools, some: Bools) -> Combination | None:
    return case.rowspace.express(whole) if (whole == some).all() else None


def _with_dataset(case: Case, claim: Claim) -> Finding:
    prover, release, count = case.prover, case.system.release, claim.count
    if case.smaller is None:
        walk(prover, prover.pool.witnesses[0], 3)
    whole, some = prover.system.footprint(claim.predicate)
    for witness, most, least in zip(prover.pool, prover.pool.counts(some), prover.pool.counts(whole), strict=True):
        if most != count or least != count:
            return _refuted(prover, claim, witness, some)
    combination = _combination(case, whole, some)
    if combination is not None:
        ground = Ground.PUBLISHED if published(release, claim.predicate, count) else Ground.LINEAR
        return _verified(prover, claim, ground, combination)
    other = _another(case, claim, whole, some)
    if other is not None:
        return _refuted(prover, claim, other, some)
    answer = prover.exactly(whole.astype(np.int64), some.astype(np.int64), count)
    match answer:
        case Between(ground=ground):
            return _verified(prover, claim, ground, answer)
        case Exceeds(witness=witness):
            return _refuted(prover, claim, witness, some)
        case Undecided(reason=reason):
            return Finding(claim, Verdict.UNDECIDED, reason=reason)


def _another(case: Case, claim: Claim, whole: Bools, some: Bools) -> Witness | None:
    """A dataset with another count, from the system without what is settled, where it is soon found."""
    smaller = case.smaller
    if smaller is None or smaller.prover.first_witness() is not True:
        return None
    for sign, buckets in ((1, some), (-1, whole)):
        objective, fixed = smaller.objective(buckets)
        answer = smaller.prover.at_most(sign * objective, sign * (claim.count - fixed))
        if isinstance(answer, Exceeds):
            return smaller.settled.back(answer.witness)
    return None


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


def limits_of(case: Case, predicate: Predicate) -> tuple[int, int | None]:
    """The least and the greatest number of records that can match, both attained and both proved.

    The greatest is None when there is none: nothing published limits it, and any number can be reached.
    """
    whole, some = case.system.footprint(predicate)
    combination = _combination(case, whole, some)
    if combination is not None and not seek_witness(case):
        with suppress(ArithmeticError):  # a count that is not whole: then nothing fits, and the search will say so
            count = combination.value(case.system)  # what every dataset that fits has, though none was found yet
            return count, count
    need_witness(case)
    smaller = case.smaller
    if smaller is not None and smaller.prover.first_witness() is True:
        (low, below), (high, above) = (smaller.objective(buckets) for buckets in (whole, some))
        ends = _ends(smaller.prover, low, high)
        return ends[0] + below, None if ends[1] is None else ends[1] + above
    return _ends(case.prover, whole.astype(np.int64), some.astype(np.int64))


def _ends(prover: Prover, whole: Ints, some: Ints) -> tuple[int, int | None]:
    """The least value of one objective and the greatest of another."""
    limits: list[int | None] = []
    for sign, buckets in ((-1, whole), (1, some)):
        answer = prover.greatest(sign * buckets)
        match answer:
            case Undecided(reason=reason):
                known = min(prover.pool.counts(whole)), max(prover.pool.counts(some))
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


def possible(case: Case, claim: Claim, max_records: int) -> Possibility:
    """Is there a dataset that fits in which a claim holds?

    The claim is treated as one more published number. Least and greatest counts would not be enough: a number
    between them need not be reached.
    """
    need_witness(case)  # a release that nothing fits is an error, not an impossible claim
    release, predicate, count, deadline = case.release, claim.predicate, claim.count, case.deadline
    if count > LARGEST:
        return _beyond(case.prover, claim)
    try:
        statistics = (*release.statistics, Statistic.exact(predicate, count))
        stricter = Release(release.domain, statistics, release.rules, release.workload.further)
    except InputError:  # the release alone is in order, so it is the claim that cannot stand beside it
        return Possibility(claim, impossible=True)
    prover = Prover(compile_release(stricter, max_records, deadline), deadline)
    found = prover.first_witness()
    if isinstance(found, Undecided):
        return Possibility(claim, reason=found.reason)
    if not found:
        return Possibility(claim, impossible=True)
    witness = dataset_of(prover.system, prover.pool.witnesses[0])
    if witness.broken(release) or witness.count(predicate) != count:
        raise AssertionError("a dataset failed its own re-tabulation; please report this release")
    return Possibility(claim, witness)


def _beyond(prover: Prover, claim: Claim) -> Possibility:
    """A count that no release can state: impossible where it is proved that fewer match, else not decided."""
    _, some = prover.system.footprint(claim.predicate)
    if isinstance(prover.at_most(some.astype(np.int64), claim.count - 1), AtMost):
        return Possibility(claim, impossible=True)
    return Possibility(claim, reason=f"the count is above {LARGEST:,}, more than any table counts")
