"""Gurobi with the settings of the paper: tolerances of 1e-9, and PoolSearchMode 2 for K solutions in one search.

The package carries a licence for models of at most 2,000 variables and 2,000 rows; a larger model needs another one.
"""

from __future__ import annotations

import gurobipy
import numpy as np
from gurobipy import GRB

from foregone.solvers.answer import Undecided
from foregone.solvers.arrays import Ints
from foregone.solvers.deadline import TIME_OUT
from foregone.solvers.ip.outcome import Abilities, NoPoint, Outcome, Point, Points
from foregone.solvers.ip.program import IntegerProgram

POINT = (GRB.OPTIMAL, GRB.SOLUTION_LIMIT, GRB.TIME_LIMIT)  # with a point, if there is one
REASON = {GRB.TIME_LIMIT: TIME_OUT, GRB.MEM_LIMIT: "the solver's memory limit was reached"}
FREE = 2000


class GurobiSolver:
    """Gurobi as an adapter, one thread."""

    name = "gurobi"
    abilities = Abilities(integer_exact=False, many_solutions=True, open_source=False, free_limit=FREE)

    def version(self) -> str:
        return ".".join(map(str, gurobipy.gurobi.version()))

    def licence(self) -> str:
        """Which licence was found, by trying a model that the free one refuses."""
        try:
            with gurobipy.Env(params={"OutputFlag": 0}) as env, gurobipy.Model(env=env) as model:
                model.addVars(FREE + 1)
                model.optimize()
        except gurobipy.GurobiError as error:
            if error.errno == GRB.ERROR_SIZE_LIMIT_EXCEEDED:
                return f"free, up to {FREE:,} variables and {FREE:,} rows"
            return f"none ({error})"
        return "full"

    def solve(self, program: IntegerProgram, seconds: float | None = None, seed: int = 0) -> Outcome:
        found = self._run(program, seconds, seed, {"SolutionLimit": 1})
        if found.points:
            return Point(found.points[0])
        return NoPoint() if found.complete else Undecided(found.reason)

    def points(self, program: IntegerProgram, chosen: Ints, k: int, seconds: float | None = None) -> Points:
        found = self._run(program, seconds, 0, {"PoolSearchMode": 2, "PoolSolutions": k})
        different = {point[chosen].tobytes(): point for point in found.points}
        return Points(tuple(different.values()), found.complete and len(found.points) < k, found.reason)

    def _run(self, program: IntegerProgram, seconds: float | None, seed: int, extra: dict[str, int]) -> Points:
        settings = {"OutputFlag": 0, "Threads": 1, "FeasibilityTol": 1e-9, "IntFeasTol": 1e-9, "DualReductions": 0, "Seed": seed}
        limit = {} if seconds is None else {"TimeLimit": float(seconds)}
        try:
            with gurobipy.Env(params={**settings, **limit, **extra}) as env, gurobipy.Model(env=env) as model:
                variables = _fill(model, program)
                model.optimize()
                return _read(model, variables)
        except gurobipy.GurobiError as error:
            if error.errno == GRB.ERROR_SIZE_LIMIT_EXCEEDED:
                return Points((), None, too_large(program))
            return Points((), None, f"Gurobi stopped with an error ({error})")


def too_large(program: IntegerProgram) -> str:
    return (
        f"the model has {program.variables:,} variables and {program.rows:,} rows, and Gurobi's free licence stops at"
        f" {FREE:,} of each; install a full Gurobi licence or use highs, cpsat or scip"
    )


def _read(model: gurobipy.Model, variables: list[gurobipy.Var]) -> Points:
    if model.Status == GRB.INFEASIBLE:  # INF_OR_UNBD proves neither; DualReductions = 0 makes Gurobi say which of the two it is
        return Points((), True)
    if model.Status not in POINT or not model.SolCount:
        return Points((), None, REASON.get(model.Status, f"Gurobi stopped with status {model.Status}"))
    points = []
    for number in range(model.SolCount):
        model.Params.SolutionNumber = number
        points.append(np.rint(model.getAttr("Xn", variables)).astype(np.int64))
    finished = model.Status == GRB.OPTIMAL
    return Points(tuple(points), True if finished else None, "" if finished else REASON.get(model.Status, ""))


def _fill(model: gurobipy.Model, program: IntegerProgram) -> list[gurobipy.Var]:
    made = model.addVars(
        program.variables, lb=program.low.tolist(), ub=program.high.tolist(), obj=program.objective.tolist(), vtype=GRB.INTEGER
    )
    variables = list(made.values())
    for columns, coefficients, low, high in program.lists():
        expression = gurobipy.LinExpr([float(c) for c in coefficients], [variables[j] for j in columns])
        if low is not None and low == high:
            model.addLConstr(expression, GRB.EQUAL, low)
            continue
        # a range row would cost a variable of the free licence; two rows do not
        if low is not None:
            model.addLConstr(expression, GRB.GREATER_EQUAL, low)
        if high is not None:
            model.addLConstr(expression, GRB.LESS_EQUAL, high)
    return variables


ADAPTER = GurobiSolver()
