"""An integer program that no solver owns: bounded integer variables, linear rows and an objective, all in integers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from foregone.solvers.answer import NO_LIMIT
from foregone.solvers.arrays import Ints

LARGEST_COEFFICIENT = 1 << 40  # coefficients and bounds stay below, so that every adapter's floats hold them exactly

Terms = Iterable[tuple[int, int]]
"""(variable, coefficient) pairs of one row."""


@dataclass(frozen=True, slots=True, eq=False)
class IntegerProgram:
    """Whole numbers x with low <= x <= high and row_low <= A x <= row_high; the objective is to be minimised.

    Row i has the variables `columns[starts[i]:starts[i + 1]]` with the coefficients at the same places.
    """

    low: Ints
    high: Ints
    starts: Ints
    columns: Ints
    coefficients: Ints
    row_low: Ints
    row_high: Ints
    objective: Ints

    @property
    def variables(self) -> int:
        return len(self.low)

    @property
    def rows(self) -> int:
        return len(self.row_low)

    def minimising(self, objective: Ints) -> IntegerProgram:
        """This program with another objective."""
        return replace(self, objective=objective)

    def values(self, point: Ints) -> NDArray[Any]:
        """The value of every row, exactly; Python integers take over where 64 bits might not be enough."""
        widest = int(np.diff(self.starts).max(initial=0))
        top = int(np.abs(self.coefficients).max(initial=0)) * int(np.abs(point).max(initial=0)) * widest
        kind = np.dtype(np.int64 if top < 1 << 62 else object)
        products: NDArray[Any] = self.coefficients.astype(kind) * point[self.columns].astype(kind)
        total: NDArray[Any] = np.zeros(self.rows, dtype=kind)
        filled = np.flatnonzero(np.diff(self.starts))
        if len(filled):
            total[filled] = np.add.reduceat(products, self.starts[filled])
        return total

    def broken_by(self, point: Ints) -> str:
        """What a point breaks, in words; empty when it is a solution."""
        if len(point) != self.variables:
            return f"it has {len(point)} values for {self.variables} variables"
        outside = np.flatnonzero((point < self.low) | (point > self.high))
        if len(outside):
            return f"variable {outside[0]} is {point[outside[0]]}, outside {self.low[outside[0]]}..{self.high[outside[0]]}"
        values = self.values(point)
        wrong = np.flatnonzero((values < self.row_low) | (values > self.row_high))
        if len(wrong):
            return f"row {wrong[0]} is {values[wrong[0]]}, outside {self.row_low[wrong[0]]}..{self.row_high[wrong[0]]}"
        return ""

    def hopeless(self) -> bool:
        """Is there a row without variables that its own limits forbid? Solvers differ on such rows, so none sees them."""
        empty = np.diff(self.starts) == 0
        return bool((empty & ((self.row_low > 0) | (self.row_high < 0))).any())

    def lists(self) -> Iterator[tuple[list[int], list[int], int | None, int | None]]:
        """Rows that have variables: these, their coefficients and the limits (None: no limit), for solvers fed row by row."""
        columns, coefficients = self.columns.tolist(), self.coefficients.tolist()
        limits = zip(self.row_low.tolist(), self.row_high.tolist(), strict=True)
        for (first, end), (low, high) in zip(pairwise(self.starts.tolist()), limits, strict=True):
            if first < end:
                ends = None if low == -NO_LIMIT else low, None if high == NO_LIMIT else high
                yield columns[first:end], coefficients[first:end], *ends


class Draft:
    """Collects variables and rows, alone or on top of a finished program, which stays as it is."""

    def __init__(self, base: IntegerProgram | None = None) -> None:
        nothing = np.zeros(0, dtype=np.int64)
        self.base = base or IntegerProgram(nothing, nothing, np.zeros(1, dtype=np.int64), *[nothing] * 5)
        self._bounds: list[tuple[int, int]] = []
        self._lengths: list[int] = []
        self._columns: list[int] = []
        self._coefficients: list[int] = []
        self._limits: list[tuple[int, int]] = []

    def variables(self, count: int, low: int = 0, high: int = 1) -> range:
        """New variables, binary unless bounds are given."""
        if not -LARGEST_COEFFICIENT < low <= high < LARGEST_COEFFICIENT:
            raise ValueError(f"bounds {low}..{high} are crossed or too large")
        first = self.base.variables + len(self._bounds)
        self._bounds += [(low, high)] * count
        return range(first, first + count)

    def row(self, terms: Terms, low: int | None, high: int | None) -> None:
        """low <= sum of terms <= high; None is no limit."""
        before = len(self._columns)
        for variable, coefficient in terms:
            self._columns.append(variable)
            self._coefficients.append(coefficient)
        self._lengths.append(len(self._columns) - before)
        self._limits.append((-NO_LIMIT if low is None else low, NO_LIMIT if high is None else high))

    def program(self) -> IntegerProgram:
        low, high = np.array(self._bounds, dtype=np.int64).reshape(-1, 2).T
        row_low, row_high = np.array(self._limits, dtype=np.int64).reshape(-1, 2).T
        columns, coefficients = np.array(self._columns, dtype=np.int64), np.array(self._coefficients, dtype=np.int64)
        if int(np.abs(coefficients).max(initial=0)) >= LARGEST_COEFFICIENT:
            raise ValueError("a coefficient is too large for a solver to hold exactly")
        ends = self.base.starts[-1] + np.cumsum(self._lengths, dtype=np.int64)
        more = (low, high, ends, columns, coefficients, row_low, row_high, np.zeros(len(low), dtype=np.int64))
        old = (getattr(self.base, field.name) for field in fields(self.base))
        return IntegerProgram(*map(np.append, old, more))


def other_than(program: IntegerProgram, point: Ints, chosen: Ints) -> IntegerProgram:
    """The program without the points that agree with `point` on the chosen binary variables (a no-good cut)."""
    draft = Draft(program)
    ones = int(point[chosen].sum())
    draft.row(((int(j), -1 if point[j] else 1) for j in chosen.ravel()), 1 - ones, None)
    return draft.program()
