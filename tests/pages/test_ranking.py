"""What pages take from an audit: certain facts, their baselines, and a safe number of people singled out."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings

from foregone import Dataset, Predicate, Release, audit, tabulate
from foregone.batch.subject import ANY
from foregone.pages.ranking import audited_release, rank_facts
from tests import oracle
from tests.pages.samples import town
from tests.strategies import releases


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(releases())
def test_number_singled_out_never_exceeds_any_dataset(case: tuple[Release, Dataset]) -> None:
    release, truth = case
    result = audit(release)
    least, most = audited_release(result, ANY).singled_out
    claims = [fact.predicate for fact in result if fact.count == 1]
    matched = {r for c in claims for r in truth.records if Dataset.of(truth.domain, [r]).count(c)}
    assert least == most <= len(matched)
    assert result.singled_out_in(truth) >= len(matched)


def test_baselines_come_from_the_prior() -> None:
    data = {"SEX": ["F", "M", "M", "M"], "AGE": ["old", "old", "young", "young"]}
    release = tabulate(data, margins=["SEX"])
    prior = Dataset.of(release.domain, [("F", "old"), ("M", "old")])
    women = next(f for f in rank_facts(audit(release), prior) if f.predicate == Predicate.of({"SEX": "F"}))
    assert women.baseline == pytest.approx(4 * 0.5 * 0.5**3)


def test_oracle_agrees_that_facts_shown_are_certain() -> None:
    release = town()
    for fact in rank_facts(audit(release)):
        assert oracle.count_range(release, fact.predicate, 5) == (fact.count, fact.count)
