"""Signs before labels, such as dots and dashes, that say how far a row is moved to the right."""

from __future__ import annotations

import re
from dataclasses import replace

from foregone.tables.block_columns import VALUES
from foregone.tables.table import Grid
from foregone.tables.values import CellKind, value_of

INDENTED = re.compile(r"((?:[.·•‧∙‣◦>›»‐‑‒–—―−-]\s*)+)(?=\w)(.+)")


def unmarked(grid: Grid) -> Grid:
    """The sheet with such marks read as indentation, where a label without them stands above; elsewhere they stay.

    Only labels of rows with numbers are looked at: a footnote such as "- not available" keeps its dash.
    """
    first: dict[int, bool] = {}  # for each column, has a label without marks been seen?
    changed: dict[tuple[int, int], tuple[str, int]] = {}
    for row in range(1, len(grid.rows) + 1):
        filled = grid.filled(row)
        if not any(value_of(grid.cell(row, c)).kind in VALUES for c in filled[1:]):
            continue
        text = grid.cell(row, filled[0])
        found = INDENTED.fullmatch(text)
        if found is None or _is_number(found[1], found[2]):
            first[filled[0]] = True
        elif first.get(filled[0]):
            changed[row, filled[0]] = found[2], len(found[1].replace(" ", "").replace("\u00a0", ""))
    if not changed:
        return grid
    rows = [list(row) for row in grid.rows]
    indents = dict(grid.indents)
    for (row, column), (text, depth) in changed.items():
        rows[row - 1][column - 1] = text
        indents[row, column] = indents.get((row, column), 0) + depth
    signs = "signs before labels are read as indentation"
    return replace(grid, rows=tuple(map(tuple, rows)), indents=indents, note=f"{grid.note}, {signs}" if grid.note else signs)


def _is_number(marks: str, rest: str) -> bool:
    """Is this -5 or .5, and not a label? Two signs and more are never the sign of a number."""
    return len(marks.strip()) == 1 and value_of(rest).kind in (CellKind.NUMBER, CellKind.DECIMAL, CellKind.PERCENT)
