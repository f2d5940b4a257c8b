"""Why something follows from what is left of a release: few numbers that force it, found by short proofs and confirmed exactly."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from foregone.engine.system.linear import LinearSystem
from foregone.protection.attack import Breach, Explanation, Needed, as_it_is, explanation
from foregone.protection.forcing import Goal, forced
from foregone.protection.irreducible import irreducible
from foregone.protection.problem import Left, Problem, merged_rows
from foregone.protection.short_proofs import ShortProofs
from foregone.solvers.deadline import Deadline

SEEDS = 1000  # possible records that every short proof is tried on first
FREE = 0.05  # what a number that no action touches weighs in the search for a short proof


class Explaining:
    """Short proofs, kept from one choice of actions to the next."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self._known: dict[frozenset[int], ShortProofs] = {}

    def over(self, left: Sequence[Left], merges: frozenset[int], system: LinearSystem) -> Explainer:
        """An explainer for what is left after some actions, compiled to a system."""
        if merges not in self._known:
            made = self._known[merges] = ShortProofs(self.problem, merged_rows(self.problem, merges))
            if system.atoms.groups == made.groups:
                made.seed(system.records[:SEEDS].tolist())
        return Explainer(self.problem, left, self._known[merges])


class Explainer:
    """What is left of a release after some actions, and how to explain what follows from it."""

    def __init__(self, problem: Problem, left: Sequence[Left], proofs: ShortProofs) -> None:
        self.problem, self.proofs = problem, proofs
        self.needed = [as_it_is(row) for row in left]
        self.clauses = [frozenset(part.hit_by(problem)) for part in self.needed]
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
        own = {name for predicate, _, _ in goals for name, _ in predicate.allowed}
        short = self._short(goals, taken, deadline)
        units = [clause for clause in groups if short is None or clause in short]
        units.sort(key=lambda clause: self._order(clause, groups[clause], own))

        def needed(chosen: Iterable[int]) -> list[Needed]:
            return [self.needed[i] for i in sorted([*fixed, *(i for u in chosen for i in groups[units[u]])])]

        def enough(chosen: Iterable[int]) -> bool | None:
            return forced(self.problem, needed(chosen), goals, deadline)

        everything = range(len(units))
        if enough(everything) is not True:
            if short is None:
                return None
            units = sorted(groups, key=lambda clause: self._order(clause, groups[clause], own))
            everything = range(len(units))
            if enough(everything) is not True:
                return None
        return explanation(self.problem, breach, needed(irreducible(everything, enough)))

    def _short(self, goals: list[Goal], taken: set[int], deadline: Deadline) -> set[frozenset[int]] | None:
        """The groups of numbers that a short proof uses, if one was found."""
        clauses = {id(part.row): clause for part, clause in zip(self.needed, self.clauses, strict=True)}
        rows = self.proofs.rows
        if any(part.row.count is None for part in self.needed):
            return None  # sums, means and the like are no part of short proofs
        hidden = {r for r, row in enumerate(rows) if id(row) not in clauses or clauses[id(row)] & taken}
        weights = np.array([self._weight(clauses.get(id(row), frozenset())) for row in rows])
        used: set[int] = set()
        for predicate, low, high in goals:
            for count, upper in ((high, True), (low, False)):
                found = None if count is None else self.proofs.find(predicate, count, upper, weights, hidden, deadline)
                if found is None:
                    return None
                used |= found
                for r in found:  # what is used already costs nothing more, nor do the other numbers of its group
                    same = clauses[id(rows[r])]
                    weights[[k for k, row in enumerate(rows) if clauses.get(id(row)) == same]] = FREE
        return {clauses[id(rows[r])] for r in used}

    def _weight(self, clause: frozenset[int]) -> float:
        return 1.0 + 0.01 * min(self.problem.actions[a].cost for a in clause) if clause else FREE

    def _order(self, clause: frozenset[int], numbers: list[int], own: set[str]) -> tuple[int, int, int]:
        """Numbers about the claim's own columns first, and cheap ones before others."""
        named = set[str]().union(*(self.columns[i] for i in numbers))
        return len(named - own), min(self.problem.actions[a].cost for a in clause), numbers[0]
