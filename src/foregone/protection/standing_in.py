"""Datasets that may stand in for the true one: they show the same, need protection in the same places, and differ from those known.

One integer program a time: everything shown stays, in every part of the pattern some count stays so small that it has to be
withheld, totals that are large stay so, and as many as possible of the counts that are too certain become larger, or smaller, than
they were in any dataset so far. What comes out is a suggestion; whoever asked finds out under which pattern it is published.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np

from foregone.engine import Case
from foregone.model.dataset import Dataset
from foregone.model.policy import Policy
from foregone.model.predicate import Predicate
from foregone.model.release import Release
from foregone.model.statement import Statistic
from foregone.solvers.arrays import Bools
from foregone.solvers.deadline import Deadline
from foregone.solvers.highs import HighsModel

MOST_KINDS = 20_000  # of record
SECONDS = 5.0  # for one program
GAP = 0.2  # share of the counts that could differ which a program may miss
Limit = tuple[Predicate, int, int]  # a count, and the least and the largest value of it


class StandIns:
    """`shown` is what is published. `parts` are lists of counts, each with the least and the largest value that is too small: in
    every list there has to be such a count. `limits` are for counts besides what is shown; by `orders` a count is at least so
    much larger than another.
    """

    def __init__(
        self,
        shown: Release,
        truth: Dataset,
        parts: Sequence[Sequence[Limit]],
        limits: Sequence[tuple[Predicate, int, int | None]],
        orders: Sequence[tuple[Predicate, Predicate, int]],
        deadline: Deadline,
    ) -> None:
        self._domain, self._parts, self._deadline = shown.domain, parts, deadline
        system = Case(shown, deadline).system
        groups = system.atoms.groups
        self._kinds = [
            tuple(column.codes[(group & -group).bit_length() - 1] for column, group in zip(
                shown.domain.columns, (groups[c][a] for c, a in enumerate(row)), strict=True
            ))
            for row in system.records[:MOST_KINDS + 1].tolist()
        ]
        self._codes = [
            np.array([column.index[kind[c]] for kind in self._kinds], dtype=np.int64)
            for c, column in enumerate(shown.domain.columns)
        ]
        self._most = 2 * len(truth) + 2  # more records than there will be
        self._limits = [*((s.predicate, s.low, s.high) for s in shown.statistics), *limits]
        self._orders = orders

    def next(self, certain: Sequence[Predicate], known: Sequence[Dataset]) -> Dataset | None:
        """A dataset in which as many of these counts as possible have a value that no known dataset has; None if none was found."""
        if len(self._kinds) > MOST_KINDS:
            return None
        model = HighsModel(mip_rel_gap=GAP)
        kinds = model.add_columns(len(self._kinds), high=self._most)
        model.set_whole(kinds)
        for predicate, low, high in self._limits:
            self._row(model, predicate, low, np.inf if high is None else high)
        for large, small, more in self._orders:
            sides = self._inside(large).astype(int) - self._inside(small)
            apart = np.flatnonzero(sides)
            model.add_rows([more], [np.inf], [len(apart)], apart.tolist(), sides[apart].astype(float))
        for several in self._parts:
            chosen = model.add_columns(len(several), high=1.0)
            model.set_whole(chosen)
            model.add_rows([1], [np.inf], [len(several)], chosen, np.ones(len(several)))
            for column, (predicate, least, most) in zip(chosen.tolist(), several, strict=True):
                self._row(model, predicate, 0, np.inf, (column, -least))
                self._row(model, predicate, 0, most + self._most, (column, self._most))
        ways = []
        for predicate in certain:
            seen = [dataset.count(predicate) for dataset in known]
            more, less = model.add_columns(2, cost=-1.0, high=1.0).tolist()
            ways += [more, less]
            model.add_rows([0], [1], [2], [more, less], [1.0, 1.0])
            self._row(model, predicate, 0, np.inf, (more, -max(seen) - 1))
            self._row(model, predicate, 0, min(seen) - 1 + self._most, (less, self._most))
        model.set_whole(np.array(ways, dtype=np.int32))
        model.run(self._deadline.sooner(SECONDS))
        if not model.has_point or model.cost > -0.5:
            return None
        counts = np.rint(model.point[: len(self._kinds)]).astype(np.int64)
        return Dataset.of_kinds(self._domain, {self._kinds[k]: int(counts[k]) for k in np.flatnonzero(counts)})

    def _row(
        self, model: HighsModel, predicate: Predicate, low: float, high: float, more: tuple[int, int] | None = None
    ) -> None:
        """A limit for a count, and perhaps for another column with it."""
        inside = np.flatnonzero(self._inside(predicate))
        columns, values = [*inside.tolist(), *([more[0]] if more else [])], [1.0] * len(inside) + ([float(more[1])] if more else [])
        model.add_rows([low], [high], [len(columns)], columns, values)

    def _inside(self, predicate: Predicate) -> Bools:
        """Which kinds of record a count counts."""
        made: Bools = np.ones(len(self._kinds), dtype=bool)
        for c, mask in predicate.masks(self._domain).items():
            made &= (mask >> self._codes[c] & 1).astype(bool)
        return made


def too_small(policy: Policy, count: Statistic) -> tuple[int, int] | None:
    """The least and the largest value with which a count cannot be shown; None if there are none."""
    if policy.primary is not None and not policy.primary.names:
        assert policy.primary.low is not None
        assert policy.primary.high is not None
        return policy.primary.low, policy.primary.high
    if policy.about_claims and len(count.predicate) >= (policy.singled_out_columns or 1):
        return 1, policy.smallest_group - 1
    return None


def least_of(release: Release, total: int, known: Mapping[Predicate, int]) -> tuple[int, int] | None:
    """The value of a total with which every part of it is known: as little as its parts have at least, by any column. None where
    it has no parts.
    """
    domain = release.domain
    own = release.statistics[total].predicate.masks(domain)
    sums: dict[int, int] = {}
    for s in dict.fromkeys(s.predicate for s in release.statistics):
        masks = s.masks(domain)
        further = masks.keys() - own.keys()
        if len(further) == 1 and all(masks.get(c) == mask for c, mask in own.items()):
            (column,) = further
            if not masks[column] & (masks[column] - 1):  # single values, so that no record is counted twice
                sums[column] = sums.get(column, 0) + known.get(s, 0)
    return (max(sums.values()),) * 2 if sums else None


def totals_alike(
    release: Release, large_from: Mapping[int, int]
) -> tuple[list[tuple[Predicate, int, int | None]], list[tuple[Predicate, Predicate, int]]]:
    """What keeps the blocks of cells as they are: the same totals are large, and of each column they stay in their order."""
    counts = release.statistics
    large = {i for i, least in large_from.items() if counts[i].low >= least}
    limits = [(counts[i].predicate, *((least, None) if i in large else (0, least - 1))) for i, least in large_from.items()]
    columns: dict[int, list[int]] = {}
    for i in sorted(large):
        for column in counts[i].predicate.masks(release.domain):
            columns.setdefault(column, []).append(i)
    orders = []
    for totals in columns.values():
        for small, more in pairwise(sorted(totals, key=lambda i: counts[i].low)):
            orders.append((counts[more].predicate, counts[small].predicate, int(small > more)))
    return limits, orders
