"""Exact linear algebra: which rows depend on others, and what a row is a combination of. Three ways, by what is quickest.

Small dense squares are solved and inverted by FLINT. Which rows and columns of a dense matrix are independent is found modulo a
prime with NumPy, because handing a matrix of several thousand columns to FLINT takes ten times as long as the elimination does
(benchmarks/elimination.py); a prime can only make rows seem dependent that are not, so what is called independent is. Sparse rows,
such as those of large tables, are eliminated one by one in whole numbers; where that needs a division, in fractions or, as numbers
may grow very large, modulo a prime.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from heapq import heapify, heappop, heappush
from math import lcm
from typing import Any

import flint
import numpy as np
from numpy.typing import NDArray

from foregone.solvers.arrays import Floats, Ints

Entries = Mapping[int, Any]  # places and the numbers there, whole or fractions of FLINT; others are 0

PRIME = 2_147_483_629  # largest prime below 2^31 - 18; sums of 2^21 residues fit in 64 bits
LARGE_PRIME = (1 << 61) - 1
SMALL = 1 << 30  # numerators and denominators below are told apart modulo the large prime
MOST_ROWS = 80  # whose multipliers are made exact
MET = 1e-7  # a column missed by less, relative to the numbers involved, is met
LARGEST = 1 << 62


def independent(matrix: Ints) -> tuple[list[int], list[int]]:
    """Rows and columns of a largest part that is invertible modulo the prime, earliest rows first.

    >>> independent(np.array([[1, 1, 0], [2, 2, 0], [0, 1, 1]]))
    ([0, 2], [0, 1])
    """
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


def solve_modular(square: Ints, target: Ints) -> Ints:
    """The solution of an invertible system modulo the prime."""
    size = len(square)
    left = flint.nmod_mat(size, size, (square % PRIME).ravel().tolist(), PRIME)
    right = flint.nmod_mat(size, 1, (target % PRIME).tolist(), PRIME)
    return np.array([int(number) for number in left.solve(right).entries()], dtype=np.int64)


def inverse(square: Ints) -> tuple[NDArray[Any], int]:
    """The inverse of an invertible matrix: whole numbers of any size, and the denominator of all of them."""
    numbers, denominator = flint.fmpq_mat(flint.fmpz_mat(square.tolist())).inv().numer_denom()
    return np.array([[int(number) for number in row] for row in numbers.tolist()], dtype=object), int(denominator)


def solve(square: Ints, target: Ints) -> list[Any]:
    """The solution of an invertible system, in fractions of FLINT."""
    left, right = flint.fmpz_mat(square.tolist()), flint.fmpz_mat([[number] for number in target.tolist()])
    return list(flint.fmpq_mat(left).solve(flint.fmpq_mat(right)).entries())


def whole(numbers: Iterable[Any]) -> tuple[list[int], int]:
    """Whole numbers and fractions over one denominator, the least there is.

    >>> whole([2, flint.fmpq(1, 2), flint.fmpq(-1, 3)])
    ([12, 3, -2], 6)
    """
    pairs = [(number, 1) if isinstance(number, int) else (int(number.p), int(number.q)) for number in numbers]
    denominator = lcm(*(q for _, q in pairs))
    return [p * (denominator // q) for p, q in pairs], denominator


def exact_multipliers(rows: Ints, objective: Ints, suggestion: Floats, homogeneous: bool) -> tuple[list[int], int] | None:
    """Whole multipliers of some rows (over columns), and a denominator, that meet the same columns as the suggestion does.

    For where rounding is not good enough: rounded multipliers miss some columns by a little, and a column that nothing bounds must
    not be missed at all. The suggestion only tells which rows take part and which columns they meet; the multipliers themselves
    solve these equations. `homogeneous`: only the direction of the suggestion counts; its largest number is taken for the unit.
    """
    if not 0 < len(rows) <= MOST_ROWS:
        return None
    fixed = int(np.argmax(np.abs(suggestion))) if homogeneous else None
    if fixed is not None:
        suggestion = suggestion / abs(suggestion[fixed])
    parts = suggestion[:, None] * rows
    missed = np.abs(objective - parts.sum(axis=0))
    met = np.flatnonzero(missed <= MET * (1 + np.abs(parts).max(axis=0)))
    free = np.array([i for i in range(len(rows)) if i != fixed], dtype=np.int64)
    found: list[Any] = [0] * len(rows)
    if fixed is not None:
        found[fixed] = int(np.sign(suggestion[fixed]))
        objective = objective - found[fixed] * rows[fixed]
    chosen, columns = independent(rows[free][:, met])
    if chosen:
        square = rows[np.ix_(free[chosen], met[columns])].T
        for i, value in zip(free[chosen].tolist(), solve(square, objective[met[columns]]), strict=True):
            found[i] = value
    numbers, denominator = whole(found)
    return (numbers, denominator) if max(*map(abs, numbers), denominator) < LARGEST else None


def rational(residues: Mapping[int, int]) -> tuple[dict[int, int], int] | None:
    """Residues modulo the large prime as whole numbers over one denominator, all of them small; None if there are none such.

    >>> rational({0: 3, 1: -2, 2: pow(2, -1, LARGE_PRIME)})
    ({0: 6, 1: -4, 2: 1}, 2)
    """
    denominator = 1
    found: dict[int, int] = {}
    for key, residue in residues.items():
        number = residue * denominator % LARGE_PRIME
        if number >= SMALL and LARGE_PRIME - number >= SMALL:
            further = _denominator(number)
            denominator *= further
            if denominator >= SMALL:
                return None
            found = {known: value * further for known, value in found.items()}
            number = residue * denominator % LARGE_PRIME
        found[key] = number if number < SMALL else number - LARGE_PRIME
    return found, denominator


def _denominator(residue: int) -> int:
    """The least denominator that makes a residue a small number: Euclid's algorithm, stopped half way."""
    previous, current = LARGE_PRIME, residue
    before, now = 0, 1
    while current >= SMALL:
        quotient = previous // current
        previous, current = current, previous - quotient * current
        before, now = now, before - quotient * now
    return abs(now)


class Echelon:
    """Sparse rows in echelon form: each has a place of its own, its pivot, where no later one has a number."""

    def __init__(self, rows: Mapping[int, Entries], modular: bool = False) -> None:
        """Rows by number, earlier ones preferred. A pivot is 1 or -1 where that is possible, so that numbers stay whole, and stands
        where fewest rows have a number: then few are made that were not there.

        From the first other pivot on, numbers are fractions, or with `modular` residues modulo the large prime. These do not grow,
        but what they say is a suggestion; a prime that happens to divide something makes a combination go unnoticed.
        """
        self._prime = 0  # not yet
        common: dict[int, int] = {}
        for entries in rows.values():
            for place in entries:
                common[place] = common.get(place, 0) + 1
        self.rows: list[int] = []  # independent ones
        self._pivot: dict[int, int] = {}  # place -> which of these rows has its pivot there
        self._upper: list[tuple[Any, Entries]] = []  # 1 / the number at the pivot, and the row
        self._lower: list[list[tuple[int, Any]]] = []  # how often each earlier row was taken off
        for number, entries in rows.items():
            left, taken = self._reduce(entries)
            if modular and left and not any(n in (1, -1) for n in left.values()):
                self._prime = LARGE_PRIME  # the whole numbers of earlier rows are residues as well
                left = {place: residue for place, n in left.items() if (residue := n % LARGE_PRIME)}
            if left:
                place = min(left, key=lambda place: (abs(left[place]) != 1, common[place], place))
                self._pivot[place] = len(self.rows)
                self.rows.append(number)
                head = left[place]
                inverse = head if head in (1, -1) else pow(head, -1, LARGE_PRIME) if modular else 1 / flint.fmpq(head)
                self._upper.append((inverse, left))
                self._lower.append(taken)

    def _reduce(self, entries: Entries) -> tuple[dict[int, Any], list[tuple[int, Any]]]:
        """Take off rows until no pivot is left; what remains, and which rows were taken off how often."""
        pivot, prime = self._pivot, self._prime
        left = dict(entries)
        places = {pivot[place]: place for place in left if place in pivot}
        queue = [*places]
        heapify(queue)
        taken: list[tuple[int, Any]] = []
        while queue:
            at = heappop(queue)
            value = left.get(places[at])
            if value is None:
                continue
            inverse, row = self._upper[at]
            times = value * inverse % prime if prime else value * inverse
            taken.append((at, times))
            for place, number in row.items():
                before = left.get(place)
                if before is None:
                    left[place] = -times * number % prime if prime else -times * number
                    known = pivot.get(place)
                    if known is not None:
                        places[known] = place
                        heappush(queue, known)
                else:
                    after = (before - times * number) % prime if prime else before - times * number
                    if after:
                        left[place] = after
                    else:
                        del left[place]
        return left, taken

    def contains(self, entries: Entries) -> bool:
        """Is it a combination of the rows?"""
        return not self._reduce(entries)[0]

    def express(self, entries: Entries) -> tuple[dict[int, int], int] | None:
        """Whole multipliers by row and a denominator that make up the entries; None when they are no combination of the rows."""
        found = self.multipliers(entries)
        if found is None or self._prime:
            return None if found is None else rational(found)
        numbers, denominator = whole(found.values())
        return dict(zip(found, numbers, strict=True)), denominator

    def multipliers(self, entries: Entries) -> dict[int, Any] | None:
        """How rows add up to these entries, in whole numbers and fractions, or as residues."""
        left, taken = self._reduce(entries)
        if left:
            return None
        # from rows as they are after elimination to rows as they were given
        prime, times = self._prime, dict(taken)
        queue = [-at for at in times]
        heapify(queue)
        found: dict[int, Any] = {}
        while queue:
            at = -heappop(queue)
            value = times.pop(at, 0)
            if value:
                found[self.rows[at]] = value
                for earlier, factor in self._lower[at]:
                    if earlier not in times:
                        heappush(queue, -earlier)
                    after = times.get(earlier, 0) - value * factor
                    times[earlier] = after % prime if prime else after
        return dict(sorted(found.items()))

    def orthogonal(self, free: Mapping[int, int]) -> dict[int, int]:
        """Whole numbers, one per place, that make every row 0: places without a pivot have multiples of the `free` numbers."""
        made: dict[int, Any] = {place: number for place, number in free.items() if place not in self._pivot}
        # later rows have no numbers at earlier pivots
        for (inverse, row), place in reversed([*zip(self._upper, self._pivot, strict=True)]):
            made[place] = -inverse * sum(made[other] * number for other, number in row.items() if other != place)
        return dict(zip(made, whole(made.values())[0], strict=True))
