"""No choice of actions that meets every clause costs less than a bound: a tree that shows it, in whole numbers.

formal/Choice.v is the same function with a theorem. It stands apart from the kernel, as only certificates of protections need it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from foregone.checker.kernel import Work
from foregone.checker.read.refusal import Refused
from foregone.checker.read.values import keyed, pairs, whole

DEEPEST = 300


class Clause(NamedTuple):
    """Whoever takes all of the actions `given` must take at least one of `items`."""

    given: frozenset[int]
    items: frozenset[int]


def no_cheaper(costs: Sequence[int], clauses: dict[int, Clause], bound: int, tree: Any, work: Work) -> None:
    """The tree proves that whoever meets all clauses pays at least the bound, or this raises. Coq: no_cheaper_ok

    A split takes an action or leaves it. What is then left of the clauses does not mention it.
    """
    if any(not 0 <= action < len(costs) for clause in clauses.values() for actions in clause for action in actions):
        raise Refused("a clause names an action that is not there")
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
    elif "apart" in tree:
        keyed(tree, ("apart",))
        _apart(costs, clauses, bound, tree["apart"], depth, work)
    else:
        keyed(tree, ("pay", "over"))
        over = whole(tree["over"], 1)
        if -(-_shown(costs, clauses, pairs(tree["pay"]), over, work) // over) < bound:
            raise Refused("what is paid does not add up to the bound")


def _apart(costs: Sequence[int], clauses: dict[int, Clause], bound: int, parts: Any, depth: int, work: Work) -> None:
    """Bounds for lists of actions that have none in common add up; each rests on the clauses that name no other actions.

    What every part pays is paid for its own actions, so nothing is counted twice.
    """
    if not isinstance(parts, list):
        raise Refused("expected a list of parts")
    free = set(range(len(costs)))
    for part in parts:
        keyed(part, ("actions", "bound", "tree"))
        listed = part["actions"] if isinstance(part["actions"], list) else None
        mine = {whole(action, 0) for action in listed or ()}
        if listed is None or not mine <= free:
            raise Refused("the parts must be lists of actions that have none in common")
        free -= mine
        paid = whole(part["bound"], 0)
        own = {k: clause for k, clause in clauses.items() if clause.given | clause.items <= mine}
        _branch([cost if action in mine else 0 for action, cost in enumerate(costs)], own, paid, part["tree"], depth + 1, work)
        bound -= paid
    if bound > 0:
        raise Refused("what the parts pay does not add up to the bound")


def _shown(costs: Sequence[int], clauses: dict[int, Clause], pay: Sequence[tuple[Any, Any]], over: int, work: Work) -> int:
    """What whoever meets the clauses pays at least, by payments for clauses; all in units of 1/`over`.

    A clause says of the actions taken: items less given ones are at least 1 less the number of given ones. Times what is paid
    for it and added up, this bounds what the actions taken cost, but for what an action gets above its cost.
    """
    spare, total = [over * cost for cost in costs], 0
    for k, number in pay:
        clause = clauses.get(whole(k, 0))
        if clause is None:
            raise Refused("something is paid for a clause that is met or is not there")
        work.spend(256 * (len(clause.given) + len(clause.items) + 1))  # a clause can be paid for again and again
        total += whole(number, 0) * (1 - len(clause.given))
        for action in clause.items:
            spare[action] -= number
        for action in clause.given:
            spare[action] += number
    return total + sum(left for left in spare if left < 0)
