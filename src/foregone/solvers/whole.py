"""Whole-number points, from HiGHS and, where that finds none in time, from CP-SAT if it is installed.

They are suggestions: whoever uses one tabulates it again.
"""

from __future__ import annotations

import numpy as np

from foregone.solvers.answer import NO_LIMIT, Answer, Feasible, Infeasible, Undecided
from foregone.solvers.arrays import Floats, Ints
from foregone.solvers.deadline import Deadline
from foregone.solvers.highs import BucketSystem, Ending, HighsModel, columns_of, limits_of
from foregone.solvers.ip.outcome import NoPoint, Point, ask
from foregone.solvers.ip.program import LARGEST_COEFFICIENT, IntegerProgram
from foregone.solvers.ip.registry import installed, load

FIRST_SECONDS = 5.0  # HiGHS may take this long where another solver can be asked


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
    answer = _highs(system, objective, chosen, extra, deadline.sooner(FIRST_SECONDS) if other else deadline, gap)
    return _cpsat(system, chosen, extra, deadline) if other and isinstance(answer, Undecided) and not deadline.passed() else answer


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


def _cpsat(system: BucketSystem, chosen: Ints, extra: tuple[Floats, float] | None, deadline: Deadline) -> Answer:
    """Any point, from a solver that searches in another way."""
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
    program = IntegerProgram(least, most, starts, column[order], weights[order], low, high, np.zeros(len(chosen), np.int64))
    match ask(load("cpsat"), program, deadline.seconds):
        case Point(point=point):
            used = np.flatnonzero(point)
            return Feasible(chosen[used], point[used].astype(float), 0.0, np.zeros(system.rows))
        case NoPoint():
            return Infeasible(np.zeros(system.rows))
        case Undecided() as undecided:
            return undecided
