"""The beginning of every question: compile the release and find one dataset that fits, or say why there is none."""

from __future__ import annotations

import logging

from foregone.engine.bounds.prover import Prover
from foregone.engine.session import Session, open_session
from foregone.engine.system.decode import witness_of
from foregone.engine.system.linear import MAX_RECORDS
from foregone.model.dataset import Dataset
from foregone.model.errors import UndecidedError, what_to_do
from foregone.model.release import Release
from foregone.questions.conflict import contradiction
from foregone.solvers.answer import Undecided
from foregone.solvers.deadline import Deadline

NOTES = logging.getLogger("foregone.notes")  # the commands print what is told here
BEGAN = "It started from the microdata, and the datasets listed in its proofs resemble them: do not publish the proofs."
PATIENCE = 2.0  # seconds to look for a dataset where an answer can do without one


def start(release: Release, limit: float | Deadline | None = None, max_records: int = MAX_RECORDS) -> Session:
    """A session that knows at least one witness; a release that nothing fits raises ContradictionError.

    `limit` is a number of seconds, or a deadline that was running before.
    """
    session = open_session(release, limit if isinstance(limit, Deadline) else Deadline.after(limit), max_records)
    need_witness(session)
    return session


def start_beside(release: Release, truth: Dataset | None, limit: float | Deadline | None, max_records: int) -> tuple[Session, str]:
    """The same where the microdata may be at hand: they are the first witness if none is found soon without them.

    The second part says so if it was done: witnesses found from there on resemble the microdata. A witness only refutes, so
    the microdata are never a reason for a claim. If they do not fit the release they are left aside, and a note says that.
    """
    if truth is None:
        return start(release, limit, max_records), ""
    session = open_session(release, limit if isinstance(limit, Deadline) else Deadline.after(limit), max_records)
    if not seek_witness(session, min(PATIENCE, session.deadline.left() / 4)):
        witness = witness_of(session.system, truth)
        if witness is not None and session.pool.add(witness):
            return session, BEGAN
        NOTES.info("the microdata do not fit the release, so they were not used")
    need_witness(session)
    return session, ""


def need_witness(session: Session) -> bool:
    """Find a dataset that fits, however long it takes; without one there is an error."""
    found = session.first_witness()
    if isinstance(found, Undecided):
        raise UndecidedError(f"no dataset that fits the release was found: {found.reason}; {what_to_do(found.reason)}")
    if not found:
        raise contradiction(session.system.release, session.prover)
    return True


def seek_witness(session: Session, seconds: float = PATIENCE) -> bool:
    """Look for a dataset for a short while: has one been found? A contradiction that shows itself meanwhile is an error."""
    limit = session.deadline.sooner(seconds)
    if not len(session.pool) and session.smaller is not None:
        small = Prover(session.smaller.settled.rest, limit)
        if small.first_witness() is True:
            session.smaller.prover.pool.add(small.pool.witnesses[0])
            session.pool.add(session.smaller.settled.back(small.pool.witnesses[0]))
    if len(session.pool):
        return True
    prover = Prover(session.system, limit)
    found = prover.first_witness()
    if found is False:
        raise contradiction(session.system.release, prover)
    return found is True and session.pool.add(prover.pool.witnesses[0])
