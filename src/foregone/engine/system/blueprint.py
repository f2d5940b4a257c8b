"""What follows from a workload before any number is known: worked out once, used by every release that shares it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from foregone.engine.system.atoms import Atoms, atomise
from foregone.model.release import Release
from foregone.model.workload import Workload

Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]
Masks = NDArray[Any]  # one row per box, one bit mask over the atoms of each column; Python integers where 63 bits are too few

NO_LIMIT = int(np.iinfo(np.int64).max)


@dataclass(frozen=True, slots=True)
class Blueprint:
    """Atoms, and every query and rule (numbered after the queries) as a box: the atoms it allows in each column."""

    atoms: Atoms
    queries: int
    full: Masks  # per column, all atoms
    boxes: Masks
    allows: tuple[Bools, ...]  # the same per column: box, atom
    words: tuple[NDArray[np.uint64], ...]  # the same per column and atom, one bit per query

    def numbers(self, release: Release) -> tuple[Ints, Ints]:
        """Least and greatest value of each query."""
        low = np.array(release.low, dtype=np.int64)
        if release.high is release.low:
            return low, low
        return low, np.array([NO_LIMIT if high is None else high for high in release.high], dtype=np.int64)


_known: WeakKeyDictionary[Workload, Blueprint] = WeakKeyDictionary()


def blueprint(workload: Workload) -> Blueprint:
    """Made when first needed and kept as long as the workload is."""
    if workload not in _known:
        _known[workload] = draw(workload)
    return _known[workload]


def draw(workload: Workload) -> Blueprint:
    atoms = atomise(workload)
    widths = atoms.widths()
    count = len(workload.queries)
    full = np.array([(1 << width) - 1 for width in widths], dtype=np.int64 if max(widths) < 63 else object)
    tests = (*workload.masks, *workload.rule_masks)
    boxes = np.tile(full, (len(tests), 1))
    for i, masks in enumerate(tests):
        for column, mask in atoms.box(masks).items():
            boxes[i, column] = mask
    allows = tuple(_bits(boxes[:, column].tolist(), width) for column, width in enumerate(widths))
    return Blueprint(atoms, count, full, boxes, allows, tuple(_words(table[:count]) for table in allows))


def _bits(masks: list[int], width: int) -> Bools:
    """Bit masks as rows of booleans."""
    size = (width + 7) // 8
    packed = np.frombuffer(b"".join(mask.to_bytes(size, "little") for mask in masks), dtype=np.uint8)
    return np.unpackbits(packed.reshape(len(masks), size), axis=1, count=width, bitorder="little").astype(bool)


def _words(allows: Bools) -> NDArray[np.uint64]:
    words = max(1, (len(allows) + 63) // 64)
    member = np.zeros((allows.shape[1], words * 64), dtype=bool)
    member[:, : len(allows)] = allows.T
    return np.packbits(member, axis=1, bitorder="little").view(np.uint64)
