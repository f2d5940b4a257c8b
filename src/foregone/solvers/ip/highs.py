"""HiGHS for integer programs: comes with the core, works in floats with tolerances.

The presolve of HiGHS 1.14 and 1.15 calls some feasible 0/1 models infeasible (HiGHS issue 3090; a small one-hot model
that 1.12 and 1.13 solve is in tests/solvers/problems.py). So "infeasible" counts here only when a second run without
presolve, within the same time limit, says it too.
"""

from __future__ import annotations

from dataclasses import dataclass

import highspy
import numpy as np

from foregone.solvers.answer import NO_LIMIT, Undecided
from foregone.solvers.deadline import Deadline
from foregone.solvers.highs import no_answer, pass_model, quiet
from foregone.solvers.ip.outcome import Abilities, NoPoint, Outcome, Point, Points, points_by_cuts
from foregone.solvers.ip.program import IntegerProgram, Ints

# Only statuses listed here say something; kOptimal and kSolutionLimit come with a point. "Unbounded or infeasible" is
# left out on purpose.
STATUS = {
    highspy.HighsModelStatus.kOptimal: "point",
    highspy.HighsModelStatus.kSolutionLimit: "point",
    highspy.HighsModelStatus.kTimeLimit: "point, if there is one",
    highspy.HighsModelStatus.kInfeasible: "infeasible",
}

ABILITIES = Abilities(integer_exact=False, many_solutions=False, open_source=True)


@dataclass(frozen=True, slots=True)
class HighsSolver:
    """HiGHS as an adapter, one thread, tolerances of 1e-9."""

    name: str = "highs"
    abilities: Abilities = ABILITIES
    confirm: bool = True  # ask again without presolve before "infeasible" is believed

    def version(self) -> str:
        return str(highspy.Highs().version())

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
    solver = quiet()
    for option, value in (
        ("random_seed", seed),
        ("presolve", presolve),
        ("mip_feasibility_tolerance", 1e-9),
        ("primal_feasibility_tolerance", 1e-9),
        ("mip_max_improving_sols", 1),
        ("time_limit", deadline.left()),
    ):
        solver.setOptionValue(option, value)
    pass_model(solver, _model(program))
    solver.run()
    status = solver.getModelStatus()
    meaning = STATUS.get(status, "")
    if meaning == "infeasible":
        return NoPoint()
    if not meaning or solver.getInfo().primal_solution_status != highspy.SolutionStatus.kSolutionStatusFeasible:
        return no_answer(status)
    return Point(np.rint(np.array(solver.getSolution().col_value)).astype(np.int64))


def _model(program: IntegerProgram) -> highspy.HighsLp:
    model = highspy.HighsLp()
    model.num_col_, model.num_row_ = program.variables, program.rows
    model.col_cost_ = program.objective.astype(float)
    model.col_lower_, model.col_upper_ = program.low.astype(float), program.high.astype(float)
    model.row_lower_ = np.where(program.row_low == -NO_LIMIT, -np.inf, program.row_low.astype(float))
    model.row_upper_ = np.where(program.row_high == NO_LIMIT, np.inf, program.row_high.astype(float))
    model.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    model.a_matrix_.start_ = program.starts.astype(np.int32)
    model.a_matrix_.index_ = program.columns.astype(np.int32)
    model.a_matrix_.value_ = program.coefficients.astype(float)
    model.integrality_ = [highspy.HighsVarType.kInteger] * program.variables
    return model


ADAPTER = HighsSolver()
