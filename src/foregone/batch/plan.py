"""The work cut into parts before it starts, the same way whoever does it: consecutive releases of one region and one domain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

SECONDS = 4.0  # of work in a part without the compiled loop: little is lost with it; with the loop it is worth its files
PARTS = 20_000  # for a whole country parts grow instead, so that the files stay few
MOST = 500  # releases in a part
NOWHERE = "all"  # in the names of parts: releases that lie in no region


@dataclass(frozen=True, slots=True)
class RunPart:
    """The releases first, ..., last - 1 in the order of their ids; `cost` is a guess of the seconds they take."""

    name: str
    region: str
    first: int
    last: int
    cost: float

    def __len__(self) -> int:
        return self.last - self.first


def cost_of(records: Ints) -> Floats:
    """Seconds that a release about so many records takes, roughly: it only has to tell large from small."""
    return np.asarray(0.006 + 0.0003 * np.asarray(records, dtype=np.float64) ** 1.5)


def stretches(keys: NDArray[Any]) -> list[tuple[int, int]]:
    """Where each run of equal keys begins and ends.

    >>> stretches(np.array(["a", "a", "b", "a"]))
    [(0, 2), (2, 3), (3, 4)]
    """
    starts = [0] * bool(len(keys)) + (1 + np.flatnonzero(keys[1:] != keys[:-1])).tolist()
    return list(zip(starts, [*starts[1:], len(keys)], strict=True))


def partition(groups: Sequence[tuple[str, int, int]], costs: Floats) -> list[RunPart]:
    """Cut each group (region, first, last) into parts of bounded cost; a release that costs more is a part of its own.

    >>> [(part.name, len(part)) for part in partition([("01", 0, 3), ("02", 3, 5)], np.array([0.75, 0.25, 4.5, 0.5, 0.5]))]
    [('01-00000', 2), ('01-00001', 1), ('02-00000', 2)]
    """
    until = np.concatenate([[0.0], np.cumsum(costs)])
    budget = max(SECONDS, float(until[-1]) / PARTS)
    parts: list[RunPart] = []
    numbers: dict[str, int] = {}
    for region, start, end in groups:
        at = start
        while at < end:
            # a hair of slack, so that sums of floats do not part what fits exactly
            fits = int(np.searchsorted(until, until[at] + budget * (1 + 1e-9), side="right")) - 1
            last = min(max(at + 1, fits), at + MOST, end)
            group = region or NOWHERE
            number = numbers.get(group, 0)
            numbers[group] = number + 1
            parts.append(RunPart(f"{group}-{number:05d}", region, at, last, float(until[last] - until[at])))
            at = last
    return parts


def in_turn(parts: Sequence[RunPart], shard: tuple[int, int] = (1, 1)) -> list[RunPart]:
    """The parts of a shard (i of n). Releases that are a part of their own come first, the costliest of them foremost, so that
    no long one is left for the end; the others cost about the same and follow in order, as the input is read best.
    """
    ordered = sorted(parts, key=lambda part: (len(part) > 1, -part.cost if len(part) == 1 else 0.0, part.name))
    return ordered[shard[0] - 1 :: shard[1]]
