"""The beginning of every question: compile the release and find one dataset that fits, or say why there is none."""

from __future__ import annotations

import logging

from foregone.engine.answers.conflict import contradiction
from foregone.engine.bounds.prover import Prover
from foregone.engine.case import Case
from foregone.engine.system.decode import witness_of
from foregone.engine.system.linear import MAX_RECORDS
from foregone.model.dataset import Dataset
from foregone.model.errors import UndecidedError, what_to_do
from foregone.model.release import Release
from foregone.solvers.answer import Undecided
from foregone.solvers.deadline import Deadline

NOTES = logging.getLogger("foregone.notes")  # the commands print what is told here
BEGAN = "It started from the microdata, and the datasets listed in its proofs resemble them: do not publish the proofs."
PATIENCE = 2.0  # seconds to look for a dataset where an answer can do without one


def start(release: Release, limit: float | Deadline | None = None, max_records: int = MAX_RECORDS) -> Case:
    """A case that knows at least one dataset; a release that nothing fits raises ContradictionError.

    `limit` is a number of seconds, or a deadline that was running before.
    """
    case = Case(release, limit, max_records)
    need_witness(case)
    return case


def begin_beside(case: Case, truth: Dataset | None) -> str:
    """Find a dataset that fits; where the microdata are at hand and none is found soon without them, they are the first one.

    The answer says so if it was done: datasets found from there on resemble the microdata. A dataset only refutes, so the microdata
    are never a reason for a claim. If they do not fit the release they are left aside, and a note says that.
    """
    if truth is not None and not seek_witness(case, min(PATIENCE, case.deadline.left() / 4)):
        witness = witness_of(case.system, truth)
        if witness is not None and case.pool.add(witness):
            return BEGAN
        NOTES.info("the microdata do not fit the release, so they were not used")
    need_witness(case)
    return ""


def need_witness(case: Case) -> bool:
    """Find a dataset that fits, however long it takes; without one there is an error."""
    found = case.first_witness()
    if isinstance(found, Undecided):
        raise UndecidedError(f"no dataset that fits the release was found: {found.reason}; {what_to_do(found.reason)}")
    if not found:
        raise contradiction(case.system.release, case.prover)
    return True


def seek_witness(case: Case, seconds: float = PATIENCE) -> bool:
    """Look for a dataset for a short while: has one been found? A contradiction that shows itself meanwhile is an error."""
    limit = case.deadline.sooner(seconds)
    if not len(case.pool) and case.smaller is not None:
        small = Prover(case.smaller.settled.rest, limit)
        if small.first_witness() is True:
            case.smaller.prover.pool.add(small.pool.witnesses[0])
            case.pool.add(case.smaller.settled.back(small.pool.witnesses[0]))
    if len(case.pool):
        return True
    prover = Prover(case.system, limit)
    found = prover.first_witness()
    if found is False:
        raise contradiction(case.system.release, prover)
    return found is True and case.pool.add(prover.pool.witnesses[0])
