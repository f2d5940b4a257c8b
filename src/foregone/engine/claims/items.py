"""Everything that claims can name, as items: few sets of values from which the members of a column's family are made.

A member is whatever some items have in common, so it is enough to know which items hold a value. Items of one column
that have no value in common stand side by side in a *layer*; a layer is then like a column of its own, with at most one
item for each value, and a claim has in every layer one item or none. Single values are a layer of their own, the last.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import and_
from typing import Any

import numpy as np
from numpy.typing import NDArray

from foregone.engine.system.atoms import positions
from foregone.engine.system.blueprint import blueprint
from foregone.model.families import Families, Groups, families_of
from foregone.model.kept import kept_with
from foregone.model.workload import Workload

Values = NDArray[np.int16]

BLANK = -1
MOST_COMPARED = 2_000  # groups of a column that are looked through for those that others make up


@dataclass(frozen=True, slots=True, eq=False)
class LayerItems:
    """For each layer its column and, for each value of that column, the number of the item that holds it, or BLANK.

    Values are atoms, or codes: whatever the sets that the items were made of are sets of.
    """

    columns: tuple[int, ...]
    holds: tuple[Values, ...]
    sets: tuple[tuple[int, ...], ...]  # per layer and item, the values as a bit mask
    spans: tuple[tuple[int, int], ...]  # per column its first layer, and the one after its last
    crowded: tuple[int, ...]  # per column with several layers, these as a bit mask

    def __len__(self) -> int:
        return len(self.columns)

    def box(self, closed: Sequence[int]) -> dict[int, int]:
        """What a claim (an item per layer) allows: column -> a bit mask over its values, what its items there have in common."""
        found: dict[int, int] = {}
        for column, value, sets in zip(self.columns, closed, self.sets, strict=True):
            if value != BLANK:
                found[column] = found.get(column, -1) & sets[value]
        return found

    def of_rows(self, rows: NDArray[Any], layer: int) -> Values:
        """The item of a layer that each row (a value per column) has."""
        return np.asarray(self.holds[layer][rows[:, self.columns[layer]]])

    def closed(self, members: Sequence[int]) -> Values:
        """A claim, given by a bit mask per column (0 where it is not named), as an item per layer."""
        row = np.full(len(self), BLANK, dtype=np.int16)
        for layer, column in enumerate(self.columns):
            if members[column]:
                first = self.holds[layer][(members[column] & -members[column]).bit_length() - 1]
                if first != BLANK and not members[column] & ~self.sets[layer][first]:
                    row[layer] = first
        return row


def items_of(widths: Sequence[int], singles: Sequence[Sequence[int]], groups: Sequence[Sequence[int]]) -> LayerItems:
    """Per column: how many values it has, which of them can be named alone, and the groups that can be named, as bit masks."""
    columns: list[int] = []
    holds: list[Values] = []
    sets: list[tuple[int, ...]] = []
    spans = []
    for c, (width, alone, some) in enumerate(zip(widths, singles, groups, strict=True)):
        begin = len(columns)
        for layer in [*_layers(_irreducible(some)), [1 << value for value in alone]]:
            held = np.full(width, BLANK, dtype=np.int16)
            for number, mask in enumerate(layer):
                held[positions(mask)] = number
            columns.append(c)
            holds.append(held)
            sets.append(tuple(layer))
        spans.append((begin, len(columns)))
    crowded = ((1 << last) - (1 << first) for first, last in spans if last - first > 1)
    return LayerItems(tuple(columns), tuple(holds), tuple(sets), tuple(spans), tuple(crowded))


def _irreducible(groups: Sequence[int]) -> list[int]:
    """The groups that are not what larger ones have in common, larger ones first."""
    ordered = sorted(set(groups), key=lambda mask: (-mask.bit_count(), mask))
    if len(ordered) > MOST_COMPARED:
        return ordered
    kept: list[int] = []
    for mask in ordered:
        around = [other for other in kept if not mask & ~other]
        if not around or reduce(and_, around) != mask:
            kept.append(mask)
    return kept


def _layers(groups: list[int]) -> list[list[int]]:
    """Groups that share no value side by side, larger ones first."""
    layers: list[list[int]] = []
    taken: list[int] = []
    for mask in groups:
        at = next((i for i, used in enumerate(taken) if not used & mask), len(layers))
        if at == len(layers):
            layers.append([])
            taken.append(0)
        layers[at].append(mask)
        taken[at] |= mask
    return layers


@kept_with
def atom_items(workload: Workload, groups: Groups) -> LayerItems:
    """The items over the atoms of a workload; made when first needed and kept as long as the workload is."""
    atoms = blueprint(workload).atoms
    singles = [[a for a, mask in enumerate(masks) if not mask & (mask - 1)] for masks in atoms.groups]
    sets = families_of(workload, groups).sets
    boxes = [[atoms.box({c: mask})[c] for mask in some] for c, some in enumerate(sets)]
    return items_of(atoms.widths(), singles, boxes)


def code_items(workload: Workload, families: Families) -> LayerItems:
    """The items over the codes themselves."""
    widths = [len(column.codes) for column in workload.domain.columns]
    return items_of(widths, [range(width) for width in widths], families.sets)

