"""`no_cheaper` against every choice of small problems: true bounds are accepted, false ones never, whatever the tree."""

from __future__ import annotations

import random
from typing import Any

import pytest

from foregone.checker.choice import DEEPEST, Clause, no_cheaper
from foregone.checker.refusal import Refused, Work
from tests.checker.coverings import Covering, changed


def accepted(problem: Covering, bound: int, tree: Any) -> bool:
    try:
        no_cheaper(problem.costs, problem.clauses, bound, tree, Work())
    except Refused:
        return False
    return True


def test_trees_against_every_choice() -> None:
    rng = random.Random(20)
    true = false = damaged = impossible = conditional = 0
    for _ in range(3_000):
        problem = Covering.drawn(rng)
        least = problem.least()
        bound = rng.randint(1, 30) if least is None else least
        tree = problem.tree(bound, rng)
        assert tree is not None, problem
        assert accepted(problem, bound, tree), (problem, bound, tree)
        true += 1
        impossible += least is None
        conditional += any(clause.given for clause in problem.clauses.values())
        for _ in range(6):
            tree = changed(tree, problem, rng)
            if least is not None:
                higher = least + rng.randint(1, 3)
                assert not accepted(problem, higher, tree), (problem, higher, tree)
                false += 1
            damaged += accepted(problem, bound, tree)
        if least is not None:
            assert problem.tree(least + 1, rng) is None
    assert min(true, false // 4, damaged, impossible * 10, conditional) > 1_000


ONE = frozenset({0})
NONE: frozenset[int] = frozenset()


def pay(*numbers: list[int], over: int = 1) -> dict[str, Any]:
    return {"pay": [*numbers], "over": over}


@pytest.mark.parametrize(
    ("clauses", "bound", "tree"),
    [
        ({0: Clause(ONE, frozenset({1}))}, 1, pay([0, 1])),  # leaving action 0 costs nothing
        ({0: Clause(ONE, NONE)}, 1, {"unmet": 0}),
        ({0: Clause(NONE, ONE)}, 3, pay([0, 2])),
        ({0: Clause(NONE, ONE)}, 4, pay([0, 2], [0, 2])),  # twice the same clause: more than the action costs
        ({0: Clause(NONE, ONE)}, 1, {"item": 0, "taken": pay(), "left": pay()}),
        ({0: Clause(NONE, ONE)}, 4, {"item": 0, "taken": pay([0, 2]), "left": {"unmet": 0}}),  # met, and paid for once more
        ({0: Clause(NONE, ONE)}, 1, {"item": 2, "taken": pay(), "left": {"unmet": 0}}),  # there is no action 2
        ({0: Clause(NONE, ONE)}, 4, {"item": 0, "taken": {"item": 0, "taken": pay(), "left": pay()}, "left": {"unmet": 0}}),
        ({}, 0, {}),
        ({}, 0, pay(over=0)),
        ({}, 0, {"unmet": 0}),
        ({}, 0, []),
    ],
)
def test_what_proves_nothing(clauses: dict[int, Clause], bound: int, tree: Any) -> None:
    assert not accepted(Covering((2, 1), clauses), bound, tree)


def test_an_action_that_is_not_there_meets_nothing() -> None:
    nobody = Covering((2,), {0: Clause(NONE, frozenset({5}))})
    assert accepted(nobody, 7, pay([0, 7]))


def test_a_chain_of_conditions() -> None:
    """Everybody takes 0; whoever takes 0 takes 1; whoever takes both takes 2."""
    chain = Covering(
        (1, 10, 100), {0: Clause(NONE, ONE), 1: Clause(ONE, frozenset({1})), 2: Clause(frozenset({0, 1}), frozenset({2}))}
    )
    assert chain.least() == 111
    tree = {"item": 0, "taken": {"item": 1, "taken": pay([2, 100]), "left": {"unmet": 1}}, "left": {"unmet": 0}}
    assert accepted(chain, 111, tree)
    assert not accepted(chain, 112, tree)


def test_a_tree_that_never_ends_is_refused() -> None:
    tree: Any = pay()
    for _ in range(DEEPEST + 1):
        tree = {"item": 0, "taken": tree, "left": tree}
    with pytest.raises(Refused, match="bounded depth"):
        no_cheaper((1,), {}, -1_000, tree, Work())
