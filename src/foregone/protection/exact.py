"""The exact attacker: whoever works out everything that follows from what is left, for every part of a policy."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import reduce
from operator import or_

import numpy as np

from foregone.engine import MAX_RECORDS, AtMost, Case, ClosedFact, Evidence, Exceeds, Following, Goal, evidence_of, following
from foregone.model.audit import Fact
from foregone.model.dataset import Dataset
from foregone.model.domain import Domain
from foregone.model.errors import TooLargeError, UndecidedError
from foregone.model.families import Groups
from foregone.model.policy import Policy
from foregone.model.predicate import Predicate
from foregone.policy.judge import Told, told
from foregone.protection.attack import Attacker, BreachExplanation, Explanations, Safe, Unsure
from foregone.protection.cells import CellAttacker
from foregone.protection.explaining import ExactPart, FoundBreach, Seen, fewest
from foregone.protection.first import Enough, cheap_first, fewer_and_fewer, last_of, mended
from foregone.protection.problem import NONE, Problem, weaken
from foregone.solvers.answer import Undecided
from foregone.solvers.arrays import Floats
from foregone.solvers.deadline import Deadline

MOST_CASES = 64  # weaker releases that are kept compiled


class ClaimAttacker(ExactPart):
    """For the part of a policy that is about claims, that few records are singled out: whoever audits what is left knows them all.

    A policy does not count a column in which every possible record has what a claim says (over single codes, as in the paper, it
    counts all). When less is shown, more records are possible, and such a column may count from then on. An explanation that
    needs it holds only for choices that make it count.
    """

    def __init__(self, problem: Problem, max_records: int = MAX_RECORDS) -> None:
        super().__init__(problem, max_records)
        self._first: _Audited | UndecidedError | None = None  # before any action
        self._cases: dict[frozenset[int], Case] = {}  # what is left after some actions
        self.told: Callable[[Case], None] | None = None  # asked to look at every audit when it is done
        self.strictly = False  # what was found safe last is so even if every column counts, and stays so when more is withheld
        self._strictly: list[frozenset[int]] = []  # choices of which that is known

    def _look(self, taken: frozenset[int], deadline: Deadline) -> Seen | None:
        # what is safe even if every column counts stays so when more is done: nothing follows then that did not follow before
        if any(safe <= taken for safe in self._strictly):
            self.strictly = True
            return None
        audited = self._audited(taken, deadline)
        broken = [FoundBreach(breach, held_by(breach)) for breach in audited.breaches]
        return Seen(audited.system, [*broken, *([Undecided(audited.doubt)] if audited.doubt else [])])

    def _given(self, broken: FoundBreach, taken: frozenset[int], deadline: Deadline) -> frozenset[int]:
        """Those after which all columns of the claim count: there can be records that have something else there."""
        assert isinstance(broken.breach, Told)
        if broken.breach.everybody or not taken or self.problem.groups == Groups.NONE:
            return NONE
        domain = self.problem.release.domain
        others = [
            Predicate.of({name: [code for code in domain.column(name).codes if code not in codes]})
            for name, codes in broken.breach.predicate.allowed
        ]

        def counted(some: list[int]) -> bool | None:
            case = self._before(deadline).case if not some else self._left(frozenset(some), deadline)
            unsure = False
            for other in others:
                match case.at_most(other, 0):
                    case AtMost():
                        return False
                    case Undecided():
                        unsure = True
            return None if unsure else True

        return fewest(taken, counted)

    def _left(self, taken: frozenset[int], deadline: Deadline) -> Case:
        """What is left after some actions; the same few are asked about by many claims."""
        if taken not in self._cases:
            while len(self._cases) >= MOST_CASES:
                del self._cases[next(iter(self._cases))]
            self._cases[taken] = self._case((row for row in weaken(self.problem, taken) if not row.empty), deadline)
        return self._cases[taken].until(deadline)

    def steadying(self, taken: frozenset[int], deadline: Deadline) -> frozenset[int]:
        """Few and cheap actions that are better left undone: as long as none of them is done, a column that does not count, as
        every possible record has the same there, does not begin to count, whatever else is done.
        """
        every = frozenset(range(len(self.problem.actions)))
        try:
            alike = self._alike(taken, deadline)

            def enough(kept: frozenset[int]) -> bool:
                left = self._possible(every - kept, deadline)
                return all(not left[c] & ~codes for c, codes in alike.items())

            return (last_of(fewer_and_fewer((), cheap_first(self.problem, every - taken), enough)) if alike else None) or NONE
        except (UndecidedError, TooLargeError):
            return NONE

    def _alike(self, taken: frozenset[int], deadline: Deadline) -> dict[int, int]:
        """The columns in which every possible record has something that a claim can name, after some actions, and what that is."""
        if self.problem.groups == Groups.NONE:
            return {}  # every column counts, whatever records have there
        found, groups = {}, self.problem.named
        for c, codes in enumerate(self._possible(taken, deadline)):
            full = self.problem.domain.columns[c].full
            named = [*(1 << code for code in range(full.bit_length())), *groups[c]]
            around = [group for group in named if group != full and not codes & ~group]
            if around:
                found[c] = min(around, key=int.bit_count)
        return found

    def _possible(self, taken: frozenset[int], deadline: Deadline) -> list[int]:
        """For each column the codes that a record can have after some actions, as far as is seen without a solver."""
        system = self._left(taken, deadline).system
        columns = zip(system.atoms.groups, system.records.T, strict=True)
        return [reduce(or_, (groups[atom] for atom in np.unique(column).tolist()), 0) for groups, column in columns]

    def _before(self, deadline: Deadline) -> _Audited:
        if self._first is None:
            try:
                self._first = self._audited((), deadline)
            except UndecidedError as error:
                self._first = error
        if isinstance(self._first, UndecidedError):
            raise self._first
        return self._first

    def cuts(self, point: Floats, deep: bool, deadline: Deadline) -> Iterator[BreachExplanation]:
        if not deep:
            return
        try:
            first = self._before(deadline)
        except UndecidedError:
            return
        if any(row.count is None for row in self.problem.rows):
            return
        for breach in first.breaches:
            found = self._explaining.cut(breach, held_by(breach), point, first.system, deadline)
            if found is not None:
                yield found

    def _audited(self, taken: Iterable[int], deadline: Deadline) -> _Audited:
        """What is left after some actions, audited."""
        case = self._case((row for row in weaken(self.problem, taken) if not row.empty), deadline)
        audited = _Audited(self.problem, case)
        self.strictly = audited.strictly
        if audited.strictly:
            self._strictly.append(frozenset(taken))
        if self.told is not None:
            self.told(case)
        return audited


class _Audited:
    """What is left of a release after some actions, audited."""

    def __init__(self, problem: Problem, case: Case) -> None:
        self.case, self.system = case, case.system
        evidence, reason = evidence_of(case, problem.groups)
        policy = problem.policy
        certain, open_ = (_stated(policy, evidence, facts) for facts in (evidence.certain, evidence.open))
        self.breaches = list(_told(policy, certain))
        # not even if every column counted that they name
        self.strictly = not reason and not any(policy.over(fact.columns, fact.count) for fact in (*certain, *open_))
        self.doubt = ""
        if any(True for _ in _told(policy, open_)):
            self.doubt = reason or "some claims stayed undecided"
        if reason and not evidence.counted and problem.groups != Groups.NONE and self.breaches:
            # which columns are the same for everybody was not found out, so a breach may be none
            self.breaches, self.doubt = [], reason


def _stated(policy: Policy, evidence: Evidence, facts: Iterable[ClosedFact]) -> tuple[Fact, ...]:
    """Facts that may break a policy, in words: most facts of a release cannot, and to put them into words takes long."""
    return evidence.stated([fact for fact in facts if policy.over(len(evidence.atoms_of(fact)), fact.count)])


def _told(policy: Policy, facts: Iterable[Fact]) -> Iterator[Told]:
    """How facts break a policy, each in the shortest way that still does."""
    return (told(policy, fact) for fact in facts if policy.over(fact.attributes, fact.count))


def held_by(breach: Told) -> list[Goal]:
    """What has to stay certain for it to be the same breach: a claim about everybody counts all its columns only as such."""
    claims = [breach.predicate, *([Predicate()] if breach.everybody else [])]
    return [Goal(predicate, breach.count, breach.count) for predicate in claims]


class AttributeAttacker(ExactPart):
    """For the part of a policy that is about attributes: which records are possible tells what everybody in a group has.

    That nobody in a group has another value follows from numbers that are shown, so an action that weakens one of them helps. That
    somebody can be in the group at all is the other half of a breach, and withholding more can bring it about: an explanation holds
    for the choices under which that is so.
    """

    def _look(self, taken: frozenset[int], deadline: Deadline) -> Seen | None:
        policy, case = self.problem.policy, self._left(taken, deadline)
        found = [following(case, name, policy.attribute_from, self.problem.groups) for name in policy.attribute]
        broken = [FoundBreach(breach, [zero_goal(self.problem.release.domain, breach)]) for one in found for breach in one.found]
        return Seen(case.system, [*broken, *(Undecided(one.reason) for one in found if one.reason)])

    def _left(self, taken: Iterable[int], deadline: Deadline) -> Case:
        return self._case((row for row in weaken(self.problem, taken) if not row.empty), deadline)

    def _given(self, broken: FoundBreach, taken: frozenset[int], deadline: Deadline) -> frozenset[int]:
        """Those after which somebody can be in the group."""
        assert isinstance(broken.breach, Following)
        group = broken.breach.group

        def somebody(some: list[int]) -> bool | None:
            answer = self._left(some, deadline).at_most(group, 0)
            return None if isinstance(answer, Undecided) else isinstance(answer, Exceeds)

        return fewest(taken, somebody)


def zero_goal(domain: Domain, breach: Following) -> Goal:
    """Nobody in the group has another value."""
    others = [code for code in domain.column(breach.column).codes if code != breach.code]
    return Goal(Predicate.of({**dict(breach.group.allowed), breach.column: others}), 0, 0)


class ExactAttacker:
    """Cells first, then claims, then attributes; safe is what all call safe."""

    def __init__(self, problem: Problem, max_records: int = MAX_RECORDS) -> None:
        policy, self.problem = problem.policy, problem
        asked = (
            (CellAttacker, bool(problem.primary or policy.stars)),
            (ClaimAttacker, policy.about_claims),
            (AttributeAttacker, bool(policy.attribute)),
        )
        self.parts: list[Attacker] = [part(problem, max_records) for part, needed in asked if needed]

    def explanations(self, taken: set[int], deadline: Deadline) -> Explanations:
        """Until all parts call the same choice safe: what one part makes others take can break another part of the policy."""
        safe: dict[int, frozenset[int]] = {}  # the choice under which each part found nothing wrong
        while True:
            unsure = None
            for number, part in enumerate(self.parts):
                if safe.get(number) == frozenset(taken):
                    continue
                outcome = yield from part.explanations(taken, deadline)
                if isinstance(outcome, Unsure):
                    unsure = outcome
                else:
                    safe[number] = frozenset(taken)
            if unsure is not None or all(choice == taken for choice in safe.values()):
                return unsure or Safe()

    def breaches(self, taken: Iterable[int], deadline: Deadline) -> int | None:
        """Broken is broken, even if a part could not be decided."""
        found = [part.breaches(taken, deadline) for part in self.parts]
        return None if None in found and not any(found) else sum(number or 0 for number in found)

    def safe(self, taken: Iterable[int], deadline: Deadline) -> bool:
        chosen = list(taken)
        return all(part.safe(chosen, deadline) for part in self.parts)

    def mended(self, taken: frozenset[int], safe: Enough, deadline: Deadline) -> Iterator[frozenset[int]]:
        """Choices that are safe and hold what is taken, found by looking alone, each with less than the one before.

        Where the time is over, nothing more is looked at, and what was seen to be safe last is the last one.
        """

        def in_time(some: frozenset[int]) -> bool:
            return not deadline.passed() and safe(some)

        return mended(self.problem, taken, in_time, lambda: self.steadying(taken, deadline))

    def steadying(self, taken: frozenset[int], deadline: Deadline) -> frozenset[int]:
        """Few and cheap actions that are better left undone: after them a column may begin to count."""
        claims = next((part for part in self.parts if isinstance(part, ClaimAttacker)), None)
        return NONE if claims is None else claims.steadying(taken, deadline)

    def cuts(self, point: Floats, deep: bool, deadline: Deadline) -> Iterator[BreachExplanation]:
        for part in self.parts:
            yield from part.cuts(point, deep, deadline)

    def datasets(self, taken: Iterable[int], deadline: Deadline) -> list[Dataset] | None:
        """Datasets that show of every cell that must stay unknown that it is not known too well."""
        return next((part.datasets(taken, deadline) for part in self.parts if isinstance(part, CellAttacker)), [])
