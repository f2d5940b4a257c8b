"""One linear program for many questions: rows and columns are switched on and off, and the solver starts from where it was.

Rows may be missed at a price, so there is always a point; a price that cannot be avoided suggests which rows contradict each
other. There are two ways to pay. By `slack` each row has a price of its own. By `shared` all rows may be missed by a multiple of
their weights, the same for all, and the least such multiple is looked for: the rows that then stand in the way weigh little.
"""

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
class Settings:
    """How one question sets the switches. An end of a row that is off is infinite; a column that is off has room 0.

    `slack` says how far each row may be missed (0 or infinite) and `price` what a unit of that costs; `cost` is the price of
    each column. `shared`, if it is given, says how far each row moves with the slack that all have in common: a negative number
    lets it be more than its upper end, a positive one less than its lower end.
    """

    low: Floats
    high: Floats
    slack: Floats
    price: Floats
    room: Floats
    cost: Floats
    shared: Floats | None = None


@dataclass(frozen=True, slots=True)
class Corner:
    """The cheapest point: what it costs, the columns, and a multiplier for each row that suggests why it is not cheaper."""

    value: float
    columns: Floats
    multipliers: Floats

    @property
    def whole(self) -> bool:
        return bool((np.abs(self.columns - np.rint(self.columns)) < 1e-6).all())


class Elastic:
    """Rows that stay, columns that are added, limits that change with every question. Answers are suggestions only."""

    def __init__(self, rows: int) -> None:
        self.rows = rows
        self.solves = 0
        self.heaviest = 0  # the largest sum of absolute weights in one column
        self._starts: list[int] = [0]
        self._members: list[Ints] = []
        self._weights: list[Ints] = []
        self._aimed: dict[int, Ints] = {}  # rows of which the weights may change, column by column
        self._shared = np.zeros(rows)
        self._joined: tuple[Ints, Ints, Ints] | None = None  # all columns end to end
        self._model = quiet()
        self._model.setOptionValue("presolve", "off")
        self._first = 2 * rows + 1  # before the columns: two slacks for each row, and one that all share
        model = highspy.HighsLp()
        model.num_row_, model.num_col_ = rows, self._first
        model.row_lower_, model.row_upper_ = np.full(rows, -np.inf), np.full(rows, np.inf)
        model.col_cost_ = np.zeros(self._first)
        model.col_lower_, model.col_upper_ = np.zeros(self._first), np.zeros(self._first)
        model.a_matrix_.format_ = highspy.MatrixFormat.kColwise
        model.a_matrix_.start_ = np.append(np.arange(2 * rows + 1), 2 * rows).astype(np.int32)
        model.a_matrix_.index_ = np.tile(np.arange(rows, dtype=np.int32), 2)
        model.a_matrix_.value_ = np.concatenate([np.ones(rows), -np.ones(rows)])
        pass_model(self._model, model)

    @property
    def columns(self) -> int:
        return len(self._starts) - 1

    def add(self, members: list[Ints], weights: list[Ints]) -> None:
        """Further columns: the rows each of them is in, at least one, and with what weights."""
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
        self._aimed = {row: np.append(old, np.zeros(count, dtype=np.int64)) for row, old in self._aimed.items()}

    def aim(self, row: int, weights: Ints) -> None:
        """Give a row, which no column was added with, other weights: one number for each column."""
        old = self._aimed.get(row, np.zeros(self.columns, dtype=np.int64))
        for column in np.flatnonzero(old != weights).tolist():
            self._model.changeCoeff(row, self._first + column, float(weights[column]))
        self._aimed[row] = weights

    def combine(self, multipliers: Ints) -> Ints:
        """For each column, the sum of weight times multiplier over its rows."""
        if not self.columns:
            return np.zeros(0, dtype=np.int64)
        members, weights, starts = self._all()
        made = np.asarray(np.add.reduceat(multipliers[members] * weights, starts))
        for row, values in self._aimed.items():
            made = made + multipliers[row] * values
        return made

    def values(self, columns: Floats) -> Floats:
        """What a point adds up to in each row whose weights do not change."""
        if not self.columns:
            return np.zeros(self.rows)
        members, weights, _ = self._all()
        return np.bincount(members, np.repeat(columns, np.diff(self._starts)) * weights, self.rows).astype(float)

    def _all(self) -> tuple[Ints, Ints, Ints]:
        if self._joined is None:
            self._joined = np.concatenate(self._members), np.concatenate(self._weights), np.array(self._starts[:-1])
        return self._joined

    def solve(self, settings: Settings, deadline: Deadline) -> Corner | None:
        """The cheapest point; None when time ran out or the solver failed."""
        model, rows = self._model, self.rows
        model.changeRowsBounds(rows, np.arange(rows, dtype=np.int32), settings.low, settings.high)
        count, shared = self._first + self.columns, settings.shared is not None
        if settings.shared is not None:
            for row in np.flatnonzero(settings.shared != self._shared).tolist():
                model.changeCoeff(row, self._first - 1, float(settings.shared[row]))
            self._shared = settings.shared
        every = np.arange(count, dtype=np.int32)
        upper = np.concatenate([settings.slack, settings.slack, [np.inf if shared else 0.0], settings.room])
        model.changeColsBounds(count, every, np.zeros(count), upper)
        model.changeColsCost(count, every, np.concatenate([settings.price, settings.price, [1.0], settings.cost]))
        if deadline.passed():
            return None
        model.setOptionValue("time_limit", model.getRunTime() + deadline.left())
        model.run()
        self.solves += 1
        if model.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            model.clearSolver()
            return None
        solution = model.getSolution()
        return Corner(model.getObjectiveValue(), np.array(solution.col_value)[self._first :], -np.array(solution.row_dual))

    def integer(self, settings: Settings, deadline: Deadline) -> Floats | None:
        """A point in whole numbers that keeps all rows, as cheap as was found in a short time."""
        some = np.flatnonzero(settings.room > 0)
        if not len(some):
            return None
        members, weights = [self._members[j] for j in some], [self._weights[j] for j in some]
        for row, values in self._aimed.items():
            for k in np.flatnonzero(values[some]).tolist():
                members[k], weights[k] = np.append(members[k], row), np.append(weights[k], values[some[k]])
        solver, model = quiet(), highspy.HighsLp()
        model.num_row_, model.num_col_ = self.rows, len(some)
        model.row_lower_, model.row_upper_ = settings.low, settings.high
        model.col_cost_ = settings.cost[some]
        model.col_lower_, model.col_upper_ = np.zeros(len(some)), settings.room[some]
        model.a_matrix_.format_ = highspy.MatrixFormat.kColwise
        model.a_matrix_.start_ = np.concatenate([[0], np.cumsum([len(rows) for rows in members])]).astype(np.int32)
        model.a_matrix_.index_ = np.concatenate(members).astype(np.int32)
        model.a_matrix_.value_ = np.concatenate(weights).astype(float)
        model.integrality_ = [highspy.HighsVarType.kInteger] * len(some)
        pass_model(solver, model)
        solver.setOptionValue("time_limit", max(0.001, min(INTEGER_SECONDS, deadline.left())))
        solver.run()
        if solver.getInfo().primal_solution_status != highspy.SolutionStatus.kSolutionStatusFeasible:
            return None
        found = np.zeros(self.columns)
        found[some] = np.array(solver.getSolution().col_value)
        return found
