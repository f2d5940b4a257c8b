"""One choice of tables for many releases: what could be published about every block so that nobody in any is singled out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from foregone.engine import MAX_RECORDS
from foregone.model.errors import InputError
from foregone.model.families import Groups
from foregone.model.policy import Policy
from foregone.model.release import Release
from foregone.model.sentences import plural
from foregone.protection.actions import Allowed, problem_of
from foregone.protection.attack import BreachExplanation, Dear, Explanations, Safe, Unsure
from foregone.protection.blocks import Blocks
from foregone.protection.covering_proof import bound_proof
from foregone.protection.many_certificate import certificate_of_many, check_certifiable
from foregone.protection.problem import Action, ActionKind, Problem, numbers_of
from foregone.protection.search import ChoiceSearch, Found, Watch
from foregone.solvers.arrays import Floats
from foregone.solvers.deadline import Deadline

GRACE = 5.0  # seconds to count how often the policy is broken, when the time is over
AT_ONCE = 32  # releases whose breaches are counted side by side
WAVE = 4  # releases that are asked about the same choice


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
    costs: Mapping[str, int] = field(default_factory=dict, repr=False)  # of all tables that may be withheld: their cells
    numbers: int = 0  # that are published for each release
    certificate: dict[str, Any] | None = field(default=None, repr=False)
    proved_of: Mapping[str, Release] = field(default_factory=dict, repr=False)  # releases of the certificate that no folder holds

    @property
    def names(self) -> tuple[str, ...]:
        """All tables that may be withheld."""
        return tuple(self.costs)

    @property
    def published(self) -> tuple[str, ...]:
        """The tables that may be withheld and are not."""
        return tuple(name for name in self.costs if name not in (self.withheld or ()))

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
        many = "An unknown number" if self.broken is None else f"{self.broken:,}"
        lines = [
            f"Policy: {'; '.join(self.policy.words)}.",
            f"{many} of {self.releases:,} {plural('release', self.releases)} break{'s' if self.broken == 1 else ''} this policy.",
        ]
        if self.impossible:
            return "\n".join([*lines, f"No choice of tables is enough: {self.impossible}"])
        if self.withheld is None:
            return "\n".join([*lines, f"No protection was found: {self.reason}."])
        number = len(self.withheld)
        lines.append(
            f"Withhold {number:,} of {self.tables:,} {plural('table', self.tables)} everywhere ({self.cells:,} numbers for each"
            f" release): {', '.join(self.withheld) or 'none'}."
        )
        how = "proved" if self.proved else "reported by a solver, not proved"
        if self.optimal:
            lines.append(f"Cost {self.cost:,}, and no cheaper choice is enough for all of them ({how}).")
        else:
            why = f" ({self.reason})" if self.reason else ""
            vouched = "" if self.proved or not self.lower_bound else f" ({how})"
            lines.append(
                f"Cost {self.cost:,}; no choice costs less than {self.lower_bound:,}{vouched}."
                f" Whether a cheaper one exists is not known{why}."
            )
        columns = self.policy.singled_out_columns or 1
        if columns > 1:
            lines.append(f"Claims with fewer than {columns} columns were not judged.")
        if 2 * number > self.tables or 2 * self.cells >= self.numbers > 0:
            left = f"{self.tables - number:,} of {self.tables:,} {plural('table', self.tables)}"
            numbers = f"{self.numbers - self.cells:,} of {self.numbers:,} {plural('number', self.numbers)}"
            why = "Withholding tables is the wrong tool here" if self.optimal else "This is the best found so far"
            more = "" if self.optimal else " With more time a choice may be found that leaves more."
            lines.append(f"{why}: only {left} would stay published, {numbers} for each release.{more}")
        return "\n".join(lines)


class AttackerOfMany:
    """Breaks the policy in any of many releases.

    Releases are asked in waves of a fixed size, each about the same choice, so that what is found does not depend on how many of
    them are looked at side by side. Those in which something was wrong last are asked first.
    """

    def __init__(self, blocks: Blocks, number: int) -> None:
        self._blocks = blocks
        self._order = list(range(number))
        self.known: Callable[[], frozenset[int]] = frozenset  # the best protection so far: explanations lead to it
        self._mended: list[int] = []
        self.told: dict[int, int] = {}  # which release each explanation is of, as long as somebody keeps the explanation

    def explanations(self, taken: set[int], deadline: Deadline) -> Explanations:
        unsure: Unsure | None = None
        pending = list(self._order)
        passing: dict[int, frozenset[int]] = {}  # releases that are safe under a choice, but perhaps not under more
        dear = False
        while pending and not dear:
            wave, pending = pending[:WAVE], pending[WAVE:]
            chosen = frozenset(taken)
            for number, look in zip(wave, self._blocks.look(wave, chosen, self.known(), deadline), strict=True):
                passing.pop(number, None)
                dear |= isinstance(look.outcome, Dear)
                if isinstance(look.outcome, Unsure):
                    unsure = look.outcome
                elif look.explanations:
                    pending.append(number)  # what it took for granted may not be what is taken in the end
                elif not look.lasting:
                    passing[number] = chosen
                for explanation in look.explanations:
                    self._first(number)
                    self.told[id(explanation)] = number
                    yield explanation
            if not pending:
                pending = [number for number, before in passing.items() if before != frozenset(taken)]
            if deadline.passed() and pending:
                return Unsure("the time limit was reached")
        return Dear() if dear else unsure or Safe()

    def _first(self, number: int) -> None:
        self._order.remove(number)
        self._order.insert(0, number)

    def safe(self, taken: Iterable[int], deadline: Deadline) -> bool:
        return self.breaches(taken, deadline) == 0

    def breaches(self, taken: Iterable[int], deadline: Deadline) -> int | None:
        """0 when none of the releases breaks the policy; the first that does is enough for another answer."""
        chosen, unsure = frozenset(taken), False
        for begin in range(0, len(self._order), WAVE):
            wave = self._order[begin : begin + WAVE]
            found = self._blocks.breaches(wave, chosen, deadline)
            if any(found):
                self._first(next(number for number, some in zip(wave, found, strict=True) if some))
                return sum(some or 0 for some in found)
            unsure = unsure or None in found
        return None if unsure else 0

    def guesses(self, deadline: Deadline) -> Iterator[frozenset[int]]:
        """A choice under which every release was seen to be safe, if one is easily found: one release after another is mended."""
        taken, safe = frozenset[int](), dict[int, frozenset[int]]()  # what each release was seen to be safe under last
        while pending := [number for number in self._order if safe.get(number) != taken]:
            while pending and not deadline.passed():
                wave, pending = pending[:WAVE], pending[WAVE:]
                found = self._blocks.breaches(wave, taken, deadline)
                safe.update((number, taken) for number, some in zip(wave, found, strict=True) if some == 0)
                broken = [number for number, some in zip(wave, found, strict=True) if some != 0]
                if broken:  # only the first is mended: what that takes may be enough for the others
                    mended = self._blocks.mended(broken[:1], taken, deadline)[0]
                    if mended is None:
                        return
                    taken = safe[broken[0]] = mended
                    self._mended.append(broken[0])
                    self._first(broken[0])  # it is the one to ask whether all of that is needed
                    pending = broken[1:] + pending
            if deadline.passed():
                return
        yield taken

    def late(self, deadline: Deadline) -> frozenset[int]:
        """Actions that are better left undone in more than half of the releases that had to be mended."""
        found = Counter(a for some in self._blocks.steadying(self._mended, frozenset(), deadline) for a in some)
        return frozenset(a for a, number in found.items() if 2 * number > len(self._mended))

    def each(self, taken: frozenset[int], deadline: Deadline) -> list[int | None]:
        """In how many ways each release breaks the policy."""
        found: list[int | None] = []
        for begin in range(0, len(self._order), AT_ONCE):
            some = range(begin, min(begin + AT_ONCE, len(self._order)))
            found += [None] * len(some) if deadline.passed() else self._blocks.breaches(some, taken, deadline)
        return found

    def cuts(self, point: Floats, deep: bool, deadline: Deadline) -> Iterator[BreachExplanation]:
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
    workers: int = 1,
    proofs: bool = False,
) -> ProtectionOfMany:
    """The cheapest choice of tables that keeps a policy in every release when it is withheld from all; a table costs its cells.

    The choice does not depend on the number of `workers`. With `proofs`, which take one process, it has a `certificate`.
    """
    allowed, named = Allowed("table", tuple(keep)), list(releases)
    problems = alone = [problem_of(release, policy, allowed, groups) for _, release in named]
    if not problems:
        raise InputError("there is no release to protect; check the input and --limit")
    names = list(dict.fromkeys(action.name for problem in problems for action in problem.actions))
    costs = dict.fromkeys(names, 0)
    for action in (action for problem in problems for action in problem.actions):
        costs[action.name] = max(costs[action.name], action.cost)
    if proofs:
        check_certifiable(problems)
    problems = [_aligned(problem, names, costs) for problem in problems]
    deadline = Deadline.after(time_limit)
    blocks = Blocks(problems, max_records, 1 if proofs else min(workers, len(problems)))
    attacker = AttackerOfMany(blocks, len(problems))
    try:
        search = ChoiceSearch(problems[0], attacker, deadline, watch, attacker.guesses, attacker.late)
        attacker.known = lambda: search.found.taken
        found = search.run()
        tree = bound_proof(problems[0].costs, found) if found.lower and (found.optimal or proofs) else None
        made = _told(problems, attacker, found, tree is not None or not found.lower, deadline)
    finally:
        blocks.close()
    if not proofs or found.upper is None:
        return made
    explained = dict[int, list[BreachExplanation]]()
    for explanation in found.explanations:
        explained.setdefault(attacker.told[id(explanation)], []).append(explanation)
    return replace(made, certificate=certificate_of_many(named, alone, allowed, found, explained, tree, names, max_records))


def _told(
    problems: Sequence[Problem], attacker: AttackerOfMany, found: Found, proved: bool, deadline: Deadline
) -> ProtectionOfMany:
    first = problems[0]
    before: list[int | None] = [None] if found.stopped else attacker.each(frozenset(), deadline.later(GRACE))
    withheld = None if found.upper is None else tuple(first.actions[a].name for a in sorted(found.taken))
    return ProtectionOfMany(
        first.policy,
        len(problems),
        len(first.actions),
        withheld,
        first.cost(found.taken),
        found.upper,
        found.lower,
        None if None in before else sum(number or 0 for number in before),
        None if None in before else sum(bool(number) for number in before),
        None if found.upper is None else 0,  # every protection that is kept was found safe in every release
        proved,
        found.reason,
        "" if found.impossible is None else "the numbers that stay break the policy, whatever else is withheld.",
        {action.name: action.cost for action in first.actions},
        max(len(numbers_of(problem.release)) for problem in problems),
    )


def _aligned(problem: Problem, names: Sequence[str], costs: dict[str, int]) -> Problem:
    """A problem with the actions of all releases, in one order: withholding a table that it does not have weakens nothing."""
    mine = {action.name: action for action in problem.actions}
    actions = [mine.get(name) or Action(ActionKind.TABLE, name, costs[name], frozenset()) for name in names]
    return replace(problem, actions=tuple(replace(action, cost=costs[action.name]) for action in actions))
