"""The exact attacker against cells that must stay unknown: whoever solves for every dataset that fits knows what each can be."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from foregone.engine import MAX_RECORDS, MOST_KNOWN, AtMost, Case, Differing, Exceeds, Goal, LinearSystem, Witness
from foregone.model.dataset import Dataset, Record
from foregone.model.errors import TooLargeError, UndecidedError
from foregone.policy.judge import Narrow
from foregone.protection.adding_up import AddingUp
from foregone.protection.attack import BreachExplanation
from foregone.protection.explaining import ExactPart, FoundBreach, Seen, begun, unbroken
from foregone.protection.linear import LinearAttacker
from foregone.protection.problem import ANYTHING, NONE, Demand, Needed, Problem, release_of, weaken
from foregone.solvers.answer import Undecided
from foregone.solvers.arrays import Floats
from foregone.solvers.deadline import Deadline

SMALL = 20_000  # kinds of record up to which one system serves for every choice of actions


@dataclass(frozen=True, slots=True)
class _Opened:
    """What is left after some actions; `place` tells where a published count stands in its system."""

    case: Case
    place: dict[int, int]
    shared: bool  # does it share its possible records with all other choices?


class CellAttacker(ExactPart):
    """For the parts of a policy that are about cells: primary ones, and all that are not shown."""

    def __init__(self, problem: Problem, max_records: int = MAX_RECORDS) -> None:
        super().__init__(problem, max_records)
        self._weakest: Case | None = None
        self._start: list[Witness] = []  # a dataset that fits the release as it is
        self._known: list[Witness] = []  # datasets that fit what was left, and fit when more is withheld
        self._asked = False  # whether there is one case for all choices
        self._differing: Differing | None = None  # for that case
        self._adding: AddingUp | None = None
        self._linear: LinearAttacker | None = None
        if problem.primary:
            with suppress(TooLargeError):
                self._linear = LinearAttacker(problem)

    def _one_case(self, deadline: Deadline) -> Case | None:
        """One case for all choices without merges, where all numbers are counts without gaps and few kinds of record are possible.

        Records are left out of it only because of numbers that no action touches; actions change the limits of its rows, no more.
        """
        if not self._asked:
            self._asked = True
            rows = self.problem.rows
            if all(row.count is not None and not row.count.gaps for row in rows):
                weakest = [Needed(row, *(ANYTHING if row.hitters else row.limits)) for row in rows]
                with suppress(TooLargeError):
                    self._weakest = Case(release_of(self.problem, weakest), deadline, min(SMALL, self._most))
        return self._weakest

    def _look(self, taken: frozenset[int], deadline: Deadline) -> Seen | None:
        opened = self._open(taken, deadline)
        return Seen(opened.case.system, self._broken(opened, taken, deadline))

    def _broken(self, opened: _Opened, taken: frozenset[int], deadline: Deadline) -> Iterator[FoundBreach | Undecided | None]:
        asked, left = self.problem.wanted(taken), self._differ(opened, taken, deadline)
        # those that did not move with the others come first: if something is wrong it is there
        for demand in sorted(asked, key=lambda demand: demand.cell not in left):
            predicate = self.problem.release.statistics[demand.cell].predicate
            if demand.cell in left and self._two_will_do(demand) and self._fixed(opened, demand.cell, deadline):
                (count,) = set(opened.case.counts(predicate))
                yield self._found(demand, Goal(predicate, count, count), opened)
            else:
                found = self._narrow(opened, demand)
                yield self._found(demand, found) if isinstance(found, Goal) else found
        if opened.shared:
            self._known = list(opened.case.pool)[-MOST_KNOWN:]

    def _differ(self, opened: _Opened, taken: frozenset[int], deadline: Deadline) -> frozenset[int]:
        """Find datasets that differ in the cells that must stay unknown, many at once; the cells that are the same in all."""
        if not opened.shared:
            return NONE
        system = opened.case.system
        if self._differing is None:
            self._differing = Differing(system)
        cells = {int(system.row_of[demand.cell]): demand.cell for demand in self.problem.wanted(taken)}
        rows = np.array([row for row in cells if row >= 0], dtype=np.int64)
        return frozenset(cells[row] for row in self._differing.together(opened.case, rows, deadline).tolist())

    def _fixed(self, opened: _Opened, cell: int, deadline: Deadline) -> bool:
        """Does a cell seem to be known?"""
        assert self._differing is not None
        return self._differing.fixed(opened.case, int(opened.case.system.row_of[cell]), deadline)

    def _two_will_do(self, demand: Demand) -> bool:
        """Is it enough for a cell that two datasets differ in it?"""
        return demand.values == 2 and not (demand.cell in self.problem.primary and self.problem.policy.both_sides)

    def _found(self, demand: Demand, goal: Goal, suspected: _Opened | None = None) -> FoundBreach:
        """A breach; where it is only suspected, somebody may want to make sure."""

        def proved() -> FoundBreach | Undecided | None:
            assert suspected is not None
            found = self._narrow(suspected, demand)
            return self._found(demand, found) if isinstance(found, Goal) else found

        breach = self._breach(demand.cell, goal)
        return FoundBreach(breach, [goal], demand.given, demand.ended, None if suspected is None else proved)

    def _explained(
        self, broken: FoundBreach, taken: set[int], there: bool, system: LinearSystem, deadline: Deadline
    ) -> BreachExplanation | None:
        adding = self._added(deadline)
        if adding is not None and isinstance(broken.breach, Narrow) and broken.breach.low == broken.breach.high:
            found = adding.explained(broken.breach, adding.weights_after(taken), deadline)
            if found is not None or not there:  # what was done since may have ended it; the next look tells
                return found
        return super()._explained(broken, taken, there, system, deadline)

    def _added(self, deadline: Deadline) -> AddingUp | None:
        """Sums of statements, where one case serves for all choices."""
        if self._adding is None:
            weakest = self._one_case(deadline)
            if weakest is not None:
                opened = self._open(NONE, deadline)
                self._adding = AddingUp(self.problem, weakest, opened.case.pool.witnesses[0])
        return self._adding

    def cuts(self, point: Floats, deep: bool, deadline: Deadline) -> Iterator[BreachExplanation]:
        """What follows by adding and subtracting alone is cheap to find, so it comes first."""
        adding = self._added(deadline)
        if adding is not None:
            asked = [(cell, self.problem.release.statistics[cell].predicate) for cell in sorted(self.problem.primary)]
            counts = [adding.count(cell) for cell, _ in asked]
            yield from adding.cuts(
                [self._breach(cell, Goal(predicate, count, count)) for (cell, predicate), count in zip(asked, counts, strict=True)],
                point,
                deadline,
            )
            return
        simple = [] if self._linear is None else [e for e in self._linear.cuts(point, deep, deadline) if unbroken(e, point)]
        if simple or not deep:
            yield from simple
            return
        weakest = self._one_case(deadline)
        if weakest is None:
            return
        for cell in sorted(self.problem.primary & self.problem.true.keys()):
            count = self.problem.true[cell]
            goal = Goal(self.problem.release.statistics[cell].predicate, count, count)
            found = self._explaining.cut(self._breach(cell, goal), [goal], point, weakest.system, deadline)
            if found is not None:
                yield found

    def datasets(self, taken: Iterable[int], deadline: Deadline) -> list[Dataset] | None:
        """Datasets that fit what is left and show of every cell that must stay unknown that it is not known too well."""
        chosen = frozenset(taken)
        try:
            opened = self._open(chosen, deadline)
        except UndecidedError:
            return None
        asked = self.problem.wanted(chosen)
        self._differ(opened, chosen, deadline)
        if any(self._narrow(opened, demand) is not None for demand in asked):
            return None
        found: dict[tuple[tuple[Record, int], ...], Dataset] = {}
        for demand in asked:
            counts = opened.case.counts(self.problem.release.statistics[demand.cell].predicate)
            first = {count: witness for witness, count in reversed(list(enumerate(counts)))}  # of each value the first dataset
            ends = {min(first), max(first)}
            rest = [count for count in sorted(first) if count not in ends][: max(0, demand.values - len(ends))]
            for witness in (first[count] for count in (*sorted(ends), *rest)):
                dataset = opened.case.dataset(witness)
                found[tuple(dataset.kinds)] = dataset
        return list(found.values())

    def _open(self, chosen: frozenset[int], deadline: Deadline) -> _Opened:
        left, merges = weaken(self.problem, chosen), chosen & self.problem.merges
        weakest = None if merges else self._one_case(deadline)
        if weakest is not None:
            limits = {r: (row.low, row.high) for r, row in enumerate(left)}
            case = weakest.limited(limits, deadline, [*self._start, *self._known])
            begun(case)
            if not chosen:  # it fits whatever is left
                self._start = case.pool.witnesses[:1]
            return _Opened(case, {i: i for i in range(len(self.problem.rows))}, True)
        asked = {demand.cell for demand in self.problem.wanted(chosen)}
        left = [row for row in left if not row.empty or row.row.sources[0] in asked]
        gone = [row.bare for i, row in enumerate(self.problem.rows) if i in asked and row.hitters & merges]  # asked, not published
        counts = [*(row.row for row in left if row.row.count is not None), *gone]
        place = {row.sources[0]: r for r, row in enumerate(counts) if len(row.sources) == 1}
        return _Opened(self._case([*left, *(Needed(row, 0, None) for row in gone)], deadline), place, False)

    def _narrow(self, opened: _Opened, demand: Demand) -> Goal | Undecided | None:
        """Why too much is known about a cell; None when enough datasets differ in it."""
        cell, values = demand.cell, demand.values
        case, predicate = opened.case, self.problem.release.statistics[cell].predicate
        if cell in self.problem.primary and self.problem.policy.both_sides:
            found = self._one_side(case, cell)
            if found is not None:
                return found
        counted, missing = set(case.counts(predicate)), list[int]()
        above = below = False  # is it proved that nothing lies there?
        while len(counted) < values:
            low, high = min(counted), max(counted)
            if not above:  # first upwards, then downwards; where one end alone is too narrow the other does not matter
                answer = case.at_most(predicate, high)
            elif not below:
                answer = case.at_least(predicate, low)
            else:
                value = next((v for v in range(low, high + 1) if v not in counted and v not in missing), None)
                if value is None:
                    return Goal(predicate, low, high, tuple(missing))
                between = case.dataset_with(opened.place[cell], value)
                if isinstance(between, Undecided):
                    return between
                if isinstance(between, Witness):
                    counted |= set(case.counts(predicate))
                else:
                    missing.append(value)
                continue
            match answer:
                case Undecided():
                    return answer
                case Exceeds():
                    counted |= set(case.counts(predicate))
                case AtMost() if not above:
                    above = True
                    if high + 1 < values:
                        return Goal(predicate, 0, high)
                case AtMost():
                    below = True
                    if high - low + 1 < values:
                        return Goal(predicate, low, high)
        return None

    def _one_side(self, case: Case, cell: int) -> Goal | Undecided | None:
        """Does what can be found out about a primary cell not reach far enough below its count, or above?"""
        true, sides = self.problem.true[cell], self.problem.policy.both_sides
        predicate = self.problem.release.statistics[cell].predicate
        far = -(-sides * true // 100)
        above = case.at_most(predicate, true + far - 1) if far else None
        if isinstance(above, AtMost):
            return Goal(predicate, 0, true + far - 1)
        below = case.at_least(predicate, true - far + 1) if far else None
        if isinstance(below, AtMost):
            return Goal(predicate, max(0, true - far + 1), None)
        return next((answer for answer in (above, below) if isinstance(answer, Undecided)), None)

    def _breach(self, cell: int, goal: Goal) -> Narrow:
        count = self.problem.release.statistics[cell]
        return Narrow(cell, count.label, goal.low, goal.high, count.mark, cell in self.problem.primary)
