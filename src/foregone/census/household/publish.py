"""Publish the tables of many blocks quickly: conditions are looked up once, a block's counts are sums of a matrix."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from foregone.census.household.rules import edit_rules, row_class_rules
from foregone.census.household.tables import household_domain, leaf_queries
from foregone.census.packing import CODES, Ints, unpack
from foregone.model.dataset import Dataset
from foregone.model.domain import Domain
from foregone.model.predicate import Predicate
from foregone.model.release import Release
from foregone.model.workload import Query, Workload

Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Publisher:
    """The tables of one variant over households, or over all units; `member` says which code satisfies which query."""

    workload: Workload
    member: Bools  # column, code, query
    position: Ints  # column, code: where the domain has that code
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
        rows = unpack(codes, len(self.domain.columns))
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
        return np.asarray(self.position[np.arange(columns), unpack(codes, columns)])

    def dataset(self, codes: Ints) -> Dataset:
        rows = unpack(codes, len(self.domain.columns))
        return Dataset.of(self.domain, [tuple(map(str, row)) for row in rows.tolist()])


@cache
def publisher(variant: str, units: str, edit: bool = False) -> Publisher:
    """With `edit` the edit rules of the census count as known."""
    domain, queries = household_domain(variant, units), leaf_queries(variant)
    tabulated = len(queries)
    if not any(not query.predicate.allowed for query in queries):
        queries = (*queries, Query("records", "", Predicate()))
    member = np.ones((len(domain.columns), CODES, len(queries)), dtype=bool)
    for q, query in enumerate(queries):
        for name, allowed in query.predicate.allowed:
            member[domain.index[name], :, q] = [str(code) in allowed for code in range(CODES)]
    position = np.array([[column.index.get(str(code), -1) for code in range(CODES)] for column in domain.columns])
    rules = row_class_rules(variant) if units == "all" else ()
    return Publisher(Workload(domain, queries, (*rules, *(edit_rules(units) if edit else ()))), member, position, tabulated)
