"""`no_cheaper` against every choice of small problems: true bounds are accepted, false ones never, whatever the tree."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from foregone.checker import Refused
from foregone.checker.read.refusal import MOST_WORK, CountedWork
from foregone.checker.verdicts.choice import DEEPEST, Clause, no_cheaper
from tests.checker.coverings import Covering, changed


def accepted(problem: Covering, bound: int, tree: Any) -> bool:
    try:
        no_cheaper(problem.costs, problem.clauses, bound, tree, CountedWork())
    except Refused:
        return False
    return True


def test_trees_against_every_choice() -> None:
    """Also trees that pay for conditional clauses, and those that pay more for an action than it costs."""
    rng = random.Random(20)
    seen = Counter[str]()
    for _ in range(3_000):
        problem = Covering.drawn(rng)
        least = problem.least()
        bound = rng.randint(1, 30) if least is None else least
        tree = problem.tree(bound, rng)
        assert tree is not None, problem
        assert accepted(problem, bound, tree), (problem, bound, tree)
        seen["impossible"] += least is None
        seen.update(kinds(problem, bound, tree))
        for _ in range(6):
            tree = changed(tree, problem, rng)
            if least is not None:
                higher = least + rng.randint(1, 3)
                assert not accepted(problem, higher, tree), (problem, higher, tree)
                seen["false"] += 1
            if accepted(problem, bound, tree):
                seen["changed"] += 1
                seen.update(f"changed, {kind}" for kind in kinds(problem, bound, tree))
        if least is not None:
            assert problem.tree(least + 1, rng) is None
    assert seen["false"] > 10_000
    assert min(seen["changed"], seen["conditional"], seen["above"]) > 500, seen
    assert min(seen["impossible"], seen["needed"], seen["changed, conditional"], seen["changed, above"]) > 100, seen


def kinds(problem: Covering, bound: int, tree: Any) -> Iterator[str]:
    """What is special about a tree that is accepted."""
    leaves = list(problem.paying(tree))
    if any(rest.above(leaf) for rest, leaf in leaves):
        yield "above"
    if any(rest.conditional(leaf) for rest, leaf in leaves):
        yield "conditional"
        if "pay" in tree:
            others = [[k, number] for k, number in tree["pay"] if not problem.clauses[k].given]
            yield from () if accepted(problem, bound, {**tree, "pay": others}) else ("needed",)


def test_a_leaf_shows_a_bound_and_not_more() -> None:
    rng = random.Random(30)
    above = conditional = 0
    for _ in range(3_000):
        problem = Covering.drawn(rng)
        leaf = problem.leaf(rng)
        shown, least = problem.shown(leaf), problem.least()
        assert least is None or shown <= least
        assert accepted(problem, shown, leaf), (problem, leaf)
        assert not accepted(problem, shown + 1, leaf), (problem, leaf)
        conditional += problem.conditional(leaf)
        above += problem.above(leaf)
    assert min(above, conditional) > 1_000


def beside(one: Covering, other: Covering) -> Covering:
    """Two problems as one; the actions and the clauses of the second come after those of the first."""
    first, last = len(one.costs), 1 + max(one.clauses, default=-1)
    clauses = dict(one.clauses)
    for k, (given, items) in other.clauses.items():
        clauses[last + k] = Clause(frozenset(first + a for a in given), frozenset(first + a for a in items))
    return Covering((*one.costs, *other.costs), clauses)


def moved(tree: Any, actions: int, clauses: int) -> Any:
    """A tree about the second of two problems, as the two together number its actions and clauses."""
    if "item" in tree:
        sides = {side: moved(tree[side], actions, clauses) for side in ("taken", "left")}
        return {"item": tree["item"] + actions, **sides}
    if "unmet" in tree:
        return {"unmet": tree["unmet"] + clauses}
    return {"pay": [[k + clauses, number] for k, number in tree["pay"]], "over": tree["over"]}


def two_parts(rng: random.Random) -> tuple[Covering, list[dict[str, Any]]] | None:
    """Two problems as one, and what each of them costs at least, with a tree; None if one cannot be solved."""
    one, other = Covering.drawn(rng), Covering.drawn(rng)
    bounds = one.least(), other.least()
    if bounds[0] is None or bounds[1] is None:
        return None
    both, second = beside(one, other), moved(other.tree(bounds[1], rng), len(one.costs), 1 + max(one.clauses, default=-1))
    lists = [*range(len(one.costs))], [*range(len(one.costs), len(both.costs))]
    parts = zip(lists, bounds, (one.tree(bounds[0], rng), second), strict=True)
    return both, [{"actions": actions, "bound": bound, "tree": tree} for actions, bound, tree in parts]


def test_bounds_of_parts_add_up() -> None:
    """Accepted if each holds, and never more than every choice costs, whatever the lists of actions are."""
    rng = random.Random(40)
    refused = 0
    for _ in range(1_500):
        drawn = two_parts(rng)
        if drawn is None:
            continue
        both, parts = drawn
        bounds, lists = [part["bound"] for part in parts], [part["actions"] for part in parts]
        assert accepted(both, sum(bounds), {"apart": parts}), (both, parts)
        assert not accepted(both, sum(bounds) + 1, {"apart": parts})
        assert accepted(both, sum(bounds), {"apart": [*parts, {"actions": [], "bound": 0, "tree": pay()}]})
        for part in parts:  # an action of the other part, one that is gone, and one that is not there
            changed_ = [list(some) for some in lists]
            at = rng.randrange(2)
            match rng.randrange(3):
                case 0:
                    changed_[at].append(rng.choice(changed_[1 - at] or [0]))
                case 1:
                    changed_[at] = changed_[at][1:]
                case _:
                    changed_[at].append(len(both.costs))
            wrong = [{**p, "actions": some} for p, some in zip(parts, changed_, strict=True)]
            assert not accepted(both, sum(bounds) + 1, {"apart": wrong}), part
            refused += not accepted(both, sum(bounds), {"apart": wrong})
        assert not accepted(both, sum(bounds) + 1, {"apart": parts + parts})
    assert refused > 500


ONE = frozenset({0})
NONE: frozenset[int] = frozenset()


def pay(*numbers: list[int], over: int = 1) -> dict[str, Any]:
    return {"pay": [*numbers], "over": over}


@pytest.mark.parametrize(
    ("clauses", "bound", "tree"),
    [
        ({0: Clause(ONE, frozenset({1}))}, 1, pay([0, 1])),  # leaving action 0 costs nothing
        ({0: Clause(frozenset({0, 1}), NONE), 1: Clause(NONE, ONE)}, 3, pay([0, 1], [1, 3])),  # action 1 can be left
        ({0: Clause(frozenset({0, 1}), NONE)}, 1, pay([0, -1])),  # less than nothing
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


@pytest.mark.parametrize("clause", [Clause(NONE, frozenset({0, 5})), Clause(frozenset({5}), ONE), Clause(NONE, frozenset({-1}))])
def test_clauses_name_no_actions_that_are_not_there(clause: Clause) -> None:
    with pytest.raises(Refused, match="not there"):
        no_cheaper((2,), {0: clause}, 0, pay(), CountedWork())


def test_a_chain_of_conditions() -> None:
    """Everybody takes 0; whoever takes 0 takes 1; whoever takes both takes 2."""
    chain = Covering(
        (1, 10, 100), {0: Clause(NONE, ONE), 1: Clause(ONE, frozenset({1})), 2: Clause(frozenset({0, 1}), frozenset({2}))}
    )
    assert chain.least() == 111
    tree = {"item": 0, "taken": {"item": 1, "taken": pay([2, 100]), "left": {"unmet": 1}}, "left": {"unmet": 0}}
    at_once = pay([0, 1 + 110 + 100], [1, 10 + 100], [2, 100])
    for proof in (tree, at_once, pay([0, 216], [1, 110], [2, 100])):  # the last pays 5 more for action 0 than it costs
        assert accepted(chain, 111, proof)
        assert not accepted(chain, 112, proof)


def test_a_tree_that_never_ends_is_refused() -> None:
    tree: Any = pay()
    for _ in range(DEEPEST + 1):
        tree = {"item": 0, "taken": tree, "left": tree}
    with pytest.raises(Refused, match="bounded depth"):
        no_cheaper((1,), {}, -1_000, tree, CountedWork())


def test_a_clause_that_is_paid_for_without_end_is_refused() -> None:
    wide, work = {0: Clause(NONE, frozenset(range(1_000)))}, CountedWork()
    work.spent = MOST_WORK - 256 * 100_000
    no_cheaper([1] * 1_000, wide, 1, pay([0, 1]), work)
    with pytest.raises(Refused, match="more work"):
        no_cheaper([1] * 1_000, wide, 1, pay([0, 1], *[[0, 0]] * 100), work)
