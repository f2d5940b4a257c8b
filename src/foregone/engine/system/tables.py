"""The boxes of a large workload, table by table, so that nothing has one entry for each pair of a box and a value.

Of the sets of atoms that boxes allow in a column, those that do not overlap form a *layer*: single values are one, age groups
another. Boxes that restrict the same columns, with sets from the same layers, form a *table*: a record lies in one place of
it at most, which is looked up column by column.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from foregone.engine.system.atoms import masks_named, positions
from foregone.model.errors import TooLargeError
from foregone.model.workload import Masks
from foregone.solvers.arrays import Ints

Columns = tuple[int, ...]

MOST_PLACES = 50_000_000  # layers times atoms of a column, added up; 200 MB


@dataclass(frozen=True, slots=True)
class Layers:
    """The sets of atoms that boxes allow in one column: `side[layer, atom]` is the number of the set there, -1 for none."""

    side: NDArray[np.int32]
    of: dict[int, tuple[int, int]]  # mask of codes -> its layer and its number there
    sizes: Ints  # sets in each layer

    def inside(self, layer: int, other: int) -> Ints:
        """For each set of a layer, the set of another layer that it is part of; -1 for none."""
        atoms = np.flatnonzero(self.side[layer] >= 0)
        least = np.full(self.sizes[layer], np.iinfo(np.int32).max)
        most = np.full(self.sizes[layer], -1)
        np.minimum.at(least, self.side[layer][atoms], self.side[other][atoms])
        np.maximum.at(most, self.side[layer][atoms], self.side[other][atoms])
        return np.where(least == most, most, -1)


@dataclass(frozen=True, slots=True)
class BoxTable:
    """Boxes over the same columns and layers. Places are numbered; a place has the boxes `boxes[starts[p]:starts[p + 1]]`.

    Places are found column by column: `steps[k]` are, ascending, the beginnings that are known, each as the number of the
    beginning that is one column shorter, times `sizes[k]`, plus the number of the set in column k.
    """

    columns: Columns
    layers: tuple[int, ...]
    sizes: tuple[int, ...]
    steps: tuple[Ints, ...]
    starts: Ints
    boxes: Ints

    @property
    def places(self) -> int:
        return len(self.starts) - 1

    def find(self, sides: Sequence[Ints]) -> Ints:
        """The place of each record, given the numbers of its sets in each column; -1 for none."""
        if not self.columns:
            raise AssertionError("a table without columns holds every record")
        at = np.arange(len(sides[0]))
        place = np.zeros(len(at), dtype=np.int64)
        for step, size, side in zip(self.steps, self.sizes, sides, strict=True):
            mine = side[at]
            key = place * size + mine
            found = np.minimum(np.searchsorted(step, key), len(step) - 1)
            known = (mine >= 0) & (step[found] == key)
            at, place = at[known], found[known]
        whole = np.full(len(sides[0]), -1)
        whole[at] = place
        return whole

    def of_boxes(self, values: NDArray[np.int64]) -> Ints:
        """For each place the largest of a number per box."""
        return np.maximum.reduceat(values[self.boxes], self.starts[:-1])

    def place_of(self) -> Ints:
        """The place of each of `boxes`."""
        return np.repeat(np.arange(self.places), np.diff(self.starts))

    def digits(self) -> list[Ints]:
        """For each place, the numbers of its sets, column by column."""
        found: list[Ints] = []
        place = np.arange(self.places)
        for step, size in zip(reversed(self.steps), reversed(self.sizes), strict=True):
            place, side = np.divmod(step[place], size)
            found.append(side)
        return found[::-1]


@dataclass(frozen=True, slots=True)
class Tables:
    """All boxes of a workload."""

    layers: tuple[Layers, ...]
    tables: tuple[BoxTable, ...]

    def places(self, table: BoxTable, atoms: Sequence[NDArray[np.integer]], number: int) -> Ints:
        """The place of each of some records, given their atoms in the table's columns; -1 for none."""
        if not table.columns:
            return np.zeros(number, dtype=np.int64)
        pairs = zip(table.columns, table.layers, atoms, strict=True)
        return table.find([self.layers[column].side[layer][some] for column, layer, some in pairs])


def tables_of(tests: Sequence[Masks], codes: Sequence[int], groups: Sequence[Sequence[int]]) -> Tables:
    """Sort boxes into tables; `codes` is the number of values of each column, `groups` its atoms."""
    layers = tuple(_layers(*column) for column in zip(masks_named(tests, len(codes)), codes, groups, strict=True))
    known: list[dict[int, tuple[int, int]]] = [{} for _ in codes]  # by the object, which boxes share
    found: dict[tuple[Columns, tuple[int, ...]], list[tuple[list[int], int]]] = {}
    for box, masks in enumerate(tests):
        columns = tuple(sorted(masks))
        sets = []
        for c in columns:
            mask = masks[c]
            if id(mask) not in known[c]:
                known[c][id(mask)] = layers[c].of[mask]
            sets.append(known[c][id(mask)])
        found.setdefault((columns, tuple([layer for layer, _ in sets])), []).append(([side for _, side in sets], box))
    return Tables(layers, tuple(_table(layers, *kind, boxes) for kind, boxes in found.items()))


def _layers(masks: list[int], codes: int, groups: Sequence[int]) -> Layers:
    """Put each set into the first layer that has room for it, small sets first."""
    atom_of = np.zeros(codes, dtype=np.int64)
    for atom, group in enumerate(groups):
        atom_of[positions(group)] = atom
    room = [0] * len(groups)  # layers that are taken, as bits
    of: dict[int, tuple[int, int]] = {}
    sizes: list[int] = []
    atoms: list[Ints] = []
    for mask in sorted(masks, key=int.bit_count):
        codes_named = positions(mask)
        some = np.unique(atom_of[codes_named]) if len(codes_named) > 1 else atom_of[codes_named]
        taken = 0
        for atom in some.tolist():
            taken |= room[atom]
        layer = (~taken & (taken + 1)).bit_length() - 1
        if layer == len(sizes):
            sizes.append(0)
            _check(len(sizes) * len(groups))
        for atom in some.tolist():
            room[atom] |= 1 << layer
        of[mask] = layer, sizes[layer]
        sizes[layer] += 1
        atoms.append(some)
    side = np.full((len(sizes), len(groups)), -1, dtype=np.int32)
    for (layer, number), some in zip(of.values(), atoms, strict=True):
        side[layer, some] = number
    return Layers(side, of, np.array(sizes, dtype=np.int64))


def _check(places: int) -> None:
    if places > MOST_PLACES:
        raise TooLargeError(
            f"a column has so many overlapping groups of values that {places:,} places would be needed to tell them apart;"
            f" {MOST_PLACES:,} can be used: leave out groups, or the column"
        )


def _table(
    layers: Sequence[Layers], columns: Columns, chosen: tuple[int, ...], boxes: list[tuple[list[int], int]]
) -> BoxTable:
    sides = np.array([digits for digits, _ in boxes], dtype=np.int64).reshape(len(boxes), len(columns))
    numbers = np.array([box for _, box in boxes], dtype=np.int64)
    sizes = tuple(int(layers[c].sizes[layer]) for c, layer in zip(columns, chosen, strict=True))
    place = np.zeros(len(boxes), dtype=np.int64)
    steps = []
    for k, size in enumerate(sizes):
        step, place = np.unique(place * size + sides[:, k], return_inverse=True)
        steps.append(step)
    order = np.argsort(place, kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(place))])
    return BoxTable(columns, chosen, sizes, tuple(steps), starts, numbers[order])
