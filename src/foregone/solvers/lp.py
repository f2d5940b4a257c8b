"""Linear relaxations that stay warm while the objective, the limits of buckets and further rows change.

Only suggestions leave this module. A system that has no point shows itself by a ray of the simplex method, or, where
that fails, by elastic slack: a positive optimum with ordinary row multipliers. Systems with many buckets are priced: the
model holds a working set of buckets, and the multipliers tell which others could improve the objective.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from foregone.model.statement import Limits
from foregone.solvers.answer import Answer, Feasible, Infeasible, Unbounded, Undecided
from foregone.solvers.arrays import Floats, Ints
from foregone.solvers.deadline import TIME_OUT, Deadline
from foregone.solvers.highs import DUAL, PRIMAL, BucketSystem, Ending, HighsModel, columns_of, limits_of, unit_of

WORKING_SET = 2500  # systems up to this many buckets are solved whole
BATCH = 600  # buckets added in one pricing round
SPARE = 0.5  # share of the model's buckets that may be known to be empty before it is built anew without them
WORTH_IT = 400  # buckets of a model that is built anew
TOLERANCE = 1e-7


class Relaxation:
    """The linear relaxation of a system, kept in memory between questions."""

    def __init__(self, system: BucketSystem) -> None:
        self.system = system
        self.solves = 0
        self.further: list[tuple[Ints, Ints]] = []  # rows added to those of the system: buckets and their weights
        self._limits: list[Limits] = []  # of the further rows, when nothing else is asked
        self._unit = unit_of(system)
        self._fits = False  # some point satisfies all rows, when nothing is held
        self._empty = np.zeros(system.buckets, dtype=bool)  # buckets that are to hold nothing
        if system.buckets <= WORKING_SET:
            self._build(np.arange(system.buckets))
        else:  # any spread-out start will do: pricing brings in what is missing
            self._build(np.unique(np.linspace(0, system.buckets - 1, WORKING_SET // 2).astype(np.int64)))

    def _build(self, buckets: Ints) -> None:
        """A model of all rows and of these buckets."""
        system = self.system
        self._buckets: Ints = np.zeros(0, dtype=np.int64)
        self._column = np.zeros(0, dtype=np.int32)  # of each bucket in the model
        self._position = np.full(system.buckets, -1, dtype=np.int64)  # bucket -> place among them
        self._model = HighsModel(presolve="off")
        self._slack = self._model.add_columns(0)  # two columns for each row, by which it is missed
        self._elastic: bool | None = None  # may rows be missed at a price, in the model as it stands?
        self._last: Floats | None = None  # the objective of the last question, if it was answered
        self._moved = False  # have limits changed since?
        self._held: Mapping[int, tuple[int, int | None]] = {}  # what the model holds now
        self._kept: Mapping[int, Limits] = {}
        self._model.add_rows(*limits_of(system.low, system.high, self._unit))
        if self._limits:
            self._model.add_rows(*np.array([self._scaled(limits) for limits in self._limits]).T)
        self._add_slack(np.arange(system.rows + len(self._limits)), True)
        self.include(buckets)

    @property
    def working(self) -> Ints:
        """The buckets the model holds now."""
        return self._buckets

    def include(self, buckets: Ints) -> None:
        """Bring buckets into the working set."""
        system = self.system
        new = buckets[self._position[buckets] < 0]
        if not len(new):
            return
        sizes, row, value = columns_of(system, new)
        column = np.repeat(np.arange(len(new)), sizes)
        place = np.full(system.buckets, -1, dtype=np.int64)
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
        self._position[new] = len(self._buckets) + np.arange(len(new))
        self._buckets = np.concatenate([self._buckets, new])
        self._column = np.concatenate([self._column, added])

    def _add_slack(self, rows: Ints, elastic: bool) -> None:
        """For each row a column that may be added to it and one that may be taken off, at a price."""
        count, both, signs = 2 * len(rows), np.tile(rows, 2), np.repeat([1.0, -1.0], len(rows))
        cost, high = (1.0, np.inf) if elastic else (0.0, 0.0)
        added = self._model.add_columns(count, cost, high, sizes=np.ones(count), rows=both, values=signs)
        self._slack = np.concatenate([self._slack, added])

    def add(self, buckets: Ints, weights: Ints, high: int | None) -> int:
        """One more row: the weighted sum of these buckets, at most `high` if that is given. Its place among the further rows."""
        number = self.system.rows + len(self.further)
        known = self._position[buckets] >= 0
        at = self._column[self._position[buckets[known]]]
        self._model.add_rows([-np.inf], [self._scaled((None, high))[1]], [len(at)], at, weights[known])
        self.further.append((buckets, weights))
        self._limits.append((None, high))
        self._add_slack(np.array([number]), bool(self._elastic))
        self._moved = True
        return number - self.system.rows

    def empty(self, buckets: Ints) -> None:
        """From now on these buckets hold nothing."""
        self._empty[buckets] = True
        left = self._buckets[~self._empty[self._buckets]]
        if len(self._buckets) >= WORTH_IT and len(left) <= SPARE * len(self._buckets):
            possible = np.flatnonzero(~self._empty)
            self._build(possible if len(possible) <= WORKING_SET else left)
            return
        self._moved = True
        self._hold(buckets, [(0, 0)] * len(buckets))

    def maximise(
        self,
        objective: Floats,
        bounds: Mapping[int, tuple[int, int | None]] | None = None,
        deadline: Deadline | None = None,
        limits: Mapping[int, Limits] | None = None,
        careful: bool = False,
    ) -> Answer:
        """The greatest value of a combination of buckets, with buckets and further rows optionally held between bounds.

        With `careful`, multipliers that show that nothing fits come from slack instead of a ray: slower, and more often exact.
        """
        if not self.system.buckets:  # HiGHS has no answer to an empty model: it fits when 0 is within the limits of every row
            needy = (self.system.high < 0).astype(float) - (self.system.low > 0)
            none = np.zeros(0, dtype=np.int64)
            return Infeasible(needy) if needy.any() else Feasible(none, np.zeros(0), 0.0, needy)
        bounds, limits, deadline = bounds or {}, limits or {}, deadline or Deadline()
        self._arrange(bounds, limits)
        free, all_in = not bounds and not limits, bool((self._empty | (self._position >= 0)).all())
        if self._fits and not careful and (free or all_in):
            answer = self._priced(objective, elastic=False, deadline=deadline)
            if not isinstance(answer, Infeasible) or (all_in and not free):
                return answer
        first = self._priced(np.zeros(self.system.buckets), elastic=True, deadline=deadline)
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
        changed = [bucket for bucket in {*bounds, *self._held} if bounds.get(bucket) != self._held.get(bucket)]
        held = [(bucket, bounds.get(bucket, (0, None))) for bucket in changed]
        if held:
            buckets = np.array([bucket for bucket, _ in held], dtype=np.int64)
            self.include(buckets)
            self._hold(buckets, [(0, 0) if self._empty[bucket] else bound for bucket, bound in held])
        changed = [row for row in sorted({*limits, *self._kept}) if limits.get(row) != self._kept.get(row)]
        if changed:
            low, high = np.array([self._scaled(limits.get(row, self._limits[row])) for row in changed]).T.copy()
            self._model.set_limits(self.system.rows + np.array(changed, dtype=np.int32), low, high)
        self._held, self._kept = dict(bounds), dict(limits)
        self._moved |= bool(held or changed)

    def _scaled(self, limit: Limits) -> tuple[float, float]:
        low, high = limit
        return -np.inf if low is None else low / self._unit, np.inf if high is None else high / self._unit

    def _hold(self, buckets: Ints, bounds: list[tuple[int, int | None]]) -> None:
        known = self._position[buckets] >= 0
        low, high = np.array([self._scaled(bound) for bound in bounds]).reshape(-1, 2)[known].T
        self._model.set_bounds(self._column[self._position[buckets[known]]], low, high)

    def _combined(self, multipliers: Floats) -> Floats:
        """For each bucket, the sum of weight times multiplier over all rows."""
        made = self.system.combine(multipliers[: self.system.rows])
        for number in np.flatnonzero(multipliers[self.system.rows :]).tolist():
            buckets, weights = self.further[number]
            made[buckets] += multipliers[self.system.rows + number] * weights
        return made

    def _priced(self, objective: Floats, elastic: bool, deadline: Deadline) -> Answer:
        """Solve over the working set, bring in buckets that could improve it, until none is left."""
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
            model.set_costs(self._column, -objective[self._buckets])
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
            if len(self._buckets) < system.buckets:
                gain = objective - self._combined(multipliers)
                gain[self._buckets] = 0.0
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
            return Feasible(self._buckets[used], counts[used] * self._unit, -model.cost * self._unit, multipliers)

    def tableau(self, buckets: Ints) -> list[Floats]:
        """For each of these buckets that is in the basis, the multipliers of rows that single it out at the last corner."""
        return self._model.singling_out(self._column[self._position[buckets]])
