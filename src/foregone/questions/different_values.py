"""How many different values can a published count have? Between the least and the greatest not every number need be possible."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from foregone.engine.bounds.prover import Prover
from foregone.engine.session import Session
from foregone.solvers.answer import Undecided

Ints = NDArray[np.int64]


@dataclass
class DifferentValues:
    """Asks one session about the values of many counts: datasets that were found for one of them serve the others."""

    session: Session
    _values: Ints | None = field(default=None, init=False, repr=False)  # every row of the system in the datasets looked at

    def at_least(self, number: int, low: int, high: int | None, wanted: int) -> bool | Undecided:
        """Can published count `number`, which is certainly between `low` and `high`, have at least `wanted` different values?

        A count without an upper limit has as many as anybody wants. Values of known datasets are looked at first, then one value
        after another is asked for.
        """
        if high is None:
            return True
        if high - low + 1 < wanted:
            return False
        reason = ""
        for value in range(low, high + 1):
            seen = self.seen(number)
            if len(seen) >= wanted:
                return True
            if value not in seen:
                found = self._possible(number, value)
                if isinstance(found, Undecided):
                    reason = found.reason
        if len(self.seen(number)) >= wanted:
            return True
        return Undecided(reason) if reason else False

    def seen(self, number: int) -> set[int]:
        """The values that a published count has in the datasets that are known."""
        pool, row = self.session.pool, int(self.session.system.row_of[number])
        if not len(pool):
            return set()
        return {0} if row < 0 else set(self._tabulated(len(pool))[:, row].tolist())

    def _tabulated(self, datasets: int) -> Ints:
        """Every row of the system in every known dataset; those that are new are added."""
        system, pool = self.session.system, self.session.pool
        if self._values is None or len(self._values) < datasets:
            old = [] if self._values is None else [self._values]
            self._values = np.concatenate([*old, system.tabulate_each(pool.witnesses[sum(map(len, old)) :])])
        return self._values

    def _possible(self, number: int, value: int) -> bool | Undecided:
        """Does some dataset have this value? Such a dataset is kept."""
        system = self.session.system
        row = int(system.row_of[number])
        if row < 0:
            return value == 0
        low, high = system.low.copy(), system.high.copy()
        if not low[row] <= value <= high[row]:
            return False
        low[row] = high[row] = value
        prover = Prover(replace(system, low=low, high=high), self.session.deadline)
        found = prover.first_witness()
        if found is True and not self.session.pool.add(prover.pool.witnesses[0]):
            raise AssertionError("a dataset with another value was known already; please report this release")
        return found
