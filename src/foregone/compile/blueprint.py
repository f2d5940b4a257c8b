"""What follows from a workload before any number is known: worked out once, used by every release that shares it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from foregone.compile.atoms import Atoms, atomise
from foregone.release import Release
from foregone.workload import Workload

Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]
Masks = NDArray[Any]  # one row per box, one bit mask over the atoms of each column; Python integers where 63 bits are too few
Columns = tuple[int, ...]

NO_LIMIT = int(np.iinfo(np.int64).max)
IMPLIED_LIMIT = 1 << 13  # on larger grids only tables that use up all records are looked at


@dataclass(frozen=True, slots=True)
class Grid:
    """All combinations of atoms of a few columns, and which of them each query or rule over these columns selects."""

    columns: Columns
    shape: tuple[int, ...]
    members: Ints  # numbers of queries; rules are numbered after the queries
    inside: Bools  # member, combination

    def open(self, alive: Sequence[Bools]) -> Bools:
        """The combinations of atoms that are alive."""
        found = np.ones(1, dtype=bool)
        for column in self.columns:
            found = (found[:, None] & alive[column]).ravel()
        return found


@dataclass(frozen=True, slots=True)
class Blueprint:
    """Atoms, every query and rule as a box of atoms, and grids over which small sets of columns are looked at."""

    atoms: Atoms
    widths: tuple[int, ...]
    full: Masks  # per column, all atoms
    boxes: Masks  # queries first, then rules
    queries: int
    grids: tuple[Grid, ...]
    wide: Ints  # queries and rules whose columns are too many for a grid
    words: tuple[NDArray[np.uint64], ...]  # per column and atom, one bit per query: does it allow the atom?

    def numbers(self, release: Release) -> tuple[Ints, Ints]:
        """Least and greatest value of each query."""
        low = np.array(release.low, dtype=np.int64)
        if release.high == release.low:
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
    kind = np.int64 if max(widths) < 63 else object
    full = np.array([(1 << width) - 1 for width in widths], dtype=kind)
    tests = (*workload.masks, *workload.rule_masks)
    boxes = np.tile(full, (len(tests), 1))
    for i, masks in enumerate(tests):
        for column, mask in atoms.box(masks).items():
            boxes[i, column] = mask
    grids, wide = make_grids(boxes, full, widths)
    count = len(workload.queries)
    words = tuple(_words(boxes[:count, column], width) for column, width in enumerate(widths))
    return Blueprint(atoms, widths, full, boxes, count, grids, wide, words)


def make_grids(boxes: Masks, full: Masks, widths: tuple[int, ...], only: Ints | None = None) -> tuple[tuple[Grid, ...], Ints]:
    """A grid for each set of columns that is not inside another one, as long as it is small; and what is left over.

    Every box inside a grid is a member of it. With `only`, grids are made for the column sets of these boxes.
    """
    used = boxes != full
    patterns: dict[Columns, list[int]] = {}
    for i in range(len(boxes)) if only is None else only.tolist():
        patterns.setdefault(tuple(np.flatnonzero(used[i]).tolist()), []).append(i)
    small = [columns for columns in patterns if prod(widths[c] for c in columns) <= IMPLIED_LIMIT]
    top = [columns for columns in small if not any(set(columns) < set(other) for other in small)]
    grids = []
    for columns in sorted(top, key=lambda c: (len(c), c)):
        others = [c for c in range(len(widths)) if c not in columns]
        members = np.flatnonzero(~used[:, others].any(axis=1))
        inside = combinations(boxes[members], columns, widths)
        grids.append(Grid(columns, tuple(widths[c] for c in columns), members, inside))
    left = sorted(i for columns, members in patterns.items() if columns not in small for i in members)
    return tuple(grids), np.array(left, dtype=np.int64)


def combinations(boxes: Masks, columns: Columns, widths: tuple[int, ...]) -> Bools:
    """Each box as a row over all combinations of atoms of the columns."""
    grid = np.ones((len(boxes), 1), dtype=bool)
    for column in columns:
        side = bits(boxes[:, column].tolist(), widths[column])
        grid = (grid[:, :, None] & side[:, None, :]).reshape(len(boxes), -1)
    return grid


def bits(masks: Iterable[int], width: int) -> Bools:
    """Bit masks as rows of booleans."""
    rows = list(masks)
    size = (width + 7) // 8
    packed = np.frombuffer(b"".join(mask.to_bytes(size, "little") for mask in rows), dtype=np.uint8)
    return np.unpackbits(packed.reshape(len(rows), size), axis=1, count=width, bitorder="little").astype(bool)


def _words(masks: Masks, width: int) -> NDArray[np.uint64]:
    words = max(1, (len(masks) + 63) // 64)
    member = np.zeros((width, words * 64), dtype=bool)
    if len(masks):
        member[:, : len(masks)] = bits(masks.tolist(), width).T
    return np.packbits(member, axis=1, bitorder="little").view(np.uint64)
