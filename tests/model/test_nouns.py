"""Domains, predicates, statistics, releases, datasets and findings: what they accept and what they say."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

import foregone
from foregone import Claim, Column, Dataset, Domain, Finding, Ground, InputError, Predicate, Release, Statistic, Verdict
from foregone.solvers.answer import Feasible, Infeasible, Undecided
from foregone.solvers.deadline import Deadline
from tests.strategies import releases

DOMAIN = Domain.of({"SEX": ["F", "M"], "CITY": ["Chicago, IL", "x=1", "Paris"], "AGE": ["15-24", "25-34"]})


@pytest.mark.parametrize("codes", [[""], [" a"], ["a|b"], ["a", "a"], [], ["line\nbreak"], ["carriage\rreturn"]])
def test_bad_codes(codes: list[str]) -> None:
    with pytest.raises(InputError, match="column A"):
        Domain.of({"A": codes})


@pytest.mark.parametrize("name", ["", " A", "count", "ground", "a\nb"])
def test_bad_column_names(name: str) -> None:
    with pytest.raises(InputError, match="column"):
        Domain.of({name: ["1"]})


def test_bad_domains() -> None:
    with pytest.raises(InputError, match="no columns"):
        Domain.of({})
    with pytest.raises(InputError, match="listed more than once"):
        Domain((Column("A", ("1",)), Column("A", ("2",))))
    with pytest.raises(InputError, match="1 labels for 2 values"):
        Column("A", ("1", "2"), ("one",))
    with pytest.raises(InputError, match="did you mean 'AGE'"):
        DOMAIN.column("AGR")


def test_masks() -> None:
    column = Column("A", ("x", "y", "z"))
    assert column.mask(["x", "z"]) == 0b101
    assert column.codes_of(0b101) == ("x", "z")
    assert column.full == 0b111
    assert Predicate.of({"SEX": ["F", "M"], "AGE": "25-34"}).masks(DOMAIN) == {2: 0b10}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", {}),
        ("  ", {}),
        ("SEX=F", {"SEX": "F"}),
        (" SEX = F , AGE= 15-24 | 25-34 ", {"SEX": "F", "AGE": ["15-24", "25-34"]}),
        ("CITY=Chicago, IL", {"CITY": "Chicago, IL"}),
        ("CITY=Chicago, IL|Paris, SEX=M", {"CITY": ["Chicago, IL", "Paris"], "SEX": "M"}),
        ("CITY=x=1", {"CITY": "x=1"}),
        ("SEX=M, CITY=x=1|Paris", {"SEX": "M", "CITY": ["x=1", "Paris"]}),
    ],
)
def test_claim_text(text: str, expected: dict[str, Any]) -> None:
    predicate = Predicate.parse(text, DOMAIN)
    assert predicate == Predicate.of(expected)
    assert Predicate.parse(predicate.text(DOMAIN), DOMAIN) == predicate


def test_empty_set_of_values() -> None:
    with pytest.raises(InputError, match="empty set of values"):
        Predicate.of({"SEX": []})


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        (-1, 2, "negative"),
        (2, 1, "above high"),
        (1.5, 2, "whole number"),
        (True, 1, "whole number"),
        (0, True, "whole number"),
        ("1", 1, "whole number"),
    ],
)
def test_bad_statistics(low: Any, high: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        Release(DOMAIN, (Statistic(Predicate(), low, high),))


def test_a_release_names_all_its_problems() -> None:
    with pytest.raises(InputError) as caught:
        Release(
            DOMAIN,
            (Statistic.exact(Predicate.of({"SEX": "X"}), 1, "first"), Statistic(Predicate(), 3, 2, "second")),
            (Predicate.of({"JOB": "1"}),),
        )
    assert sorted(problem.split(":")[0] for problem in caught.value.problems) == ["first", "rule 1", "second"]


def test_count_larger_than_the_number_of_records() -> None:
    with pytest.raises(InputError, match="women: the count 5 is larger than the number of records, 4"):
        Release(DOMAIN, (Statistic(Predicate(), 2, 4), Statistic(Predicate.of({"SEX": "F"}), 5, 9, "women")))


def test_ranges_in_words_and_numbers() -> None:
    statistic = Statistic(Predicate(), 2, None)
    assert [statistic.holds(n) for n in (1, 2, 99)] == [False, True, True]
    assert statistic.range_text == "at least 2"
    assert Statistic(Predicate(), 2, 3).range_text == "2 to 3"
    assert Release(DOMAIN, (Statistic(Predicate(), 1, 5), Statistic(Predicate(), 2, None))).size_range == (2, 5)


def test_fingerprint_ignores_names_but_not_numbers() -> None:
    base = Release(DOMAIN, (Statistic.exact(Predicate.of({"SEX": "F"}), 1, "a", "t"),))
    same = Release(DOMAIN, (Statistic.exact(Predicate.of({"SEX": "F"}), 1, "b"),))
    other = Release(DOMAIN, (Statistic.exact(Predicate.of({"SEX": "F"}), 2, "a", "t"),))
    assert base.fingerprint() == same.fingerprint() != other.fingerprint()


def test_datasets() -> None:
    domain = Domain.of({"A": ["2", "1"]})
    data = Dataset.of(domain, [("1",), ("2",), ("1",)])
    assert data.records == (("2",), ("1",), ("1",))
    assert data.distance(Dataset.of(domain, [("2",)])) == 1.0
    assert data.distance(data) == 0.0
    with pytest.raises(InputError) as caught:
        Dataset.of(domain, [("3",), ("1", "1")])
    assert len(caught.value.problems) == 2


NO_BUCKETS, NO_NUMBERS = np.zeros(0, dtype=np.int64), np.zeros(0)


@pytest.mark.parametrize(
    "answer",
    [
        *Verdict,
        Undecided("no time"),
        Infeasible(NO_NUMBERS),
        Feasible(NO_BUCKETS, NO_NUMBERS, 0.0, NO_NUMBERS),
    ],
)
def test_answers_have_no_truth_value(answer: Any) -> None:
    with pytest.raises(TypeError, match="truth value"):
        bool(answer)


def test_deadlines() -> None:
    assert not Deadline().passed()
    assert Deadline.after(0).passed()
    assert Deadline.after(None).left() == float("inf")
    assert 0 < Deadline.after(60).left() <= 60


def test_public_names() -> None:
    for name in foregone.__all__:
        assert getattr(foregone, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = foregone.nothing


def test_findings() -> None:
    finding = Finding(Claim(Predicate(), 1), Verdict.VERIFIED, Ground.LINEAR)
    assert finding.ground is Ground.LINEAR
    assert [ground.rank for ground in Ground] == [0, 1, 2, 3, 4]


def test_large_values_print_in_a_line() -> None:
    domain = Domain.of({"X": [f"v{i}" for i in range(3000)]})
    column = domain.columns[0]
    data = Dataset.of_kinds(domain, {(code,): 333 for code in column.codes})
    release = Release(domain, [Statistic.exact(Predicate.of({"X": code}), 1) for code in column.codes])
    values = (domain, column, data, Predicate.of({"X": column.codes}), release, release.workload)
    assert [len(repr(value)) < 200 for value in values] == [True] * len(values)
    assert repr(Dataset.of(Domain.of({"SEX": ["F", "M"]}), ["F"])) == "Dataset(1 record: (F))"
    assert repr(Predicate.of({"SEX": ["M", "F"], "AGE": "old"})) == "Predicate(AGE=old, SEX=F|M)"


@settings(max_examples=60, deadline=None)
@given(releases())
def test_many_counts_at_once_are_the_counts_one_by_one(made: tuple[Release, Dataset]) -> None:
    release, truth = made
    predicates = [statistic.predicate for statistic in release.statistics]
    assert truth.counts(predicates) == [truth.count(predicate) for predicate in predicates]


@pytest.mark.parametrize("width", [1, 8, 9, 70])
def test_codes_and_masks_are_each_others_inverse(width: int) -> None:
    column = Column("A", tuple(str(i) for i in range(width)))
    for codes in ([], ["0"], list(column.codes), list(column.codes[::3]), [column.codes[-1]]):
        assert list(column.codes_of(column.mask(codes))) == codes
