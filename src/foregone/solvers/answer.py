"""The answers a solver can give. None of them has a truth value, so that 'unknown' cannot pass for 'no'."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from foregone.solvers.arrays import Floats

NO_LIMIT = int(np.iinfo(np.int64).max)  # of a row that may be as large as it likes; -NO_LIMIT if as small


class Truthless:
    """What is neither true nor false: an `if` that forgets to look which answer it is fails."""

    __slots__ = ()

    def __bool__(self) -> bool:
        raise TypeError("an answer has no truth value; match it")


@dataclass(frozen=True, slots=True)
class Feasible(Truthless):
    """A point was found; `multipliers` (one per row) suggest a bound on the objective. Both are only suggestions."""

    buckets: NDArray[np.int64]
    counts: Floats
    value: float
    multipliers: Floats


@dataclass(frozen=True, slots=True)
class Infeasible(Truthless):
    """The solver claims there is no point; `multipliers` suggest a combination of rows that shows it."""

    multipliers: Floats


@dataclass(frozen=True, slots=True)
class Undecided(Truthless):
    """A limit was reached, the solver failed, or its status says nothing."""

    reason: str


@dataclass(frozen=True, slots=True)
class Unbounded(Truthless):
    """The solver claims that the objective grows without end, as it can where nothing bounds the number of records."""


Answer = Feasible | Infeasible | Unbounded | Undecided
