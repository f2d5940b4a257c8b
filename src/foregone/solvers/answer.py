"""The three answers a solver can give. None of them has a truth value, so that 'unknown' cannot pass for 'no'."""

from __future__ import annotations

from dataclasses import dataclass
from time import monotonic

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Feasible:
    """A point was found; `multipliers` (one per row) suggest a bound on the objective. Both are only suggestions."""

    cells: NDArray[np.int64]
    counts: Floats
    value: float
    multipliers: Floats

    def __bool__(self) -> bool:
        raise TypeError("an answer has no truth value; match it")


@dataclass(frozen=True, slots=True)
class Infeasible:
    """The solver claims there is no point; `multipliers` suggest a combination of rows that shows it."""

    multipliers: Floats

    def __bool__(self) -> bool:
        raise TypeError("an answer has no truth value; match it")


@dataclass(frozen=True, slots=True)
class Undecided:
    """A limit was reached, the solver failed, or its status says nothing."""

    reason: str

    def __bool__(self) -> bool:
        raise TypeError("an answer has no truth value; match it")


Answer = Feasible | Infeasible | Undecided


@dataclass(frozen=True, slots=True)
class Deadline:
    """A moment after which open questions stay undecided; None means never."""

    at: float | None = None

    @classmethod
    def after(cls, seconds: float | None) -> Deadline:
        return cls(None if seconds is None else monotonic() + seconds)

    def left(self) -> float:
        return float("inf") if self.at is None else max(0.0, self.at - monotonic())

    def passed(self) -> bool:
        return self.left() <= 0.0
