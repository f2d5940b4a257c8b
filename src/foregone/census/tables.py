"""The block-level household tables as data, and the release a block's tables make."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from foregone.dataset import Dataset
from foregone.domain import Domain
from foregone.predicate import Predicate
from foregone.release import Release, Statistic


@dataclass(frozen=True, slots=True)
class TableCell:
    """One line of a table. `kind`: leaf (finest partition), part (a published piece of a leaf) or total (a sum)."""

    line: int
    label: str
    kind: str
    predicate: Predicate


@dataclass(frozen=True, slots=True)
class Table:
    """A published table: P20, or H13B for one race or origin of the householder."""

    id: str
    title: str
    universe: str
    cells: tuple[TableCell, ...]


@cache
def household_domain() -> Domain:
    """The ten columns of the household study; 9,483,264 different records."""
    content = json.loads(files("foregone.census").joinpath("columns.json").read_text("utf-8"))
    return Domain.of(content["columns"], content["labels"], content["record"])


@cache
def tables() -> tuple[Table, ...]:
    """Every block-level household table, iterations by race and origin spelled out."""
    content = json.loads(files("foregone.census").joinpath("tables.json").read_text("utf-8"))
    made = []
    for entry in content["tables"]:
        made.append(_table(content, entry, "", {}, ""))
        for letter in entry.get("iterations", ""):
            iteration = content["iterations"][letter]
            made.append(_table(content, entry, letter, iteration["where"], f" ({iteration['householder']} householder)"))
    return tuple(made)


def _table(content: dict, entry: dict, letter: str, where: dict, suffix: str) -> Table:  # type: ignore[type-arg]
    universe = content["universes"][entry["universe"]]
    cells = tuple(
        TableCell(cell["line"], cell["label"], cell.get("kind", "leaf"), Predicate.of({**universe, **where, **cell["where"]}))
        for cell in entry["cells"]
    )
    return Table(entry["id"] + letter, entry["title"] + suffix, entry["universe"], cells)


@cache
def leaf_queries() -> tuple[tuple[str, str, Predicate], ...]:
    """(name, table, predicate) of the 636 published cells that no other cells of their table add up to."""
    return tuple(
        (f"{table.id}.{cell.line}", table.id, cell.predicate)
        for table in tables()
        for cell in table.cells
        if cell.kind != "total"
    )


def household_release(block: Dataset) -> Release:
    """Publish all block-level household tables of a block."""
    statistics = tuple(
        Statistic.exact(predicate, block.count(predicate), name, table) for name, table, predicate in leaf_queries()
    )
    return Release(block.domain, statistics)
