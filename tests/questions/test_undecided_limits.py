"""What an audit leaves undecided comes with limits that hold."""

from __future__ import annotations

import pytest

from foregone import audit
from foregone.engine.bounds import prover as prover_module
from foregone.engine.bounds import search as search_module
from tests import oracle
from tests.engine.bounds.test_search import triangles


@pytest.fixture
def no_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither derived rows nor trees: only bounds decide."""
    monkeypatch.setattr(prover_module, "ROUNDS", 0)
    monkeypatch.setattr(search_module, "MAX_DEPTH", -1)


@pytest.mark.usefixtures("no_search")
def test_limits_of_what_is_open() -> None:
    result = audit(triangles(2))
    assert not result.facts
    assert [(fact.count, fact.limits) for fact in result.open] == [(1, (0, 1))]
    frame = result.undecided
    assert frame[["count", "status", "least", "greatest"]].to_numpy().tolist() == [[1, "undecided", 0, 1]]


@pytest.mark.usefixtures("no_search")
@pytest.mark.parametrize("number", [2, 3])
def test_limits_hold_in_every_dataset(number: int) -> None:
    """Some values of the triangles are told apart by a second column, so that more than one claim stays open."""
    release = triangles(number, 2)
    left = audit(release).open
    assert left
    for fact in left:
        assert fact.limits is not None
        least, greatest = fact.limits
        attained = oracle.count_range(release, fact.predicate, number + 1)
        assert greatest is not None
        assert attained is not None
        assert least <= attained[0] <= attained[1] <= greatest
