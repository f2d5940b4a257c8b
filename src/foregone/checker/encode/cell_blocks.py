"""Blocks in which cells are withheld, where the rule for readers who know it has too many cells to look at each.

They are a matter of names, of which cells may be withheld at all, and of large totals, which stay shown unless nothing else
helps. Datasets are published alike only if they have the same blocks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice, product
from typing import NamedTuple

from foregone.checker.encode.asked import Asked, Marking, PlainAction, unused
from foregone.checker.encode.marks import Number
from foregone.checker.kernel import TERM, Work
from foregone.checker.read.policy import PlainPolicy

FEW_CELLS = 15  # that are withheld one by one
SPARSE = 20  # cells other than totals, and no more: then all totals are one block, and none is large
SPARE = 2  # records that totals which are withheld together have at least besides those known to be there
LARGE = 3  # totals of at least so many times the least count that may be shown stay shown
CLEAR = 3  # if they count so many records more than the cells in them are known to have
MOST_EXCHANGES = 1_000_000  # that are looked at in one table

Place = tuple[int, ...]  # of each column that a cell names the codes


class CellBlocks(NamedTuple):
    """For each cell that may be withheld the first one of its block; and the large totals, which are one block."""

    first: dict[int, int]
    large: frozenset[int]

    @property
    def cells(self) -> list[set[int]]:
        """The cells of each block."""
        made = dict[int, set[int]]()
        for i, first in self.first.items():
            made.setdefault(first, set()).add(i)
        return [made[first] for first in sorted(made)]


def blocks_of(
    numbers: Sequence[Number], policy: PlainPolicy, kept: Collection[int], asked: Asked, marking: Marking, work: Work
) -> CellBlocks | None:
    """Where cells are withheld one by one, None."""
    shown = [i for i, n in enumerate(numbers) if not n.figure and not n.hidden and i not in kept]
    alone = asked.by == "table" or not asked.withhold or bool(asked.bases or asked.merges) or len(shown) <= FEW_CELLS
    if alone:
        return None
    may = [i for i in shown if marking.may_go(numbers[i])]
    totals = _totals(numbers)
    few = sum(i not in totals for i in may) <= SPARSE
    free = totals - _named(numbers, policy)
    stay = {*free}
    if not few:
        spare = _spare(numbers, free, set(may) - totals, marking.least)
        stay = {i for i in free if numbers[i].low >= _least_large(policy) and spare[i] >= CLEAR}
        _beside_small(numbers, stay, [i for i in may if i in free], spare)
    cells, large = [i for i in may if i not in stay], [i for i in may if i in stay]
    sizes = {numbers[i].box[0]: numbers[i].low for i in stay if numbers[i].box and not few}
    tables = dict[tuple[str, tuple[int, ...]], dict[Place, list[int]]]()
    for i in cells:
        box = sorted(numbers[i].box)
        table = tables.setdefault((numbers[i].group, tuple(c for c, _ in box)), {})
        table.setdefault(tuple(side for _, side in box), []).append(i)
    found = dict.fromkeys(large, min(large, default=0))  # these are withheld all together
    for (_, columns), table in tables.items():
        every = [set(column) for column in zip(*table, strict=True)]
        work.spend(8 * TERM * len(table) * (1 + sum(map(len, every))))
        wide = [{side for side in some if any(o != side and not o & ~side for o in some)} for some in every]  # groups of values
        grids = dict[tuple[bool, ...], list[Place]]()
        for place in table:
            grids.setdefault(tuple(side in some for side, some in zip(place, wide, strict=True)), []).append(place)
        for grid in grids.values():
            firsts = [list(dict.fromkeys(column)) for column in zip(*grid, strict=True)]
            ordered = [_by_size(c, some, sizes) for c, some in zip(columns, firsts, strict=True)]
            for block in _blocks(set(grid), ordered, work):
                first = min(table[block[0]])
                found |= {i: first for place in block for i in table[place]}
    return CellBlocks(found, frozenset() if few else frozenset(large))


def block_actions(numbers: Sequence[Number], primary: frozenset[int], asked: Asked, blocks: CellBlocks) -> tuple[PlainAction, ...]:
    """Everything that may be done, in the order in which `protect` counts it: withhold what is left of a block."""
    def price(cells: Iterable[int]) -> int:
        return sum(asked.costs.get(numbers[i].label, asked.unit) for i in cells)

    dear = price(i for i, n in enumerate(numbers) if not n.figure)  # for large totals: more than for all others together
    made = dict[str, PlainAction]()
    for cells in (cells - primary for cells in blocks.cells):
        if cells:
            name = unused(", ".join(numbers[i].label for i in sorted(cells)), made, {})
            made[name] = PlainAction("cell", name, price(cells) + (dear if cells & blocks.large else 0), frozenset(cells))
    return tuple(made.values())


def _by_size(column: int, sides: Sequence[int], sizes: Mapping[tuple[int, int], int]) -> list[int]:
    """Values with small totals first; those without a total that stays shown before all others."""
    return sorted(sides, key=lambda side: sizes.get((column, side), 0))


def _totals(numbers: Sequence[Number]) -> set[int]:
    """Exact counts that name at most one column, and others name that and more."""
    parts = {side for n in numbers if not n.figure and len(n.box) > 1 for side in n.box}
    return {i for i, n in enumerate(numbers) if n.exact and len(n.box) < 2 and parts.issuperset(n.box) and parts}


def _least_large(policy: PlainPolicy) -> int:
    """No total with fewer records is large."""
    small = policy.primary[1] if isinstance(policy.primary, tuple) else 0
    if policy.columns is not None:
        small = max(small, policy.group - 1)
    return LARGE * (1 + small)


def _named(numbers: Sequence[Number], policy: PlainPolicy) -> set[int]:
    names = policy.primary if isinstance(policy.primary, frozenset) else frozenset()
    return {i for i, n in enumerate(numbers) if n.name in names}


def _spare(numbers: Sequence[Number], totals: Collection[int], cells: Collection[int], least: int) -> dict[int, int]:
    """How many records totals count besides those that these cells are known to have, each of them `least`."""
    parts = Counter[tuple[int, int, int]]()
    for a, b in (numbers[i].box for i in cells if len(numbers[i].box) == 2):
        parts.update([(*a, b[0]), (*b, a[0])])
    most = dict[tuple[int, int], int]()
    for (column, side, _), number in parts.items():
        most[column, side] = max(number, most.get((column, side), 0))
    return {i: numbers[i].low - least * sum(most.get(side, 0) for side in numbers[i].box) for i in totals}


def _beside_small(numbers: Sequence[Number], stay: set[int], totals: Sequence[int], spare: Mapping[int, int]) -> None:
    """Take large totals away that are withheld with small ones: at least two of a column, with at least `SPARE` records more than
    the cells in them are known to have.
    """
    columns = dict[int, list[int]]()
    for i in totals:
        if numbers[i].box:
            columns.setdefault(numbers[i].box[0][0], []).append(i)
    for mine in columns.values():
        together = [i for i in mine if i not in stay]
        for i in sorted(set(mine) & stay, key=lambda i: (numbers[i].low, i)):
            if together and (len(together) < 2 or sum(spare[k] for k in together) < SPARE):
                together.append(i)
                stay.remove(i)


def _blocks(places: set[Place], sides: Sequence[Sequence[int]], work: Work) -> list[list[Place]]:
    """The cells of each block, the one first that it was made for. Cells in order find others that have no block yet; those left
    over join one that they can be exchanged with; those that cannot be exchanged are one block together.
    """
    order = sorted(places, key=lambda place: [some.index(side) for side, some in zip(place, sides, strict=True)])
    most, made, mine = max(1, MOST_EXCHANGES // len(places)), list[list[Place]](), dict[Place, int]()
    for place in order:
        for some in () if place in mine else _exchanges(place, sides, most, work):
            if all(p in places and p not in mine for p in some):
                mine |= dict.fromkeys(some, len(made))
                made.append(some)
                break
    back, last = [some[::-1] for some in sides], -1
    for place in order:
        best, joins = 1 << 30, -1
        for some in () if place in mine else _exchanges(place, back, most, work):
            met = {mine[p] for p in some if p in mine}
            if met and len(met) < best and all(p in places for p in some):
                best, joins = len(met), max(met)
            if best == 1:
                break
        if place not in mine and joins < 0 and last < 0:
            last = len(made)
            made.append([])
        joins = last if joins < 0 else joins
        if place not in mine:
            mine[place] = joins
            made[joins].append(place)
    return made


def _exchanges(place: Place, sides: Sequence[Sequence[int]], most: int, work: Work) -> Iterator[list[Place]]:
    """A cell and those that differ from it, in each column by another value or not; values after its own are tried first."""
    others = []
    for side, some in zip(place, sides, strict=True):
        at = some.index(side)
        others.append([other for other in (*some[at + 1 :], *some[:at]) if not other & side])
    for other in islice(product(*others), most):
        work.spend(TERM << len(place))
        yield list(product(*zip(place, other, strict=True)))
