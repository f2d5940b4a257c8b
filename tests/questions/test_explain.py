"""Explanations are enough, and nothing in them can be left out."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from foregone import Dataset, Domain, InputError, Predicate, Release, Statistic, audit, bounds, tabulate
from foregone.questions.baseline import probability, surprise
from foregone.questions.explain import explain
from tests import oracle

DOMAIN = Domain.of({"A": ["0", "1"], "B": ["0", "1"]})


@st.composite
def tiny_releases(draw: st.DrawFn) -> Release:
    truth = Dataset.of(DOMAIN, draw(st.lists(st.tuples(*[st.sampled_from("01")] * 2), min_size=1, max_size=3)))
    places = [{}, {"A": "0"}, {"A": "1"}, {"B": "0"}, {"B": "1"}] + [{"A": a, "B": b} for a, b in product("01", "01")]
    chosen = draw(st.lists(st.sampled_from(range(1, len(places))), unique=True, max_size=6))
    statistics = [Statistic.exact(Predicate(), len(truth))]
    for i in chosen:
        count = truth.count(Predicate.of(places[i]))
        wide = draw(st.integers(0, 1))
        statistics.append(Statistic(Predicate.of(places[i]), max(0, count - wide), count + draw(st.integers(0, wide))))
    return Release(DOMAIN, tuple(statistics))


def keeps(release: Release, chosen: set[int], predicate: Predicate, low: int, high: int) -> bool:
    """Brute force: do the chosen statistics alone keep the count within the limits?"""
    part = Release(release.domain, tuple(s for i, s in enumerate(release.statistics) if i in chosen))
    enough = sum(s.low for s in part.statistics) + high + 1
    found = oracle.count_range(part, predicate, enough)
    return found is not None and low <= found[0] and found[1] <= high


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(tiny_releases(), st.integers(0, 10))
def test_explanations_of_claims_are_minimal(release: Release, pick: int) -> None:
    facts = audit(release)
    assume(len(facts))
    fact = facts.facts[pick % len(facts)]
    found = explain(release, fact.predicate, fact.count)
    chosen = set(found.statistics)
    assert found.sure
    assert keeps(release, chosen, found.predicate, fact.count, fact.count)
    for i in chosen:
        assert not keeps(release, chosen - {i}, found.predicate, fact.count, fact.count)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(tiny_releases(), st.sampled_from(["A=0", "B=1", "A=1, B=0", "A=0|1, B=1"]))
def test_explanations_of_bounds_are_minimal(release: Release, text: str) -> None:
    predicate = Predicate.parse(text, DOMAIN)
    low, high = bounds(release, predicate)
    assert high is not None
    found = explain(release, predicate)
    assert (found.low, found.high) == (low, high)
    chosen = set(found.statistics)
    assert keeps(release, chosen, predicate, low, high)
    for i in chosen:
        assert not keeps(release, chosen - {i}, predicate, low, high)


def test_a_sum_is_shown_when_there_is_one() -> None:
    release = tabulate({"SEX": ["F", "F", "M"], "AGE": ["1", "2", "2"]}, margins=["SEX"])
    shorter = release.without([2])  # the men are not published
    found = explain(shorter, {"SEX": "M"}, 1)
    assert dict(found.terms) == {0: Fraction(1), 1: Fraction(-1)}
    assert "3 [records] - 2 [SEX.1] = 1" in found.text()
    assert "withholding one need not be enough" in found.text()


def test_what_one_table_says_is_read_off_it() -> None:
    release = tabulate({"SEX": ["F", "F", "M"], "AGE": ["1", "2", "2"]}, margins=["SEX", ("SEX", "AGE")])
    assert explain(release, {"SEX": "M"}, 1).table == "SEX"
    assert explain(release, {"SEX": "M"}, 1).json()["because"][0]["name"] == "SEX.2"


def test_what_is_not_certain_is_not_explained() -> None:
    release = tabulate({"SEX": ["F", "F", "M"], "AGE": ["1", "2", "2"]}, margins=["SEX", "AGE"])
    with pytest.raises(InputError, match="not certain"):
        explain(release, {"SEX": "F", "AGE": "1"}, 1)


def test_surprise_is_the_binomial_probability() -> None:
    prior = Dataset.of(DOMAIN, [("0", "0"), ("0", "1"), ("1", "0"), ("1", "1")])
    assert surprise(prior, Predicate.of({"A": "1"}), 3, 1) == 3 * Fraction(1, 2) ** 3
    assert sum(probability(5, Fraction(1, 3), m) for m in range(6)) == 1
    assert probability(5, Fraction(1, 3), 6) == 0
