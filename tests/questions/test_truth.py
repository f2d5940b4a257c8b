"""The microdata beside a release: a dataset to begin with where none is found soon, and never a reason for a claim."""

from __future__ import annotations

import logging

import pytest
from hypothesis import given, settings

from foregone import Dataset, Release, audit, check, proofs
from foregone.engine.answers import start as start_module
from foregone.engine.system.decode import dataset_of, witness_of
from foregone.engine.system.linear import compile_release
from tests.engine.claims.test_shaving import dense
from tests.strategies import releases

Pair = tuple[Release, Dataset]


@settings(max_examples=40, deadline=None)
@given(releases())
def test_claims_are_the_same_with_and_without(pair: Pair) -> None:
    """Also when the search does begin there, as it is given no time to find another dataset."""
    release, truth = pair
    without = audit(release)
    beside = audit(release, truth=truth)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FOREGONE_LOOP", "pure")  # the compiled loop has a first dataset at once
        patch.setattr(start_module, "PATIENCE", 0.0)
        begun = audit(release, truth=truth)
    assert without.method == beside.method == ""
    assert "microdata" in begun.method
    assert begun.facts == beside.facts == without.facts
    checked = check(release, proofs(begun), complete=True)
    assert (checked.accepted, checked.rejected, checked.complete) == (len(without), [], True)


def test_microdata_of_another_release_are_left_aside(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setattr(start_module, "PATIENCE", 0.0)
    monkeypatch.setattr(logging.getLogger("foregone.notes"), "propagate", True)
    release, truth = dense(1)
    _, other = dense(2)
    with caplog.at_level(logging.INFO, "foregone.notes"):
        result = audit(release, truth=other)
    assert "do not fit" in caplog.text
    assert result.facts == audit(release).facts
    assert result.method == ""
    assert not result.broken_by(truth)


@settings(max_examples=60, deadline=None)
@given(releases())
def test_there_and_back(pair: Pair) -> None:
    system = compile_release(pair[0])
    witness = witness_of(system, pair[1])
    assert witness is not None
    assert system.consistent([witness]) == [True]
    again = witness_of(system, dataset_of(system, witness))
    assert again is not None
    assert again.key == witness.key
