"""The exact attacker: everything that follows from what is left, for every part of a policy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from foregone.engine.system.linear import MAX_RECORDS
from foregone.model.dataset import Dataset
from foregone.protection.attack import Attacker, Explanation, Explanations, Safe, Unsure
from foregone.protection.cells import CellAttacker
from foregone.protection.claims import ClaimAttacker
from foregone.protection.problem import Problem
from foregone.solvers.answer import Floats
from foregone.solvers.deadline import Deadline


class ExactAttacker:
    """Primary cells first, then claims; safe is what both call safe."""

    def __init__(self, problem: Problem, max_records: int = MAX_RECORDS) -> None:
        self.parts: list[Attacker] = []
        if problem.primary:
            self.parts.append(CellAttacker(problem, max_records))
        if problem.policy.about_claims or problem.policy.attribute:
            self.parts.append(ClaimAttacker(problem, max_records))

    def explanations(self, taken: set[int], deadline: Deadline) -> Explanations:
        unsure: Unsure | None = None
        for part in self.parts:  # what one part makes others take can only help them
            outcome = yield from part.explanations(taken, deadline)
            if isinstance(outcome, Unsure):
                unsure = outcome
        return unsure or Safe()

    def breaches(self, taken: Iterable[int], deadline: Deadline) -> int | None:
        found = [part.breaches(taken, deadline) for part in self.parts]
        known = [number for number in found if number is not None]
        return sum(known) if len(known) == len(found) else None

    def cuts(self, point: Floats, deep: bool, deadline: Deadline) -> Iterator[Explanation]:
        for part in self.parts:
            yield from part.cuts(point, deep, deadline)

    def datasets(self, taken: Iterable[int], deadline: Deadline) -> list[Dataset] | None:
        """Datasets that show of every primary cell that it is not known too well."""
        return next((part.datasets(taken, deadline) for part in self.parts if isinstance(part, CellAttacker)), [])
