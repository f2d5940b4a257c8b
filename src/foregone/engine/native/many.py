"""Many releases about one workload at once: tables of numbers in and out, without an object for each fact."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from foregone.engine.native.audit import Fell
from foregone.engine.native.library import Status
from foregone.engine.native.plan import Ints, LoopResults, plan_of
from foregone.model.families import Groups
from foregone.model.workload import Workload
from foregone.solvers.answer import NO_LIMIT

COMPILED_SHARE = 0.25  # of a time limit


def audit_many(
    workload: Workload,
    counts: Ints,
    groups: Groups,
    truth: tuple[Ints, NDArray[np.uint8]] | None = None,
    time_limit: float | None = None,
    highs: Ints | None = None,
) -> LoopResults | None:
    """Every certain claim of each release, given by a row of counts; None where the compiled loop cannot do such a workload.

    For ranges the counts are the least numbers and `highs` the greatest; a negative one is no limit.

    `truth` and what comes back are described in `LoopPlan.run`. Of the time limit for a release the compiled loop has a part only:
    what it cannot do in that is better begun by the engine that can stop half-way.
    """
    plan, seconds = plan_of(workload, groups), None if time_limit is None else COMPILED_SHARE * time_limit
    if plan is None:
        return None
    most = None if highs is None else np.where(highs < 0, NO_LIMIT, highs)
    return plan.run(counts, most, truth=truth, seconds=seconds)


def fell_back(found: LoopResults) -> dict[int, str]:
    """Releases that are left to the Python engine, by their number, and why."""
    some = np.flatnonzero(found.line("status") != Status.DONE)
    return {int(i): str(Fell(Status(found.summary[i, 0]), int(found.summary[i, 1]))) for i in some}
