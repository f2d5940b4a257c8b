"""Whole-number points, from HiGHS and, where any point at all will do, from CP-SAT if it is installed.

They are suggestions: whoever uses one tabulates it again.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from foregone.solvers.answer import NO_LIMIT, Answer, Feasible, Infeasible, Undecided
from foregone.solvers.arrays import Floats, Ints
from foregone.solvers.deadline import Deadline
from foregone.solvers.highs import BucketSystem, Ending, HighsModel, columns_of, limits_of
from foregone.solvers.ip.outcome import NoPoint, Outcome, Point, ask
from foregone.solvers.ip.program import LARGEST_COEFFICIENT, IntegerProgram
from foregone.solvers.ip.registry import installed, load

LARGE = 50_000  # rows times buckets of a program for which CP-SAT is asked first: HiGHS is quicker with smaller ones
SHARE = 0.7  # of the time that is left, for CP-SAT where it is asked first; the rest is for HiGHS
SOON = 10.0  # seconds for each where CP-SAT is asked first, before either is asked for long
FIRST_SECONDS = 5.0  # HiGHS may take this long where it is asked first


def integer_point(
    system: BucketSystem,
    objective: Floats,
    buckets: Ints | None = None,
    extra: tuple[Floats, float] | None = None,
    deadline: Deadline | None = None,
    gap: float = 0.0,
) -> Answer:
    """A whole-number point with a large objective; `extra` is one more row (coefficients, least value).

    With `buckets`, only these may be used. Infeasible then says nothing about the whole system. With a `gap`, the objective
    may be smaller than the greatest one by that share.
    """
    chosen = np.arange(system.buckets) if buckets is None else buckets
    deadline = deadline or Deadline()
    other = not objective.any() and system.largest is not None and system.largest < LARGEST_COEFFICIENT and installed("cpsat")
    if not other:
        return _highs(system, objective, chosen, extra, deadline, gap)
    if system.rows * len(chosen) > LARGE:
        # each for a while before one of them for long: what takes one of them minutes, the other often finds in seconds
        answer = _cpsat(system, chosen, extra, deadline.sooner(min(SOON, SHARE * deadline.left())))
        if isinstance(answer, Undecided) and not deadline.passed():
            answer = _highs(system, objective, chosen, extra, deadline.sooner(SOON), gap)
        if isinstance(answer, Undecided) and not deadline.passed():
            answer = _cpsat(system, chosen, extra, deadline.sooner(SHARE * deadline.left()))
        then = partial(_highs, system, objective, chosen, extra, deadline, gap)
    else:
        answer = _highs(system, objective, chosen, extra, deadline.sooner(FIRST_SECONDS), gap)
        then = partial(_cpsat, system, chosen, extra, deadline)
    return then() if isinstance(answer, Undecided) and not deadline.passed() else answer


def _highs(
    system: BucketSystem, objective: Floats, chosen: Ints, extra: tuple[Floats, float] | None, deadline: Deadline, gap: float
) -> Answer:
    sizes, rows, values = columns_of(system, chosen)
    model = HighsModel(**({"mip_rel_gap": gap} if gap else {}))
    model.add_rows(*limits_of(system.low, system.high))
    largest = np.inf if system.largest is None else float(system.largest)
    columns = model.add_columns(len(chosen), -objective[chosen], largest, sizes=sizes, rows=rows, values=values)
    model.set_whole(columns)
    if extra is not None:
        row = np.flatnonzero(extra[0][chosen])
        model.add_rows([extra[1]], [np.inf], [len(row)], row, extra[0][chosen][row])
    ending = model.run(deadline)
    if ending is Ending.INFEASIBLE:
        return Infeasible(np.zeros(system.rows))
    if not model.has_point:
        return model.no_answer
    counts = np.rint(model.point)
    used = np.flatnonzero(counts > 0)
    return Feasible(chosen[used], counts[used], float(objective[chosen] @ counts), np.zeros(system.rows))


def point_among(
    system: BucketSystem,
    buckets: Ints,
    extra: tuple[Floats, float] | None,
    deadline: Deadline,
    effort: float,
    near: Feasible | None = None,
) -> Answer:
    """Any whole-number point that uses only some `buckets`; `extra` is one more row (coefficients, least value).

    CP-SAT is asked, as far as so much effort leads, and where it is missing HiGHS for as many seconds. CP-SAT begins with the
    whole numbers next to a relaxed point `near`, if there is one: they miss few rows, and to mend these may be far quicker than to
    begin with nothing.
    """
    if system.largest is None or system.largest >= LARGEST_COEFFICIENT or not installed("cpsat"):
        return _highs(system, np.zeros(system.buckets), buckets, extra, deadline.sooner(effort), 0.0)
    from foregone.solvers.ip.cpsat import ADAPTER

    try:
        hint = None if near is None else _whole_near(near, buckets, system.buckets)
        outcome = ADAPTER.soon(_program(system, buckets, extra), deadline.seconds, effort, hint)
    except Exception as error:  # a crash of the solver is one more way not to know
        return Undecided(f"CP-SAT failed ({type(error).__name__}: {error})")
    return _answered(system, buckets, outcome)


def _whole_near(relaxed: Feasible, chosen: Ints, buckets: int) -> Ints:
    """The whole numbers next to a relaxed point, in the chosen buckets of so many."""
    made = np.zeros(buckets, dtype=np.int64)
    made[relaxed.buckets] = np.rint(relaxed.counts)
    return made[chosen]


def _of_point(system: BucketSystem, chosen: Ints, point: Ints) -> Feasible:
    used = np.flatnonzero(point)
    return Feasible(chosen[used], point[used].astype(float), 0.0, np.zeros(system.rows))


def _program(system: BucketSystem, chosen: Ints, extra: tuple[Floats, float] | None) -> IntegerProgram:
    sizes, row, weights = columns_of(system, chosen)
    column = np.repeat(np.arange(len(chosen)), sizes)
    low, high = system.low, system.high
    if extra is not None:
        more = np.flatnonzero(extra[0][chosen])
        column, row = np.concatenate([column, more]), np.concatenate([row, np.full(len(more), system.rows)])
        weights = np.concatenate([weights, extra[0][chosen][more].astype(np.int64)])
        low, high = np.append(low, int(extra[1])), np.append(high, NO_LIMIT)
    order = np.argsort(row, kind="stable")
    starts = np.searchsorted(row[order], np.arange(len(low) + 1))
    least, most = np.zeros(len(chosen), dtype=np.int64), np.full(len(chosen), system.largest, dtype=np.int64)
    return IntegerProgram(least, most, starts, column[order], weights[order], low, high, np.zeros(len(chosen), np.int64))


def _cpsat(system: BucketSystem, chosen: Ints, extra: tuple[Floats, float] | None, deadline: Deadline) -> Answer:
    """Any point, from a solver that searches in another way."""
    return _answered(system, chosen, ask(load("cpsat"), _program(system, chosen, extra), deadline.seconds))


def _answered(system: BucketSystem, chosen: Ints, outcome: Outcome) -> Answer:
    match outcome:
        case Point(point=point):
            return _of_point(system, chosen, point)
        case NoPoint():
            return Infeasible(np.zeros(system.rows))
        case Undecided() as undecided:
            return undecided
