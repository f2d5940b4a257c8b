"""One linear program for many questions: rows and columns are switched on and off, and the solver starts from where it was.

Rows may be missed at a price, so there is always a point; a price that cannot be avoided suggests which rows contradict each
other. There are two ways to pay. By `slack` each row has a price of its own. By `shared` all rows may be missed by a multiple of
their weights, the same for all, and the least such multiple is looked for: the rows that then stand in the way weigh little.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from foregone.solvers.arrays import Floats, Ints
from foregone.solvers.deadline import Deadline
from foregone.solvers.highs import Ending, HighsModel

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
        self.columns, self.solves = 0, 0
        self.heaviest = 0  # the largest sum of absolute weights in one column
        none = np.zeros(0, dtype=np.int64)
        self._sizes, self._members, self._weights = none, none, none  # of all columns, end to end
        self._aimed: dict[int, Ints] = {}  # rows of which the weights may change, column by column
        self._shared = np.zeros(rows)
        self._model = HighsModel(presolve="off")
        self._model.add_rows(np.full(rows, -np.inf), np.full(rows, np.inf))
        # before the columns: two slacks for each row, and one that all share
        sizes, signs = np.append(np.ones(2 * rows), 0), np.repeat([1.0, -1.0], rows)
        self._model.add_columns(2 * rows + 1, 0.0, 0.0, sizes=sizes, rows=np.tile(np.arange(rows), 2), values=signs)
        self._first = 2 * rows + 1

    def add(self, members: list[Ints], weights: list[Ints]) -> None:
        """Further columns: the rows each of them is in, at least one, and with what weights."""
        if not members:
            return
        sizes, rows, values = np.array([len(some) for some in members]), np.concatenate(members), np.concatenate(weights)
        self._model.add_columns(len(members), sizes=sizes, rows=rows, values=values)
        self.columns += len(members)
        self.heaviest = max(self.heaviest, *(int(np.abs(some).sum()) for some in weights))
        self._sizes = np.concatenate([self._sizes, sizes])
        self._members = np.concatenate([self._members, rows])
        self._weights = np.concatenate([self._weights, values])
        self._aimed = {row: np.append(old, np.zeros(len(members), dtype=np.int64)) for row, old in self._aimed.items()}

    def aim(self, row: int, weights: Ints) -> None:
        """Give a row, which no column was added with, other weights: one number for each column."""
        old = self._aimed.get(row, np.zeros(self.columns, dtype=np.int64))
        for column in np.flatnonzero(old != weights).tolist():
            self._model.set_value(row, self._first + column, float(weights[column]))
        self._aimed[row] = weights

    def combine(self, multipliers: Ints) -> Ints:
        """For each column, the sum of weight times multiplier over its rows."""
        if not self.columns:
            return np.zeros(0, dtype=np.int64)
        starts = np.cumsum(self._sizes) - self._sizes
        made = np.asarray(np.add.reduceat(multipliers[self._members] * self._weights, starts))
        for row, values in self._aimed.items():
            made = made + multipliers[row] * values
        return made

    def values(self, columns: Floats) -> Floats:
        """What a point adds up to in each row whose weights do not change."""
        return np.bincount(self._members, np.repeat(columns, self._sizes) * self._weights, self.rows).astype(float)

    def solve(self, settings: Settings, deadline: Deadline) -> Corner | None:
        """The cheapest point; None when time ran out or the solver failed."""
        if deadline.passed():
            return None
        model, shared = self._model, settings.shared is not None
        if settings.shared is not None:
            for row in np.flatnonzero(settings.shared != self._shared).tolist():
                model.set_value(row, self._first - 1, float(settings.shared[row]))
            self._shared = settings.shared
        every = np.arange(model.columns, dtype=np.int32)
        model.set_limits(np.arange(self.rows, dtype=np.int32), settings.low, settings.high)
        model.set_bounds(every, 0.0, np.concatenate([settings.slack, settings.slack, [np.inf if shared else 0.0], settings.room]))
        model.set_costs(every, np.concatenate([settings.price, settings.price, [1.0], settings.cost]))
        self.solves += 1
        if model.run(deadline) is not Ending.OPTIMAL:
            model.forget()
            return None
        return Corner(model.cost, model.point[self._first :], -model.duals)

    def integer(self, settings: Settings, deadline: Deadline) -> Floats | None:
        """A point in whole numbers that keeps all rows, as cheap as was found in a short time."""
        on = settings.room > 0
        some, inside = np.flatnonzero(on), np.repeat(on, self._sizes)
        if not len(some):
            return None
        model = HighsModel()
        model.set_whole(model.add_columns(len(some), settings.cost[some], settings.room[some]))
        place = np.cumsum(on) - 1
        columns, rows = place[np.repeat(np.arange(self.columns), self._sizes)[inside]], self._members[inside]
        values = self._weights[inside]
        for row, weights in self._aimed.items():
            used = np.flatnonzero(on & (weights != 0))
            columns, rows = np.append(columns, place[used]), np.append(rows, np.full(len(used), row))
            values = np.append(values, weights[used])
        order = np.argsort(rows, kind="stable")
        sizes = np.bincount(rows, minlength=self.rows)
        model.add_rows(settings.low, settings.high, sizes, columns[order], values[order])
        model.run(deadline.sooner(INTEGER_SECONDS))
        if not model.has_point:
            return None
        found = np.zeros(self.columns)
        found[some] = model.point
        return found
