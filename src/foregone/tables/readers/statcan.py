"""Tables of Statistics Canada as CSV: a row for each number, with its unit, its scale and a letter where it is not shown."""

from __future__ import annotations

from pathlib import Path

from foregone.formats.text import raise_all
from foregone.model.shown import shown
from foregone.tables.readers.cube import Dimension, Observation, cube
from foregone.tables.table import Grid, Table

HEADINGS = {"REF_DATE", "GEO", "VECTOR", "COORDINATE", "VALUE", "STATUS"}
ABOUT = (
    *("DGUID", "UOM_ID", "SCALAR_FACTOR", "SCALAR_ID", "VECTOR", "COORDINATE", "VALUE"),
    *("STATUS", "SYMBOL", "TERMINATED", "DECIMALS"),
)
HIDDEN = ("x", "F")  # confidential; too unreliable to be published
ABSENT = ("..", "...", "")


def is_statcan(header: list[str]) -> bool:
    """Are these the headings of such a table?"""
    return set(header) >= HEADINGS


def statcan_table(path: Path, grid: Grid, header: list[str]) -> Table:
    """The table: every column that tells whom a number is about is a variable."""
    where = [i for i, name in enumerate(header) if name and name not in ABOUT]
    value, status = header.index("VALUE"), header.index("STATUS")
    observations, problems = [], list[str]()
    units: set[int] = set()
    for row, cells in enumerate(grid.rows[1:], start=2):
        if not any(cells):
            continue
        sign, scale = cells[status], cells[header.index("SCALAR_ID")] if "SCALAR_ID" in header else "0"
        if not cells[value] and sign not in (*HIDDEN, *ABSENT):
            problems.append(f"{grid.place(row, status + 1).text}: {shown(sign)} is no sign of Statistics Canada; correct the file")
        if not scale.isdigit() or int(scale) > 9:
            problems.append(f"{path}, row {row}: SCALAR_ID is {shown(scale)}, expected the power of ten that numbers are given in")
            continue
        units.add(10 ** int(scale))
        codes = tuple(cells[i] for i in where)
        observations.append(Observation(codes, cells[value], grid.place(row, value + 1), not cells[value] and sign in HIDDEN))
    if len(units) > 1:
        problems.append(f"{path}: numbers are given in {', '.join(f'{unit:,}' for unit in sorted(units))}; keep those of one scale")
    raise_all(problems)
    dimensions = [
        Dimension(header[i], tuple(dict.fromkeys(o.codes[k] for o in observations)), measure=header[i] == "UOM")
        for k, i in enumerate(where)
    ]
    return cube(path, "Statistics Canada", dimensions, observations, texts=(path.stem,), unit=units.pop() if units else 1)
