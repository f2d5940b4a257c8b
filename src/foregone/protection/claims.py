"""The exact attacker against everybody: whoever audits what is left knows every certain claim."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property, partial

from foregone.engine.claims.audit_loop import ClosedFact, find_facts
from foregone.engine.claims.evidence import Evidence
from foregone.engine.session import Session, open_session
from foregone.engine.system.linear import MAX_RECORDS
from foregone.model.audit import Fact
from foregone.model.errors import UndecidedError
from foregone.model.policy import Policy
from foregone.model.predicate import Predicate
from foregone.protection.attack import Certain, Explanation, Explanations, Safe, Unsure
from foregone.protection.explaining import Explainer, Explaining, cut, unmet
from foregone.protection.problem import Problem, release_of, weaken
from foregone.protection.short_proofs import Goal
from foregone.solvers.answer import Floats, Undecided
from foregone.solvers.deadline import Deadline


class ClaimAttacker:
    """For the parts of a policy that are about claims: few records singled out, and attributes that follow from a group."""

    def __init__(self, problem: Problem, max_records: int = MAX_RECORDS) -> None:
        self.problem = problem
        self._most = max_records
        self._explaining = Explaining(problem)
        self._first: _Audited | Unsure | None = None  # before any action
        self.told: Callable[[Session], None] | None = None  # asked to look at every audit when it is done

    def explanations(self, taken: set[int], deadline: Deadline) -> Explanations:
        while True:
            audited = self._audited(taken, deadline)
            if isinstance(audited, Unsure):
                return audited
            if not audited.breaches:
                return Unsure(audited.doubt) if audited.doubt else Safe()
            before = frozenset(taken)
            for breach in audited.breaches:
                explained = audited.explainer.explained(breach, goals_of(breach), taken, deadline)
                if explained is not None:
                    yield explained
                if deadline.passed():
                    return Unsure("the time limit was reached")
            if taken == before:
                return Unsure("a breach could not be explained")

    def cuts(self, point: Floats, deep: bool, deadline: Deadline) -> Iterator[Explanation]:
        if not deep:
            return
        if self._first is None:
            self._first = self._audited((), deadline)
        if isinstance(self._first, Unsure) or any(row.count is None for row in self.problem.rows):
            return
        proofs = self._first.explainer.proofs
        weights = unmet(proofs, point)
        for breach in self._first.breaches:
            found = cut(self.problem, proofs, breach, goals_of(breach), point, weights, deadline)
            if found is not None:
                yield found

    def breaches(self, taken: Iterable[int], deadline: Deadline) -> int | None:
        audited = self._audited(taken, deadline)
        return None if isinstance(audited, Unsure) or audited.doubt else len(audited.breaches)

    def _audited(self, taken: Iterable[int], deadline: Deadline) -> _Audited | Unsure:
        left = [row for row in weaken(self.problem, taken) if not row.empty]
        try:
            left.sort(key=lambda row: row.row.count is None)  # counts first, as a release has them
            session = open_session(release_of(self.problem, [(row.row, row.low, row.high) for row in left]), deadline, self._most)
            started = session.first_witness()
            if started is not True:
                return Unsure(started.reason if isinstance(started, Undecided) else "what is left contradicts itself")
            merges = frozenset(taken) & self.problem.merges
            audited = _Audited(self.problem, session, partial(self._explaining.over, left, merges, session.system))
            if self.told is not None:
                self.told(session)
            return audited
        except UndecidedError as error:
            return Unsure(str(error))


class _Audited:
    """What is left of a release after some actions, audited."""

    def __init__(self, problem: Problem, session: Session, explainer: Callable[[], Explainer]) -> None:
        self._explainer = explainer
        found = find_facts(session, groups=problem.groups)
        evidence = Evidence(session.system, tuple(found.facts), tuple(found.lemmas), tuple(session.pool), problem.groups)
        self.breaches = list(breaches_of(problem.policy, _stated(problem.policy, evidence, evidence.certain)))
        doubtful = any(True for _ in breaches_of(problem.policy, _stated(problem.policy, evidence, evidence.open)))
        self.doubt = (found.reason or "some claims stayed undecided") if doubtful else ""

    @cached_property
    def explainer(self) -> Explainer:
        """Made when something has to be explained."""
        return self._explainer()


def _stated(policy: Policy, evidence: Evidence, facts: Iterable[ClosedFact]) -> tuple[Fact, ...]:
    """Facts that may break a policy, in words: most facts of a release cannot, and to put them into words takes long."""
    if not policy.attribute:
        facts = [fact for fact in facts if policy.over(len(evidence.atoms_of(fact)), fact.count)]
    return evidence.stated(facts)


def goals_of(breach: Certain) -> list[Goal]:
    claims = [breach.predicate] if breach.group is None else [breach.predicate, breach.group]
    return [(predicate, breach.count, breach.count) for predicate in claims]


def breaches_of(policy: Policy, facts: Iterable[Fact], telling: bool = False) -> Iterator[Certain]:
    """How facts break a policy, each in the shortest way that still does.

    With `telling` only columns count that tell something, which depends on the records that are possible. A protection has to
    count them all: what tells nothing now may tell something when less is shown.
    """
    for fact in facts:
        if policy.over(fact.attributes if telling else fact.columns, fact.count):
            yield Certain(_shortest(policy, fact), fact.count)
        for name in policy.attribute:
            group = next((form for form in fact.shortest if all(name != column for column, _ in form.allowed)), None)
            value = next((pair for pair in fact.predicate.allowed if pair[0] == name and len(pair[1]) == 1), None)
            if value is not None and group is not None:
                yield Certain(Predicate(tuple(sorted((*group.allowed, value)))), fact.count, group)


def _shortest(policy: Policy, fact: Fact) -> Predicate:
    """A form of the fact with as few columns as the policy forbids, or its shortest if that has more."""
    form = min(fact.shortest, key=len)
    columns = policy.singled_out_columns or 1
    named = {name for name, _ in form.allowed}
    further = [pair for pair in fact.predicate.allowed if pair[0] not in named]
    return Predicate(tuple(sorted((*form.allowed, *further[: max(0, columns - len(form))]))))
