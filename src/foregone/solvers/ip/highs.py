"""HiGHS for integer programs: comes with the core, works in floats with tolerances.

The presolve of HiGHS 1.14 and 1.15 calls some feasible 0/1 models infeasible (HiGHS issue 3090; a small one-hot model
that 1.12 and 1.13 solve is in tests/solvers/problems.py). So "infeasible" counts here only when a second run without
presolve, within the same time limit, says it too.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from foregone.solvers.answer import Undecided
from foregone.solvers.arrays import Ints
from foregone.solvers.deadline import Deadline
from foregone.solvers.highs import Ending, HighsModel, limits_of, version
from foregone.solvers.ip.outcome import Abilities, NoPoint, Outcome, Point, Points, points_by_cuts
from foregone.solvers.ip.program import IntegerProgram


@dataclass(frozen=True, slots=True)
class HighsSolver:
    """HiGHS as an adapter, one thread, tolerances of 1e-9."""

    name = "highs"
    abilities = Abilities(integer_exact=False, many_solutions=False, open_source=True)
    confirm: bool = True  # ask again without presolve before "infeasible" is believed

    def version(self) -> str:
        return version()

    def licence(self) -> str:
        return "free (MIT)"

    def solve(self, program: IntegerProgram, seconds: float | None = None, seed: int = 0) -> Outcome:
        deadline = Deadline.after(seconds)
        first = _run(program, deadline, seed, "choose")
        if not isinstance(first, NoPoint) or not self.confirm:
            return first
        second = _run(program, deadline, seed, "off")
        if isinstance(second, Undecided):
            return Undecided(f"{second.reason} before a run without presolve could confirm that there is no solution")
        return second

    def points(self, program: IntegerProgram, chosen: Ints, k: int, seconds: float | None = None) -> Points:
        return points_by_cuts(self, program, chosen, k, seconds)


def _run(program: IntegerProgram, deadline: Deadline, seed: int, presolve: str) -> Outcome:
    model = HighsModel(
        random_seed=seed,
        presolve=presolve,
        mip_feasibility_tolerance=1e-9,
        primal_feasibility_tolerance=1e-9,
        mip_max_improving_sols=1,
    )
    model.set_whole(model.add_columns(program.variables, program.objective, program.high, program.low))
    limits = limits_of(program.row_low, program.row_high)
    model.add_rows(*limits, np.diff(program.starts), program.columns, program.coefficients)
    match model.run(deadline):
        case Ending.INFEASIBLE:
            return NoPoint()
        case Ending.OPTIMAL | Ending.NO_ANSWER if model.has_point:  # "unbounded or infeasible" is left out on purpose
            return Point(np.rint(model.point).astype(np.int64))
        case _:
            return model.no_answer


ADAPTER = HighsSolver()
