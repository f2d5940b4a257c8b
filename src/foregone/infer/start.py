"""The beginning of every question: compile the release and find one dataset that fits, or say why there is none."""

from __future__ import annotations

from foregone.compile.system import MAX_RECORDS, compile_release
from foregone.errors import UndecidedError
from foregone.infer.prover import Prover
from foregone.release import Release
from foregone.solvers.answer import Deadline, Undecided


def start(release: Release, time_limit: float | None = None, max_records: int = MAX_RECORDS) -> Prover:
    """A prover whose pool holds at least one witness; a release that nothing fits raises ContradictionError."""
    prover = Prover(compile_release(release, max_records), Deadline.after(time_limit))
    found = prover.first_witness()
    if isinstance(found, Undecided):
        raise UndecidedError(f"no dataset that fits the release was found: {found.reason}; raise --time-limit")
    if not found:
        from foregone.infer.conflict import contradiction

        raise contradiction(release, prover)
    return prover
