"""Why a cell is known: few statements that add up to it, found by one linear program for all cells and all choices of actions.

*The program.* Take a dataset that fits the whole release, and move away from it. A row may move upwards as far as the lightest
statement that stands in the way weighs, and downwards likewise. A statement that leaves the row room to move weighs much more for
each step, and one that an action has taken away as much as that. How far a cell can then move is what the lightest statements weigh
that hold it where it is, and the multipliers of the program say which these are. Nothing but the weights depends on what was done,
so the next question begins where the last one ended.

*What is believed.* Nothing of that: the multipliers are made whole, and the sum is checked against every record there can be. Zeros
that it takes to see that are part of the explanation. What only whole numbers show is left to others (`explaining.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from foregone.engine import Case, CheckedSums, Witness
from foregone.policy.judge import Narrow
from foregone.protection.attack import BreachExplanation, explanation
from foregone.protection.problem import Needed, Problem, ProblemRow
from foregone.solvers.arrays import Floats, Ints
from foregone.solvers.deadline import Deadline
from foregone.solvers.spread import Spread

ROOM = 1000.0  # what a step weighs that a statement leaves room for; less than one step alone is none in whole numbers
GONE = 100 * ROOM  # what a statement weighs that is not there
MOST = 1e6
LITTLE = 0.003  # what a statement weighs beside the actions that take it away
FREE = 0.05  # what one weighs beside these that no action takes away
USED = 0.05  # and one that is used already
FEW = 3  # cells that are asked about as one is
ENOUGH = 1 - 1e-4  # a cell that moves so far is held by nothing light
LARGEST = 1 << 30
DENOMINATORS = (1, 2, 3, 4, 6, 12, 60, 2520)
NEARLY = 1e-5


@dataclass(frozen=True, slots=True)
class _Side:
    """One statement about a row: it is at most, or at least, a number."""

    row: int  # of the system
    upper: bool
    number: int  # of the release
    limit: int
    room: int  # how far a dataset is from the limit
    clause: tuple[int, ...]  # actions that take it away


@dataclass(frozen=True, slots=True)
class _Held:
    """Statements and zeros that hold a cell where it is, and what those of one side weigh, the heavier one."""

    used: frozenset[int] = frozenset()
    zeros: frozenset[int] = frozenset()
    weight: float = 0.0


class AddingUp:
    """For releases of counts whose statements are all on the rows of one system. `start` is a dataset that fits the release as it
    is, and whatever is left of it.
    """

    def __init__(self, problem: Problem, weakest: Case, start: Witness) -> None:
        self.problem, self._system = problem, weakest.system
        self._first = self._system.tabulate(start)
        self._spread = Spread(self._system)
        self._sums = CheckedSums(weakest.release)
        self._sides = [side for i, row in enumerate(problem.rows) for side in self._statements(i, row)]
        self._of = np.repeat(np.arange(len(self._sides)), [len(side.clause) for side in self._sides])
        self._actions = np.array([a for side in self._sides for a in side.clause], dtype=np.int64)
        self._loose = np.array([bool(side.clause) for side in self._sides], dtype=bool)
        self._room = ROOM * np.array([side.room for side in self._sides], dtype=float)
        # of each end of each row the statements about it, the lower ends first
        self._end = np.array([side.row + self._system.rows * side.upper for side in self._sides], dtype=np.int64)
        least = np.zeros(self._system.buckets)
        least[start.buckets] = -ROOM * start.counts
        self._least = np.maximum(least, -MOST)
        self._rng = np.random.default_rng(0)

    def _statements(self, number: int, row: ProblemRow) -> Iterator[_Side]:
        """All that can be left of a count, side by side."""
        at = int(self._system.row_of[number])
        if at < 0:
            return
        left = [row.limits, *(self.problem.effect(row, self.problem.actions[a]) for a in sorted(row.hitters))]
        value = int(self._first[at])
        for low in sorted({low for low, _ in left if low}):
            yield _Side(at, False, number, low, value - low, tuple(Needed(row, low, None).hit_by(self.problem)))
        for high in sorted({high for _, high in left if high is not None}):
            yield _Side(at, True, number, high, high - value, tuple(Needed(row, None, high).hit_by(self.problem)))

    def count(self, cell: int) -> int:
        """What a cell is in the dataset that one starts from; the only thing that it can be if it is known."""
        row = int(self._system.row_of[cell])
        return 0 if row < 0 else int(self._first[row])

    def weights(self, point: Floats) -> Floats:
        """What each statement weighs when so much is taken of each action."""
        taken = np.bincount(self._of, point[self._actions], len(self._sides))
        return np.where(self._loose, LITTLE + np.minimum(taken, GONE), LITTLE * FREE)

    def weights_after(self, taken: Iterable[int]) -> Floats:
        """What each statement weighs after some actions: one that needs a dear action weighs a little more."""
        point = np.zeros(len(self.problem.actions))
        point[list(taken)] = GONE
        made = self.weights(point)
        return np.where(self._loose & (made < GONE), 1.0, made)

    def explained(self, breach: Narrow, weights: Floats, deadline: Deadline) -> BreachExplanation | None:
        """Light statements that fix a cell at one number; None when none were found, or when their sum does not hold."""
        held: _Held | None = _Held()
        assert held is not None
        for sign in self._signs(breach):
            held = self._held(breach, sign, self._limit(weights), held, deadline)
            if held is None:
                return None
            weights = weights.copy()
            weights[list(held.used)] *= USED
        return self._explanation(breach, held)

    def _signs(self, breach: Narrow) -> tuple[int, ...]:
        """The sides from which a cell is held; nothing lies below 0."""
        row = int(self._system.row_of[breach.number])
        assert row >= 0
        assert breach.low == self._first[row]
        return (1, -1) if breach.low else (1,)

    def _held(self, breach: Narrow, sign: int, chosen: Ints, held: _Held, deadline: Deadline) -> _Held | None:
        """What holds a cell from one side, with what was found of the other; None when nothing light does."""
        objective = self._spread.objective(self._system.row_of[[breach.number]], np.array([float(sign)]))
        point = self._spread.farthest(objective, deadline)
        if point is None or float(objective @ point) >= ROOM:
            return None
        return self._checked(breach.number, sign, chosen, held, float(objective @ point))

    def cuts(self, breaches: Sequence[Narrow], point: Floats, deadline: Deadline) -> Iterator[BreachExplanation]:
        """Explanations of these breaches that actions taken in part do not break up. Most cells move far enough together."""
        weights = self.weights(point)
        rows = self._system.row_of[[breach.number for breach in breaches]]
        open_ = rows >= 0
        self._limit(weights, rows[open_])
        before = len(open_) + 1
        while 0 < int(open_.sum()) < before and not deadline.passed():
            before = int(open_.sum())
            signs = self._rng.choice([-1.0, 1.0], before)
            moved = self._spread.farthest(self._spread.objective(rows[open_], signs), deadline, before > FEW)
            if moved is None:
                return
            open_[open_] = np.abs(self._spread.sums(moved, rows[open_])) < ENOUGH
        chosen = self._limit(weights)
        for at in np.flatnonzero(open_).tolist():
            if deadline.passed():
                return
            held: _Held | None = _Held()
            for sign in self._signs(breaches[at]):
                held = held and self._held(breaches[at], sign, chosen, held, deadline)
                held = None if held is None or held.weight > ENOUGH else held
            if held is None:
                continue
            found: BreachExplanation | None = self._explanation(breaches[at], held)
            if found is not None and sum(point[a] for a in found.clause) > ENOUGH:
                found = self.explained(breaches[at], weights, deadline)  # both sides by the same statements, as far as can be
                self._limit(weights)
            if found is not None:
                yield found

    def _limit(self, weights: Floats, near: Ints | None = None) -> Ints:
        """Let every row move as far as the lightest statement about each of its ends weighs; which statements these are, -1 for
        none. Rows that are to stay near move by 1 at most.
        """
        rows = self._system.rows
        price = weights + self._room
        order = np.lexsort((price, self._end))
        first = order[np.unique(self._end[order], return_index=True)[1]]
        chosen, far = np.full(2 * rows, -1), np.full(2 * rows, MOST)
        chosen[self._end[first]], far[self._end[first]] = first, np.minimum(price[first], MOST)
        if near is not None:
            far[near], far[near + rows] = np.minimum(far[near], 1.0), np.minimum(far[near + rows], 1.0)
        self._spread.limit(-far[:rows], far[rows:], self._least)
        return chosen

    def _checked(self, cell: int, sign: int, chosen: Ints, held: _Held, weight: float) -> _Held | None:
        """The statements that the multipliers of the last program use, and zeros besides, if they hold a cell from one side."""
        suggested, rows = self._spread.multipliers, self._system.rows
        for over in DENOMINATORS:
            times = np.rint(suggested * over)
            if (np.abs(times - suggested * over) < NEARLY).all() and np.abs(times).max(initial=0) < LARGEST:
                break
        else:
            return None
        used, counts, total = set[int](), dict[int, int](), 0
        for row in np.flatnonzero(times).tolist():
            many, at = int(times[row]), int(chosen[row + rows * (times[row] > 0)])
            if at < 0:
                if many > 0:
                    return None
                continue  # nobody is counted less than no times
            side = self._sides[at]
            used.add(at)
            counts[side.number] = counts.get(side.number, 0) + many
            total += many * side.limit
        counts[cell] = counts.get(cell, 0) - sign * over
        fixed = int(self._first[self._system.row_of[cell]])
        if total - sign * over * fixed >= over:  # it could be one more, or one less
            return None
        zeros = self._sums.zeros_behind(counts)
        return None if zeros is None else _Held(held.used | used, held.zeros | set(zeros), max(held.weight, weight))

    def _explanation(self, breach: Narrow, held: _Held) -> BreachExplanation:
        rows, lows, highs = self.problem.rows, dict[int, int](), dict[int, int]()
        for side in (self._sides[at] for at in held.used):
            limits = highs if side.upper else lows
            best = min if side.upper else max
            limits[side.number] = best(limits.get(side.number, side.limit), side.limit)
        needed = [Needed(rows[i], lows.get(i), highs.get(i)) for i in sorted({*lows, *highs})]
        needed += [Needed(rows[i], *rows[i].limits) for i in sorted(held.zeros - {*lows, *highs})]
        return explanation(self.problem, breach, needed)
