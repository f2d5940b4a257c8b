"""How many different values can a published count have? Between the least and the greatest not every number need be possible."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from foregone.engine.answers.differing import Differing
from foregone.engine.case import Case
from foregone.engine.system.witness import Witness
from foregone.solvers.answer import Undecided
from foregone.solvers.arrays import Ints

MOST_BUCKETS = 50_000  # of a system whose relaxation is solved whole
FEW = 16  # counts that are asked about one by one


@dataclass
class DifferentValues:
    """Asks one case about the values of many counts: datasets that were found for one of them serve the others."""

    case: Case
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
        seen, reason = self.seen(number), ""
        for value in range(low, high + 1):
            if len(seen) >= wanted:
                return True
            if value not in seen:
                found = self.case.dataset_with(number, value)
                if isinstance(found, Witness):
                    seen |= {value}
                elif isinstance(found, Undecided):
                    reason = found.reason
        if len(seen) >= wanted:
            return True
        return Undecided(reason) if reason else False

    def spread(self, numbers: Sequence[int]) -> None:
        """Find datasets that differ in many of some published counts at once, which spares asking about each."""
        case = self.case
        rows = np.unique(case.system.row_of[list(numbers)])
        if len(rows) > FEW and case.system.buckets <= MOST_BUCKETS and case.first_witness() is True:
            Differing(case.system).together(case, rows[rows >= 0], case.deadline)

    def seen(self, number: int) -> set[int]:
        """The values that a published count has in the datasets that are known."""
        pool, row = self.case.pool, int(self.case.system.row_of[number])
        if not len(pool):
            return set()
        return {0} if row < 0 else set(self._tabulated()[:, row].tolist())

    def _tabulated(self) -> Ints:
        """Every row of the system in every known dataset; those that are new are added."""
        system, pool = self.case.system, self.case.pool
        if self._values is None or len(self._values) < len(pool):
            old = [] if self._values is None else [self._values]
            self._values = np.concatenate([*old, system.tabulate_each(pool.witnesses[sum(map(len, old)) :])])
        return self._values
