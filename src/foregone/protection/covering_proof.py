"""An exact proof that no choice of actions that meets every explanation costs less than a bound.

At a leaf whole numbers are paid for sets so that no item gets more than it costs (in units of 1/`over`): every choice that
meets the sets then costs at least what was paid. A split takes an item, or leaves it out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from foregone.solvers.cover import Covering
from foregone.solvers.deadline import Deadline

UNITS = (1, 2, 6, 12, 60, 2520, 1 << 20)
MOST_NODES = 4000

Node = dict[str, Any]


@dataclass
class _Part:
    """The sets that are still to be met, each without the items left out, and what the items taken cost."""

    costs: Sequence[int]
    sets: dict[int, frozenset[int]]
    spent: int = 0


@dataclass
class CoveringProof:
    """A search for the proof of a bound; `tree` stays None when it takes too long."""

    costs: Sequence[int]
    sets: Sequence[frozenset[int]]
    bound: int
    deadline: Deadline = field(default_factory=Deadline)
    nodes: int = 0

    def tree(self) -> Node | None:
        return self._prove(_Part(self.costs, dict(enumerate(self.sets))))

    def _prove(self, part: _Part) -> Node | None:
        self.nodes += 1
        if self.nodes > MOST_NODES or self.deadline.passed():
            return None
        if part.spent >= self.bound:
            return {"pay": [], "over": 1}
        lost = next((s for s, items in sorted(part.sets.items()) if not items), None)
        if lost is not None:
            return {"unmet": lost}
        order = sorted(part.sets)
        covering = Covering(self.costs)
        known: dict[frozenset[int], int] = {}
        for s in order:
            if covering.add(part.sets[s]):
                known[part.sets[s]] = s
        relaxed = covering.relaxed(self.deadline)
        if relaxed is None:
            return None
        point, duals = relaxed
        paid = self._paid(part, [known[items] for items in covering.sets], duals)
        if paid is not None:
            return paid
        items = sorted({item for s in order for item in part.sets[s]})
        # the item that is taken most nearly by half, the dearest and most wanted of these
        item = min(items, key=lambda i: (abs(point[i] - 0.5), -self.costs[i], -sum(i in part.sets[s] for s in order), i))
        taken = self._prove(
            _Part(self.costs, {s: part.sets[s] for s in order if item not in part.sets[s]}, part.spent + self.costs[item])
        )
        left = None if taken is None else self._prove(_Part(self.costs, {s: part.sets[s] - {item} for s in order}, part.spent))
        return None if taken is None or left is None else {"item": item, "taken": taken, "left": left}

    def _paid(self, part: _Part, order: list[int], duals: Any) -> Node | None:
        """Whole payments near the suggested ones that are enough; None when none were found."""
        for over in UNITS:
            pay = {s: int(np.floor(max(0.0, float(y)) * over + 1e-6)) for s, y in zip(order, duals, strict=True)}
            spare = {item: over * cost for item, cost in enumerate(self.costs)}
            for s in order:
                pay[s] = min([pay[s], *(spare[item] for item in part.sets[s])])
                for item in part.sets[s]:
                    spare[item] -= pay[s]
            for s in order:  # what rounding left over
                more = min(spare[item] for item in part.sets[s])
                pay[s] += more
                for item in part.sets[s]:
                    spare[item] -= more
            total = sum(pay.values())
            if part.spent + -(-total // over) >= self.bound:
                return {"pay": [[s, number] for s, number in sorted(pay.items()) if number], "over": over}
        return None
