"""Exact linear algebra over few unknowns each: is a row a combination of others, and of which? No floats, no prime."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from math import lcm

Number = int | Fraction
Sparse = dict[int, Number]


class Span:
    """Rows added one by one, kept in reduced form: every pivot stands in one row only, with the number 1."""

    def __init__(self) -> None:
        self._rows: dict[int, Sparse] = {}  # by pivot
        self._users: dict[int, set[int]] = {}  # unknown -> pivots of the rows that it occurs in

    def reduced(self, row: Mapping[int, Number]) -> Sparse:
        """What is left of a row when all that the span explains is taken off."""
        left = dict(row)
        for unknown in [unknown for unknown in row if unknown in self._rows]:
            _subtract(left, left[unknown], self._rows[unknown])  # brings in no other pivot
        return left

    def contains(self, row: Mapping[int, Number]) -> bool:
        return not self.reduced(row)

    def add(self, row: Mapping[int, Number]) -> None:
        left = self.reduced(row)
        if not left:
            return
        pivot = min(left, key=lambda unknown: (abs(left[unknown]) != 1, len(self._users.get(unknown, ())), unknown))
        head = left[pivot]
        if head != 1:
            left = {unknown: number / Fraction(head) if head != -1 else -number for unknown, number in left.items()}
        for other in sorted(self._users.get(pivot, ())):
            self._change(other, left, self._rows[other][pivot])
        self._rows[pivot] = left
        for unknown in left:
            self._users.setdefault(unknown, set()).add(pivot)

    def solution(self, free: Mapping[int, int]) -> dict[int, int]:
        """Whole numbers, one per unknown, that make every row 0: unknowns without a row of their own are multiples of `free`."""
        made: dict[int, Fraction] = {unknown: Fraction(number) for unknown, number in free.items() if unknown not in self._rows}
        for pivot, row in self._rows.items():
            made[pivot] = -sum((made[unknown] * number for unknown, number in row.items() if unknown != pivot), Fraction(0))
        over = lcm(*(number.denominator for number in made.values()))
        return {unknown: int(number * over) for unknown, number in made.items()}

    def _change(self, pivot: int, row: Sparse, times: Number) -> None:
        mine = self._rows[pivot]
        before = set(mine)
        _subtract(mine, times, row)
        for unknown in before - set(mine):
            self._users[unknown].discard(pivot)
        for unknown in set(mine) - before:
            self._users.setdefault(unknown, set()).add(pivot)


def _subtract(row: Sparse, times: Number, other: Sparse) -> None:
    for unknown, number in other.items():
        value = row.get(unknown, 0) - times * number
        if value:
            row[unknown] = value
        else:
            row.pop(unknown, None)


def combination(rows: Sequence[Sequence[int]], target: Sequence[int]) -> dict[int, Fraction] | None:
    """The target as a combination of rows of zeros and ones, given by where the ones are; None when it is none.

    >>> combination([[0, 1], [1]], [0])
    {0: Fraction(1, 1), 1: Fraction(-1, 1)}
    """
    mark = 1 + max((unknown for row in (*rows, target) for unknown in row), default=0)
    held = _Tracked(mark)
    for i, row in enumerate(rows):
        held.add(row, i)
    return held.express(target)


class _Tracked:
    """Every row has an unknown of its own beside the others, which shows where it was used."""

    def __init__(self, mark: int) -> None:
        self._mark = mark
        self._rows: list[tuple[int, Sparse]] = []

    def add(self, row: Iterable[int], number: int) -> None:
        left = self._reduce({**dict.fromkeys(row, 1), self._mark + number: 1})
        real = [unknown for unknown in left if unknown < self._mark]
        if real:
            pivot = min(real, key=lambda unknown: (abs(left[unknown]) != 1, unknown))
            head = Fraction(left[pivot])
            self._rows.append((pivot, {unknown: number / head for unknown, number in left.items()}))

    def express(self, target: Iterable[int]) -> dict[int, Fraction] | None:
        left = self._reduce(dict.fromkeys(target, 1))
        if any(unknown < self._mark for unknown in left):
            return None
        return {unknown - self._mark: -Fraction(number) for unknown, number in sorted(left.items())}

    def _reduce(self, row: Mapping[int, Number]) -> Sparse:
        left = dict(row)
        for pivot, other in self._rows:
            if pivot in left:
                _subtract(left, left[pivot], other)
        return left
