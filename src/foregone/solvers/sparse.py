"""Which few rows of zeros and ones add up to another? A linear program that makes the weighted sum of absolute multipliers small.

A corner of this program uses no row that could be left out. Only the rows it uses leave this module, as a suggestion.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from foregone.solvers.arrays import Floats, Ints
from foregone.solvers.deadline import Deadline
from foregone.solvers.highs import Ending, HighsModel

USED = 1e-7


class Suggestions:
    """Rows of zeros and ones, given by the unknowns in them; some can be switched off."""

    def __init__(self, rows: Sequence[Ints], unknowns: int) -> None:
        self.count, self.unknowns = len(rows), unknowns
        self._model = HighsModel(presolve="off")
        self._model.add_rows(np.zeros(unknowns), np.zeros(unknowns))
        for sign in (1.0, -1.0):  # every row can be added, and taken off
            entries = np.concatenate([*rows, np.zeros(0)])
            values = np.full(len(entries), sign)
            self._model.add_columns(self.count, cost=1.0, sizes=[len(row) for row in rows], rows=entries, values=values)

    def weigh(self, weights: Floats) -> None:
        self._model.set_costs(np.arange(2 * self.count, dtype=np.int32), np.concatenate([weights, weights]))

    def switch(self, rows: Iterable[int], on: bool) -> None:
        chosen = np.array(sorted(rows), dtype=np.int32)
        self._model.set_bounds(np.concatenate([chosen, chosen + np.int32(self.count)]), 0.0, np.inf if on else 0.0)

    def rows_for(self, target: Ints, deadline: Deadline) -> list[int] | None:
        """Rows that seem to add up to the target; None when none do, or when there was no time."""
        wanted = np.zeros(self.unknowns)
        wanted[target] = 1.0
        self._model.set_limits(np.arange(self.unknowns, dtype=np.int32), wanted, wanted)
        if self._model.run(deadline) is not Ending.OPTIMAL:
            return None
        times = self._model.point
        used: list[int] = np.flatnonzero(np.abs(times[: self.count] - times[self.count :]) > USED).tolist()
        return used
