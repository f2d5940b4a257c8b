"""Weighted sums beside counts, against brute force: both engines, every question."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foregone import Dataset, Release, Verdict, audit, bounds, generate, unique, verify
from foregone.engine.claims.evidence import Evidence
from foregone.onehot.audit import audit as audit_onehot
from foregone.onehot.verify import possible as possible_onehot
from foregone.onehot.verify import verify as verify_onehot
from foregone.questions.generate import expansions
from foregone.questions.possible import possible
from foregone.solvers.ip.registry import load
from tests import oracle
from tests.audited import claims_of
from tests.strategies import LARGEST, predicates, weighted_releases

Pair = tuple[Release, Dataset]


@settings(max_examples=150, deadline=None)
@given(weighted_releases())
def test_audit_equals_brute_force(pair: Pair) -> None:
    release, truth = pair
    assert truth.broken(release) == []
    result = audit(release)
    assert not result.open
    assert claims_of(result) == oracle.verified_claims(release, LARGEST)
    assert result.broken_by(truth) == []
    evidence = result.evidence
    assert isinstance(evidence, Evidence)
    for witness in evidence.witnesses:
        for _, dataset in zip(range(5), expansions(evidence.system, witness, 3), strict=False):
            assert oracle.fits(dataset.records, release)


@settings(max_examples=120, deadline=None)
@given(weighted_releases(), st.data())
def test_single_questions_equal_brute_force(pair: Pair, data: st.DataObject) -> None:
    release, _ = pair
    predicate = data.draw(predicates(release.domain))
    everything = list(oracle.consistent_datasets(release, LARGEST))
    counts = {sum(oracle.matches(r, predicate, release.domain.names) for r in records) for records in everything}
    assert bounds(release, predicate) == (min(counts), max(counts))
    count = data.draw(st.integers(0, LARGEST))
    finding = verify(release, predicate, count)
    assert finding.verdict == (Verdict.VERIFIED if counts == {count} else Verdict.REFUTED)
    if finding.witness is not None:
        assert oracle.fits(finding.witness.records, release)
        assert finding.witness.count(predicate) != count
    answer = possible(release, predicate, count)
    assert answer.impossible == (count not in counts)
    if answer.witness is not None:
        assert oracle.fits(answer.witness.records, release)
        assert answer.witness.count(predicate) == count


@settings(max_examples=80, deadline=None)
@given(weighted_releases(), st.integers(1, 8))
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
        some = [Dataset.of(release.domain, records) for records in sorted(everything)[:40]]
        assert oracle.fits(answer.first.records, release)
        assert oracle.fits(answer.second.records, release)
        assert answer.distance == answer.first.distance(answer.second) > 0
        assert max(a.distance(b) for a in some for b in some) <= answer.limit


@pytest.mark.parametrize("name", ["highs", "cpsat"])
@settings(max_examples=20, deadline=None)
@given(pair=weighted_releases(), data=st.data())
def test_the_one_hot_engine_equals_brute_force(name: str, pair: Pair, data: st.DataObject) -> None:
    if name == "cpsat":
        pytest.importorskip("ortools", reason="cpsat is not installed: pip install 'foregone[cpsat]'")
    release, truth = pair
    result = audit_onehot(release, load(name), 5, 60)
    assert not result.open
    assert claims_of(result) == oracle.verified_claims(release, LARGEST)
    predicate, count = data.draw(predicates(release.domain)), data.draw(st.integers(0, LARGEST))
    datasets = oracle.consistent_datasets(release, LARGEST)
    counts = {sum(oracle.matches(r, predicate, release.domain.names) for r in records) for records in datasets}
    verdict = verify_onehot(release, predicate, count, load(name), 60).verdict
    assert verdict == (Verdict.VERIFIED if counts == {count} else Verdict.REFUTED)
    assert possible_onehot(release, predicate, count, load(name), 60).impossible == (count not in counts)
    assert result.broken_by(truth) == []
