"""A release counted out: how many datasets fit, what share of them, by weight, has a property, and perfect samples of them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from math import lcm, prod
from random import Random

import numpy as np

from foregone.counting.compiled import AnyGraph, AnyWeighed, unfolded, weighed
from foregone.counting.graph import TooMuchWork
from foregone.counting.placing import placed_dataset
from foregone.counting.prior import HISTOGRAMS, Masses, Prior
from foregone.counting.problem import counting_problem
from foregone.engine import Case, LinearSystem, limits_of, need_witness
from foregone.model.dataset import Dataset
from foregone.model.errors import InputError
from foregone.model.predicate import Predicate
from foregone.solvers.arrays import Ints
from foregone.solvers.deadline import Deadline

MOST_SIZES = 1_000  # different numbers of records
STEPS_EACH = 20  # of a state, where the number of states is limited


class UnboundedRelease(InputError):
    """Nothing published limits the number of records, so infinitely many datasets fit."""


@dataclass(frozen=True, slots=True)
class Piece:
    """An independent part of a release, or the whole, with the graph of its recursion; `buckets` are its buckets in the whole."""

    system: LinearSystem
    buckets: Ints
    sizes: range
    graph: AnyGraph


class CountedRelease:
    """All datasets that fit a release, counted by the exact recursion.

    A release that falls into independent parts is counted part by part. Priors are put on the graph when they are first asked for.
    """

    def __init__(self, case: Case, sizes: range, pieces: Sequence[Piece]) -> None:
        self.case, self.sizes, self.pieces = case, sizes, tuple(pieces)
        self._weighed: dict[str, list[AnyWeighed]] = {}  # by the names of priors
        self._masses: dict[str, Masses] = {}

    @cached_property
    def datasets(self) -> int:
        """How many datasets fit: different multisets of records."""
        return sum(self.totals(Prior(HISTOGRAMS)))

    @property
    def states(self) -> int:
        """The number of states of the recursion."""
        return sum(piece.graph.states for piece in self.pieces)

    def masses(self, prior: Prior) -> Masses:
        """What the prior weighs in each bucket of the release."""
        if prior.name not in self._masses:
            self._masses[prior.name] = Masses(self.case.system, prior)
        return self._masses[prior.name]

    def weighed(self, prior: Prior) -> list[AnyWeighed]:
        """The graph of each part with the prior's weights."""
        if prior.name not in self._weighed:
            how = self.masses(prior)
            self._weighed[prior.name] = [
                weighed(piece.graph, [how.buckets[b] for b in piece.buckets.tolist()], how) for piece in self.pieces
            ]
        return self._weighed[prior.name]

    def totals(self, prior: Prior) -> list[int]:
        """For each number of records, the weight of all datasets of that size, before sizes are made to weigh alike."""
        parts = self.weighed(prior)
        if len(self.pieces) == 1:
            return parts[0].roots
        return [prod(part.roots[0] for part in parts)]

    def distribution(self, prior: Prior, predicate: Predicate, most: int) -> list[Fraction]:
        """For 0, 1, ..., `most`: the share of the datasets that fit, by weight, in which so many records match."""
        how = self.masses(prior)
        inside = how.of(predicate)
        parts = self.weighed(prior)
        found: list[list[list[int]]] = []
        for piece, part in zip(self.pieces, parts, strict=True):
            found.append(part.distribution([inside[b] for b in piece.buckets.tolist()], most))
        if len(found) == 1:
            factors = [how.of_size(size) for size in self.sizes]
            whole = sum((f * w for f, w in zip(factors, parts[0].roots, strict=True)), Fraction(0))
            if not whole:
                raise _weightless(prior)
            sums = [sum((f * counts[m] for f, counts in zip(factors, found[0], strict=True)), Fraction(0)) for m in range(most + 1)]
            return [value / whole for value in sums]
        shares = [Fraction(1)]
        for [counts], part in zip(found, parts, strict=True):
            if not part.roots[0]:
                raise _weightless(prior)
            mine = [Fraction(count, part.roots[0]) for count in counts]
            shares = [
                sum((shares[a] * mine[m - a] for a in range(min(m + 1, len(shares))) if m - a < len(mine)), Fraction(0))
                for m in range(most + 1)
            ]
        return shares

    def samples(self, prior: Prior, number: int, random: Random) -> list[dict[int, int]]:
        """Perfect samples: datasets, each drawn with exactly its share of the weight, as numbers of records by bucket."""
        how, parts = self.masses(prior), self.weighed(prior)
        factors = [how.of_size(size) for size in self.sizes] if len(parts) == 1 else [Fraction(1)]
        weights = [f * w for f, w in zip(factors, self.totals(prior), strict=True)]
        common = lcm(*(weight.denominator for weight in weights))
        whole = [int(weight * common) for weight in weights]
        if not sum(whole):
            raise _weightless(prior)
        sums = list(accumulate(whole))
        roots = [bisect_right(sums, random.randrange(sums[-1])) for _ in range(number)] if len(whole) > 1 else [0] * number
        made: list[dict[int, int]] = [{} for _ in range(number)]
        for piece, part in zip(self.pieces, parts, strict=True):
            buckets = piece.buckets.tolist()
            for dataset, placed in zip(made, part.samples(roots, random.getrandbits(64)), strict=True):
                dataset.update((buckets[bucket], count) for bucket, count in placed.items())
        return made

    def datasets_of(self, prior: Prior, number: int, random: Random) -> list[Dataset]:
        """Perfect samples as datasets with every value of every record."""
        how = self.masses(prior)
        return [placed_dataset(how, sample, random) for sample in self.samples(prior, number, random)]


def _weightless(prior: Prior) -> InputError:
    return InputError(
        f"the prior {prior.name} gives no weight to any dataset that fits; list more combinations in it, or use another"
    )


def sizes_of(case: Case) -> range:
    """Every number of records that datasets may have; a release that does not limit it is refused."""
    need_witness(case)
    least, greatest = limits_of(case, Predicate())
    if greatest is None:
        raise UnboundedRelease(
            "nothing published limits the number of records, so infinitely many datasets fit; publish a total, or add"
            " one to the release"
        )
    return range(least, greatest + 1)


def count_out(case: Case, deadline: Deadline, most_states: int | None = None) -> CountedRelease:
    """Count all datasets that fit; `TooMuchWork` where that takes more time or more states than allowed, or than there is room
    for."""
    sizes = sizes_of(case)
    if len(sizes) > MOST_SIZES:
        raise TooMuchWork(f"datasets may have any of {len(sizes):,} sizes")
    system = case.system
    if len(sizes) > 1 or not case.parts:
        graph = unfolded(counting_problem(system, sizes[-1]), sizes, deadline, *_limits(most_states))
        return CountedRelease(case, sizes, [Piece(system, np.arange(system.buckets), sizes, graph)])
    pieces, states = [], most_states
    for part in case.parts:
        size = part.inside(case.pool.witnesses[0]).size
        graph = unfolded(counting_problem(part.system, size), range(size, size + 1), deadline, *_limits(states))
        states = None if states is None else max(1, states - graph.states)
        pieces.append(Piece(part.system, part.buckets, range(size, size + 1), graph))
    return CountedRelease(case, sizes, pieces)


def _limits(states: int | None) -> tuple[int | None, int | None]:
    """How many states, and with them how many steps: the same for both twins, so that either gives up on the same releases."""
    return states, None if states is None else STEPS_EACH * states
