"""CP-SAT of OR-Tools: computes in integers, and enumerates solutions in one search."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import ortools
from ortools.sat.python import cp_model

from foregone.solvers.answer import Undecided
from foregone.solvers.outcome import TIME_OUT, Abilities, Feasible, Infeasible, Outcome, Points, points_by_cuts
from foregone.solvers.program import NO_LIMIT, IntegerProgram, Ints

# OPTIMAL and FEASIBLE come with a point; UNKNOWN is a limit; anything else says nothing.
STATUS = {
    cp_model.OPTIMAL: "point",
    cp_model.FEASIBLE: "point",
    cp_model.INFEASIBLE: "infeasible",
}
REASON = {cp_model.UNKNOWN: TIME_OUT, cp_model.MODEL_INVALID: "CP-SAT found the model invalid"}

ABILITIES = Abilities(integer_exact=True, many_solutions=False, open_source=True)


@dataclass(frozen=True, slots=True)
class CpSatSolver:
    """CP-SAT as an adapter, one worker."""

    name: str = "cpsat"
    abilities: Abilities = ABILITIES

    def version(self) -> str:
        return str(ortools.__version__)

    def licence(self) -> str:
        return "free (Apache 2.0)"

    def solve(self, program: IntegerProgram, seconds: float | None = None, seed: int = 0) -> Outcome:
        model, variables = _model(program)
        solver = cp_model.CpSolver()
        solver.parameters.num_workers = 1
        solver.parameters.random_seed = seed
        solver.parameters.stop_after_first_solution = True
        if seconds is not None:
            solver.parameters.max_time_in_seconds = float(seconds)
        status = solver.solve(model)
        match STATUS.get(status):
            case "infeasible":
                return Infeasible()
            case "point":
                return Feasible(np.array(solver.values(variables), dtype=np.int64))
            case _:
                return Undecided(REASON.get(status, f"CP-SAT stopped with status {solver.status_name(status)}"))

    def points(self, program: IntegerProgram, chosen: Ints, k: int, seconds: float | None = None) -> Points:
        # Enumeration in one search is quicker for each solution, but neighbours in it differ in few records only and
        # refute few candidates; asking again in random directions pays for itself in the verify step.
        return points_by_cuts(self, program, chosen, k, seconds)


def _model(program: IntegerProgram) -> tuple[cp_model.CpModel, list[cp_model.IntVar]]:
    model = cp_model.CpModel()
    bounds = zip(program.low.tolist(), program.high.tolist(), strict=True)
    variables = [model.new_int_var(low, high, "") for low, high in bounds]
    rows, lows, highs = program.lists()
    for (columns, coefficients), low, high in zip(rows, lows, highs, strict=True):
        expression = cp_model.LinearExpr.weighted_sum([variables[j] for j in columns], coefficients)
        model.add_linear_constraint(
            expression, cp_model.INT_MIN if low == -NO_LIMIT else low, cp_model.INT_MAX if high == NO_LIMIT else high
        )
    used = np.flatnonzero(program.objective).tolist()
    if used:
        model.minimize(
            cp_model.LinearExpr.weighted_sum([variables[j] for j in used], program.objective[used].tolist())
        )
    return model, variables


ADAPTER = CpSatSolver()
