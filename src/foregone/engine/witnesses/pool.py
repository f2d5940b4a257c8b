"""Step 4: the witnesses, consistent datasets that are known, each checked exactly when it enters."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from foregone.engine.system.linear import LinearSystem
from foregone.engine.system.witness import MACHINE_LIMIT, Witness
from foregone.solvers.arrays import Ints


class Pool:
    """Different consistent datasets, in the order in which they were found."""

    def __init__(self, system: LinearSystem) -> None:
        self.system = system
        self.witnesses: list[Witness] = []
        self.occupied = np.zeros(system.buckets, dtype=bool)
        self._known: set[bytes] = set()
        self._joined: tuple[Ints, Ints, Ints, int] | None = None  # all witnesses end to end, and their largest count

    def __len__(self) -> int:
        return len(self.witnesses)

    def __iter__(self) -> Iterator[Witness]:
        return iter(self.witnesses)

    def add(self, witness: Witness) -> bool:
        """Take a dataset in if it is consistent, re-tabulated exactly, and new."""
        return self.add_each([witness]) == 1

    def add_each(self, datasets: Iterable[Witness]) -> int:
        """Take in several datasets, each if it fits and is new; how many were taken in."""
        new = {key: witness for witness in datasets if (key := witness.key) not in self._known}
        if not new:
            return 0
        added = 0
        for fits, (key, witness) in zip(self.system.consistent(list(new.values())), new.items(), strict=True):
            if fits:
                self._known.add(key)
                self.witnesses.append(witness)
                self.occupied[witness.buckets] = True
                added += 1
        if added:
            self._joined = None
        return added

    def counts(self, objective: NDArray[np.bool_] | Ints) -> list[int]:
        """The sum of an objective over the records of each witness: for a set of buckets, how many lie in it."""
        if self._joined is None:
            sizes = [len(witness.buckets) for witness in self.witnesses]
            buckets = np.concatenate([witness.buckets for witness in self.witnesses])
            counts = np.concatenate([witness.counts for witness in self.witnesses])
            self._joined = buckets, counts, np.cumsum([0, *sizes[:-1]]), int(counts.max(initial=0))
        buckets, counts, starts, largest = self._joined
        heaviest = 1 if objective.dtype == bool else int(np.abs(objective).max(initial=0))
        if largest * heaviest * len(buckets) >= MACHINE_LIMIT or not all(len(witness.buckets) for witness in self.witnesses):
            return [witness.value(objective) for witness in self.witnesses]
        found: list[int] = np.add.reduceat(objective[buckets] * counts, starts).tolist()
        return found
