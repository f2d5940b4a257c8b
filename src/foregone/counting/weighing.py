"""Weights on the graph of the recursion: totals, the distribution of a claim's count, and perfect samples; all in whole numbers.

For `histograms` a state's number is the number of multisets that finish it; for all other priors the weight of ordered lists,
that is N! u^N Z(r) for N records left and the unit u of the masses. So no fraction ever occurs, and every division leaves no rest.
The compiled twin is `counting.hpp`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import accumulate

from foregone.counting.graph import END, Graph
from foregone.counting.prior import Masses

WORD = (1 << 64) - 1


class SplitMix:
    """Random numbers that the compiled twin draws alike: SplitMix64, always the same from the same seed."""

    def __init__(self, seed: int) -> None:
        self._state = seed

    def _next(self) -> int:
        self._state = (self._state + 0x9E3779B97F4A7C15) & WORD
        mixed = (self._state ^ self._state >> 30) * 0xBF58476D1CE4E5B9 & WORD
        mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB & WORD
        return mixed ^ mixed >> 31

    def below(self, most: int) -> int:
        """A number from 0 up and below another one, all alike."""
        bits = most.bit_length()
        mask = (1 << bits) - 1
        while True:
            drawn = 0
            for place in range(0, bits, 64):
                drawn |= self._next() << place
            drawn &= mask
            if drawn < most:
                return drawn


class Weighed:
    """A graph with a prior's masses on it."""

    def __init__(self, graph: Graph, masses: Sequence[int], how: Masses) -> None:
        self.graph, self.masses, self.how = graph, masses, how
        self.weights = self._summed(lambda bucket, _number, factor, more: factor * masses[bucket] * more)
        self._choices: dict[int, tuple[list[int], list[int]]] = {}

    def _summed(self, term: Callable[[int, int, int, int], int], mask: int = -1) -> list[int]:
        """A number for each state, from those of the states that its steps lead to: `term` has the bucket, how many records of it
        are put, the step's factor without the bucket's mass, and the number of the state that follows."""
        how, urn = self.how, self.how.urn
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
                        total += term(bucket, number, weight * factors[number], made[target])
                made.append((total & mask) // steps.left)
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
        masses, place = self.masses, self._digits

        def term(bucket: int, number: int, factor: int, more: int) -> int:
            matching = (more * (factor * inside[bucket])) << place * number
            return matching + more * (factor * (masses[bucket] - inside[bucket]))

        made, digit = self._summed(term, (1 << place * (most + 1)) - 1), (1 << place) - 1
        return [[0 if root < 0 else made[root] >> place * count & digit for count in range(most + 1)] for root in self.graph.roots]

    def samples(self, roots: Sequence[int], seed: int) -> list[dict[int, int]]:
        """Datasets drawn with exactly their shares of the weight, as records per bucket: one from each of these states to begin
        with."""
        random = SplitMix(seed)
        return [self._sample(root, random) for root in roots]

    def _sample(self, root: int, random: SplitMix) -> dict[int, int]:
        placed: dict[int, int] = {}
        at = self.graph.roots[root]
        while self.graph.steps[at] is not END:
            steps = self.graph.steps[at]
            known = self._choices.get(at)
            if known is None:
                known = self._choices[at] = self._options(at)
            options, sums = known
            chosen = options[bisect_right(sums, random.below(sums[-1]))]
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
