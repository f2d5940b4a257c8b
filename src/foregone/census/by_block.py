"""A tract as one release with a column for the block: the tables of every block, and the tract's own as sums over them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from foregone.census.kind import Kind
from foregone.census.packing import Ints
from foregone.census.publisher import Publisher
from foregone.model.domain import Domain
from foregone.model.predicate import Predicate
from foregone.model.release import Release
from foregone.model.statement import Statistic

BLOCK = "BLOCK"  # the column for the block


def by_block(kind: Kind, tables: Publisher, records: Mapping[str, Ints]) -> Release:
    """`records` are the packed records of every block of a tract; they are only used to make its tables."""
    assert kind.tract is not None
    codes = {column.name: dict(zip(column.codes, column.labels, strict=True)) for column in tables.domain.columns}
    titles = {column.name: column.title for column in tables.domain.columns}
    domain = Domain.of({BLOCK: list(records), **codes}, {BLOCK: "block", **titles}, tables.domain.record)
    stated = []
    for block, here in records.items():
        for (name, table, predicate), count in zip(tables.queries, tables.counts(here).tolist(), strict=True):
            where = Predicate.of({BLOCK: [block], **dict(predicate.allowed)})
            stated.append(Statistic.exact(where, count, f"{block}/{name}", table))
    everybody = tables.dataset(np.concatenate(list(records.values())))
    return Release(domain, [*stated, *kind.tract.statistics(everybody)])
