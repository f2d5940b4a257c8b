"""The kinds of census record there are.

The publisher of each kind of record: made once for the tables and records that are asked for."""

from __future__ import annotations

from functools import cache

import numpy as np

from foregone.census.household.kind import HOUSEHOLDS
from foregone.census.person.kind import PERSONS
from foregone.census.records import UNTIED, Publisher
from foregone.model.predicate import Predicate
from foregone.model.workload import Query, Workload

KINDS = {kind.name: kind for kind in (HOUSEHOLDS, PERSONS)}
"""By the name that `--subject` gives each."""


@cache
def publisher(subject: str, variant: str, units: str, edit: bool = False) -> Publisher:
    """With `edit` the edit rules of the census count as known."""
    kind = KINDS[subject]
    domain, queries = kind.domain(variant, units), kind.book.queries(variant)
    if units == UNTIED:
        queries = tuple(Query(query.name, query.table, _beside(query.predicate, kind.universe)) for query in queries)
    tabulated = len(queries)
    if not any(not query.predicate.allowed for query in queries):
        queries = (*queries, Query("records", "", Predicate()))
    texts = kind.texts(domain)
    member = np.ones((len(domain.columns), kind.packing.values, len(queries)), dtype=bool)
    for q, query in enumerate(queries):
        for name, allowed in query.predicate.allowed:
            member[domain.index[name], :, q] = [text in allowed for text in texts[domain.index[name]]]
    position = np.array([[c.index.get(text, -1) for text in column] for c, column in zip(domain.columns, texts, strict=True)])
    return Publisher(Workload(domain, queries, kind.rules(variant, units, edit)), kind.packing, member, position, tabulated)


def _beside(predicate: Predicate, universe: tuple[str, ...]) -> Predicate:
    """What is asked beside the universe of a table; a count that asks for nothing else keeps it."""
    others = tuple(pair for pair in predicate.allowed if pair[0] not in universe)
    return Predicate(others) if others else predicate
