"""No choice of actions that meets every explanation costs less than a bound: a tree that shows it, in whole numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from foregone.checker.refusal import Refused, Work
from foregone.checker.rows import keyed, pairs, whole

DEEPEST = 300


def no_cheaper(costs: Sequence[int], sets: dict[int, frozenset[int]], bound: int, tree: Any, work: Work) -> None:
    """The tree proves that whoever meets all sets pays at least the bound, or this raises."""
    _branch(costs, sets, 0, bound, tree, 0, work)


def _branch(
    costs: Sequence[int], sets: dict[int, frozenset[int]], spent: int, bound: int, tree: Any, depth: int, work: Work
) -> None:
    work.spend(256 * (sum(map(len, sets.values())) + len(costs) + 1))
    if depth > DEEPEST or not isinstance(tree, dict):
        raise Refused("expected a tree of bounded depth")
    if "item" in tree:
        keyed(tree, ("item", "taken", "left"))
        item = whole(tree["item"], 0)
        if item >= len(costs):
            raise Refused(f"there is no action {item}")
        met = {s: items for s, items in sets.items() if item not in items}
        _branch(costs, met, spent + costs[item], bound, tree["taken"], depth + 1, work)
        _branch(costs, {s: items - {item} for s, items in sets.items()}, spent, bound, tree["left"], depth + 1, work)
        return
    if "unmet" in tree:
        keyed(tree, ("unmet",))
        if sets.get(whole(tree["unmet"], 0)) != frozenset():
            raise Refused("this explanation can still be met")
        return
    keyed(tree, ("pay", "over"))
    over, total = whole(tree["over"], 1), 0
    spare = {a: over * cost for a, cost in enumerate(costs)}
    for s, number in pairs(tree["pay"]):
        if whole(s, 0) not in sets:
            raise Refused("something is paid for an explanation that is met or not there")
        total += whole(number, 0)
        for item in sets[s]:
            spare[item] -= number
    if any(left < 0 for left in spare.values()):
        raise Refused("more is paid for an action than it costs")
    if spent + -(-total // over) < bound:
        raise Refused("what is paid does not add up to the bound")
