"""SDMX-CSV: a row per observation, dimensions before OBS_VALUE, attributes such as CONF_STATUS after it."""

from __future__ import annotations

from pathlib import Path

from foregone.formats.text import raise_all
from foregone.model.shown import shown
from foregone.tables.grid import Grid
from foregone.tables.readers.csv_file import csv_grid
from foregone.tables.readers.cube import Dimension, Observation, cube
from foregone.tables.table import Table

VALUE = "OBS_VALUE"
ABOUT = ("STRUCTURE", "STRUCTURE_ID", "STRUCTURE_NAME", "DATAFLOW", "ACTION")
ATTRIBUTES = ("OBS_STATUS", "CONF_STATUS", "OBS_CONF", "UNIT_MULT", "DECIMALS", "UNIT_MEASURE", "OBS_FLAG", "COMMENT_OBS")
FREE = ("F", "R", "")
TOTALS = ("_T", "TOTAL")


def read_csv_or_sdmx(path: Path) -> list[Grid | Table]:
    """A CSV file; if its header says that it is SDMX-CSV, a table, otherwise a sheet of cells."""
    grid = csv_grid(path)
    header = [name.partition(":")[0].strip() for name in grid.rows[0]] if grid.rows else []
    return [_table(path, grid, header)] if VALUE in header and (header[0] in ABOUT) else [grid]


def _table(path: Path, grid: Grid, header: list[str]) -> Table:
    at = header.index(VALUE)
    where = [i for i, name in enumerate(header[:at]) if name not in ABOUT and name not in ATTRIBUTES and name]
    where += [i for i, name in enumerate(header) if i > at and name == "TIME_PERIOD"]
    titles = [grid.rows[0][i].partition(":")[2].strip() for i in where]
    status = {name: header.index(name) for name in ATTRIBUTES if name in header}
    words: list[dict[str, str]] = [{} for _ in where]
    observations, problems = [], []
    for row, cells in enumerate(grid.rows[1:], start=2):
        if not any(cells):
            continue
        codes = []
        for k, i in enumerate(where):
            code, _, word = cells[i].partition(": ")
            words[k][code] = word
            codes.append(code)
        multiplied = cells[status["UNIT_MULT"]] if "UNIT_MULT" in status else ""
        if multiplied not in ("", "0"):
            place = grid.place(row, status["UNIT_MULT"] + 1).text
            problems.append(
                f"{place}: {shown(multiplied)} was found: numbers in tens or thousands are not counts; give them in units"
            )
        secret = any(cells[status[name]].partition(":")[0] not in FREE for name in ("CONF_STATUS", "OBS_CONF") if name in status)
        text = "" if secret else cells[at]
        missing = "OBS_STATUS" in status and cells[status["OBS_STATUS"]].partition(":")[0] in ("Q",)  # suppressed
        observations.append(Observation(tuple(codes), text, grid.place(row, at + 1), secret or (missing and not text)))
    raise_all(problems)
    dimensions = []
    for k, i in enumerate(where):
        known = tuple(words[k])
        labels = tuple(words[k].values()) if any(words[k].values()) else ()
        totals = tuple(code for code in known if code in TOTALS)
        dimensions.append(Dimension(header[i], known, labels, titles[k], totals))
    return cube(path, "SDMX-CSV", dimensions, observations)
