"""Rows of a large table are nearly triangular: eliminate them one by one, sparsely, modulo a prime.

Nothing here is believed. What comes out are suggestions of whole multipliers; whoever uses them adds the rows up again in
exact integers. A prime that happens to divide something makes a combination go unnoticed, never wrong.
"""

from __future__ import annotations

from collections.abc import Mapping
from heapq import heapify, heappop, heappush

import numpy as np
from numpy.typing import NDArray

from foregone.engine.system.linear import LinearSystem

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Entries = Mapping[int, int]

PRIME = (1 << 61) - 1
SAMPLE = 4  # cells looked at for each row
SMALL = 1 << 30  # numerators and denominators below are told apart modulo the prime


class Elimination:
    """Rows in echelon form: each has a cell of its own, its pivot, which no later one touches."""

    def __init__(self, rows: Mapping[int, Entries]) -> None:
        """Rows by number, each as cells with whole weights. Short rows come first, and take the cells that fewest rows touch:
        then few entries are made that were not there."""
        common: dict[int, int] = {}
        for entries in rows.values():
            for cell in entries:
                common[cell] = common.get(cell, 0) + 1
        self.rows: list[int] = []  # independent ones
        self._pivot: dict[int, int] = {}  # cell -> position of the row that has it as its pivot
        self._upper: list[tuple[int, list[tuple[int, int]]]] = []  # inverse of the entry at the pivot, and all entries
        self._lower: list[list[tuple[int, int]]] = []  # how often each earlier row was taken off
        for number, entries in sorted(rows.items(), key=lambda item: (len(item[1]), item[0])):
            left, taken = self._reduce(entries)
            if left:
                cell = min(left, key=lambda cell: (common[cell], cell))
                self._pivot[cell] = len(self.rows)
                self.rows.append(number)
                self._upper.append((pow(left[cell], -1, PRIME), [*left.items()]))
                self._lower.append(taken)

    def _reduce(self, entries: Entries) -> tuple[dict[int, int], list[tuple[int, int]]]:
        """Take off rows until no pivot is left; what remains, and which rows were taken off how often."""
        pivot = self._pivot
        left = dict(entries)
        queue = [pivot[cell] for cell in left if cell in pivot]
        heapify(queue)
        taken: list[tuple[int, int]] = []
        cells = {at: cell for cell in left if (at := pivot.get(cell)) is not None}
        while queue:
            at = heappop(queue)
            value = left.get(cells[at], 0)
            if not value:
                continue
            inverse, row = self._upper[at]
            times = value * inverse % PRIME
            taken.append((at, times))
            for cell, entry in row:
                before = left.get(cell)
                if before is None:
                    left[cell] = -times * entry % PRIME
                    known = pivot.get(cell)
                    if known is not None:
                        cells[known] = cell
                        heappush(queue, known)
                else:
                    after = (before - times * entry) % PRIME
                    if after:
                        left[cell] = after
                    else:
                        del left[cell]
        return left, taken

    def express(self, entries: Entries) -> tuple[dict[int, int], int] | None:
        """Multipliers by row and a denominator that may make up the entries; None when they are no combination of rows."""
        left, taken = self._reduce(entries)
        return None if left else rational(self._as_given(taken))

    def of_rows(self, entries: Entries) -> dict[int, int]:
        """Multipliers modulo the prime of entries that are a combination of rows."""
        return self._as_given(self._reduce(entries)[1])

    def _as_given(self, taken: list[tuple[int, int]]) -> dict[int, int]:
        """From rows as they are after elimination to rows as they were given."""
        times = dict(taken)
        queue = [-at for at in times]
        heapify(queue)
        found: dict[int, int] = {}
        while queue:
            at = -heappop(queue)
            value = times.pop(at, 0)
            if value:
                found[self.rows[at]] = value
                for earlier, factor in self._lower[at]:
                    if earlier not in times:
                        heappush(queue, -earlier)
                    times[earlier] = (times.get(earlier, 0) - value * factor) % PRIME
        return found


def rational(residues: Mapping[int, int]) -> tuple[dict[int, int], int] | None:
    """Residues as whole numbers over one denominator, all of them small; None if there are none such.

    >>> rational({0: 3, 1: PRIME - 2, 2: pow(2, -1, PRIME)})
    ({0: 6, 1: -4, 2: 1}, 2)
    """
    denominator = 1
    found: dict[int, int] = {}
    for key, residue in residues.items():
        number = residue * denominator % PRIME
        if number >= SMALL and PRIME - number >= SMALL:
            further = _denominator(number)
            denominator *= further
            if denominator >= SMALL:
                return None
            found = {known: value * further for known, value in found.items()}
            number = residue * denominator % PRIME
        found[key] = number if number < SMALL else number - PRIME
    return found, denominator


def _denominator(residue: int) -> int:
    """The least denominator that makes a residue a small number: Euclid's algorithm, stopped half way."""
    previous, current = PRIME, residue
    before, now = 0, 1
    while current >= SMALL:
        quotient = previous // current
        previous, current = current, previous - quotient * current
        before, now = now, before - quotient * now
    return abs(now)


class SparseRows:
    """Some rows of a system, eliminated. Where there are many more cells than rows, a sample of the cells is looked at; it is
    enlarged until what depends on other rows there does so everywhere."""

    def __init__(self, system: LinearSystem, rows: Ints, rng: np.random.Generator) -> None:
        self.system = system
        size = SAMPLE * len(rows) + 20
        cells = np.arange(system.cells)
        whole = system.weights is not None or len(cells) <= size
        sample = cells if whole else np.sort(rng.choice(cells, size, replace=False))
        while True:
            self._cells = sample
            self._echelon = Elimination(_entries(system, rows, sample))
            missed = cells[:0] if whole else self._missed(rows, rng)
            if not len(missed):
                return
            sample = np.union1d(sample, missed[: len(rows)])

    @property
    def rank(self) -> int:
        return len(self._echelon.rows)

    def express(self, functional: Bools) -> tuple[dict[int, int], int] | None:
        """Multipliers by row and a denominator that may make up a set of cells."""
        return self._echelon.express(dict.fromkeys(np.flatnonzero(functional[self._cells]).tolist(), 1))

    def _missed(self, rows: Ints, rng: np.random.Generator) -> Ints:
        """Cells on which a random combination of all rows is not the combination of independent rows that it is on the sample."""
        weights = np.zeros(self.system.rows, dtype=np.int64)
        weights[rows] = rng.integers(0, 1 << 40, len(rows))
        made = self.system.combine(weights)[self._cells]
        found = self._echelon.of_rows(dict(enumerate(made.tolist())))
        for row, times in found.items():
            weights[row] = (int(weights[row]) - times) % PRIME
        # sums of numbers of 61 bits, in two halves so that they fit; 2^61 is 1 modulo the prime
        high, low = self.system.combine(weights >> 31), self.system.combine(weights & ((1 << 31) - 1))
        return np.flatnonzero(((high >> 30) + ((high & ((1 << 30) - 1)) << 31) + low) % PRIME)


def _entries(system: LinearSystem, rows: Ints, cells: Ints) -> dict[int, dict[int, int]]:
    """Rows as cells, numbered as in `cells`, with weights."""
    wanted = np.zeros(system.rows, dtype=bool)
    wanted[rows] = True
    at, sizes = system.members_of(cells)
    number = np.repeat(np.arange(len(cells)), sizes)
    kept = wanted[system.members[at]]
    weights = np.ones(len(at), dtype=np.int64) if system.weights is None else system.weights[at]
    found: dict[int, dict[int, int]] = {row: {} for row in rows.tolist()}
    for row, cell, weight in zip(system.members[at][kept].tolist(), number[kept].tolist(), weights[kept].tolist(), strict=True):
        found[row][cell] = weight
    return found
