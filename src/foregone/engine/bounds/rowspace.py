"""Ground *linear*: is a set of cells an exact rational combination of rows whose counts are known exactly?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import flint
import numpy as np
from numpy.typing import NDArray

from foregone.engine.bounds.elimination import SparseRows
from foregone.engine.system.linear import LinearSystem
from foregone.engine.system.witness import MACHINE_LIMIT

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

LARGEST_MULTIPLIER = 1 << 40
FEW_ROWS = 300  # exact rows; the inverse of more takes long
FEW_CELLS = 1_000  # all looked at; of more, a sample, as long as nothing is missed
PRIME = 2_147_483_629  # largest prime below 2^31 - 18; sums of 2^21 residues fit in 64 bits


@dataclass(frozen=True, slots=True)
class Combination:
    """sum of multipliers * rows, divided by the denominator, equals the functional on every cell kept."""

    multipliers: Ints
    denominator: int

    def value(self, system: LinearSystem) -> int:
        """The count it forces; a remainder cannot occur for a set that some dataset fills."""
        total = sum(int(self.multipliers[i]) * int(system.low[i]) for i in np.flatnonzero(self.multipliers))
        quotient, remainder = divmod(total, self.denominator)
        if remainder:
            raise ArithmeticError("a count follows from the statistics that is not a whole number")
        return quotient

    def forces(self, system: LinearSystem, count: int) -> bool:
        """Is this the count it forces?"""
        total = sum(int(self.multipliers[i]) * int(system.low[i]) for i in np.flatnonzero(self.multipliers))
        return total == count * self.denominator


class RowSpace:
    """The span of the exact rows over some cells, ready to express functionals in it.

    Of few rows, independent rows and columns are found modulo a prime and the inverse on them is exact; many rows, which
    then are those of large tables, are eliminated sparsely. Every combination is checked on all cells in integers before
    it is returned.
    """

    _rows: Ints
    _sparse: SparseRows | None

    def __init__(self, system: LinearSystem, kept: Bools, wider: RowSpace | None = None, seed: int = 0) -> None:
        """`wider`: the span over more cells, if that is known; what depends there on earlier rows does so here."""
        self.system = system
        self.kept = kept
        self.outside: set[bytes] = set()  # sets of cells that were found not to be combinations, for the caller to keep
        # exact, and fixed by one statistic: then the combination itself is a proof
        fixed = (system.low == system.high) & (system.low_source == system.high_source)
        self.exact = np.flatnonzero(fixed) if wider is None or wider._sparse is not None else wider._rows
        self._part, self._cells = system.part(kept), np.flatnonzero(kept)
        self._rng = np.random.default_rng(seed)
        self._sparse = SparseRows(self._part, self.exact, self._rng) if len(self.exact) > FEW_ROWS else None
        if self._sparse is not None:
            return
        self._rows, self._columns = self._independent()
        self._inverse, self._denominator = self._invert()
        self._probed = self._cells[:: max(1, len(self._cells) // 200)]
        self._probe = system.columns(self._probed)[self._rows]

    @property
    def rank(self) -> int:
        return len(self._rows) if self._sparse is None else self._sparse.rank

    def _independent(self) -> tuple[Ints, Ints]:
        cells = self._cells
        if not len(cells) or not len(self.exact):
            return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
        size = max(FEW_CELLS, 4 * len(self.exact))
        sample = cells if len(cells) <= size else np.sort(self._rng.choice(cells, size, replace=False))
        while True:
            pivots = independent(self.system.columns(sample)[self.exact])
            rows, columns = self.exact[pivots[0]], sample[pivots[1]]
            if len(sample) == len(cells):
                return rows, columns
            missed = self._missed(rows, columns)
            if not len(missed):
                return rows, columns
            sample = np.union1d(sample, missed[: len(self.exact)])

    def _missed(self, rows: Ints, columns: Ints) -> Ints:
        """Cells on which a random combination of the exact rows leaves the span found so far."""
        weights = self._rng.integers(0, PRIME, len(self.exact))
        full = np.zeros(self.system.rows, dtype=np.int64)
        full[self.exact] = weights
        target = full @ self.system.columns(columns) % PRIME
        full[rows] -= solve_modular(self.system.columns(columns)[rows].T, target)
        off = self._part.combine(full % PRIME) % PRIME != 0
        return np.asarray(self._cells[off])

    def _invert(self) -> tuple[NDArray[Any], int]:
        if not self.rank:
            return np.zeros((0, 0), dtype=np.int64), 1
        square = flint.fmpz_mat(self.system.columns(self._columns)[self._rows].tolist())
        scaled, denominator = flint.fmpq_mat(square).inv().numer_denom()
        inverse = np.array([[int(x) for x in row] for row in scaled.tolist()], dtype=object)
        small = max(int(inverse.max()), -int(inverse.min())) * self.rank < LARGEST_MULTIPLIER
        # floating point is exact for sums of such numbers, and multiplies matrices much faster
        return inverse.astype(float) if small else inverse, int(denominator)

    def express(self, functional: Bools) -> Combination | None:
        """The functional as a combination of exact rows on the cells kept, or None if there is none."""
        return self.express_each(functional[None, :])[0]

    def express_each(self, functionals: Bools) -> list[Combination | None]:
        """The same for several functionals, one per row."""
        if self._sparse is not None:
            return [self._sparse_combination(self._sparse, functional) for functional in functionals]
        if not self.rank:
            nothing = Combination(np.zeros(self.system.rows, dtype=np.int64), 1)
            return [None if functional[self.kept].any() else nothing for functional in functionals]
        # 0/1 vectors times small whole numbers are exact in floating point; larger numbers stay Python integers
        solved = functionals[:, self._columns].astype(self._inverse.dtype) @ self._inverse
        found: list[Combination | None] = [None] * len(functionals)
        largest = max(int(solved.max(initial=0)), -int(solved.min(initial=0)), self._denominator)
        if largest > LARGEST_MULTIPLIER or largest * self.system.heaviest >= MACHINE_LIMIT:
            return found  # sums would wrap around and mean nothing; such a combination would still be found as a bound
        solved = solved.astype(np.int64)
        # most misses show on a few cells already
        hits = (solved @ self._probe == self._denominator * functionals[:, self._probed].astype(np.int64)).all(axis=1)
        for i in np.flatnonzero(hits).tolist():
            short = int(np.gcd.reduce(solved[i], initial=self._denominator))
            multipliers = np.zeros(self.system.rows, dtype=np.int64)
            multipliers[self._rows] = solved[i] // short
            combination = Combination(multipliers, self._denominator // short)
            if len(self._probed) == len(self._cells) or self._holds(combination, functionals[i]):
                found[i] = combination
        return found

    def _sparse_combination(self, rows: SparseRows, functional: Bools) -> Combination | None:
        found = rows.express(functional[self._cells])
        if found is None:
            return None
        numbers, denominator = found
        largest = max(map(abs, numbers.values()), default=0)
        if max(largest, denominator) * self.system.heaviest >= MACHINE_LIMIT:
            return None
        multipliers = np.zeros(self.system.rows, dtype=np.int64)
        multipliers[list(numbers)] = list(numbers.values())
        combination = Combination(multipliers, denominator)
        return combination if self._holds(combination, functional) else None

    def _holds(self, combination: Combination, functional: Bools) -> bool:
        """Is the functional the combination on every cell kept?"""
        made = self._part.combine(combination.multipliers)
        return bool((made == combination.denominator * functional[self._cells].astype(np.int64)).all())


def independent(matrix: Ints) -> tuple[list[int], list[int]]:
    """Rows and columns of a largest part that is invertible modulo the prime, earliest rows first."""
    work = matrix % PRIME
    rows: list[int] = []
    columns: list[int] = []
    for row in range(len(work)):
        used = np.flatnonzero(work[row])
        if not len(used):
            continue
        column = int(used[0])
        rows.append(row)
        columns.append(column)
        below = row + 1 + np.flatnonzero(work[row + 1 :, column])
        if len(below):
            scaled = work[row, used] * pow(int(work[row, column]), -1, PRIME) % PRIME
            at = np.ix_(below, used)
            work[at] = (work[at] - work[below, column][:, None] * scaled) % PRIME
    return rows, columns


def eliminate(matrix: Ints) -> tuple[Ints, list[int]]:
    """Reduced row echelon form modulo the prime, and its pivot columns. Residues below 2^31 multiply without overflow."""
    work = matrix.copy()
    pivots: list[int] = []
    for column in range(work.shape[1]):
        top = len(pivots)
        if top == work.shape[0]:
            break
        at = np.flatnonzero(work[top:, column])
        if not len(at):
            continue
        work[[top, top + at[0]]] = work[[top + at[0], top]]
        work[top] = work[top] * pow(int(work[top, column]), -1, PRIME) % PRIME
        others = np.flatnonzero(work[:, column])
        others = others[others != top]
        work[others] = (work[others] - work[others, column][:, None] * work[top]) % PRIME
        pivots.append(column)
    return work, pivots


def solve_modular(square: Ints, target: Ints) -> Ints:
    """The solution of an invertible system modulo the prime."""
    reduced, pivots = eliminate(np.concatenate([square % PRIME, target[:, None] % PRIME], axis=1))
    return reduced[: len(pivots), -1]
