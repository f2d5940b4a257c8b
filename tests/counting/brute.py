"""Priors by brute force: list every dataset that fits, weigh each as its definition says, add up."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from math import factorial, prod

from foregone import Predicate, Release
from tests import oracle

Dataset = tuple[tuple[str, ...], ...]


def rising(x: Fraction, n: int) -> Fraction:
    """x (x+1) ... (x+n-1)."""
    return prod((x + i for i in range(n)), start=Fraction(1))


def weight(dataset: Dataset, release: Release, prior: str, shares: dict[tuple[str, ...], Fraction] | None = None) -> Fraction:
    """The weight of one dataset; `shares` are of full records, and add up to 1."""
    counts, size, kinds = Counter(dataset), len(dataset), release.domain.size
    if prior == "histograms":
        return Fraction(1)
    share = {record: Fraction(1, kinds) if shares is None else shares.get(record, Fraction(0)) for record in counts}
    orders = Fraction(factorial(size))
    if prior.startswith("polya:"):
        a = Fraction(prior.split(":")[1])
        return (
            orders / rising(a, size) * prod((rising(a * share[r], c) / factorial(c) for r, c in counts.items()), start=Fraction(1))
        )
    return orders * prod((share[r] ** c / factorial(c) for r, c in counts.items()), start=Fraction(1))


def share_of(
    datasets: list[Dataset],
    release: Release,
    predicate: Predicate,
    prior: str,
    shares: dict[tuple[str, ...], Fraction] | None = None,
) -> list[Fraction]:
    """For 0, 1, ..., 6 matching records: the share of the weight."""
    total, found = Fraction(0), [Fraction(0)] * 7
    for dataset in datasets:
        w = weight(dataset, release, prior, shares)
        total += w
        matching = sum(oracle.matches(record, predicate, release.domain.names) for record in dataset)
        if matching < len(found):
            found[matching] += w
    return [value / total for value in found]
