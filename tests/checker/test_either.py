"""Proofs that look at both sides of an either-or: what is certain either way is certain."""

from __future__ import annotations

from typing import Any

import pytest

from foregone import Domain, Predicate, Release, Statistic
from foregone.checker import Refused, check, release_of
from foregone.checker.read.proofs import FORMAT, VERSION
from foregone.model.statement import Either, Statement
from foregone.questions.check import plain
from tests.checker.documents import sealed

Json = dict[str, Any]

PEOPLE = Domain.of({"SEX": ["F", "M"], "AGE": ["20", "50"]})
women, old = Predicate.of({"SEX": "F"}), Predicate.of({"AGE": "50"})

# of 2 people at most 1 is a woman, or at most 1 is old; there are 2 women: so at most 1 is old
RELEASE = Release(
    PEOPLE,
    [Statistic.exact(Predicate(), 2, "people"), Statistic(women, 2, None, "women"), Statistic(old, 1, None, "old")],
    alternatives=[Either(Statement(((1, women),), None, 1), Statement(((1, Predicate()), (-1, old)), 1, None), "not both")],
)
LOWER = {"terms": [[5, 1]], "over": 1}  # old people are at least 1, as published
LEFT = {"terms": [[3, 1], [6, 1]], "nothing": True}  # at least 2 women, at most 1 woman
RIGHT = {"terms": [[6, 1], [0, 1]], "over": 1}  # the others are at least 1 of 2


def document(upper: Json, witness: list[list[str]] | None = None) -> Json:
    fact = {"claim": {"AGE": "50"}, "count": 1, "ground": "search", "forms": [], "upper": upper, "lower": LOWER}
    given = {"format": FORMAT, "version": VERSION, "tool": "by hand", "release": RELEASE.fingerprint()}
    listed = [["F", "20"], ["F", "50"]] if witness is None else witness
    steps = [{"columns": "SEX", "sets": ["F", "M"]}, {"columns": "AGE", "sets": ["20", "50"]}]
    return sealed({**given, "steps": steps, "facts": [fact], "witnesses": [listed]})


def verdict(upper: Json, witness: list[list[str]] | None = None) -> tuple[int, list[str]]:
    result = check(release_of(plain(RELEASE)), document(upper, witness))
    return result.accepted, result.rejected


def test_both_sides_prove_it() -> None:
    assert verdict({"either": 0, "left": LEFT, "right": RIGHT}) == (1, [])


@pytest.mark.parametrize(
    ("upper", "words"),
    [
        ({"either": 0, "left": RIGHT, "right": LEFT}, "fact 1"),  # the sides exchanged
        ({"either": 1, "left": LEFT, "right": RIGHT}, "there is no either-or 1"),
        ({"either": 0, "left": LEFT, "right": LEFT}, "fact 1"),
        (RIGHT, "there is no row 6"),  # outside of the either-or nothing of it is known
        (LEFT, "there is no row 6"),
        ({"either": -1, "left": LEFT, "right": RIGHT}, "expected a whole number"),
        ({"either": 0, "left": LEFT}, "expected an object"),
    ],
)
def test_what_only_looks_like_it(upper: Json, words: str) -> None:
    accepted, rejected = verdict(upper)
    assert accepted == 0
    assert words in rejected[0]


def test_a_listed_dataset_keeps_a_side() -> None:
    _, rejected = verdict({"either": 0, "left": LEFT, "right": RIGHT}, [["F", "50"], ["F", "50"]])
    assert rejected[0] == "witness 1: keeps neither side of either-or 0"


def test_the_fingerprint_knows_the_sides() -> None:
    assert release_of(plain(RELEASE)).fingerprint == RELEASE.fingerprint()
    flipped = [Either(e.right, e.left, e.name) for e in RELEASE.workload.alternatives]
    other = Release(PEOPLE, RELEASE.statistics, alternatives=flipped)
    assert release_of(plain(other)).fingerprint == other.fingerprint() != RELEASE.fingerprint()


def test_sides_of_the_wrong_shape_are_refused() -> None:
    content = plain(RELEASE)
    for wrong in ([1], [[{"terms": [], "low": 1, "high": 1}] * 2], [[{"where": {}, "low": 1}] * 2], {"a": 1}):
        with pytest.raises(Refused):
            release_of({**content, "alternatives": wrong})
