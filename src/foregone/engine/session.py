"""The beginning of every question: compile the release and find one dataset that fits, or say why there is none."""

from __future__ import annotations

from foregone.engine.bounds.prover import Prover
from foregone.engine.system.linear import MAX_RECORDS, compile_release
from foregone.model.errors import TooLargeError, UndecidedError
from foregone.model.release import Release
from foregone.solvers.answer import Deadline, Undecided

MAX_SIZE = 1_000_000


def start(release: Release, time_limit: float | None = None, max_records: int = MAX_RECORDS) -> Prover:
    """A prover whose pool holds at least one witness; a release that nothing fits raises ContradictionError."""
    system = compile_release(release, max_records)
    if system.largest > MAX_SIZE:
        raise TooLargeError(
            f"datasets of up to {system.largest:,} records fit the release; up to {MAX_SIZE:,} are handled, for each of"
            " several dozen is kept in memory; split the release by area or group, or publish a tighter number of records"
        )
    prover = Prover(system, Deadline.after(time_limit))
    found = prover.first_witness()
    if isinstance(found, Undecided):
        raise UndecidedError(f"no dataset that fits the release was found: {found.reason}; raise --time-limit")
    if not found:
        from foregone.questions.conflict import contradiction

        raise contradiction(release, prover)
    return prover
