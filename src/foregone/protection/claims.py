"""The exact attacker against everybody: whoever audits what is left knows every certain claim."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace

from foregone.engine import MAX_RECORDS, Case, ClosedFact, Evidence, Goal, evidence_of, irreducible
from foregone.model.audit import Fact
from foregone.model.errors import UndecidedError
from foregone.model.families import Groups
from foregone.model.policy import Policy
from foregone.model.predicate import Predicate
from foregone.policy.judge import Told, columns_of, told
from foregone.protection.attack import BreachExplanation, Explanations, Safe, Unsure, not_begun
from foregone.protection.explaining import Explaining
from foregone.protection.problem import Problem, release_of, weaken
from foregone.solvers.arrays import Floats
from foregone.solvers.deadline import Deadline


class ClaimAttacker:
    """For the part of a policy that is about claims: few records singled out.

    A policy does not count a column in which every possible record has what a claim says (over single codes, as in the paper, it
    counts all). When less is shown, more records are possible, and such a column may count from then on. An explanation that
    needs it holds only for choices that make it count.
    """

    def __init__(self, problem: Problem, max_records: int = MAX_RECORDS) -> None:
        self.problem = problem
        self._most = max_records
        self._explaining = Explaining(problem)
        self._first: _Audited | Unsure | None = None  # before any action
        self.told: Callable[[Case], None] | None = None  # asked to look at every audit when it is done
        self.strictly = False  # what was found safe last is so even if every column counts, and stays so when more is withheld
        self._strictly: list[frozenset[int]] = []  # choices of which that is known

    def explanations(self, taken: set[int], deadline: Deadline) -> Explanations:
        while True:
            if self._surely_safe(taken):
                return Safe()
            audited = self.audited(taken, deadline)
            if isinstance(audited, Unsure):
                return audited
            if not audited.breaches:
                return Unsure(audited.doubt) if audited.doubt else Safe()
            before = frozenset(taken)
            for breach in audited.breaches:
                sure = taken == before
                explained = self._explaining.explained(breach, held_by(breach), taken, sure, audited.system, deadline)
                if explained is not None:
                    yield replace(explained, given=self._given(breach, before, deadline))
                if deadline.passed():
                    return Unsure("the time limit was reached")
            if taken == before:
                return Unsure("a breach could not be explained")

    def _given(self, breach: Told, taken: frozenset[int], deadline: Deadline) -> frozenset[int]:
        """Actions, as few as possible, after which all columns of the claim count; most often none are needed."""
        if breach.everybody or not taken:
            return frozenset()
        masks = breach.predicate.masks(self.problem.release.domain)
        order = sorted(taken)

        def enough(chosen: Iterable[int]) -> bool | None:
            some = [order[i] for i in chosen]
            audited = self._before(deadline) if not some else self.audited(some, deadline)
            return None if isinstance(audited, Unsure) else audited.counts(masks)

        return frozenset() if enough(()) else frozenset(order[i] for i in irreducible(range(len(order)), enough)[0])

    def _before(self, deadline: Deadline) -> _Audited | Unsure:
        if self._first is None:
            self._first = self.audited((), deadline)
        return self._first

    def cuts(self, point: Floats, deep: bool, deadline: Deadline) -> Iterator[BreachExplanation]:
        if not deep:
            return
        first = self._before(deadline)
        if isinstance(first, Unsure) or any(row.count is None for row in self.problem.rows):
            return
        for breach in first.breaches:
            found = self._explaining.cut(breach, held_by(breach), point, first.system, deadline)
            if found is not None:
                yield found

    def breaches(self, taken: Iterable[int], deadline: Deadline) -> int | None:
        if self._surely_safe(taken):
            return 0
        audited = self.audited(taken, deadline)
        return None if isinstance(audited, Unsure) or audited.doubt else len(audited.breaches)

    def _surely_safe(self, taken: Iterable[int]) -> bool:
        """Is it known without an audit that nothing breaks the policy? What is safe even if every column counts stays so when more
        is done: nothing follows then that did not follow before.
        """
        chosen = frozenset(taken)
        known = any(safe <= chosen for safe in self._strictly)
        self.strictly = self.strictly or known
        return known

    def audited(self, taken: Iterable[int], deadline: Deadline) -> _Audited | Unsure:
        """What is left after some actions, audited."""
        left = [row for row in weaken(self.problem, taken) if not row.empty]
        try:
            left.sort(key=lambda row: row.row.count is None)  # counts first, as a release has them
            case = Case(release_of(self.problem, [(row.row, row.low, row.high) for row in left]), deadline, self._most)
            unsure = not_begun(case)
            if unsure is not None:
                return unsure
            audited = _Audited(self.problem, case)
            self.strictly = audited.strictly
            if audited.strictly:
                self._strictly.append(frozenset(taken))
            if self.told is not None:
                self.told(case)
            return audited
        except UndecidedError as error:
            return Unsure(str(error))


class _Audited:
    """What is left of a release after some actions, audited."""

    def __init__(self, problem: Problem, case: Case) -> None:
        self.system = case.system
        evidence, reason = evidence_of(case, problem.groups)
        policy, self._literally = problem.policy, problem.groups == Groups.NONE
        self.certain, open_ = (_stated(policy, evidence, facts) for facts in (evidence.certain, evidence.open))
        self._common = evidence.common()
        self.breaches = list(_told(policy, self.certain, self._literally))
        self.strictly = not reason and not any(True for _ in _told(policy, (*self.certain, *open_), True))
        self.doubt = ""
        if any(True for _ in _told(policy, open_, self._literally)):
            self.doubt = reason or "some claims stayed undecided"
        if reason and not evidence.counted and not self._literally and self.breaches:
            # which columns are the same for everybody was not found out, so a breach may be none
            self.breaches, self.doubt = [], reason

    def counts(self, masks: Mapping[int, int]) -> bool:
        """Do all columns of a claim count?"""
        return self._literally or all(self._common.get(c, -1) & ~mask for c, mask in masks.items())

    def columns(self, fact: Fact) -> int:
        """How many columns of a fact count."""
        return columns_of(fact, self._literally)


def _stated(policy: Policy, evidence: Evidence, facts: Iterable[ClosedFact]) -> tuple[Fact, ...]:
    """Facts that may break a policy, in words: most facts of a release cannot, and to put them into words takes long."""
    return evidence.stated([fact for fact in facts if policy.over(len(evidence.atoms_of(fact)), fact.count)])


def held_by(breach: Told) -> list[Goal]:
    """What has to stay certain for it to be the same breach: a claim about everybody counts all its columns only as such."""
    claims = [breach.predicate, *([Predicate()] if breach.everybody else [])]
    return [Goal(predicate, breach.count, breach.count) for predicate in claims]


def _told(policy: Policy, facts: Iterable[Fact], literally: bool = False) -> Iterator[Told]:
    """How facts break a policy, each in the shortest way that still does. With `literally` every column counts that they name."""
    return (told(policy, fact, literally) for fact in facts if policy.over(columns_of(fact, literally), fact.count))
