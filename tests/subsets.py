"""Brute force for questions about parts of a release: every dataset once, with what it breaks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations

from hypothesis import strategies as st

from foregone import Dataset, Domain, Predicate, Release, Statistic
from tests import oracle

DOMAIN = Domain.of({"A": ["0", "1"], "B": ["0", "1"]})
PLACES = [{}, {"A": "0"}, {"A": "1"}, {"B": "0"}, {"B": "1"}] + [{"A": a, "B": b} for a in "01" for b in "01"]


@st.composite
def small_releases(draw: st.DrawFn, contradictory: bool = False) -> Release:
    """Up to seven numbers about two columns of two values, some of them ranges; made up altogether when asked for."""
    truth = Dataset.of(DOMAIN, draw(st.lists(st.tuples(*[st.sampled_from("01")] * 2), min_size=1, max_size=3)))
    statistics: list[Statistic] = []
    for i in draw(st.lists(st.sampled_from(range(len(PLACES))), unique=not contradictory, min_size=2, max_size=7)):
        predicate = Predicate.of(PLACES[i])
        count = draw(st.integers(0, 2)) if contradictory else truth.count(predicate)
        wide = draw(st.integers(0, 1))
        high = draw(st.sampled_from([count, count + wide, None] if i % 3 == 0 else [count, count + wide]))
        statistics.append(Statistic(predicate, max(0, count - wide), high, f"n{len(statistics)}"))
    rules = [Predicate.of({"A": "1", "B": "1"})] if draw(st.booleans()) and not truth.count(Predicate.of(PLACES[-1])) else []
    try:
        return Release(DOMAIN, statistics, rules)
    except Exception:  # a part that is larger than the total is refused at once
        return Release(DOMAIN, [s for s in statistics if s.predicate.allowed] or statistics[:1], rules)


def broken_sets(release: Release, predicate: Predicate | None, low: int, high: int | None) -> set[int]:
    """What each dataset breaks that gives another answer, one bit per statistic.

    Datasets with as many records as all lower limits ask for, and the answer, show everything: see `enough_records`.
    """
    names = release.domain.names
    most = sum(s.low for s in release.statistics) + (0 if predicate is None else (low if high is None else high) + 1)
    free = Release(release.domain, [Statistic(Predicate(), 0, most)], release.rules)
    found = set()
    for records in oracle.consistent_datasets(free, most):
        count = 0 if predicate is None else sum(oracle.matches(r, predicate, names) for r in records)
        if predicate is not None and low <= count and (high is None or count <= high):
            continue
        broken = 0
        for i, s in enumerate(release.statistics):
            if not s.holds(sum(oracle.matches(r, s.predicate, names) for r in records)):
                broken |= 1 << i
        found.add(broken)
    return found


def enough(chosen: int, broken: Iterable[int]) -> bool:
    return all(chosen & some for some in broken)


def subsets_of(count: int) -> Iterator[int]:
    """All sets of so many statements, small ones first."""
    for size in range(count + 1):
        for chosen in combinations(range(count), size):
            yield sum(1 << i for i in chosen)


def minimal_enough(count: int, broken: set[int]) -> list[int]:
    """All sets that are enough and of which no part is."""
    found: list[int] = []
    for chosen in subsets_of(count):
        if enough(chosen, broken) and not any(known & ~chosen == 0 for known in found):
            found.append(chosen)
    return found


def fewest_hitting(count: int, sets: Iterable[int]) -> int:
    """The least number of elements that have something in common with every set."""
    wanted = list(sets)
    return next(chosen.bit_count() for chosen in subsets_of(count) if all(chosen & some for some in wanted))
