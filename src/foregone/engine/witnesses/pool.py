"""Step 4: the witnesses, consistent datasets that are known, each checked exactly when it enters."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from foregone.engine.system.linear import LinearSystem
from foregone.model.dataset import Dataset
from foregone.model.predicate import Predicate

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
        return self.add_each([cells]) == 1

    def add_each(self, datasets: list[Ints]) -> int:
        """The same for several datasets; how many were taken in."""
        new: dict[bytes, Ints] = {}
        for cells in datasets:
            ordered = np.sort(np.asarray(cells, dtype=np.int64))
            if ordered.tobytes() not in self._known:
                new[ordered.tobytes()] = ordered
        if not new:
            return 0
        counts = np.stack([np.bincount(cells, minlength=self.system.cells) for cells in new.values()])
        for fits, (key, cells) in zip(self.system.consistent(counts).tolist(), list(new.items()), strict=True):
            if not fits:
                del new[key]
                continue
            self._known.add(key)
            self.witnesses.append(cells)
            self.occupied[cells] = True
        return len(new)

    def counts(self, inside: NDArray[np.bool_]) -> list[int]:
        """How many records of each witness lie in a set of cells."""
        return [int(inside[cells].sum()) for cells in self.witnesses]


def dataset_of(system: LinearSystem, cells: Ints, predicate: Predicate | None = None, match: bool = True) -> Dataset:
    """A witness as a dataset. Records of a cell, and values of an atom, can be exchanged freely, so each record is the
    first live record of its cell, or, with a predicate, the first that matches it (or, on request, that does not)."""
    domain, atoms = system.release.domain, system.atoms
    masks = {} if predicate is None else predicate.masks(domain)
    wanted = np.ones(len(system.records), dtype=bool)
    if predicate is not None:
        inside, touching = system.extent(predicate)
        wanted = touching if match else ~inside
    order = np.lexsort((np.arange(len(wanted)), ~wanted))[::-1]
    first = np.full(system.cells, -1, dtype=np.int64)
    first[system.cell_of[order]] = order
    records = []
    for row in system.records[first[cells]].tolist():
        groups = [atoms.groups[c][atom] for c, atom in enumerate(row)]
        for c, mask in masks.items():
            keep = groups[c] & mask if match else groups[c] & ~mask
            if keep:
                groups[c] = keep
                if not match:
                    break  # one value outside is enough
        records.append(tuple(domain.columns[c].codes[(g & -g).bit_length() - 1] for c, g in enumerate(groups)))
    return Dataset.of(domain, records)
