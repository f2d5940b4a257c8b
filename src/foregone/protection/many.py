"""One choice of tables for many releases: what could be published about every block so that nobody in any is singled out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from foregone.engine.system.linear import MAX_RECORDS
from foregone.model.errors import InputError
from foregone.model.families import Groups
from foregone.model.policy import Policy
from foregone.model.release import Release
from foregone.model.sentences import plural
from foregone.protection.actions import Allowed, problem_of
from foregone.protection.attack import Attacker, Explanation, Explanations, Safe, Unsure
from foregone.protection.covering_proof import CoveringProof
from foregone.protection.exact import ExactAttacker
from foregone.protection.problem import Action, Kind, Problem
from foregone.protection.search import Search, Watch
from foregone.solvers.answer import Floats
from foregone.solvers.deadline import Deadline

PROOF_SECONDS = 20.0


@dataclass(frozen=True)
class ProtectionOfMany:
    """Tables to withhold in every release so that all keep a policy; no choice of tables that does costs less than the bound."""

    policy: Policy
    releases: int
    tables: int  # that may be withheld or not
    withheld: tuple[str, ...] | None  # None: nothing found
    cells: int  # numbers in the tables withheld, for each release
    cost: int | None
    lower_bound: int
    before: int | None  # ways in which the policy is broken, over all releases
    broken: int | None  # releases in which it is
    after: int | None
    proved: bool = False
    reason: str = ""
    impossible: str = ""
    names: tuple[str, ...] = field(default=(), repr=False)  # of all tables

    @property
    def optimal(self) -> bool:
        return self.cost is not None and self.lower_bound >= self.cost

    def json(self) -> dict[str, Any]:
        return {
            "releases": self.releases,
            "withheld": list(self.withheld or ()),
            "cells": self.cells,
            "cost": self.cost,
            "lower_bound": self.lower_bound,
            "optimal": self.optimal,
            "policy": self.policy.json(),
            "attacker": "exact",
            "before": self.before,
            "after": self.after,
        }

    def summary(self) -> str:
        rules = "; ".join(self.policy.words)
        lines = [f"{self.releases:,} releases; the policy ({rules}) is broken in {self.broken or 0:,} of them."]
        if self.impossible:
            return "\n".join([*lines, f"No choice of tables is enough: {self.impossible}"])
        if self.withheld is None:
            return "\n".join([*lines, f"No protection was found: {self.reason}."])
        number = len(self.withheld)
        lines.append(
            f"Withhold {number:,} of {self.tables:,} {plural('table', self.tables)} everywhere ({self.cells:,} numbers for each"
            f" release): {', '.join(self.withheld) or 'none'}."
        )
        if self.optimal:
            how = "proved" if self.proved else "by a solver's word for the last step"
            lines.append(f"Cost {self.cost:,}, and no cheaper choice is enough for all of them ({how}).")
        else:
            lines.append(f"Cost {self.cost:,}; no choice costs less than {self.lower_bound:,} ({self.reason or 'not closed'}).")
        if 2 * number > self.tables:
            lines.append(f"Withholding is the wrong tool here: only {self.tables - number:,} tables would be left.")
        return "\n".join(lines)


class AttackerOfMany:
    """Breaks the policy in any of many releases. What was safe for one stays safe for it when more is withheld."""

    def __init__(self, attackers: Sequence[Attacker]) -> None:
        self._attackers = attackers
        self._safe: list[list[frozenset[int]]] = [[] for _ in attackers]

    def explanations(self, taken: set[int], deadline: Deadline) -> Explanations:
        unsure: Unsure | None = None
        for attacker, safe in zip(self._attackers, self._safe, strict=True):
            if any(known <= taken for known in safe):
                continue
            outcome = yield from attacker.explanations(taken, deadline)
            if isinstance(outcome, Unsure):
                unsure = outcome
            else:
                safe.append(frozenset(taken))
        return unsure or Safe()

    def breaches(self, taken: Iterable[int], deadline: Deadline) -> int | None:
        found = self.each(frozenset(taken), deadline)
        known = [number for number in found if number is not None]
        return sum(known) if len(known) == len(found) else None

    def each(self, taken: frozenset[int], deadline: Deadline) -> list[int | None]:
        """In how many ways each release breaks the policy."""
        made: list[int | None] = []
        for attacker, safe in zip(self._attackers, self._safe, strict=True):
            number = 0 if any(known <= taken for known in safe) else attacker.breaches(taken, deadline)
            if number == 0 and not any(known <= taken for known in safe):
                safe.append(taken)
            made.append(number)
        return made

    def cuts(self, point: Floats, deep: bool, deadline: Deadline) -> Iterator[Explanation]:
        del point, deep, deadline
        return iter(())


def protect_many(
    releases: Iterable[tuple[str, Release]],
    policy: Policy,
    keep: Iterable[str] = (),
    time_limit: float | None = None,
    groups: Groups = Groups.PUBLISHED,
    max_records: int = MAX_RECORDS,
    watch: Watch | None = None,
) -> ProtectionOfMany:
    """The cheapest choice of tables that keeps a policy in every release when it is withheld from all; a table costs its cells."""
    allowed = Allowed("table", tuple(keep))
    problems = [problem_of(release, policy, allowed, groups) for _, release in releases]
    if not problems:
        raise InputError("there is no release to protect; check the input and --limit")
    names = list(dict.fromkeys(action.name for problem in problems for action in problem.actions))
    costs = {action.name: action.cost for problem in reversed(problems) for action in problem.actions}
    problems = [_aligned(problem, names, costs) for problem in problems]
    deadline = Deadline.after(time_limit)
    attacker = AttackerOfMany([ExactAttacker(problem, max_records) for problem in problems])
    before = attacker.each(frozenset(), deadline)
    search = Search(problems[0], attacker, deadline, watch)
    found = search.run()
    tree = None
    if found.upper is not None and found.lower:
        clauses = [explanation.clause for explanation in found.explanations]
        tree = CoveringProof(problems[0].costs, clauses, found.lower, Deadline.after(PROOF_SECONDS)).tree()
    withheld = None if found.upper is None else tuple(problems[0].actions[a].name for a in sorted(found.taken))
    return ProtectionOfMany(
        policy,
        len(problems),
        len(names),
        withheld,
        sum(costs[name] for name in withheld or ()),
        found.upper,
        found.lower,
        None if None in before else sum(number or 0 for number in before),
        None if None in before else sum(bool(number) for number in before),
        None if found.upper is None else attacker.breaches(found.taken, deadline.later(5.0)),
        tree is not None or not found.lower,
        found.reason,
        "" if found.impossible is None else "what stays breaks the policy whatever is withheld.",
        tuple(names),
    )


def _aligned(problem: Problem, names: Sequence[str], costs: dict[str, int]) -> Problem:
    """The same problem with the actions of all releases, in one order; a table that it does not have weakens nothing."""
    mine = {action.name: action for action in problem.actions}
    actions = [mine.get(name) or Action(Kind.TABLE, name, costs[name], frozenset()) for name in names]
    return replace(problem, actions=tuple(replace(action, cost=costs[action.name]) for action in actions))
