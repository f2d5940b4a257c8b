"""Parts cover the releases once, keep states apart and bound the work, and shards share them out."""

from __future__ import annotations

from itertools import accumulate, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from foregone.batch import plan
from foregone.batch.plan import cost_of, in_turn, partition

states = st.lists(st.lists(st.floats(0.001, 9.0), min_size=1, max_size=30), min_size=1, max_size=5)


@given(states)
def test_every_release_is_in_one_part(costs: list[list[float]]) -> None:
    ends = list(accumulate(map(len, costs)))
    groups = [(f"{i:02d}", end - len(some), end) for i, (some, end) in enumerate(zip(costs, ends, strict=True))]
    flat = np.array([cost for some in costs for cost in some])
    parts = partition(groups, flat)
    assert [parts[0].first, *(part.last for part in parts)] == [0, *(part.first for part in parts[1:]), len(flat)]
    assert len({part.name for part in parts}) == len(parts)
    for part in parts:
        assert part.cost == pytest.approx(flat[part.first : part.last].sum())
        assert len(part) == 1 or part.cost <= plan.SECONDS * 1.001
        [state] = [state for state, first, last in groups if first <= part.first and part.last <= last]
        assert part.region == state
    for before, after in pairwise(parts):
        if before.region == after.region:
            assert before.cost + flat[after.first] > plan.SECONDS * 0.999, "a part takes all that fits"


@given(states, st.integers(1, 6))
def test_shards_share_all_parts_and_begin_with_the_costly(costs: list[list[float]], number: int) -> None:
    flat = np.array([cost for some in costs for cost in some])
    parts = partition([("", 0, len(flat))], flat)
    shares = [in_turn(parts, (i, number)) for i in range(1, number + 1)]
    assert sorted(part.name for share in shares for part in share) == sorted(part.name for part in parts)
    for share in shares:
        alone = [part.cost for part in share if len(part) == 1]
        assert [part.cost for part in share[: len(alone)]] == sorted(alone, reverse=True)
        assert max((part.cost for part in share[len(alone) :]), default=0.0) <= plan.SECONDS * 1.001
    assert max(map(len, shares)) - min(map(len, shares)) <= 1


@pytest.mark.slow
def test_a_country_has_a_bounded_number_of_parts() -> None:
    """Six million blocks: parts grow rather than become many, and none is larger than a part may be."""
    sizes = np.random.default_rng(0).lognormal(2.3, 1.1, 6_200_000).astype(np.int64).clip(1, 700)
    parts = partition([("06", 0, len(sizes))], cost_of(sizes))
    assert len(parts) < 1.2 * plan.PARTS
    assert max(map(len, parts)) <= plan.MOST


def test_a_huge_release_is_a_part_of_its_own() -> None:
    parts = partition([("01", 0, 5)], cost_of(np.array([10, 10, 5000, 10, 10])))
    assert [len(part) for part in parts] == [2, 1, 2]
    assert in_turn(parts)[0] == parts[1]
