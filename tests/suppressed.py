"""Made-up tables with totals and hidden cells, of any size: what statistical offices publish, and what bounds are asked of."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np

from foregone import Domain, Predicate, Release, Statistic


def suppressed_table(shape: tuple[int, ...], hidden: int, records: int, seed: int = 0, most: int | None = None) -> Release:
    """A table over as many columns as the shape has numbers, with every total; `hidden` of its small inner cells become
    ranges, from 0 up without end (or, with `most`, up to that), and most have company in their lines."""
    rng = np.random.default_rng(seed)
    share = rng.gamma(0.6, size=shape)
    counts = rng.multinomial(records, (share / share.sum()).ravel()).reshape(shape)
    small = [tuple(at) for at in np.argwhere((counts > 0) & (counts <= np.quantile(counts[counts > 0], 0.2))).tolist()]
    rng.shuffle(small)
    gone = _with_company(small, hidden)
    totals = counts
    for axis in range(len(shape)):  # the last position of each axis, which is also position -1, is the total
        totals = np.concatenate([totals, totals.sum(axis=axis, keepdims=True)], axis=axis)
    domain = Domain.of({f"C{i}": [f"v{a}" for a in range(size)] for i, size in enumerate(shape)})
    statistics = []
    for at in product(*(range(-1, size) for size in shape)):
        count = int(totals[at])
        predicate = Predicate.of({f"C{i}": f"v{a}" for i, a in enumerate(at) if a >= 0})
        low, high = (count, count) if at not in gone else (0, None) if most is None else (min(1, count), max(most, count))
        statistics.append(Statistic(predicate, low, high, ".".join("T" if a < 0 else str(a) for a in at), "table"))
    return Release(domain, statistics)


def _with_company(small: list[tuple[int, ...]], hidden: int) -> set[tuple[int, ...]]:
    """Cells chosen corner by corner, so that most of them cannot be had by taking one number from a total."""
    chosen: dict[tuple[int, ...], None] = {}
    for one, other in pairwise(small):
        corners = list(product(*({a, b} for a, b in zip(one, other, strict=True))))
        for corner in corners:
            if len(chosen) < hidden:
                chosen[corner] = None
    return set(chosen)
