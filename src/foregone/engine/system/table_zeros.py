"""Step 1a for large workloads: the same zeros as in `zeros`, found table by table instead of box against box.

Counts that leave no room are looked for among the places of one table at a time: places of a table do not overlap, so a
container whose records are all needed by the places inside it is empty elsewhere. Parts taken from several tables, as the
search for small releases takes them, are not looked for. That leaves more to think about and changes no answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from foregone.engine.system.implied import Exclusion
from foregone.engine.system.tables import BoxTable, Columns, Tables
from foregone.engine.system.witness import MACHINE_LIMIT
from foregone.solvers.answer import NO_LIMIT
from foregone.solvers.arrays import Bools, Ints

GRID_LIMIT = 1 << 20  # combinations of alive atoms that are looked at one by one
MOST_LAYERS = 30  # of a column, among which containers are looked for
MOST_PAIRS = 50_000_000  # places compared with containers, all in all


@dataclass(frozen=True, slots=True)
class Lookup:
    """Records whose place in a table is closed do not exist; nor do those that have none there, if `outside` is closed."""

    tables: Tables
    table: BoxTable
    closed: Bools
    outside: bool

    def dead(self, atoms: list[NDArray[np.integer]], number: int) -> Bools:
        place = self.tables.places(self.table, atoms, number)
        return np.where(place >= 0, self.closed[place], self.outside)


@dataclass(frozen=True, slots=True)
class ZerosFound:
    """Atoms that some record may have, tables of allowed combinations of these, what is too wide for that, and reasons."""

    alive: tuple[Ints, ...]
    tables: dict[Columns, Bools]
    lookups: tuple[Lookup, ...]
    exclusions: tuple[Exclusion, ...]


def table_zeros(tables: Tables, widths: tuple[int, ...], empty: Bools, low: Ints, high: Ints) -> ZerosFound:
    """`empty` tells which boxes, rules included, hold no record; `low` and `high` are about those that are not rules."""
    alive = _alive(tables, widths, empty)
    grids: dict[Columns, Bools] = {}
    lookups: list[Lookup] = []
    exclusions: list[Exclusion] = []
    search = _ZeroSearch(tables, alive, empty, low, high)
    for columns in sorted({table.columns for table in tables.tables if table.columns}):
        same = [table for table in tables.tables if table.columns == columns]
        size = prod(len(alive[c]) for c in columns)
        if 0 < size <= GRID_LIMIT:
            open_, used = search.grid(columns, same)
            exclusions += used
            if not open_.all():
                grids[columns] = open_.reshape([len(alive[c]) for c in columns])
        elif size:
            for table in same:
                closed = search.closed(table)
                support = search.support(table)
                if support is not None:
                    exclusions.append(support)
                    closed |= table.of_boxes(search.least) == 0
                if closed.any() or support is not None:
                    lookups.append(Lookup(tables, table, closed, support is not None))
    return ZerosFound(alive, grids, tuple(lookups), tuple(exclusions))


def _alive(tables: Tables, widths: tuple[int, ...], empty: Bools) -> tuple[Ints, ...]:
    """Atoms that no empty box over their column alone holds."""
    open_ = [np.ones(width, dtype=bool) for width in widths]
    for table in tables.tables:
        closed = np.maximum.reduceat(empty[table.boxes], table.starts[:-1])
        if not table.columns and closed.any():
            open_ = [np.zeros(width, dtype=bool) for width in widths]
        elif len(table.columns) == 1:
            column = table.columns[0]
            place = tables.places(table, [np.arange(widths[column])], widths[column])
            open_[column] &= ~((place >= 0) & closed[place])
    return tuple(np.flatnonzero(some) for some in open_)


class _ZeroSearch:
    """Looks for zeros of the tables over one set of columns after the other."""

    def __init__(self, tables: Tables, alive: tuple[Ints, ...], empty: Bools, low: Ints, high: Ints) -> None:
        self.tables, self.alive, self.empty = tables, alive, empty
        rules = len(empty) - len(low)
        self.least = np.concatenate([low, np.zeros(rules, dtype=np.int64)])
        self.most = np.concatenate([np.where(empty[: len(low)], 0, high), np.zeros(rules, dtype=np.int64)])
        self.left = MOST_PAIRS

    def closed(self, table: BoxTable) -> Bools:
        """Places that an empty box closes."""
        return np.maximum.reduceat(self.empty[table.boxes], table.starts[:-1])

    def grid(self, columns: Columns, same: list[BoxTable]) -> tuple[Bools, list[Exclusion]]:
        """Which combinations of alive atoms are open, and the containers and parts that closed some of them."""
        shape = [len(self.alive[c]) for c in columns]
        atoms = [self.alive[c][at.ravel()] for c, at in zip(columns, np.indices(shape, sparse=False), strict=True)]
        places = [self.tables.places(table, atoms, prod(shape)) for table in same]
        open_ = np.ones(prod(shape), dtype=bool)
        for table, place in zip(same, places, strict=True):
            open_ &= ~((place >= 0) & self.closed(table)[place])
        used: list[Exclusion] = []
        for table, place in zip(same, places, strict=True):
            for container in self._containers(table):
                full = self._full(table, container)
                if not full.any():
                    continue
                some = [atoms[columns.index(c)] for c in container.columns]
                around = self.tables.places(container, some, prod(shape))
                part = (place >= 0) & (table.of_boxes(self.least) > 0)[place]
                dead = open_ & (around >= 0) & full[around] & ~part
                if dead.any():
                    open_ &= ~dead
                    used += [self._exclusion(table, container, at) for at in np.unique(around[dead]).tolist()]
        return open_, used

    def support(self, table: BoxTable) -> Exclusion | None:
        """The whole as a container: do the places of a table need all records there are?"""
        for whole in self.tables.tables:
            if not whole.columns and self._full(table, whole).any():
                return self._exclusion(table, whole, 0)
        return None

    def _containers(self, table: BoxTable) -> list[BoxTable]:
        """Tables over some of the columns, or over all with other layers, that may hold places of this one."""
        columns = set(table.columns)
        if any(len(self.tables.layers[c].sizes) > MOST_LAYERS for c in columns):
            return []
        return [other for other in self.tables.tables if set(other.columns) <= columns and other is not table]

    def _full(self, table: BoxTable, container: BoxTable) -> Bools:
        """Places of the container that places of the table, strictly inside, need all records of."""
        none = np.zeros(container.places, dtype=bool)
        self.left -= table.places
        if self.left < 0:
            return none
        inside = self._inside(table, container)
        least = table.of_boxes(self.least)
        some = (inside >= 0) & (least > 0)
        if not some.any() or float(least[some].astype(float).sum()) >= MACHINE_LIMIT:
            return none
        total = np.zeros(container.places, dtype=np.int64)
        np.add.at(total, inside[some], least[some])
        limit = np.minimum.reduceat(self.most[container.boxes], container.starts[:-1])
        return (limit > 0) & (limit < NO_LIMIT) & (total >= limit)

    def _inside(self, table: BoxTable, container: BoxTable) -> Ints:
        """For each place of the table, the place of the container that it is part of; -1 for none."""
        if not container.columns:
            return np.zeros(table.places, dtype=np.int64)
        digits, sides = table.digits(), []
        for column, layer in zip(container.columns, container.layers, strict=True):
            k = table.columns.index(column)
            around = self.tables.layers[column].inside(table.layers[k], layer)
            sides.append(around[digits[k]])
        return container.find(sides)

    def _exclusion(self, table: BoxTable, container: BoxTable, at: int) -> Exclusion:
        boxes = container.boxes[container.starts[at] : container.starts[at + 1]]
        tightest = int(boxes[np.argmin(self.most[boxes])])
        inside = np.flatnonzero((self._inside(table, container) == at) & (table.of_boxes(self.least) > 0))
        parts = []
        for place in inside.tolist():
            some = table.boxes[table.starts[place] : table.starts[place + 1]]
            parts.append(int(some[np.argmax(self.least[some])]))
        return Exclusion(tightest, tuple(sorted(parts)), table.columns)
