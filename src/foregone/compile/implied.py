"""Zeros that nobody published: counts that leave no room.

If parts lie inside a container, do not overlap, and need at least as many records as the container may have, then
everything of the container outside the parts is empty. That is how a complete table names its support even when its
zeros are not published. Containment and overlap are judged on boxes, so that a reader can check them by eye.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np

from foregone.compile.blueprint import Bools, Grid, Ints, Masks

WIDE_PARTS = 20_000


@dataclass(frozen=True, slots=True)
class Exclusion:
    """Statistics by number: no record of the container is outside the parts. `columns` are all they restrict."""

    container: int
    parts: tuple[int, ...]
    columns: tuple[int, ...]


def emptied(grid: Grid, low: Ints, high: Ints, alive: Bools, open_: Bools) -> tuple[Bools, list[Exclusion]]:
    """Combinations of a grid among `open_` that counts leave no room for, and the exclusions that say so.

    Boxes are compared on the combinations of atoms that are `alive`.
    """
    dead = np.zeros(len(open_), dtype=bool)
    queries = grid.members[grid.members < len(high)]
    rows = np.flatnonzero(high[queries] > 0)
    cells = np.flatnonzero(alive)
    boxes = grid.inside[rows][:, cells]
    rows, boxes = rows[boxes.any(axis=1)], boxes[boxes.any(axis=1)]
    chosen = queries[rows]
    taken = _fill(boxes, low[chosen], high[chosen])
    full = np.flatnonzero(taken.any(axis=1))
    if not len(full):
        return dead, []
    covered = taken[full].astype(np.float32) @ boxes.astype(np.float32) > 0
    empty = boxes[full] & ~covered & open_[cells]
    useful = np.flatnonzero(empty.any(axis=1))
    dead[cells] = empty.any(axis=0)
    return dead, [
        Exclusion(int(chosen[full[i]]), tuple(chosen[np.flatnonzero(taken[full[i]])].tolist()), grid.columns) for i in useful
    ]


def _fill(boxes: Bools, low: Ints, high: Ints) -> Bools:
    """Row t: parts of box t that use up all its records, if any do. Greedily, smallest parts first."""
    n = len(boxes)
    taken = np.zeros((n, n), dtype=bool)
    size = boxes.sum(axis=1)
    shared = boxes.astype(np.float32)
    common = shared @ shared.T  # exact: grids are far below 2^24 combinations
    within = common == size[:, None]  # within[s, t]: s lies inside t
    np.fill_diagonal(within, False)
    within[low == 0] = False
    enough = np.flatnonzero(low @ within >= high)
    if not len(enough):
        return taken
    overlap = [int.from_bytes(row.tobytes(), "little") for row in np.packbits(common > 0, axis=1, bitorder="little")]
    order = np.lexsort((-low, size))
    counts = low.tolist()
    for t in enough.tolist():
        blocked = total = 0
        parts = []
        for s in order[within[order, t]].tolist():
            if not blocked >> s & 1:
                blocked |= overlap[s]
                total += counts[s]
                parts.append(s)
        if total >= high[t]:
            taken[t, parts] = True
    return taken


def using_up(boxes: Masks, low: Ints, most: int) -> list[int]:
    """Boxes that do not overlap and together need all of at most `most` records, smallest first; none if they do not."""
    found: list[int] = []
    if len(boxes) > WIDE_PARTS:
        return found
    size = [prod(mask.bit_count() for mask in row) for row in boxes.tolist()]
    total, blocked = 0, np.zeros(len(boxes), dtype=bool)
    for s in sorted(range(len(boxes)), key=lambda s: (size[s], -low[s])):
        if low[s] and not blocked[s]:
            found.append(s)
            total += int(low[s])
            blocked |= ((boxes & boxes[s]) != 0).all(axis=1)
    return found if total >= most else []
