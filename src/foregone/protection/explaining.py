"""Why something follows from what is left of a release: few numbers that force it, found by short proofs and confirmed exactly."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress

import numpy as np

from foregone.engine.subsets.quickxplain import irreducible
from foregone.engine.system.linear import MAX_RECORDS, LinearSystem
from foregone.model.errors import TooLargeError
from foregone.protection.attack import Breach, Explanation, Goal, Needed, as_it_is, explanation
from foregone.protection.forcing import forced
from foregone.protection.problem import Left, Problem, merged_rows
from foregone.protection.short_proofs import FREE, ShortProofs
from foregone.protection.switched import Switched
from foregone.solvers.answer import Floats
from foregone.solvers.deadline import Deadline

SEEDS = 2000  # possible records that every short proof is tried on first
SMALL = 20_000  # kinds of record up to which one system serves for every choice of actions
LITTLE = 0.003  # what a statement weighs beside the actions that take it away


class Explaining:
    """What is kept from one choice of actions to the next: short proofs, and one system for all choices, where there is one."""

    def __init__(self, problem: Problem, max_records: int = MAX_RECORDS) -> None:
        self.problem = problem
        self._known: dict[frozenset[int], ShortProofs] = {}
        self._most = min(SMALL, max_records)
        self._system: Switched | None = None
        self._asked = False  # whether there is one system for all choices

    def switched(self, deadline: Deadline) -> Switched | None:
        """One system for all choices without merges, where all numbers are counts without gaps and few kinds of record are
        possible.
        """
        if not self._asked:
            self._asked = True
            if all(row.count is not None and not row.count.gaps for row in self.problem.rows):
                with suppress(TooLargeError):
                    self._system = Switched(self.problem, self._most, deadline)
        return self._system

    def forced(self, needed: Sequence[Needed], goals: Sequence[Goal], deadline: Deadline) -> bool | None:
        """Do these statements, beside the numbers that no action touches, keep every goal in every dataset? None: not decided."""
        switched = self.switched(deadline)
        if switched is not None and not any(goal.missing for goal in goals) and all(switched.holds(part.row) for part in needed):
            found = switched.forced(needed, goals, deadline)
            if found is not None:
                return found
        return forced(self.problem, needed, goals, deadline)

    def proofs(self, merges: frozenset[int], system: LinearSystem) -> ShortProofs:
        """Short proofs under some merges, for what is left compiled to a system."""
        if merges not in self._known:
            made = self._known[merges] = ShortProofs(self.problem, merged_rows(self.problem, merges))
            if system.atoms.groups == made.groups:
                made.seed(system.records[:SEEDS].tolist())
        return self._known[merges]

    def over(self, left: Sequence[Left], merges: frozenset[int], system: LinearSystem) -> Explainer:
        """An explainer for what is left after some actions, compiled to a system."""
        return Explainer(self, left, self.proofs(merges, system))


def wanted(problem: Problem, proofs: ShortProofs) -> Floats:
    """Statements that no action takes away are as good as free; of the others those about cheap actions are preferred."""
    cheapest = [min((problem.actions[a].cost for a in clause), default=0) for clause in proofs.clauses]
    return np.array([1.0 + 0.01 * cost if clause else FREE for cost, clause in zip(cheapest, proofs.clauses, strict=True)])


def unmet(proofs: ShortProofs, point: Floats) -> Floats:
    """Statements weigh as much as `point` takes of the actions that take them away: a light proof is one that it does not meet."""
    return np.array([LITTLE + min(1.0, sum(point[a] for a in clause)) if clause else FREE * LITTLE for clause in proofs.clauses])


def cut(
    problem: Problem,
    proofs: ShortProofs,
    breach: Breach,
    goals: list[Goal],
    point: Floats,
    weights: Floats,
    deadline: Deadline,
) -> Explanation | None:
    """An explanation that actions taken in part do not break up; None when none was found. `weights` are those of `unmet`."""
    needed = proofs.forcing(goals, weights, set(), deadline)
    if needed is None:
        return None
    found = explanation(problem, breach, needed)
    return found if unbroken(found, point) and forced(problem, needed, goals, deadline) is True else None


def unbroken(found: Explanation, point: Floats) -> bool:
    """Do actions taken in part leave an explanation as it is?"""
    return bool(sum(point[a] for a in found.clause) < 1 - LITTLE)


class Explainer:
    """What is left of a release after some actions, and how to explain what follows from it."""

    def __init__(self, explaining: Explaining, left: Sequence[Left], proofs: ShortProofs) -> None:
        self.explaining, self.problem, self.proofs = explaining, explaining.problem, proofs
        self.needed = [as_it_is(row) for row in left if not row.empty]
        self.clauses = [frozenset(part.hit_by(self.problem)) for part in self.needed]
        self.columns = [part.row.columns for part in self.needed]

    def explained(self, breach: Breach, goals: list[Goal], taken: set[int], deadline: Deadline) -> Explanation | None:
        """A set of numbers that forces a breach and of which no group can be left out; None when nothing forces it any more.

        Numbers that the same actions weaken form a group, as the cells of a table do when whole tables are withheld.
        """
        groups: dict[frozenset[int], list[int]] = {}
        for i, clause in enumerate(self.clauses):
            if not clause & taken:
                groups.setdefault(clause, []).append(i)
        fixed = groups.pop(frozenset(), [])
        own = {name for goal in goals for name, _ in goal.predicate.allowed}

        def sorted_by_cost(clauses: Iterable[frozenset[int]]) -> list[frozenset[int]]:
            return sorted(clauses, key=lambda clause: self._order(clause, groups[clause], own))

        short = self._short(goals, taken, deadline)
        for units in (sorted_by_cost(groups if short is None else short & groups.keys()), sorted_by_cost(groups)):

            def needed(chosen: Iterable[int], units: list[frozenset[int]] = units) -> list[Needed]:
                return [self.needed[i] for i in sorted([*fixed, *(i for u in chosen for i in groups[units[u]])])]

            def enough(chosen: Iterable[int], needed: Callable[..., list[Needed]] = needed) -> bool | None:
                return self.explaining.forced(needed(chosen), goals, deadline)

            if enough(range(len(units))) is True:
                return explanation(self.problem, breach, needed(irreducible(range(len(units)), enough)[0]))
        return None

    def _short(self, goals: list[Goal], taken: set[int], deadline: Deadline) -> set[frozenset[int]] | None:
        """The groups of numbers that a short proof uses, if one was found."""
        if any(part.row.count is None for part in self.needed):
            return None  # sums, means and the like are no part of short proofs
        found = self.proofs.forcing(goals, wanted(self.problem, self.proofs), taken, deadline)
        if found is None:
            return None
        rows = {part.row for part in found}
        return {clause for part, clause in zip(self.needed, self.clauses, strict=True) if part.row in rows}

    def _order(self, clause: frozenset[int], numbers: list[int], own: set[str]) -> tuple[int, int, int]:
        """Numbers about the claim's own columns first, and cheap ones before others."""
        named = set[str]().union(*(self.columns[i] for i in numbers))
        return len(named - own), min(self.problem.actions[a].cost for a in clause), numbers[0]
