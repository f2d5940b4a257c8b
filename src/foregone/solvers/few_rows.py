"""Which few rows add up to what is wanted? A linear program that makes the weighted sum of absolute multipliers small.

A corner of such a program uses no row that could be left out. Only which rows are used leaves this module, as a suggestion.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from foregone.solvers.answer import Floats
from foregone.solvers.deadline import Deadline
from foregone.solvers.highs import Ending, Ints, Model

Bools = NDArray[np.bool_]
USED = 1e-7


class FewRows:
    """Columns are the rows to choose from, each used 0 times or more; some can be switched off. Constraints are about their sum."""

    def __init__(self) -> None:
        self._model = Model(presolve="off")

    def weigh(self, weights: Floats) -> None:
        """What each row costs when it is used once."""
        self._model.set_costs(np.arange(len(weights), dtype=np.int32), weights)

    def switch(self, columns: Iterable[int], on: bool) -> None:
        self._model.set_bounds(np.array(sorted(columns), dtype=np.int32), 0.0, np.inf if on else 0.0)

    def multipliers(self, deadline: Deadline) -> Floats | None:
        """How often each row is used; None when no sum will do, or when there was no time."""
        return self._model.point if self._model.run(deadline) is Ending.OPTIMAL else None

    def _want(self, low: Floats, high: Floats) -> None:
        self._model.set_limits(np.arange(len(low), dtype=np.int32), low, high)


class Suggestions(FewRows):
    """Rows of zeros and ones, given by the unknowns in them, that add up to another such row exactly."""

    def __init__(self, rows: Sequence[Ints], unknowns: int) -> None:
        super().__init__()
        self.count, self.unknowns = len(rows), unknowns
        sizes = [len(row) for row in rows]
        entries = np.concatenate([*rows, *rows, np.zeros(0)])
        self._model.add_rows(np.zeros(unknowns), np.zeros(unknowns))
        # every row twice: added, and taken off
        self._model.add_columns(
            2 * self.count, cost=1.0, sizes=sizes * 2, rows=entries, values=np.repeat([1.0, -1.0], len(entries) // 2)
        )

    def weigh(self, weights: Floats) -> None:
        super().weigh(np.concatenate([weights, weights]))

    def switch(self, columns: Iterable[int], on: bool) -> None:
        super().switch([at for column in columns for at in (column, column + self.count)], on)

    def rows_for(self, target: Ints, deadline: Deadline) -> list[int] | None:
        """Rows that seem to add up to the target; None when none do, or when there was no time."""
        wanted = np.zeros(self.unknowns)
        wanted[target] = 1.0
        self._want(wanted, wanted)
        values = self.multipliers(deadline)
        if values is None:
            return None
        used: list[int] = np.flatnonzero(np.abs(values[: self.count] - values[self.count :]) > USED).tolist()
        return used


class Domination(FewRows):
    """Rows with a sign and a worth whose sum is at least an objective on every record, and is worth little enough.

    Records are taken in as they are needed.
    """

    def __init__(self, worth: Floats, signs: Floats) -> None:
        super().__init__()
        self.signs = signs
        self._model.add_rows([-np.inf], [0.0])
        self._model.add_columns(
            len(worth), cost=1.0, sizes=worth != 0, rows=np.zeros(np.count_nonzero(worth)), values=worth[worth != 0]
        )

    def add_record(self, members: Bools, objective: float) -> None:
        """One more record: the columns whose rows count it, and what it is worth to the objective."""
        inside = np.flatnonzero(members)
        self._model.add_rows([objective], [np.inf], [len(inside)], inside, self.signs[inside])

    def aim(self, objective: Floats, limit: float) -> None:
        """Another objective, one number per record, and how much the sum may be worth."""
        self._want(np.append(-np.inf, objective), np.append(limit, np.full(len(objective), np.inf)))
