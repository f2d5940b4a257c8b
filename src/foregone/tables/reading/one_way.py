"""Lists in which one column names the variable and the next its value: several one-way tables, one below the other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from foregone.model.alike import folded
from foregone.tables.blocks import SheetBlock
from foregone.tables.reading.numbers import plain
from foregone.tables.words import may_name_variables, names_a_variable, names_variables, says_total

Named = tuple[SheetBlock, Mapping[str, Any]]
"""A table, and what the layout file would have to say about it."""


def one_way_tables(block: SheetBlock, settings: Mapping[str, Any]) -> list[Named]:
    """The tables of such a list, each by one variable; the block itself where it is none."""
    whole: list[Named] = [(block, {})]
    if len(block.labels) != 2 or not block.header or {"labels", "rows", "exclusive", "only"} & set(settings):
        return whole
    first, second = block.labels
    rows: dict[str, list[int]] = {}
    named = ""
    for row in block.body:
        named = block.grid.cell(row, first) or named  # a blank repeats the name above
        rows.setdefault(named, []).append(row)
    variables = [name for name in rows if not says_total(name)]
    values = {name: [folded(block.grid.cell(row, second)) for row in rows[name]] for name in variables}
    heading = block.grid.cell(block.header[-1], first)
    if len(variables) < 2 or any(len(set(some)) < len(some) for some in values.values()):
        return whole
    apart = len({value for some in values.values() for value in some}) == sum(map(len, values.values()))
    known = sum(map(names_a_variable, variables)) > 1
    if not (names_variables(heading) or (apart and may_name_variables(heading) and (known or _same_sums(block, rows, variables)))):
        return whole
    totals = [row for name in rows if name not in variables for row in rows[name]]  # of everybody: they stand with the first
    bodies = [sorted([*rows[name], *(totals if i == 0 else ())]) for i, name in enumerate(variables)]
    return [
        (replace(block, body=tuple(body), labels=(second,)), {"rows": [name]}) for name, body in zip(variables, bodies, strict=True)
    ]


def _same_sums(block: SheetBlock, rows: Mapping[str, list[int]], variables: list[str]) -> bool:
    """Do the rows of every variable add up to the same in each column, as they do when all of them count everybody?"""
    for column in block.numbers:
        cells = [[plain(block.grid.cell(row, column), block.dotted) for row in rows[name]] for name in variables]
        if any(number is None for some in cells for number in some) or len({sum(n or 0 for n in some) for some in cells}) > 1:
            return False
    return True
