"""One compiled system for everything that can be left of a release: actions change the limits of its rows, nothing else.

Records are left out only because of numbers that no action touches. Everything else, zeros too, is a row with limits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from foregone.engine.bounds.prover import Prover
from foregone.engine.system.linear import compile_release
from foregone.engine.system.witness import Witness
from foregone.protection.marking import Limits
from foregone.protection.problem import ANYTHING, Left, Problem, release_of
from foregone.solvers.answer import NO_LIMIT, Undecided
from foregone.solvers.deadline import Deadline

TEST_SECONDS = 10.0
MOST_MET = 100  # datasets that are kept

class Switched:
    """The system of all rows; all numbers are counts. Raises TooLargeError when too many kinds of record stay possible."""

    def __init__(self, problem: Problem, most: int, deadline: Deadline) -> None:
        self.rows = problem.rows
        weakest = [(row, *(ANYTHING if row.hitters else row.limits)) for row in self.rows]
        self.system = compile_release(release_of(problem, weakest), most, deadline)
        self._known: list[Witness] = []

    def prover(self, left: Sequence[Left], deadline: Deadline) -> Prover | Undecided:
        """A prover for what is left after some actions, which knows the datasets met before that still fit."""
        prover = self._limited({r: (row.low, row.high) for r, row in enumerate(left)}, deadline)
        found = prover.first_witness()
        assert found is not False, "a release that nothing fits"
        return found if isinstance(found, Undecided) else prover

    def _limited(self, limits: Mapping[int, Limits], deadline: Deadline) -> Prover:
        system = self.system
        low, high = np.where(system.low == -NO_LIMIT, -NO_LIMIT, 0), np.full(system.rows, NO_LIMIT)
        sources = np.full((2, system.rows), -1)
        for r, (least, most) in limits.items():
            i = int(system.row_of[r])
            if i >= 0 and least is not None and least > low[i]:
                low[i], sources[0, i] = least, r
            if i >= 0 and most is not None and most < high[i]:
                high[i], sources[1, i] = most, r
        prover = Prover(system.limited(low, high, sources[0], sources[1]), deadline)
        prover.pool.add_each(self._known)
        return prover

    def remember(self, prover: Prover) -> None:
        """Datasets that fit now also fit when more is withheld."""
        self._known = list(prover.pool)
