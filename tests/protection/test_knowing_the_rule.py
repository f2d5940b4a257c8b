"""What a reader concludes from knowing that the least was withheld: these figures say how much that is today. It is not covered."""

from __future__ import annotations

from dataclasses import replace

import pytest

from foregone import Knowledge, Policy, Primary
from foregone.model.policy import DEFAULT
from tests import oracle
from tests.policy.brute import breaks
from tests.protection.knowing import Measured, World, measure, published_alike

ONE = Policy(singled_out_columns=1)
NOTHING = Knowledge()


def of(*counts: int) -> tuple[tuple[str], ...]:
    """Records of a world with one column, by how many there are of each value."""
    return tuple((f"a{i + 1}",) for i, count in enumerate(counts) for _ in range(count))


def test_the_smallest_example() -> None:
    """Two records, one of each value, both cells withheld: 0 and 2, 1 and 1, 2 and 0 fit, but only 1 and 1 needs protection."""
    world, policy = World((2,), 2), replace(ONE, know=NOTHING)
    _, alike = published_alike(world, policy, "cell")
    ((only,),) = [together for together in alike if together[0].withheld]
    assert [s.hidden for s in only.release.statistics] == [False, True, True]
    assert set(oracle.consistent_datasets(only.release, 2)) == {of(2, 0), of(1, 1), of(0, 2)}
    assert only.records == of(1, 1)
    assert not breaks(only.release, policy, 2)
    assert breaks(only.release, policy, 2, kept=[only.records])
    assert measure(world, policy, "cell") == measure(world, policy, "table") == Measured(0, 1, 1, 2)
    # whoever sees that zeros are shown concludes that from the marks alone: then nothing protects these two
    assert measure(world, ONE, "cell") == Measured(1, 0, 0, 0)


def test_an_example_that_zeros_do_not_explain() -> None:
    """Counts 2, 2 and 1: the second is shown. 1, 2 and 2 fits as well, and costs as much to protect, but with other cells."""
    _, alike = published_alike(World((3,), 5), ONE, "cell")
    same = {one.records: together for together in alike for one in together}
    published = same[of(2, 2, 1)][0].release
    assert [s.name for s in published.statistics if not s.hidden] == ["all", "A.a2"]
    assert set(oracle.consistent_datasets(published, 5)) == {of(2, 2, 1), of(1, 2, 2)}
    assert [one.records for one in same[of(2, 2, 1)]] == [of(2, 2, 1)]
    other = next(one for one in same[of(1, 2, 2)] if one.records == of(1, 2, 2))
    assert other.withheld == 2


WORLDS = [
    (World((4,), 6), Policy(primary=Primary(1, 2)), "cell", Measured(0, 74, 0, 184)),
    (World((4,), 6), Policy(primary=Primary(1, 2), know=NOTHING), "cell", Measured(0, 74, 20, 168)),
    (World((4,), 6), Policy(primary=Primary(1, 2)), "table", Measured(0, 74, 20, 216)),
    (World((2, 2), 4), DEFAULT, "cell", Measured(1, 16, 0, 108)),
    (World((2, 2), 4), replace(DEFAULT, know=NOTHING), "cell", Measured(0, 17, 13, 84)),
    (World((2, 2), 4), DEFAULT, "table", Measured(0, 17, 1, 68)),
]


@pytest.mark.slow
@pytest.mark.parametrize(("world", "policy", "by", "expected"), WORLDS)
def test_measured(world: World, policy: Policy, by: str, expected: Measured) -> None:
    assert measure(world, policy, by) == expected
    for together in published_alike(world, policy, by)[1]:  # whoever does not know the rule finds out nothing that is forbidden
        release = together[0].release
        fitting = set(oracle.consistent_datasets(release, world.records))
        assert fitting >= {one.records for one in together}
        for primary in {one.primary for one in together}:
            assert breaks(release, policy, world.records, primary=primary) is False
