"""Zeros that nobody published: counts that leave no room.

If parts lie inside a container, do not overlap, and need at least as many records as the container may have, then
everything of the container outside the parts is empty. That is how a complete table names its support even when its
zeros are not published. Containment and overlap are judged on boxes, so that a reader can check them by eye.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from foregone.solvers.answer import NO_LIMIT
from foregone.solvers.arrays import Bools, Ints

WIDE_PARTS = 20_000
FEW = 60  # up to so many boxes each pair is compared on its own


@dataclass(frozen=True, slots=True)
class Exclusion:
    """Statistics by number: no record of the container is outside the parts. `columns` are all they restrict."""

    container: int
    parts: tuple[int, ...]
    columns: tuple[int, ...]


def emptied(boxes: Bools, kinds: list[int], low: Ints, high: Ints, open_: Bools) -> tuple[Bools, list[tuple[int, list[int]]]]:
    """Combinations (columns of `boxes`) among `open_` that counts leave no room for; containers and parts that say so.

    Boxes of one kind restrict the same columns, as the cells of a table do.

    Sets of combinations are whole numbers, one bit each: that is quick for the few and small sets of a small release.
    """
    masks = [int.from_bytes(row.tobytes(), "little") for row in np.packbits(boxes, axis=1, bitorder="little")]
    possible = int.from_bytes(np.packbits(open_, bitorder="little").tobytes(), "little")
    dead, used = 0, []
    for t, parts in _fill(boxes, kinds, masks, low, high):
        left = masks[t] & possible
        for s in parts:
            left &= ~masks[s]
        if left:
            dead |= left
            used.append((t, parts))
    bits = np.frombuffer(dead.to_bytes((len(open_) + 7) // 8, "little"), dtype=np.uint8)
    return np.unpackbits(bits, count=len(open_), bitorder="little").astype(bool), used


def _fill(boxes: Bools, kinds: list[int], masks: list[int], low: Ints, high: Ints) -> Iterator[tuple[int, list[int]]]:
    """Boxes whose records are all used up by parts inside them, with these parts; greedily, smallest parts first.

    Tables over different columns are looked at one by one, so that parts of one do not get in the way of another's.
    """
    size = boxes.sum(axis=1)
    counts, most = low.tolist(), high.tolist()
    # of boxes that are the same the one that needs most is the part, and the one that may have least the container
    order = _first_of_each(masks, [s for s in np.argsort(-low, kind="stable").tolist() if counts[s]])
    order.sort(key=lambda s: (size[s], s))
    limited = [t for t in np.argsort(high, kind="stable").tolist() if most[t] < NO_LIMIT]
    containers = _first_of_each(masks, limited)
    different = set(kinds)
    tops = sorted(kind for kind in different if not any(kind | other == other != kind for other in different))
    for t, inside in _inside_each(boxes, masks, order, containers, size):
        for top in tops:
            some = [s for s in inside if kinds[s] | top == top] if len(tops) > 1 else inside
            parts = _apart(masks, counts, some, most[t])
            if parts:
                yield t, sorted(parts)


def _apart(masks: list[int], counts: list[int], order: list[int], most: int) -> list[int]:
    """Boxes that do not overlap, taken in order, if together they need at least `most` records."""
    taken = total = 0
    parts = []
    for s in order:
        if not masks[s] & taken:
            taken |= masks[s]
            total += counts[s]
            parts.append(s)
    return parts if total >= most else []


def _first_of_each(masks: list[int], order: list[int]) -> list[int]:
    found: dict[int, int] = {}
    for i in order:
        found.setdefault(masks[i], i)
    return list(found.values())


def _inside_each(
    boxes: Bools, masks: list[int], order: list[int], containers: list[int], size: Ints
) -> Iterator[tuple[int, list[int]]]:
    """Each container with the boxes that lie strictly inside it, in order."""
    if len(order) <= FEW:
        for t in containers:
            whole = masks[t]
            yield t, [s for s in order if masks[s] | whole == whole != masks[s]]
        return
    shared = boxes.astype(np.float32)
    common = shared[order] @ shared[containers].T  # exact: far below 2^24 combinations
    inside = (common == size[order][:, None]) & (size[order][:, None] < size[containers])
    several = np.array(order)
    for t, column in zip(containers, inside.T, strict=True):
        yield t, several[column].tolist()


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
