"""Zeros that nobody published: counts that leave no room.

If parts lie inside a container, do not overlap, and need at least as many records as the container may have, then
everything of the container outside the parts is empty. That is how a complete table names its support even when its
zeros are not published. Containment and overlap are judged on boxes, so that a reader can check them by eye.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from foregone.compile.blueprint import Bools, Ints

WIDE_PARTS = 20_000


@dataclass(frozen=True, slots=True)
class Exclusion:
    """Statistics by number: no record of the container is outside the parts. `columns` are all they restrict."""

    container: int
    parts: tuple[int, ...]
    columns: tuple[int, ...]


def emptied(boxes: Bools, low: Ints, high: Ints, open_: Bools) -> tuple[Bools, list[tuple[int, list[int]]]]:
    """Combinations (columns of `boxes`) among `open_` that counts leave no room for; containers and parts that say so."""
    filled = [(t, parts) for t, parts in _fill(boxes, low, high) if len(parts)]
    if not filled:
        return np.zeros(len(open_), dtype=bool), []
    taken = np.zeros((len(filled), len(boxes)), dtype=np.float32)
    for row, (_, parts) in enumerate(filled):
        taken[row, parts] = 1
    empty = boxes[[t for t, _ in filled]] & (taken @ boxes.astype(np.float32) == 0) & open_
    return empty.any(axis=0), [filled[i] for i in np.flatnonzero(empty.any(axis=1))]


def _fill(boxes: Bools, low: Ints, high: Ints) -> list[tuple[int, list[int]]]:
    """Boxes whose records are all used up by parts inside them, with these parts. Greedily, smallest parts first."""
    size = boxes.sum(axis=1)
    shared = boxes.astype(np.float32)
    common = shared @ shared.T  # exact: far below 2^24 combinations
    within = common == size[:, None]  # within[s, t]: s lies inside t
    np.fill_diagonal(within, False)
    within &= (low > 0)[:, None]
    enough = np.flatnonzero(low @ within >= high)
    if not len(enough):
        return []
    overlap = [int.from_bytes(row.tobytes(), "little") for row in np.packbits(common > 0, axis=1, bitorder="little")]
    order = np.lexsort((-low, size))
    inside = within[order][:, enough].T
    counts = low.tolist()
    found = []
    for t, fitting in zip(enough.tolist(), inside, strict=True):
        blocked = total = 0
        parts = []
        for s in order[fitting].tolist():
            if not blocked >> s & 1:
                blocked |= overlap[s]
                total += counts[s]
                parts.append(s)
        if total >= high[t]:
            found.append((t, sorted(parts)))
    return found


def using_up(sides: Sequence[Bools], low: Ints, most: int) -> list[int]:
    """Boxes, given by their atoms in each column, that do not overlap and together need all of at most `most` records,
    smallest first; none if they do not."""
    found: list[int] = []
    if not 0 < len(low) <= WIDE_PARTS:
        return found
    size = np.prod([side.sum(axis=1).astype(float) for side in sides], axis=0)
    total, blocked = 0, low == 0
    for s in np.lexsort((-low, size)).tolist():
        if not blocked[s]:
            found.append(s)
            total += int(low[s])
            overlap = np.ones(len(low), dtype=bool)
            for side in sides:
                overlap &= (side & side[s]).any(axis=1)
            blocked |= overlap
    return found if total >= most else []
