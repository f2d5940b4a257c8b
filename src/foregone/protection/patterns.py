"""Everything that may be done to a release, in one public order, for readers who know how a protection is chosen.

A *pattern* is a set of things that are done: cells or tables withheld (primary cells are among them), numbers rounded, values
merged. Patterns are ordered by what they cost; of two that cost the same, by the first thing that only one of them does: the
other one comes first. Totals stand at the head of the list of things, then numbers in their order. All of this depends on names,
tables and costs alone, so whoever reads what is published knows it, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from math import prod

from foregone.model.dataset import Dataset
from foregone.model.families import Groups
from foregone.model.policy import Policy
from foregone.model.release import Release
from foregone.policy.reader import table_of
from foregone.protection.actions import Allowed, base_cost, blocks_of, kept_numbers, problem_of, totals_of
from foregone.protection.cell_blocks import Blocking
from foregone.protection.problem import Action, ActionKind, Problem, numbers_of

Thing = tuple[ActionKind, int | str, int]  # what is done, to which number or table, to which base


@dataclass(frozen=True)
class PublicRule:
    """What is public: the release without its numbers, the policy, and what may be done. `release` is that of the true dataset,
    with what the policy says is known; of other datasets it has other counts, and is the same apart from that. Numbers that were
    not shown exactly before stay as they are.
    """

    release: Release
    policy: Policy
    allowed: Allowed
    groups: Groups = Groups.PUBLISHED

    @cached_property
    def kept(self) -> frozenset[int]:
        return kept_numbers(numbers_of(self.release), self.allowed.keep)

    @cached_property
    def things(self) -> tuple[Thing, ...]:
        """Everything that may be done to the release of some dataset; what comes first is best left undone."""
        allowed, totals = self.allowed, totals_of(self.release)
        found: dict[Thing, tuple[int, int, int, int]] = {}
        for i, count in enumerate(self.release.statistics):
            if i in self.kept or (count.hidden and allowed.by == "cell"):
                continue
            if allowed.blocks and i not in self.blocks:
                continue
            unit: int | str = self.blocks.get(i, i) if allowed.by == "cell" else table_of(count)
            hide = ActionKind.CELL if allowed.by == "cell" else ActionKind.TABLE
            rounding = [(ActionKind.ROUND, unit, base) for base in allowed.bases]
            # a primary cell is withheld, whether or not others may be
            may = allowed.withhold or (allowed.by == "cell" and self.policy.primary is not None)
            for order, thing in enumerate([(hide, unit, 0), *rounding]):
                if not order and not may:
                    continue
                worth, place, kind, base = found.get(thing, (0, i, order, thing[2]))
                found[thing] = worth - totals.get(i, 0), place, kind, base
        merges = [(ActionKind.MERGE, a.name, 0) for a in self.problem_as_it_is.actions if a.kind == ActionKind.MERGE]
        return (*sorted(found, key=found.__getitem__), *merges)

    @property
    def blocks(self) -> Mapping[int, int]:
        """For each cell the first one of its block, where cells are withheld in blocks."""
        return self.blocking.first

    @cached_property
    def blocking(self) -> Blocking:
        """Of the true dataset."""
        if not self.allowed.blocks:
            return Blocking({}, (), {})
        return blocks_of(self.release, self.policy, self.kept, self.problem_as_it_is.marking)

    @cached_property
    def problem_as_it_is(self) -> Problem:
        return problem_of(self.release, self.policy, self.allowed, self.groups)

    @cached_property
    def _bits(self) -> dict[Thing, int]:
        last = len(self.things) - 1
        return {thing: 1 << last - k for k, thing in enumerate(self.things)}

    def release_of(self, dataset: Dataset) -> Release:
        """What would be given to `protect` if this were the true dataset."""
        counts = dataset.counts(s.predicate for s in self.release.statistics)
        if not any(s.open for s in self.release.statistics):
            return Release.of(self.release.workload, counts, counts)
        exact = zip(self.release.statistics, counts, strict=True)
        return self.release.changed(statistics=[s if s.open else replace(s, low=n, high=n) for s, n in exact])

    def problem_of(self, dataset: Dataset) -> Problem:
        return problem_of(self.release_of(dataset), self.policy, self.allowed, self.groups)

    def bit(self, action: Action) -> int:
        """An action as one of the things, as a set of one; smaller numbers come first in the order, at equal cost."""
        by_number = self.allowed.by == "cell" and action.kind in (ActionKind.CELL, ActionKind.ROUND)
        unit = action.name if not by_number else self.blocks.get(min(action.numbers), min(action.numbers))
        return self._bits[action.kind, unit, action.base]

    def in_order(self, problem: Problem) -> list[int]:
        """The actions of a problem in the order of things."""
        return sorted(range(len(problem.actions)), key=lambda a: -self.bit(problem.actions[a]))

    def forced(self, problem: Problem) -> int:
        """What is done in any case, by cell: primary cells are withheld."""
        if self.allowed.by == "table":
            return 0
        new = (i for i in problem.primary if not self.release.statistics[i].hidden)
        return sum(self._bits[ActionKind.CELL, unit, 0] for unit in {self.blocks.get(i, i) for i in new})

    def pattern(self, problem: Problem, taken: Iterable[int]) -> int:
        """What is done if some actions are taken, as a set; of patterns of equal cost the one with the smaller number is first."""
        return self.forced(problem) | sum(self.bit(problem.actions[a]) for a in taken)

    def taken(self, problem: Problem, pattern: int) -> frozenset[int] | None:
        """The actions that make a pattern; None where a dataset does not allow it."""
        forced = self.forced(problem)
        own = {self.bit(action): a for a, action in enumerate(problem.actions)}
        wanted = [1 << k for k in range(pattern.bit_length()) if pattern >> k & 1 and not forced >> k & 1]
        if forced & ~pattern or any(bit not in own for bit in wanted):
            return None
        return problem.must.union(own[bit] for bit in wanted)

    def cost(self, problem: Problem, taken: Iterable[int]) -> int:
        """With what primary cells cost."""
        return base_cost(problem, self.allowed) + problem.cost(taken)

    def together(self, pattern: int) -> list[list[int]]:
        """The cells of every block that a pattern withholds."""
        first = {unit for (kind, unit, _), bit in self._bits.items() if pattern & bit and kind == ActionKind.CELL}
        return [[i for i, block in self.blocks.items() if block == unit] for unit in sorted(first, key=str)]

    def patterns(self) -> Iterator[int]:
        """Every pattern. What is withheld is not rounded as well, and nothing is rounded twice: that would show nothing less."""
        return map(sum, product(*self._choices))

    @property
    def ways(self) -> int:
        """How many patterns there are."""
        return prod(map(len, self._choices))

    @cached_property
    def _choices(self) -> list[list[int]]:
        """For each number or table, and for each merge, what may be done about it: nothing, or one of several things."""
        units: dict[object, list[int]] = {}
        for thing, bit in self._bits.items():
            kind, unit, _ = thing
            units.setdefault(thing if kind == ActionKind.MERGE else unit, [0]).append(bit)
        return list(units.values())
