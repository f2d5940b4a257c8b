"""Step 7: floats never decide. Turn suggested multipliers into a bound that holds in exact integer arithmetic.

For any whole numbers u (one per row) and D > 0, a dataset x that fits the release has
    D * f(x) = sum_i u_i * (row_i of x) + sum_j (D * f_j - sum of u over cell j) * x_j
and each part on the right can be bounded above: rows lie between low and high, cells that are held lie between their
bounds, and whatever is left over on the other cells is at most `worst` per record, of which there are at most
`largest` many. However wrong the suggestion, the bound is true; a good suggestion makes it tight.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from foregone.engine.system.linear import LinearSystem
from foregone.solvers.answer import NO_LIMIT, Floats

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Bounds = Mapping[int, tuple[int, int | None]]

DENOMINATORS = (1, 2, 6, 12, 60, 2520, 1 << 20, 1 << 30)  # small ones first: they make proofs people can read
LARGEST_SUM = float(1 << 60)


@dataclass(frozen=True, slots=True)
class Certificate:
    """The greatest value is at most floor(total / denominator): rows times multipliers dominate the objective.

    `multipliers` already hold what the cover had to add to dominate on every cell.
    """

    multipliers: Ints
    denominator: int
    total: int

    @property
    def limit(self) -> int:
        return self.total // self.denominator


def certify(
    system: LinearSystem,
    objective: Ints,
    suggestion: Floats,
    target: int,
    bounds: Bounds | None = None,
    empty: Bools | None = None,
) -> Certificate | None:
    """An exact proof that the objective is at most `target` on every dataset (within bounds), or None.

    The objective is one integer per cell; the suggestion is one multiplier per row.
    """
    clipped = np.where((system.high == NO_LIMIT) & (suggestion > 0), 0.0, suggestion)
    clipped = np.where((system.low == -NO_LIMIT) & (clipped < 0), 0.0, clipped)
    if not np.isfinite(clipped).all():
        return None
    # sums over a cell's rows must stay far inside 64 bits, or they would wrap around and mean nothing
    deepest = system.heaviest + 1
    for denominator in DENOMINATORS:
        if max((np.abs(clipped).max(initial=0.0) + 1) * deepest, np.abs(objective).max(initial=0)) * denominator > LARGEST_SUM:
            return None
        certificate = dominate(system, objective, np.rint(clipped * denominator).astype(np.int64), denominator, bounds, empty)
        if certificate is not None and certificate.limit <= target:
            return certificate
    return None


def dominate(
    system: LinearSystem,
    objective: Ints,
    multipliers: Ints,
    denominator: int,
    bounds: Bounds | None = None,
    empty: Bools | None = None,
) -> Certificate | None:
    """The exact bound that these whole multipliers give; None where they miss a cell that nothing else bounds."""
    rest = objective.astype(np.int64) * denominator - system.combine(multipliers)
    if empty is not None:
        rest[empty] = 0
    total = 0
    for cell, (least, most) in (bounds or {}).items():
        left = int(rest[cell])
        if left < 0:
            total += left * least
            rest[cell] = 0
        elif most is not None:
            total += left * most
            rest[cell] = 0
    worst = int(rest.max(initial=0))
    if worst > 0:  # the cover's rows touch every cell covered, so adding this much to them dominates there
        if (rest[~system.covered] > 0).any():
            return None
        multipliers = multipliers.copy()
        multipliers[system.cover] += worst
        extra = worst * sum(system.high[system.cover].tolist())
        base = _evaluate(system, multipliers - worst * np.bincount(system.cover, minlength=system.rows))
        return Certificate(multipliers, denominator, total + min(base + extra, _evaluate(system, multipliers)))
    return Certificate(multipliers, denominator, total + _evaluate(system, multipliers))


def _evaluate(system: LinearSystem, multipliers: Ints) -> int:
    """The most that the combination of rows can be, in Python integers, which do not overflow."""
    used = np.flatnonzero(multipliers)
    limits = np.where(multipliers[used] > 0, system.high[used], system.low[used])
    return sum(int(u) * int(limit) for u, limit in zip(multipliers[used], limits, strict=True))
