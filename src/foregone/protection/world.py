"""The rule for readers who know it, worked out for every dataset of a small world.

Patterns are gone through in their public order (`patterns`). At each one, the datasets that have not been published under an
earlier one and would show the same under this one are taken together, and of these the largest stable list (`listed`) is
published under it. So a reader who knows the rule, and sees what is published, is left with exactly such a list: nothing is known
that the policy forbids.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from foregone.engine import Case, generate
from foregone.model.dataset import Dataset
from foregone.model.errors import ForegoneError, TooLargeError
from foregone.model.release import Release, range_shown
from foregone.policy.reader import table_of
from foregone.protection.listed import ListedDatasets
from foregone.protection.patterns import PublicRule, Thing
from foregone.protection.problem import ActionKind, Problem
from foregone.protection.published import protected_release
from foregone.solvers.deadline import Deadline

MOST_DATASETS = 3_000
MOST_PATTERNS = 1 << 15
NOTHING_SHOWN, PRIMARY, ROUNDED = -1, -2, -10  # what stands in the place of a count


class TimeOverError(Exception):
    """The rule was not worked out to the end."""


def datasets_of(rule: PublicRule, deadline: Deadline, most: int = MOST_DATASETS) -> tuple[Dataset, ...] | None:
    """Every dataset that is possible whatever is withheld; None when there are too many, or no end of them."""
    numbers = rule.release.statistics
    stays = [s for i, s in enumerate(numbers) if i in rule.kept and not s.open]
    # a mark may come to stand for more than it did before
    before = [s.known(0, None) if s.hidden and i not in rule.kept else s for i, s in enumerate(numbers) if s.open]
    background = Release(rule.release.domain, [*stays, *before], rule.release.rules)
    try:
        case = Case(background, deadline)
        case.first_witness()
        found = generate(case, most, apart=False)
    except TooLargeError:
        return None
    return found.datasets if found.complete else None


class SmallWorld:
    """Every dataset of a world, and under which pattern each is published: `published` has the pattern, as a set of things, and
    what it costs. Those for which no pattern is enough are not in it.
    """

    def __init__(self, rule: PublicRule, datasets: Sequence[Dataset], deadline: Deadline | None = None) -> None:
        if rule.ways > MOST_PATTERNS:
            raise TooLargeError(f"{len(rule.things)} things may be done, too many to go through every choice of them")
        self.rule, self.datasets, self._deadline = rule, datasets, deadline or Deadline()
        self.problems = [self._problem(dataset) for dataset in datasets]
        some = next((problem for problem in self.problems if problem is not None), rule.problem_as_it_is)
        seen = rule.release.changed(domain=some.domain)
        self.listed = ListedDatasets(seen, rule.policy, rule.groups, datasets, everything=True)
        self.published: dict[int, tuple[int, int]] = {}
        self._alike: dict[int, list[int]] = {}

    def _problem(self, dataset: Dataset) -> Problem | None:
        """None for a dataset that is none of this world, or cannot be protected for a reason of its own."""
        if self._deadline.passed():
            raise TimeOverError
        numbers = self.rule.release.statistics
        counts = dataset.counts(s.predicate for s in numbers)
        if not all(s.holds(n) for s, n in zip(numbers, counts, strict=True) if s.open):
            return None
        try:
            return self.rule.problem_of(dataset)
        except ForegoneError:
            return None

    def run(self, until: int | None = None) -> None:
        """Go through the patterns, until one dataset is published if that is enough."""
        for cost, pattern, some in self._in_order():
            left = [y for y in some if y not in self.published]
            for together in self._shown_alike(pattern, left):
                stay = self._stable(pattern, together)
                for y in stay:
                    self.published[y] = pattern, cost
                    self._alike[y] = stay
            if until is not None and until in self.published:
                return

    def alike(self, y: int) -> list[int]:
        """The datasets that a reader who knows the rule is left with if this is the true one."""
        return self._alike[y]

    def stable_by_itself(self, some: Sequence[int]) -> bool:
        """Are some datasets that are published alike a stable list, every column counted?"""
        rule, pattern = self.rule, self.published[some[0]][0]
        chosen = [self.datasets[y] for y in some]
        listed = ListedDatasets(self.listed.release, rule.policy, rule.groups, chosen, everything=False)
        return not listed.too_certain(self._hidden(pattern, some[0]), [self._primary(y) for y in some])

    def _in_order(self) -> Iterator[tuple[int, int, list[int]]]:
        """What each pattern costs, and for which datasets it can be had, cheapest first."""
        rule, problems = self.rule, self.problems
        bits: list[int] = [1 << k for k in range(len(rule.things))]
        forced = np.full(len(problems), -1, dtype=np.int64)
        may, costs = np.zeros(len(problems), dtype=np.int64), np.zeros((len(problems), len(bits)), dtype=np.int64)
        base = np.zeros(len(problems), dtype=np.int64)
        for y, problem in enumerate(problems):
            if problem is None:
                continue
            forced[y] = rule.forced(problem)
            own = {rule.bit(action): action.cost for action in problem.actions}
            may[y] = forced[y] | sum(own)
            costs[y] = [own.get(bit, 0) for bit in bits]
            base[y] = rule.cost(problem, ())
        entries: dict[tuple[int, int], list[int]] = {}
        for number, pattern in enumerate(rule.patterns()):
            if not number & 255 and self._deadline.passed():
                raise TimeOverError
            some = np.flatnonzero((forced & ~pattern == 0) & (pattern & ~may == 0))
            if len(some):
                taken = np.array([bool(pattern & bit) for bit in bits])
                for y, cost in zip(some.tolist(), (base[some] + costs[some] @ taken).tolist(), strict=True):
                    entries.setdefault((cost, pattern), []).append(y)
        for (cost, pattern), found in sorted(entries.items()):
            if self._deadline.passed():
                raise TimeOverError
            yield cost, pattern, found

    def _stable(self, pattern: int, together: list[int]) -> list[int]:
        """Of the datasets that show the same under a pattern those that are published under it."""
        hidden = self._hidden(pattern, together[0]) if self.rule.policy.stars else []
        stay = self.listed.largest_stable(together, hidden, self._primary)
        if stay and self.rule.policy.attribute and self.listed.tells_attribute(self._fitting(pattern, together[0])):
            return []  # whoever does not know the rule would know it
        return stay

    def _primary(self, y: int) -> frozenset[int]:
        problem = self.problems[y]
        assert problem is not None
        return problem.primary

    def after(self, pattern: int, y: int) -> Release:
        """What is published of a dataset under a pattern."""
        problem = self.problems[y]
        assert problem is not None
        taken = self.rule.taken(problem, pattern)
        assert taken is not None
        return protected_release(problem, taken)

    def _hidden(self, pattern: int, y: int) -> list[int]:
        """The counts that are not shown, but for those that a merge leaves none of."""
        done = self._done(pattern)
        if not any(kind == ActionKind.MERGE for kind, _, _ in done):
            gone = {i for kind, unit, _ in done if kind != ActionKind.ROUND for i in self._cells_of(unit)}
            before = (i for i, s in enumerate(self.rule.release.statistics) if s.hidden)
            return sorted({*gone, *before, *self._primary(y)})
        names = {(s.predicate, s.name, s.table): i for i, s in enumerate(self.rule.release.statistics)}
        return [names[s.predicate, s.name, s.table] for s in self.after(pattern, y).statistics if s.hidden]

    def _fitting(self, pattern: int, y: int) -> list[int]:
        """All datasets that fit what is shown, whether or not they would have been published so."""
        left = self.after(pattern, y).statistics
        counts = [dataset.counts(s.predicate for s in left) for dataset in self.datasets]
        return [k for k, own in enumerate(counts) if all(s.holds(n) for s, n in zip(left, own, strict=True))]

    def _shown_alike(self, pattern: int, some: Sequence[int]) -> list[list[int]]:
        """Datasets of which the same would be published under a pattern, together."""
        alike: dict[object, list[int]] = {}
        if some:
            keys = self._printed(pattern, some)
            for y, key in zip(some, keys, strict=True):
                alike.setdefault(key, []).append(y)
        return list(alike.values())

    def _printed(self, pattern: int, some: Sequence[int]) -> list[object]:
        """What would be published of each dataset, as something that can be compared."""
        rule = self.rule
        done = self._done(pattern)
        if any(kind == ActionKind.MERGE for kind, _, _ in done):
            return [self.after(pattern, y).statistics for y in some]
        shown = self.listed.counts[:, some].copy()
        primary = self._primary_cells[:, some]
        by_cell = rule.allowed.by == "cell"
        for kind, unit, base in done:
            for cell in self._cells_of(unit):
                if kind == ActionKind.ROUND:
                    count = self.listed.counts[cell, some]
                    low = np.array([range_shown(n, base)[0] for n in count.tolist()])
                    shown[cell] = np.where(count > 0, ROUNDED - rule.allowed.bases.index(base) - low * (1 << 10), 0)
                else:
                    shown[cell] = NOTHING_SHOWN
        shown[[i for i, s in enumerate(rule.release.statistics) if s.open]] = NOTHING_SHOWN  # the same for all
        # that a cell is primary may be known once it is not shown, but not if its table is gone
        known = by_cell and rule.policy.knows.primary_at_most is not None
        withheld = primary & ((shown != NOTHING_SHOWN) | known)
        shown[withheld] = PRIMARY if known or not by_cell else NOTHING_SHOWN
        return [(self._markings[y], column.tobytes()) for y, column in zip(some, shown.T, strict=True)]

    def _done(self, pattern: int) -> list[Thing]:
        return [thing for k, thing in enumerate(reversed(self.rule.things)) if pattern >> k & 1]

    def _cells_of(self, unit: int | str) -> list[int]:
        """The numbers of a table, or a number by itself."""
        return [unit] if isinstance(unit, int) else self._tables[unit]

    @cached_property
    def _primary_cells(self) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
        made = np.zeros(self.listed.counts.shape, dtype=bool)
        for y, problem in enumerate(self.problems):
            if problem is not None:
                made[sorted(problem.primary), y] = True
        return made

    @cached_property
    def _tables(self) -> dict[str, list[int]]:
        made: dict[str, list[int]] = {}
        for i, s in enumerate(self.rule.release.statistics):
            if i not in self.rule.kept:
                made.setdefault(table_of(s), []).append(i)
        return made

    @cached_property
    def _markings(self) -> list[int]:
        """A number for each dataset: datasets have the same one if their marks mean the same."""
        kinds: list[object] = []
        made = []
        for problem in self.problems:
            marking = None if problem is None else replace(problem.marking, zeros=False)  # which zeros may go is not printed
            if marking not in kinds:
                kinds.append(marking)
            made.append(kinds.index(marking))
        return made
