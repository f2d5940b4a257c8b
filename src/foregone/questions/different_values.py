"""How many different values can a published count have? Between the least and the greatest not every number need be possible."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from foregone.engine.bounds.prover import Prover
from foregone.engine.session import Session
from foregone.solvers.answer import Undecided


@dataclass
class DifferentValues:
    """Asks one session about the values of many counts: datasets that were found for one of them serve the others."""

    session: Session

    def at_least(self, number: int, low: int, high: int | None, wanted: int) -> bool | Undecided:
        """Can published count `number`, which is certainly between `low` and `high`, have at least `wanted` different values?

        A count without an upper limit has as many as anybody wants. Values of known datasets are looked at first, then one value
        after another is asked for.
        """
        if high is None:
            return True
        if high - low + 1 < wanted:
            return False
        seen = self._seen(number)
        reason = ""
        for value in range(low, high + 1):
            if len(seen) >= wanted:
                return True
            if value not in seen:
                found = self._possible(number, value)
                if found is True:
                    seen |= self._seen(number) | {value}
                elif isinstance(found, Undecided):
                    reason = found.reason
        if len(seen) >= wanted:
            return True
        return Undecided(reason) if reason else False

    def _seen(self, number: int) -> set[int]:
        cells = self._cells(number)
        return set(self.session.pool.counts(cells)) if len(self.session.pool) else set()

    def _cells(self, number: int) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        _, some = self.session.system.footprint(self.session.system.release.statistics[number].predicate)
        return some

    def _possible(self, number: int, value: int) -> bool | Undecided:
        """Does some dataset have this value?"""
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
        if found is True:
            self.session.pool.add(prover.pool.witnesses[0])
        return found
