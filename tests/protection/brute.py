"""Brute force for protections: every set of actions, every dataset that fits what is left. Shares no code with the attackers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import combinations, product

from foregone import Predicate, Release
from foregone.protection.problem import Problem, weaken
from foregone.protection.published import protected_release
from tests import oracle
from tests.policy.brute import breaks


def subsets(problem: Problem) -> Iterator[frozenset[int]]:
    """Every set of actions, cheapest first."""
    numbers = range(len(problem.actions))
    everything = [frozenset(chosen) for size in range(len(numbers) + 1) for chosen in combinations(numbers, size)]
    yield from sorted(everything, key=problem.cost)


def breaks_of(attacker: str) -> Callable[[Problem, frozenset[int], int], bool]:
    """Is the policy broken by what is left after some actions, for this attacker?"""
    return linear_breaks if attacker == "linear" else exact_breaks


def cheapest(problem: Problem, attacker: str, largest: int) -> int | None:
    """What the cheapest protection costs; None when there is none."""
    breaks = breaks_of(attacker)
    return next((problem.cost(taken) for taken in subsets(problem) if not breaks(problem, taken, largest)), None)


def protections(problem: Problem, attacker: str, largest: int) -> list[frozenset[int]]:
    """Every set of actions that is enough, cheapest first."""
    breaks = breaks_of(attacker)
    return [taken for taken in subsets(problem) if not breaks(problem, taken, largest)]


def exact_breaks(
    problem: Problem,
    taken: frozenset[int],
    largest: int,
    kept: list[tuple[oracle.Record, ...]] | None = None,
    met: set[oracle.Record] | None = None,
) -> bool:
    """Is the policy broken by what is left, as a reader sees it? Looks at every dataset of at most `largest` records, or at those
    that are `kept`; a column counts only if one of the records that were `met` has another value there than a claim says.
    """
    left, policy = protected_release(problem, taken, problem.domain), problem.policy
    places = {row.row.sources[0]: i for i, row in enumerate(weaken(problem, taken)) if row.row.count is not None}
    primary = {i: places[i] for i in problem.primary if i in places}
    true = {place: problem.true[i] for i, place in primary.items() if i in problem.true}
    broken = breaks(left, policy, largest, problem.groups, frozenset(primary.values()), true, None, kept, met)
    assert broken is not None
    datasets = list(oracle.consistent_datasets(left, largest)) if kept is None else kept
    assert datasets
    gone = problem.primary - primary.keys()  # a merge leaves no such cell, but what it counts must stay unknown all the same
    return broken or any(_narrow(problem, [d for d in datasets if oracle.has_figures(d, left)], left, cell) for cell in gone)


def _narrow(problem: Problem, datasets: list[tuple[oracle.Record, ...]], left: Release, cell: int) -> bool:
    statistic, policy = problem.release.statistics[cell], problem.policy
    counts = {sum(oracle.matches(record, statistic.predicate, left.domain.names) for record in records) for records in datasets}
    sides = policy.both_sides and not policy.reaches(problem.true[cell], min(counts), max(counts))
    return len(counts) < policy.min_width or bool(sides)


def linear_breaks(problem: Problem, taken: frozenset[int], largest: int) -> bool:
    """Is a primary cell a combination of the cells shown exactly? Plain elimination over every combination of codes."""
    del largest
    left = protected_release(problem, taken)
    shown = [s.predicate for s in left.statistics if s.low == s.high and not s.withheld]
    rank = _rank([_vector(left, p) for p in shown])
    return any(
        _rank([_vector(left, p) for p in (*shown, problem.release.statistics[cell].predicate)]) == rank for cell in problem.primary
    )


def _vector(release: Release, predicate: Predicate) -> list[Fraction]:
    names = release.domain.names
    everything = product(*(column.codes for column in release.domain.columns))
    return [Fraction(oracle.matches(record, predicate, names)) for record in everything]


def _rank(rows: list[list[Fraction]]) -> int:
    rows, rank = [row[:] for row in rows], 0
    for column in range(len(rows[0]) if rows else 0):
        pivot = next((r for r in range(rank, len(rows)) if rows[r][column]), None)
        if pivot is None:
            continue
        rows[rank], rows[pivot] = rows[pivot], rows[rank]
        for r in range(rank + 1, len(rows)):
            times = rows[r][column] / rows[rank][column]
            rows[r] = [x - times * y for x, y in zip(rows[r], rows[rank], strict=True)]
        rank += 1
    return rank
