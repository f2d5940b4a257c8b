"""How far records agree with a claim, column by column.

In a column a claim has items, and a record has some of these. Items that lie inside one another make a chain: who has a
smaller one has the larger ones, so how many of them a record has says which. Such a chain is an *axis* with a level for
each record. A claim has one axis for most of its columns, and more where its items overlap.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from foregone.engine.claims.items import BLANK, LayerItems, Values
from foregone.solvers.arrays import Ints


@dataclass(frozen=True, slots=True)
class Levels:
    """Levels from 0 up to full agreement, only those that live records reach."""

    levels: NDArray[np.int32]  # for each atom of the column
    had: tuple[int, ...]  # for each level, the items that a record has: bit = layer
    size: int  # how many levels there are


@dataclass(frozen=True, slots=True)
class Side:
    """A claim in one column: which atoms it allows, its axes, and the items that all live records have."""

    allowed: NDArray[np.bool_]
    axes: tuple[Levels, ...]
    always: int


class Sides:
    """The sides of claims, each worked out once; live records are given as an atom per column."""

    def __init__(self, items: LayerItems, records: NDArray[np.int16]) -> None:
        self.items = items
        # reached: for each column the atoms that live records have
        self.reached = [np.bincount(column).nonzero()[0] if len(column) else np.zeros(0, dtype=np.int64) for column in records.T]
        self.known: list[dict[bytes, int]] = [{} for _ in items.spans]
        self.sides: list[list[Side]] = [[] for _ in items.spans]

    def numbers(self, closed: Values, column: int) -> list[int]:
        """For each claim (a row) the number of its side in a column, among `sides[column]`."""
        first, last = self.items.spans[column]
        part = np.ascontiguousarray(closed[:, first:last])
        raw, width, known = part.tobytes(), part.itemsize * (last - first), self.known[column]
        found = []
        for row, at in enumerate(range(0, len(raw), width)):
            key = raw[at : at + width]
            number = known.get(key)
            if number is None:
                number = known[key] = len(self.sides[column])
                self.sides[column].append(self._side(column, part[row]))
            found.append(number)
        return found

    def of(self, closed: Values) -> list[Side]:
        """The sides of one claim, a column each."""
        return [self.sides[c][self.numbers(closed[None, :], c)[0]] for c in range(len(self.sides))]

    def _side(self, column: int, part: Values) -> Side:
        items, (first, _) = self.items, self.items.spans[column]
        named = [(first + i, items.sets[first + i][value]) for i, value in enumerate(part.tolist()) if value != BLANK]
        if not named:
            return Side(np.ones(len(items.holds[first]), dtype=bool), (), 0)
        if len(named) == 1:  # the usual case
            layer = named[0][0]
            allowed = items.holds[layer] == part[layer - first]
            met = allowed[self.reached[column]]
            if met.all():
                return Side(allowed, (), 1 << layer)
            if met.any():
                return Side(allowed, (Levels(allowed.astype(np.int32), (0, 1 << layer), 2),), 0)
        chains: list[list[tuple[int, int]]] = []
        for layer, mask in sorted(named, key=lambda pair: -pair[1].bit_count()):
            chain = next((chain for chain in chains if not mask & ~chain[-1][1]), None)
            if chain is None:
                chains.append([(layer, mask)])
            else:
                chain.append((layer, mask))
        allowed, axes, always = np.ones(len(items.holds[first]), dtype=bool), list[Levels](), 0
        for chain in chains:
            levels = (items.holds[chain[0][0]] == part[chain[0][0] - first]).astype(np.int32)
            for layer, _ in chain[1:]:
                levels += items.holds[layer] == part[layer - first]
            allowed &= levels == len(chain)
            reached = sorted(set(levels[self.reached[column]].tolist()))
            had = [sum(1 << layer for layer, _ in chain[:level]) for level in reached]
            if len(had) == 1:
                always |= had[0]
                continue
            if reached[-1] >= len(reached):  # levels that no live record has are left out
                levels = np.searchsorted(reached, levels).astype(np.int32)
            axes.append(Levels(levels, tuple(had), len(had)))
        return Side(allowed, tuple(axes), always)


def tables(sides: list[Side], wide: int) -> tuple[Ints, NDArray[np.int32]]:
    """For some sides of a column, each with at most `wide` axes: how long each axis is, and the level of each atom on it."""
    sizes = np.ones((len(sides), wide), dtype=np.int64)
    levels: NDArray[Any] = np.zeros((len(sides), wide, len(sides[0].allowed)), dtype=np.int32)
    for i, side in enumerate(sides):
        for a, axis in enumerate(side.axes):
            sizes[i, a] = axis.size
            levels[i, a] = axis.levels
    return sizes, levels
