"""Ground *linear*: is a set of buckets an exact rational combination of rows whose counts are known exactly?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from foregone.engine.system.linear import LinearSystem
from foregone.engine.system.witness import MACHINE_LIMIT
from foregone.solvers.arrays import Bools, Ints
from foregone.solvers.exact import LARGE_PRIME, PRIME, Echelon, independent, inverse, solve_modular
from foregone.solvers.highs import columns_of

LARGEST_MULTIPLIER = 1 << 40
FEW_ROWS = 300  # exact rows; the inverse of more takes long
FEW_BUCKETS = 1_000  # all looked at; of more, a sample, as long as nothing is missed
SAMPLE = 4  # buckets in it for each row, if that is more


@dataclass(frozen=True, slots=True)
class Combination:
    """sum of multipliers * rows, divided by the denominator, equals the functional on every bucket kept."""

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
    """The span of the exact rows over some buckets, ready to express functionals in it.

    Of few rows, independent rows and columns are found modulo a prime and the inverse on them is exact; many rows, which
    then are those of large tables, are eliminated sparsely. Where there are many more buckets than rows, a sample of the buckets is
    looked at; it is enlarged until what depends on other rows there does so everywhere. Every combination is checked on all buckets
    in integers before it is returned.
    """

    _rows: Ints  # independent ones
    _columns: Ints  # buckets that show it

    def __init__(self, system: LinearSystem, kept: Bools, wider: RowSpace | None = None, seed: int = 0) -> None:
        """`wider`: the span over more buckets, if that is known; what depends there on earlier rows does so here."""
        self.system = system
        self.kept = kept
        self.outside: set[bytes] = set()  # sets of buckets that were found not to be combinations, for the caller to keep
        # exact, and fixed by one statistic: then the combination itself is a proof
        fixed = (system.low == system.high) & (system.low_source == system.high_source)
        self.exact = np.flatnonzero(fixed) if wider is None or wider._sparse is not None else wider._rows
        self._part, self._buckets = system.part(kept), np.flatnonzero(kept)
        self._sparse: Echelon | None = None
        self._rows, self._columns = self.exact[:0], self._buckets[:0]
        if len(self._buckets) and len(self.exact):
            self._look(np.random.default_rng(seed))
        if self._sparse is None:
            self._inverse, self._denominator = self._invert()
            self._probed = self._buckets[:: max(1, len(self._buckets) // 200)]
            self._probe = system.columns(self._probed)[self._rows]

    @property
    def rank(self) -> int:
        return len(self._rows)

    def _look(self, rng: np.random.Generator) -> None:
        """Find independent rows, on as many buckets as that takes."""
        buckets, size = self._buckets, max(FEW_BUCKETS, SAMPLE * len(self.exact))
        # what is missed shows in sums of residues, which have to fit in 64 bits
        many, weighted = len(self.exact) > FEW_ROWS, self.system.weights is not None
        every = len(buckets) <= size or (many and weighted) or self.system.heaviest * PRIME >= MACHINE_LIMIT
        sample = buckets if every else np.sort(rng.choice(buckets, size, replace=False))
        while True:
            if many:
                self._sparse = Echelon(self._entries(sample), modular=True)
                self._rows, self._columns = np.array(self._sparse.rows, dtype=np.int64), sample
            else:
                rows, columns = independent(self.system.columns(sample)[self.exact])
                self._rows, self._columns = self.exact[rows], sample[columns]
            missed = buckets[:0] if len(sample) == len(buckets) else self._missed(rng)
            if not len(missed):
                return
            sample = np.union1d(sample, missed[: len(self.exact)])

    def _entries(self, sample: Ints) -> dict[int, dict[int, int]]:
        """The exact rows as places in the sample with weights; short rows first, so that few entries are made by elimination."""
        sizes, rows, weights = columns_of(self.system, sample)
        places = np.repeat(np.arange(len(sample)), sizes)
        found: dict[int, dict[int, int]] = {row: {} for row in self.exact.tolist()}
        exact = np.zeros(self.system.rows, dtype=bool)
        exact[self.exact] = True
        kept = exact[rows]
        for row, place, weight in zip(rows[kept].tolist(), places[kept].tolist(), weights[kept].tolist(), strict=True):
            found[row][place] = weight
        return dict(sorted(found.items(), key=lambda item: (len(item[1]), item[0])))

    def _missed(self, rng: np.random.Generator) -> Ints:
        """Buckets on which a random combination of the exact rows leaves the span found so far, modulo a prime."""
        full = np.zeros(self.system.rows, dtype=np.int64)
        full[self.exact] = rng.integers(0, PRIME, len(self.exact))
        if self._sparse is None:
            columns = self.system.columns(self._columns)
            full[self._rows] -= solve_modular(columns[self._rows].T, full @ columns % PRIME)
            return np.asarray(self._buckets[self._part.combine(full % PRIME) % PRIME != 0])
        made = self._part.combine(full)[np.searchsorted(self._buckets, self._columns)]
        found = self._sparse.multipliers({place: int(made[place]) for place in np.flatnonzero(made).tolist()})
        assert found is not None, "a combination of rows is one"
        for row, times in found.items():
            full[row] = (int(full[row]) - times) % LARGE_PRIME
        # sums of numbers of 61 bits, in two halves so that they fit; 2^61 is 1 modulo the large prime
        high, low = self._part.combine(full >> 31), self._part.combine(full & ((1 << 31) - 1))
        return np.asarray(self._buckets[((high >> 30) + ((high & ((1 << 30) - 1)) << 31) + low) % LARGE_PRIME != 0])

    def _invert(self) -> tuple[NDArray[Any], int]:
        if not self.rank:
            return np.zeros((0, 0), dtype=np.int64), 1
        numbers, denominator = inverse(self.system.columns(self._columns)[self._rows])
        small = max(int(numbers.max()), -int(numbers.min())) * self.rank < LARGEST_MULTIPLIER
        # floating point is exact for sums of such numbers, and multiplies matrices much faster
        return numbers.astype(float) if small else numbers, denominator

    def express(self, functional: Bools) -> Combination | None:
        """The functional as a combination of exact rows on the buckets kept, or None if there is none."""
        return self.express_each(functional[None, :])[0]

    def express_each(self, functionals: Bools) -> list[Combination | None]:
        """Several functionals, one per row, each as a combination of rows, or None."""
        if self._sparse is not None:
            return [self._sparse_combination(functional) for functional in functionals]
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
        # most misses show on a few buckets already
        hits = (solved @ self._probe == self._denominator * functionals[:, self._probed].astype(np.int64)).all(axis=1)
        for i in np.flatnonzero(hits).tolist():
            short = int(np.gcd.reduce(solved[i], initial=self._denominator))
            multipliers = np.zeros(self.system.rows, dtype=np.int64)
            multipliers[self._rows] = solved[i] // short
            combination = Combination(multipliers, self._denominator // short)
            if len(self._probed) == len(self._buckets) or self._holds(combination, functionals[i]):
                found[i] = combination
        return found

    def _sparse_combination(self, functional: Bools) -> Combination | None:
        assert self._sparse is not None
        found = self._sparse.express(dict.fromkeys(np.flatnonzero(functional[self._columns]).tolist(), 1))
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
        """Is the functional the combination on every bucket kept?"""
        made = self._part.combine(combination.multipliers)
        return bool((made == combination.denominator * functional[self._buckets].astype(np.int64)).all())
