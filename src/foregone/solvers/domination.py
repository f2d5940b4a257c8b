"""HiGHS to suggest a short proof: few rows whose sum is at least an objective on every record, and is worth little enough.

Records are taken in as they are needed. Only which rows are used leaves this module, and that as a suggestion.
"""

from __future__ import annotations

from collections.abc import Iterable

import highspy
import numpy as np
from numpy.typing import NDArray

from foregone.solvers.answer import Floats
from foregone.solvers.deadline import Deadline
from foregone.solvers.highs import pass_model, quiet

Bools = NDArray[np.bool_]


class Domination:
    """Columns are rows of a release with a sign and a worth; constraints are records, and one is about the worth of all."""

    def __init__(self, worth: Floats, signs: Floats) -> None:
        self.signs = signs
        self.count, self.records = len(worth), 0
        self._model = quiet()
        self._model.setOptionValue("presolve", "off")
        model = highspy.HighsLp()
        model.num_row_, model.num_col_ = 1, self.count
        model.row_lower_, model.row_upper_ = np.array([-np.inf]), np.array([0.0])
        model.col_cost_ = np.ones(self.count)
        model.col_lower_, model.col_upper_ = np.zeros(self.count), np.full(self.count, np.inf)
        model.a_matrix_.format_ = highspy.MatrixFormat.kColwise
        used = np.flatnonzero(worth)
        model.a_matrix_.start_ = np.concatenate([[0], np.cumsum(worth != 0)]).astype(np.int32)
        model.a_matrix_.index_ = np.zeros(len(used), dtype=np.int32)
        model.a_matrix_.value_ = worth[used]
        pass_model(self._model, model)

    def weigh(self, weights: Floats) -> None:
        self._model.changeColsCost(self.count, np.arange(self.count, dtype=np.int32), weights)

    def switch(self, columns: Iterable[int], on: bool) -> None:
        chosen = np.array(sorted(columns), dtype=np.int32)
        if len(chosen):
            self._model.changeColsBounds(len(chosen), chosen, np.zeros(len(chosen)), np.full(len(chosen), np.inf if on else 0.0))

    def add_record(self, members: Bools, objective: float) -> None:
        """One more record: the columns whose rows count it, and what it is worth to the objective."""
        inside = np.flatnonzero(members).astype(np.int32)
        self._model.addRow(objective, np.inf, len(inside), inside, self.signs[inside])
        self.records += 1

    def aim(self, objective: Floats, limit: float) -> None:
        """Another objective, one number per record, and how much the sum may be worth."""
        lower = np.concatenate([[-np.inf], objective])
        upper = np.concatenate([[limit], np.full(self.records, np.inf)])
        self._model.changeRowsBounds(1 + self.records, np.arange(1 + self.records, dtype=np.int32), lower, upper)

    def multipliers(self, deadline: Deadline) -> Floats | None:
        """How often each column is used; None when no sum will do, or when there was no time."""
        left = deadline.left()
        self._model.setOptionValue("time_limit", self._model.getRunTime() + left if left < float("inf") else float("inf"))
        self._model.run()
        if self._model.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            return None
        return np.array(self._model.getSolution().col_value)
