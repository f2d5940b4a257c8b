"""Spans of which the widest count everybody once, compared with a naive twin."""

from __future__ import annotations

import random
from itertools import combinations

from foregone.tables.reading.sums import parts_of
from foregone.tables.spans import span_of
from foregone.tables.table import Axis, Table


def naive(labels: tuple[str, ...]) -> tuple[str, ...] | None:
    spans = {label: span_of(label) for label in labels}

    def within(one: str, other: str) -> bool:
        first, second = spans[one], spans[other]
        return first is not None and second is not None and second.holds(first) and first != second

    widest = [label for label in labels if not any(within(label, other) for other in labels if other != label)]
    for one, other in combinations(widest, 2):
        first, second = spans[one], spans[other]
        if first is not None and second is not None and first.meets(second):
            return None
    return tuple(widest)


def test_the_widest_spans() -> None:
    rng = random.Random(32)
    seen = set()
    for _ in range(3_000):
        some = {f"{first}-{first + rng.randint(0, 6)}" for first in rng.sample(range(12), rng.randint(0, 5))}
        some |= {f"{rng.randint(0, 12)}+" for _ in range(rng.randint(0, 2))}
        some |= set(rng.sample(["North", "South"], rng.randint(0, 2)))
        labels = tuple(rng.sample(sorted(some), len(some)))
        found = parts_of(Table("t", "t.csv", "", "list", (Axis("Age", labels),), ()), 0)
        assert found == naive(labels), labels
        seen.add(found is None)
    assert seen == {True, False}
