"""The block-level household tables as data, in several variants, and the release a block's tables make."""

from __future__ import annotations

from functools import cache

from foregone.batch.subject import TableDefinition
from foregone.census.table_book import TableBook
from foregone.model.dataset import Dataset
from foregone.model.domain import Domain
from foregone.model.release import Release
from foregone.model.workload import Query, Workload

OFFICIAL, PAPER = "official", "621"
BOOK = TableBook("foregone.census.household")


def variants() -> dict[str, str]:
    """The variants of the table definitions and what each one is."""
    return BOOK.variants


@cache
def household_domain(variant: str = OFFICIAL, units: str = "households") -> Domain:
    """The ten columns of the household study; 9,483,264 different records.

    With `units="all"` vacant units are records too, and every column gets the code 0 that a vacant unit has in it.
    """
    content = BOOK.columns
    columns, labels = dict(content["columns"]), dict(content["labels"])
    for name in BOOK.variant(variant).get("columns", ()):
        columns[name] = content["optional"][name]
        labels[name] = content["optional_labels"][name]
    if units == "all":
        columns = {name: codes if "0" in codes else {"0": content["vacant"], **codes} for name, codes in columns.items()}
    return Domain.of(columns, labels, content["record"] if units == "households" else "housing unit")


def tables(variant: str = OFFICIAL) -> tuple[TableDefinition, ...]:
    """Every block-level household table (P20), iterations by race and origin of the householder spelled out (H13B)."""
    return BOOK.tables(variant)


def leaf_queries(variant: str = OFFICIAL) -> tuple[Query, ...]:
    """(name, table, predicate) of the published cells (636 officially) that no other cells of their table add up to."""
    return BOOK.queries(variant)


@cache
def household_workload(variant: str = OFFICIAL) -> Workload:
    return Workload(household_domain(variant), leaf_queries(variant))


def household_release(block: Dataset) -> Release:
    """Publish all block-level household tables of a block."""
    asked = household_workload()
    return asked.release([block.count(query.predicate) for query in asked.queries])
