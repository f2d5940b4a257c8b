"""Brute force: enumerate every dataset that fits. Shares no code with the engine; only for tiny domains."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, product

from foregone import Predicate, Release

Record = tuple[str, ...]


def matches(record: Record, predicate: Predicate, names: tuple[str, ...]) -> bool:
    return all(record[names.index(name)] in codes for name, codes in predicate.allowed)


def consistent_datasets(release: Release, largest: int) -> Iterator[tuple[Record, ...]]:
    """Every multiset of at most `largest` records that satisfies all statistics and breaks no rule."""
    names = tuple(column.name for column in release.domain.columns)
    everything = [
        record
        for record in product(*(column.codes for column in release.domain.columns))
        if not any(matches(record, rule, names) for rule in release.rules)
    ]
    member = [[matches(record, s.predicate, names) for s in release.statistics] for record in everything]
    low = [s.low for s in release.statistics]
    high = [largest if s.high is None else s.high for s in release.statistics]

    def extend(first: int, chosen: tuple[Record, ...], counts: list[int]) -> Iterator[tuple[Record, ...]]:
        if all(count >= least for count, least in zip(counts, low, strict=True)):
            yield chosen
        for i in range(first, len(everything) if len(chosen) < largest else 0):
            new = [count + one for count, one in zip(counts, member[i], strict=True)]
            if all(count <= most for count, most in zip(new, high, strict=True)):  # counts only grow
                yield from extend(i, (*chosen, everything[i]), new)

    yield from extend(0, (), [0] * len(low))


def claim_counts(records: tuple[Record, ...], names: tuple[str, ...]) -> dict[tuple[tuple[str, str], ...], int]:
    """Every claim that occurs: (column, value) pairs -> number of records."""
    counts: dict[tuple[tuple[str, str], ...], int] = {}
    for record in records:
        pairs = tuple(zip(names, record, strict=True))
        for size in range(1, len(pairs) + 1):
            for chosen in combinations(pairs, size):
                counts[chosen] = counts.get(chosen, 0) + 1
    return counts


def verified_claims(release: Release, largest: int) -> set[tuple[tuple[tuple[str, str], ...], int]]:
    """Every claim with a count of at least 1 that is true in all consistent datasets."""
    names = tuple(column.name for column in release.domain.columns)
    certain: set[tuple[tuple[tuple[str, str], ...], int]] | None = None
    for records in consistent_datasets(release, largest):
        found = set(claim_counts(records, names).items())
        certain = found if certain is None else certain & found
    return certain or set()


def count_range(release: Release, predicate: Predicate, largest: int) -> tuple[int, int] | None:
    names = tuple(column.name for column in release.domain.columns)
    counts = [sum(matches(r, predicate, names) for r in records) for records in consistent_datasets(release, largest)]
    return (min(counts), max(counts)) if counts else None
