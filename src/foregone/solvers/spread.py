"""How far sums of a system can move: one linear program, kept warm, for many limits and many sums.

A row of a single bucket is no row here but the bounds of a column, so tables with totals stay small. Only suggestions leave this
module: whoever uses a point tabulates it again, and whoever uses multipliers adds them up.
"""

from __future__ import annotations

import numpy as np

from foregone.solvers.arrays import Floats, Ints
from foregone.solvers.deadline import Deadline
from foregone.solvers.highs import DUAL, PRIMAL, BucketSystem, Ending, HighsModel, columns_of

WHOLE = 1e-6


class Spread:
    """The buckets of a system as columns. `limit` sets the limits of all rows, `farthest` asks for a point."""

    def __init__(self, system: BucketSystem) -> None:
        every = np.arange(system.buckets)
        sizes, rows, weights = columns_of(system, every)
        bucket = np.repeat(every, sizes)
        self._bound = np.bincount(rows, minlength=system.rows) == 1  # of each row: is it the bound of a column?
        self._bound[rows[weights != 1]] = False
        order = np.argsort(rows, kind="stable")
        ends = np.cumsum(np.bincount(rows, minlength=system.rows))
        self._members, self._weights = np.split(bucket[order], ends[:-1]), np.split(weights[order], ends[:-1])
        bounds = np.flatnonzero(self._bound).tolist()
        self._bucket_of = np.array([self._members[row][0] for row in bounds], dtype=np.int64)
        place, here = np.cumsum(~self._bound) - 1, ~self._bound[rows]
        count = int((~self._bound).sum())
        self._model = HighsModel(presolve="off")
        self._model.add_rows(np.full(count, -np.inf), np.full(count, np.inf))
        sizes = np.bincount(bucket[here], minlength=system.buckets)
        self._columns = self._model.add_columns(system.buckets, sizes=sizes, rows=place[rows[here]], values=weights[here])
        self._rows = np.arange(count, dtype=np.int32)
        self._moved = True

    def limit(self, low: Floats, high: Floats, least: Floats | float = 0.0) -> None:
        """Between which numbers the rows of the system lie from now on, and at least which ones the buckets are."""
        lows, highs = np.full(len(self._columns), least), np.full(len(self._columns), np.inf)
        np.maximum.at(lows, self._bucket_of, low[self._bound])
        np.minimum.at(highs, self._bucket_of, high[self._bound])
        self._model.set_bounds(self._columns, lows, np.maximum(lows, highs))
        self._model.set_limits(self._rows, low[~self._bound], high[~self._bound])
        self._moved = True

    def objective(self, rows: Ints, signs: Floats) -> Floats:
        """What rows add up to, each with its sign: a number for each bucket."""
        made = np.zeros(len(self._columns))
        for row, sign in zip(rows.tolist(), signs.tolist(), strict=True):
            made[self._members[row]] += sign * self._weights[row]
        return made

    def sums(self, point: Floats, rows: Ints) -> Floats:
        """What some rows add up to at a point."""
        return np.array([point[self._members[row]] @ self._weights[row] for row in rows.tolist()])

    def farthest(self, objective: Floats, deadline: Deadline, afresh: bool = False) -> Floats | None:
        """A point with the greatest objective; None when the solver has none. An objective of many rows is far from the last one:
        to begin `afresh` is then many times faster, as it is slower for one row after another.
        """
        if afresh:
            self._model.forget()
        # where limits have changed the last point may fit no more, where only the objective has it still does
        self._model.set(simplex_strategy=DUAL if self._moved or afresh else PRIMAL)
        self._model.set_costs(self._columns, -objective)
        if self._model.run(deadline) is not Ending.OPTIMAL:
            self._model.forget()
            return None
        self._moved = False
        return self._model.point

    @property
    def multipliers(self) -> Floats:
        """Of the rows of the system, at the last point: they add up to the objective, or to more where buckets hold nothing.
        Positive ones use the upper limits, negative ones the lower.
        """
        made = np.zeros(len(self._bound))
        made[~self._bound] = -self._model.duals
        made[self._bound] = -self._model.reduced[self._bucket_of]
        return made


def whole(point: Floats) -> bool:
    """Are all numbers of a point whole?"""
    return bool((np.abs(point - np.rint(point)) < WHOLE).all())
