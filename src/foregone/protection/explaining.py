"""What follows from what is left of a release, and why: few numbers that force it, and that cheap actions take away."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from foregone.engine import (
    FREE,
    MAX_RECORDS,
    Case,
    Forced,
    Goal,
    LinearSystem,
    Open,
    Question,
    Statements,
    Subsets,
    Switches,
    irreducible,
    members,
    published_numbers,
    set_of,
)
from foregone.model.errors import TooLargeError, UndecidedError
from foregone.model.figure import Figure, Measure
from foregone.model.release import Release
from foregone.model.statement import Either, Statement, Statistic
from foregone.policy.judge import Breach
from foregone.protection.attack import BreachExplanation, Explanations, Safe, Unsure, explanation
from foregone.protection.problem import NONE, Left, Needed, Problem, ProblemRow, limited, merged_rows, release_of
from foregone.solvers.answer import Undecided
from foregone.solvers.arrays import Floats
from foregone.solvers.deadline import Deadline

MOST_ASKED = 500  # questions that are kept, with what was found out about them
SEEDS = 2_000  # possible records that every question begins with
LITTLE = 0.003  # what a statement weighs beside the actions that take it away


class Material:
    """All that can be left of a release under some merges, whatever else is done: statements, each on a switch of its own.

    An action takes statements away and does nothing else, so every choice of actions is some of the switches.
    """

    def __init__(self, problem: Problem, rows: Sequence[ProblemRow], system: LinearSystem | None) -> None:
        counts = [part for row in rows for part in _statements(problem, row)]
        sums = [row.number for row in rows if isinstance(row.number, Statement)]
        choices = [row.number for row in rows if isinstance(row.number, Either)]
        figures = [row.number for row in rows if isinstance(row.number, Figure)]
        named = {part.row.number.name for part in counts}
        bases = {figure.of for figure in figures if figure.measure is Measure.PERCENT} - named
        counts += [Needed(row, 0, None) for row in rows if row.count is not None and row.count.name in bases]
        items = published_numbers(Release(problem.domain, _as_counts(counts), problem.release.rules, sums, choices, figures))
        told = [figures[f] for f in items.figures]
        row_of = {id(row.number): row for row in rows}
        self.needed = [*counts, *(Needed(row_of[id(number)], None, None) for number in (*sums, *choices, *told))]
        self.clauses = [frozenset(part.hit_by(problem)) for part in self.needed]
        numbers = {clause: n for n, clause in enumerate(dict.fromkeys(self.clauses))}
        self.alike = np.array([numbers[clause] for clause in self.clauses], dtype=np.int64)
        self.groups: dict[frozenset[int], Statements] = {}  # statements that the same actions take away
        for k, clause in enumerate(self.clauses):
            self.groups[clause] = self.groups.get(clause, 0) | 1 << k
        self.fixed = self.groups.get(frozenset(), 0)
        self.switches = Switches(items, system, [k for k, clause in enumerate(self.clauses) if clause], SEEDS)
        self._gone = [set_of(k for k, clause in enumerate(self.clauses) if a in clause) for a in range(len(problem.actions))]
        cheapest = [min((problem.actions[a].cost for a in clause), default=0) for clause in self.clauses]
        self.wanted = np.array([1.0 + 0.01 * cost if clause else FREE for cost, clause in zip(cheapest, self.clauses, strict=True)])

    def left(self, taken: Iterable[int]) -> Statements:
        """The statements that no action takes away."""
        left = self.switches.everything
        for a in taken:
            left &= ~self._gone[a]
        return left


def _statements(problem: Problem, row: ProblemRow) -> list[Needed]:
    """Everything that can be left of a count: side by side, where some action weakens it. A lower limit of 0 says nothing."""
    if row.count is None:
        return []
    whole = Needed(row, *row.limits)
    if not row.hitters:
        return [whole]
    left = [row.limits, *(problem.effect(row, problem.actions[a]) for a in sorted(row.hitters - problem.merges))]
    lows, highs = dict.fromkeys(low for low, _ in left if low), dict.fromkeys(high for _, high in left if high is not None)
    sides = [*(Needed(row, low, None) for low in lows), *(Needed(row, None, high) for high in highs)]
    return [whole, *(side for side in sides if side != whole)] if row.count.gaps else sides


def _as_counts(parts: Iterable[Needed]) -> list[Statistic]:
    """Statements as counts; the first about a number has its name, which a percentage may refer to."""
    made, seen = [], set[str]()
    for part in parts:
        assert part.row.count is not None
        count = limited(part.row, part.row.count, part.low, part.high)
        made.append(replace(count, name="") if count.name in seen else count)
        seen.add(count.name)
    return made


def _joined(parts: Sequence[Needed]) -> Needed:
    """All that some statements about one number say, as one; the gaps of its mark only if one of them tells these."""
    first = parts[0]
    if len(parts) == 1 or first.row.count is None:
        return first
    whole = next((part for part in parts if part.row.tells_gaps(part.low, part.high)), None)
    lows, highs = [part.low for part in parts if part.low is not None], [part.high for part in parts if part.high is not None]
    return whole or Needed(first.row.bare, max(lows, default=None), min(highs, default=None))


class Explaining:
    """Explains breaches; what is found out about one choice of actions is kept for the next."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self._materials: dict[frozenset[int], Material] = {}
        self._asked: OrderedDict[tuple[frozenset[int], tuple[Goal, ...]], Subsets] = OrderedDict()

    def explained(
        self, breach: Breach, goals: Sequence[Goal], taken: Iterable[int], sure: bool, system: LinearSystem, deadline: Deadline
    ) -> BreachExplanation | None:
        """A set of numbers that forces a breach, without groups that can be left out; None when nothing forces it any more.

        Numbers that the same actions weaken form a group, as the cells of a table do when whole tables are withheld. `sure`: it is
        proved that what these actions leave forces it, so all of it explains it where nothing shorter is found. `system` is what is
        left, compiled.
        """
        chosen = frozenset(taken)
        merges = chosen & self.problem.merges
        material = self._material(merges, system)
        subsets = self._ask(merges, material, goals, deadline)
        kept = material.left(chosen)
        core = subsets.light(kept, material.wanted, material.alike)
        if core is None:
            found = subsets.verdict(kept)
            if isinstance(found, Open) or not (isinstance(found, Forced) or sure):
                return None
            core = found.core if isinstance(found, Forced) else kept
        return self._as_explanation(breach, material, self._shrunk(material, subsets, core))

    def cut(
        self, breach: Breach, goals: Sequence[Goal], point: Floats, system: LinearSystem, deadline: Deadline
    ) -> BreachExplanation | None:
        """An explanation that actions taken in part, as much as `point` says, do not break up; None when none was found."""
        material = self._material(frozenset(), system)
        subsets = self._ask(frozenset(), material, goals, deadline)
        # statements weigh as much as is taken of the actions that take them away: a light explanation is one that they do not meet
        met = [min(1.0, sum(point[a] for a in clause)) for clause in material.clauses]
        weights = np.array([LITTLE + some if clause else FREE * LITTLE for some, clause in zip(met, material.clauses, strict=True)])
        core = subsets.light(material.switches.everything, weights, material.alike)
        if core is None:
            return None
        found = self._as_explanation(breach, material, core)
        return found if unbroken(found, point) else None

    def _as_explanation(self, breach: Breach, material: Material, core: Statements) -> BreachExplanation:
        parts: dict[ProblemRow, list[Needed]] = {}
        for k in members(core):
            parts.setdefault(material.needed[k].row, []).append(material.needed[k])
        return explanation(self.problem, breach, map(_joined, parts.values()))

    def _material(self, merges: frozenset[int], system: LinearSystem) -> Material:
        if merges not in self._materials:
            self._materials[merges] = Material(self.problem, merged_rows(self.problem, merges), system)
        return self._materials[merges]

    def _ask(self, merges: frozenset[int], material: Material, goals: Sequence[Goal], deadline: Deadline) -> Subsets:
        key = merges, tuple(goals)
        if key not in self._asked:
            self._asked[key] = Subsets(material.switches, Question(tuple(goals)))
            if len(self._asked) > MOST_ASKED:
                self._asked.popitem(last=False)
        self._asked.move_to_end(key)
        self._asked[key].deadline = deadline
        return self._asked[key]

    def _shrunk(self, material: Material, subsets: Subsets, core: Statements) -> Statements:
        """A core without groups that can be left out, as sums show; numbers about the claim's own columns and cheap ones stay
        longest.
        """
        own = {name for predicate in subsets.question.predicates for name, _ in predicate.allowed}

        def order(clause: frozenset[int]) -> tuple[int, int, int]:
            numbers = members(material.groups[clause] & core)
            named = set[str]().union(*(material.needed[k].row.columns for k in numbers))
            return len(named - own), min(self.problem.actions[a].cost for a in clause), numbers[0]

        groups = sorted((clause for clause, some in material.groups.items() if clause and some & core), key=order, reverse=True)
        for clause in groups:
            rest = (core | material.fixed) & ~material.groups[clause]
            if not core & material.groups[clause]:
                continue
            smaller = subsets.summed(rest)
            core = core if smaller is None else smaller
        return core


def unbroken(found: BreachExplanation, point: Floats) -> bool:
    """Do actions taken in part leave an explanation as it is?"""
    return bool(sum(point[a] for a in found.clause) < 1 - LITTLE)


@dataclass(frozen=True, slots=True)
class FoundBreach:
    """A way in which a policy is broken, and what has to stay certain for it to be the same one (`goals`). Without the actions
    `given`, and after one of those of `ended`, nothing is forbidden there.
    """

    breach: Breach
    goals: Sequence[Goal]
    given: frozenset[int] = NONE
    ended: frozenset[int] = NONE
    proved: Callable[[], FoundBreach | Undecided | None] | None = None  # of one that is only suspected: is it one?


@dataclass(frozen=True, slots=True)
class Seen:
    """What is left after some actions, compiled, and what is wrong with it, looked for one after another: None stands for something
    that is in order.
    """

    system: LinearSystem
    broken: Iterable[FoundBreach | Undecided | None]


class ExactPart(ABC):
    """Attacks one part of a policy with everything that follows from what is left: looks at it, and explains every breach."""

    def __init__(self, problem: Problem, max_records: int = MAX_RECORDS) -> None:
        self.problem = problem
        self._most = max_records
        self._explaining = Explaining(problem)

    @abstractmethod
    def _look(self, taken: frozenset[int], deadline: Deadline) -> Seen | None:
        """What is left after some actions and what is wrong with it; None if it is known already that nothing is. What cannot be
        decided is an UndecidedError.
        """

    def _given(self, broken: FoundBreach, taken: frozenset[int], deadline: Deadline) -> frozenset[int]:
        """The actions, out of some that were taken, without which there would be no such breach."""
        del taken, deadline
        return broken.given

    def explanations(self, taken: set[int], deadline: Deadline) -> Explanations:
        while True:
            before, unsure, breached = frozenset(taken), "", False
            try:
                seen = self._look(before, deadline)
            except UndecidedError as error:
                return Unsure(str(error))
            for broken in () if seen is None else seen.broken:
                if isinstance(broken, FoundBreach) and seen is not None:
                    found = self._explained(broken, taken, taken == before, seen.system, deadline)
                    if found is None and broken.proved is not None and taken == before:
                        broken = broken.proved()
                        if isinstance(broken, FoundBreach):
                            found = self._explained(broken, taken, True, seen.system, deadline)
                    breached |= isinstance(broken, FoundBreach)
                    if found is not None and isinstance(broken, FoundBreach):
                        given, clause = self._given(broken, before, deadline), found.clause | broken.ended
                        yield replace(found, given=given, clause=clause, missing=broken.goals[0].missing)
                if isinstance(broken, Undecided):
                    unsure = broken.reason
                if deadline.passed():
                    return Unsure("the time limit was reached")
            if not breached:
                return Unsure(unsure) if unsure else Safe()
            if taken == before:
                return Unsure("a breach could not be explained")

    def _explained(
        self, broken: FoundBreach, taken: set[int], there: bool, system: LinearSystem, deadline: Deadline
    ) -> BreachExplanation | None:
        """`there`: nothing was done since it was found."""
        sure = there and broken.proved is None
        return self._explaining.explained(broken.breach, broken.goals, taken, sure, system, deadline)

    def safe(self, taken: Iterable[int], deadline: Deadline) -> bool:
        """Is it certain that the policy holds? The first thing that is wrong, or seems to be, ends it."""
        try:
            seen = self._look(frozenset(taken), deadline)
        except (UndecidedError, TooLargeError):
            return False
        return seen is None or all(broken is None for broken in seen.broken)

    def breaches(self, taken: Iterable[int], deadline: Deadline) -> int | None:
        """In how many ways the policy is broken; None when that could not be decided."""
        try:
            seen = self._look(frozenset(taken), deadline)
        except (UndecidedError, TooLargeError):
            return None
        found = [] if seen is None else [b.proved() if isinstance(b, FoundBreach) and b.proved else b for b in seen.broken]
        return None if any(isinstance(broken, Undecided) for broken in found) else sum(broken is not None for broken in found)

    def cuts(self, point: Floats, deep: bool, deadline: Deadline) -> Iterator[BreachExplanation]:
        del point, deep, deadline
        return iter(())

    def _case(self, left: Iterable[Left | Needed], deadline: Deadline) -> Case:
        """What is left as a case that knows a dataset."""
        case = Case(release_of(self.problem, left), deadline, self._most)
        begun(case)
        return case


def begun(case: Case) -> None:
    """Find a dataset that fits what is left of a release."""
    found = case.first_witness()
    if found is not True:
        raise UndecidedError(found.reason if isinstance(found, Undecided) else "what is left contradicts itself")


def fewest(taken: Iterable[int], enough: Callable[[list[int]], bool | None]) -> frozenset[int]:
    """As few of some actions as possible that are enough for something; most often none are needed. None: it is not known."""
    order = sorted(taken)

    def tried(chosen: Iterable[int]) -> bool | None:
        try:
            return enough([order[i] for i in chosen])
        except UndecidedError:
            return None

    return NONE if tried(()) else frozenset(order[i] for i in irreducible(range(len(order)), tried)[0])
