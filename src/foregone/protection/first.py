"""A first protection by looking alone: to see whether a choice of tables is safe is much quicker than to explain why it is not.

What is found is a protection and nothing else: that nothing is cheaper has to be shown by explanations.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence

from foregone.protection.problem import NONE, Problem

Enough = Callable[[frozenset[int]], bool]


def fewer_and_fewer(begin: Iterable[int], order: Sequence[int], enough: Enough) -> Iterator[frozenset[int]]:
    """Sets that are enough, each with less than the one before: all of `begin`, and some of `order`. None if all of both is not.

    The shortest beginning of the order is looked for by halving. Its last member is needed, so it stays, and a shorter beginning
    may be enough with it. Where more can be worse than less it need not be the shortest, but every set was seen to be enough.
    """
    chosen, left = frozenset(begin), list(order)
    if not enough(chosen.union(left)):
        return
    yield chosen.union(left)
    while left and not enough(chosen):
        too_few, many = 0, len(left)
        while many - too_few > 1:
            middle = (too_few + many) // 2
            if enough(chosen.union(left[:middle])):
                many = middle
                yield chosen.union(left[:many])
            else:
                too_few = middle
        chosen, left = chosen | {left[many - 1]}, left[: many - 1]
    yield chosen


def last_of(choices: Iterable[frozenset[int]]) -> frozenset[int] | None:
    """The one with the least, of choices that have less and less; None of none."""
    found = deque(choices, maxlen=1)
    return found[0] if found else None


def cheap_first(problem: Problem, actions: Iterable[int]) -> list[int]:
    return sorted(actions, key=lambda a: (problem.weights[a], a))


def mended(
    problem: Problem, taken: frozenset[int], safe: Enough, steadying: Callable[[], frozenset[int]]
) -> Iterator[frozenset[int]]:
    """Choices that are safe and hold what is taken, each with less than the one before; none if none was found.

    What is `steadying` stays shown, if that can be: withholding more then makes nothing worse, and looking takes less time.
    """
    if safe(taken):
        yield taken
        return
    others = frozenset(range(len(problem.actions))) - taken
    for stay in dict.fromkeys((steadying(), NONE)):
        found = NONE
        for found in fewer_and_fewer(taken, cheap_first(problem, others - stay), safe):
            yield found
        if found:
            return
