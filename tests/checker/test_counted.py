"""The checker's own count of datasets, against listing them all; and files that say something else."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

import foregone as fg
from foregone import Predicate, Release
from foregone.checker import digest, release_of
from foregone.checker.verdicts import counted
from foregone.checker.verdicts.counted import check_count
from foregone.counting.answer import likely
from foregone.questions.check import plain
from tests.counting import brute
from tests.mixed import mixed

PEOPLE = {"SEX": ["F", "F", "M", "M", "F"], "AGE": ["1", "2", "2", "3", "1"], "TOWN": ["a", "b", "a", "a", "c"]}
PRIORS = ("uniform", "histograms", "polya:3", "polya:1/2")


@pytest.fixture
def five() -> Release:
    return fg.tabulate(PEOPLE, margins=["SEX,AGE", "TOWN"])


@pytest.mark.slow
def test_counting_again_equals_listing_all_datasets() -> None:
    seen = 0
    for seed in range(14):  # counts, ranges, marks with gaps, groups, rules, either-ors and figures
        case, random = mixed(seed), Random(seed)
        release = case.release
        found = likely_or_none(release)
        if found is None:
            continue
        assert found == len(case.datasets)
        some = random.sample(release.domain.columns, random.randint(1, len(release.domain.columns)))
        predicate = Predicate.of({c.name: random.sample(c.codes, random.randint(1, len(c.codes))) for c in some})
        rows, where = release_of(plain(release)), {name: sorted(codes) for name, codes in predicate.allowed}
        for prior in PRIORS:
            shares = brute.share_of(list(case.datasets), release, predicate, prior)
            stated = [{"where": where, "count": n, "prior": prior, "share": str(share)} for n, share in enumerate(shares)]
            again = check_count(rows, sealed(release, str(len(case.datasets)), stated))
            assert (again.rejected, again.unproved, again.accepted) == ([], [], 8)
            wrong = [{**one, "count": n + 1} for n, one in enumerate(stated) if one["share"] == "1"]
            assert len(check_count(rows, sealed(release, str(len(case.datasets) + 1), wrong)).rejected) == len(wrong) + 1
        seen += 1
    assert seen > 7


def likely_or_none(release: Release) -> int | None:
    number = fg.count_datasets(release)
    return number if isinstance(number, int) else None


def sealed(release: Release, datasets: str, shares: list[Any]) -> dict[str, Any]:
    content = {"format": counted.FORMAT, "version": 1, "tool": "a test", "release": release.fingerprint()}
    content |= {"datasets": datasets, "shares": shares}
    return {**content, "digest": digest(content)}


@pytest.mark.parametrize("prior", PRIORS)
def test_what_likely_writes_is_accepted(five: Release, prior: str) -> None:
    document = likely(five, "SEX=F, TOWN=b", prior=prior).document()
    found = fg.check(five, json.loads(json.dumps(document)))
    assert (found.accepted, found.rejected, found.reason) == (2, [], "")


SPOILED: dict[str, tuple[Callable[[Any], Any], str]] = {
    "count": (lambda d: {**d, "datasets": "14"}, "13 datasets fit, and not 14"),
    "share": (lambda d: {**d, "shares": [{**d["shares"][0], "share": "2/3"}]}, "is about 0.6 and not 0.666667"),
    "records": (lambda d: {**d, "shares": [{**d["shares"][0], "count": 0}]}, "is about 0.4 and not 0.6"),
    "column": (lambda d: {**d, "shares": [{**d["shares"][0], "where": {"X": ["1"]}}]}, "is not a column"),
    "release": (lambda d: {**d, "release": "0"}, "made for another release"),
    "number": (lambda d: {**d, "datasets": 13}, "expected a text"),
    "float": (lambda d: {**d, "shares": [{**d["shares"][0], "share": "0.6"}]}, "a quotient of whole numbers"),
}


@pytest.mark.parametrize("how", SPOILED)
def test_what_is_not_so_is_rejected(five: Release, how: str) -> None:
    change, why = SPOILED[how]
    content = change({k: v for k, v in likely(five, "SEX=F, TOWN=b").document().items() if k != "digest"})
    found = fg.check(five, {**content, "digest": digest(content)})
    assert any(why in text for text in found.rejected), found.rejected


def test_what_is_not_counted_again_is_not_proved(five: Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "shares.csv").write_text("SEX,weight\nF,1\nM,2\n")
    document = likely(five, "SEX=F, TOWN=b", prior=tmp_path / "shares.csv").document()
    found = fg.check(five, document)
    assert found.accepted == 1
    assert "does not count with this prior" in found.reason
    monkeypatch.setattr(counted, "MOST_STEPS", 10)
    again = check_count(release_of(plain(five)), likely(five, "SEX=F").document())
    assert (again.accepted, again.rejected, len(again.unproved)) == (0, [], 2)
