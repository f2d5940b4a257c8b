"""Findings in plain English."""

from __future__ import annotations

import pytest

from foregone import Dataset, Domain, Predicate, Release, Statistic, audit
from foregone.model.figure import Figure, Measure
from foregone.model.sentences import claim_sentence, confirmation, describe, number, plural, published_text

PEOPLE = Domain.of({"SEX": {"F": "female", "M": "male"}, "AGE": ["young", "old"]}, {"SEX": "sex"}, "person")
WOMEN = Predicate.of({"SEX": "F"})


@pytest.mark.parametrize(
    ("noun", "several"),
    [("household", "households"), ("person", "people"), ("city", "cities"), ("day", "days"), ("box", "boxes"), ("lash", "lashes")],
)
def test_plural(noun: str, several: str) -> None:
    assert plural(noun, 1) == noun
    assert plural(noun, 0) == plural(noun, 2) == several


def test_numbers() -> None:
    assert [number(n) for n in (0, 1, 9, 10, 12345)] == ["no", "one", "nine", "10", "12,345"]


@pytest.mark.parametrize(
    ("where", "count", "sentence"),
    [
        ({}, 1, "There is exactly one person."),
        ({}, 3, "There are exactly three people."),
        ({"SEX": "F"}, 1, "Exactly one person has sex: female."),
        ({"AGE": "old", "SEX": ["M", "F"]}, 12, "Exactly 12 people have sex: female or male; AGE: old."),
        ({"AGE": "old"}, 0, "Exactly no people have AGE: old."),
    ],
)
def test_sentences(where: dict[str, str | list[str]], count: int, sentence: str) -> None:
    assert claim_sentence(PEOPLE, Predicate.of(where), count) == sentence


def test_describe_follows_the_order_of_the_domain() -> None:
    assert describe(Predicate.of({"AGE": ["old", "young"], "SEX": "M"}), PEOPLE) == "sex: male; AGE: young or old"


@pytest.mark.parametrize(("low", "high", "words"), [(1, 1, "1 person,"), (2, 2, "2 people,"), (1, 3, "1 to 3 people,")])
def test_summary_tells_the_number_of_records(low: int, high: int, words: str) -> None:
    summary = audit(Release(PEOPLE, (Statistic(Predicate(), low, high),))).summary()
    assert summary.startswith(words)
    assert "Undecided: 0." in summary


def test_summary_tells_what_is_certain() -> None:
    statistics = (Statistic.exact(Predicate(), 3), Statistic.exact(Predicate.of({"SEX": "F", "AGE": "old"}), 1))
    summary = audit(Release(PEOPLE, statistics)).summary()
    assert "1 claim is certain; 1 of them singles out exactly one person." in summary
    assert "Most telling: Exactly one person has sex: female; AGE: old." in summary


def test_whole_numbers_in_a_row_are_said_as_a_span() -> None:
    domain = Domain.of({"AGE": [*(str(age) for age in range(1, 30)), "30+"]}, {"AGE": "age"})
    ages = [*(str(age) for age in range(1, 15)), "17", "18", "27", "28", "29", "30+"]
    assert describe(Predicate.of({"AGE": ages}), domain) == "age: 1 to 14 or 17 or 18 or 27 to 29 or 30+"


def test_withheld_cells_are_counted_apart() -> None:
    hidden = Figure(Measure.MEAN, "AGE", WOMEN, None, None, withheld=True)
    figures = [Figure.printed(Measure.MEAN, "AGE", Predicate(), "30"), hidden]
    domain = Domain.of({"SEX": ["F", "M"], "AGE": ["20", "30", "40"]})
    release = Release(domain, [Statistic.exact(Predicate(), 3), Statistic(WOMEN, 0, 2, withheld=True)], figures=figures)
    assert published_text(release) == "2 published numbers and 2 withheld cells"
    assert audit(release).summary().startswith("3 records, 2 published numbers and 2 withheld cells, ")


def test_a_summary_of_single_values_says_so_where_there_are_groups() -> None:
    domain = Domain.of({"AGE": ["1", "2", "3"]})
    grouped = Release(domain, [Statistic.exact(Predicate.of({"AGE": ["1", "2"]}), 1), Statistic.exact(Predicate(), 2)])
    words = "Only claims about single values were looked for, none about groups of values."
    assert words in audit(grouped, groups="none").summary().splitlines()
    assert words not in audit(grouped).summary()
    plain = Release(domain, [Statistic.exact(Predicate.of({"AGE": "1"}), 1)])
    assert words not in audit(plain, groups="none").summary()


def test_a_false_claim_never_passes_for_confirmed() -> None:
    statistics = (Statistic.exact(Predicate(), 1), Statistic.exact(Predicate.of({"SEX": "F"}), 1))
    result = audit(Release(PEOPLE, statistics))
    assert "it is right" in confirmation(result, Dataset.of(PEOPLE, [("F", "old")]))
    with pytest.raises(AssertionError, match="1 claims are false in the truth"):
        confirmation(result, Dataset.of(PEOPLE, [("M", "old")]))
