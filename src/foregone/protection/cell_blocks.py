"""Blocks of cells that are withheld together, for readers who know how a protection is chosen.

A block has cells of one table that name the same columns: two values of each, in every combination. So records can be exchanged
inside a block without any total noticing, and a small count in one of its cells may as well be in another one. Blocks depend on
names, on which cells may be withheld at all (where zeros stay shown, whoever reads what is left knows which these are), and on
large totals, which stay shown unless nothing else helps.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from itertools import product
from typing import NamedTuple

from foregone.model.release import Release
from foregone.policy.reader import table_of

MOST_EXCHANGES = 1_000_000  # that are looked at in one table
SPARE = 2  # records that totals which are withheld together have at least besides those that are known to be there
CLEAR = 3  # and each large total
Place = tuple[int, ...]  # of each column that a cell names the codes, as a bit mask
Side = tuple[int, int]  # a column and codes


class Blocking(NamedTuple):
    """`first`: for each cell that may be withheld the first one of its block. `large`: totals that stay shown unless nothing else
    helps. `large_from`: from how many records on a total is large, where that matters.
    """

    first: Mapping[int, int]
    large: Collection[int]
    large_from: Mapping[int, int]


def totals_of_columns(release: Release) -> dict[int, Side | None]:
    """Totals that are exact, with what they name: at most one column, which others name along with more."""
    every = [s.predicate.masks(release.domain) for s in release.statistics]
    refined = {side for masks in every if len(masks) > 1 for side in masks.items()}
    return {
        i: next(iter(masks.items()), None)
        for i, (masks, s) in enumerate(zip(every, release.statistics, strict=True))
        if not s.open and len(masks) < 2 and masks.items() <= refined and refined
    }


def known_in(release: Release, totals: Mapping[int, Side | None], cells: Iterable[int], least: int) -> dict[int, int]:
    """How many records each total is known to have if all of these cells are withheld, each of which has `least`."""
    parts = Counter[tuple[Side, int]]()
    for masks in (release.statistics[i].predicate.masks(release.domain) for i in cells):
        if len(masks) == 2:
            one, other = masks.items()
            parts.update([(one, other[0]), (other, one[0])])
    most: dict[Side, int] = {}
    for (side, _), number in parts.items():
        most[side] = max(number, most.get(side, 0))
    return {i: 0 if side is None else least * most.get(side, 0) for i, side in totals.items()}


def beside_small(
    release: Release, totals: Mapping[int, Side | None], large: Collection[int], known: Mapping[int, int]
) -> set[int]:
    """Large totals that are withheld with small ones of their column, smallest first: one total alone could be told from the rest,
    and so could several that count hardly more than they are known to.
    """
    counts = release.statistics
    sides = {i: side for i, side in totals.items() if side is not None}
    found: set[int] = set()
    for column in sorted({column for column, _ in sides.values()}):
        mine = [i for i, side in sides.items() if side[0] == column]
        small = [i for i in mine if i not in large]
        for i in sorted((i for i in mine if i in large), key=lambda i: (counts[i].low, i)):
            if small and (len(small) < 2 or sum(counts[k].low - known[k] for k in small) < SPARE):
                small.append(i)
                found.add(i)
    return found


def cell_blocks(release: Release, cells: Collection[int], stay: Mapping[int, Side | None]) -> dict[int, int]:
    """For each of these counts the first one of its block. Values with small totals come first, so that cells with small counts are
    often in one block; what is no value but a group of values has blocks of its own.
    """
    sizes = {side: release.statistics[i].low for i, side in stay.items()}
    tables: dict[tuple[str, tuple[int, ...]], dict[Place, list[int]]] = {}
    for i in cells:
        named = sorted(release.statistics[i].predicate.masks(release.domain).items())
        table = tables.setdefault((table_of(release.statistics[i]), tuple(c for c, _ in named)), {})
        table.setdefault(tuple(mask for _, mask in named), []).append(i)
    found: dict[int, int] = {}
    for (_, columns), table in tables.items():
        sides = [list(dict.fromkeys(column)) for column in zip(*table, strict=True)]
        grids: dict[tuple[bool, ...], list[Place]] = {}
        for place in table:
            grids.setdefault(tuple(map(_is_group, place, sides)), []).append(place)
        for grid in grids.values():
            ordered = [
                sorted(dict.fromkeys(column), key=lambda mask, c=c: sizes.get((c, mask), 0))  # type: ignore[misc]
                for c, column in zip(columns, zip(*grid, strict=True), strict=True)
            ]
            for place, first in _blocks(set(grid), ordered).items():
                found |= dict.fromkeys(table[place], min(table[first]))
    return found


def _is_group(mask: int, sides: Sequence[int]) -> bool:
    return any(other != mask and not other & ~mask for other in sides)


def _blocks(places: Set[Place], sides: Sequence[Sequence[int]]) -> dict[Place, Place]:
    """For each cell the first one of its block. Cells in order, each with others that have no block yet, the next ones if possible.
    What is left over joins a block that it can be exchanged with, if possible with that one alone: one before it rather than one
    of the first, in which counts are small. Cells that can be exchanged with none, as between zeros, are one block together.
    """
    order = sorted(places, key=lambda place: [every.index(mask) for mask, every in zip(place, sides, strict=True)])
    back = [every[::-1] for every in sides]
    most = max(1, MOST_EXCHANGES // len(places))
    made: list[Place] = []
    found: dict[Place, int] = {}
    last = -1  # the block of all cells that are exchanged with none
    for place in order:
        if place not in found:
            free = (some for some in _exchanges(place, sides, most) if all(p in places and p not in found for p in some))
            together = next(free, ())
            if together:
                found |= dict.fromkeys(together, len(made))
                made.append(place)
    for place in order:
        if place not in found:
            best: tuple[int, int] | None = None  # how many blocks it is exchanged with, and the last of them
            for some in _exchanges(place, back, most):
                met = {found[p] for p in some if p in found}
                if met and (best is None or len(met) < best[0]) and all(p in places for p in some):
                    best = len(met), max(met)
                    if len(met) == 1:
                        break
            if best is None and last < 0:
                last = len(made)
                made.append(place)
            found[place] = last if best is None else best[1]
    return {place: made[block] for place, block in found.items()}


def _exchanges(place: Place, sides: Sequence[Sequence[int]], most: int) -> Iterator[list[Place]]:
    """A cell with those that it differs from in some columns: another value of each, beginning with the next one."""
    others = []
    for mask, every in zip(place, sides, strict=True):
        at = every.index(mask)
        others.append([other for other in (*every[at + 1 :], *every[:at]) if not other & mask])
    for _, other in zip(range(most), product(*others), strict=False):
        yield list(product(*zip(place, other, strict=True)))
