"""One linear program for many questions: rows and columns are switched on and off, and the solver starts from where it was."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from foregone.solvers.answer import Floats
from foregone.solvers.deadline import Deadline
from foregone.solvers.highs import Ending, Ints, Model

INTEGER_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Switches:
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
class Corner:
    """The cheapest point: what it costs, the columns, and a multiplier for each row that suggests why it is not cheaper."""

    value: float
    columns: Floats
    multipliers: Floats

    @property
    def whole(self) -> bool:
        return bool((np.abs(self.columns - np.rint(self.columns)) < 1e-6).all())


class SwitchedProgram:
    """Rows that stay, columns that are added, limits that change with every question. Answers are suggestions only."""

    def __init__(self, rows: int) -> None:
        self.rows = rows
        self.columns, self.solves = 0, 0
        self.heaviest = 0  # the largest sum of absolute weights in one column
        none = np.zeros(0, dtype=np.int64)
        self._sizes, self._members, self._weights = none, none, none  # of all columns, end to end
        self._model = Model(presolve="off")
        self._model.add_rows(np.full(rows, -np.inf), np.full(rows, np.inf))
        self._model.add_columns(2 * rows, 0.0, 0.0, sizes=np.ones(2 * rows), rows=_twice(rows), values=_signs(rows))

    def add(self, members: list[Ints], weights: list[Ints]) -> None:
        """Further columns: the rows each of them is in, and with what weights."""
        if not members:
            return
        sizes, rows, values = np.array([len(some) for some in members]), np.concatenate(members), np.concatenate(weights)
        self._model.add_columns(len(members), sizes=sizes, rows=rows, values=values)
        self.columns += len(members)
        self.heaviest = max(self.heaviest, *(int(np.abs(some).sum()) for some in weights))
        self._sizes = np.concatenate([self._sizes, sizes])
        self._members = np.concatenate([self._members, rows])
        self._weights = np.concatenate([self._weights, values])

    def combine(self, multipliers: Ints) -> Ints:
        """For each column, the sum of weight times multiplier over its rows."""
        if not self.columns:
            return np.zeros(0, dtype=np.int64)
        starts = np.cumsum(self._sizes) - self._sizes
        return np.asarray(np.add.reduceat(multipliers[self._members] * self._weights, starts))

    def values(self, columns: Floats) -> Floats:
        """What a point adds up to in each row."""
        return np.bincount(self._members, np.repeat(columns, self._sizes) * self._weights, self.rows).astype(float)

    def solve(self, switches: Switches, deadline: Deadline) -> Corner | None:
        """The cheapest point; None when time ran out or the solver failed."""
        if deadline.passed():
            return None
        model = self._model
        self.solves += 1
        every = np.arange(model.columns, dtype=np.int32)
        model.set_limits(np.arange(self.rows, dtype=np.int32), switches.low, switches.high)
        model.set_bounds(every, 0.0, np.concatenate([switches.slack, switches.slack, switches.room]))
        model.set_costs(every, np.concatenate([switches.price, switches.price, switches.cost]))
        if model.run(deadline) is not Ending.OPTIMAL:
            model.forget()
            return None
        return Corner(model.cost, model.point[2 * self.rows :], -model.duals)

    def integer(self, switches: Switches, deadline: Deadline) -> Floats | None:
        """A point in whole numbers that misses no row by more than its slack, as cheap as was found in a short time."""
        some, soft = np.flatnonzero(switches.room > 0), np.flatnonzero(switches.slack > 0)
        if not len(some):
            return None
        model = Model()
        model.add_rows(switches.low, switches.high)
        inside = np.repeat(switches.room > 0, self._sizes)
        model.set_whole(
            model.add_columns(
                len(some),
                switches.cost[some],
                switches.room[some],
                sizes=self._sizes[some],
                rows=self._members[inside],
                values=self._weights[inside],
            )
        )
        count, price, slack = 2 * len(soft), np.tile(switches.price[soft], 2), np.tile(switches.slack[soft], 2)
        model.add_columns(count, price, slack, sizes=np.ones(count), rows=np.tile(soft, 2), values=_signs(len(soft)))
        model.run(deadline.sooner(INTEGER_SECONDS))
        if not model.has_point:
            return None
        found = np.zeros(self.columns)
        found[some] = model.point[: len(some)]
        return found


def _twice(rows: int) -> Ints:
    return np.tile(np.arange(rows), 2)


def _signs(rows: int) -> Floats:
    """Of the columns by which rows are missed: all from below, then all from above."""
    return np.repeat([1.0, -1.0], rows)
