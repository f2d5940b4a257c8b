"""The exact attacker: everything that follows from what is left, for every part of a policy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from foregone.engine import MAX_RECORDS
from foregone.model.dataset import Dataset
from foregone.protection.attack import Attacker, BreachExplanation, Explanations, Safe, Unsure
from foregone.protection.attributes import AttributeAttacker
from foregone.protection.cells import CellAttacker
from foregone.protection.claims import ClaimAttacker
from foregone.protection.problem import Problem
from foregone.solvers.arrays import Floats
from foregone.solvers.deadline import Deadline


class ExactAttacker:
    """Cells first, then claims, then attributes; safe is what all call safe."""

    def __init__(self, problem: Problem, max_records: int = MAX_RECORDS) -> None:
        self.parts: list[Attacker] = []
        if problem.primary or problem.policy.stars:
            self.parts.append(CellAttacker(problem, max_records))
        if problem.policy.about_claims:
            self.parts.append(ClaimAttacker(problem, max_records))
        if problem.policy.attribute:
            self.parts.append(AttributeAttacker(problem, max_records))

    def explanations(self, taken: set[int], deadline: Deadline) -> Explanations:
        """Until a whole round finds nothing: what one part makes others take can break another part of the policy."""
        while True:
            before, unsure = frozenset(taken), None
            for part in self.parts:
                outcome = yield from part.explanations(taken, deadline)
                if isinstance(outcome, Unsure):
                    unsure = outcome
            if len(self.parts) < 2 or frozenset(taken) == before or unsure is not None:
                return unsure or Safe()

    def breaches(self, taken: Iterable[int], deadline: Deadline) -> int | None:
        """Broken is broken, even if a part could not be decided."""
        found = [part.breaches(taken, deadline) for part in self.parts]
        return None if None in found and not any(found) else sum(number or 0 for number in found)

    def cuts(self, point: Floats, deep: bool, deadline: Deadline) -> Iterator[BreachExplanation]:
        for part in self.parts:
            yield from part.cuts(point, deep, deadline)

    def datasets(self, taken: Iterable[int], deadline: Deadline) -> list[Dataset] | None:
        """Datasets that show of every cell that must stay unknown that it is not known too well."""
        return next((part.datasets(taken, deadline) for part in self.parts if isinstance(part, CellAttacker)), [])
