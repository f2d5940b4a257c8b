"""Audits of census blocks: true, complete, and never the poorer for more published numbers."""

from __future__ import annotations

import pytest

from foregone import Ground, Verdict, audit, verify
from foregone.census.household.kind import household_release
from foregone.census.household.sentences import household
from foregone.census.synthetic.households import block
from foregone.model.audit import forms
from foregone.model.claims_table import values_of


@pytest.mark.parametrize(("households", "seed"), [(6, 1), (10, 2), (10, 3)])
def test_withholding_numbers_only_loses_claims(households: int, seed: int) -> None:
    truth = block(households, seed)
    release = household_release(truth)
    full = audit(release)
    assert full.broken_by(truth) == []
    assert not full.open
    everything = {(row.values, row.count) for row in full.all_rows()}
    assert len(everything) == sum(full.claims_by_columns().values())
    for dropped in ((0,), (1,), (0, 1)):
        reduced = audit(release.without(i for i, s in enumerate(release.statistics) if s.low in dropped))
        assert reduced.facts
        assert not reduced.open
        assert reduced.broken_by(truth) == []
        assert {(row.values, row.count) for row in reduced.all_rows()} <= everything


@pytest.mark.slow
def test_single_questions_agree_with_the_audit() -> None:
    """Every closed claim is verified on its own, and the same claim with one record more or fewer is refuted."""
    truth = block(8, 4)
    release = household_release(truth)
    result = audit(release)
    assert result.facts
    for fact in result.facts[:12]:
        predicate = fact.predicate
        finding = verify(release, predicate, fact.count)
        assert finding.verdict == Verdict.VERIFIED
        assert finding.ground in set(Ground)
        refuted = verify(release, predicate, fact.count + 1)
        assert refuted.verdict == Verdict.REFUTED
        assert refuted.witness is not None
        assert refuted.witness.broken(release) == []


def test_minimal_forms_say_the_same() -> None:
    truth = block(8, 4)
    release = household_release(truth)
    result = audit(release)
    rows = {row.values: row.count for row in result.all_rows()}
    names = release.domain.names
    for fact in result.facts[:10]:
        every = {frozenset(form.allowed) for form in forms(fact, len(names), result.release.domain, result.families)}
        for shortest in fact.shortest:
            if not shortest.allowed:  # what is true of every household needs no column at all
                assert fact.count == len(truth)
                continue
            assert rows[values_of(release.domain, shortest)] == fact.count
            form = frozenset(shortest.allowed)
            assert form in every
            assert not any(form - {column} in every for column in form), "a column can be left out"


@pytest.mark.parametrize(
    ("codes", "words"),
    [
        ({}, "A household."),
        ({"HHSIZE": "1"}, "A household of one person."),
        ({"HHT": "1"}, "A household. A married couple lives there."),
        ({"HHT": "3", "HHT2": "4"}, "An unmarried couple lives there without own children under 18. A woman heads a family"),
        ({"TP18": "1", "TP65": "0"}, "Someone under 18 and nobody aged 65 or over lives there."),
        ({"VACS": "1"}, "The unit is vacant."),
        ({"TEN": "4", "VACS": "0"}, "A household. The home is occupied without payment of rent."),
    ],
)
def test_sentences(codes: dict[str, str], words: str) -> None:
    assert words in household(codes)
