"""A part of a set that is enough while no part of it is, with preferences (QuickXplain, Junker 2004)."""

from __future__ import annotations

from collections.abc import Callable, Sequence


def irreducible(pool: Sequence[int], enough: Callable[[list[int]], bool | None]) -> tuple[list[int], bool]:
    """A subset of the pool that is enough while no part of it is, and whether that is sure; it prefers what comes first.

    The whole pool must be enough. A test that cannot be decided counts as not enough: the set may then be larger than
    need be, and is reported as not sure.

    >>> irreducible(range(9), lambda chosen: 2 in chosen and 7 in chosen)
    ([2, 7], True)
    """
    unsure = False

    def test(chosen: list[int]) -> bool:
        nonlocal unsure
        answer = enough(sorted(chosen))
        unsure |= answer is None
        return answer is True

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

    if not pool or test([]):
        return [], True
    return sorted(explain([], False, list(pool))), not unsure
