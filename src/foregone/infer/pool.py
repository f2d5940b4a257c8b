"""Step 4: the witnesses, consistent datasets that are known, each checked exactly when it enters."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from foregone.compile.system import LinearSystem
from foregone.dataset import Dataset

Ints = NDArray[np.int64]


class Pool:
    """Different consistent datasets; each is the sorted list of the cells its records lie in."""

    def __init__(self, system: LinearSystem) -> None:
        self.system = system
        self.witnesses: list[Ints] = []
        self.occupied = np.zeros(system.cells, dtype=bool)
        self._known: set[bytes] = set()

    def __len__(self) -> int:
        return len(self.witnesses)

    def __iter__(self) -> Iterator[Ints]:
        return iter(self.witnesses)

    def add(self, cells: Ints) -> bool:
        """Take a dataset in if it is consistent, re-tabulated exactly, and new."""
        cells = np.sort(np.asarray(cells, dtype=np.int64))
        key = cells.tobytes()
        if key in self._known or not self.system.consistent(np.bincount(cells, minlength=self.system.cells)):
            return False
        self._known.add(key)
        self.witnesses.append(cells)
        self.occupied[cells] = True
        return True

    def counts(self, inside: NDArray[np.bool_]) -> list[int]:
        """How many records of each witness lie in a set of cells."""
        return [int(inside[cells].sum()) for cells in self.witnesses]


def dataset_of(system: LinearSystem, cells: Ints, prefer: NDArray[np.bool_] | None = None) -> Dataset:
    """A witness as a dataset: each record is the first live record of its cell, or the first preferred one.

    >>> # `prefer` marks live records; used to pick the member of a cell that breaks a claim
    """
    order = np.arange(len(system.records)) if prefer is None else np.lexsort((np.arange(len(system.records)), ~prefer))
    first = np.full(system.cells, -1, dtype=np.int64)
    first[system.cell_of[order[::-1]]] = order[::-1]
    columns = range(len(system.release.domain.columns))
    rows = system.records[first[cells]].tolist()
    return Dataset.of(system.release.domain, [tuple(system.atoms.code(c, row[c]) for c in columns) for row in rows])
