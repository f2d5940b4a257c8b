"""No choice of actions that meets every clause costs less than a bound: a tree that shows it, in whole numbers.

formal/Choice.v has a twin of it, with a theorem that what it accepts is true.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

from foregone.checker.refusal import Refused, Work
from foregone.checker.rows import keyed, pairs, whole

DEEPEST = 300


class Clause(NamedTuple):
    """Whoever takes all of the actions `given` must take at least one of `items`."""

    given: frozenset[int]
    items: frozenset[int]


def no_cheaper(costs: Sequence[int], clauses: dict[int, Clause], bound: int, tree: Any, work: Work) -> None:
    """The tree proves that whoever meets all clauses pays at least the bound, or this raises.

    A split takes an action or leaves it. What is then left of the clauses does not mention it.
    """
    _branch(costs, clauses, bound, tree, 0, work)


def _branch(costs: Sequence[int], clauses: dict[int, Clause], bound: int, tree: Any, depth: int, work: Work) -> None:
    """`bound` is what is still to be paid in this branch."""
    work.spend(256 * (sum(len(given) + len(items) + 1 for given, items in clauses.values()) + len(costs) + 1))
    if depth > DEEPEST or not isinstance(tree, dict):
        raise Refused("expected a tree of bounded depth")
    if "item" in tree:
        keyed(tree, ("item", "taken", "left"))
        item = whole(tree["item"], 0)
        if item >= len(costs):
            raise Refused(f"there is no action {item}")
        taken = {k: Clause(given - {item}, items) for k, (given, items) in clauses.items() if item not in items}
        left = {k: Clause(given, items - {item}) for k, (given, items) in clauses.items() if item not in given}
        _branch(costs, taken, bound - costs[item], tree["taken"], depth + 1, work)
        _branch(costs, left, bound, tree["left"], depth + 1, work)
    elif "unmet" in tree:
        keyed(tree, ("unmet",))
        if clauses.get(whole(tree["unmet"], 0)) != Clause(frozenset(), frozenset()):
            raise Refused("this clause can still be met")
    else:
        keyed(tree, ("pay", "over"))
        _paid(costs, clauses, bound, pairs(tree["pay"]), whole(tree["over"], 1))


def _paid(costs: Sequence[int], clauses: dict[int, Clause], bound: int, pay: Sequence[tuple[Any, Any]], over: int) -> None:
    """What is paid for clauses (in units of 1/`over`) proves that a choice that meets them costs at least the bound, or raises.

    A clause says of the actions taken: the items less those given are at least 1 less the number of those given. Times what is
    paid for it and added up, that bounds what the actions taken cost, but for what an action gets above its cost.
    """
    got, total = Counter[int](), 0
    for k, number in pay:
        clause = clauses.get(whole(k, 0))
        if clause is None:
            raise Refused("something is paid for a clause that is met or is not there")
        total += whole(number, 0) * (1 - len(clause.given))
        got.update(dict.fromkeys(clause.items, number))
        got.subtract(dict.fromkeys(clause.given, number))
    above = sum(max(0, got[action] - over * cost) for action, cost in enumerate(costs))
    if -((above - total) // over) < bound:
        raise Refused("what is paid does not add up to the bound")
