"""Every question takes a release or a path, and a claim as text, as a dict or as a Predicate."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest

import foregone as fg
from foregone import Domain, InputError, Predicate, Release, Statistic, Verdict
from foregone.questions.ask import possible

DOMAIN = Domain.of({"SEX": ["F", "M"], "AGE": ["0-17", "18-64", "65+"]}, record="person")
RELEASE = Release(
    DOMAIN,
    [
        Statistic.exact(Predicate(), 5, "N"),
        Statistic.exact(Predicate.of({"SEX": "F"}), 2, "women"),
        Statistic.exact(Predicate.of({"AGE": ["18-64", "65+"]}), 1, "adults"),
    ],
)
WAYS: list[Any] = [
    "SEX=M, AGE=0-17",
    {"SEX": "M", "AGE": "0-17"},
    {"SEX": ["M"], "AGE": ("0-17",)},
    Predicate.of({"SEX": "M", "AGE": "0-17"}),
]


@pytest.fixture(params=["release", "folder as text", "folder", "json"])
def source(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    if request.param == "release":
        return RELEASE
    path = tmp_path / ("release.json" if request.param == "json" else "release")
    RELEASE.write(path)
    return str(path) if request.param == "folder as text" else path


def test_questions_without_a_claim(source: Any) -> None:
    assert fg.audit(source) == fg.audit(RELEASE)
    assert fg.unique(source) == fg.unique(RELEASE)
    assert fg.generate(source, 3) == fg.generate(RELEASE, 3)


@pytest.mark.parametrize("claim", WAYS, ids=["text", "dict", "dict of lists", "Predicate"])
def test_questions_about_a_claim(source: Any, claim: Any) -> None:
    assert fg.bounds(source, claim) == (2, 3)
    assert fg.verify(source, claim, 3).verdict == Verdict.REFUTED
    assert fg.verify(source, claim, 3) == fg.verify(RELEASE, WAYS[-1], 3)
    found = fg.explain(source, claim)
    assert (found.low, found.high) == (2, 3)
    assert found.predicate == WAYS[-1]
    assert not possible(source, claim, 2).impossible
    assert possible(source, claim, 1).impossible


def test_groups_and_everyone(source: Any) -> None:
    assert fg.bounds(source, "AGE=18-64|65+") == fg.bounds(source, {"AGE": ["18-64", "65+"]}) == (1, 1)
    assert fg.bounds(source, "") == fg.bounds(source, {}) == fg.bounds(source, Predicate()) == (5, 5)
    assert fg.explain(source, "SEX=M", 3).statistics == (0, 1)


@pytest.mark.parametrize("question", [fg.bounds, fg.explain, partial(fg.verify, count=1), partial(possible, count=1)])
@pytest.mark.parametrize(
    ("claim", "words"),
    [
        ("SEX=X", "'X' is not a value of SEX"),
        ({"SEX": "X"}, "'X' is not a value of SEX"),
        (Predicate.of({"SEX": "X"}), "'X' is not a value of SEX"),
        ({"RACE": "1"}, "'RACE' is not a column"),
        ("nonsense", "cannot read"),
    ],
)
def test_claims_about_something_else_are_refused(question: Any, claim: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        question(RELEASE, claim)


@pytest.mark.parametrize("wrong", [None, 7, {"SEX": ["F"]}, [RELEASE]])
def test_what_is_no_release_is_refused(wrong: Any) -> None:
    for question in (fg.audit, fg.unique, lambda s: fg.generate(s, 1), lambda s: fg.bounds(s, {}), lambda s: fg.explain(s, {})):
        with pytest.raises(InputError, match="a release or the path of one was expected"):
            question(wrong)


def test_a_path_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="nowhere"):
        fg.audit(tmp_path / "nowhere")
