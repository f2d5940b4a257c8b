"""One linear program for many questions: rows and columns are switched on and off, and the solver starts from where it was."""

from __future__ import annotations

from dataclasses import dataclass

import highspy
import numpy as np
from numpy.typing import NDArray

from foregone.solvers.answer import Floats
from foregone.solvers.deadline import Deadline
from foregone.solvers.highs import pass_model, quiet

Ints = NDArray[np.int64]

INTEGER_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Limits:
    """How one question sets the switches. An end of a row that is off is infinite; a column that is off has room 0.

    `slack` says how far each row may be missed (0 or infinite) and `price` what a unit of that costs; `cost` is the price of
    each column.
    """

    low: Floats
    high: Floats
    slack: Floats
    price: Floats
    room: Floats
    cost: Floats


@dataclass(frozen=True, slots=True)
class Point:
    """The cheapest point: what it costs, the columns, and a multiplier for each row that suggests why it is not cheaper."""

    value: float
    columns: Floats
    multipliers: Floats

    @property
    def whole(self) -> bool:
        return bool((np.abs(self.columns - np.rint(self.columns)) < 1e-6).all())


class Switched:
    """Rows that stay, columns that are added, limits that change with every question. Answers are suggestions only."""

    def __init__(self, rows: int) -> None:
        self.rows = rows
        self.solves = 0
        self.heaviest = 0  # the largest sum of absolute weights in one column
        self._starts: list[int] = [0]
        self._members: list[Ints] = []
        self._weights: list[Ints] = []
        self._joined: tuple[Ints, Ints, Ints] | None = None  # all columns end to end
        self._model = quiet()
        self._model.setOptionValue("presolve", "off")
        model = highspy.HighsLp()
        model.num_row_, model.num_col_ = rows, 2 * rows
        model.row_lower_, model.row_upper_ = np.full(rows, -np.inf), np.full(rows, np.inf)
        model.col_cost_ = np.zeros(2 * rows)
        model.col_lower_, model.col_upper_ = np.zeros(2 * rows), np.zeros(2 * rows)
        model.a_matrix_.format_ = highspy.MatrixFormat.kColwise
        model.a_matrix_.start_ = np.arange(2 * rows + 1, dtype=np.int32)
        model.a_matrix_.index_ = np.tile(np.arange(rows, dtype=np.int32), 2)
        model.a_matrix_.value_ = np.concatenate([np.ones(rows), -np.ones(rows)])
        pass_model(self._model, model)

    @property
    def columns(self) -> int:
        return len(self._starts) - 1

    def add(self, members: list[Ints], weights: list[Ints]) -> None:
        """Further columns: the rows each of them is in, and with what weights."""
        if not members:
            return
        sizes = np.array([len(some) for some in members])
        ends = np.cumsum(sizes)
        index, values = np.concatenate(members).astype(np.int32), np.concatenate(weights).astype(float)
        count = len(members)
        self._model.addCols(
            count,
            np.zeros(count),
            np.zeros(count),
            np.full(count, np.inf),
            len(index),
            (ends - sizes).astype(np.int32),
            index,
            values,
        )
        self._starts += (self._starts[-1] + ends).tolist()
        self.heaviest = max(self.heaviest, *(int(np.abs(some).sum()) for some in weights))
        self._joined = None
        self._members += members
        self._weights += weights

    def combine(self, multipliers: Ints) -> Ints:
        """For each column, the sum of weight times multiplier over its rows."""
        if not self.columns:
            return np.zeros(0, dtype=np.int64)
        if self._joined is None:
            self._joined = np.concatenate(self._members), np.concatenate(self._weights), np.array(self._starts[:-1])
        members, weights, starts = self._joined
        return np.asarray(np.add.reduceat(multipliers[members] * weights, starts))

    def values(self, columns: Floats) -> Floats:
        """What a point adds up to in each row."""
        if not self.columns:
            return np.zeros(self.rows)
        sizes = np.diff(self._starts)
        members, weights = np.concatenate(self._members), np.concatenate(self._weights)
        return np.bincount(members, np.repeat(columns, sizes) * weights, self.rows).astype(float)

    def solve(self, limits: Limits, deadline: Deadline) -> Point | None:
        """The cheapest point; None when time ran out or the solver failed."""
        model, rows = self._model, self.rows
        model.changeRowsBounds(rows, np.arange(rows, dtype=np.int32), limits.low, limits.high)
        count = 2 * rows + self.columns
        every = np.arange(count, dtype=np.int32)
        model.changeColsBounds(count, every, np.zeros(count), np.concatenate([limits.slack, limits.slack, limits.room]))
        model.changeColsCost(count, every, np.concatenate([limits.price, limits.price, limits.cost]))
        if deadline.passed():
            return None
        model.setOptionValue("time_limit", model.getRunTime() + deadline.left())
        model.run()
        self.solves += 1
        if model.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            model.clearSolver()
            return None
        solution = model.getSolution()
        return Point(model.getObjectiveValue(), np.array(solution.col_value)[2 * rows :], -np.array(solution.row_dual))

    def integer(self, limits: Limits, deadline: Deadline) -> Floats | None:
        """A point in whole numbers that misses no row by more than its slack, as cheap as was found in a short time."""
        some = np.flatnonzero(limits.room > 0)
        soft = np.flatnonzero(limits.slack > 0)
        members = [self._members[j] for j in some] + [np.array([i]) for i in soft] * 2
        weights = [self._weights[j] for j in some] + [np.ones(1)] * len(soft) + [-np.ones(1)] * len(soft)
        if not len(some):
            return None
        solver, model = quiet(), highspy.HighsLp()
        count = len(members)
        model.num_row_, model.num_col_ = self.rows, count
        model.row_lower_, model.row_upper_ = limits.low, limits.high
        model.col_cost_ = np.concatenate([limits.cost[some], limits.price[soft], limits.price[soft]])
        model.col_lower_ = np.zeros(count)
        model.col_upper_ = np.concatenate([limits.room[some], limits.slack[soft], limits.slack[soft]])
        model.a_matrix_.format_ = highspy.MatrixFormat.kColwise
        model.a_matrix_.start_ = np.concatenate([[0], np.cumsum([len(rows) for rows in members])]).astype(np.int32)
        model.a_matrix_.index_ = np.concatenate(members).astype(np.int32)
        model.a_matrix_.value_ = np.concatenate(weights).astype(float)
        whole = highspy.HighsVarType
        model.integrality_ = [whole.kInteger] * len(some) + [whole.kContinuous] * (2 * len(soft))
        pass_model(solver, model)
        solver.setOptionValue("time_limit", max(0.001, min(INTEGER_SECONDS, deadline.left())))
        solver.run()
        if solver.getInfo().primal_solution_status != highspy.SolutionStatus.kSolutionStatusFeasible:
            return None
        found = np.zeros(self.columns)
        found[some] = np.array(solver.getSolution().col_value)[: len(some)]
        return found
