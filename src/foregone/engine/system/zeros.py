"""Step 1a: where no record can be, as yes/no tables over small sets of columns.

A statistic published as 0 and a rule each empty a box of records; exclusions (see `implied`) empty a box but for parts.
Everything is looked at among the atoms still alive, so that tables stay small.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod

import numpy as np

from foregone.engine.system.blueprint import Blueprint, Masks
from foregone.engine.system.implied import Exclusion, emptied, using_up
from foregone.engine.system.table_zeros import Lookup, table_zeros
from foregone.solvers.answer import NO_LIMIT
from foregone.solvers.arrays import Bools, Ints

Columns = tuple[int, ...]
Box = Mapping[int, Bools]  # column -> which of its alive atoms are inside; other columns are free

IMPLIED_LIMIT = 1 << 13  # over more combinations of alive atoms only tables that use up all records are looked at
GRID_LIMIT = 1 << 20  # a yes/no table never has more entries than this; larger column sets stay lists of boxes
CHUNK = 1 << 24  # booleans looked at in one go


@dataclass(frozen=True, slots=True)
class Zeros:
    """What is known to be empty: atoms that no record has, tables of allowed combinations, boxes too wide for a table."""

    alive: tuple[Ints, ...]  # per column, the atoms that some record may have; all else counts among these
    tables: dict[Columns, Bools]
    wide: tuple[Box, ...]
    supports: tuple[tuple[Box, ...], ...]  # every record lies in one of the boxes of each support
    exclusions: tuple[Exclusion, ...]  # why the supports hold, and what else counts without room empty
    lookups: tuple[Lookup, ...] = ()  # tables of a large workload over too many combinations


@dataclass(frozen=True, slots=True)
class _Seen:
    """The boxes of a release among alive atoms: those that hold something, and the columns each of them restricts."""

    number: Ints  # query or rule
    pattern: Masks  # the columns a box restricts, as a bit mask
    sides: tuple[Bools, ...]  # per column: box, alive atom

    def grid(self, members: Ints, columns: Columns) -> Bools:
        """Each box as a row over all combinations of alive atoms of the columns."""
        grid = self.sides[columns[0]][members]
        for column in columns[1:]:
            grid = (grid[:, :, None] & self.sides[column][members][:, None, :]).reshape(len(members), -1)
        return grid

    def box(self, i: int, columns: Columns) -> Box:
        return {c: self.sides[c][i] for c in columns}


def find_zeros(plan: Blueprint, low: Ints, high: Ints) -> Zeros:
    """Collect published, ruled and implied zeros."""
    empty = np.ones(plan.all_boxes, dtype=bool)
    empty[: plan.counted] = high == 0
    if plan.tables is not None:
        found = table_zeros(plan.tables, plan.atoms.widths(), empty, low, high)
        return Zeros(found.alive, found.tables, (), (), found.exclusions, found.lookups)
    masks = trim(plan.boxes[empty], plan.full)
    seen = plan.boxes & masks
    kept = (seen != 0).all(axis=1).nonzero()[0]
    alive = tuple(
        np.array([a for a in range(width) if mask >> a & 1], dtype=np.int64)
        for mask, width in zip(masks.tolist(), plan.atoms.widths(), strict=True)
    )
    if not len(kept):
        return Zeros(alive, {}, (), (), ())
    powers = np.array([1 << c for c in range(len(alive))], dtype=np.int64 if len(alive) < 63 else object)
    sides = tuple(side[kept][:, some] for side, some in zip(plan.allows, alive, strict=True))
    boxes = _Seen(kept, (seen[kept] != masks) @ powers, sides)
    empty = empty[kept]
    widths = [len(atoms) for atoms in alive]
    patterns = {mask: tuple(c for c in range(len(alive)) if mask >> c & 1) for mask in set(boxes.pattern.tolist()) if mask}
    small = {mask for mask, columns in patterns.items() if prod(widths[c] for c in columns) <= IMPLIED_LIMIT}
    large = {patterns[mask]: (boxes.pattern == mask).nonzero()[0] for mask in sorted(set(patterns) - small)}
    tables, wide = _tabulate(boxes, {columns: members[empty[members]] for columns, members in large.items()}, widths)
    exclusions: list[Exclusion] = []
    for mask in sorted(mask for mask in small if not any(mask | other == other != mask for other in small)):
        columns = patterns[mask]
        members = (boxes.pattern & ~mask == 0).nonzero()[0]
        grid = boxes.grid(members, columns)
        nothing = empty[members]
        open_ = ~grid[nothing].any(axis=0)
        counted = boxes.number[members[~nothing]]
        kinds = boxes.pattern[members[~nothing]].tolist()
        dead, used = emptied(grid[~nothing], kinds, low[counted], high[counted], open_)
        exclusions += [Exclusion(int(counted[t]), tuple(counted[parts].tolist()), columns) for t, parts in used]
        tables[columns] = (open_ & ~dead).reshape([widths[c] for c in columns])
    supports = _supports(boxes, large, empty, low, high, exclusions)
    return Zeros(alive, tables, wide, supports, tuple(exclusions))


def _supports(
    boxes: _Seen, groups: Mapping[Columns, Ints], empty: Bools, low: Ints, high: Ints, exclusions: list[Exclusion]
) -> tuple[tuple[Box, ...], ...]:
    """Tables over many columns whose cells use up all records: every record is in one of these cells."""
    supports = []
    whole = boxes.number[(boxes.pattern == 0) & ~empty] if groups else np.zeros(0, dtype=np.int64)
    whole = whole[high[whole] < NO_LIMIT]
    if len(whole):
        container = int(whole[np.argmin(high[whole])])
        for columns, members in groups.items():
            counted = members[~empty[members]]
            sides = [boxes.sides[c][counted] for c in columns]
            parts = counted[using_up(sides, low[boxes.number[counted]], int(high[container]))]
            if len(parts):
                supports.append(tuple(boxes.box(i, columns) for i in parts))
                exclusions.append(Exclusion(container, tuple(boxes.number[parts].tolist()), columns))
    return tuple(supports)


def trim(boxes: Masks, full: Masks) -> Masks:
    """The atoms of each column that are alive: an empty box that restricts one column only, among those alive, kills atoms."""
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


def _tabulate(
    boxes: _Seen, groups: Mapping[Columns, Ints], widths: list[int]
) -> tuple[dict[Columns, Bools], tuple[Box, ...]]:
    """Zeros over many columns, as tables where these are not too large; the rest stays a list of boxes."""
    tables: dict[Columns, Bools] = {}
    wide: list[Box] = []
    for columns, members in groups.items():
        size = prod(widths[c] for c in columns)
        if size > GRID_LIMIT:
            wide += [boxes.box(i, columns) for i in members]
        elif len(members):
            dead = np.zeros(size, dtype=bool)
            step = max(1, CHUNK // size)
            for start in range(0, len(members), step):
                dead |= boxes.grid(members[start : start + step], columns).any(axis=0)
            tables[columns] = ~dead.reshape([widths[c] for c in columns])
    return tables, tuple(wide)
