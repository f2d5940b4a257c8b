"""Sums that explain a cell, and datasets that differ in many cells at once, on tables of some size."""

from __future__ import annotations

from time import process_time

import pytest

from foregone import Policy, Primary, Release, protect
from foregone.protection.actions import Allowed, problem_of
from foregone.protection.cells import CellAttacker
from foregone.protection.problem import Problem
from foregone.solvers.deadline import Deadline
from tests.suppressed import suppressed_table

SMALL = Policy(primary=Primary(1, 3))


def problem_and_attacker(release: Release) -> tuple[Problem, CellAttacker]:
    problem = problem_of(release, SMALL, Allowed())
    return problem, CellAttacker(problem)


@pytest.mark.parametrize("seed", range(6))
def test_what_a_sum_explains_is_known_and_is_not_when_an_action_meets_it(seed: int) -> None:
    problem, attacker = problem_and_attacker(suppressed_table((5, 4), 0, 60, seed))
    every = frozenset(range(len(problem.actions)))
    seen = 0
    for found in attacker.explanations(taken := set[int](), Deadline()):
        if not found.clause:
            break
        seen += 1
        rest = every - found.clause  # whatever else is withheld, these numbers break the policy
        assert attacker.breaches(rest, Deadline())
        taken.add(min(found.clause))
    assert seen
    assert attacker.safe(taken, Deadline())
    assert attacker.breaches(taken, Deadline()) == 0


@pytest.mark.parametrize("seed", range(4))
def test_safe_is_what_the_engine_calls_safe(seed: int) -> None:
    problem, attacker = problem_and_attacker(suppressed_table((4, 3, 3), 0, 120, seed))
    for step in (1, 2, 3, 5):
        taken = frozenset(range(0, len(problem.actions), step))
        by_engine = CellAttacker(problem)
        by_engine._differ = lambda *_: frozenset()  # type: ignore[method-assign]
        assert attacker.breaches(taken, Deadline()) == by_engine.breaches(taken, Deadline())
        assert attacker.safe(taken, Deadline()) is (by_engine.breaches(taken, Deadline()) == 0)


@pytest.mark.slow
def test_a_table_of_3000_cells_is_done_in_seconds() -> None:
    begin = process_time()
    found = protect(suppressed_table((300, 10), 0, 24_000), SMALL)
    assert found.optimal
    assert found.proved
    assert process_time() - begin < 60
