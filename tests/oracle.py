"""Brute force: enumerate every dataset that fits. Shares no code with the engine; only for tiny domains.

A release need not bound its records. `consistent_datasets` stops at `largest` records; whether there is more beyond is
a question that `endless` answers without listing datasets.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations, product
from math import inf
from operator import add

from foregone import Predicate, Release
from foregone.model.figure import Figure
from foregone.model.statement import Either, Statement

Record = tuple[str, ...]
Claim = tuple[tuple[tuple[str, str], ...], int]


def matches(record: Record, predicate: Predicate, names: tuple[str, ...]) -> bool:
    return all(record[names.index(name)] in codes for name, codes in predicate.allowed)


def valid_records(release: Release) -> list[Record]:
    """Every record that breaks no rule."""
    names = release.domain.names
    everything = product(*(column.codes for column in release.domain.columns))
    return [record for record in everything if not any(matches(record, rule, names) for rule in release.rules)]


def worth(record: Record, release: Release) -> list[int]:
    """What one record adds to each statistic and to each weighted sum, in the order of the release."""
    names = release.domain.names
    counts = [int(matches(record, s.predicate, names)) for s in release.statistics]
    sums = [sum(weight for weight, p in s.terms if matches(record, p, names)) for s in release.workload.sums]
    return counts + sums


def limits(release: Release) -> list[tuple[int | None, int | None]]:
    """The least and the greatest value of each statistic and weighted sum."""
    return [*((s.low, s.high) for s in release.statistics), *((s.low, s.high) for s in release.workload.sums)]


def fits(records: Iterable[Record], release: Release) -> bool:
    """Tabulate records from scratch and compare with every published number and every rule."""
    listed = list(records)
    names = release.domain.names
    values = [worth(record, release) for record in listed]
    within = all(_within(sum(value[i] for value in values), *limit) for i, limit in enumerate(limits(release)))
    either = all(_either(listed, release, e) for e in release.workload.alternatives) and has_figures(listed, release)
    return within and either and not any(matches(record, rule, names) for record in listed for rule in release.rules)


NUMBERS = {"x": Fraction(9, 2)}  # what codes count as that are no numbers, in the releases that tests make


def measure(records: Sequence[Record], release: Release, figure: Figure) -> Fraction | None:
    """A sum, mean, median or percentage by the book; None where there is nothing to take it of."""
    names = release.domain.names
    chosen = [record for record in records if matches(record, figure.predicate, names)]
    if figure.measure == "percent":
        (base,) = [s.predicate for s in release.statistics if s.name == figure.of] if figure.of else [Predicate()]
        whole = sum(matches(record, base, names) for record in records)
        return Fraction(100 * len(chosen), whole) if whole else None
    numbers = [NUMBERS.get(code) or Fraction(code) for code in (record[names.index(figure.of)] for record in chosen)]
    if figure.measure == "sum":
        return Fraction(sum(numbers))
    if not numbers:
        return None
    return Fraction(statistics.mean(numbers) if figure.measure == "mean" else statistics.median(numbers))


def has_figures(records: Sequence[Record], release: Release) -> bool:
    """Do the records have every published sum, mean, median and percentage?"""
    for figure in release.figures:
        value = measure(records, release, figure)
        if value is None:
            if not figure.withheld:
                return False
        elif (figure.low is not None and value < figure.low) or (figure.high is not None and value > figure.high):
            return False
    return True


def _either(records: Sequence[Record], release: Release, either: Either) -> bool:
    """Does at least one of the two sides hold?"""
    names = release.domain.names
    for side in (either.left, either.right):
        total = sum(weight for record in records for weight, p in side.terms if matches(record, p, names))
        if _within(total, side.low, side.high):
            return True
    return False


def _within(total: int, low: int | None, high: int | None) -> bool:
    return (low is None or low <= total) and (high is None or total <= high)


def consistent_datasets(release: Release, largest: int) -> Iterator[tuple[Record, ...]]:
    """Every multiset of at most `largest` records that satisfies all numbers and breaks no rule."""
    everything = valid_records(release)
    values = [worth(record, release) for record in everything]
    least = [-inf if low is None else low for low, _ in limits(release)]
    most = [inf if high is None else high for _, high in limits(release)]
    # what one more record, from each one on, can take off or add at most
    rows = range(len(least))
    down = [[min([0, *(v[i] for v in values[first:])]) for i in rows] for first in range(len(everything) + 1)]
    up = [[max([0, *(v[i] for v in values[first:])]) for i in rows] for first in range(len(everything) + 1)]

    def hopeless(totals: list[int], first: int, left: int) -> bool:
        for total, low, high, less, more in zip(totals, least, most, down[first], up[first], strict=True):
            if total + left * less > high or total + left * more < low:
                return True
        return False

    def extend(first: int, chosen: tuple[Record, ...], totals: list[int]) -> Iterator[tuple[Record, ...]]:
        if not hopeless(totals, first, 0) and all(_either(chosen, release, e) for e in release.workload.alternatives):
            yield chosen
        left = largest - len(chosen) - 1
        for i in range(first, len(everything) if left >= 0 else 0):
            new = list(map(add, totals, values[i]))
            if not hopeless(new, i, left):
                yield from extend(i, (*chosen, everything[i]), new)

    yield from extend(0, (), [0] * len(least))


def claim_counts(records: tuple[Record, ...], names: tuple[str, ...]) -> dict[tuple[tuple[str, str], ...], int]:
    """Every claim that occurs: (column, value) pairs -> number of records."""
    counts: dict[tuple[tuple[str, str], ...], int] = {}
    for record in records:
        pairs = tuple(zip(names, record, strict=True))
        for size in range(1, len(pairs) + 1):
            for chosen in combinations(pairs, size):
                counts[chosen] = counts.get(chosen, 0) + 1
    return counts


def verified_claims(release: Release, largest: int) -> set[Claim]:
    """Every claim with a count of at least 1 that is true in all consistent datasets."""
    names = release.domain.names
    datasets = consistent_datasets(release, largest)
    certain = set(claim_counts(next(datasets, ()), names).items())
    for records in datasets:
        if not certain:
            break
        shown = [set(zip(names, record, strict=True)) for record in records]
        certain = {(pairs, count) for pairs, count in certain if sum(record.issuperset(pairs) for record in shown) == count}
    return certain


Group = frozenset[str]
Box = tuple[tuple[str, Group], ...]


def family(release: Release, name: str) -> set[Group]:
    """Everything that a claim may name in a column: codes, sets that statistics use, declared groups, and intersections."""
    column = release.domain.column(name)
    found = {frozenset([code]) for code in column.codes}
    asked = [row.predicate for row in release.published] + [p for s in release.own if isinstance(s, Statement) for _, p in s.terms]
    found |= {codes for predicate in asked for column_name, codes in predicate.allowed if column_name == name}
    found |= {frozenset(codes) for _, codes in column.groups}
    while True:
        new = {a & b for a in found for b in found} - found - {frozenset()}
        if not new:
            return {group for group in found if len(group) < len(column.codes) or len(column.codes) == 1}
        found |= new


Datasets = Sequence[tuple[Record, ...]]


def certain_boxes(release: Release, datasets: Datasets) -> dict[Box, int]:
    """Every claim over the families, with a count of at least 1, that is true in all of these datasets."""
    names = release.domain.names
    choices = [[None, *sorted(family(release, name), key=sorted)] for name in names]
    boxes = [tuple((n, g) for n, g in zip(names, box, strict=True) if g is not None) for box in product(*choices)]
    certain: dict[Box, int] | None = None
    for records in datasets:
        shown = [dict(zip(names, record, strict=True)) for record in records]
        left = [box for box in boxes if box] if certain is None else list(certain)
        counts = {box: sum(all(record[n] in g for n, g in box) for record in shown) for box in left}
        certain = {box: m for box, m in counts.items() if m and (certain is None or certain[box] == m)}
        if not certain:
            break
    return certain or {}


def fewest_matching(release: Release, boxes: Iterable[Box], datasets: Datasets) -> int:
    """The least number of records, over all of these datasets, that are in at least one of the boxes."""
    names = release.domain.names
    asked = [[(names.index(n), g) for n, g in box] for box in boxes]
    return min(sum(any(all(record[i] in g for i, g in box) for box in asked) for record in records) for records in datasets)


def count_range(release: Release, predicate: Predicate, largest: int) -> tuple[int, int] | None:
    names = release.domain.names
    counts = [sum(matches(r, predicate, names) for r in records) for records in consistent_datasets(release, largest)]
    return (min(counts), max(counts)) if counts else None


def endless(release: Release, predicate: Predicate) -> bool:
    """Can the number of matching records grow without end? For releases that some dataset fits, with one weighted sum at most.

    It can when records can be added again and again: no count with an upper limit may grow, and the sum must not leave its
    limits. With a single sum it is enough to look at one record, or at two kinds of which so many are taken that they
    cancel out in the sum: every growing set is made up of such ones.
    """
    sums = release.workload.sums
    assert len(sums) <= 1
    names, count = release.domain.names, len(release.statistics)
    low, high = (sums[0].low, sums[0].high) if sums else (None, None)
    free = []
    for record in valid_records(release):
        counted, summed = worth(record, release)[:count], worth(record, release)[count:]
        if not any(one and s.high is not None for one, s in zip(counted, release.statistics, strict=True)):
            free.append((matches(record, predicate, names), sum(summed)))
    alone = any(inside and _grows(weight, low, high) for inside, weight in free)
    return alone or any(inside and a * b < 0 for inside, a in free for _, b in free)


def _grows(weight: int, low: int | None, high: int | None) -> bool:
    """May a sum change by so much again and again?"""
    return (weight <= 0 or high is None) and (weight >= 0 or low is None)
