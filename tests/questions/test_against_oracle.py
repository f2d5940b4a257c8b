"""The engine against brute force on random small releases."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foregone import Dataset, Release, Verdict, bounds, generate, unique, verify
from tests import oracle
from tests.audited import listed
from tests.strategies import LARGEST, predicates, releases

Pair = tuple[Release, Dataset]


@settings(max_examples=300, deadline=None)
@given(releases())
def test_audit_equals_brute_force(pair: Pair) -> None:
    release, _ = pair
    assert listed(release) == oracle.verified_claims(release, LARGEST)


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(releases(), st.data())
def test_bounds_and_verify_equal_brute_force(pair: Pair, data: st.DataObject) -> None:
    release, _ = pair
    predicate = data.draw(predicates(release.domain))
    expected = oracle.count_range(release, predicate, LARGEST)
    assert bounds(release, predicate) == expected
    count = data.draw(st.integers(0, LARGEST))
    finding = verify(release, predicate, count)
    assert finding.verdict == (Verdict.VERIFIED if expected == (count, count) else Verdict.REFUTED)
    if finding.verdict == Verdict.REFUTED:
        assert finding.witness is not None
        assert not finding.witness.broken(release)
        assert finding.witness.count(predicate) != count


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(releases(), st.integers(1, 12))
def test_generate_and_unique_equal_brute_force(pair: Pair, k: int) -> None:
    release, _ = pair
    everything = {tuple(sorted(records)) for records in oracle.consistent_datasets(release, LARGEST)}
    made = generate(release, k)
    found = {tuple(sorted(dataset.records)) for dataset in made.datasets}
    assert found <= everything
    assert len(found) == len(made.datasets) == min(k, len(everything))
    assert made.complete == (len(everything) <= k)
    answer = unique(release)
    assert answer.verdict == (Verdict.VERIFIED if len(everything) == 1 else Verdict.REFUTED)
    if answer.second is not None:
        some = [Dataset.of(release.domain, records) for records in sorted(everything)[:60]]  # all pairs of many would take long
        farthest = max(a.distance(b) for a in some for b in some)
        assert not answer.first.broken(release)
        assert not answer.second.broken(release)
        assert answer.distance == answer.first.distance(answer.second)
        assert max(farthest, answer.distance) <= answer.limit
        if len(some) == len(everything):
            assert answer.distance <= farthest
