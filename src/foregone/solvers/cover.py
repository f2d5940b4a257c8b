"""Sets to be met: a choice of items that has something in common with every one of them. Two ways to find one.

`fewest` and `another` search in whole numbers, with sets as bits of an integer: what they say is proved. They serve explanations,
where sets are few and every item counts the same. `Covering` asks HiGHS, for choices of actions that cost different amounts: sets
may then bind only choices that hold all of some other items, and they are added as they are found. What it chooses is checked
against all sets in whole numbers; a bound is the solver's word, rounded up to the next whole cost.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from math import ceil
from operator import or_

import numpy as np

from foregone.solvers.answer import Undecided
from foregone.solvers.arrays import Floats
from foregone.solvers.deadline import Deadline
from foregone.solvers.highs import Ending, HighsModel

MOST_STEPS = 20_000  # of a search
TOLERANCE = 1e-6


def fewest(sets: Sequence[int], deadline: Deadline, below: int | None = None) -> tuple[int, int]:
    """A set that meets all of them with as few elements as were found, and a proved lower limit on their number.

    The two agree unless the search was too long. With `below`, sets of so many elements or more are not looked
    for: the set returned may then be larger than the limit, which is at most `below`.

    >>> fewest([0b011, 0b110, 0b101], Deadline())
    (3, 2)
    """
    sets = minimal(sets)
    best = greedy(sets)
    search = _Meeting((), deadline, best.bit_count() if below is None else min(below, best.bit_count()))
    try:
        for best in search.run(sets, 0, 0):
            search.below = best.bit_count()
    except TimeoutError:
        return best, len(apart(sets))
    assert search.below is not None
    return best, search.below


def another(sets: Sequence[int], avoided: Sequence[int], deadline: Deadline) -> int | Undecided | None:
    """A set that meets all of `sets` and contains none of `avoided`; None is a proof that there is no such set.

    >>> another([0b011, 0b110], [0b010], Deadline())
    5
    """
    try:
        return next(_Meeting(avoided, deadline).run(sets, 0, 0), None)
    except TimeoutError:
        return Undecided("the search for further sets was too long")


@dataclass
class _Meeting:
    """Depth first: some element of the smallest set is needed; those tried before are not needed any more.

    With `below`, which may become less on the way, only sets of fewer elements are looked for.
    """

    avoided: Sequence[int]
    deadline: Deadline
    below: int | None = None
    steps: int = 0

    def run(self, sets: Sequence[int], chosen: int, barred: int) -> Iterator[int]:
        """Sets that contain the chosen elements and none that is barred."""
        self.steps += 1
        if self.steps > MOST_STEPS or (self.steps % 64 == 0 and self.deadline.passed()):
            raise TimeoutError
        # what would complete a set that is to be avoided must not be chosen
        while lone := [rest for some in self.avoided if not some & barred and (rest := some & ~chosen).bit_count() <= 1]:
            if not all(lone):
                return
            barred |= reduce(or_, lone)
        left = [some & ~barred for some in sets if not some & chosen]
        if not all(left):
            return
        if self.below is not None:
            left = minimal(left)
            if chosen.bit_count() + len(apart(left)) >= self.below:
                return
        if not left:
            yield chosen
            return
        smallest = min(left, key=int.bit_count)
        for element in sorted(bits(smallest), key=lambda e: -sum(1 for some in left if some & e)):
            yield from self.run(left, chosen | element, barred)
            barred |= element


def bits(some: int) -> list[int]:
    """The elements of a set, each as a set of one."""
    found = []
    while some:
        found.append(some & -some)
        some &= some - 1
    return found


def minimal(sets: Iterable[int]) -> list[int]:
    """Those that contain no other, small ones first."""
    kept: list[int] = []
    for some in sorted(set(sets), key=lambda s: (s.bit_count(), s)):
        if not any(known & ~some == 0 for known in kept):
            kept.append(some)
    return kept


def apart(sets: Sequence[int]) -> list[int]:
    """Sets that have nothing in common, chosen greedily: whatever meets them needs an element for each."""
    chosen, taken = [], 0
    for some in sorted(sets, key=int.bit_count):
        if not some & taken:
            chosen.append(some)
            taken |= some
    return chosen


def greedy(sets: Sequence[int]) -> int:
    """A set that meets all: the most frequent element again and again, without what is not needed in the end."""
    left, chosen = list(sets), 0
    while left:
        counts = Counter(element for some in left for element in bits(some))
        best = min(counts, key=lambda e: (-counts[e], e))
        chosen |= best
        left = [some for some in left if not some & best]
    for element in bits(chosen):
        if all(some & chosen & ~element for some in sets):
            chosen &= ~element
    return chosen


@dataclass(frozen=True, slots=True)
class Choice:
    """A choice that meets every set, and a whole number that no such choice costs less than, as far as the solver is right."""

    chosen: frozenset[int]
    bound: int


class Covering:
    """Items with whole costs, and sets of them; sets are added as they are found."""

    def __init__(self, costs: Sequence[int]) -> None:
        self.costs = tuple(costs)
        self.sets: list[frozenset[int]] = []
        self.given: list[frozenset[int]] = []  # for each set what a choice has to hold to be bound by it
        self.impossible = False  # no choice meets all sets
        self._known: set[tuple[frozenset[int], frozenset[int]]] = set()
        self._model = HighsModel(mip_rel_gap=0.0, mip_abs_gap=0.9)
        self._items = self._model.add_columns(len(costs), costs, 1.0)
        self._whole = False

    def add(self, items: Iterable[int], given: Iterable[int] = ()) -> bool:
        """One more set to meet, by choices that hold all `given` items; False when it was there already."""
        new, known = frozenset(items), frozenset(given)
        if not (new or known) or new & known or (new, known) in self._known:
            return False
        self._known.add((new, known))
        self.sets.append(new)
        self.given.append(known)
        both = sorted(new | known)
        signs = [-1.0 if item in known else 1.0 for item in both]
        self._model.add_rows([1.0 - len(known)], [np.inf], [len(both)], both, signs)
        return True

    def forbid(self, chosen: Iterable[int]) -> None:
        """From now on no choice may hold all of these."""
        items = sorted(chosen)
        self._model.add_rows([-np.inf], [len(items) - 1.0], [len(items)], items, np.ones(len(items)))

    def relaxed(self, deadline: Deadline | None = None) -> tuple[Floats, Floats] | None:
        """How much of each item the relaxation takes, and what it pays for each set."""
        if not self.sets:
            return np.zeros(len(self.costs)), np.zeros(0)
        return (self._model.point, self._model.duals) if self._run(False, deadline) is Ending.OPTIMAL else None

    def cheapest(self, deadline: Deadline | None = None) -> Choice | None:
        """The cheapest choice, or the best found in time; None when there is none."""
        if not self.sets:
            return Choice(frozenset(), 0)
        self.impossible = self._run(True, deadline) is Ending.INFEASIBLE
        if not self._model.has_point:
            return None
        chosen = frozenset(np.flatnonzero(self._model.point > 0.5).tolist())
        if not all(chosen & items or not known <= chosen for items, known in zip(self.sets, self.given, strict=True)):
            return None
        cost = sum(self.costs[i] for i in chosen)
        return Choice(chosen, min(cost, _whole(self._model.bound)))

    def least(self, deadline: Deadline | None = None) -> int:
        """A whole number that no choice that meets every set costs less than, as far as the solver is right; a choice need not be
        found for it.
        """
        relaxed = self.relaxed(deadline)
        least = 0 if relaxed is None else _whole(float(np.dot(self.costs, relaxed[0])))
        if not self.sets or self._run(True, deadline) is Ending.INFEASIBLE:
            return least
        return max(least, _whole(self._model.bound))

    def _run(self, whole: bool, deadline: Deadline | None) -> Ending:
        if whole is not self._whole:
            self._whole = whole
            self._model.set_whole(self._items, whole)
        return self._model.run(deadline or Deadline())


def _whole(bound: float) -> int:
    """The least whole cost that a solver's bound leaves possible."""
    return max(0, ceil(bound - TOLERANCE * (1 + abs(bound)))) if np.isfinite(bound) else 0
