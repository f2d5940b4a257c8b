"""Releases that do not bound their records: what is certain is found all the same, and what has no limit has none."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from foregone import Dataset, Domain, Predicate, Release, Statement, Verdict, audit, bounds, generate, unique, verify
from foregone.questions.possible import possible
from tests import oracle
from tests.audited import claims_of
from tests.strategies import FAR, predicates, unbounded_releases

Pair = tuple[Release, Dataset]


@settings(max_examples=150, deadline=None)
@given(unbounded_releases())
def test_audit_equals_brute_force(pair: Pair) -> None:
    release, truth = pair
    result = audit(release)
    assert not result.open
    claims = claims_of(result)
    assert claims == oracle.verified_claims(release, FAR)
    assert not any(oracle.endless(release, Predicate.of(dict(claim))) for claim, _ in claims)
    assert result.broken_by(truth) == []


@settings(max_examples=150, deadline=None)
@given(unbounded_releases(), st.data())
def test_single_questions_equal_brute_force(pair: Pair, data: st.DataObject) -> None:
    release, _ = pair
    predicate = data.draw(predicates(release.domain))
    datasets = oracle.consistent_datasets(release, FAR)
    counts = {sum(oracle.matches(r, predicate, release.domain.names) for r in records) for records in datasets}
    grows = oracle.endless(release, predicate)
    assert bounds(release, predicate) == (min(counts), None if grows else max(counts))
    for count in sorted({min(counts), max(counts), data.draw(st.integers(0, 5))}):
        finding = verify(release, predicate, count)
        assert finding.verdict == (Verdict.VERIFIED if counts == {count} and not grows else Verdict.REFUTED)
        if finding.witness is not None:
            assert oracle.fits(finding.witness.records, release)
            assert finding.witness.count(predicate) != count
        answer = possible(release, predicate, count)
        assert answer.impossible == (count not in counts)
        if answer.witness is not None:
            assert oracle.fits(answer.witness.records, release)
            assert answer.witness.count(predicate) == count


@settings(max_examples=80, deadline=None)
@given(unbounded_releases())
def test_unique_and_generate_equal_brute_force(pair: Pair) -> None:
    release, _ = pair
    everything = set(oracle.consistent_datasets(release, FAR))
    grows = oracle.endless(release, Predicate())
    answer = unique(release)
    assert answer.verdict == (Verdict.VERIFIED if len(everything) == 1 and not grows else Verdict.REFUTED)
    if answer.second is not None:
        assert oracle.fits(answer.first.records, release)
        assert oracle.fits(answer.second.records, release)
        assert answer.distance == answer.first.distance(answer.second) > 0
        assert answer.limit >= answer.distance
    made = generate(release, 4)
    assert len(set(made.datasets)) == len(made.datasets)
    assert all(oracle.fits(dataset.records, release) for dataset in made.datasets)
    if grows:
        assert made.complete is not True


def test_rounding_that_never_ends_is_given_up_and_leaves_no_time_limit_behind() -> None:
    """a0 = 2 a1 - 2 and a1 >= 1: rounding a relaxed point up leads to ever larger ones."""
    everything, first, second = Predicate(), Predicate.of({"A": "a0"}), Predicate.of({"A": "a1"})
    statements = (
        Statement(((-1, everything), (3, first), (-3, second)), -4, -3),
        Statement(((2, second),), 1, None),
    )
    release = Release(Domain.of({"A": ["a0", "a1"]}), (), statements=statements)
    assert not audit(release).open
    assert bounds(release, {"A": "a0"}) == (0, None)
    assert bounds(release, {"A": "a1"}) == (1, None)
