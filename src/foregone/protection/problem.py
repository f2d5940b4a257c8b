"""What may be done to a release, and what is left of it then.

An action weakens published numbers and does nothing else: whatever follows from what is left followed from the release
before. So a set of numbers that breaks the policy by itself (an *explanation*) is broken up by an action that weakens
one of them, and every protection contains such an action for every explanation.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property

from foregone.model.domain import Column, Domain
from foregone.model.families import Groups, families_of
from foregone.model.figure import Figure, Measure
from foregone.model.policy import Policy
from foregone.model.predicate import Predicate
from foregone.model.release import Number, Release, range_shown
from foregone.model.statement import Either, Limits, Statement, Statistic
from foregone.policy.reader import table_of
from foregone.protection.marking import MarkPlan, hidden
from foregone.protection.merging import TableSum, blocks_of, cuts, shown_sums, sums_of, widened

ANYTHING: Limits = (0, None)  # all that is known of a count about which nothing is known
MOST_WEIGHT = 500_000  # of everything that may be done: a solver's bound, which may be off by a millionth, is then right
NONE: frozenset[int] = frozenset()


class ActionKind(StrEnum):
    CELL = "cell"
    TABLE = "table"
    ROUND = "round"
    MERGE = "merge"


@dataclass(frozen=True, slots=True)
class Action:
    """One thing that can be done: withhold a cell or a table, round cells to a base, or merge two values of a column."""

    kind: ActionKind
    name: str
    cost: int
    numbers: frozenset[int]  # published numbers that it weakens, as `numbers_of` counts them
    dearer: int = 0  # among choices of equal cost the one with the least of this is taken
    base: int = 0  # to round to
    merged: tuple[int, int, int] = (-1, 0, 0)  # the column and the positions of the two codes

    @property
    def words(self) -> str:
        match self.kind:
            case ActionKind.CELL:
                return f"withhold {self.name}"
            case ActionKind.TABLE:
                return f"withhold table {self.name}"
            case ActionKind.ROUND:
                return f"round {self.name} to a multiple of {self.base}"
            case ActionKind.MERGE:
                return f"merge {self.name}"


@dataclass(frozen=True, slots=True)
class Demand:
    """A count must be able to have so many different values. Nobody would ask for it but for the actions `given`, nor after one of
    those of `ended`, which leave no such cell.
    """

    cell: int
    values: int
    given: frozenset[int] = NONE
    ended: frozenset[int] = NONE


@dataclass(frozen=True, slots=True, eq=False)
class ProblemRow:
    """A number as it is shown while no action touches it, and the actions that would."""

    number: Number
    sources: tuple[int, ...]  # the published numbers that it is made of: one, or several that a merge adds up
    hitters: frozenset[int]
    primary: bool = False  # withheld in any case; the limits of its number are what is known all the same
    alone: bool = False  # the only count of its table

    @property
    def count(self) -> Statistic | None:
        """The row as a count, if it is one."""
        return self.number if isinstance(self.number, Statistic) else None

    @property
    def exact(self) -> bool:
        return self.count is not None and not self.primary and not self.count.open

    @property
    def limits(self) -> Limits:
        """Of a count; other numbers are there or not."""
        return (None, None) if self.count is None else (self.count.low, self.count.high)

    @property
    def bare(self) -> ProblemRow:
        """The row without the gaps of its mark, which nobody knows once something was done to it."""
        return replace(self, number=replace(self.count, gaps=())) if self.count is not None and self.count.gaps else self

    def tells_gaps(self, low: int | None, high: int | None) -> bool:
        """Do these limits say all that the mark says, its gaps, too?"""
        return self.count is not None and bool(self.count.gaps) and (low or 0, high) == (self.count.low, self.count.high)

    @property
    def columns(self) -> set[str]:
        """The columns that it looks at."""
        named = {name for predicate in self.number.predicates for name, _ in predicate.allowed}
        return named | ({self.number.of} if isinstance(self.number, Figure) else set())


def _declaring(column: Column, masks: Iterable[int]) -> Column:
    known = {frozenset(codes) for _, codes in column.groups}
    several = sorted(mask for mask in masks if mask & (mask - 1) and mask != column.full)
    new = [codes for mask in several if frozenset(codes := tuple(column.codes_of(mask))) not in known]
    return replace(column, groups=(*column.groups, *(("|".join(codes), codes) for codes in new)))


def numbers_of(release: Release) -> tuple[Number, ...]:
    """Everything that was published: counts, figures, and what a program added."""
    return (*release.published, *release.own)


@dataclass(frozen=True)
class Problem:
    """A release as a reader knows it, a policy, what may be done and what it costs.

    `true` are the true numbers of counts, as far as they are known; `marking` tells what is known of a cell that is withheld.
    """

    release: Release
    policy: Policy
    actions: tuple[Action, ...]
    primary: frozenset[int] = frozenset()  # cells that are withheld in any case
    groups: Groups = Groups.PUBLISHED  # of values that claims may name
    marking: MarkPlan = field(default_factory=MarkPlan)
    true: Mapping[int, int] = field(default_factory=dict)
    before: Release | None = None  # as it was, with what the policy says is known, before marks were changed
    must: frozenset[int] = frozenset()  # actions that are taken in any case: primary cells are withheld with their block

    @property
    def read(self) -> Release:
        """The release as it was, with what the policy says is known."""
        return self.before or self.release

    @cached_property
    def domain(self) -> Domain:
        """The domain with every group that the release names, or that an allowed merge makes, declared: what claims may name does
        not change with what is shown.
        """
        if self.groups == Groups.NONE:
            return self.release.domain
        columns = self.release.domain.columns
        sets = [set(masks) | {1 << code for code in range(len(columns[c].codes))} for c, masks in enumerate(self.named)]
        for merges in [*({a} for a in sorted(self.merges)), set(self.merges)]:
            for c, blocks in blocks_of(self.actions[a].merged for a in sorted(merges)).items():
                sets[c] |= {widened(mask, blocks) for mask in sets[c]}
        return replace(self.release.domain, columns=tuple(map(_declaring, columns, sets)))

    @property
    def named(self) -> tuple[tuple[int, ...], ...]:
        return families_of(self.release.workload).sets

    @cached_property
    def costs(self) -> tuple[int, ...]:
        return tuple(action.cost for action in self.actions)

    @cached_property
    def scale(self) -> int:
        """More than all that makes choices of equal cost differ; 1 where nothing does, as numbers too large for a solver would."""
        scale = 1 + sum(action.dearer for action in self.actions)
        return scale if scale * sum(self.costs) <= MOST_WEIGHT else 1

    @cached_property
    def weights(self) -> tuple[int, ...]:
        """Costs by which a choice that costs less weighs less, and of two that cost the same the one that keeps more totals."""
        return tuple(action.cost * self.scale + (action.dearer if self.scale > 1 else 0) for action in self.actions)

    def weight(self, taken: Iterable[int]) -> int:
        return sum(self.weights[a] for a in taken)

    def wanted(self, taken: Iterable[int]) -> list[Demand]:
        """Which counts must stay unknown after some actions."""
        policy, chosen = self.policy, frozenset(taken)
        asked = [Demand(i, policy.min_width) for i in sorted(self.primary)]
        for i, count in enumerate(self.release.statistics if policy.stars else ()):
            hitters = self.rows[i].hitters
            hiding = sorted(a for a in hitters & chosen if self.actions[a].kind in (ActionKind.CELL, ActionKind.TABLE))
            always = count.hidden or i in self.primary
            merged, judged = bool(hitters & chosen & self.merges), i in self.primary and policy.min_width >= policy.stars
            if (always or hiding) and not merged and not judged:
                asked.append(Demand(i, policy.stars, NONE if always else frozenset(hiding[:1]), hitters & self.merges))
        return asked

    def cost(self, taken: Iterable[int]) -> int:
        return sum(self.actions[a].cost for a in taken)

    @cached_property
    def merges(self) -> frozenset[int]:
        return frozenset(a for a, action in enumerate(self.actions) if action.kind == ActionKind.MERGE)

    @cached_property
    def rows(self) -> tuple[ProblemRow, ...]:
        """Everything published, primary cells already withheld."""
        numbers = numbers_of(self.release)
        hitters: list[set[int]] = [set() for _ in numbers]
        for a, action in enumerate(self.actions):
            for i in action.numbers:
                hitters[i].add(a)
        tables = Counter(table_of(count) for count in self.release.statistics)
        made = []
        for i, number in enumerate(numbers):
            secret = i in self.primary
            if secret and isinstance(number, Statistic) and not number.hidden:
                number = hidden(number, self.marking, self.policy.knows.primary_at_most)
            alone = isinstance(number, Statistic) and tables[table_of(number)] == 1
            made.append(ProblemRow(number, (i,), frozenset(hitters[i]), secret, alone))
        return tuple(made)

    @cached_property
    def sums(self) -> tuple[tuple[TableSum, ProblemRow], ...]:
        """Sums that can stand in for counts when values are merged, as rows. Any other action on a part takes away the sum."""
        domain, made = self.release.domain, []
        counts = [(i, s.table, s.predicate.masks(domain)) for i, s in enumerate(self.release.statistics) if self.rows[i].exact]
        for found in sums_of(domain, [self.actions[a].merged for a in sorted(self.merges)], counts):
            parts = [self.release.statistics[i] for i in found.parts]
            masks = {c: mask for c, mask in found.whole if mask != domain.columns[c].full}
            predicate = Predicate.of({domain.columns[c].name: domain.columns[c].codes_of(mask) for c, mask in masks.items()})
            name = " + ".join(part.name for part in parts if part.name)
            hitters = frozenset[int]().union(*(self.rows[i].hitters for i in found.parts)) - self.merges
            cut = {a for a in self.merges if cuts(self.actions[a].merged, masks)}
            total = Statistic.exact(predicate, sum(part.low for part in parts), name, found.table)
            if self.policy.primary is None or not self.policy.primary.holds(name, total.low, total.high):  # it would be shown
                made.append((found, ProblemRow(total, found.parts, hitters | cut)))
        return tuple(made)

    def effect(self, row: ProblemRow, action: Action) -> Limits:
        """What is still known of a number after an action."""
        count = row.count
        if count is None:
            return None, None
        if len(row.sources) > 1:
            return ANYTHING  # a sum is shown only while all of its parts would be: a range of it would tell about the others
        if action.kind == ActionKind.CELL:
            return self.marking.limits(count)
        if action.kind == ActionKind.ROUND and count.low == count.high:
            low, high = range_shown(count.low, action.base)
            return max(low, min(count.low, self.marking.least)), high
        most = self._at_most(row)
        if action.kind == ActionKind.TABLE and row.alone:  # a table of one number is that number
            return min(count.low, self.marking.least), most
        return 0, most

    def _at_most(self, row: ProblemRow) -> int | None:
        """What is known of a primary cell even after its table was withheld: a policy that names it says so."""
        named = row.primary and self.policy.primary is not None and bool(self.policy.primary.names)
        return self.policy.knows.primary_at_most if named else None


@dataclass(frozen=True, slots=True)
class Needed:
    """A number, and the weakest statement about it that an explanation needs."""

    row: ProblemRow
    low: int | None
    high: int | None

    def hit_by(self, problem: Problem) -> Iterator[int]:
        """The actions after which the statement does not follow from what is left of the number; of a figure nothing is left."""
        if self.row.count is None:
            yield from self.row.hitters
            return
        for a in self.row.hitters:
            left = (None, None) if a in problem.merges else problem.effect(self.row, problem.actions[a])
            if self.row.tells_gaps(self.low, self.high) or not _implies(left, (self.low, self.high)):
                yield a


def _implies(known: Limits, needed: Limits) -> bool:
    low = needed[0] is None or (known[0] is not None and known[0] >= needed[0])
    return low and (needed[1] is None or (known[1] is not None and known[1] <= needed[1]))


@dataclass(frozen=True, slots=True)
class Left:
    """A row after some actions: a count has these limits; `hit` are those of the actions that weaken it."""

    row: ProblemRow
    low: int | None
    high: int | None
    hit: tuple[int, ...] = ()

    @property
    def changed(self) -> bool:
        """Is it not as it was published?"""
        return bool(self.hit)

    @property
    def empty(self) -> bool:
        """It says nothing."""
        return self.changed if self.row.count is None else self.high is None and not self.low and not self.row.count.gaps

    @property
    def withheld(self) -> bool:
        return self.row.primary or (self.changed and self.high is None)

    @property
    def hidden(self) -> bool:
        """Is the number not shown, now or before?"""
        return self.withheld or (self.row.count is not None and self.row.count.hidden)


def weaken(problem: Problem, taken: Iterable[int]) -> list[Left]:
    """What the release says after some actions. A sum that stands in for merged counts is there as it is, or not at all."""
    chosen = frozenset(taken)
    made = []
    for row in merged_rows(problem, chosen & problem.merges):
        low, high = row.limits
        hit = sorted(row.hitters & chosen)
        if hit and len(row.sources) > 1:
            continue
        for a in hit:  # each leaves a range around the number, and both together the range around these
            effect = problem.effect(row, problem.actions[a])
            low = None if low is None or effect[0] is None else min(low, effect[0])
            high = None if high is None or effect[1] is None else max(high, effect[1])
        made.append(Left(row.bare if hit else row, low, high, tuple(hit)))
    return made


def merged_rows(problem: Problem, merges: frozenset[int]) -> tuple[ProblemRow, ...]:
    """The rows when values are merged: a row that tells merged values apart is gone, and sums are shown in place of such rows."""
    if not merges:
        return problem.rows
    kept = [row for row in problem.rows if not row.hitters & merges]
    gone = frozenset(row.sources[0] for row in problem.rows if row.hitters & merges)
    merged = [problem.actions[a].merged for a in sorted(merges)]
    return (*kept, *(problem.sums[s][1] for s in shown_sums([made for made, _ in problem.sums], merged, gone)))


def release_of(problem: Problem, parts: Iterable[Left | Needed]) -> Release:
    """Some rows with limits as a release: counts first, in their order, then everything else."""
    parts = list(parts)
    counts = [limited(part.row, part.row.count, part.low, part.high) for part in parts if part.row.count is not None]
    others = [part.row.number for part in parts]
    figures = [number for number in others if isinstance(number, Figure)]
    bases = {figure.of for figure in figures if figure.measure is Measure.PERCENT and figure.of} - {count.name for count in counts}
    counts += [s.known(0, None) for s in problem.release.statistics if s.name in bases]
    own = [number for number in others if isinstance(number, Statement | Either)]
    return Release(problem.domain, counts, problem.release.rules, own, figures=figures)


def limited(row: ProblemRow, count: Statistic, low: int | None, high: int | None) -> Statistic:
    """A count with these limits, and with the gaps of its mark if they are all that the mark says."""
    return replace(count.known(low or 0, high, withheld=False), gaps=count.gaps if row.tells_gaps(low, high) else ())
