"""Short proofs: few of the numbers that are shown, zeros among them, that seem to force a goal.

A sum of rows proves that a count is at most m when on every record it is at least what the record adds to the count, and when it
is worth less than m + 1. Which sum uses few rows is a linear program with a constraint for each possible record; these are
far too many, but few of them matter, and the one that a sum violates most is found by looking at the columns it speaks of.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod

import numpy as np
from numpy.typing import NDArray

from foregone.engine.system.atoms import atomise
from foregone.model.predicate import Predicate
from foregone.protection.attack import Goal, Needed
from foregone.protection.problem import Problem, Row
from foregone.solvers.answer import Floats
from foregone.solvers.deadline import Deadline
from foregone.solvers.few_rows import Domination

Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]
MOST_RECORDS = 3_000_000  # combinations of the values of the columns that a sum speaks of
AT_ONCE = 25  # records taken in after each attempt
ATTEMPTS = 60
WHOLE = 0.99  # a count is whole: a bound of m + 0.99 is as good as m
NEARLY = 1e-6
FREE = 0.05  # what a statement that no action takes away weighs


class ShortProofs:
    """Proofs over the rows of a problem; the records met so far are kept for the next question.

    Their material are statements about one side of a row each: as it is published, and as every action leaves it.
    """

    def __init__(self, problem: Problem, rows: Sequence[Row]) -> None:
        self._domain = problem.release.domain
        self._atoms = atomise(problem.release.workload)
        self._widths = self._atoms.widths()
        self._rules = [self._box(masks) for masks in problem.release.rule_masks]
        self.rows = rows
        self.parts = [part for row in rows for part in _statements(problem, row)]
        self.clauses = [frozenset(part.hit_by(problem)) for part in self.parts]
        boxes = {row: self._box(row.count.predicate.masks(self._domain)) for row in rows if row.count is not None}
        self._boxes = [boxes[part.row] for part in self.parts]
        self._signs = np.array([1.0 if part.high is not None else -1.0 for part in self.parts])
        worth = [-(part.low or 0) if part.high is None else part.high for part in self.parts]
        self._program = Domination(np.array(worth, dtype=float), self._signs)
        self._allows = self._tables()
        self._alive = self._values_alive()
        self._records: list[tuple[int, ...]] = []
        self._off: set[int] = set()

    def seed(self, records: Iterable[Sequence[int]]) -> None:
        """Records that are possible: sums that fail on them need not be tried."""
        for record in records:
            self._take(tuple(record), 0.0)

    def _take(self, record: tuple[int, ...], objective: float) -> None:
        members = np.logical_and.reduce([self._allows[c][a] for c, a in enumerate(record)])
        self._program.add_record(members, objective)
        self._records.append(record)

    def _values_alive(self) -> list[list[int]]:
        """Per column the atoms that numbers which no action touches do not rule out by themselves."""
        alive = [set(range(width)) for width in self._widths]
        for part, box, clause in zip(self.parts, self._boxes, self.clauses, strict=True):
            if len(box) == 1 and part.high == 0 and not clause:
                ((c, atoms),) = box.items()
                alive[c] -= set(atoms)
        return [sorted(atoms) or list(range(width)) for atoms, width in zip(alive, self._widths, strict=True)]

    @property
    def groups(self) -> tuple[tuple[int, ...], ...]:
        return self._atoms.groups

    def _box(self, masks: dict[int, int]) -> dict[int, list[int]]:
        """The atoms that a condition allows, where it says something."""
        return {c: [a for a, group in enumerate(self._atoms.groups[c]) if group & mask] for c, mask in masks.items()}

    def _tables(self) -> list[Bools]:
        """Per column: atom by atom, the statements whose rows allow it."""
        made = []
        for c, width in enumerate(self._widths):
            allows = np.ones((width, len(self.parts)), dtype=bool)
            for k, box in enumerate(self._boxes):
                if c in box:
                    allows[:, k] = False
                    allows[box[c], k] = True
            made.append(allows)
        return made

    def forcing(self, goals: Sequence[Goal], weights: Floats, taken: set[int], deadline: Deadline) -> list[Needed] | None:
        """Statements that seem to force all goals and that weigh little; None when none were found.

        `weights` has a number for each statement. What one side uses costs the next nothing more, nor do other statements that
        the same actions take away. That a count has none of some values is beyond a sum of rows.
        """
        if any(goal.missing for goal in goals):
            return None
        weights, used = weights.copy(), set[int]()
        for predicate, low, high, _ in goals:
            sides = [] if high is None else [(high, True)]
            for count, upper in (*sides, *([(low, False)] if low else [])):
                found = self._find(predicate, count, upper, weights, taken, deadline)
                if found is None:
                    return None
                used |= found
                same = {self.clauses[k] for k in found}
                weights[[k for k, clause in enumerate(self.clauses) if clause in same]] *= FREE
        return [self.parts[k] for k in sorted(used)]

    def _find(
        self, predicate: Predicate, count: int, upper: bool, weights: Floats, taken: set[int], deadline: Deadline
    ) -> set[int] | None:
        """Statements that seem to force at most (or at least) so many records; None when none were found."""
        if any(not self._clean(c, mask) for c, mask in predicate.masks(self._domain).items()):
            return None  # the condition cuts values that no number tells apart
        goal = self._box(predicate.masks(self._domain))
        sign = 1.0 if upper else -1.0
        program = self._program
        off = {k for k, clause in enumerate(self.clauses) if clause & taken}
        program.switch(off - self._off, False)
        program.switch(self._off - off, True)
        self._off = off
        program.weigh(weights)
        program.aim(np.array([sign * _in(goal, record) for record in self._records]), sign * count + WHOLE)
        for _ in range(ATTEMPTS):
            multipliers = program.multipliers(deadline)
            if multipliers is None:
                return None
            used = np.flatnonzero(multipliers > NEARLY)
            worst = self._violated(used, multipliers, goal, sign)
            if worst is None:
                return None
            if not worst:
                return set(used.tolist())
            for record in worst:
                self._take(record, sign * _in(goal, record))
        return None

    def _clean(self, column: int, mask: int) -> bool:
        return all(not group & mask or not group & ~mask for group in self._atoms.groups[column])

    def _violated(
        self, used: Ints, multipliers: Floats, goal: dict[int, list[int]], sign: float
    ) -> list[tuple[int, ...]] | None:
        """Records on which the sum is less than the objective, the worst ones first; None when there are too many to look at."""
        boxes = [goal, *(self._boxes[k] for k in used.tolist())]
        named = set[int]().union(*boxes)
        rules = [rule for rule in self._rules if set(rule) & named]
        columns = sorted(named.union(*rules)) or [0]
        classes = [self._classes(c, [box[c] for box in (*boxes, *rules) if c in box]) for c in columns]
        if prod(map(len, classes)) > MOST_RECORDS:
            return None
        short = np.zeros([len(atoms) for atoms in classes])  # how much the sum lacks on each combination
        short[_slice(goal, columns, classes)] += sign
        for k, box in zip(used.tolist(), boxes[1:], strict=True):
            short[_slice(box, columns, classes)] -= self._signs[k] * multipliers[k]
        for rule in rules:
            short[_slice(rule, columns, classes)] = 0.0
        flat = short.ravel()
        at = np.flatnonzero(flat > NEARLY)
        if len(at) > AT_ONCE:
            at = at[np.argsort(-flat[at], kind="stable")]
            at = np.concatenate([at[: AT_ONCE // 2], at[:: len(at) // (AT_ONCE // 2) + 1]])
        found = np.array(np.unravel_index(np.unique(at), short.shape)).T.tolist()
        return [self._record(columns, [classes[i][v] for i, v in enumerate(values)], turn) for turn, values in enumerate(found)]

    def _classes(self, column: int, sides: list[list[int]]) -> list[list[int]]:
        """Atoms of a column that the sides do not tell apart."""
        found: dict[tuple[bool, ...], list[int]] = {}
        inside = [set(side) for side in sides]
        for atom in self._alive[column]:
            found.setdefault(tuple(atom in side for side in inside), []).append(atom)
        return list(found.values())

    def _record(self, columns: list[int], classes: list[list[int]], turn: int) -> tuple[int, ...]:
        """A record of these classes, each time another one; the sum says nothing about the other columns, so any value will do."""
        known = dict(zip(columns, classes, strict=True))
        chosen = (known.get(c, alive) for c, alive in enumerate(self._alive))
        return tuple(atoms[(turn + len(self._records)) % len(atoms)] for atoms in chosen)


def _slice(box: dict[int, list[int]], columns: list[int], classes: list[list[list[int]]]) -> tuple[Ints, ...]:
    sides = [[i for i, atoms in enumerate(classes[k]) if c not in box or atoms[0] in box[c]] for k, c in enumerate(columns)]
    return np.ix_(*(np.array(side, dtype=np.int64) for side in sides))


def _in(box: dict[int, list[int]], record: tuple[int, ...]) -> float:
    return float(all(record[c] in atoms for c, atoms in box.items()))


def _statements(problem: Problem, row: Row) -> list[Needed]:
    """Everything that can be left of a count, side by side; a lower limit of 0 says nothing."""
    if row.count is None:
        return []
    left = [row.limits, *(problem.effect(row, problem.actions[a]) for a in sorted(row.hitters - problem.merges))]
    lows, highs = dict.fromkeys(low for low, _ in left if low), dict.fromkeys(high for _, high in left if high is not None)
    return [*(Needed(row, low, None) for low in lows), *(Needed(row, None, high) for high in highs)]
