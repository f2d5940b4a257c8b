"""A part of a sheet that would be a table, where the whole is none: a row of different headings above columns of numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from foregone.tables.block_columns import SAYS_SO
from foregone.tables.table import Grid, letters, rows_text
from foregone.tables.values import CellKind, value_of
from foregone.tables.words import says_other

FEW = 2  # rows or columns


def describe(grid: Grid, rows: Sequence[int], left: int, right: int, dotted: bool) -> Mapping[str, Any]:
    """Keys of a layout file for the first table that can be cut out of some rows; nothing where none can.

    Numbers stand below the row that has most headings, up to the first column whose heading is blank or has occurred before. Where
    some of them are whole these are taken, as what is beside them was worked out, and none that is the same in every row.
    """
    columns = range(left + 1, right + 1)
    kinds = {row: [value_of(grid.cell(row, c), dotted).kind for c in columns] for row in rows}
    most = max((sum(1 for kind in some if kind in SAYS_SO) for some in kinds.values()), default=0)
    body = [row for row, some in kinds.items() if sum(1 for kind in some if kind in SAYS_SO) > most / 2 and grid.cell(row, left)]
    above = [row for row in rows if body and row < body[0]]
    if len(body) < FEW or not above:
        return {}
    values = {c: [value_of(grid.cell(row, c), dotted) for row in body] for c in columns}
    numbers = [c for c, some in values.items() if sum(1 for value in some if value.kind in SAYS_SO) > len(body) / 2]
    header = max(above, key=lambda row: (sum(1 for c in numbers if grid.cell(row, c)), row))
    taken: dict[str, int] = {}
    for column in numbers:
        text = grid.cell(header, column)
        if not text or text in taken:
            break
        taken[text] = column
    counted = [c for text, c in taken.items() if not says_other(text) and len({value.text for value in values[c]}) > 1]
    whole = [c for c in counted if all(value.kind != CellKind.DECIMAL for value in values[c])]
    used, labels = whole or counted, list(range(left, min(numbers, default=left)))
    if not used or not labels:
        return {}
    told = [c for c in labels[:1] if len({grid.cell(row, c) for row in body}) == len(body)] or labels
    together = [row for row in body if row - body[0] == body.index(row)]  # down to the first row that is none of them
    return {
        "header": str(header),
        "body": rows_text(tuple(together)),
        "labels": [letters(c) for c in told],
        "numbers": [letters(c) for c in used],
    }
