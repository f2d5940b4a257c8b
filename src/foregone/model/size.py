"""How many records a release is about, also where no row says so: cells that hold everybody exactly once add up to it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product
from math import prod

Masks = dict[int, int]
Size = tuple[int, int | None]
"""No fewer records than the first, no more than the second (None: no limit is known)."""

MOST_KINDS = 200_000  # combinations of values that the cells of a table are compared on


def size_by_cells(sizes: Sequence[int], masks: Sequence[Masks], low: Sequence[int], high: Sequence[int | None]) -> Size:
    """What the cells say about the number of all records; `sizes` are the numbers of values of the columns.

    Cells that do not overlap hold no more than all records, and those that leave nobody out no fewer.
    """
    tables: dict[frozenset[int], dict[tuple[int, ...], list[int]]] = {}
    for i, box in enumerate(masks):
        columns = sorted(box)
        tables.setdefault(frozenset(columns), {}).setdefault(tuple(box[c] for c in columns), []).append(i)
    least, most = 0, None
    for named, cells in tables.items():
        kinds = prod(sizes[c] for c in named)
        if kinds > MOST_KINDS:
            continue
        bounds = {box: _bounds(rows, low, high) for box, rows in cells.items()}
        # a table may hold 0-24 beside 0-17 and 18-24: the finest cells first, then the widest
        for some in (sorted(cells, key=_volume), sorted(cells, key=_volume, reverse=True)):
            chosen, covered = _apart(some)
            least = max(least, sum(bounds[box][0] for box in chosen))
            highs = [bounds[box][1] for box in chosen]
            if covered == kinds and None not in highs:
                found = sum(number for number in highs if number is not None)
                most = found if most is None else min(most, found)
    return least, most


def _bounds(rows: Iterable[int], low: Sequence[int], high: Sequence[int | None]) -> Size:
    """What all rows about the same records say together."""
    highs = [number for row in rows if (number := high[row]) is not None]
    return max(low[row] for row in rows), min(highs, default=None)


def _volume(box: tuple[int, ...]) -> int:
    return prod(mask.bit_count() for mask in box)


def _apart(boxes: Iterable[tuple[int, ...]]) -> tuple[list[tuple[int, ...]], int]:
    """Boxes that do not overlap, taken in this order, and how many combinations of values they hold."""
    chosen, seen = [], set[tuple[int, ...]]()
    for box in boxes:
        inside = set(product(*(_bits(mask) for mask in box)))
        if seen.isdisjoint(inside):
            chosen.append(box)
            seen |= inside
    return chosen, len(seen)


def _bits(mask: int) -> list[int]:
    return [bit for bit in range(mask.bit_length()) if mask >> bit & 1]
