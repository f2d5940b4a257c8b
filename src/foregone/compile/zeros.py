"""Step 1a: where no record can be, as yes/no tables over small sets of columns.

A statistic published as 0 and a rule each empty a box of records; exclusions (see `implied`) empty a box but for parts.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np

from foregone.compile.atoms import Box
from foregone.compile.blueprint import Blueprint, Bools, Columns, Grid, Ints, Masks, bits, combinations, make_grids
from foregone.compile.implied import Exclusion, emptied, using_up

GRID_LIMIT = 1 << 20  # a yes/no table never has more entries than this; larger column sets stay lists of boxes
CHUNK = 1 << 24  # booleans looked at in one go


@dataclass(frozen=True, slots=True)
class Zeros:
    """What is known to be empty: atoms that no record has, tables of allowed combinations, boxes too wide for a table."""

    alive: tuple[Bools, ...]  # per column and atom
    tables: dict[Columns, Bools]
    wide: tuple[Box, ...]
    supports: tuple[tuple[Box, ...], ...]  # every record lies in one of the boxes of each support
    exclusions: tuple[Exclusion, ...]  # why the supports hold, and what else counts without room empty


def find_zeros(plan: Blueprint, low: Ints, high: Ints) -> Zeros:
    """Collect published, ruled and implied zeros."""
    empty = np.append(high == 0, np.ones(len(plan.boxes) - plan.queries, dtype=bool))
    masks = trim(plan.boxes[empty], plan.full)
    alive = [bits([mask], width)[0] for mask, width in zip(masks.tolist(), plan.widths, strict=True)]
    grids, left = plan.grids, plan.wide
    if len(left):
        # boxes that restrict many columns may restrict few among the atoms that are alive
        seen = plan.boxes & masks
        left = left[(seen[left] != 0).all(axis=1)]
        more, left = make_grids(np.where(seen == masks, plan.full, seen), plan.full, plan.widths, left)
        grids = (*grids, *more)
    tables: dict[Columns, Bools] = {}
    wide = _tabulate(plan, masks, left[empty[left]], tables)
    used: list[Exclusion] = []
    for grid in grids:
        room = grid.open(alive)
        open_ = room & ~grid.inside[empty[grid.members]].any(axis=0)
        dead, exclusions = emptied(grid, low, high, room, open_)
        used += exclusions
        _keep(tables, grid, open_ & ~dead)
    supports = _supports(plan, low, high, masks, left, used)
    _project(tables, alive)
    return Zeros(tuple(alive), tables, wide, supports, tuple(used))


def trim(boxes: Masks, full: Masks) -> Masks:
    """The atoms of each column that are alive: a box that restricts one column only, among those alive, kills atoms."""
    alive = full.copy()
    while len(boxes):
        seen = boxes & alive
        exists = (seen != 0).all(axis=1)
        limits = seen != alive
        number = limits.sum(axis=1)
        telling = exists & (number <= 1)
        if not telling.any():
            break
        if (number[telling] == 0).any():
            return alive & 0  # an empty box that holds everything
        alive &= ~np.bitwise_or.reduce(np.where(limits[telling], seen[telling], 0), axis=0)
        boxes = boxes[exists & ~telling]
    return alive


def _keep(tables: dict[Columns, Bools], grid: Grid, table: Bools) -> None:
    shaped = table.reshape(grid.shape)
    tables[grid.columns] = tables[grid.columns] & shaped if grid.columns in tables else shaped


def _tabulate(plan: Blueprint, masks: Masks, empty: Ints, tables: dict[Columns, Bools]) -> tuple[Box, ...]:
    """Zeros over many columns, as tables where these are not too large; the rest stays a list of boxes."""
    groups: dict[Columns, list[int]] = {}
    for i in empty.tolist():
        groups.setdefault(tuple(np.flatnonzero(plan.boxes[i] & masks != masks).tolist()), []).append(i)
    wide: list[Box] = []
    for columns, members in groups.items():
        shape = tuple(plan.widths[c] for c in columns)
        if prod(shape) > GRID_LIMIT:
            wide += [{c: int(plan.boxes[i, c] & masks[c]) for c in columns} for i in members]
            continue
        dead = np.zeros(prod(shape), dtype=bool)
        step = max(1, CHUNK // prod(shape))
        for start in range(0, len(members), step):
            dead |= combinations(plan.boxes[members[start : start + step]], columns, plan.widths).any(axis=0)
        tables[columns] = ~dead.reshape(shape)
    return tuple(wide)


def _supports(
    plan: Blueprint, low: Ints, high: Ints, masks: Masks, left: Ints, used: list[Exclusion]
) -> tuple[tuple[Box, ...], ...]:
    """Tables over many columns whose cells use up all records: every record is in one of these cells."""
    seen = plan.boxes[: plan.queries] & masks
    whole = np.flatnonzero((seen == masks).all(axis=1) & (high > 0))
    groups: dict[Columns, list[int]] = {}
    for i in left[left < plan.queries].tolist():
        if high[i] > 0:
            groups.setdefault(tuple(np.flatnonzero(seen[i] != masks).tolist()), []).append(i)
    supports = []
    if len(whole):
        container = int(whole[np.argmin(high[whole])])
        for columns, members in groups.items():
            parts = [members[s] for s in using_up(seen[members], low[members], int(high[container]))]
            if parts:
                supports.append(tuple({c: int(seen[i, c]) for c in columns} for i in parts))
                used.append(Exclusion(container, tuple(parts), columns))
    return tuple(supports)


def _project(tables: dict[Columns, Bools], alive: list[Bools]) -> None:
    """Drop atoms that some table leaves no room for."""
    for columns, table in tables.items():
        for axis, column in enumerate(columns):
            alive[column] = alive[column] & table.any(axis=tuple(a for a in range(len(columns)) if a != axis))
