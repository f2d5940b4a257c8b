"""One table of readers. A reader returns sheets of cells, or tables where the format says what every number is about."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from foregone.model.errors import InputError
from foregone.model.shown import shown
from foregone.tables.readers.argus import read_argus
from foregone.tables.readers.calamine import read_calamine
from foregone.tables.readers.csv_file import read_csv, read_csv_or_sdmx
from foregone.tables.readers.eurostat import read_tabs
from foregone.tables.readers.jsonstat import read_jsonstat
from foregone.tables.readers.pcaxis import read_pcaxis
from foregone.tables.readers.xlsx import read_xlsx
from foregone.tables.table import Grid, Table, check_bytes

Reader = Callable[[Path], list[Grid | Table]]

READERS: dict[str, tuple[str, Reader]] = {
    ".csv": ("CSV: cross-tabs, lists and SDMX-CSV", read_csv_or_sdmx),
    ".tsv": ("text with tabs", read_tabs),
    ".txt": ("text with separators", read_csv),
    ".xlsx": ("Excel workbooks", read_xlsx),
    ".xlsm": ("Excel workbooks", read_xlsx),
    ".xls": ("old Excel workbooks", read_calamine),
    ".ods": ("OpenDocument spreadsheets", read_calamine),
    ".px": ("PC-Axis", read_pcaxis),
    ".json": ("JSON-stat 2, and lists of rows as the census API sends them", read_jsonstat),
    ".jsonstat": ("JSON-stat 2", read_jsonstat),
    ".tab": ("tau-Argus, with its .rda and .hrc beside it", read_argus),
}
INSTEAD = {
    ".rda": "the .tab file beside it",
    ".hrc": "the .tab file",
    ".vs": "the .px file, with it in the same folder",
    ".agg": "the .px file, with it in the same folder",
    ".pdf": ".xlsx or .csv",
}


def read_file(path: Path) -> list[Grid | Table]:
    """What a file holds, by the reader for its kind."""
    check_bytes(path)
    suffix = path.suffix.lower()
    if suffix not in READERS:
        remedy = f"give {INSTEAD[suffix]} instead" if suffix in INSTEAD else f"give one of {', '.join(READERS)}"
        raise InputError(f"{path}: files that end in {shown(path.suffix)} are not read; {remedy}")
    return READERS[suffix][1](path)
