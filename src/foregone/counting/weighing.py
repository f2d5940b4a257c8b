"""Weights on the graph of the recursion: totals, the distribution of a claim's count, and perfect samples; all in whole numbers.

For `histograms` a state's number is the number of multisets that finish it; for all other priors the weight of ordered lists,
that is N! u^N Z(r) for N records left and the unit u of the masses. So no fraction ever occurs, and every division leaves no rest.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate
from random import Random

from foregone.counting.graph import END, Graph
from foregone.counting.prior import Masses


class Weighed:
    """A graph with a prior's masses on it."""

    def __init__(self, graph: Graph, masses: Sequence[int], how: Masses) -> None:
        self.graph, self.masses, self.how = graph, masses, how
        self.weights = self._totals()
        self._choices: dict[int, tuple[list[int], list[int]]] = {}

    def _totals(self) -> list[int]:
        """The number of each state."""
        masses, how, urn = self.masses, self.how, self.how.urn
        made: list[int] = []
        for steps in self.graph.steps:
            if steps is END:
                made.append(1)
            elif not steps.bucket:
                made.append(sum(made[t] for t in steps.target))
            else:
                total = 0
                factors = {number: how.step(steps.records, number) for number in set(steps.number)}
                for bucket, number, weight, target in zip(steps.bucket, steps.number, steps.weight, steps.target, strict=True):
                    if (urn or number == 1) and made[target]:
                        total += weight * masses[bucket] * factors[number] * made[target]
                made.append(total // steps.left)
        return made

    @property
    def roots(self) -> list[int]:
        """The number of each state to begin with."""
        return [0 if root < 0 else self.weights[root] for root in self.graph.roots]

    @cached_property
    def _digits(self) -> int:
        """Enough bits for any number on the way."""
        return (max(self.weights, default=1) * max((steps.left for steps in self.graph.steps), default=1)).bit_length() + 1

    def distribution(self, inside: Sequence[int], most: int) -> list[list[int]]:
        """For each state to begin with: the weight of all datasets with 0, 1, ..., `most` records in the part of each bucket
        that has the mass `inside`. Polynomials are long whole numbers, a digit for each power: a record inside moves them by one
        place."""
        masses, how, urn, place = self.masses, self.how, self.how.urn, self._digits
        mask = (1 << place * (most + 1)) - 1
        made: list[int] = []
        for at, steps in enumerate(self.graph.steps):
            if not self.weights[at]:
                made.append(0)
            elif steps is END:
                made.append(1)
            elif not steps.bucket:
                made.append(sum(made[t] for t in steps.target))
            else:
                total = 0
                factors = {number: how.step(steps.records, number) for number in set(steps.number)}
                for bucket, number, weight, target in zip(steps.bucket, steps.number, steps.weight, steps.target, strict=True):
                    if (urn or number == 1) and self.weights[target]:
                        more, factor = made[target], weight * factors[number]
                        if inside[bucket]:
                            total += (more * (factor * inside[bucket])) << place * number
                        if masses[bucket] > inside[bucket]:
                            total += more * (factor * (masses[bucket] - inside[bucket]))
                made.append((total & mask) // steps.left)
        digit = (1 << place) - 1
        return [[0 if root < 0 else made[root] >> place * count & digit for count in range(most + 1)] for root in self.graph.roots]

    def sample(self, root: int, random: Random) -> dict[int, int]:
        """A dataset drawn with exactly its share of the weight, as records per bucket, from one of the states to begin with."""
        placed: dict[int, int] = {}
        at = self.graph.roots[root]
        while self.graph.steps[at] is not END:
            steps = self.graph.steps[at]
            known = self._choices.get(at)
            if known is None:
                known = self._choices[at] = self._options(at)
            options, sums = known
            chosen = options[bisect_left(sums, random.randrange(sums[-1]) + 1)]
            if steps.bucket:
                placed[steps.bucket[chosen]] = placed.get(steps.bucket[chosen], 0) + steps.number[chosen]
            at = steps.target[chosen]
        return placed

    def _options(self, at: int) -> tuple[list[int], list[int]]:
        """The steps from a state that can be taken, and their weights added up."""
        steps, weights = self.graph.steps[at], []
        for k, target in enumerate(steps.target):
            weight = self.weights[target]
            if steps.bucket:
                taken = self.how.urn or steps.number[k] == 1
                weight *= (
                    self.masses[steps.bucket[k]] * self.how.step(steps.records, steps.number[k]) * steps.weight[k] if taken else 0
                )
            weights.append(weight)
        options = [k for k, weight in enumerate(weights) if weight]
        return options, list(accumulate(weights[k] for k in options))
