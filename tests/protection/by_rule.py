"""The rule for readers who know it, by its definition: every dataset, every pattern, every list of datasets. Only for tiny worlds.

Cheapest patterns first, then the public order. The datasets that would show the same under a pattern and are not published yet
are taken together; those with the same counts stay together. A list of some of them is *stable* if every dataset on it keeps its
policy though the list is all that is possible, and keeps it for somebody who does not know the rule, too. All that are on a
stable list are published.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

from foregone import Dataset, Release, Statistic
from foregone.model.errors import ForegoneError
from foregone.protection.patterns import PublicRule
from foregone.protection.problem import ActionKind, Problem
from foregone.protection.published import protected_release
from tests import oracle
from tests.protection.brute import exact_breaks, subsets

MOST_ALIKE = 8  # datasets of which every list is looked at


class Candidate(NamedTuple):
    dataset: Dataset
    problem: Problem
    taken: frozenset[int]


class TooManyAlike(Exception):
    """Too many lists to look at each."""


def world_of(rule: PublicRule, largest: int, weaker: bool = False) -> list[Dataset]:
    """Datasets that fit what every pattern shows. With `weaker`, whatever stood in cells that were not shown before."""
    stays = [
        s.known(0, None) if weaker and s.hidden and i not in rule.kept else s
        for i, s in enumerate(rule.release.statistics)
        if i in rule.kept or s.open
    ]
    left = Release(rule.release.domain, stays, rule.release.rules)
    return [Dataset.of(left.domain, records) for records in oracle.consistent_datasets(left, largest)]


def published(rule: PublicRule, datasets: Sequence[Dataset], largest: int) -> dict[Dataset, tuple[int, int]]:
    """The pattern of every dataset and what it costs."""
    met = {record for dataset in world_of(rule, largest, weaker=True) for record in dataset.records}
    alike = defaultdict[tuple[int, int, tuple[Statistic, ...]], list[Candidate]](list)
    for dataset in datasets:
        try:
            problem = rule.problem_of(dataset)
        except ForegoneError:
            continue  # it is refused, whoever reads it
        for taken in subsets(problem):
            pattern, shown = rule.pattern(problem, taken), protected_release(problem, taken).statistics
            done = [problem.actions[a] for a in taken if problem.actions[a].kind != ActionKind.MERGE]
            if len({action.name for action in done}) == len(done):  # nothing is rounded that is withheld, or rounded twice
                alike[rule.cost(problem, taken), pattern, shown].append(Candidate(dataset, problem, taken))
    found: dict[Dataset, tuple[int, int]] = {}
    for (cost, pattern, _), together in sorted(alike.items(), key=lambda entry: entry[0][:2]):
        left = [one for one in together if one.dataset not in found and not exact_breaks(one.problem, one.taken, largest)]
        units = defaultdict[tuple[int, ...], list[Candidate]](list)  # datasets of which the counts are the same
        for one in left:
            units[tuple(one.dataset.counts(s.predicate for s in rule.release.statistics if not s.open))].append(one)
        if len(units) > MOST_ALIKE:
            raise TooManyAlike
        for size in range(1, len(units) + 1):
            for chosen in combinations(units.values(), size):
                some = [one for unit in chosen for one in unit]
                found |= {one.dataset: (cost, pattern) for one in some} if stable(some, largest, met) else {}
    return found


def stable(some: Sequence[Candidate], largest: int, met: set[oracle.Record] | None = None) -> bool:
    """Does each of these keep its policy, if they are all that is possible?"""
    kept = [one.dataset.records for one in some]
    return not any(exact_breaks(one.problem, one.taken, largest, kept, met) for one in some)
