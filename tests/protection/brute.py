"""Brute force for protections: every set of actions, every dataset that fits what is left. Shares no code with the attackers."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, product

from foregone import Policy, Predicate, Release
from foregone.model.families import Groups
from foregone.protection.problem import Problem
from foregone.protection.published import protected_release
from tests import oracle


def subsets(problem: Problem) -> Iterator[frozenset[int]]:
    """Every set of actions, cheapest first."""
    numbers = range(len(problem.actions))
    everything = [frozenset(chosen) for size in range(len(numbers) + 1) for chosen in combinations(numbers, size)]
    yield from sorted(everything, key=problem.cost)


def cheapest(problem: Problem, attacker: str, largest: int) -> int | None:
    """What the cheapest protection costs; None when there is none."""
    breaks = linear_breaks if attacker == "linear" else exact_breaks
    return next((problem.cost(taken) for taken in subsets(problem) if not breaks(problem, taken, largest)), None)


def exact_breaks(problem: Problem, taken: frozenset[int], largest: int) -> bool:
    """Is the policy broken by what is left? Looks at every dataset of at most `largest` records."""
    left, policy = protected_release(problem, taken), problem.policy
    datasets = list(oracle.consistent_datasets(left, largest))
    assert datasets
    if policy.about_claims or policy.attribute:
        certain = _certain(problem, datasets)
        if any(policy.over(_judged(problem, datasets, box), count) for box, count in certain.items()):
            return True
        if any(_discloses(policy, certain, datasets, box, count) for box, count in certain.items()):
            return True
    return any(_narrow(problem, datasets, left, cell) for cell in problem.primary)


def _certain(problem: Problem, datasets: list[tuple[oracle.Record, ...]]) -> dict[oracle.Box, int]:
    """Every claim over what the release named before anything was done, or over single codes, that all datasets agree on."""
    names = problem.release.domain.names
    choices = [[None, *sorted(_members(problem, name), key=sorted)] for name in names]
    boxes = [tuple((n, g) for n, g in zip(names, box, strict=True) if g is not None) for box in product(*choices)]
    found = {}
    for box in boxes:
        counts = {sum(all(r[names.index(n)] in g for n, g in box) for r in records) for records in datasets}
        if box and len(counts) == 1 and counts != {0}:
            found[box] = counts.pop()
    return found


def _judged(problem: Problem, datasets: list[tuple[oracle.Record, ...]], box: oracle.Box) -> int:
    """How many columns of a claim count: where it is certain how many records there are, not those in which all have what it says,
    unless all it says is true of all. Over single codes all count."""
    names = problem.release.domain.names
    if problem.groups == Groups.NONE or len({len(records) for records in datasets}) > 1:
        return len(box)
    everyone = {name: {record[c] for records in datasets for record in records} for c, name in enumerate(names)}
    counted = [name for name, codes in box if not everyone[name] <= codes]
    if counted:
        return len(counted)
    return sum(any(everyone[name] <= member for member in _members(problem, name)) for name in names)


def _members(problem: Problem, name: str) -> set[oracle.Group]:
    codes = problem.release.domain.column(name).codes
    if problem.groups == Groups.NONE:
        return {frozenset([code]) for code in codes}
    family, pairs = oracle.family(problem.release, name), []
    for action in problem.actions:
        column, one, other = action.merged
        if column >= 0 and problem.release.domain.names[column] == name:
            pairs.append(frozenset({codes[one], codes[other]}))
    family = family | {frozenset([code]) for code in codes}
    family = family | {_joined(group, chosen) for group in family for chosen in [*([pair] for pair in pairs), pairs]}
    family = {a & b for a in family for b in family} - {frozenset()} | family
    return {group for group in family if len(group) < len(codes)}


def _joined(group: oracle.Group, pairs: list[oracle.Group]) -> oracle.Group:
    """A group with every code that merges make one with its own."""
    for _ in pairs:
        for pair in pairs:
            group = group | pair if group & pair else group
    return group


def _discloses(
    policy: Policy,
    certain: dict[oracle.Box, int],
    datasets: list[tuple[oracle.Record, ...]],
    box: oracle.Box,
    count: int,
) -> bool:
    """Has everybody in the group that a claim without one of its columns names the claim's value there?"""
    for name in policy.attribute:
        group = tuple(pair for pair in box if pair[0] != name)
        if any(n == name and len(codes) == 1 for n, codes in box):
            alone = not group and all(len(records) == count for records in datasets)
            if alone or certain.get(group) == count:
                return True
    return False


def _narrow(problem: Problem, datasets: list[tuple[oracle.Record, ...]], left: Release, cell: int) -> bool:
    statistic = problem.release.statistics[cell]
    names = left.domain.names
    counts = [sum(oracle.matches(record, statistic.predicate, names) for record in records) for records in datasets]
    return not problem.policy.wide_enough(statistic.low, min(counts), max(counts))


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
