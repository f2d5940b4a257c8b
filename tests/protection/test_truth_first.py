"""Suggestions are never believed, and what is undecided is neither safe nor a breach."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from foregone import Policy, protect
from foregone.protection.actions import Allowed, problem_of
from foregone.protection.attack import Explanations, Unsure
from foregone.protection.cells import CellAttacker
from foregone.protection.exact import ClaimAttacker, ExactAttacker
from foregone.protection.search import ChoiceSearch
from foregone.solvers.answer import Undecided
from foregone.solvers.deadline import Deadline
from foregone.solvers.elastic import Corner, Elastic
from foregone.solvers.sparse import Suggestions
from tests.protection import brute
from tests.protection.test_small_cases import CLINICS, SHOWN


def test_undecided_is_not_safe(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CellAttacker, "_narrow", lambda *_: Undecided("nobody knows"))
    problem = problem_of(CLINICS, SHOWN, Allowed())
    attacker = ExactAttacker(problem)
    taken = set(range(len(problem.actions)))
    with pytest.raises(StopIteration) as end:
        next(attacker.explanations(taken, Deadline()))
    assert end.value.value == Unsure("nobody knows")
    assert attacker.breaches(taken, Deadline()) is None
    found = ChoiceSearch(problem, attacker, Deadline()).run()
    assert (found.upper, found.lower, found.reason) == (None, 0, "nobody knows")


@pytest.mark.parametrize("wrong", ["nothing", "everything", "noise"])
def test_linear_programs_only_suggest(monkeypatch: pytest.MonkeyPatch, wrong: str) -> None:
    policy = Policy(singled_out_columns=2, smallest_group=12)
    problem = problem_of(CLINICS, policy, Allowed(keep=("T.[B-D]", "T.F", "T.M", "T.all")))
    expected = ChoiceSearch(problem, ClaimAttacker(problem), Deadline()).run()
    assert expected.optimal
    assert expected.explanations

    solve, random = Elastic.solve, np.random.default_rng(1)

    def misled(self: Elastic, *asked: Any) -> Corner | None:
        found = solve(self, *asked)
        if found is None or wrong == "nothing":
            return None
        noise = np.ones(len(found.multipliers)) if wrong == "everything" else random.integers(-1, 2, len(found.multipliers))
        return replace(found, multipliers=noise * (1.0 + np.abs(found.multipliers)))

    monkeypatch.setattr(Elastic, "solve", misled)
    monkeypatch.setattr(Suggestions, "rows_for", lambda *_: [])
    found = ChoiceSearch(problem, ClaimAttacker(problem), Deadline()).run()
    assert (found.impossible, found.lower, found.upper) == (None, expected.lower, expected.upper)
    for explanation in found.explanations:
        rest = frozenset(range(len(problem.actions))) - explanation.clause
        assert ClaimAttacker(problem).breaches(rest, Deadline())
    assert protect(CLINICS, SHOWN).cost == 4
    assert brute.linear_breaks(problem_of(CLINICS, SHOWN, Allowed()), frozenset(), 0)


@pytest.mark.parametrize("stopped_by", ["time", "somebody"])
def test_stopped_within_a_round_the_bound_is_that_of_all_explanations_found(
    monkeypatch: pytest.MonkeyPatch, stopped_by: str
) -> None:
    """The covering problem is solved before a round. What is explained within the round raises the bound as well."""
    whole = protect(CLINICS, SHOWN)
    assert (whole.cost, whole.optimal) == (4, True)
    found_before = CellAttacker.explanations

    def first_only(self: CellAttacker, taken: set[int], deadline: Deadline) -> Explanations:
        explaining = found_before(self, taken, deadline)
        yield next(explaining)
        if stopped_by == "somebody":
            raise KeyboardInterrupt
        return Unsure("the time limit was reached")

    problem = problem_of(CLINICS, SHOWN, Allowed())
    monkeypatch.setattr(CellAttacker, "explanations", first_only)
    monkeypatch.setattr(ChoiceSearch, "_start", lambda _: True)
    monkeypatch.setattr(ChoiceSearch, "_cut", lambda *_, **__: None)
    search = ChoiceSearch(problem, ExactAttacker(problem), Deadline())
    monkeypatch.setattr(Deadline, "passed", lambda _: bool(search.found.explanations))
    found = search.run()
    assert len(found.explanations) == 1
    assert found.lower == min(problem.actions[a].cost for a in found.explanations[0].clause) >= 1
    assert not found.optimal
    assert found.reason == ("stopped" if stopped_by == "somebody" else "the time limit was reached")


def test_that_withholding_is_the_wrong_tool_is_not_said_when_the_time_was_too_short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ChoiceSearch, "_round", lambda self: setattr(self.found, "reason", "the time limit was reached"))
    monkeypatch.setattr(ChoiceSearch, "_cut", lambda *_, **__: None)
    monkeypatch.setattr(ChoiceSearch, "_rounded", lambda _: None)
    found = protect(CLINICS, SHOWN)
    assert (found.cost, found.optimal, found.left) == (15, False, 0)  # everything is withheld: a protection, but not a good one
    assert "wrong tool" not in found.summary()
    assert "of 15 numbers other than 0, nothing would stay published. With more time" in found.summary()
