"""Claims files: .csv, .parquet or .json, whichever the name asks for."""

from __future__ import annotations

import json
from pathlib import Path

from foregone.formats.outputs import write_file, write_text
from foregone.formats.text import csv_text
from foregone.model.claims_table import Row
from foregone.model.domain import Domain
from foregone.model.errors import InputError
from foregone.model.shown import shown


def check_suffix(path: Path) -> None:
    """Refuse a name whose ending does not say how to write it, before any work is done."""
    if path.suffix not in (".csv", ".parquet", ".json"):
        raise InputError(f"{path}: the ending {shown(path.suffix)} does not name a format; use .csv, .parquet or .json")
    if path.suffix == ".parquet":
        from foregone.formats.single import parquet_module

        parquet_module()


def write_claims(path: Path, domain: Domain, rows: list[Row], last: str = "ground") -> None:
    """A column per domain column (blank = not part of the claim), then count, columns and ground (or status)."""
    header = [*domain.names, "count", "columns", last]
    if path.suffix == ".csv":
        lines: list[list[object]] = [[*("" if v is None else v for v in values), *rest] for values, *rest in rows]
        text = csv_text(header, lines)
    elif path.suffix == ".json":
        entries = [
            {
                "where": {n: v for n, v in zip(domain.names, values, strict=True) if v is not None},
                "count": count,
                "columns": columns,
                last: ground,
            }
            for values, count, columns, ground in rows
        ]
        text = json.dumps(entries, ensure_ascii=False, indent=1) + "\n"
    else:
        import pyarrow as pa
        import pyarrow.parquet as parquet

        kinds = [pa.string()] * len(domain.names) + [pa.int64(), pa.int64(), pa.string()]
        flat = list(zip(*([*row[0], *row[1:]] for row in rows), strict=True)) or [()] * len(header)
        table = pa.table([pa.array(column, kind) for column, kind in zip(flat, kinds, strict=True)], names=header)
        write_file(path, lambda draft: parquet.write_table(table, draft))
        return
    write_text(path, text)
