"""HiGHS: linear relaxations that stay warm while only the objective changes, and integer points.

Only suggestions leave this module. Rows get elastic slack, so an infeasible system shows itself as a positive
optimum with ordinary row multipliers and no special ray is needed. Systems with many cells are priced: the model
holds a working set of cells, and the multipliers tell which others could improve the objective.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import highspy
import numpy as np
from numpy.typing import NDArray

from foregone.solvers.answer import NO_LIMIT, Answer, Feasible, Floats, Infeasible, Unbounded, Undecided
from foregone.solvers.deadline import Deadline

Ints = NDArray[np.int64]

WORKING_SET = 2500  # systems up to this many cells are solved whole
BATCH = 600  # cells added in one pricing round
TOLERANCE = 1e-7
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


class Relaxation:
    """The linear relaxation of a system, kept in memory between questions."""

    def __init__(self, system: Rows) -> None:
        self.system = system
        self.solves = 0
        self._position = np.full(system.cells, -1, dtype=np.int64)  # cell -> column of the model
        self._cells: Ints = np.zeros(0, dtype=np.int64)
        self._model = quiet()
        self._model.setOptionValue("presolve", "off")
        self._model.setOptionValue("simplex_strategy", 4)  # primal: a new objective keeps the basis feasible
        self._slack = 2 * system.rows
        self._unit = unit_of(system)
        self._elastic: bool | None = None  # may rows be missed at a price, in the model as it stands?
        self._fits = False  # some point satisfies all rows, when no cell is held
        self._empty = np.zeros(system.cells, dtype=bool)  # cells that are to hold nothing
        self._build()

    def _build(self) -> None:
        system, rows = self.system, self.system.rows
        model = highspy.HighsLp()
        model.num_row_, model.num_col_ = rows, self._slack
        model.row_lower_ = np.where(system.low == -NO_LIMIT, -np.inf, system.low.astype(float) / self._unit)
        model.row_upper_ = np.where(system.high == NO_LIMIT, np.inf, system.high.astype(float) / self._unit)
        model.col_cost_ = np.ones(self._slack)
        model.col_lower_ = np.zeros(self._slack)
        model.col_upper_ = np.full(self._slack, np.inf)
        model.a_matrix_.format_ = highspy.MatrixFormat.kColwise
        model.a_matrix_.start_ = np.arange(self._slack + 1, dtype=np.int32)
        model.a_matrix_.index_ = np.tile(np.arange(rows, dtype=np.int32), 2)
        model.a_matrix_.value_ = np.concatenate([np.ones(rows), -np.ones(rows)])
        pass_model(self._model, model)
        if system.cells <= WORKING_SET:
            self.include(np.arange(system.cells))
        else:  # any spread-out start will do: pricing brings in what is missing
            self.include(np.unique(np.linspace(0, system.cells - 1, WORKING_SET // 2).astype(np.int64)))

    @property
    def working(self) -> Ints:
        """The cells the model holds now."""
        return self._cells

    def include(self, cells: Ints) -> None:
        """Bring cells into the working set."""
        system = self.system
        new = cells[self._position[cells] < 0]
        if not len(new):
            return
        at, counts = system.members_of(new)
        ends = np.cumsum(counts)
        self._model.addCols(
            len(new),
            np.zeros(len(new)),
            np.zeros(len(new)),
            np.full(len(new), np.inf),
            int(counts.sum()),
            (ends - counts).astype(np.int32),
            system.members[at].astype(np.int32),
            np.ones(len(at)) if system.weights is None else system.weights[at].astype(float),
        )
        self._position[new] = self._slack + len(self._cells) + np.arange(len(new))
        self._cells = np.concatenate([self._cells, new])

    def empty(self, cells: Ints) -> None:
        """From now on these cells hold nothing."""
        self._empty[cells] = True
        known = cells[self._position[cells] >= 0]
        self._hold(known, [(0, 0)] * len(known))

    def maximise(
        self, objective: Floats, bounds: Mapping[int, tuple[int, int | None]] | None = None, deadline: Deadline | None = None
    ) -> Answer:
        """The greatest value of a combination of cells, with cells optionally held between bounds."""
        if not self.system.cells:  # HiGHS has no answer to an empty model: it fits when 0 is within the limits of every row
            needy = (self.system.high < 0).astype(float) - (self.system.low > 0)
            none = np.zeros(0, dtype=np.int64)
            return Infeasible(needy) if needy.any() else Feasible(none, np.zeros(0), 0.0, needy)
        bounds = bounds or {}
        deadline = deadline or Deadline()
        if self._fits and not bounds:
            return self._priced(objective, elastic=False, deadline=deadline)
        held = np.array(sorted(bounds), dtype=np.int64)
        self.include(held)
        self._hold(held, [bounds[int(cell)] for cell in held])
        try:
            first = self._priced(np.zeros(self.system.cells), elastic=True, deadline=deadline)
            if not isinstance(first, Feasible):
                return first
            if -first.value > TOLERANCE * (1 + self.system.rows):
                return Infeasible(first.multipliers)
            self._fits |= not bounds
            if not objective.any():
                return first
            return self._priced(objective, elastic=False, deadline=deadline)
        finally:
            self._hold(held, [(0, None)] * len(held))

    def _hold(self, cells: Ints, bounds: list[tuple[int, int | None]]) -> None:
        if len(cells):
            lower = np.array([low / self._unit for low, _ in bounds])
            upper = np.array([np.inf if high is None else high / self._unit for _, high in bounds])
            self._model.changeColsBounds(len(cells), self._position[cells].astype(np.int32), lower, upper)

    def _priced(self, objective: Floats, elastic: bool, deadline: Deadline) -> Answer:
        """Solve over the working set, bring in cells that could improve it, until none is left."""
        system, model = self.system, self._model
        if elastic is not self._elastic:
            self._elastic = elastic
            slack = np.arange(self._slack, dtype=np.int32)
            model.changeColsBounds(self._slack, slack, np.zeros(self._slack), np.full(self._slack, np.inf if elastic else 0.0))
            model.changeColsCost(self._slack, slack, np.full(self._slack, 1.0 if elastic else 0.0))
        while True:
            columns = np.arange(self._slack, self._slack + len(self._cells), dtype=np.int32)
            model.changeColsCost(len(columns), columns, -objective[self._cells])
            if deadline.passed():
                return Undecided("the time limit was reached")
            if deadline.at is not None:
                model.setOptionValue("time_limit", model.getRunTime() + deadline.left())
            model.run()
            self.solves += 1
            status = model.getModelStatus()
            if status != highspy.HighsModelStatus.kOptimal:
                model.clearSolver()
                if status in ENDLESS and not elastic:
                    return Unbounded()
                return no_answer(status)
            solution = model.getSolution()
            multipliers = -np.array(solution.row_dual)
            if len(self._cells) < system.cells:
                gain = objective - system.combine(multipliers)
                gain[self._cells] = 0.0
                gain[self._empty] = 0.0
                best = np.flatnonzero(gain > TOLERANCE)
                if len(best):
                    if len(best) > BATCH:
                        best = best[np.argsort(-gain[best], kind="stable")[:BATCH]]
                    self.include(np.sort(best))
                    continue
            counts = np.array(solution.col_value)[self._slack :]
            used = np.flatnonzero(np.abs(counts) > TOLERANCE)
            return Feasible(self._cells[used], counts[used] * self._unit, -model.getObjectiveValue() * self._unit, multipliers)


def integer_point(
    system: Rows,
    objective: Floats,
    cells: Ints | None = None,
    extra: tuple[Floats, float] | None = None,
    deadline: Deadline | None = None,
) -> Answer:
    """A whole-number point with a large objective; `extra` is one more row (coefficients, least value).

    With `cells`, only these may be used. Infeasible then says nothing about the whole system.
    """
    chosen = np.arange(system.cells) if cells is None else cells
    deadline = deadline or Deadline()
    at, counts = system.members_of(chosen)
    ends = np.cumsum(counts)
    solver = quiet()
    model = highspy.HighsLp()
    model.num_row_, model.num_col_ = system.rows, len(chosen)
    model.row_lower_ = np.where(system.low == -NO_LIMIT, -np.inf, system.low.astype(float))
    model.row_upper_ = np.where(system.high == NO_LIMIT, np.inf, system.high.astype(float))
    model.col_cost_ = -objective[chosen]
    model.col_lower_ = np.zeros(len(chosen))
    model.col_upper_ = np.full(len(chosen), np.inf if system.largest is None else float(system.largest))
    model.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    model.a_matrix_.start_ = np.concatenate([[0], ends]).astype(np.int32)
    model.a_matrix_.index_ = system.members[at].astype(np.int32)
    model.a_matrix_.value_ = np.ones(len(at)) if system.weights is None else system.weights[at].astype(float)
    model.integrality_ = [highspy.HighsVarType.kInteger] * len(chosen)
    pass_model(solver, model)
    if extra is not None:
        row = np.flatnonzero(extra[0][chosen])
        solver.addRow(extra[1], np.inf, len(row), row.astype(np.int32), extra[0][chosen][row])
    if deadline.at is not None:
        solver.setOptionValue("time_limit", max(0.001, deadline.left()))
    solver.run()
    status = solver.getModelStatus()
    if status == highspy.HighsModelStatus.kInfeasible:
        return Infeasible(np.zeros(system.rows))
    if solver.getInfo().primal_solution_status != highspy.SolutionStatus.kSolutionStatusFeasible:
        return no_answer(status)
    values = np.rint(np.array(solver.getSolution().col_value))
    used = np.flatnonzero(values > 0)
    return Feasible(chosen[used], values[used], float(objective[chosen] @ values), np.zeros(system.rows))
