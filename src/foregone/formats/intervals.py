"""Intervals files: .csv, .parquet or .json, whichever the name asks for."""

from __future__ import annotations

import json
from pathlib import Path

from foregone.formats.outputs import write_file, write_text
from foregone.formats.text import csv_text
from foregone.model.intervals import Intervals


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
    """An upper limit that is none is left blank."""
    return "" if value is None else str(value).lower() if isinstance(value, bool) else value
