"""The exact attacker against attributes: whoever knows which records are possible knows what everybody in a group has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain

from foregone.engine import MAX_RECORDS, Case, Exceeds, Following, Goal, following, irreducible
from foregone.model.domain import Domain
from foregone.model.errors import UndecidedError
from foregone.model.predicate import Predicate
from foregone.protection.attack import BreachExplanation, Explanations, Safe, Unsure, not_begun
from foregone.protection.explaining import Explaining
from foregone.protection.problem import NONE, Left, Problem, release_of, weaken
from foregone.solvers.answer import Undecided
from foregone.solvers.arrays import Floats
from foregone.solvers.deadline import Deadline


@dataclass(frozen=True, slots=True)
class _Followed:
    """What is left after some actions, and the values that follow from it; `doubt` says why some may be missing."""

    case: Case
    found: tuple[Following, ...]
    doubt: str


def zero_goal(domain: Domain, breach: Following) -> Goal:
    """Nobody in the group has another value."""
    others = [code for code in domain.column(breach.column).codes if code != breach.code]
    return Goal(Predicate.of({**dict(breach.group.allowed), breach.column: others}), 0, 0)


class AttributeAttacker:
    """For the part of a policy that is about attributes.

    That nobody in a group has another value follows from numbers that are shown, so an action that weakens one of them helps. That
    somebody can be in the group at all is the other half of a breach, and withholding more can bring it about: an explanation holds
    for the choices under which that is so.
    """

    def __init__(self, problem: Problem, max_records: int = MAX_RECORDS) -> None:
        self.problem = problem
        self._most = max_records
        self._explaining = Explaining(problem)

    def explanations(self, taken: set[int], deadline: Deadline) -> Explanations:
        while True:
            before = frozenset(taken)
            followed = self._followed(before, deadline)
            if isinstance(followed, Unsure):
                return followed
            if not followed.found:
                return Unsure(followed.doubt) if followed.doubt else Safe()
            for breach in followed.found:
                goal, sure = zero_goal(self.problem.release.domain, breach), taken == before
                explained = self._explaining.explained(breach, [goal], taken, sure, followed.case.system, deadline)
                if explained is not None:
                    yield replace(explained, given=self._given(breach.group, before, deadline))
                if deadline.passed():
                    return Unsure("the time limit was reached")
            if taken == before:
                return Unsure("a breach could not be explained")

    def breaches(self, taken: Iterable[int], deadline: Deadline) -> int | None:
        followed = self._followed(frozenset(taken), deadline)
        return None if isinstance(followed, Unsure) or followed.doubt else len(followed.found)

    def cuts(self, point: Floats, deep: bool, deadline: Deadline) -> Iterator[BreachExplanation]:
        del point, deep, deadline
        return iter(())

    def _followed(self, taken: frozenset[int], deadline: Deadline) -> _Followed | Unsure:
        policy = self.problem.policy
        left = sorted((row for row in weaken(self.problem, taken) if not row.empty), key=lambda row: row.row.count is None)
        case = self._opened(left, deadline)
        if isinstance(case, Unsure):
            return case
        found = [following(case, name, policy.attribute_from, self.problem.groups) for name in policy.attribute]
        doubt = next((one.reason for one in found if one.reason), "")
        return _Followed(case, tuple(chain.from_iterable(one.found for one in found)), doubt)

    def _opened(self, left: Iterable[Left], deadline: Deadline) -> Case | Unsure:
        try:
            rows = [(row.row, row.low, row.high) for row in left]
            case = Case(release_of(self.problem, rows), deadline, self._most)
            return not_begun(case) or case
        except UndecidedError as error:
            return Unsure(str(error))

    def _given(self, group: Predicate, taken: frozenset[int], deadline: Deadline) -> frozenset[int]:
        """Actions, as few as possible, after which somebody can be in a group; most often none are needed."""
        order = sorted(taken)

        def enough(chosen: Iterable[int]) -> bool | None:
            left = sorted(weaken(self.problem, [order[i] for i in chosen]), key=lambda row: row.row.count is None)
            case = self._opened([row for row in left if not row.empty], deadline)
            if isinstance(case, Unsure):
                return None
            answer = case.at_most(group, 0)
            return None if isinstance(answer, Undecided) else isinstance(answer, Exceeds)

        return NONE if enough(()) else frozenset(order[i] for i in irreducible(range(len(order)), enough)[0])
