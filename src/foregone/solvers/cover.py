"""HiGHS for covering problems: the cheapest choice that has something in common with every one of some sets.

A set may bind only those choices that hold all of some other items.

Choices are checked against all sets in whole numbers; a bound is what the solver says, rounded up to the next whole cost.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil

import highspy
import numpy as np

from foregone.solvers.answer import Floats
from foregone.solvers.deadline import Deadline
from foregone.solvers.highs import quiet

TOLERANCE = 1e-6
NOTHING = np.zeros(0, dtype=np.int32)


@dataclass(frozen=True, slots=True)
class Choice:
    """A choice that meets every set, and a whole number that no such choice costs less than, as far as the solver is right."""

    chosen: frozenset[int]
    bound: int


class Covering:
    """Items with whole costs, and sets of them; sets are added as they are found."""

    def __init__(self, costs: Sequence[int]) -> None:
        self.costs = tuple(costs)
        self.sets: list[frozenset[int]] = []
        self.given: list[frozenset[int]] = []  # for each set what a choice has to hold to be bound by it
        self.impossible = False  # no choice meets all sets
        self._known: set[tuple[frozenset[int], frozenset[int]]] = set()
        self._model = quiet()
        self._whole = False
        for option, value in (("mip_rel_gap", 0.0), ("mip_abs_gap", 0.9)):
            self._model.setOptionValue(option, value)
        for cost in costs:
            self._model.addCol(float(cost), 0.0, 1.0, 0, NOTHING, np.zeros(0))

    def add(self, items: Iterable[int], given: Iterable[int] = ()) -> bool:
        """One more set to meet, by choices that hold all `given` items; False when it was there already."""
        new, known = frozenset(items), frozenset(given)
        if not (new or known) or new & known or (new, known) in self._known:
            return False
        self._known.add((new, known))
        self.sets.append(new)
        self.given.append(known)
        both = sorted(new | known)
        signs = np.array([-1.0 if item in known else 1.0 for item in both])
        self._model.addRow(1.0 - len(known), np.inf, len(both), np.array(both, dtype=np.int32), signs)
        return True

    def forbid(self, chosen: Iterable[int]) -> None:
        """From now on no choice may hold all of these."""
        items = np.array(sorted(chosen), dtype=np.int32)
        self._model.addRow(-np.inf, len(items) - 1.0, len(items), items, np.ones(len(items)))

    def relaxed(self, deadline: Deadline | None = None) -> tuple[Floats, Floats] | None:
        """How much of each item the relaxation takes, and what it pays for each set."""
        if not self.sets:
            return np.zeros(len(self.costs)), np.zeros(0)
        if not self._run(False, deadline):
            return None
        solution = self._model.getSolution()
        return np.array(solution.col_value), np.array(solution.row_dual)

    def cheapest(self, deadline: Deadline | None = None) -> Choice | None:
        """The cheapest choice, or the best found in time; None when there is none."""
        if not self.sets:
            return Choice(frozenset(), 0)
        self._run(True, deadline)
        info = self._model.getInfo()
        self.impossible = self._model.getModelStatus() == highspy.HighsModelStatus.kInfeasible
        if info.primal_solution_status != highspy.SolutionStatus.kSolutionStatusFeasible:
            return None
        values = np.array(self._model.getSolution().col_value)
        chosen = frozenset(np.flatnonzero(values > 0.5).tolist())
        if not all(chosen & items or not known <= chosen for items, known in zip(self.sets, self.given, strict=True)):
            return None
        cost = sum(self.costs[i] for i in chosen)
        return Choice(chosen, min(cost, _whole(info.mip_dual_bound)))

    def least(self, deadline: Deadline | None = None) -> int:
        """A whole number that no choice that meets every set costs less than, as far as the solver is right; a choice need not be
        found for it.
        """
        if not self.sets:
            return 0
        relaxed = self.relaxed(deadline)
        least = 0 if relaxed is None else _whole(float(np.dot(self.costs, relaxed[0])))
        self._run(True, deadline)
        if self._model.getModelStatus() == highspy.HighsModelStatus.kInfeasible:
            return least
        return max(least, _whole(self._model.getInfo().mip_dual_bound))

    def _run(self, whole: bool, deadline: Deadline | None) -> bool:
        if whole is not self._whole:
            self._whole = whole
            kind = highspy.HighsVarType.kInteger if whole else highspy.HighsVarType.kContinuous
            count = len(self.costs)
            self._model.changeColsIntegrality(count, np.arange(count, dtype=np.int32), np.array([kind] * count))
        left = (deadline or Deadline()).left()
        self._model.setOptionValue("time_limit", self._model.getRunTime() + left if left < float("inf") else float("inf"))
        self._model.run()
        return bool(self._model.getModelStatus() == highspy.HighsModelStatus.kOptimal)


def _whole(bound: float) -> int:
    """The least whole cost that a solver's bound leaves possible."""
    return max(0, ceil(bound - TOLERANCE * (1 + abs(bound)))) if np.isfinite(bound) else 0
