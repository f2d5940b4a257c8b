"""Multipliers that meet cells exactly, for where rounding them is not good enough.

Rounded multipliers miss some cells by a little. Where the number of records is bounded, that little can be made up for; a
cell that nothing bounds must not be missed at all. The floating-point suggestion then only tells which rows take part and
which cells they meet; the multipliers themselves are the solution of these equations in fractions.
"""

from __future__ import annotations

from math import lcm

import flint
import numpy as np
from numpy.typing import NDArray

from foregone.engine.bounds.rowspace import independent
from foregone.solvers.answer import Floats

Ints = NDArray[np.int64]

MOST_ROWS = 80  # that take part; the equations are solved in fractions
MET = 1e-7  # a cell missed by less, relative to the numbers involved, is met
LARGEST = 1 << 62


def exact_multipliers(rows: Ints, objective: Ints, suggestion: Floats, homogeneous: bool) -> tuple[list[int], int] | None:
    """Whole multipliers of some rows (over cells), and a denominator, that meet the same cells as the suggestion does.

    `homogeneous`: only the direction of the suggestion counts; its largest number is taken for the unit.
    """
    if not 0 < len(rows) <= MOST_ROWS:
        return None
    fixed = int(np.argmax(np.abs(suggestion))) if homogeneous else None
    if fixed is not None:
        suggestion = suggestion / abs(suggestion[fixed])
    parts = suggestion[:, None] * rows
    missed = np.abs(objective - parts.sum(axis=0))
    met = np.flatnonzero(missed <= MET * (1 + np.abs(parts).max(axis=0)))
    free = [i for i in range(len(rows)) if i != fixed]
    sign = 0 if fixed is None else int(np.sign(suggestion[fixed]))
    wanted = objective if fixed is None else objective - sign * rows[fixed]
    chosen, cells = independent(rows[free][:, met])
    found = [flint.fmpq(0)] * len(rows)
    if chosen:
        square = flint.fmpq_mat(flint.fmpz_mat(rows[free][np.ix_(np.array(chosen), met[cells])].T.tolist()))
        right = flint.fmpq_mat(flint.fmpz_mat([[int(n)] for n in wanted[met[cells]]]))
        for i, value in zip(chosen, square.solve(right).entries(), strict=True):
            found[free[i]] = value
    if fixed is not None:
        found[fixed] = flint.fmpq(sign)
    denominator = lcm(*(int(value.q) for value in found))
    whole = [int(value.p) * (denominator // int(value.q)) for value in found]
    return (whole, denominator) if max(*map(abs, whole), denominator) < LARGEST else None
