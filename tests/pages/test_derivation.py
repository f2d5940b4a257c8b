"""Derivations hold, step by step, and survive being stored."""

from __future__ import annotations

import json

import pytest

from foregone import Predicate, audit
from foregone.census.demo import demo_release, stored_explanations
from foregone.engine import forced
from foregone.pages.derivation import Derivation, derivation_from, derive
from foregone.pages.ranking import rank_facts
from tests.census.explanations import confirm, derivation_json, told
from tests.pages.samples import town


def test_steps_of_a_derivation_hold_and_use_every_number() -> None:
    """What is explained is the claim without groups that tell nothing, as on every page."""
    release, _ = demo_release()
    stored = stored_explanations(release.fingerprint())
    for fact in told(release):
        predicate, count = fact.telling, fact.count
        found = stored[fact.predicate.text(release.domain), count]
        confirm(release, predicate, count, found)
        if found.anchor is None:
            continue
        anchor = release.statistics[found.anchor]
        assert anchor.low == anchor.high == count
        values = dict(predicate.allowed)
        for step in found.steps:
            narrowed = {**dict(anchor.predicate.allowed), **{name: values[name] for name in step.columns}}
            assert forced(release, step.statistics, Predicate.of(narrowed), count, count) is True
        assert {found.anchor, *(i for step in found.steps for i in step.statistics)} == set(found.statistics)


def test_a_stored_explanation_that_does_not_fit_is_refused() -> None:
    release = town()
    fact = rank_facts(audit(release))[0]
    with pytest.raises(Exception, match="does not fit"):
        confirm(release, fact.predicate, fact.count, Derivation(()))


def test_derivations_survive_storage() -> None:
    release = town()
    fact = rank_facts(audit(release))[0]
    found = derive(release, fact.predicate, fact.count)
    assert derivation_from(json.loads(json.dumps(derivation_json(found)))) == found
