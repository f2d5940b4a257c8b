"""Figures in words."""

from __future__ import annotations

from fractions import Fraction

import pytest

from foregone import ContradictionError, Domain, Predicate, Release, Statistic, audit, explain
from foregone.model.figure import Figure, Measure
from foregone.model.sentences import figure_sentence, said
from foregone.model.statement import Either, Statement

ages = [str(age) for age in range(1, 61)]
PEOPLE = Domain.of({"SEX": {"F": "female", "M": "male"}, "AGE": ages}, {"SEX": "sex", "AGE": "age"}, "person")
women, men, everyone = Predicate.of({"SEX": "F"}), Predicate.of({"SEX": "M"}), Predicate()
COUNTS = [Statistic.exact(women, 4, "women"), Statistic(men, 0, 9, "men")]


@pytest.mark.parametrize(
    ("figure", "sentence"),
    [
        (
            Figure.exact(Measure.MEAN, "AGE", women, Fraction(67, 2)),
            "the mean age of the four people with sex: female is 33.5, so their ages add up to 134",
        ),
        (
            Figure.printed(Measure.MEAN, "AGE", women, "33"),
            "the mean age of the four people with sex: female is 33, so their ages add up to 130 to 134",
        ),
        (Figure.printed(Measure.MEAN, "AGE", men, "33"), "the mean age of the people with sex: male is 33"),
        (Figure.printed(Measure.MEAN, "AGE", everyone, "33"), "the mean age of all people is 33"),
        (
            Figure.exact(Measure.MEDIAN, "AGE", women, 30),
            "the median age of the four people with sex: female is 30, so at least two of them are that or less, and at least"
            " two that or more",
        ),
        (Figure.printed(Measure.MEDIAN, "AGE", men, "30"), "the median age of the people with sex: male is 30"),
        (Figure.exact(Measure.SUM, "AGE", women, 134), "the sum of the column age of the four people with sex: female is 134"),
        (
            Figure.printed(Measure.PERCENT, "women", Predicate.of({"AGE": "5", "SEX": "F"}), "25%"),
            "25 percent of the four people with sex: female have sex: female; age: 5, so 1 does",
        ),
        (Figure(Measure.MEAN, "AGE", women, None, None, withheld=True),
         "the mean age of the four people with sex: female is withheld"),
    ],
)  # fmt: skip
def test_a_figure_in_words(figure: Figure, sentence: str) -> None:
    release = Release(PEOPLE, COUNTS, figures=[figure])
    assert figure_sentence(release.figures[0], release) == sentence
    for index in range(len(COUNTS), len(release.statements)):
        assert said(release, index) == sentence


def test_a_figure_is_told_with_the_counts_that_are_known_only() -> None:
    release = Release(PEOPLE, COUNTS, figures=[Figure.exact(Measure.MEAN, "AGE", women, Fraction(67, 2))])
    assert said(release, 2, [1, 2]) == "the mean age of the people with sex: female is 33.5"
    assert said(release, 2, [0, 2]).endswith("of the four people with sex: female is 33.5, so their ages add up to 134")


def test_other_numbers_in_words() -> None:
    either = Either(Statement(((1, women),), None, 0), Statement(((1, men),), None, 0))
    release = Release(PEOPLE, COUNTS, (), [Statement(((2, women),), 1, None)], [either])
    assert [said(release, i) for i in range(4)] == ["sex: female", "sex: male", "2 x SEX=F", "SEX=F at most 0, or SEX=M at most 0"]


def test_an_explanation_names_the_figure_and_says_it_once() -> None:
    young = [str(age) for age in range(1, 5)]
    domain = Domain.of({"AGE": young}, {"AGE": "age"}, "person")
    three = Statistic.exact(Predicate(), 3, "people")
    release = Release(domain, [three], figures=[Figure.exact(Measure.MEAN, "AGE", Predicate(), 4, "mean age")])
    text = explain(release, {"AGE": "4"}, 3).text()
    assert "  the mean age of the three people is 4, so their ages add up to 12 (mean age)" in text.splitlines()


def test_an_explanation_needs_the_count_that_a_mean_is_taken_of() -> None:
    """A mean of 5 says by itself that everybody is 5; that there are three of them only their number says."""
    domain = Domain.of({"AGE": ["1", "2", "3", "4", "5"]}, {"AGE": "age"}, "person")
    three = Statistic.exact(Predicate(), 3, "people")
    total, mean = Figure.exact(Measure.SUM, "AGE", Predicate(), 15), Figure.exact(Measure.MEAN, "AGE", Predicate(), 5, "mean")
    release = Release(domain, [three], figures=[total, mean])
    found = explain(release, {"AGE": "5"}, 3)
    named = [{release.name_of(i) for i in some} for some in found.ways.sets]
    assert {"people", "mean"} in named
    assert {"mean"} not in named
    assert {"sum of AGE", "mean"} in named
    with pytest.raises(ContradictionError) as caught:
        audit(Release(domain, [three, Statistic.exact(Predicate.of({"AGE": "1"}), 2)], figures=release.figures[1:]))
    assert "mean" in str(caught.value)
    assert len(caught.value.conflict) == 2  # nobody can be 1 if the mean is the greatest age, however many they are
