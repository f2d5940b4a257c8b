"""What a solver says about an integer program, and what it must declare about itself.

The three outcomes have no truth value. Only a proven infeasible is `NoPoint`; limits, errors and every status that
is not in an adapter's table are `Undecided`. A point counts only after `ask` has checked it in exact integers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from foregone.solvers.answer import Truthless, Undecided
from foregone.solvers.arrays import Ints
from foregone.solvers.deadline import TIME_OUT, Deadline
from foregone.solvers.ip.program import IntegerProgram, other_than

SPREAD = 10  # random objectives have coefficients from -SPREAD to SPREAD


@dataclass(frozen=True, slots=True, eq=False)
class Point(Truthless):
    """A point that satisfies every row."""

    point: Ints


@dataclass(frozen=True, slots=True)
class NoPoint(Truthless):
    """The solver says it has proved that there is no point."""


Outcome = Point | NoPoint | Undecided


@dataclass(frozen=True, slots=True)
class Abilities:
    """What a solver can do, as `foregone solvers` shows it."""

    integer_exact: bool  # computes in integers; the others in floats with tolerances
    many_solutions: bool  # finds several solutions in one search; the others are asked again with a cut
    open_source: bool
    free_limit: int | None = None  # variables and rows that the licence in the package allows


@dataclass(frozen=True, slots=True, eq=False)
class Points:
    """Different solutions; `complete` is True when these are proved to be all, None when that is not known."""

    points: tuple[Ints, ...]
    complete: bool | None
    reason: str = ""


class Adapter(Protocol):
    """One solver. `solve` may stop at any solution; `points` returns up to k that differ on the chosen variables.

    The chosen variables are binary and come as a table: one row per record, or a single row where that means nothing.
    """

    @property
    def name(self) -> str: ...

    @property
    def abilities(self) -> Abilities: ...

    def version(self) -> str: ...

    def licence(self) -> str: ...

    def solve(self, program: IntegerProgram, seconds: float | None = None, seed: int = 0) -> Outcome: ...

    def points(self, program: IntegerProgram, chosen: Ints, k: int, seconds: float | None = None) -> Points: ...


def ask(adapter: Adapter, program: IntegerProgram, seconds: float | None = None, seed: int = 0) -> Outcome:
    """Ask for any solution. Whatever goes wrong in a solver is Undecided; so is a point that breaks a row."""
    known = _without_solver(program, seconds)
    if known is not None:
        return known
    try:
        outcome = adapter.solve(program, seconds, seed)
    except Exception as error:  # a crash of the solver is one more way not to know
        return _crashed(adapter, error)
    if isinstance(outcome, Point):
        broken = program.broken_by(outcome.point)
        if broken:
            return Undecided(f"{adapter.name} returned a point that is not a solution: {broken}")
    return outcome


def ask_many(adapter: Adapter, program: IntegerProgram, chosen: Ints, k: int, seconds: float | None = None) -> Points:
    """Up to k solutions that differ on the chosen variables, each checked exactly."""
    match _without_solver(program, seconds):
        case NoPoint():
            return Points((), True)
        case Point(point=point):
            return Points((point,), True)
        case Undecided(reason=reason):
            return Points((), None, reason)
    try:
        found = adapter.points(program, chosen, k, seconds)
    except Exception as error:
        return Points((), None, _crashed(adapter, error).reason)
    good = {point[chosen].tobytes(): point for point in found.points if not program.broken_by(point)}
    if len(good) == len(found.points):
        return found
    return Points(tuple(good.values()), None, f"{adapter.name} returned points that are not different solutions")


def _without_solver(program: IntegerProgram, seconds: float | None) -> Outcome | None:
    """What needs no solver, or what no solver is asked."""
    if program.hopeless():
        return NoPoint()
    if not program.variables:  # solvers refuse such a model; its one point, the empty one, breaks nothing
        return Point(np.zeros(0, dtype=np.int64))
    return Undecided(TIME_OUT) if seconds is not None and seconds <= 0 else None


def _crashed(adapter: Adapter, error: Exception) -> Undecided:
    return Undecided(f"{adapter.name} failed ({type(error).__name__}: {error})")


def points_by_cuts(
    adapter: Adapter, program: IntegerProgram, chosen: Ints, k: int, seconds: float | None = None
) -> Points:
    """For solvers that give one solution at a time: ask again with a random objective, the points seen cut off.

    The limit is for all k together. A direction is the same for every row of `chosen` (every record), so that it tells
    datasets apart and not orders of records: solvers find points several times faster than with unrelated costs, and
    points found in different directions are far apart.
    """
    deadline = Deadline.after(seconds)
    rng = np.random.default_rng(0)
    found: list[Ints] = []
    while len(found) < k:
        objective = np.zeros(program.variables, dtype=np.int64)
        objective[chosen] = rng.integers(-SPREAD, SPREAD + 1, chosen.shape[-1])
        outcome = ask(adapter, program.minimising(objective), None if seconds is None else deadline.left(), len(found))
        match outcome:
            case Point(point=point):
                found.append(point)
                program = other_than(program, point, chosen)
            case NoPoint():
                return Points(tuple(found), True)
            case Undecided(reason=reason):
                return Points(tuple(found), None, reason)
    return Points(tuple(found), False)
