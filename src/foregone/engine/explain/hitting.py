"""Hitting sets: sets, one bit per element, that have something in common with each of several sets. Exact, in whole numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from foregone.solvers.answer import Undecided
from foregone.solvers.deadline import Deadline

MOST_STEPS = 20_000  # of a search


def fewest(sets: Sequence[int], deadline: Deadline, below: int | None = None) -> tuple[int, int]:
    """A hitting set with as few elements as were found, and a proved lower limit on their number.

    The two agree unless the search was too long. With `below`, sets of so many elements or more are not looked
    for: the set returned may then be larger than the limit, which is at most `below`.

    >>> fewest([0b011, 0b110, 0b101], Deadline())
    (3, 2)
    """
    search = _Search(deadline)
    sets = minimal(sets)
    search.best = greedy(sets)
    search.size = search.best.bit_count() if below is None else min(below, search.best.bit_count())
    search.run(sets, 0, 0)
    return search.best, len(apart(sets)) if search.late else search.size


class _Search:
    """Depth first: some element of the smallest set is needed; those tried before are not needed any more."""

    def __init__(self, deadline: Deadline) -> None:
        self.deadline = deadline
        self.best, self.size = 0, 0
        self.late = False
        self._steps = 0

    def run(self, sets: list[int], chosen: int, count: int) -> None:
        self._steps += 1
        self.late = self.late or self._steps > MOST_STEPS or (self._steps % 64 == 0 and self.deadline.passed())
        if self.late or count + len(apart(sets)) >= self.size:
            return
        if not sets:
            self.best, self.size = chosen, count
            return
        smallest = min(sets, key=int.bit_count)
        tried = 0
        for element in sorted(bits(smallest), key=lambda e: -sum(1 for s in sets if s & e)):
            left = [s & ~tried for s in sets if not s & element]
            if all(left):
                self.run(minimal(left), chosen | element, count + 1)
            tried |= element


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
    """Sets that have nothing in common, chosen greedily: a hitting set needs an element for each."""
    chosen, taken = [], 0
    for some in sorted(sets, key=int.bit_count):
        if not some & taken:
            chosen.append(some)
            taken |= some
    return chosen


def greedy(sets: Sequence[int]) -> int:
    """A hitting set that takes the most frequent element again and again, without what is not needed in the end."""
    left, chosen = list(sets), 0
    while left:
        counts: dict[int, int] = {}
        for some in left:
            for element in bits(some):
                counts[element] = counts.get(element, 0) + 1
        best = min(counts, key=lambda e: (-counts[e], e))
        chosen |= best
        left = [some for some in left if not some & best]
    for element in bits(chosen):
        if all(some & chosen & ~element for some in sets):
            chosen &= ~element
    return chosen


def another(sets: Sequence[int], avoided: Sequence[int], deadline: Deadline) -> int | Undecided | None:
    """A set that hits all of `sets` and contains none of `avoided`; None is a proof that there is no such set.

    >>> another([0b011, 0b110], [0b010], Deadline())
    5
    """
    steps = 0

    def extend(left: list[int], chosen: int, barred: int) -> int | None:
        nonlocal steps
        steps += 1
        if steps > MOST_STEPS or (steps % 64 == 0 and deadline.passed()):
            raise TimeoutError
        while True:  # what would complete a set that is to be avoided must not be chosen
            lone = [rest for some in avoided if not some & barred and (rest := some & ~chosen).bit_count() <= 1]
            if not all(lone):
                return None
            if not lone:
                break
            for rest in lone:
                barred |= rest
        open_ = [some & ~barred for some in left if not some & chosen]
        if not all(open_):
            return None
        if not open_:
            return chosen
        smallest = min(open_, key=int.bit_count)
        for element in sorted(bits(smallest), key=lambda e: -sum(1 for some in open_ if some & e)):
            found = extend(open_, chosen | element, barred)
            if found is not None:
                return found
            barred |= element
        return None

    try:
        return extend(list(sets), 0, 0)
    except TimeoutError:
        return Undecided("the search for further sets was too long")
