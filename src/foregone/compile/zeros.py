"""Step 1a: where no record can be, as yes/no tables over small sets of columns.

A statistic published as 0 and a rule each empty a box of records. More follows from counts that leave no room:
if parts inside a container do not overlap and need at least as many records as the container may have, everything
of the container outside the parts is empty too. That is how a complete table names its support even when its
zeros are not published.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from foregone.compile.atoms import Atoms, Box
from foregone.release import Release

Bools = NDArray[np.bool_]
Columns = tuple[int, ...]

GRID_LIMIT = 1 << 20  # a yes/no table never has more entries than this; larger column sets stay lists of boxes
NO_LIMIT = np.iinfo(np.int64).max
IMPLIED_LIMIT = 1 << 13  # implied zeros are looked for on grids up to this size


@dataclass(frozen=True, slots=True)
class Zeros:
    """What is known to be empty: atoms that no record has, tables of allowed combinations, boxes too wide for a table."""

    alive: tuple[int, ...]
    tables: dict[Columns, Bools]
    wide: tuple[Box, ...]
    supports: tuple[tuple[Box, ...], ...]  # every record lies in one of the boxes of each support


def find_zeros(release: Release, atoms: Atoms, boxes: list[Box]) -> Zeros:
    """Collect published, ruled and implied zeros; `boxes` are the statistics' boxes in order."""
    widths = atoms.widths()
    alive = [(1 << width) - 1 for width in widths]
    empty = [box for box, s in zip(boxes, release.statistics, strict=True) if s.high == 0]
    empty += [atoms.box(masks) for masks in release.rule_masks]
    empty = trim(empty, alive)
    tables, wide = tabulate_boxes(empty, widths)
    supports = implied(release, boxes, alive, tables, widths)
    project(tables, alive)
    empty = trim(list(wide), alive)
    return Zeros(tuple(alive), merge(tables), tuple(empty), supports)


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


def restrict(box: Box, alive: list[int] | tuple[int, ...]) -> Box | None:
    """The box among alive atoms, without columns it no longer restricts; None when nothing of it is alive."""
    seen = {}
    for column, mask in box.items():
        mask &= alive[column]
        if not mask:
            return None
        if mask != alive[column]:
            seen[column] = mask
    return seen


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


def implied(
    release: Release, boxes: list[Box], alive: list[int], tables: dict[Columns, Bools], widths: tuple[int, ...]
) -> tuple[tuple[Box, ...], ...]:
    """Add the zeros that follow from counts leaving no room to `tables`; return supports too wide for a table."""
    limits: dict[tuple[tuple[int, int], ...], tuple[int, int]] = {}
    for box, statistic in zip(boxes, release.statistics, strict=True):
        here = None if statistic.high == 0 else restrict(box, alive)
        if here is not None:  # statistics that are the same among alive atoms count once, with the tightest limits
            key = tuple(sorted(here.items()))
            low, high = limits.get(key, (0, NO_LIMIT))
            limits[key] = max(low, statistic.low), min(high, NO_LIMIT if statistic.high is None else statistic.high)
    seen: list[tuple[Box, int, int]] = [(dict(key), low, high) for key, (low, high) in limits.items()]
    sets = {tuple(sorted(box)) for box, _, _ in seen}
    supports = []
    for columns in sorted(sets, key=lambda c: (len(c), c)):
        if any(set(columns) < set(other) and prod(widths[c] for c in other) <= IMPLIED_LIMIT for other in sets):
            continue  # a larger set that is looked at anyway sees the same containers and parts
        inside = [entry for entry in seen if set(entry[0]) <= set(columns)]
        if prod(widths[c] for c in columns) > IMPLIED_LIMIT:
            supports += _wide_support(release, inside, columns)
        else:
            _implied_on(columns, inside, alive, tables, widths)
    return tuple(supports)


def _implied_on(
    columns: Columns,
    inside: list[tuple[Box, int, int]],
    alive: list[int],
    tables: dict[Columns, Bools],
    widths: tuple[int, ...],
) -> None:
    shape = tuple(widths[c] for c in columns)
    open_ = grids([{}], columns, widths, alive)[0]
    for other, table in tables.items():
        if set(other) <= set(columns):
            open_ = open_ & np.broadcast_to(_align(table, other, columns), shape).reshape(-1)
    grid = grids([box for box, _, _ in inside], columns, widths, alive) & open_
    low = np.array([entry[1] for entry in inside])
    high = np.array([entry[2] for entry in inside])
    outside = grid.astype(np.float32) @ (~grid).astype(np.float32).T  # small whole numbers: exact in float32
    contained = outside == 0  # contained[s, t]: s lies inside t
    np.fill_diagonal(contained, False)
    covered = np.zeros_like(grid)
    total = np.zeros(len(inside), dtype=np.int64)
    for s in np.argsort(grid.sum(axis=1), kind="stable"):
        if low[s] > 0:
            room = contained[s] & ~(covered & grid[s]).any(axis=1)
            covered[room] |= grid[s]
            total[room] += low[s]
    dead = (grid & ~covered)[total >= high].any(axis=0)
    if (dead & open_).any():
        allowed = ~dead.reshape(shape)
        tables[columns] = tables[columns] & allowed if columns in tables else allowed


def _wide_support(
    release: Release, inside: list[tuple[Box, int, int]], columns: Columns
) -> list[tuple[Box, ...]]:
    """Disjoint parts over exactly these columns that use up all records: every record is in one of them."""
    records = release.size_range[1]
    parts = [entry for entry in inside if tuple(sorted(entry[0])) == columns and entry[1] > 0]
    masks = [np.array([box[c] for box, _, _ in parts], dtype=object) for c in columns]
    for i in range(len(parts)):
        overlap = np.ones(len(parts) - i - 1, dtype=bool)
        for side in masks:
            overlap &= (side[i + 1 :] & side[i]).astype(bool)
        if overlap.any():
            return []
    if records is None or sum(entry[1] for entry in parts) < records:
        return []
    return [tuple(box for box, _, _ in parts)]


def _align(table: Bools, columns: Columns, onto: Columns) -> Bools:
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
            merged[home] = merged[home] & _align(tables[columns], columns, home)
    return merged
