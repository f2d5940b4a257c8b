"""SCIP: works in floats with tolerances."""

from __future__ import annotations

import numpy as np
from pyscipopt import Model, Variable, quicksum

from foregone.solvers.answer import Undecided
from foregone.solvers.arrays import Ints
from foregone.solvers.deadline import TIME_OUT
from foregone.solvers.ip.outcome import Abilities, NoPoint, Outcome, Point, Points, points_by_cuts
from foregone.solvers.ip.program import IntegerProgram

POINT = ("optimal", "sollimit", "bestsollimit", "timelimit")  # with a point, if there is one
REASON = {"timelimit": TIME_OUT, "memlimit": "the solver's memory limit was reached"}


class ScipSolver:
    """SCIP as an adapter, tolerances of 1e-9."""

    name = "scip"
    abilities = Abilities(integer_exact=False, many_solutions=False, open_source=True)

    def version(self) -> str:
        return str(Model().version())

    def licence(self) -> str:
        return "free (Apache 2.0)"

    def solve(self, program: IntegerProgram, seconds: float | None = None, seed: int = 0) -> Outcome:
        model, variables = _model(program)
        model.setParam("numerics/feastol", 1e-9)
        model.setParam("randomization/randomseedshift", seed)
        model.setParam("limits/solutions", 1)
        if seconds is not None:
            model.setParam("limits/time", float(seconds))
        model.optimize()
        status = model.getStatus()
        if status == "infeasible":  # "inforunbd" is not a proof of either
            return NoPoint()
        if status not in POINT or not model.getNSols():
            return Undecided(REASON.get(status, f"SCIP stopped with status {status}"))
        return Point(np.rint([model.getVal(variable) for variable in variables]).astype(np.int64))

    def points(self, program: IntegerProgram, chosen: Ints, k: int, seconds: float | None = None) -> Points:
        return points_by_cuts(self, program, chosen, k, seconds)


def _model(program: IntegerProgram) -> tuple[Model, list[Variable]]:
    model = Model()
    model.hideOutput()
    bounds = zip(program.low.tolist(), program.high.tolist(), program.objective.tolist(), strict=True)
    variables = [
        model.addVar(vtype="B" if (low, high) == (0, 1) else "I", lb=low, ub=high, obj=cost) for low, high, cost in bounds
    ]
    for columns, coefficients, low, high in program.lists():
        expression = quicksum(c * variables[j] for j, c in zip(columns, coefficients, strict=True))
        if low is not None and low == high:
            model.addCons(expression == low)
        elif low is not None and high is not None:
            model.addCons(low <= (expression <= high))
        elif low is not None:
            model.addCons(expression >= low)
        elif high is not None:
            model.addCons(expression <= high)
    return model, variables


ADAPTER = ScipSolver()
