"""The beginning of every question: compile the release and find one dataset that fits, or say why there is none."""

from __future__ import annotations

from foregone.engine.session import Session, open_session
from foregone.engine.system.linear import MAX_RECORDS
from foregone.model.errors import UndecidedError, what_to_do
from foregone.model.release import Release
from foregone.questions.conflict import contradiction
from foregone.solvers.answer import Undecided
from foregone.solvers.deadline import Deadline


def start(release: Release, time_limit: float | None = None, max_records: int = MAX_RECORDS) -> Session:
    """A session that knows at least one witness; a release that nothing fits raises ContradictionError."""
    session = open_session(release, Deadline.after(time_limit), max_records)
    found = session.prover.first_witness()
    if isinstance(found, Undecided):
        raise UndecidedError(f"no dataset that fits the release was found: {found.reason}; {what_to_do(found.reason)}")
    if not found:
        raise contradiction(release, session.prover)
    return session
