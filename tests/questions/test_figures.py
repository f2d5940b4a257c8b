"""Sums, means, medians and percentages beside counts, against brute force: every question, both engines, the checker."""

from __future__ import annotations

from contextlib import suppress
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foregone import (
    Dataset,
    Domain,
    Predicate,
    Release,
    Statistic,
    UndecidedError,
    Verdict,
    audit,
    bounds,
    check,
    generate,
    proofs,
    unique,
    verify,
)
from foregone.model.figure import Figure, Measure
from foregone.onehot.audit import audit as audit_onehot
from foregone.onehot.verify import verify as verify_onehot
from foregone.questions.ask import possible
from foregone.solvers.ip.registry import load
from tests import oracle
from tests.audited import claims_of
from tests.strategies import measured_releases, predicates

Pair = tuple[Release, Dataset]
MOST = 4  # records of a measured release


@pytest.mark.slow
@settings(max_examples=80, deadline=None)
@given(measured_releases(), st.data())
def test_every_question_equals_brute_force(pair: Pair, data: st.DataObject) -> None:
    release, truth = pair
    everything = list(oracle.consistent_datasets(release, MOST))
    assert all(oracle.fits(records, release) for records in everything)  # by plain arithmetic
    assert tuple(truth.records) in everything
    result = audit(release, time_limit=10)
    certain = oracle.verified_claims(release, MOST)
    assert claims_of(result) <= certain
    if not result.open:
        assert claims_of(result) == certain
        checked = check(release, proofs(result), complete=True)
        assert (checked.rejected, checked.complete) == ([], True)
    predicate = data.draw(predicates(release.domain))
    counts = {sum(oracle.matches(r, predicate, release.domain.names) for r in records) for records in everything}
    with suppress(UndecidedError):
        assert bounds(release, predicate, time_limit=10) == (min(counts), max(counts))
    count = data.draw(st.integers(0, MOST))
    finding = verify(release, predicate, count, time_limit=10)
    assert finding.verdict in (Verdict.VERIFIED if counts == {count} else Verdict.REFUTED, Verdict.UNDECIDED)
    assert finding.witness is None or oracle.fits(finding.witness.records, release)
    answer = possible(release, predicate, count, time_limit=10)
    assert answer.impossible is not True or count not in counts
    assert answer.witness is None or oracle.fits(answer.witness.records, release)
    made = generate(release, 6, time_limit=10)
    assert all(oracle.fits(dataset.records, release) for dataset in made.datasets)
    assert made.complete is None or made.complete == (len(everything) <= 6)
    only = unique(release, time_limit=10)
    assert only.verdict in (Verdict.VERIFIED if len(everything) == 1 else Verdict.REFUTED, Verdict.UNDECIDED)


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(measured_releases(), st.data())
def test_one_hot_says_the_same(pair: Pair, data: st.DataObject) -> None:
    release, _ = pair
    result = audit_onehot(release, load("highs"), 4, 60)
    assert not result.open
    assert claims_of(result) == oracle.verified_claims(release, MOST)
    predicate, count = data.draw(predicates(release.domain)), data.draw(st.integers(0, MOST))
    finding = verify_onehot(release, predicate, count, load("highs"), 60)
    everything = list(oracle.consistent_datasets(release, MOST))
    counts = {sum(oracle.matches(r, predicate, release.domain.names) for r in records) for records in everything}
    assert finding.verdict == (Verdict.VERIFIED if counts == {count} else Verdict.REFUTED)
    assert finding.witness is None or oracle.fits(finding.witness.records, release)


FEW = Domain.of({"SEX": ["F", "M"], "AGE": ["10", "20", "30", "40"]})
women = Predicate.of({"SEX": "F"})


def test_a_mean_and_a_median_give_an_age_away() -> None:
    """Three women with mean 20 and median 10: their ages add up to 60, two are 10, so the third is 40."""
    figures = [Figure.exact(Measure.MEAN, "AGE", women, 20, "mean"), Figure.exact(Measure.MEDIAN, "AGE", women, 10, "median")]
    release = Release(FEW, [Statistic.exact(women, 3, "women"), Statistic.exact(Predicate(), 3, "all")], figures=figures)
    assert verify(release, {"AGE": "40"}, 1).verdict is Verdict.VERIFIED
    assert bounds(release, {"AGE": "10"}) == (2, 2)
    assert unique(release).verdict is Verdict.VERIFIED
    result = audit(release)
    assert check(release, proofs(result), complete=True).complete
    assert "2 published numbers" not in result.summary()
    assert "4 published numbers" in result.summary()


def test_a_median_of_two_needs_both_sides() -> None:
    """Two women with median 25: 20 and 30, or 10 and 40; the rows alone would allow 10 and 30."""
    figures = [Figure.exact(Measure.MEDIAN, "AGE", women, 25, "median")]
    release = Release(FEW, [Statistic.exact(women, 2, "women"), Statistic.exact(Predicate(), 2, "all")], figures=figures)
    made = generate(release, 10)
    assert {tuple(age for _, age in dataset.records) for dataset in made.datasets} == {("10", "40"), ("20", "30")}
    assert made.complete


def test_nothing_bounds_the_people_of_a_mean() -> None:
    release = Release(FEW, [], figures=[Figure.exact(Measure.MEAN, "AGE", women, Fraction(15), "mean")])
    made = generate(release, 3, time_limit=5)
    assert len(made.datasets) == 3
    assert all(oracle.fits(dataset.records, release) for dataset in made.datasets)
    assert bounds(release, {"SEX": "F", "AGE": "10"}) == (1, None)
