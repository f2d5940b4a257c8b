"""One of many releases: what is wrong with it after some actions, as far as what was found out before does not tell already."""

from __future__ import annotations

from dataclasses import dataclass, replace

from foregone.engine import MAX_RECORDS, Case
from foregone.protection.attack import BreachExplanation, Outcome, Safe, ask
from foregone.protection.exact import ClaimAttacker, ExactAttacker
from foregone.protection.problem import Problem
from foregone.protection.refuting import Refuter
from foregone.solvers.deadline import Deadline

MOST_LEARNT = 15  # datasets taken from one audit


@dataclass(frozen=True, slots=True)
class Look:
    """What was seen: why more has to be withheld, without the numbers that show it, and what is left to say after that. `lasting`:
    what is safe stays so, whatever else is withheld.
    """

    explanations: tuple[BreachExplanation, ...]
    outcome: Outcome
    lasting: bool = True


class Block:
    """A release with its attacker, the choices it was safe under, and datasets that refute claims."""

    def __init__(self, problem: Problem, max_records: int = MAX_RECORDS) -> None:
        self.problem = problem
        self._attacker = ExactAttacker(problem, max_records)
        self._refuter = Refuter(problem)
        self._safe: list[frozenset[int]] = []  # choices that it is safe under, and under more, too
        self._now: set[frozenset[int]] = set()  # choices that it is safe under, perhaps not under more
        self._claims: ClaimAttacker | None = None
        for part in self._attacker.parts:
            if isinstance(part, ClaimAttacker):
                self._claims = part
                part.told = self._learn if self._refuter.applies else None

    def _learn(self, case: Case) -> None:
        self._refuter.learn(map(case.dataset, range(max(0, len(case.pool) - MOST_LEARNT), len(case.pool))))

    def _found_safe(self, taken: frozenset[int]) -> bool:
        """Keep in mind what was just found safe; does it stay so when more is withheld?"""
        # withholding more can bring about what is forbidden of attributes and of cells that are not shown
        steady = not self.problem.policy.attribute and not self.problem.policy.stars
        lasting = steady and (self._claims is None or self._claims.strictly)
        if lasting:
            self._safe.append(taken)
        else:
            self._now.add(taken)
        return lasting

    def _lasting(self, taken: frozenset[int]) -> bool:
        """Is it known without any work that nothing is wrong, whatever else is withheld?"""
        if any(known <= taken for known in self._safe):
            return True
        if self._refuter.refuted(taken):
            self._safe.append(taken)
            return True
        return False

    def look(self, taken: frozenset[int], deadline: Deadline) -> Look:
        """Why the policy is broken after some actions: several reasons that have no table in common, if possible."""
        if self._lasting(taken):
            return Look((), Safe())
        if taken in self._now:
            return Look((), Safe(), False)
        seen: list[BreachExplanation] = []
        growing = set(taken)

        def each(found: BreachExplanation) -> None:
            seen.append(replace(found, needed=()))
            if found.clause and not found.clause & growing:
                growing.add(min(found.clause, key=lambda a: (self.problem.actions[a].cost, a)))

        outcome = ask(self._attacker.explanations(growing, deadline), each)
        lasting = isinstance(outcome, Safe) and self._found_safe(frozenset(growing))
        return Look(tuple(seen), outcome, lasting)

    def breaches(self, taken: frozenset[int], deadline: Deadline) -> int | None:
        """In how many ways the policy is broken; None when that could not be decided."""
        if taken in self._now or self._lasting(taken):
            return 0
        found = self._attacker.breaches(taken, deadline)
        if found == 0:
            self._found_safe(taken)
        return found
