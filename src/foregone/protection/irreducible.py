"""A smallest part that is still enough."""

from __future__ import annotations

from collections.abc import Callable, Sequence


def irreducible(pool: Sequence[int], enough: Callable[[list[int]], bool | None]) -> list[int]:
    """A part of the pool that is enough while none of its own parts is (QuickXplain, Junker 2004).

    The whole pool must be enough. A test that cannot be decided counts as not enough: what is found may then be larger than
    need be, but it is enough.

    >>> irreducible(range(9), lambda chosen: 2 in chosen and 7 in chosen)
    [2, 7]
    """

    def test(chosen: list[int]) -> bool:
        return enough(sorted(chosen)) is True

    def explain(background: list[int], added: bool, rest: list[int]) -> list[int]:
        if added and test(background):
            return []
        if len(rest) == 1:
            return rest
        half = len(rest) // 2
        left, right = rest[:half], rest[half:]
        second = explain(background + left, True, right)
        first = explain(background + second, bool(second), left)
        return first + second

    return [] if not pool or test([]) else sorted(explain([], False, list(pool)))
