"""What counting needs of a compiled release: for every bucket the rows that it lies in, and the limits of these rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from foregone.engine import LinearSystem
from foregone.solvers.answer import NO_LIMIT

Entries = tuple[tuple[int, int], ...]
"""The rows that a record of a bucket counts in, each with its weight."""


@dataclass(frozen=True, slots=True)
class CountingProblem:
    """Place `size` records into buckets so that low <= weighted sum <= high in every row, and one side of every either-or holds.

    Row 0 is the number of records. An either-or is two rows, of which at least one keeps its high; these two limit nothing alone.
    """

    entries: tuple[Entries, ...]
    low: tuple[int, ...]
    high: tuple[int, ...]
    either: tuple[tuple[int, int], ...] = ()

    @property
    def size(self) -> int:
        return self.high[0]

    @property
    def rows(self) -> int:
        return len(self.high)

    def after(self, placed: Sequence[tuple[int, int]]) -> CountingProblem:
        """What is left to place when so many records are in some buckets."""
        gone = [0] * self.rows
        for bucket, number in placed:
            for row, weight in self.entries[bucket]:
                gone[row] += weight * number
        low = tuple(a - g for a, g in zip(self.low, gone, strict=True))
        return replace(self, low=low, high=tuple(b - g for b, g in zip(self.high, gone, strict=True)))


def counting_problem(system: LinearSystem, size: int) -> CountingProblem:
    """A system as a problem of counting with so many records. Limits that are none become what so many records cannot exceed."""
    starts, members = system.starts.tolist(), system.members.tolist()
    weights = [1] * len(members) if system.weights is None else system.weights.tolist()
    low, high = system.low.tolist(), system.high.tolist()
    limiting = [a != -NO_LIMIT or b != NO_LIMIT for a, b in zip(low, high, strict=True)]
    number = [0] * len(low)
    rows = 1
    for row, limits in enumerate(limiting):
        if limits:
            number[row] = rows
            rows += 1
    entries: list[list[tuple[int, int]]] = [[(0, 1)] for _ in range(system.buckets)]
    for bucket, mine in enumerate(entries):
        for at in range(starts[bucket], starts[bucket + 1]):
            if limiting[members[at]]:
                mine.append((number[members[at]], weights[at]))
    heaviest, lightest = [0] * rows, [0] * rows
    for mine in entries:
        for row, weight in mine:
            heaviest[row], lightest[row] = max(heaviest[row], weight), min(lightest[row], weight)
    lows, highs = [size], [size]
    for row, limits in enumerate(limiting):
        if limits:
            lows.append(lightest[number[row]] * size if low[row] == -NO_LIMIT else low[row])
            highs.append(heaviest[number[row]] * size if high[row] == NO_LIMIT else high[row])
    either = []
    for clause in system.clauses:
        for side, most in ((clause.left, clause.left_high), (clause.right, clause.right_high)):
            for bucket, weight in enumerate(side.tolist()):
                if weight:
                    entries[bucket].append((len(highs), weight))
            lows.append(0)
            highs.append(most)
        either.append((len(highs) - 2, len(highs) - 1))
    return CountingProblem(tuple(map(tuple, entries)), tuple(lows), tuple(highs), tuple(either))
