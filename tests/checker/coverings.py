"""Small covering problems with conditional clauses: every choice looked at one by one, and a maker of trees for `no_cheaper`."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from foregone.checker.verdicts.choice import Clause

Json = dict[str, Any]


@dataclass(frozen=True)
class Covering:
    """What each action costs, and the clauses that a choice has to meet."""

    costs: tuple[int, ...]
    clauses: dict[int, Clause]

    @staticmethod
    def drawn(rng: random.Random) -> Covering:
        actions = rng.randint(1, 7)

        def some(most: int) -> frozenset[int]:
            return frozenset(rng.sample(range(actions), rng.randint(0, min(most, actions))))

        clauses = {}
        for k in rng.sample(range(20), rng.randint(0, 8)):
            given, items = some(rng.randint(0, 2)), some(rng.randint(1, 3))
            clauses[k] = Clause(given, items or (frozenset({0}) if rng.random() < 0.8 else frozenset()))
        return Covering(tuple(rng.randint(0, 6) for _ in range(actions)), clauses)

    def choices(self) -> list[set[int]]:
        return [{a for a in range(len(self.costs)) if bits >> a & 1} for bits in range(1 << len(self.costs))]

    def least(self) -> int | None:
        """The cost of a cheapest choice that meets every clause; None where no choice does."""
        met = [s for s in self.choices() if all(not given <= s or items & s for given, items in self.clauses.values())]
        return min((sum(self.costs[a] for a in taken) for taken in met), default=None)

    def parts(self, item: int) -> tuple[Covering, Covering]:
        """What is left of it where an action is taken, and where it is left out."""
        # written as a loop on purpose: the checker has its own words for the same
        taken, left = dict[int, Clause](), dict[int, Clause]()
        for k, (given, items) in self.clauses.items():
            if item not in items:
                taken[k] = Clause(frozenset(a for a in given if a != item), items)
            if item not in given:
                left[k] = Clause(given, frozenset(a for a in items if a != item))
        return Covering(self.costs, taken), Covering(self.costs, left)

    def tree(self, bound: int, rng: random.Random) -> Json | None:
        """A tree that proves the bound, if it is true: actions one after the other, until what is paid is enough."""
        return _tree(self, bound, list(range(len(self.costs))), rng)

    def paying(self, tree: Json) -> Iterator[tuple[Covering, Json]]:
        """The leaves of a tree where something is paid, each with what is left of the problem there."""
        if "item" in tree:
            taken, left = self.parts(tree["item"])
            yield from taken.paying(tree["taken"])
            yield from left.paying(tree["left"])
        elif tree.get("pay"):
            yield self, tree

    def got(self, leaf: Json) -> list[int]:
        """What every action gets for the clauses that it meets, less what is paid for those that only bind who takes it."""
        return [
            sum(n * ((a in self.clauses[k].items) - (a in self.clauses[k].given)) for k, n in leaf["pay"])
            for a in range(len(self.costs))
        ]

    def conditional(self, leaf: Json) -> bool:
        """Something is paid for a clause that only binds who takes some actions."""
        return any(self.clauses[k].given for k, number in leaf["pay"] if number)

    def above(self, leaf: Json) -> bool:
        """An action gets more than it costs."""
        return any(got > leaf["over"] * cost for got, cost in zip(self.got(leaf), self.costs, strict=True))

    def leaf(self, rng: random.Random) -> Json:
        """Any payments."""
        numbers = [[rng.choice(sorted(self.clauses)), rng.randint(0, 20)] for _ in range(rng.randint(0, 5)) if self.clauses]
        return {"pay": numbers, "over": rng.choice([1, 2, 6])}

    def shown(self, leaf: Json) -> int:
        """The greatest bound that a leaf shows, by a look at every choice, whether it meets the clauses or not.

        What is paid for a clause goes off its cost as often as the clause is met without need; where it is not met, it is added.
        """
        over, worth = int(leaf["over"]), list[int]()
        for taken in self.choices():
            worth.append(over * sum(self.costs[a] for a in taken))
            for k, number in leaf["pay"]:
                given, items = self.clauses[k]
                worth[-1] -= number * (len(given - taken) + len(items & taken) - 1)
        return -(-min(worth) // over)


def _tree(problem: Covering, bound: int, rest: list[int], rng: random.Random) -> Json | None:
    lost = [k for k, (given, items) in problem.clauses.items() if not given and not items]
    if lost:
        return {"unmet": rng.choice(lost)}
    worth, paid = max((_payments(problem, rng, generous) for generous in (1.0, 0.5, 0.0)), key=lambda made: made[0])
    if worth >= bound:
        return paid
    if not rest:
        return None
    item = rng.choice(rest)
    others = [action for action in rest if action != item]
    taken, left = problem.parts(item)
    trees = _tree(taken, bound - problem.costs[item], others, rng), _tree(left, bound, others, rng)
    return None if None in trees else {"item": item, "taken": trees[0], "left": trees[1]}


def _payments(problem: Covering, rng: random.Random, generous: float) -> tuple[int, Json]:
    """For clauses in an order of chance, as much as their items have left; and the bound that this makes.

    What is paid for a conditional clause its given actions can spend on top, so there are several rounds. `generous` is how
    often a conditional clause is paid for, and twice how often a clause gets more than is left.
    """
    over, pay = rng.choice([1, 1, 2, 6]), list[list[int]]()
    leaf = {"pay": pay, "over": over}
    spare = [over * cost for cost in problem.costs]
    for k in 3 * rng.sample(sorted(problem.clauses), len(problem.clauses)):
        given, items = problem.clauses[k]
        if given and rng.random() >= generous:
            continue
        most = max(0, min((spare[a] for a in items), default=0))
        number = (most if rng.random() < 0.7 else rng.randint(0, most)) + (rng.randint(0, 2) if rng.random() < generous / 2 else 0)
        if number:
            pay.append([k, number])
            spare = [over * cost - got for cost, got in zip(problem.costs, problem.got(leaf), strict=True)]
    worth = sum(number - number * len(problem.clauses[k].given) for k, number in pay) + sum(min(0, left) for left in spare)
    return -(-worth // over), leaf


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
