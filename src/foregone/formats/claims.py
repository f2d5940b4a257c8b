"""Claims and intervals as files: .csv, .parquet or .json, whichever the name asks for."""

from __future__ import annotations

import json
from pathlib import Path

from foregone.formats.extras import parquet_module
from foregone.formats.outputs import write_file, write_text
from foregone.formats.text import csv_text
from foregone.model.claims_table import COLUMNS, Row
from foregone.model.domain import Domain
from foregone.model.errors import InputError
from foregone.model.intervals import Intervals
from foregone.model.shown import shown


def check_suffix(path: Path) -> None:
    """Refuse a name whose ending does not say how to write it, before any work is done."""
    if path.suffix not in (".csv", ".parquet", ".json"):
        raise InputError(f"{path}: the ending {shown(path.suffix)} does not name a format; use .csv, .parquet or .json")
    if path.suffix == ".parquet":
        parquet_module()


def write_claims(path: Path, domain: Domain, rows: list[Row], last: str = "ground") -> None:
    """A column per domain column (blank = not part of the claim, `18-24|25-34` = a group), then count, columns, ground (or
    status), exact and published."""
    titles = [last if name == "ground" else name for name in COLUMNS]
    header = [*domain.names, *titles]
    if path.suffix == ".csv":
        lines: list[list[object]] = [[*("" if v is None else v for v in row.values), *_plain(row)] for row in rows]
        text = csv_text(header, lines)
    elif path.suffix == ".json":
        entries = [
            {
                "where": {n: v for n, v in zip(domain.names, row.values, strict=True) if v is not None},
                **dict(zip(titles, row.rest, strict=True)),
            }
            for row in rows
        ]
        text = json.dumps(entries, ensure_ascii=False, indent=1) + "\n"
    else:
        import pyarrow as pa
        import pyarrow.parquet as parquet

        kinds = [pa.string()] * len(domain.names) + [pa.int64(), pa.int64(), pa.string(), pa.int64(), pa.bool_()]
        flat = list(zip(*([*row.values, *row.rest] for row in rows), strict=True)) or [()] * len(header)
        table = pa.table([pa.array(column, kind) for column, kind in zip(flat, kinds, strict=True)], names=header)
        write_file(path, lambda draft: parquet.write_table(table, draft))
        return
    write_text(path, text)


def _plain(row: Row) -> list[object]:
    """What a CSV file says after the values: true and false in small letters."""
    return [*row.rest[:-1], str(row.published).lower()]


def write_intervals(path: Path, found: Intervals) -> None:
    """One row per cell: name, table, what was published and what it must be, whether that is known and proved, and the truth."""
    if path.suffix == ".csv":
        write_text(path, csv_text(found.header, [[_cell(value) for value in row] for row in found.rows()]))
    elif path.suffix == ".json":
        entries = [dict(zip(found.header, row, strict=True)) for row in found.rows()]
        write_text(path, json.dumps(entries, ensure_ascii=False, indent=1) + "\n")
    else:
        import pyarrow.parquet as parquet

        table = found.to_arrow()
        write_file(path, lambda draft: parquet.write_table(table, draft))


def _cell(value: object) -> object:
    """A value as CSV says it: nothing where there is no limit, true and false in small letters."""
    return "" if value is None else str(value).lower() if isinstance(value, bool) else value
