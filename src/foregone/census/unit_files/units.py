"""Ingested units: which blocks there are, how large, and the records of some of them."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from foregone.batch.plan import Ints
from foregone.census.geography import code_of, level_of
from foregone.census.household.kind import HOUSEHOLDS
from foregone.census.kinds import KINDS
from foregone.census.records import RecordKind
from foregone.census.unit_files.ingest import ingest
from foregone.formats.extras import database, need, quoted
from foregone.formats.text import regular_file
from foregone.model.errors import InputError
from foregone.model.shown import shown

if TYPE_CHECKING:
    import duckdb

LEVELS = ("state", "tract", "block")  # of places that records can be asked for


@dataclass(frozen=True, slots=True)
class UnitFile:
    """An open unit file: the view `units` of the database has state, tract, block and `code`, the packed record.

    `names` are the columns in the order of their bits.
    """

    kind: RecordKind
    source: Path
    base: duckdb.DuckDBPyConnection
    names: tuple[str, ...]
    synthetic: bool

    def sizes(self, state: str | None = None) -> tuple[list[str], Ints]:
        """Every block with at least one record, in the order of its code, and how many records it has. Of one state if given."""
        numbers, sizes = self.numbers(state)
        return list(map(code_of, numbers.tolist())), sizes

    def numbers(self, state: str | None = None) -> tuple[Ints, Ints]:
        """As `sizes`, with block codes as numbers: a whole country fits in little memory."""
        only = f"WHERE state = '{quoted(state)}'" if state else ""
        found = self.base.execute(
            f"SELECT CAST(block AS BIGINT) AS block, count(*) AS size FROM units {only} GROUP BY 1 ORDER BY 1"
        ).fetchnumpy()
        return np.asarray(found["block"], dtype=np.int64), np.asarray(found["size"], dtype=np.int64)

    def between(self, first: str, last: str) -> tuple[Ints, Ints]:
        """Block number and packed record of everything from one block to another, in the order of the blocks.

        Ingested files are sorted by block, so that only a small piece of the file is read.
        """
        # written out, because DuckDB loads pandas to look at values that are handed over
        within = f"block BETWEEN '{quoted(first)}' AND '{quoted(last)}'"
        found = self.base.execute(f"SELECT CAST(block AS BIGINT) AS block, code FROM units WHERE {within}").fetchnumpy()
        blocks, codes = np.asarray(found["block"], dtype=np.int64), np.asarray(found["code"], dtype=np.int64)
        order = np.argsort(blocks, kind="stable")
        return blocks[order], codes[order]

    def records(self, blocks: Iterable[str]) -> dict[str, Ints]:
        """The packed records of some blocks, sorted."""
        wanted = sorted(set(blocks))
        self.base.execute("CREATE OR REPLACE TEMP TABLE wanted (block VARCHAR)")
        self.base.execute("INSERT INTO wanted SELECT unnest(?)", [wanted])
        found = self.base.execute("SELECT block, code FROM units SEMI JOIN wanted USING (block) ORDER BY block, code").fetchnumpy()
        places, codes = np.asarray(found["block"], dtype=str), np.asarray(found["code"], dtype=np.int64)
        starts = np.searchsorted(places, wanted, side="left")
        ends = np.searchsorted(places, wanted, side="right")
        return {block: codes[a:b] for block, a, b in zip(wanted, starts, ends, strict=True)}

    def tract_counts(self, tracts: Iterable[str], shape: tuple[int, ...]) -> dict[str, Ints]:
        """The tract tables of some tracts: how many records count in each cell."""
        made = {tract: np.zeros(shape, dtype=np.int64) for tract in tracts}
        found = self.base.execute(
            "SELECT tract, tract_cell, count(*) FROM units WHERE tract IN (SELECT unnest(?)) GROUP BY ALL", [list(made)]
        ).fetchall()
        for tract, cell, number in found:
            made[tract].reshape(-1)[cell] = number
        return made

    def within(self, place: str) -> list[str]:
        """The blocks of a state, tract or block, given by its code of 2, 11 or 15 digits."""
        level = level_of(place)
        if level not in LEVELS:
            raise InputError(
                f"{shown(place)} is not a place; give a block (15 digits: state 2, county 3, tract 6, block 4),"
                " a tract (11 digits) or a state (2)"
            )
        query = f"SELECT DISTINCT block FROM units WHERE {level} = ? ORDER BY block"
        found = [block for (block,) in self.base.execute(query, [place]).fetchall()]
        if not found:
            raise InputError(f"{self.source}: there is no {level} {place} with records in the file; check the code")
        return found


@contextmanager
def open_units(path: Path, variant: str, which: str = "", kind: RecordKind = HOUSEHOLDS) -> Iterator[UnitFile]:
    """Open ingested Parquet, or a raw file that is ingested on the way."""
    need("duckdb")
    import duckdb

    names = kind.domain(variant, which or kind.units).names
    with tempfile.TemporaryDirectory(prefix="foregone.") as scratch, database() as base:
        parquet = path
        if path.suffix != ".parquet":
            parquet = Path(scratch) / "units.parquet"
            ingest(path, parquet, kind=kind)
        synthetic, present = _metadata(kind, base, path, parquet)
        missing = [name for name in names if name not in present]
        if missing:
            raise InputError(
                f"{path}: has no column {', '.join(missing)}, which the variant {variant!r} needs; use another --variant"
            )
        code = kind.packing.pack_sql(kind.file.regrouped.get(name, name) for name in names)
        known = " AND ".join(f"{name} BETWEEN 0 AND {kind.file.greatest[name]}" for name in names)
        only = kind.file.only[which or kind.units]
        cell = "" if kind.tract is None else f", {kind.tract.cell} AS tract_cell"
        try:
            base.execute(
                f"CREATE VIEW units AS SELECT state, tract, block, CASE WHEN {known} THEN {code} ELSE error('an unknown code') END"
                f" AS code{cell} FROM read_parquet('{quoted(str(parquet))}') WHERE {only}"
            )
            yield UnitFile(kind, path, base, names, synthetic)
        except duckdb.Error as error:  # a file that was changed after it was ingested
            if isinstance(error, duckdb.OutOfMemoryException):
                raise
            raise InputError(f"{path}: cannot be read ({str(error).partition(chr(10))[0]}); ingest the unit file again") from None


def _metadata(kind: RecordKind, base: duckdb.DuckDBPyConnection, path: Path, parquet: Path) -> tuple[bool, set[str]]:
    import duckdb

    if path == parquet:
        regular_file(path, "give a unit file (csv, gz or zip) or an ingested .parquet")
    name = quoted(str(parquet))
    try:
        pairs = base.execute(f"SELECT decode(key), decode(value) FROM parquet_kv_metadata('{name}')").fetchall()
        columns = {row[0] for row in base.execute(f"DESCRIBE SELECT * FROM read_parquet('{name}')").fetchall()}
    except duckdb.Error as error:
        raise InputError(f"{path}: not a readable Parquet file ({str(error).splitlines()[0]})") from None
    known = {str(key): str(value) for key, value in pairs}
    mark = known.get("foregone", "").partition(" ")[0]
    other = next((other for other in KINDS.values() if other.file.mark == mark and other is not kind), None)
    if other is not None:
        raise InputError(f"{path}: holds {other.counted}, not {kind.counted}; give another file, or --subject {other.name}")
    if mark != kind.file.mark:
        raise InputError(f"{path}: not made by `foregone census ingest`; ingest the unit file first")
    bad = known.get("bad", "")
    if known.get("synthetic") not in ("yes", "no") or not (bad.isascii() and bad.isdigit() and len(bad) <= 18):
        raise InputError(f"{path}: its metadata were changed; ingest the unit file again")
    return known["synthetic"] == "yes", columns
