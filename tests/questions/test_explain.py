"""Explanations are enough, and nothing in them can be left out."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from foregone import (
    ContradictionError,
    Dataset,
    Domain,
    InputError,
    Predicate,
    Release,
    Statistic,
    UndecidedError,
    Verdict,
    audit,
    bounds,
    tabulate,
    verify,
)
from foregone.census.textbook import textbook_release
from foregone.engine import forced
from foregone.model.figure import Figure, Measure
from foregone.questions.ask import explain
from foregone.questions.baseline import probability, surprise
from tests import oracle
from tests.subsets import broken_sets, enough, fewest_hitting, minimal_enough, small_releases

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
    assert "No other published numbers force it." in found.text()
    assert "Withholding any one of them would leave the count uncertain" in found.text()


def test_what_must_be_withheld_is_said_and_true() -> None:
    """The number of men is published, and follows from two other sets of numbers: hiding it alone would not help."""
    release = tabulate({"SEX": ["F", "F", "M"], "AGE": ["1", "2", "2"]}, margins=["SEX", "AGE"])
    found = explain(release, {"SEX": "M"}, 1)
    names = [[release.name_of(i) for i in numbers] for numbers in found.ways.sets]
    assert names == [["SEX.2"], ["records", "SEX.1"], ["SEX.1", "AGE.1", "AGE.2"]]
    assert (found.ways.complete, found.ways.shortest, found.ways.alone) == (True, True, ())
    assert "There are three different explanations in all; this one is as short as any." in found.text()
    assert "Withholding any single number changes nothing" in found.text()
    assert "At least two have to be withheld; SEX.1 and SEX.2 would be enough." in found.text()
    for i in range(len(release.statistics)):
        assert verify(release.without([i]), {"SEX": "M"}, 1).verdict == Verdict.VERIFIED
    assert verify(release.without(found.ways.withhold), {"SEX": "M"}, 1).verdict == Verdict.REFUTED
    without = explain(release.without([2]), {"SEX": "M"}, 1)
    alone = "Withholding SEX.1 alone would leave the count uncertain; withholding any other single number would not."
    assert alone in without.text()
    assert found.json()["explanations"]["found"] == [[2], [0, 1], [1, 3, 4]]


@settings(max_examples=30, deadline=None)
@given(small_releases(), st.sampled_from(["A=0", "B=1", "A=1, B=0"]))
def test_explanations_are_counted_and_remedies_work_as_by_brute_force(release: Release, text: str) -> None:
    predicate = Predicate.parse(text, DOMAIN)
    low, high = bounds(release, predicate)
    found = explain(release, predicate)
    broken = broken_sets(release, predicate, low, high)
    count = len(release.statistics)
    expected = minimal_enough(count, broken)
    assert {sum(1 << i for i in numbers) for numbers in found.ways.sets} == set(expected)
    assert found.sure
    assert found.ways.complete
    assert found.ways.shortest
    assert len(found.statistics) == expected[0].bit_count()
    everything = (1 << count) - 1
    assert found.ways.alone == tuple(i for i in range(count) if not enough(everything & ~(1 << i), broken))
    if expected != [0]:
        assert found.ways.least == len(found.ways.withhold) == fewest_hitting(count, expected)
        assert not enough(everything & ~sum(1 << i for i in found.ways.withhold), broken)


def test_a_time_limit_of_nothing_is_undecided_not_wrong() -> None:
    release = tabulate({"SEX": ["F", "F", "M"], "AGE": ["1", "2", "2"]}, margins=["SEX", "AGE"])
    with pytest.raises(UndecidedError, match="time limit"):
        explain(release, {"SEX": "M"}, 1, time_limit=0.0)


def test_few_tests_give_limits_that_hold() -> None:
    """Stopped early, an explanation says less, and nothing wrong."""
    release = tabulate({"SEX": ["F", "F", "M"], "AGE": ["1", "2", "2"]}, margins=["SEX", "AGE"])
    for tests in range(12):
        found = explain(release, {"SEX": "M"}, 1, tests=tests)
        assert found.ways.least <= 2
        assert not found.ways.complete or len(found.ways.sets) == 3
        assert found.ways.alone in ((), None)
        assert "would leave the count uncertain" not in found.text()


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


def people_with_ages(*further: Statistic, median: str = "40") -> Release:
    domain = Domain.of({"AGE": ["20", "40", "60", "80"]}, record="person")
    figures = [
        Figure.printed(Measure.MEAN, "AGE", Predicate(), "46.67", "mean", "T"),
        Figure.printed(Measure.MEDIAN, "AGE", Predicate(), median, "median", "T"),
    ]
    return Release(domain, [Statistic.exact(Predicate(), 3, "N"), *further], figures=figures)


def test_a_median_is_one_number_though_it_says_several_things() -> None:
    """Three people, mean 46.67, median 40, one of 80: 20, 40 and 80."""
    release = people_with_ages(Statistic.exact(Predicate.of({"AGE": "80"}), 1, "oldest"))
    found = explain(release, {"AGE": "20"}, 1)
    assert sorted(release.name_of(i) for i in found.statistics) == ["N", "mean", "oldest"]  # 140 less 80 is 20 and 40
    assert found.ways.complete
    assert found.ways.shortest
    told = [line for line in found.text().splitlines() if line.startswith("  ")]
    assert len(told) == 3
    wider = people_with_ages()  # 20, 40 and 80, or 40, 40 and 60
    found = explain(wider, {"AGE": "40"})
    assert (found.low, found.high) == (1, 2)
    assert [wider.name_of(i) for i in found.statistics] == ["N", "mean", "median"]
    assert found.ways.alone == found.statistics
    assert "Withholding any one of them would leave the count uncertain" in found.text()


def test_a_median_takes_part_in_a_conflict_as_a_whole() -> None:
    release = people_with_ages(Statistic.exact(Predicate.of({"AGE": ["20", "60", "80"]}), 3, "not 40"))
    with pytest.raises(ContradictionError) as caught:
        audit(release)
    assert {release.name_of(i) for i in caught.value.conflict} <= {"N", "mean", "median", "not 40"}
    assert caught.value.irreducible
    assert len(caught.value.problems) == 1 + len(caught.value.conflict)


@pytest.mark.slow
def test_what_the_proof_rests_on_explains_where_there_is_no_time_for_more() -> None:
    release, _ = textbook_release()
    found = explain(release, "SEX=F, AGE=36", 1, work=0)
    assert not found.sure
    assert len(found.statistics) < len(release.published)
    assert forced(release, found.statistics, found.predicate, 1, 1) is True  # by another proof, from these alone
    opening, *lines = found.text().splitlines()
    these = f"these {len(found.statistics)} are enough; fewer may be enough, too:"
    assert opening == f"Of 21 published numbers and 7 withheld cells, {these}"
    assert not any("can be left out" in line or "No set of fewer" in line for line in lines)  # that was not tested
    assert explain(release, "SEX=F, AGE=36", 1, work=0) == found
