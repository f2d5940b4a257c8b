"""Zeros that nobody published: counts that leave no room.

If parts lie inside a container, do not overlap, and need at least as many records as the container may have, then
everything of the container outside the parts is empty. That is how a complete table names its support even when its
zeros are not published. Containment and overlap are judged on boxes, so that a reader can check them by eye.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from foregone.compile.atoms import Box
from foregone.release import Release

NO_LIMIT = np.iinfo(np.int64).max
IMPLIED_LIMIT = 1 << 13  # on larger grids only tables that use up all records are looked at
WIDE_PARTS = 20_000


@dataclass(frozen=True, slots=True)
class Exclusion:
    """Statistics by number: no record of the container is outside the parts. `columns` are all they restrict."""

    container: int
    parts: tuple[int, ...]
    columns: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Entry:
    box: Box
    low: int
    high: int
    low_source: int
    high_source: int


def restrict(box: Box, alive: Sequence[int]) -> Box | None:
    """The box among alive atoms, without columns it no longer restricts; None when nothing of it is alive."""
    seen = {}
    for column, mask in box.items():
        mask &= alive[column]
        if not mask:
            return None
        if mask != alive[column]:
            seen[column] = mask
    return seen


@dataclass(frozen=True, slots=True)
class Filled:
    """Over one set of columns: boxes, and for each container (a row) which of the boxes are parts that fill it."""

    columns: tuple[int, ...]
    boxes: list[Box]
    containers: NDArray[np.int64]
    parts: NDArray[np.bool_]
    exclusions: list[Exclusion]


def find_filled(release: Release, boxes: list[Box], alive: list[int], widths: tuple[int, ...]) -> Iterator[Filled]:
    """Look for parts that fill a container, one set of columns at a time."""
    entries = _entries(release, boxes, alive)
    sets = {tuple(sorted(entry.box)) for entry in entries}
    for columns in sorted(sets, key=lambda c: (len(c), c)):
        chosen = set(columns)
        if any(chosen < set(other) and prod(widths[c] for c in other) <= IMPLIED_LIMIT for other in sets):
            continue  # a larger set that is looked at anyway sees the same containers and parts
        inside = [entry for entry in entries if set(entry.box) <= chosen]
        if prod(widths[c] for c in columns) > IMPLIED_LIMIT:
            whole = [entry for entry in inside if not entry.box]
            inside = whole + [entry for entry in inside if set(entry.box) == chosen]
            if not whole or len(inside) > WIDE_PARTS:
                continue
        yield _filled(inside, columns, alive)


def _entries(release: Release, boxes: list[Box], alive: list[int]) -> list[_Entry]:
    """Statistics that are the same among alive atoms count once, with the tightest limits and where these come from."""
    known: dict[tuple[tuple[int, int], ...], _Entry] = {}
    for i, (box, statistic) in enumerate(zip(boxes, release.statistics, strict=True)):
        here = None if statistic.high == 0 else restrict(box, alive)
        if here is None:
            continue
        high = NO_LIMIT if statistic.high is None else statistic.high
        key = tuple(sorted(here.items()))
        old = known.get(key)
        if old is None:
            known[key] = _Entry(here, statistic.low, high, i, i)
        else:
            low, low_source = max((old.low, old.low_source), (statistic.low, i), key=lambda pair: pair[0])
            high, high_source = min((old.high, old.high_source), (high, i), key=lambda pair: pair[0])
            known[key] = _Entry(here, low, high, low_source, high_source)
    return list(known.values())


def _filled(entries: list[_Entry], columns: tuple[int, ...], alive: list[int]) -> Filled:
    """Greedily, smallest parts first, for all containers at once."""
    n = len(entries)
    contained = np.ones((n, n), dtype=bool)  # contained[s, t]: s lies inside t
    overlap = np.ones((n, n), dtype=bool)
    size = np.ones(n)
    for c in columns:
        full = alive[c]
        kind = np.int64 if full.bit_length() < 63 else object
        masks: NDArray[np.int64] = np.array([entry.box.get(c, full) for entry in entries], dtype=kind)
        contained &= (masks[:, None] & ~masks[None, :]) == 0
        overlap &= (masks[:, None] & masks[None, :]) != 0
        size *= [int(mask).bit_count() for mask in masks]
    np.fill_diagonal(contained, False)
    total = np.zeros(n, dtype=np.int64)
    taken = np.zeros((n, n), dtype=bool)  # taken[t, s]: s is a part of t
    blocked = np.zeros((n, n), dtype=bool)  # blocked[t, s]: s overlaps a part of t
    for s in np.argsort(size, kind="stable"):
        if entries[s].low > 0:
            room = contained[s] & ~blocked[:, s]
            taken[room, s] = True
            blocked[room] |= overlap[s]
            total[room] += entries[s].low
    filled = np.flatnonzero(total >= np.array([entry.high for entry in entries]))
    exclusions = [
        Exclusion(entries[t].high_source, tuple(entries[s].low_source for s in np.flatnonzero(taken[t])), columns) for t in filled
    ]
    return Filled(columns, [entry.box for entry in entries], filled, taken[filled], exclusions)
