"""HiGHS itself: the one place that builds its models, runs them and reads its statuses.

A model stays in memory. Columns and rows are added, costs and limits change, and the next run begins where the last one ended.
Everything that leaves it is a suggestion in floating point: points are tabulated again and bounds certified by whoever asked.
"""

from __future__ import annotations

from enum import Enum, auto
from typing import Protocol

import highspy
import numpy as np
from numpy.typing import ArrayLike, NDArray

from foregone.solvers.answer import NO_LIMIT, Undecided
from foregone.solvers.arrays import Floats, Ints
from foregone.solvers.deadline import TIME_OUT, Deadline

Places = NDArray[np.int32]  # of columns or rows, as HiGHS counts them

QUIET: dict[str, str | float] = {"output_flag": False, "threads": 1, "random_seed": 0, "parallel": "off"}
COMFORTABLE = 1 << 24  # limits above are given to the relaxation in units of a power of two, for HiGHS goes astray among them
DUAL, PRIMAL = 1, 4  # names of HiGHS for its simplex methods


class Ending(Enum):
    """How a run ended. A status that is not listed in `ENDINGS` says nothing."""

    OPTIMAL = auto()
    INFEASIBLE = auto()
    ENDLESS = auto()  # the objective grows without end, or there is no point
    LOST = auto()  # the simplex method lost its way
    NO_ANSWER = auto()  # a limit, an interruption, an error: `HighsModel.no_answer` says which


Status = highspy.HighsModelStatus
ENDINGS = {
    Status.kOptimal: Ending.OPTIMAL,
    Status.kInfeasible: Ending.INFEASIBLE,
    Status.kUnbounded: Ending.ENDLESS,
    Status.kUnboundedOrInfeasible: Ending.ENDLESS,
    Status.kUnknown: Ending.LOST,
}
REASONS = {
    Status.kTimeLimit: TIME_OUT,
    Status.kIterationLimit: "the solver's iteration limit was reached",
    Status.kInterrupt: "the solver was interrupted",
    Status.kSolutionLimit: "the solver's solution limit was reached",
}


class HighsModel:
    """Columns with costs and bounds, rows with limits; the cost is minimised. `options` are those of HiGHS."""

    def __init__(self, **options: str | float) -> None:
        self.columns, self.rows = 0, 0
        self._solver = highspy.Highs()
        self._in_time = True  # was the last run begun before its deadline?
        self.set(**{**QUIET, **options})

    def set(self, **options: str | float) -> None:
        for option, value in options.items():
            self._solver.setOptionValue(option, value)

    def add_columns(
        self,
        count: int,
        cost: ArrayLike = 0.0,
        high: ArrayLike = np.inf,
        low: ArrayLike = 0.0,
        sizes: ArrayLike = (),
        rows: ArrayLike = (),
        values: ArrayLike = (),
    ) -> Places:
        """Further columns, and what their numbers are. One cost, or one bound, stands for all.

        Of the `rows` that columns are in, with `values`, the first column has as many as the first of the `sizes` says, and so on.
        """
        each = [np.full(count, of, dtype=float) for of in (cost, low, high)]
        _check(self._solver.addCols(count, *each, *_entries(count, sizes, rows, values)))
        self.columns += count
        return np.arange(self.columns - count, self.columns, dtype=np.int32)

    def add_rows(
        self, low: ArrayLike, high: ArrayLike, sizes: ArrayLike = (), columns: ArrayLike = (), values: ArrayLike = ()
    ) -> None:
        """Further rows; the columns in them are given as the rows of columns are."""
        lows, highs = np.asarray(low, dtype=float), np.asarray(high, dtype=float)
        _check(self._solver.addRows(len(lows), lows, highs, *_entries(len(lows), sizes, columns, values)))
        self.rows += len(lows)

    def set_whole(self, columns: Places, whole: bool = True) -> None:
        """Columns that take whole numbers only, or any."""
        kind = highspy.HighsVarType.kInteger if whole else highspy.HighsVarType.kContinuous
        self._solver.changeColsIntegrality(len(columns), columns, np.full(len(columns), kind))

    def set_costs(self, columns: Places, costs: Floats) -> None:
        self._solver.changeColsCost(len(columns), columns, costs)

    def set_bounds(self, columns: Places, low: ArrayLike, high: ArrayLike) -> None:
        """Between which numbers columns lie; one number stands for all of them."""
        count = len(columns)
        if count:
            self._solver.changeColsBounds(count, columns, np.full(count, low, dtype=float), np.full(count, high, dtype=float))

    def set_limits(self, rows: Places, low: Floats, high: Floats) -> None:
        """Between which numbers the sums of rows lie."""
        self._solver.changeRowsBounds(len(rows), rows, low, high)

    def set_value(self, row: int, column: int, value: float) -> None:
        """The number of a column in a row."""
        self._solver.changeCoeff(row, column, value)

    def run(self, deadline: Deadline) -> Ending:
        # the limit is set anew each time: a shorter deadline of an earlier run would otherwise end this one
        left = deadline.left()
        self._in_time = left > 0
        if self._in_time:
            self._solver.setOptionValue("time_limit", self._solver.getRunTime() + left)
            self._solver.run()
        return ENDINGS.get(self._status, Ending.NO_ANSWER)

    @property
    def _status(self) -> highspy.HighsModelStatus:
        return self._solver.getModelStatus() if self._in_time else Status.kTimeLimit

    @property
    def no_answer(self) -> Undecided:
        """Why the last run says nothing."""
        return Undecided(REASONS.get(self._status, f"the solver stopped with status {str(self._status).split('.')[-1]}"))

    def forget(self) -> None:
        """Begin the next run afresh."""
        self._solver.clearSolver()

    @property
    def has_point(self) -> bool:
        """Does the last run leave a point, if perhaps not the cheapest one?"""
        feasible = highspy.SolutionStatus.kSolutionStatusFeasible
        return self._in_time and bool(self._solver.getInfo().primal_solution_status == feasible)

    @property
    def point(self) -> Floats:
        return np.array(self._solver.getSolution().col_value)

    @property
    def cost(self) -> float:
        """Of the point."""
        return float(self._solver.getObjectiveValue())

    @property
    def bound(self) -> float:
        """What every whole point costs at least."""
        return float(self._solver.getInfo().mip_dual_bound) if self._in_time else -np.inf

    @property
    def duals(self) -> Floats:
        """What one more in the limit of each row would cost."""
        return np.array(self._solver.getSolution().row_dual)

    @property
    def reduced(self) -> Floats:
        """What one more in the bound of each column would cost."""
        return np.array(self._solver.getSolution().col_dual)

    @property
    def ray(self) -> Floats:
        """Multipliers of rows that suggest why there is no point; zeros when HiGHS has none."""
        _, known, ray = self._solver.getDualRay()
        return np.array(ray) if known else np.zeros(self.rows)

    def singling_out(self, columns: Places) -> list[Floats]:
        """For each of these columns that is in the basis, the multipliers of rows that single it out at the last corner."""
        status, basic = self._solver.getBasicVariables()
        if status == highspy.HighsStatus.kError:
            return []
        place = {int(column): row for row, column in enumerate(basic) if column >= 0}
        rows = [place[column] for column in columns.tolist() if column in place]
        return [np.array(self._solver.getBasisInverseRow(row)[1]) for row in rows]


def version() -> str:
    return str(highspy.Highs().version())


def _check(status: highspy.HighsStatus) -> None:
    """What HiGHS refuses would be missing, and its answers would be about something else."""
    if status == highspy.HighsStatus.kError:
        raise AssertionError("HiGHS refuses the model; please report this release")


def _entries(count: int, sizes: ArrayLike, places: ArrayLike, values: ArrayLike) -> tuple[int, Places, Places, Floats]:
    """Entries as HiGHS takes them: how many, where each column or row begins, in what they are, and the numbers."""
    at = np.asarray(places, dtype=np.int32)
    ends = np.cumsum(np.asarray(sizes, dtype=np.int32)) if len(at) else np.zeros(count, dtype=np.int32)
    starts = np.concatenate([[0], ends[:-1]])[:count].astype(np.int32)
    return len(at), starts, at, np.asarray(values, dtype=float)


def limits_of(low: Ints, high: Ints, unit: float = 1.0) -> tuple[Floats, Floats]:
    """Whole limits of rows as HiGHS takes them, in units; what has no limit is infinite."""
    lows, highs = low.astype(float) / unit, high.astype(float) / unit
    return np.where(low == -NO_LIMIT, -np.inf, lows), np.where(high == NO_LIMIT, np.inf, highs)


class BucketSystem(Protocol):
    """What a solver has to know of a system: whole weights of buckets in rows, stored by bucket, and limits of the rows."""

    @property
    def buckets(self) -> int: ...
    @property
    def rows(self) -> int: ...
    @property
    def members(self) -> Ints: ...
    @property
    def weights(self) -> Ints | None: ...
    @property
    def low(self) -> Ints: ...
    @property
    def high(self) -> Ints: ...
    @property
    def largest(self) -> int | None: ...
    def members_of(self, buckets: Ints) -> tuple[Ints, Ints]: ...
    def combine(self, multipliers: Floats) -> Floats: ...


def columns_of(system: BucketSystem, buckets: Ints) -> tuple[Ints, Ints, Ints]:
    """Buckets as columns: how many rows each is in, which ones, and with what weights."""
    at, sizes = system.members_of(buckets)
    return sizes, system.members[at], np.ones(len(at), dtype=np.int64) if system.weights is None else system.weights[at]


def unit_of(system: BucketSystem) -> float:
    """A power of two in which no limit of a row is uncomfortably large; 1 for all but very large tables."""
    limits = np.abs(np.concatenate([system.low, system.high]).astype(float))
    largest = limits.max(initial=1.0, where=limits < float(NO_LIMIT))
    return float(2.0 ** max(0, np.ceil(np.log2(max(1.0, largest) / COMFORTABLE))))
