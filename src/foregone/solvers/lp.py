"""Linear relaxations that stay warm while the objective, the limits of cells and further rows change.

Only suggestions leave this module. A system that has no point shows itself by a ray of the simplex method, or, where
that fails, by elastic slack: a positive optimum with ordinary row multipliers. Systems with many cells are priced: the
model holds a working set of cells, and the multipliers tell which others could improve the objective.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from foregone.model.statement import Limits
from foregone.solvers.answer import Answer, Feasible, Floats, Infeasible, Unbounded, Undecided
from foregone.solvers.deadline import TIME_OUT, Deadline
from foregone.solvers.highs import DUAL, PRIMAL, CellSystem, Ending, HighsModel, Ints, columns_of, limits_of, unit_of

WORKING_SET = 2500  # systems up to this many cells are solved whole
BATCH = 600  # cells added in one pricing round
TOLERANCE = 1e-7


class Relaxation:
    """The linear relaxation of a system, kept in memory between questions."""

    def __init__(self, system: CellSystem) -> None:
        self.system = system
        self.solves = 0
        self.further: list[tuple[Ints, Ints]] = []  # rows added to those of the system: cells and their weights
        self._limits: list[Limits] = []  # of the further rows, when nothing else is asked
        self._cells: Ints = np.zeros(0, dtype=np.int64)
        self._column = np.zeros(0, dtype=np.int32)  # of each cell in the model
        self._position = np.full(system.cells, -1, dtype=np.int64)  # cell -> place among them
        self._model = HighsModel(presolve="off")
        self._unit = unit_of(system)
        self._slack = self._model.add_columns(0)  # two columns for each row, by which it is missed
        self._elastic: bool | None = None  # may rows be missed at a price, in the model as it stands?
        self._fits = False  # some point satisfies all rows, when nothing is held
        self._empty = np.zeros(system.cells, dtype=bool)  # cells that are to hold nothing
        self._last: Floats | None = None  # the objective of the last question, if it was answered
        self._moved = False  # have limits changed since?
        self._held: Mapping[int, tuple[int, int | None]] = {}  # what the model holds now
        self._kept: Mapping[int, Limits] = {}
        self._build()

    def _build(self) -> None:
        system = self.system
        self._model.add_rows(*limits_of(system.low, system.high, self._unit))
        self._add_slack(np.arange(system.rows), True)
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
        sizes, row, value = columns_of(system, new)
        column = np.repeat(np.arange(len(new)), sizes)
        place = np.full(system.cells, -1, dtype=np.int64)
        place[new] = np.arange(len(new))
        for number, (members, weights) in enumerate(self.further, start=system.rows):
            inside = np.flatnonzero(place[members] >= 0)
            column = np.concatenate([column, place[members[inside]]])
            row = np.concatenate([row, np.full(len(inside), number)])
            value = np.concatenate([value, weights[inside]])
        order = np.argsort(column, kind="stable")
        upper = np.where(self._empty[new], 0.0, np.inf)
        sizes = np.bincount(column, minlength=len(new))
        added = self._model.add_columns(len(new), high=upper, sizes=sizes, rows=row[order], values=value[order])
        self._position[new] = len(self._cells) + np.arange(len(new))
        self._cells = np.concatenate([self._cells, new])
        self._column = np.concatenate([self._column, added])

    def _add_slack(self, rows: Ints, elastic: bool) -> None:
        """For each row a column that may be added to it and one that may be taken off, at a price."""
        count, both, signs = 2 * len(rows), np.tile(rows, 2), np.repeat([1.0, -1.0], len(rows))
        cost, high = (1.0, np.inf) if elastic else (0.0, 0.0)
        added = self._model.add_columns(count, cost, high, sizes=np.ones(count), rows=both, values=signs)
        self._slack = np.concatenate([self._slack, added])

    def add(self, cells: Ints, weights: Ints, high: int | None) -> int:
        """One more row: the weighted sum of these cells, at most `high` if that is given. Its place among the further rows."""
        number = self.system.rows + len(self.further)
        known = self._position[cells] >= 0
        at = self._column[self._position[cells[known]]]
        self._model.add_rows([-np.inf], [self._scaled((None, high))[1]], [len(at)], at, weights[known])
        self.further.append((cells, weights))
        self._limits.append((None, high))
        self._add_slack(np.array([number]), bool(self._elastic))
        self._moved = True
        return number - self.system.rows

    def empty(self, cells: Ints) -> None:
        """From now on these cells hold nothing."""
        self._empty[cells] = True
        self._moved = True
        self._hold(cells, [(0, 0)] * len(cells))

    def maximise(
        self,
        objective: Floats,
        bounds: Mapping[int, tuple[int, int | None]] | None = None,
        deadline: Deadline | None = None,
        limits: Mapping[int, Limits] | None = None,
        careful: bool = False,
    ) -> Answer:
        """The greatest value of a combination of cells, with cells and further rows optionally held between bounds.

        With `careful`, multipliers that show that nothing fits come from slack instead of a ray: slower, and more often exact.
        """
        if not self.system.cells:  # HiGHS has no answer to an empty model: it fits when 0 is within the limits of every row
            needy = (self.system.high < 0).astype(float) - (self.system.low > 0)
            none = np.zeros(0, dtype=np.int64)
            return Infeasible(needy) if needy.any() else Feasible(none, np.zeros(0), 0.0, needy)
        bounds, limits, deadline = bounds or {}, limits or {}, deadline or Deadline()
        self._arrange(bounds, limits)
        free, all_in = not bounds and not limits, len(self._cells) == self.system.cells
        if self._fits and not careful and (free or all_in):
            answer = self._priced(objective, elastic=False, deadline=deadline)
            if not isinstance(answer, Infeasible) or (all_in and not free):
                return answer
        first = self._priced(np.zeros(self.system.cells), elastic=True, deadline=deadline)
        if not isinstance(first, Feasible):
            return first
        if -first.value > TOLERANCE * (1 + self.system.rows):
            return Infeasible(first.multipliers)
        self._fits |= free
        if not objective.any():
            return first
        return self._priced(objective, elastic=False, deadline=deadline)

    def _arrange(self, bounds: Mapping[int, tuple[int, int | None]], limits: Mapping[int, Limits]) -> None:
        """Hold what this question wants held, and let go what the last one did."""
        held = [(cell, bounds.get(cell, (0, None))) for cell in {*bounds, *self._held} if bounds.get(cell) != self._held.get(cell)]
        if held:
            cells = np.array([cell for cell, _ in held], dtype=np.int64)
            self.include(cells)
            self._hold(cells, [(0, 0) if self._empty[cell] else bound for cell, bound in held])
        changed = [row for row in sorted({*limits, *self._kept}) if limits.get(row) != self._kept.get(row)]
        if changed:
            low, high = np.array([self._scaled(limits.get(row, self._limits[row])) for row in changed]).T.copy()
            self._model.set_limits(self.system.rows + np.array(changed, dtype=np.int32), low, high)
        self._held, self._kept = dict(bounds), dict(limits)
        self._moved |= bool(held or changed)

    def _scaled(self, limit: Limits) -> tuple[float, float]:
        low, high = limit
        return -np.inf if low is None else low / self._unit, np.inf if high is None else high / self._unit

    def _hold(self, cells: Ints, bounds: list[tuple[int, int | None]]) -> None:
        known = self._position[cells] >= 0
        low, high = np.array([self._scaled(bound) for bound in bounds]).reshape(-1, 2)[known].T
        self._model.set_bounds(self._column[self._position[cells[known]]], low, high)

    def _combined(self, multipliers: Floats) -> Floats:
        """For each cell, the sum of weight times multiplier over all rows."""
        made = self.system.combine(multipliers[: self.system.rows])
        for number in np.flatnonzero(multipliers[self.system.rows :]).tolist():
            cells, weights = self.further[number]
            made[cells] += multipliers[self.system.rows + number] * weights
        return made

    def _priced(self, objective: Floats, elastic: bool, deadline: Deadline) -> Answer:
        """Solve over the working set, bring in cells that could improve it, until none is left."""
        system, model = self.system, self._model
        if elastic is not self._elastic:
            self._elastic = elastic
            model.set_bounds(self._slack, 0.0, np.inf if elastic else 0.0)
            model.set_costs(self._slack, np.full(len(self._slack), float(elastic)))
        # the last basis is of use to the dual method when only limits have changed, else to the primal one
        same = not elastic and self._last is not None and np.array_equal(self._last, objective)
        model.set(simplex_strategy=DUAL if same and self._moved else PRIMAL)
        self._last, self._moved = None, False
        afresh = False
        while True:
            model.set_costs(self._column, -objective[self._cells])
            if deadline.passed():
                return Undecided(TIME_OUT)
            ending = model.run(deadline)
            self.solves += 1
            if ending is Ending.INFEASIBLE:
                self._last = None if elastic else objective.copy()
                return Infeasible(-model.ray)
            if ending is not Ending.OPTIMAL:
                no_answer = model.no_answer
                model.forget()
                if ending is Ending.ENDLESS and not elastic:
                    return Unbounded()
                if ending is Ending.LOST and not afresh:  # on the way from the last basis
                    afresh = True
                    model.set(simplex_strategy=DUAL)
                    continue
                return no_answer
            multipliers = -model.duals
            if len(self._cells) < system.cells:
                gain = objective - self._combined(multipliers)
                gain[self._cells] = 0.0
                gain[self._empty] = 0.0
                best = np.flatnonzero(gain > TOLERANCE)
                if len(best):
                    if len(best) > BATCH:
                        best = best[np.argsort(-gain[best], kind="stable")[:BATCH]]
                    self.include(np.sort(best))
                    model.set(simplex_strategy=PRIMAL)
                    continue
            counts = model.point[self._column]
            used = np.flatnonzero(np.abs(counts) > TOLERANCE)
            self._last = None if elastic else objective.copy()
            return Feasible(self._cells[used], counts[used] * self._unit, -model.cost * self._unit, multipliers)

    def tableau(self, cells: Ints) -> list[Floats]:
        """For each of these cells that is in the basis, the multipliers of rows that single it out at the last corner."""
        return self._model.singling_out(self._column[self._position[cells]])
