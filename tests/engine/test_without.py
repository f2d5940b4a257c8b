"""What stays certain without some numbers, from the proofs of one audit: compared with a second audit."""

from __future__ import annotations

from random import Random
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foregone import Dataset, Release, audit, tabulate
from foregone.engine import RestingFacts
from foregone.questions.compare import compare
from foregone.solvers.deadline import Deadline
from tests.strategies import releases


@pytest.mark.slow
@given(releases(), st.data())
@settings(max_examples=150, deadline=None)
def test_it_is_what_a_second_audit_says(made: tuple[Release, Dataset], data: st.DataObject) -> None:
    release, _ = made
    numbers = data.draw(st.sets(st.integers(0, len(release.statistics) - 1), max_size=3))
    base = data.draw(st.sampled_from([0, 2, 5]))
    wider = []
    for i, count in enumerate(release.statistics):
        low, high = (0, None) if not base else (max(0, count.low - base), None if count.high is None else count.high + base)
        wider.append(count.known(low, high) if i in numbers else count)
    changed = release.changed(statistics=wider)
    before, after = audit(release), audit(changed)
    resting, forever = RestingFacts(before), Deadline.after(None)
    found, expected = resting.without(resting.wider(changed, forever), forever), compare(before, after)
    assert not found.open
    assert set(found.stay) == set(expected.stay)
    assert set(found.vanish) == set(expected.vanish)


def clinic(records: int = 3_000, areas: int = 90) -> Release:
    """About 2,000 numbers, every small one hidden: as large as a release may be for an answer within a second."""
    chance = Random(1)
    rows = [
        (
            int(areas * chance.random() ** 2),
            min(9, int(chance.expovariate(0.3))),
            chance.randrange(2),
            min(7, int(chance.expovariate(0.5))),
        )
        for _ in range(records)
    ]
    columns = {name: [f"{name[0].lower()}{row[k]:02}" for row in rows] for k, name in enumerate(("AREA", "GROUP", "SEX", "DX"))}
    return tabulate(columns, margins=[("AREA", "GROUP"), ("AREA", "DX"), ("AREA", "SEX"), "AREA", "GROUP", "DX"]).below(5)


@pytest.mark.slow
def test_an_answer_about_2000_numbers_comes_at_once() -> None:
    release = clinic()
    assert 1_800 < len(release.published) <= 2_000
    resting = RestingFacts(audit(release))
    shown = [count.name for count in release.statistics if count.low == count.high and count.low > 5]
    times = []
    for name in shown[:: len(shown) // 8]:
        changed, begun = release.hide(name), process_time()
        deadline = Deadline.after(0.7)
        found = resting.without(resting.wider(changed, deadline), deadline)
        times.append(process_time() - begun)
        assert len(found.stay) + len(found.vanish) + len(found.open) == len(resting.audit.facts)
    assert sorted(times)[len(times) // 2] < 5, times  # less than a second when nothing else runs
