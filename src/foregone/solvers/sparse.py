"""HiGHS to suggest which few rows of zeros and ones might add up to another: the least weighted sum of absolute multipliers.

A corner of this program uses no row that could be left out. Only the rows it uses leave this module, as a suggestion.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import highspy
import numpy as np
from numpy.typing import NDArray

from foregone.solvers.answer import Floats
from foregone.solvers.deadline import Deadline
from foregone.solvers.highs import pass_model, quiet

Ints = NDArray[np.int64]
USED = 1e-7


class Suggestions:
    """Rows, given by the unknowns in them; some can be switched off."""

    def __init__(self, rows: Sequence[Ints], unknowns: int) -> None:
        self.count, self.unknowns = len(rows), unknowns
        self._model = quiet()
        self._model.setOptionValue("presolve", "off")
        sizes = [len(row) for row in rows] * 2
        model = highspy.HighsLp()
        model.num_row_, model.num_col_ = unknowns, 2 * self.count
        model.row_lower_ = model.row_upper_ = np.zeros(unknowns)
        model.col_cost_ = np.ones(2 * self.count)
        model.col_lower_ = np.zeros(2 * self.count)
        model.col_upper_ = np.full(2 * self.count, np.inf)
        model.a_matrix_.format_ = highspy.MatrixFormat.kColwise
        model.a_matrix_.start_ = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32)
        model.a_matrix_.index_ = np.concatenate([*rows, *rows, np.zeros(0)]).astype(np.int32)
        model.a_matrix_.value_ = np.repeat([1.0, -1.0], sum(sizes) // 2)
        pass_model(self._model, model)

    def weigh(self, weights: Floats) -> None:
        columns = np.arange(2 * self.count, dtype=np.int32)
        self._model.changeColsCost(2 * self.count, columns, np.concatenate([weights, weights]))

    def switch(self, rows: Iterable[int], on: bool) -> None:
        chosen = np.array(sorted(rows), dtype=np.int32)
        both = np.concatenate([chosen, chosen + self.count]).astype(np.int32)
        if len(both):
            self._model.changeColsBounds(len(both), both, np.zeros(len(both)), np.full(len(both), np.inf if on else 0.0))

    def rows_for(self, target: Ints, deadline: Deadline) -> list[int] | None:
        """Rows that seem to add up to the target; None when none do, or when there was no time."""
        wanted = np.zeros(self.unknowns)
        wanted[target] = 1.0
        self._model.changeRowsBounds(self.unknowns, np.arange(self.unknowns, dtype=np.int32), wanted, wanted)
        left = deadline.left()
        self._model.setOptionValue("time_limit", self._model.getRunTime() + left if left < float("inf") else float("inf"))
        self._model.run()
        if self._model.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            return None
        values = np.array(self._model.getSolution().col_value)
        used: list[int] = np.flatnonzero(np.abs(values[: self.count] - values[self.count :]) > USED).tolist()
        return used
