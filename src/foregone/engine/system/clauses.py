"""Either-ors over the buckets of a system: of two upper limits on weighted sums at least one holds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from foregone.engine.system.blueprint import Blueprint
from foregone.engine.system.buckets import Buckets
from foregone.engine.system.witness import MACHINE_LIMIT, Witness
from foregone.model.errors import TooLargeError
from foregone.model.workload import Workload
from foregone.solvers.arrays import Bools, Ints

MOST_WEIGHTS = 50_000_000  # either-ors times buckets; under a gigabyte


@dataclass(frozen=True, slots=True, eq=False)
class LinearClause:
    """left.x <= left_high or right.x <= right_high; the weights are whole numbers, one per bucket."""

    left: Ints
    left_high: int
    right: Ints
    right_high: int


@dataclass(frozen=True, slots=True, eq=False)
class Clauses(Sequence[LinearClause]):
    """All either-ors of a system, in the order of the release; kept as tables, so that datasets are judged quickly."""

    weights: Ints  # two rows for each, left and right; a column per bucket
    highs: tuple[tuple[int, int], ...]

    def __len__(self) -> int:
        return len(self.highs)

    def __getitem__(self, k: Any) -> Any:
        if isinstance(k, slice):
            return tuple(self[i] for i in range(*k.indices(len(self))))
        left, right = self.weights[2 * range(len(self))[k] :][:2]
        return LinearClause(left, self.highs[k][0], right, self.highs[k][1])

    def __iter__(self) -> Iterator[LinearClause]:
        return (self[k] for k in range(len(self)))

    def values(self, witness: Witness) -> NDArray[Any]:
        """The left and the right sum of each, in Python's own integers where 64 bits could be too few."""
        some = self.weights[:, witness.buckets]
        if int(np.abs(some).max(initial=0)) * witness.size < MACHINE_LIMIT:
            return np.asarray(some @ witness.counts).reshape(-1, 2)
        return np.asarray(some.astype(object) @ witness.counts.astype(object)).reshape(-1, 2)

    def hold(self, witness: Witness) -> bool:
        """Does the dataset keep at least one side of each?"""
        return not self.highs or bool((self.values(witness) <= self._limits).any(axis=1).all())

    def kept_from(self, start: Witness, further: Witness) -> int | None:
        """How often further records have to be added to a dataset for every either-or to hold from then on; None: however often,
        one does not. A side that they do not raise stays kept, and one that they lower is kept in the end."""
        times = 0
        for limits, values, rises in zip(self.highs, self.values(start).tolist(), self.values(further).tolist(), strict=True):
            sides = list(zip(limits, values, rises, strict=True))
            held = any(value <= high and rise <= 0 for high, value, rise in sides)
            needed = [0] if held else [-(-(value - high) // -rise) for high, value, rise in sides if rise < 0]
            if not needed:
                return None
            times = max(times, min(needed))
        return times

    def part(self, kept: Bools) -> Clauses:
        """These either-ors over some of the buckets."""
        return Clauses(self.weights[:, kept], self.highs)

    def after(self, placed: Witness) -> Clauses:
        """What is left to keep when some records are in place."""
        if not self.highs:
            return self
        return Clauses(self.weights, tuple((int(a), int(b)) for a, b in (self._limits - self.values(placed)).tolist()))

    def twice(self, further: int) -> Clauses:
        """These either-ors for each of two datasets side by side, followed by buckets that they say nothing about."""
        blank = np.zeros_like(self.weights)
        rest = np.zeros((2 * len(self.weights), further), dtype=np.int64)
        return Clauses(np.hstack([np.block([[self.weights, blank], [blank, self.weights]]), rest]), self.highs * 2)

    @property
    def _limits(self) -> NDArray[Any]:
        small = all(abs(high) < MACHINE_LIMIT for pair in self.highs for high in pair)
        return np.array(self.highs, dtype=np.int64 if small else object).reshape(-1, 2)


def clauses_of(workload: Workload, plan: Blueprint, found: Buckets) -> Clauses:
    """The either-ors of a workload over buckets."""
    buckets = found.number
    if 2 * len(workload.alternatives) * buckets > MOST_WEIGHTS:
        raise TooLargeError(
            f"{len(workload.alternatives):,} either-ors (medians make them) over {buckets:,} groups of records are too many;"
            f" their product may be {MOST_WEIGHTS // 2:,}: group the values of wide columns, or leave out medians"
        )
    weights = np.zeros((len(plan.sides), buckets), dtype=np.int64)
    highs = []
    for row, (boxes, factors) in enumerate(plan.sides):
        touched, times = found.summed(boxes, factors)
        weights[row, touched] = times
    for k, either in enumerate(workload.alternatives):
        limits = []
        for row, side in ((2 * k, either.left), (2 * k + 1, either.right)):
            if side.high is None:  # at least: the same as at most for the opposite numbers
                weights[row] *= -1
            limits.append(side.high if side.high is not None else -(side.low or 0))
        highs.append((limits[0], limits[1]))
    return Clauses(weights, tuple(highs))
