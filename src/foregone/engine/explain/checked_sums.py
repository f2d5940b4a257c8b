"""Whether counts add up to another one for every record there can be, and which zeros it takes to see that."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from foregone.engine.explain.kinds import Kinds
from foregone.engine.explain.overlooked import Excluded, overlooked
from foregone.model.errors import TooLargeError
from foregone.model.release import Release


class CheckedSums:
    """For a release of counts, by their numbers."""

    def __init__(self, release: Release) -> None:
        self._kinds = Kinds(release)
        self._number: dict[int, int] = {}  # of each box that is a zero, the first count that says so
        for zero in reversed(self._kinds.zeros):
            self._number[self._box(zero)] = zero
        self._zeros = np.array(list(self._number), dtype=np.int64)

    def _box(self, number: int) -> int:
        return self._kinds.terms[number][0][0]

    def zeros_behind(self, times: Mapping[int, int]) -> tuple[int, ...] | None:
        """Zeros without which counts, each so many times, would not add up to 0 or more for every record; None when they do not."""
        values: dict[int, int] = {}
        for number, many in times.items():
            values[self._box(number)] = values.get(self._box(number), 0) - many
        boxes, worth = np.array(list(values), dtype=np.int64), np.array(list(values.values()), dtype=np.int64)
        try:
            found = overlooked(self._kinds.allows, boxes, worth, 0, self._zeros, self._kinds.rules)
            if isinstance(found, Excluded):  # a second choice is often smaller
                few = np.array(found.zeros, dtype=np.int64)
                found = overlooked(self._kinds.allows, boxes, worth, 0, few, self._kinds.rules)
        except TooLargeError:
            return None
        return tuple(self._number[box] for box in found.zeros) if isinstance(found, Excluded) else None
