"""Publish the tables of many blocks quickly: conditions are looked up once, a block's counts are sums of a matrix."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from foregone.census.packing import Ints, Packing
from foregone.model.dataset import Dataset
from foregone.model.domain import Domain
from foregone.model.release import Release
from foregone.model.workload import Query, Workload

Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Publisher:
    """The tables of one variant over some kind of record; `member` says which packed value satisfies which query."""

    workload: Workload
    packing: Packing
    member: Bools  # column, value, query
    position: Ints  # column, value: where the domain has its code
    tabulated: int  # the first so many queries are cells of tables; a last one gives the number of records where no table does

    @property
    def domain(self) -> Domain:
        return self.workload.domain

    @property
    def queries(self) -> tuple[Query, ...]:
        return self.workload.queries

    def counts(self, codes: Ints) -> Ints:
        """How many of some packed records satisfy each query."""
        return np.asarray(self._match(codes).sum(axis=0), dtype=np.int64)

    def counts_of_each(self, codes: Ints, starts: Ints) -> Ints:
        """The counts of many blocks at once, one row each; the records of block i begin at starts[i], and none is empty."""
        return np.add.reduceat(self._match(codes), starts, axis=0, dtype=np.int64)

    def _match(self, codes: Ints) -> Bools:
        rows = self.packing.unpack(codes, len(self.domain.columns))
        match = np.ones((len(rows), len(self.queries)), dtype=bool)
        for column, table in enumerate(self.member):
            match &= table[rows[:, column]]
        return match

    def release(self, codes: Ints, removed: Container[int] = ()) -> Release:
        """What is published about some records, without the queries whose value is `removed`.

        The number of records is always known, as it is to the paper's method.
        """
        counts = self.counts(codes).tolist()
        release = self.workload.release(counts)
        if not removed:
            return release
        kept = [statistic for statistic in release.statistics if statistic.low not in removed or not statistic.predicate.allowed]
        return Release(self.domain, kept, self.workload.rules)

    def positions(self, codes: Ints) -> Ints:
        """One row for each packed record: where the domain's columns have its codes."""
        columns = len(self.domain.columns)
        return np.asarray(self.position[np.arange(columns), self.packing.unpack(codes, columns)])

    def dataset(self, codes: Ints) -> Dataset:
        columns = self.domain.columns
        rows = self.positions(codes).tolist()
        return Dataset.of(self.domain, [tuple(c.codes[at] for c, at in zip(columns, row, strict=True)) for row in rows])
