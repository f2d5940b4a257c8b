"""What can be known or not known by itself: every published number, with all that it says."""

from __future__ import annotations

from collections.abc import Iterable

from foregone.model.release import Release

Items = tuple[tuple[int, ...], ...]
"""For each published number the statements and either-ors that it makes, numbered as in `Release.everything`.

The counts come first, one statement each. A mean or a median says several things at once.
"""


def items_of(release: Release) -> Items:
    count = len(release.workload.queries)
    figures: dict[int, list[int]] = {}
    made: list[list[int]] = [[i] for i in range(count)]
    for i, origin in enumerate(release.origins, start=count):
        if origin is None:
            made.append([i])
        elif origin in figures:
            figures[origin].append(i)
        else:
            figures[origin] = [i]
            made.append(figures[origin])
    return tuple(map(tuple, made))


def same_items(other: Release, release: Release) -> dict[int, int]:
    """What a published number is called by in one release, from what it is called by in another that publishes the same.

    Figures may say it in other statements there (`Release.apart`).
    """
    named = _named(release)
    return {first: named[key] for key, first in _named(other).items() if key in named}


def _named(release: Release) -> dict[tuple[bool, int], int]:
    found: dict[tuple[bool, int], int] = {}
    others = 0
    for item in items_of(release):
        origin = release.origins[item[0] - len(release.workload.queries)] if item[0] >= len(release.workload.queries) else None
        if origin is None:
            others += 1
        found[origin is not None, others if origin is None else origin] = item[0]
    return found


def whole_items(release: Release, statements: Iterable[int]) -> list[int]:
    """All statements of the published numbers to which these belong."""
    chosen = set(statements)
    return sorted(i for item in items_of(release) if chosen & set(item) for i in item)
