"""CP-SAT of OR-Tools: computes in integers, and enumerates solutions in one search."""

from __future__ import annotations

from importlib.metadata import version

import numpy as np
from ortools.sat.python import cp_model

from foregone.solvers.answer import Undecided
from foregone.solvers.arrays import Ints
from foregone.solvers.deadline import TIME_OUT
from foregone.solvers.ip.outcome import Abilities, NoPoint, Outcome, Point, Points
from foregone.solvers.ip.program import IntegerProgram

REASON = {cp_model.UNKNOWN: TIME_OUT, cp_model.MODEL_INVALID: "CP-SAT found the model invalid"}


class CpSatSolver:
    """CP-SAT as an adapter, one worker."""

    name = "cpsat"
    abilities = Abilities(integer_exact=True, many_solutions=True, open_source=True)

    def version(self) -> str:
        return version("ortools")

    def licence(self) -> str:
        return "free (Apache 2.0)"

    def solve(self, program: IntegerProgram, seconds: float | None = None, seed: int = 0) -> Outcome:
        solver = _solver(seconds)
        solver.parameters.random_seed = seed
        return _any(program, solver)

    def soon(self, program: IntegerProgram, seconds: float | None, effort: float, near: Ints | None = None) -> Outcome:
        """Any solution, as far as so much effort leads, however busy the machine is. Looking closely first would not pay.

        A point `near` to which one is expected need not be a solution: the search begins with mending it.
        """
        solver = _solver(seconds)
        solver.parameters.max_deterministic_time = effort
        solver.parameters.cp_model_probing_level = 0
        solver.parameters.symmetry_level = 0
        solver.parameters.repair_hint = near is not None
        return _any(program, solver, near)

    def points(self, program: IntegerProgram, chosen: Ints, k: int, seconds: float | None = None) -> Points:
        """Enumerate in one search: on a block, 100 solutions cost less than ten that are asked for one by one."""
        model, variables = _model(program)
        found = _Collector(variables, chosen, k)
        solver = _solver(seconds)
        solver.parameters.enumerate_all_solutions = True
        status = solver.solve(model, found)
        points = tuple(found.points.values())
        if len(points) >= k:
            return Points(points, False)
        # OPTIMAL after an enumeration means that the search came to its end
        if status in (cp_model.OPTIMAL, cp_model.INFEASIBLE):
            return Points(points, True)
        reason = TIME_OUT if status == cp_model.FEASIBLE else REASON.get(status, f"CP-SAT stopped with status {status}")
        return Points(points, None, reason)


class _Collector(cp_model.CpSolverSolutionCallback):
    """Keeps solutions that differ on the chosen variables and stops the search at k of them."""

    def __init__(self, variables: list[cp_model.IntVar], chosen: Ints, k: int) -> None:
        super().__init__()
        self.points: dict[bytes, Ints] = {}
        self._variables, self._chosen, self._k = variables, chosen, k

    def on_solution_callback(self) -> None:
        point = np.array([self.value(variable) for variable in self._variables], dtype=np.int64)
        self.points.setdefault(point[self._chosen].tobytes(), point)
        if len(self.points) >= self._k:
            self.stop_search()


def _any(program: IntegerProgram, solver: cp_model.CpSolver, near: Ints | None = None) -> Outcome:
    model, variables = _model(program)
    for variable, value in () if near is None else zip(variables, near.tolist(), strict=True):
        model.add_hint(variable, value)
    solver.parameters.stop_after_first_solution = True
    status = solver.solve(model)
    # UNKNOWN is a limit; anything else that is not listed says nothing
    if status in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return Point(np.array([solver.value(variable) for variable in variables], dtype=np.int64))
    if status == cp_model.INFEASIBLE:
        return NoPoint()
    return Undecided(REASON.get(status, f"CP-SAT stopped with status {solver.status_name(status)}"))


def _solver(seconds: float | None) -> cp_model.CpSolver:
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    if seconds is not None:
        solver.parameters.max_time_in_seconds = float(seconds)
    return solver


def _model(program: IntegerProgram) -> tuple[cp_model.CpModel, list[cp_model.IntVar]]:
    model = cp_model.CpModel()
    bounds = zip(program.low.tolist(), program.high.tolist(), strict=True)
    variables = [model.new_int_var(low, high, "") for low, high in bounds]
    for columns, coefficients, low, high in program.lists():
        expression = cp_model.LinearExpr.weighted_sum([variables[j] for j in columns], coefficients)
        ends = cp_model.INT_MIN if low is None else low, cp_model.INT_MAX if high is None else high
        model.add_linear_constraint(expression, *ends)
    used = np.flatnonzero(program.objective).tolist()
    if used:
        model.minimize(
            cp_model.LinearExpr.weighted_sum([variables[j] for j in used], program.objective[used].tolist())
        )
    return model, variables


ADAPTER = CpSatSolver()
