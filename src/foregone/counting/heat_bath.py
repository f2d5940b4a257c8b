"""Where counting all datasets is too much work: a chain of datasets in which a few records at a time are drawn again, exactly.

A step picks an exact row, the number of all records among them, and up to six of the records that it counts, at random; it takes
them out and counts all ways to put as many back (`graph.py`); one of them is drawn with its weight given the records that stayed.
Records that were taken from an exact row go back into it, so each step is as likely as its reverse, and the prior's weights are
what the chain tends to. Swapping pairs of values does not reach all datasets in general, and neither need this; what is found is
labelled *sampled*, with an interval and with the checks that were made, and none of these is a proof.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import sqrt
from random import Random
from statistics import fmean, variance

from foregone.counting.compiled import AnyGraph, AnySpace, space_of, unfolded, weighed
from foregone.counting.graph import TooMuchWork
from foregone.counting.prior import Masses
from foregone.counting.problem import CountingProblem, counting_problem
from foregone.engine import Case
from foregone.model.errors import UndecidedError
from foregone.solvers.deadline import Deadline

CHAINS = 4
REDRAWN = 6  # records at a time; with fewer, datasets that fit are not all connected as often
BATCHES = 5  # of each chain, whose means are compared
STUDENT_BATCHES, STUDENT_CHAINS = 2.861, 5.841  # 99 % of Student's t with 19 and 3 degrees of freedom are within these
DISCARDED = 4  # one in so many draws, the first ones
FEWEST = CHAINS * BATCHES * 8  # draws without which nothing is said
FEWEST_MOVED = 30 * CHAINS  # and redraws that changed something
MOST_STATES, MOST_STEPS = 3_000, 30_000  # of one redraw; what takes more is left as it is, forth and back alike
MOST_KEPT = 4_000  # problems of redraws that are remembered

Placed = dict[int, int]  # bucket -> records


@dataclass(frozen=True, slots=True)
class Interval99:
    """A share that was estimated: the mean of the draws, and an interval that holds the truth in 99 of 100 such runs."""

    share: float
    low: float
    high: float
    spread: float  # R-hat: how much chains differ from each other, compared with each in itself; 1 is not at all


@dataclass(frozen=True, slots=True)
class Draws:
    """What the chains had after each step, the first quarter left out, and how it went."""

    chains: tuple[tuple[Placed, ...], ...]
    steps: int
    moved: int

    @property
    def different(self) -> int:
        """How many different datasets were seen, as far as numbers by bucket tell."""
        return len({tuple(sorted(placed.items())) for chain in self.chains for placed in chain})

    def estimate(self, value: Callable[[Placed], float]) -> Interval99:
        """The mean of something between 0 and 1, with a 99 % interval.

        Batches of a chain that moves little resemble each other, so their means alone would promise too much: the means of whole
        chains are compared as well, and the wider of the two intervals is given. Of a share near 0 or 1 few draws differ from the
        others, and an interval with the share in its middle would end too soon: it also holds Wilson's interval for as many
        independent draws as have this spread.
        """
        values = [[value(placed) for placed in chain] for chain in self.chains]
        means = [fmean(batch) for chain in values for batch in _batches(chain)]
        share = fmean(means)
        whole = [fmean(chain) for chain in values]
        errors = [(STUDENT_BATCHES, sqrt(variance(means) / len(means))), (STUDENT_CHAINS, sqrt(variance(whole) / len(whole)))]
        student, error = max(errors, key=lambda one: one[0] * one[1])
        half = student * error
        if not half:  # all draws say the same: what so many independent ones would leave open, at most
            half = 1 - 0.01 ** (1 / len(means))
            return Interval99(share, max(0.0, share - half), min(1.0, share + half), _spread(values))
        low, high = _wilson(share, min(share * (1 - share) / error**2, sum(map(len, values))), student)
        return Interval99(share, max(0.0, min(low, share - half)), min(1.0, max(high, share + half)), _spread(values))

    @property
    def checks(self) -> str:
        """What was done, in words."""
        share = 100 * self.moved / max(1, self.steps)
        return (
            f"{len(self.chains)} chains with {self.steps:,} redraws of up to {REDRAWN} records in all, of which {share:.0f} %"
            " changed something; the first quarter is left out"
        )


def _wilson(share: float, draws: float, student: float) -> tuple[float, float]:
    """Wilson's interval of a share that so many independent draws have."""
    if draws <= 0:  # all draws are 0 or 1 but for rounding
        return share, share
    middle = (share + student**2 / (2 * draws)) / (1 + student**2 / draws)
    half = student * sqrt(share * (1 - share) / draws + student**2 / (4 * draws**2)) / (1 + student**2 / draws)
    return middle - half, middle + half


def _batches(chain: Sequence[float]) -> list[Sequence[float]]:
    size = len(chain) // BATCHES
    return [chain[i * size : (i + 1) * size] for i in range(BATCHES)]


def _spread(values: Sequence[Sequence[float]]) -> float:
    """R-hat of Gelman and Rubin."""
    length = min(map(len, values))
    within = fmean(variance(chain) for chain in values)
    between = variance([fmean(chain) for chain in values])
    if not within:
        return 1.0 if not between else float("inf")
    return sqrt((length - 1) / length + between / within)


class HeatBath:
    """One chain."""

    def __init__(self, problem: CountingProblem, space: AnySpace, how: Masses, begin: Placed, random: Random) -> None:
        self.problem, self.space, self.how, self.random = problem, space, how, random
        self.records = [bucket for bucket, number in begin.items() for _ in range(number)]
        free = {row for pair in problem.either for row in pair}
        exact = [row for row in range(problem.rows) if row not in free and problem.low[row] == problem.high[row] > 1]
        weights: list[dict[int, int]] = [{} for _ in range(problem.rows)]
        for bucket, entries in enumerate(problem.entries):
            for at, weight in entries:
                weights[at][bucket] = weight
        self.rows = [row for row in exact if set(weights[row].values()) <= {1}]  # they count records, each once
        self.members = [frozenset(mine) for mine in weights]
        self.graphs: dict[tuple[int, ...], AnyGraph | None] = {}

    def step(self) -> bool:
        """Draw some records again; has anything changed?"""
        row = self.random.choice(self.rows) if self.rows else 0
        inside = [at for at, bucket in enumerate(self.records) if bucket in self.members[row]]
        chosen = self.random.sample(inside, min(REDRAWN, len(inside)))
        taken = [self.records[at] for at in chosen]
        stay = Counter(self.records)
        stay.subtract(taken)
        left = self.problem.after([(bucket, number) for bucket, number in stay.items() if number])
        key = (*left.low, *left.high)
        if key not in self.graphs:
            if len(self.graphs) >= MOST_KEPT:
                self.graphs.clear()
            self.graphs[key] = self._graph(left)
        graph = self.graphs[key]
        if graph is None:
            return False
        how = self.how
        masses = how.buckets
        if how.urn:
            masses = [mass + how.unit * stay[bucket] for bucket, mass in enumerate(masses)]
        [drawn] = weighed(graph, masses, how).samples([0], self.random.getrandbits(64))
        made = [bucket for bucket, number in drawn.items() for _ in range(number)]
        for at, bucket in zip(chosen, made, strict=True):
            self.records[at] = bucket
        return sorted(made) != sorted(taken)

    def _graph(self, left: CountingProblem) -> AnyGraph | None:
        try:
            return unfolded(left, range(left.size, left.size + 1), Deadline(), MOST_STATES, MOST_STEPS, self.space)
        except TooMuchWork:
            return None

    @property
    def placed(self) -> Placed:
        return dict(Counter(self.records))


def heat_bath(case: Case, how: Masses, size: int, deadline: Deadline, random: Random, most: int | None = None) -> Draws:
    """Draw datasets until the deadline, or so many in each chain."""
    problem = counting_problem(case.system, size)
    space = space_of(problem)
    known = case.pool.witnesses
    starts = [dict(zip(w.buckets.tolist(), w.counts.tolist(), strict=True)) for w in (known[i % len(known)] for i in range(CHAINS))]
    if not all(how.buckets[bucket] for begin in starts for bucket in begin):
        raise UndecidedError(
            f"the prior {how.prior.name} gives no weight to the dataset that sampling would begin with; use another prior"
        )
    chains = [HeatBath(problem, space, how, begin, random) for begin in starts]
    found: list[list[Placed]] = [[] for _ in chains]
    moved = 0
    while not deadline.passed() and (most is None or len(found[0]) < most):
        for chain, draws in zip(chains, found, strict=True):
            moved += chain.step()
            draws.append(chain.placed)
    steps = sum(map(len, found))
    kept = tuple(tuple(draws[len(draws) // DISCARDED :]) for draws in found)
    if sum(map(len, kept)) < FEWEST or moved < FEWEST_MOVED:
        raise UndecidedError(
            f"{steps:,} redraws, of which {moved:,} changed something, are too few to say anything; give more seconds"
        )
    return Draws(kept, steps, moved)
