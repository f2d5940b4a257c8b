"""The block-level household tables as data, in several variants, and the release a block's tables make."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any

from foregone.model.dataset import Dataset
from foregone.model.domain import Domain
from foregone.model.errors import InputError
from foregone.model.predicate import Predicate
from foregone.model.release import Release
from foregone.model.subject import TableDefinition, TableLine
from foregone.model.workload import Query, Workload

OFFICIAL, PAPER = "official", "621"


@cache
def _content(name: str) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(files("foregone.census.household").joinpath(name).read_text("utf-8"))
    return content


def variants() -> dict[str, str]:
    """The variants of the table definitions and what each one is."""
    return {name: entry["about"] for name, entry in _content("tables.json")["variants"].items()}


def _variant(name: str) -> dict[str, Any]:
    entries = _content("tables.json")["variants"]
    if name not in entries:
        raise InputError(f"{name!r} is not a variant of the tables; use one of {', '.join(entries)}")
    entry = entries[name]
    return {**_variant(entry["based"]), **entry} if "based" in entry else entry


@cache
def household_domain(variant: str = OFFICIAL, units: str = "households") -> Domain:
    """The ten columns of the household study; 9,483,264 different records.

    With `units="all"` vacant units are records too, and every column gets the code 0 that a vacant unit has in it.
    """
    content = _content("columns.json")
    columns, labels = dict(content["columns"]), dict(content["labels"])
    for name in _variant(variant).get("columns", ()):
        columns[name] = content["optional"][name]
        labels[name] = content["optional_labels"][name]
    if units == "all":
        columns = {name: codes if "0" in codes else {"0": content["vacant"], **codes} for name, codes in columns.items()}
    return Domain.of(columns, labels, content["record"] if units == "households" else "housing unit")


@cache
def tables(variant: str = OFFICIAL) -> tuple[TableDefinition, ...]:
    """Every block-level household table (P20), iterations by race and origin of the householder spelled out (H13B)."""
    content, changes = _content("tables.json"), _variant(variant)
    replaced = {entry["id"]: entry for entry in changes.get("tables", ())}
    made = []
    for original in content["tables"]:
        if original["id"] in changes.get("without", ()):
            continue
        entry = replaced.get(original["id"], original)
        made.append(_table(content, changes, entry, "", {}, ""))
        for letter in entry.get("iterations", ""):
            iteration = content["iterations"][letter]
            suffix = f" ({iteration['householder']} householder)"
            made.append(_table(content, changes, entry, letter, iteration["where"], suffix))
    return tuple(made)


def _table(
    content: dict[str, Any], changes: dict[str, Any], entry: dict[str, Any], letter: str, where: dict[str, Any], suffix: str
) -> TableDefinition:
    universe = content["universes"][entry["universe"]]
    recoded = changes.get("codes", {})

    def condition(name: str, codes: list[str]) -> list[str]:
        recode: dict[str, list[str]] = recoded.get(name, {})
        return recode.get("|".join(codes), codes)

    cells = tuple(
        TableLine(
            cell["line"],
            cell["label"],
            cell.get("kind", "leaf"),
            Predicate.of({name: condition(name, codes) for name, codes in {**universe, **where, **cell["where"]}.items()}),
        )
        for cell in entry["cells"]
    )
    return TableDefinition(
        entry["id"] + letter, entry["title"] + suffix, entry["universe"], cells, Predicate.of({**universe, **where})
    )


@cache
def leaf_queries(variant: str = OFFICIAL) -> tuple[Query, ...]:
    """(name, table, predicate) of the published cells (636 officially) that no other cells of their table add up to."""
    return tuple(
        Query(f"{table.id}.{cell.line}", table.id, cell.predicate)
        for table in tables(variant)
        for cell in table.cells
        if cell.kind != "total"
    )


@cache
def household_workload(variant: str = OFFICIAL) -> Workload:
    return Workload(household_domain(variant), leaf_queries(variant))


def household_release(block: Dataset) -> Release:
    """Publish all block-level household tables of a block."""
    asked = household_workload()
    return asked.release([block.count(query.predicate) for query in asked.queries])
