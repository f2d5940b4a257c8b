"""The mirrored question for the cells engine: can a claim hold at all?"""

from __future__ import annotations

import numpy as np

from foregone.engine.answers.start import need_witness
from foregone.engine.bounds.prover import AtMost, Prover
from foregone.engine.case import Case
from foregone.engine.system.decode import dataset_of
from foregone.engine.system.linear import compile_release
from foregone.model.claim import Claim, Possibility
from foregone.model.errors import InputError
from foregone.model.release import Release
from foregone.model.statement import LARGEST, Statistic
from foregone.solvers.answer import Undecided


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
