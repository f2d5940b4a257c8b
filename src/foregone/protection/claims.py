"""The exact attacker against everybody: whoever audits what is left knows every certain claim."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from foregone.engine.claims.audit_loop import find_facts
from foregone.engine.claims.evidence import Evidence
from foregone.engine.session import Session, open_session
from foregone.engine.system.linear import MAX_RECORDS
from foregone.model.audit import Fact
from foregone.model.errors import UndecidedError
from foregone.model.policy import Policy
from foregone.model.predicate import Predicate
from foregone.protection.attack import Certain, Explaining, Explanation, Needed, Safe, Unsure, as_it_is, explanation
from foregone.protection.forcing import Goal, forced
from foregone.protection.problem import Left, Problem, is_count, merged_rows, release_of, weaken
from foregone.protection.short_proofs import ShortProofs
from foregone.questions.quickxplain import irreducible
from foregone.solvers.answer import Floats, Undecided
from foregone.solvers.deadline import Deadline

SEEDS = 1000  # possible records that every short proof is tried on first
FREE = 0.05  # what a number that no action touches weighs in the search for a short proof


class ClaimAttacker:
    """For the parts of a policy that are about claims: few records singled out, and attributes that follow from a group."""

    def __init__(self, problem: Problem, max_records: int = MAX_RECORDS) -> None:
        self.problem = problem
        self._most = max_records
        self._known: dict[frozenset[int], ShortProofs] = {}

    def explanations(self, taken: set[int], deadline: Deadline) -> Explaining:
        while True:
            audited = self._audited(taken, deadline)
            if isinstance(audited, Unsure):
                return audited
            if not audited.breaches:
                return Unsure(audited.doubt) if audited.doubt else Safe()
            before = frozenset(taken)
            for breach in audited.breaches:
                explained = audited.explained(breach, taken, deadline)
                if explained is not None:
                    yield explained
                if deadline.passed():
                    return Unsure("the time limit was reached")
            if taken == before:
                return Unsure("a breach could not be explained")

    def cuts(self, point: Floats, deadline: Deadline) -> Iterator[Explanation]:
        del point, deadline
        return iter(())

    def breaches(self, taken: Iterable[int], deadline: Deadline) -> int | None:
        audited = self._audited(taken, deadline)
        return None if isinstance(audited, Unsure) or audited.doubt else len(audited.breaches)

    def _audited(self, taken: Iterable[int], deadline: Deadline) -> _Audited | Unsure:
        left = [row for row in weaken(self.problem, taken) if not row.empty]
        try:
            session = open_session(release_of(self.problem, left), deadline, self._most)
            started = session.prover.first_witness()
            if started is not True:
                return Unsure(started.reason if isinstance(started, Undecided) else "what is left contradicts itself")
            return _Audited(self.problem, left, session, self._proofs(frozenset(taken) & self.problem.merges, session))
        except UndecidedError as error:
            return Unsure(str(error))


    def _proofs(self, merges: frozenset[int], session: Session) -> ShortProofs:
        if merges not in self._known:
            made = self._known[merges] = ShortProofs(self.problem, merged_rows(self.problem, merges))
            system = session.system
            if system.atoms.groups == made.groups:
                made.seed(system.records[:SEEDS].tolist())
        return self._known[merges]


class _Audited:
    """What is left of a release after some actions, audited, and what proofs about it rest on."""

    def __init__(self, problem: Problem, left: list[Left], session: Session, proofs: ShortProofs) -> None:
        # in the order in which a release numbers its statements
        self.left = [row for row in left if is_count(row.row.statement)] + [row for row in left if not is_count(row.row.statement)]
        self.problem, self.proofs = problem, proofs
        found = find_facts(session)
        evidence = Evidence(session.system, tuple(found.facts), tuple(found.lemmas), tuple(session.pool))
        self.breaches = list(breaches_of(problem.policy, evidence.stated(evidence.certain)))
        doubtful = any(True for _ in breaches_of(problem.policy, evidence.stated(evidence.open)))
        self.doubt = (found.reason or "some claims stayed undecided") if doubtful else ""
        self.needed = [as_it_is(row) for row in self.left]
        self.clauses = [frozenset(part.hit_by(problem)) for part in self.needed]
        self.columns = [{name for _, predicate in part.row.statement.terms for name, _ in predicate.allowed} for part in self.needed]

    def explained(self, breach: Certain, taken: set[int], deadline: Deadline) -> Explanation | None:
        """A set of numbers that forces a breach and of which no group can be left out; None when nothing forces it any more.

        Numbers that the same actions weaken form a group, as the cells of a table do when whole tables are withheld.
        """
        groups: dict[frozenset[int], list[int]] = {}
        for i, clause in enumerate(self.clauses):
            if not clause & taken:
                groups.setdefault(clause, []).append(i)
        fixed = groups.pop(frozenset(), [])
        goals = goals_of(breach)
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
        chosen, _ = irreducible(everything, enough) if units else ([], True)
        return explanation(self.problem, breach, needed(chosen))

    def _short(self, goals: list[Goal], taken: set[int], deadline: Deadline) -> set[frozenset[int]] | None:
        """The groups of numbers that a short proof uses, if one was found."""
        clauses = {id(part.row): clause for part, clause in zip(self.needed, self.clauses, strict=True)}
        rows = self.proofs.rows
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


def goals_of(breach: Certain) -> list[Goal]:
    claims = [breach.predicate] if breach.group is None else [breach.predicate, breach.group]
    return [(predicate, breach.count, breach.count) for predicate in claims]


def breaches_of(policy: Policy, facts: Iterable[Fact]) -> Iterator[Certain]:
    """How facts break a policy, each in the shortest way that still does."""
    for fact in facts:
        if policy.over(fact.columns, fact.count):
            yield Certain(_shortest(policy, fact), fact.count)
        for name in policy.attribute:
            group = next((form for form in fact.shortest if all(name != column for column, _ in form.allowed)), None)
            value = next((pair for pair in fact.predicate.allowed if pair[0] == name), None)
            if value is not None and group is not None:
                yield Certain(Predicate(tuple(sorted((*group.allowed, value)))), fact.count, group)


def _shortest(policy: Policy, fact: Fact) -> Predicate:
    """A form of the fact with as few columns as the policy forbids, or its shortest if that has more."""
    form = min(fact.shortest, key=len)
    columns = policy.singled_out_columns or 1
    further = [pair for pair in fact.predicate.allowed if pair not in form.allowed]
    return Predicate(tuple(sorted((*form.allowed, *further[: max(0, columns - len(form))]))))
