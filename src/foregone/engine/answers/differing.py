"""Datasets that fit what is left of a release and differ in as many cells as possible, a few for all cells together.

A cell that must stay unknown is in order as soon as two datasets that fit differ in it. One linear program with a random sign for
each cell moves about half of those that can move, so a handful of programs does for all of them. What these programs do not
move is asked about one by one; what does not move then either is only suspected to be known: nothing here is a proof of that.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from foregone.engine.case import Case
from foregone.engine.system.linear import LinearSystem
from foregone.engine.system.witness import Witness
from foregone.solvers.answer import Feasible
from foregone.solvers.arrays import Bools, Floats, Ints
from foregone.solvers.deadline import Deadline
from foregone.solvers.highs import limits_of
from foregone.solvers.spread import Spread, whole
from foregone.solvers.whole import integer_point

NEAR, FAR = 1, 1000  # how far cells may move: all together just far enough to differ, one alone with whatever that takes
FEW = 3  # cells that are asked about as one is
SECONDS = 2.0  # for one program in whole numbers
ROUGHLY = 0.5  # share of the greatest objective that it may miss
MOVED = 1e-6
MOST_KNOWN = 400  # datasets that are carried from one choice to the next
COMFORTABLE = 1 << 24  # limits above are left to the engine, for floating point goes astray among them


class Differing:
    """For one system, of which the limits change with every choice of actions."""

    def __init__(self, system: LinearSystem) -> None:
        self._spread = Spread(system)
        self._rng = np.random.default_rng(0)
        self._far: tuple[Case, LinearSystem] | None = None  # the case whose rows may move far now

    def fixed(self, case: Case, row: int, deadline: Deadline) -> bool:
        """Does a row seem to be the same in all datasets that fit? If it is not, a dataset is added that differs in it."""
        at = np.array([row])
        if not self._same(case, at).all():
            return False  # it moved along with another one
        first = case.system.tabulate(case.pool.witnesses[0])
        if self._far is None or self._far[0] is not case:
            self._far = case, self._within(case.system, np.arange(case.system.rows), first, FAR)
        far, seems = self._far[1], True
        for sign in (1.0, -1.0):
            end = self._differ(case, far, at, np.array([sign]), deadline, sign * float(first[row]) + 1 - MOVED)
            if not self._same(case, at).all():
                return False
            seems = seems and end is not None and end < sign * first[row] + 1 - MOVED
        return seems

    def together(self, case: Case, asked: Ints, deadline: Deadline) -> Ints:
        """Add datasets until one program for all rows that are still the same moves none of them; these rows."""
        first = case.system.tabulate(case.pool.witnesses[0])
        if not len(asked) or int(first.max(initial=0)) > COMFORTABLE:
            return asked[:0]
        open_, before = self._same(case, asked), len(asked) + 1
        near = self._within(case.system, asked, first, NEAR) if open_.any() else case.system
        while 0 < int(open_.sum()) < before and not deadline.passed():
            before = int(open_.sum())
            self._differ(case, near, asked[open_], self._rng.choice([-1.0, 1.0], before), deadline)
            open_ = self._same(case, asked)
        return asked[open_]

    def _within(self, system: LinearSystem, rows: Ints, first: Ints, reach: int) -> LinearSystem:
        """The system where some rows stay near what they are in a dataset."""
        self._far = None
        low, high = system.low.copy(), system.high.copy()
        low[rows], high[rows] = np.maximum(low[rows], first[rows] - reach), np.minimum(high[rows], first[rows] + reach)
        self._spread.limit(*limits_of(low, high))
        return replace(system, low=low, high=high)

    def _same(self, case: Case, rows: Ints) -> Bools:
        """Which rows are the same in all datasets that are known?"""
        sums = case.system.tabulate_each(case.pool.witnesses)[:, rows]
        return np.asarray((sums == sums[0]).all(axis=0))

    def _differ(
        self, case: Case, limited: LinearSystem, rows: Ints, signs: Floats, deadline: Deadline, least: float = -np.inf
    ) -> float | None:
        """One more dataset, if there is one near; how large the rows, each with its sign, are together in the relaxation. Where
        that is less than `least` no dataset is looked for.
        """
        objective = self._spread.objective(rows, signs)
        point = self._spread.farthest(objective, deadline, len(rows) > FEW)
        if point is None:
            return None
        if float(objective @ point) < least:
            return float(objective @ point)
        if whole(point):
            case.pool.add(Witness.of_counts(np.arange(len(point)), np.rint(point).astype(np.int64)))
        else:
            answer = integer_point(limited, objective, deadline=deadline.sooner(SECONDS), gap=ROUGHLY)
            if isinstance(answer, Feasible):
                case.pool.add(Witness.of_counts(answer.buckets, answer.counts.astype(np.int64)))
        return float(objective @ point)
