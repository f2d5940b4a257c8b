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


def whole_items(release: Release, statements: Iterable[int]) -> list[int]:
    """All statements of the published numbers to which these belong."""
    chosen = set(statements)
    return sorted(i for item in items_of(release) if chosen & set(item) for i in item)
