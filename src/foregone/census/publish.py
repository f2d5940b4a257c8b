"""Publish the tables of many blocks quickly: conditions are looked up once, a block's counts are sums of a matrix."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from foregone.census.rules import edit_rules, row_class_rules
from foregone.census.tables import Query, household_domain, leaf_queries
from foregone.census.units import Ints, unpack
from foregone.dataset import Dataset
from foregone.domain import Domain
from foregone.predicate import Predicate
from foregone.release import Release, Statistic

Bools = NDArray[np.bool_]

CODES = 16  # one more than the largest code


@dataclass(frozen=True, slots=True)
class Publisher:
    """The tables of one variant over households, or over all units; `member` says which code satisfies which query."""

    domain: Domain
    queries: tuple[Query, ...]
    member: Bools  # column, code, query
    rules: tuple[Predicate, ...]
    edit: tuple[Predicate, ...]

    def counts(self, codes: Ints) -> Ints:
        """How many of some packed records satisfy each query."""
        rows = unpack(codes, len(self.domain.columns))
        match = np.ones((len(rows), len(self.queries)), dtype=bool)
        for column, table in enumerate(self.member):
            match &= table[rows[:, column]]
        return np.asarray(match.sum(axis=0), dtype=np.int64)

    def release(self, codes: Ints, removed: Container[int] = (), edit: bool = False) -> Release:
        """What is published about some records, without the queries whose value is `removed`.

        The number of records is always known, as it is to the paper's method; where no table gives it, it is a
        statistic of its own.
        """
        statistics = [
            Statistic(predicate, value, value, name, table)
            for (name, table, predicate), value in zip(self.queries, self.counts(codes).tolist(), strict=True)
            if value not in removed
        ]
        if not any(not s.predicate.allowed for s in statistics):
            statistics.append(Statistic.exact(Predicate(), len(codes), "records"))
        return Release(self.domain, tuple(statistics), (*self.rules, *(self.edit if edit else ())))

    def dataset(self, codes: Ints) -> Dataset:
        rows = unpack(codes, len(self.domain.columns))
        return Dataset.of(self.domain, [tuple(map(str, row)) for row in rows.tolist()])


@cache
def publisher(variant: str, units: str) -> Publisher:
    domain, queries = household_domain(variant, units), leaf_queries(variant)
    member = np.ones((len(domain.columns), CODES, len(queries)), dtype=bool)
    for q, (_, _, predicate) in enumerate(queries):
        for name, allowed in predicate.allowed:
            member[domain.index[name], :, q] = [str(code) in allowed for code in range(CODES)]
    rules = row_class_rules(variant) if units == "all" else ()
    return Publisher(domain, queries, member, rules, edit_rules(units))
