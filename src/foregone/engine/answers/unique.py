"""Is the whole dataset determined? If not, two datasets as far apart as possible."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import inf

import numpy as np

from foregone.engine.answers.start import need_witness
from foregone.engine.bounds.prover import AtMost, Exceeds, Prover
from foregone.engine.bounds.trees import Between
from foregone.engine.case import Case
from foregone.engine.claims.walks import walk
from foregone.engine.native.audit import only_dataset
from foregone.engine.native.many import COMPILED_SHARE
from foregone.engine.pairs import Farthest, doubled, farthest, lonely_buckets, spelled_out
from foregone.engine.system.decode import dataset_of
from foregone.engine.system.linear import MAX_RECORDS
from foregone.engine.system.witness import Witness
from foregone.engine.writing.datasets import one_witness
from foregone.engine.writing.proofs import Json, proof_of_claims
from foregone.model.claim import Claim, Verdict
from foregone.model.dataset import Dataset
from foregone.model.predicate import Predicate
from foregone.model.release import Release
from foregone.solvers.answer import Undecided
from foregone.solvers.arrays import Bools
from foregone.solvers.deadline import Deadline
from foregone.solvers.exact import independent

NOT_ASKED = "the farthest pair was not looked for"


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
        """Is it proved that no two datasets are farther apart?"""
        return self.distance == self.limit

    @property
    def shares(self) -> tuple[Fraction, Fraction]:
        """In what share of the records two datasets can differ at most: a lower and an upper limit, both proved."""
        size = max(1, self.first.size, 0 if self.second is None else self.second.size)
        low, high = (Fraction(1) if x == inf else min(Fraction(1), Fraction(x) / size) for x in (self.distance, self.limit))
        return low, high


def unique(case: Case, far: bool = True) -> Uniqueness:
    """Does only one dataset fit? If not, look for two that are as far apart as possible; unless `far`, any two will do.

    Whether only one fits is decided exactly. The search for the farthest pair ends when it is proved, or when time runs out.
    """
    need_witness(case)
    prover = case.prover
    system = prover.system
    first = prover.pool.witnesses[0]
    lonely = lonely_buckets(system)
    other = another(prover, first, lonely)
    if isinstance(other, Undecided):
        return Uniqueness(Verdict.UNDECIDED, dataset_of(system, first), reason=other.reason)
    if other is None:
        return Uniqueness(Verdict.VERIFIED, dataset_of(system, first))
    return _told(prover, farthest(prover, lonely) if far else _any_two(prover, first, other, lonely), lonely)


def _any_two(prover: Prover, first: Witness, other: Witness, lonely: Bools) -> Farthest:
    """Two datasets as they were found. (Where both are one witness, a bucket of several kinds tells them apart.)"""
    largest = prover.system.largest
    return Farthest((first, other), doubled(first, other, lonely), None if largest is None else 2 * largest, NOT_ASKED)


def unique_release(
    release: Release, limit: float | Deadline | None = None, max_records: int = MAX_RECORDS, far: bool = True
) -> Uniqueness:
    """As `unique`; the compiled loop shows that only one dataset fits where it can, and the Python engine does everything else."""
    deadline = Deadline.of(limit)
    found = only_dataset(release, max_records, None if limit is None else COMPILED_SHARE * deadline.left())
    return unique(Case(release, deadline, max_records), far) if found is None else Uniqueness(Verdict.VERIFIED, found)


def another(prover: Prover, first: Witness, lonely: Bools) -> Witness | Undecided | None:
    """A witness behind which a second dataset stands; None is a proof that there is none."""
    if not lonely[first.buckets].all():
        return first
    walk(prover, first, 10)
    if len(prover.pool) > 1:
        return prover.pool.witnesses[1]
    questions = [(1 - prover.system.count_in(first.buckets), 0)]
    if not _fixed(prover, first):
        for bucket, count in zip(first.buckets, first.counts.tolist(), strict=True):
            single = prover.system.count_in(bucket)
            questions += [(single, count), (-single, -count)]
    for objective, target in questions:
        answer = prover.at_most(objective, target)
        if not isinstance(answer, AtMost):
            return answer.witness if isinstance(answer, Exceeds) else answer
    return None


def _fixed(prover: Prover, first: Witness) -> bool:
    """Do the exact counts determine how many records are in each of these buckets, if there are none elsewhere?

    They do when the columns are independent; modulo a prime they can only seem less independent than they are.
    """
    system = prover.system
    exact = np.flatnonzero(system.low == system.high)
    if len(exact) < len(first.buckets):
        return False
    return len(independent(system.columns(first.buckets)[exact])[0]) == len(first.buckets)


def _told(prover: Prover, found: Farthest, lonely: Bools) -> Uniqueness:
    """The pair as datasets, both tabulated again."""
    system = prover.system
    first, second = spelled_out(system, found.pair, lonely)
    for dataset in (first, second):
        if dataset.broken(system.release):
            raise AssertionError("a dataset failed its own re-tabulation; please report this release")
    distance, limit = found.twice / 2, inf if found.limit is None else found.limit / 2
    if first.distance(second) != distance:
        raise AssertionError("two datasets are not as far apart as computed; please report this release")
    return Uniqueness(Verdict.REFUTED, first, second, distance, limit, found.reason)


def uniqueness_proof(case: Case) -> Json | None:
    """A proofs document that the dataset is determined: how many records there are of each kind, and in all. None if it is not.

    These facts leave no other dataset: the records of the kinds named are all there are.
    """
    need_witness(case)
    prover = case.prover
    system, first = prover.system, prover.pool.witnesses[0]
    if another(prover, first, lonely_buckets(system)) is not None:
        return None
    dataset = dataset_of(system, first)
    names = system.release.domain.names
    claims = [Claim(Predicate(), dataset.size)]
    claims += [Claim(Predicate.of(dict(zip(names, record, strict=True))), n) for record, n in dataset.kinds]
    proved = []
    for claim in claims:
        whole, some = system.footprint(claim.predicate)
        found = prover.exactly(whole.astype(np.int64), some.astype(np.int64), claim.count)
        if not isinstance(found, Between):
            return None
        proved.append((claim, found.ground, found))
    return proof_of_claims(system, proved, prover.lemmas, [one_witness(system, first)])
