"""Eurostat's text files: variables and their codes before the first tab, then a number with its flag for each time."""

from __future__ import annotations

import re
from pathlib import Path

from foregone.model.errors import InputError
from foregone.model.shown import shown
from foregone.tables.readers.csv_file import csv_grid
from foregone.tables.readers.cube import Dimension, Observation, cube
from foregone.tables.table import Grid, Table

NAMES = re.compile(r"([\w ]+(?:,[\w ]+)*)\\(\w+)")  # freq,sex,age,geo\TIME_PERIOD
CELL = re.compile(r"([0-9]+(?:\.[0-9]+)?|:)?\s*([a-z]{0,4})")
SECRET = "c"  # the flag of what is confidential
UNITS = {
    **{"PC": "percent", "PC_POP": "percent of the population", "RT": "rate", "P_HTHAB": "rate per 100 000 inhabitants"},
    **{"NR": "number", "PER": "persons", "THS": "thousands", "THS_PER": "thousands", "MIO": "in millions"},
    **{"EUR": "euro", "MIO_EUR": "million euro"},
}


def read_tabs(path: Path) -> list[Grid | Table]:
    """Text with tabs: a sheet of cells, or a table where its first heading is of Eurostat's kind."""
    grid = csv_grid(path, "\t")
    found = NAMES.fullmatch(grid.rows[0][0]) if grid.rows and grid.rows[0] else None
    return [grid] if found is None else [_table(path, grid, [*found[1].split(","), found[2]])]


def _table(path: Path, grid: Grid, names: list[str]) -> Table:
    times = [text for text in grid.rows[0][1:] if text]
    codes: list[dict[str, None]] = [{} for _ in names[:-1]]
    observations, problems = [], list[str]()
    for row, (first, *cells) in enumerate(grid.rows[1:], start=2):
        said = first.split(",")
        if not first or len(said) != len(codes):
            problems += [f"{path}, row {row}: {shown(first)} has not {len(codes)} values; download the file again"] if first else []
            continue
        for known, code in zip(codes, said, strict=True):
            known[code] = None
        for column, (time, text) in enumerate(zip(times, cells, strict=False), start=2):
            read = CELL.fullmatch(text)
            if read is None:
                problems.append(f"{grid.place(row, column).text}: {shown(text)} is neither a number nor a colon; correct the file")
                continue
            number, secret = (read[1] or "").strip(":"), SECRET in read[2] and not (read[1] or "").strip(":")
            observations.append(Observation((*said, time), number, grid.place(row, column), secret))
    if problems:
        raise InputError(problems)
    dimensions = [Dimension(name, tuple(known), _words(name, known)) for name, known in zip(names[:-1], codes, strict=True)]
    return cube(path, "Eurostat", [*dimensions, Dimension(names[-1], tuple(times))], observations, texts=(path.stem,))


def _words(name: str, codes: dict[str, None]) -> tuple[str, ...]:
    """What units are called; other codes stand for themselves."""
    return tuple(UNITS.get(code, code) for code in codes) if name.lower() == "unit" else ()
