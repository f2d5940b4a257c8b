"""Households as a subject: the words, tables and rules that pages and runs need to know about them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache, partial
from pathlib import Path

from foregone.census.geography import BLOCKS
from foregone.census.household.publish import publisher
from foregone.census.household.sentences import household
from foregone.census.household.tables import household_domain, leaf_queries, tables, variants
from foregone.census.unit_files.units import open_units
from foregone.model.release import Release
from foregone.model.subject import Subject, TableDefinition

COUNTED = "households"
"""The column of a run with the number of true households (or housing units) that are singled out."""

RECORDS = {"households": "household", "all": "housing unit"}
"""What one record is called, by which units are records."""

NO_BASELINE = "not part of a run; `foregone census study` tells how surprising claims are"


@cache
def household_subject(variant: str, units: str = "households", edit: bool = False) -> Subject:
    """The blocks of a unit file, published by one variant of the tables; with `edit` the edit rules count as known."""
    domain = household_domain(variant, units)
    familiar = Subject(domain=household_domain()).knows(domain)  # the sentences are about the ten columns of the study
    return Subject(
        record=RECORDS[units],
        domain=domain,
        sentence=household if familiar else None,
        tables=_every_table() if familiar else (),
        geography=BLOCKS,
        counted=COUNTED,
        settings=(f"variant {variant}", f"rules {'edit' if edit else 'none'}", f"units {units}"),
        assumptions=assumptions(variant, edit),
        baseline=NO_BASELINE,
        republish=partial(republish, variant, units, edit),
    )


def assumptions(variant: str, edit: bool) -> tuple[tuple[str, str], ...]:
    return (
        ("Tables", describe_variant(variant)),
        ("Given as ranges", "none: every number is taken as exact, and the number of records of each block as known"),
        ("Rules", "the rules of valid households count as known" if edit else "none"),
    )


def describe_variant(variant: str) -> str:
    """Which tables were published about each block."""
    if variant not in variants():
        return f"variant {variant}"
    return f"variant {variant}: {len(leaf_queries(variant)):,} published numbers for each block. {variants()[variant]}"


def republish(variant: str, units: str, edit: bool, source: Path, blocks: Iterable[str]) -> dict[str, Release]:
    """The releases of some blocks, tabulated again from the unit file."""
    published = publisher(variant, units, edit)
    with open_units(source, variant, units) as opened:
        return {block: published.release(codes) for block, codes in opened.records(blocks).items()}


@cache
def _every_table() -> tuple[TableDefinition, ...]:
    """Of all variants: which of them a release follows is seen from its numbers."""
    return tuple(table for variant in variants() for table in tables(variant))
