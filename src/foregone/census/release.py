"""A block, a tract or several of them as a release folder, to try other tools on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from foregone.batch.plan import Ints
from foregone.census.geography import level_of
from foregone.census.kinds import KINDS, publisher
from foregone.census.records import Publisher, RecordKind
from foregone.census.unit_files.units import UnitFile, open_units
from foregone.formats.folder import check_release_output, write_release
from foregone.formats.outputs import check_outputs
from foregone.formats.table import write_table
from foregone.model.dataset import Dataset
from foregone.model.domain import Domain
from foregone.model.errors import InputError
from foregone.model.predicate import Predicate
from foregone.model.release import Release
from foregone.model.shown import shown
from foregone.model.statement import Statistic

AT_ONCE = 500  # blocks tabulated together
BLOCK = "BLOCK"  # the column for the block


@dataclass(frozen=True, slots=True)
class Extracted:
    """What was written."""

    statistics: int
    records: int
    blocks: int
    noun: str
    synthetic: bool


def write_place(
    path: Path, places: list[str], out: Path, truth: bool, edit: bool, variant: str, which: str, subject: str
) -> Extracted:
    """Publish the tables of all records in the places as one release."""
    check_release_output(out, [path], truth)
    with open_units(path, variant, which, KINDS[subject]) as units:
        records = units.records(_within(units, places))
    codes, tables = np.concatenate(list(records.values())), publisher(subject, variant, which, edit)
    release = tables.release(codes)
    write_release(release, out, tables.dataset(codes) if truth else None)
    return _marked(units, out, len(release.statistics), len(codes), len(records), which)


def write_by_block(path: Path, tract: str, out: Path, truth: bool, variant: str, which: str, subject: str) -> Extracted:
    """Publish a tract as one release with a column for the block: the tables of every block, and the tract's as sums over them."""
    kind = KINDS[subject]
    check_release_output(out, [path], truth)
    if kind.tract is None:
        raise InputError(f"--by-block: there are no tract tables for a {kind.name}; leave it out")
    if level_of(tract) != "tract":
        raise InputError(f"{shown(tract)}: --by-block publishes one tract; give its 11 digits")
    with open_units(path, variant, which, kind) as units:
        records = units.records(units.within(tract))
    tables = publisher(subject, variant, which)
    release = by_block(kind, tables, records)
    truths = [(block, *record) for block, here in records.items() for record in tables.dataset(here).records]
    write_release(release, out, Dataset.of(release.domain, truths) if truth else None)
    return _marked(units, out, len(release.statistics), len(truths), len(records), which)


def write_each(path: Path, places: list[str], out: Path, edit: bool, variant: str, which: str, subject: str) -> Extracted:
    """Publish the tables of each block in the places on its own: a table of releases, a row per block."""
    check_outputs([path], folders={"--out": out})
    tables = publisher(subject, variant, which, edit)
    records: list[int] = []
    with open_units(path, variant, which, KINDS[subject]) as units:
        blocks = _within(units, places)
        write_table(out, tables.workload, _rows(units, blocks, tables, records))
    return _marked(units, out, len(tables.queries), sum(records), len(blocks), which)


def by_block(kind: RecordKind, tables: Publisher, records: Mapping[str, Ints]) -> Release:
    """A tract as one release with a column for the block.

    `records` are the packed records of every block of a tract; they are only used to make its tables.
    """
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


def _within(units: UnitFile, places: Iterable[str]) -> list[str]:
    return sorted({block for place in places for block in units.within(place)})


def _rows(units: UnitFile, blocks: list[str], tables: Publisher, records: list[int]) -> Iterator[tuple[str, list[int]]]:
    for first in range(0, len(blocks), AT_ONCE):
        found = units.records(blocks[first : first + AT_ONCE])
        sizes = [len(codes) for codes in found.values()]
        records += sizes
        counts = tables.counts_of_each(np.concatenate(list(found.values())), np.cumsum([0, *sizes[:-1]]))
        yield from zip(found, counts.tolist(), strict=True)


def _marked(units: UnitFile, out: Path, statistics: int, records: int, blocks: int, which: str) -> Extracted:
    """A folder made from a generated file says so."""
    if units.synthetic and out.is_dir():
        (out / "SYNTHETIC.txt").write_text("Synthetic: made from a generated file. Nobody in it is real.\n", "utf-8")
    return Extracted(statistics, records, blocks, units.kind.records[which], units.synthetic)
