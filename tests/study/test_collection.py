"""The page about a study: its claims with their baselines."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as parquet
import pytest

from foregone.pages.thresholds import Limit, Thresholds
from foregone.study.collection import collection_of_study
from tests.country import command

pytestmark = pytest.mark.slow


def test_study_has_its_baselines(country: Path, tmp_path: Path) -> None:
    collection = collection_of_study(country / "study", Thresholds(), 50)
    claims = parquet.read_table(country / "study" / "claims.parquet").to_pylist()
    chances = parquet.read_table(country / "study" / "baseline.parquet").to_pylist()[: len(claims)]
    known = {
        (claim["block"], claim["count"], frozenset((n, claim[n]) for n in collection.domain.names if claim[n] is not None)): chance
        for claim, chance in zip(claims, chances, strict=True)
    }
    for located in collection.found:
        fact = located.fact
        chance = known[located.release, fact.count, frozenset(fact.values.items())]
        assert chance["prior"] == "tract"
        assert chance["probability"] == fact.baseline
    command("report", country / "study", "--out", tmp_path / "s.html")
    text = (tmp_path / "s.html").read_text("utf-8")
    assert "by chance: " in text
    assert "How surprising it is" in text
    assert "At least" in text


def test_study_shows_claims_in_their_fullest_form(country: Path) -> None:
    found = collection_of_study(country / "study", Thresholds(), 50).found
    assert found
    for one in found:
        for other in found:
            same = one is not other and (one.release, one.fact.count) == (other.release, other.fact.count)
            assert not (same and one.fact.values.items() <= other.fact.values.items())


def test_baselines_count_for_the_limits_of_a_study(country: Path) -> None:
    every = collection_of_study(country / "study", Thresholds(Limit(1, 2), Limit(1, 2)), 5)
    rare = collection_of_study(country / "study", Thresholds(Limit(1, 2, 0.05), Limit(1, 2, 0.0)), 5)
    assert every.over_fail == sum(every.singletons.values())
    assert rare.over_fail < every.over_fail
    assert rare.over_review <= rare.over_fail
