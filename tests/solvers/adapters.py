"""Which adapters a test runs over, and adapters that misbehave on purpose."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from foregone.solvers.answer import Undecided
from foregone.solvers.arrays import Ints
from foregone.solvers.deadline import TIME_OUT
from foregone.solvers.ip.outcome import Abilities, Adapter, NoPoint, Outcome, Point, Points, points_by_cuts
from foregone.solvers.ip.program import IntegerProgram
from foregone.solvers.ip.registry import SOLVERS, installed, load, remedy

NAMES = [
    pytest.param(name, marks=pytest.mark.skipif(not installed(name), reason=f"{name} is not installed: {remedy(name)}"))
    for name in SOLVERS
]
PLAIN = Abilities(integer_exact=True, many_solutions=False, open_source=True)


@dataclass(frozen=True, slots=True)
class Fake:
    """An adapter that says one thing to everything; what its `points` do is left to the cuts."""

    outcome: Outcome
    name: str = "fake"
    abilities: Abilities = PLAIN

    def version(self) -> str:
        return "0"

    def licence(self) -> str:
        return "none needed"

    def solve(self, program: IntegerProgram, seconds: float | None = None, seed: int = 0) -> Outcome:
        del program, seconds, seed
        return self.outcome

    def points(self, program: IntegerProgram, chosen: Ints, k: int, seconds: float | None = None) -> Points:
        return points_by_cuts(self, program, chosen, k, seconds)


@dataclass(frozen=True, slots=True)
class GeneratesOnly:
    """Generates with a real solver but times out on every claim."""

    name: str = "generates only"
    abilities: Abilities = PLAIN

    def version(self) -> str:
        return "0"

    def licence(self) -> str:
        return "none needed"

    def solve(self, program: IntegerProgram, seconds: float | None = None, seed: int = 0) -> Outcome:
        del program, seconds, seed
        return Undecided(TIME_OUT)

    def points(self, program: IntegerProgram, chosen: Ints, k: int, seconds: float | None = None) -> Points:
        return load("highs").points(program, chosen, k, seconds)


@dataclass(frozen=True, slots=True)
class Crashes:
    """Raises whatever it is asked."""

    name: str = "crashes"
    abilities: Abilities = PLAIN

    def version(self) -> str:
        return "0"

    def licence(self) -> str:
        return "none needed"

    def solve(self, program: IntegerProgram, seconds: float | None = None, seed: int = 0) -> Outcome:
        del program, seconds, seed
        raise RuntimeError("out of luck")

    def points(self, program: IntegerProgram, chosen: Ints, k: int, seconds: float | None = None) -> Points:
        del program, chosen, k, seconds
        raise RuntimeError("out of luck")


ALWAYS_OUT: Adapter = Fake(Undecided(TIME_OUT))
ALWAYS_NO: Adapter = Fake(NoPoint())
LIAR: Adapter = Fake(Point(np.zeros(3, dtype=np.int64)))
