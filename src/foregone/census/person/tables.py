"""The block-level person tables as data: the numbers from which the Census Bureau reconstructed persons of 2010."""

from __future__ import annotations

from functools import cache

from foregone.census.table_book import TableBook
from foregone.model.domain import Domain

OFFICIAL = "official"
BOOK = TableBook("foregone.census.person")


@cache
def person_domain() -> Domain:
    """Sex, 38 groups of ages, 63 combinations of races, origin: 9,576 different persons, as far as block tables tell."""
    content = BOOK.columns
    return Domain.of(content["columns"], content["labels"], content["record"])
