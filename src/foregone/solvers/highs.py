"""HiGHS itself: how it is started quietly, what it has to know of a system, and what its statuses mean."""

from __future__ import annotations

from typing import Protocol

import highspy
import numpy as np
from numpy.typing import NDArray

from foregone.solvers.answer import NO_LIMIT, Floats, Undecided

Ints = NDArray[np.int64]

COMFORTABLE = 1 << 24  # limits above are given to the relaxation in units of a power of two, for HiGHS goes astray among them

NO_ANSWER = {
    highspy.HighsModelStatus.kTimeLimit: "the time limit was reached",
    highspy.HighsModelStatus.kIterationLimit: "the solver's iteration limit was reached",
    highspy.HighsModelStatus.kInterrupt: "the solver was interrupted",
    highspy.HighsModelStatus.kSolutionLimit: "the solver's solution limit was reached",
}


ENDLESS = {highspy.HighsModelStatus.kUnbounded, highspy.HighsModelStatus.kUnboundedOrInfeasible}


def quiet() -> highspy.Highs:
    solver = highspy.Highs()
    for option, value in (("output_flag", False), ("threads", 1), ("random_seed", 0), ("parallel", "off")):
        solver.setOptionValue(option, value)
    return solver


def pass_model(solver: highspy.Highs, model: highspy.HighsLp) -> None:
    """Hand a model over; one that HiGHS refuses would leave it with none, and its answers would be about nothing."""
    if solver.passModel(model) == highspy.HighsStatus.kError:
        raise AssertionError("HiGHS refuses the model; please report this release")


def no_answer(status: highspy.HighsModelStatus) -> Undecided:
    return Undecided(NO_ANSWER.get(status, f"the solver stopped with status {str(status).split('.')[-1]}"))


class Rows(Protocol):
    """What a solver has to know of a system: whole weights of cells in rows, stored by cell, and limits of the rows."""

    @property
    def cells(self) -> int: ...
    @property
    def rows(self) -> int: ...
    @property
    def members(self) -> Ints: ...
    @property
    def weights(self) -> Ints | None: ...
    @property
    def low(self) -> Ints: ...
    @property
    def high(self) -> Ints: ...
    @property
    def largest(self) -> int | None: ...
    def members_of(self, cells: Ints) -> tuple[Ints, Ints]: ...
    def combine(self, multipliers: Floats) -> Floats: ...


def unit_of(system: Rows) -> float:
    """A power of two in which no limit of a row is uncomfortably large; 1 for all but very large tables."""
    limits = np.abs(np.concatenate([system.low, system.high]).astype(float))
    largest = limits.max(initial=1.0, where=limits < float(NO_LIMIT))
    return float(2.0 ** max(0, np.ceil(np.log2(max(1.0, largest) / COMFORTABLE))))
