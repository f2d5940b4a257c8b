"""An exact proof that no choice of actions that meets every clause costs less than a bound.

A clause says that whoever takes all of some items, which may be none, has to take at least one of some others. At a leaf whole
numbers are paid for clauses (in units of 1/`over`). An item gets what is paid for the clauses it meets, less what is paid for
those that only bind who takes it; what it gets above its cost is taken off again, and the rest is a bound. A split takes an item,
or leaves it out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from foregone.checker.verdicts.choice import Clause
from foregone.protection.search import Found
from foregone.solvers.cover import Covering
from foregone.solvers.deadline import Deadline

UNITS = (1, 2, 6, 12, 60, 2520, 1 << 20)
MOST_NODES = 4000
PROOF_SECONDS = 20.0

Node = dict[str, Any]


@dataclass
class CoveringProof:
    """A search for the proof of a bound; `tree` stays None when it takes too long."""

    costs: Sequence[int]
    clauses: Sequence[Clause]
    bound: int
    deadline: Deadline = field(default_factory=Deadline)
    nodes: int = 0

    def tree(self) -> Node | None:
        return self._prove(dict(enumerate(self.clauses)), 0)

    def _prove(self, clauses: Mapping[int, Clause], spent: int) -> Node | None:
        """A tree for the clauses that are still to be met, when so much is spent already."""
        self.nodes += 1
        if self.nodes > MOST_NODES or self.deadline.passed():
            return None
        if spent >= self.bound:
            return {"pay": [], "over": 1}
        lost = next((s for s, clause in sorted(clauses.items()) if not clause.given and not clause.items), None)
        if lost is not None:
            return {"unmet": lost}
        covering, order = Covering(self.costs), list[int]()
        for s in sorted(clauses):
            if covering.add(clauses[s].items, clauses[s].given):
                order.append(s)
        relaxed = covering.relaxed(self.deadline)
        point = np.zeros(len(self.costs))  # nothing meets these clauses, perhaps: then splits lead to one that cannot be met
        if relaxed is not None:
            point, duals = relaxed
            paid = self._paid({s: clauses[s] for s in order}, spent, duals)
            if paid is not None:
                return paid
        named = sorted({item for s in order for item in (*clauses[s].given, *clauses[s].items)})
        if not named:
            return None
        # the item that is taken most nearly by half, the dearest and most wanted of these
        uses = {item: sum(item in clauses[s].items for s in order) for item in named}
        item = min(named, key=lambda i: (abs(point[i] - 0.5), -self.costs[i], -uses[i], i))
        one = {item}
        met = {s: Clause(c.given - one, c.items) for s, c in clauses.items() if item not in c.items}
        rest = {s: Clause(c.given, c.items - one) for s, c in clauses.items() if item not in c.given}
        taken = self._prove(met, spent + self.costs[item])
        left = None if taken is None else self._prove(rest, spent)
        return None if taken is None or left is None else {"item": item, "taken": taken, "left": left}

    def _paid(self, clauses: Mapping[int, Clause], spent: int, duals: Any) -> Node | None:
        """Whole payments near the suggested ones that are enough; None when none were found."""
        for over in UNITS:
            pay = {s: int(np.floor(max(0.0, float(y)) * over + 1e-6)) for s, y in zip(clauses, duals, strict=True)}
            spare = [over * cost for cost in self.costs]
            for s, (given, items) in clauses.items():
                for item in items:
                    spare[item] -= pay[s]
                for item in given:
                    spare[item] += pay[s]
            for s, (given, items) in clauses.items():  # what rounding left over
                more = 0 if given else min(spare[item] for item in items)
                if more > 0:
                    pay[s] += more
                    for item in items:
                        spare[item] -= more
            total = sum(pay[s] * (1 - len(given)) for s, (given, _) in clauses.items()) + sum(left for left in spare if left < 0)
            if spent + -(-total // over) >= self.bound:
                return {"pay": [[s, number] for s, number in sorted(pay.items()) if number], "over": over}
        return None


def bound_proof(costs: Sequence[int], found: Found) -> Node | None:
    """A proof that no choice that meets every explanation costs less than the bound; None when none was found.

    Parts that have no action in common get a proof each, and what these show adds up.
    """
    clauses = [Clause(explanation.given, explanation.clause) for explanation in found.explanations]
    deadline = Deadline.after(PROOF_SECONDS)
    if not found.apart:
        return CoveringProof(costs, clauses, found.lower, deadline).tree()
    made = []
    for share in found.apart:
        if share.lower:
            place = {action: k for k, action in enumerate(share.actions)}
            own = [Clause(*(frozenset(place[a] for a in actions) for actions in clauses[e])) for e in share.explanations]
            tree = CoveringProof([costs[a] for a in share.actions], own, share.lower, deadline).tree()
            if tree is None:
                return None
            named = _named(tree, share.actions, share.explanations)
            made.append({"actions": list(share.actions), "bound": share.lower, "tree": named})
    return {"apart": made}


def _named(tree: Node, actions: Sequence[int], clauses: range) -> Node:
    """A tree about the actions and clauses of a part, as the whole numbers them."""
    if "item" in tree:
        below = {side: _named(tree[side], actions, clauses) for side in ("taken", "left")}
        return {"item": actions[tree["item"]], **below}
    if "unmet" in tree:
        return {"unmet": clauses[tree["unmet"]]}
    return {"pay": [[clauses[k], paid] for k, paid in tree["pay"]], "over": tree["over"]}
