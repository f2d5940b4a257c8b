"""Step 1a: where no record can be, as yes/no tables over small sets of columns.

A statistic published as 0 and a rule each empty a box of records; exclusions (see `implied`) empty a box but for parts.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from foregone.compile.atoms import Atoms, Box
from foregone.compile.implied import IMPLIED_LIMIT, Exclusion, find_filled, restrict
from foregone.release import Release

Bools = NDArray[np.bool_]
Columns = tuple[int, ...]

GRID_LIMIT = 1 << 20  # a yes/no table never has more entries than this; larger column sets stay lists of boxes


@dataclass(frozen=True, slots=True)
class Zeros:
    """What is known to be empty: atoms that no record has, tables of allowed combinations, boxes too wide for a table."""

    alive: tuple[int, ...]
    tables: dict[Columns, Bools]
    wide: tuple[Box, ...]
    supports: tuple[tuple[Box, ...], ...]  # every record lies in one of the boxes of each support
    exclusions: tuple[Exclusion, ...]  # why the supports hold, and what else counts without room empty


def find_zeros(release: Release, atoms: Atoms, boxes: list[Box]) -> Zeros:
    """Collect published, ruled and implied zeros; `boxes` are the statistics' boxes in order."""
    widths = atoms.widths()
    alive = [(1 << width) - 1 for width in widths]
    empty = [box for box, s in zip(boxes, release.statistics, strict=True) if s.high == 0]
    empty += [atoms.box(masks) for masks in release.rule_masks]
    empty = trim(empty, alive)
    tables, wide = tabulate_boxes(empty, widths)
    supports, used = [], []
    for filled in find_filled(release, boxes, alive, widths):
        columns = filled.columns
        if prod(widths[c] for c in columns) > IMPLIED_LIMIT:
            supports += [tuple(filled.boxes[s] for s in np.flatnonzero(parts)) for parts in filled.parts]
            used += filled.exclusions
            continue
        grid = grids(filled.boxes, columns, widths, alive)
        covered = filled.parts.astype(np.float32) @ grid.astype(np.float32) > 0
        dead = grid[filled.containers] & ~covered & known(tables, columns, widths).reshape(-1)
        useful = np.flatnonzero(dead.any(axis=1))
        if len(useful):
            allowed = np.logical_not(dead.any(axis=0)).reshape([widths[c] for c in columns])
            tables[columns] = tables[columns] & allowed if columns in tables else allowed
            used += [filled.exclusions[t] for t in useful]
    project(tables, alive)
    empty = trim(list(wide), alive)
    return Zeros(tuple(alive), merge(tables), tuple(empty), tuple(supports), tuple(used))


def known(tables: dict[Columns, Bools], columns: Columns, widths: tuple[int, ...]) -> Bools:
    """What the tables so far leave possible over these columns."""
    open_ = np.ones([widths[c] for c in columns], dtype=bool)
    for other, table in tables.items():
        if set(other) <= set(columns):
            open_ = open_ & align(table, other, columns)
    return open_


def trim(empty: list[Box], alive: list[int]) -> list[Box]:
    """Restrict boxes to atoms still alive, in place for `alive`; boxes that empty whole atoms are used up."""
    while True:
        kept, changed = [], False
        for box in empty:
            seen = restrict(box, alive)
            if seen is None:
                continue
            if len(seen) <= 1:
                changed = True
                for column in seen or range(len(alive)):
                    alive[column] &= ~seen.get(column, -1)
                continue
            kept.append(seen)
        if not changed:
            return kept
        empty = kept


def bits(masks: Iterable[int], width: int) -> Bools:
    """Bit masks as rows of booleans."""
    rows = list(masks)
    size = (width + 7) // 8
    packed = np.frombuffer(b"".join(mask.to_bytes(size, "little") for mask in rows), dtype=np.uint8)
    return np.unpackbits(packed.reshape(len(rows), size), axis=1, count=width, bitorder="little").astype(bool)


def grids(boxes: list[Box], columns: Columns, widths: tuple[int, ...], full: list[int]) -> Bools:
    """Each box as a boolean grid over `columns`, flattened: one row per box."""
    grid = np.ones((len(boxes), 1), dtype=bool)
    for column in columns:
        side = bits((box.get(column, full[column]) for box in boxes), widths[column])
        grid = (grid[:, :, None] & side[:, None, :]).reshape(len(boxes), -1)
    return grid


def tabulate_boxes(empty: list[Box], widths: tuple[int, ...]) -> tuple[dict[Columns, Bools], list[Box]]:
    groups: dict[Columns, list[Box]] = {}
    for box in empty:
        groups.setdefault(tuple(sorted(box)), []).append(box)
    full = [(1 << width) - 1 for width in widths]
    tables, wide = {}, []
    for columns, members in groups.items():
        shape = tuple(widths[c] for c in columns)
        if prod(shape) > GRID_LIMIT:
            wide += members
            continue
        dead = np.zeros(prod(shape), dtype=bool)
        step = max(1, (GRID_LIMIT * 16) // prod(shape))
        for start in range(0, len(members), step):
            dead |= grids(members[start : start + step], columns, widths, full).any(axis=0)
        tables[columns] = ~dead.reshape(shape)
    return tables, wide


def align(table: Bools, columns: Columns, onto: Columns) -> Bools:
    """View a table over some columns as one over more columns, with length-1 axes where it does not vary."""
    return table.reshape([table.shape[columns.index(c)] if c in columns else 1 for c in onto])


def project(tables: dict[Columns, Bools], alive: list[int]) -> None:
    """Drop atoms that some table leaves no room for."""
    for columns, table in tables.items():
        for axis, column in enumerate(columns):
            room = table.any(axis=tuple(a for a in range(len(columns)) if a != axis))
            alive[column] &= sum(1 << int(a) for a in np.flatnonzero(room))


def merge(tables: dict[Columns, Bools]) -> dict[Columns, Bools]:
    """Fold each table into a larger one over a superset of its columns, so that fewer look-ups are needed."""
    merged: dict[Columns, Bools] = {}
    for columns in sorted(tables, key=lambda c: (-len(c), c)):
        home = next((other for other in merged if set(columns) <= set(other)), None)
        if home is None:
            merged[columns] = tables[columns]
        else:
            merged[home] = merged[home] & align(tables[columns], columns, home)
    return merged
