"""One of many releases: what is wrong with it after some actions, as far as what was found out before does not tell already."""

from __future__ import annotations

from dataclasses import dataclass

from foregone.engine.session import Session
from foregone.engine.system.decode import dataset_of
from foregone.engine.system.linear import MAX_RECORDS
from foregone.protection.attack import Outcome, Safe, Unsure
from foregone.protection.claims import ClaimAttacker
from foregone.protection.exact import ExactAttacker
from foregone.protection.problem import Problem
from foregone.protection.refuting import Refuter
from foregone.solvers.deadline import Deadline

MOST_LEARNT = 15  # datasets taken from one audit


@dataclass(frozen=True, slots=True)
class Look:
    """What was seen: reasons to withhold more (of each clause one table has to go), and what is left to say after these."""

    clauses: tuple[frozenset[int], ...]
    outcome: Outcome


class Block:
    """A release with its attacker, the choices it was safe under, and datasets that refute claims."""

    def __init__(self, problem: Problem, max_records: int = MAX_RECORDS) -> None:
        self.problem = problem
        self._attacker = ExactAttacker(problem, max_records)
        self._refuter = Refuter(problem)
        self._safe: list[frozenset[int]] = []
        for part in self._attacker.parts:
            if isinstance(part, ClaimAttacker) and self._refuter.applies:
                part.told = self._learn

    def _learn(self, session: Session) -> None:
        self._refuter.learn(dataset_of(session.system, witness) for witness in list(session.pool)[-MOST_LEARNT:])

    def known_safe(self, taken: frozenset[int]) -> bool:
        """Is it known without any work that nothing is wrong? What was safe stays safe when more is withheld."""
        if any(known <= taken for known in self._safe):
            return True
        if self._refuter.refuted(taken):
            self._safe.append(taken)
            return True
        return False

    def look(self, taken: frozenset[int], deadline: Deadline) -> Look:
        """Why the policy is broken after some actions: several reasons that have no table in common, if possible."""
        if self.known_safe(taken):
            return Look((), Safe())
        clauses: list[frozenset[int]] = []
        growing = set(taken)
        explaining = self._attacker.explanations(growing, deadline)
        while True:
            try:
                found = next(explaining)
            except StopIteration as end:
                outcome: Outcome = end.value
                if isinstance(outcome, Safe):
                    self._safe.append(frozenset(growing))
                return Look(tuple(clauses), outcome)
            clauses.append(found.clause)
            if not found.clause:
                return Look(tuple(clauses), Unsure("no allowed action is enough"))
            if not found.clause & growing:
                growing.add(min(found.clause, key=lambda a: (self.problem.actions[a].cost, a)))

    def breaches(self, taken: frozenset[int], deadline: Deadline) -> int | None:
        """In how many ways the policy is broken; None when that could not be decided."""
        if self.known_safe(taken):
            return 0
        found = self._attacker.breaches(taken, deadline)
        if found == 0:
            self._safe.append(taken)
        return found
