"""Releases that do not bound their records: what is certain is found all the same, and what has no limit has none."""

from __future__ import annotations

from math import inf

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foregone import (
    ContradictionError,
    Dataset,
    Domain,
    Ground,
    Predicate,
    Release,
    Statistic,
    Verdict,
    audit,
    bounds,
    explain,
    generate,
    unique,
    verify,
)
from foregone.model.statement import Statement
from foregone.questions.ask import possible
from tests import oracle
from tests.audited import claims_of, listed
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


@pytest.mark.slow
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


@pytest.mark.slow
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


# By hand

DOMAIN = Domain.of({"SEX": ["F", "M"], "AGE": ["young", "old"]})
WOMEN, MEN, OLD = Predicate.of({"SEX": "F"}), Predicate.of({"SEX": "M"}), Predicate.of({"AGE": "old"})


def test_what_is_published_is_certain_though_nothing_limits_the_records() -> None:
    """Two women, one of them old; of men nothing is known but that there is one at least."""
    old_women = Predicate.of({"SEX": "F", "AGE": "old"})
    release = Release(DOMAIN, [Statistic.exact(WOMEN, 2), Statistic.exact(old_women, 1), Statistic(MEN, 1, None)])
    assert listed(release) == {
        ((("SEX", "F"),), 2),
        ((("SEX", "F"), ("AGE", "old")), 1),
        ((("SEX", "F"), ("AGE", "young")), 1),
    }
    assert bounds(release, Predicate()) == (3, None)
    assert bounds(release, MEN) == (1, None)
    assert bounds(release, OLD) == (1, None)
    assert bounds(release, WOMEN) == (2, 2)
    assert verify(release, {"SEX": "F", "AGE": "young"}, 1).ground == Ground.LINEAR
    for count in (0, 1, 10**6):
        finding = verify(release, MEN, count)
        assert finding.verdict == Verdict.REFUTED
        assert finding.witness is not None
        assert finding.witness.broken(release) == []
        assert finding.witness.count(MEN) != count
    found = possible(release, MEN, 10**12).witness
    assert found is not None
    assert len(found) == 10**12 + 2
    assert possible(release, MEN, 0).impossible


def test_nothing_at_all_is_published() -> None:
    release = Release(DOMAIN, [])
    assert listed(release) == set()
    assert bounds(release, WOMEN) == (0, None)
    answer = unique(release)
    assert answer.verdict == Verdict.REFUTED
    assert answer.limit == inf
    assert not answer.farthest
    made = generate(release, 6)
    assert len(set(made.datasets)) == 6
    assert made.complete is False


def test_there_is_one_dataset_though_no_row_limits_the_records() -> None:
    """At least as many women as men less one, at most no women: only the sum of the two limits the men."""
    less = Statement(((1, WOMEN), (-1, MEN)), 0, None, "women less men")
    release = Release(Domain.of({"SEX": ["F", "M"]}), [Statistic(WOMEN, 0, 0)], (), [less])
    assert unique(release).verdict == Verdict.VERIFIED
    assert bounds(release, MEN) == (0, 0)
    one = Release(Domain.of({"SEX": ["F", "M"]}), [Statistic(WOMEN, 1, 1)], (), [less])
    assert bounds(one, MEN) == (0, 1)
    assert unique(one).verdict == Verdict.REFUTED
    assert {tuple(dataset.kinds) for dataset in generate(one, 5).datasets} == {((("F",), 1),), ((("F",), 1), (("M",), 1))}
    assert generate(one, 5).complete is True


def test_two_numbers_that_grow_together() -> None:
    """As many women as men: neither has a limit, their difference is 0 for ever."""
    same = Statement(((1, WOMEN), (-1, MEN)), 0, 0, "women less men")
    release = Release(DOMAIN, [], (), [same])
    assert listed(release) == set()
    assert bounds(release, WOMEN) == bounds(release, MEN) == bounds(release, Predicate()) == (0, None)
    assert possible(release, Predicate(), 7).impossible
    assert verify(release, Predicate(), 0).verdict == Verdict.REFUTED
    few = Release(DOMAIN, [Statistic(WOMEN, 2, 2)], (), [same])
    assert listed(few) == {((("SEX", "F"),), 2), ((("SEX", "M"),), 2)}


def test_contradictions_are_found_all_the_same() -> None:
    with pytest.raises(ContradictionError, match="some = at least 3") as caught:
        audit(Release(DOMAIN, [Statistic(WOMEN, 3, None, "some"), Statistic(WOMEN, 0, 2, "few"), Statistic(MEN, 1, None, "men")]))
    assert caught.value.conflict == (0, 1)


def test_a_lower_limit_is_explained() -> None:
    release = Release(DOMAIN, [Statistic(WOMEN, 2, None, "women"), Statistic(MEN, 1, None, "men"), Statistic(OLD, 1, 5, "old")])
    found = explain(release, Predicate())
    assert (found.low, found.high) == (3, None)
    assert found.statistics == (0, 1)
    assert "at least three" in found.text()


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
