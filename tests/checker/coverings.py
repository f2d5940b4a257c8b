"""Small covering problems with conditional clauses: every choice looked at one by one, and a maker of trees for `no_cheaper`."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from foregone.checker.choice import Clause

Json = dict[str, Any]


@dataclass(frozen=True)
class Covering:
    """What each action costs, and the clauses that a choice has to meet."""

    costs: tuple[int, ...]
    clauses: dict[int, Clause]

    @staticmethod
    def drawn(rng: random.Random) -> Covering:
        actions = rng.randint(1, 6)

        def some(most: int) -> frozenset[int]:
            return frozenset(rng.sample(range(actions), rng.randint(0, min(most, actions))))

        clauses = {}
        for k in rng.sample(range(20), rng.randint(0, 6)):
            given = some(2) if rng.random() < 0.5 else frozenset()
            clauses[k] = Clause(given, some(3) or (frozenset({0}) if rng.random() < 0.8 else frozenset()))
        return Covering(tuple(rng.randint(0, 6) for _ in range(actions)), clauses)

    def least(self) -> int | None:
        """The cost of a cheapest choice that meets every clause; None where no choice does."""
        choices = [{a for a in range(len(self.costs)) if bits >> a & 1} for bits in range(1 << len(self.costs))]
        met = [taken for taken in choices if all(not given <= taken or items & taken for given, items in self.clauses.values())]
        return min((sum(self.costs[a] for a in taken) for taken in met), default=None)

    def tree(self, bound: int, rng: random.Random) -> Json | None:
        """A tree that proves the bound, if it is true: actions one after the other, until what is paid is enough."""
        return _tree(self.costs, self.clauses, bound, list(range(len(self.costs))), rng)


def _tree(costs: tuple[int, ...], clauses: dict[int, Clause], bound: int, rest: list[int], rng: random.Random) -> Json | None:
    lost = [k for k, (given, items) in clauses.items() if not given and not items]
    if lost:
        return {"unmet": rng.choice(lost)}
    paid = _payments(costs, clauses, rng)
    if _worth(costs, clauses, paid) >= bound:
        return paid
    if not rest:
        nothing: Json = {"pay": [], "over": 1}
        return nothing if bound <= 0 else None
    item = rng.choice(rest)
    others = [action for action in rest if action != item]
    # written as a loop on purpose: the checker has its own words for the same
    taken, left = dict[int, Clause](), dict[int, Clause]()
    for k, (given, items) in clauses.items():
        if item not in items:
            taken[k] = Clause(frozenset(a for a in given if a != item), items)
        if item not in given:
            left[k] = Clause(given, frozenset(a for a in items if a != item))
    parts = _tree(costs, taken, bound - costs[item], others, rng), _tree(costs, left, bound, others, rng)
    return None if None in parts else {"item": item, "taken": parts[0], "left": parts[1]}


def _worth(costs: tuple[int, ...], clauses: dict[int, Clause], paid: Json) -> int:
    """What a leaf proves: an action gets what is paid for clauses that it meets, and gives what is paid for those that bind it."""
    worth, over = 0, int(paid["over"])
    for k, number in paid["pay"]:
        worth += number - number * len(clauses[k].given)
    for action, cost in enumerate(costs):
        gets = sum(n * ((action in clauses[k].items) - (action in clauses[k].given)) for k, n in paid["pay"])
        worth -= max(0, gets - over * cost)
    return -(-worth // over)


def _payments(costs: tuple[int, ...], clauses: dict[int, Clause], rng: random.Random) -> Json:
    """For clauses that have to be met, as much as their items have left, in an order of chance; a little for some of the others."""
    over = rng.choice([1, 1, 2, 6])
    spare, pay = [over * cost for cost in costs], list[list[int]]()
    for k in sorted(clauses, key=lambda k: (not clauses[k].given, rng.random())):
        given, items = clauses[k]
        most = min((spare[a] for a in items), default=0)
        if given:
            most = min(most, rng.choice([0, 0, 1, over]))
        if most > 0:
            number = most if rng.random() < 0.7 else rng.randint(1, most)
            pay.append([k, number])
            for a in items:
                spare[a] -= number
            for a in given:
                spare[a] += number
    return {"pay": pay, "over": over}


def changed(tree: Json, problem: Covering, rng: random.Random) -> Json:
    """The tree with one place changed: a number, a branch in the place of the other, a leaf of another kind."""
    path, node = [], tree
    while "item" in node and rng.random() < 0.7:
        side = rng.choice(["taken", "left"])
        path.append((node, side))
        node = node[side]
    new = rng.choice(list(_changes(node, [*problem.clauses, 20], rng)))
    for above, side in reversed(path):
        new = {**above, side: new}
    return new


def _changes(node: Json, clauses: list[int], rng: random.Random) -> Iterator[Json]:
    yield {"unmet": rng.choice(clauses)}
    yield {"pay": [[rng.choice(clauses), rng.randint(0, 9)] for _ in range(rng.randint(0, 3))], "over": rng.choice([1, 2, 6])}
    if "item" in node:
        yield {**node, "taken": node["left"], "left": node["taken"]}
        yield {**node, "item": rng.randrange(7)}
        yield {**node, "left": node["taken"]}
        yield node["taken"]
        yield {"item": node["item"], "taken": node, "left": node}
    elif "pay" in node:
        more = [rng.choice(clauses), rng.randint(0, 3)]
        yield {**node, "over": node["over"] + rng.choice([-1, 1])}
        yield {**node, "pay": [*node["pay"], more]}
        yield {**node, "pay": [[k, number + rng.choice([-1, 0, 1])] for k, number in node["pay"]]}
        yield {"item": rng.randrange(7), "taken": {**node, "pay": [more]}, "left": node}
