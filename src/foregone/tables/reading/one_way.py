"""Several tables, one below the other, that count the same people by different variables: a column or a heading names each."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from foregone.model.alike import folded
from foregone.tables.blocks import SheetBlock
from foregone.tables.reading.numbers import plain
from foregone.tables.values import count_and_percent
from foregone.tables.words import bare, may_name_variables, names_a_variable, names_variables, says_total

ENOUGH = 20  # records that several tables count alike hardly ever by accident
ROWS = re.compile(r" rows(?: [0-9]+)?$")  # how labels without a heading are called
Named = tuple[SheetBlock, Mapping[str, Any]]
"""A table, and what the layout file would have to say about it."""


def one_way_tables(block: SheetBlock, settings: Mapping[str, Any]) -> list[Named]:
    """The tables of such a list, each by one variable; the block itself where it is none."""
    whole: list[Named] = [(block, {})]
    said = bool({"labels", "rows"} & set(settings)) or _of_whole(block, settings)
    if len(block.labels) == 1 and not said and "sections" not in settings:
        return _under_headings(block) or whole
    if len(block.labels) != 2 or said:
        return whole
    if not block.header:
        return _without_headings(block) or whole
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
    totals = [row for name in rows if name not in variables for row in rows[name]]
    return _by_variable(block, {name: rows[name] for name in variables}, totals)


def _of_whole(block: SheetBlock, settings: Mapping[str, Any]) -> bool:
    """Does the layout file say something about the columns of labels as they are? Tables cut out of them have other variables."""
    named = {name for key in ("exclusive", "only") for name in settings.get(key, ())}
    heads = {block.grid.cell(row, c) for row in block.header for c in block.labels}
    return any(name in heads or ROWS.search(name) for name in named)


def _by_variable(block: SheetBlock, rows: Mapping[str, list[int]], totals: list[int], everywhere: bool = False) -> list[Named]:
    """A table for each variable. Rows of everybody stand with the first, or `everywhere`, and with those that count less than
    everybody: whoever is missing there has a value that is not shown.
    """
    found: list[Named] = []
    for i, (name, some) in enumerate(rows.items()):
        less = len(totals) == 1 and not _complete(block, some, totals[0])
        own: dict[str, Any] = {"rows": [name]}
        if i == 0 or less or everywhere:
            some, own = sorted([*some, *totals]), {**own, "outside": tuple(totals)}
        found.append((replace(block, body=tuple(some), labels=block.labels[-1:]), {**own, **({"open": [name]} if less else {})}))
    return found


def _complete(block: SheetBlock, rows: list[int], total: int) -> bool:
    """Do rows count everybody, in a column where all of them are shown? Where there is none, a single value is not all of them."""
    for column in range(max(block.labels) + 1, block.grid.width + 1):
        number, *numbers = (_number(block, row, column) for row in (total, *rows))
        if number is not None and None not in numbers:
            return sum(n or 0 for n in numbers) >= number
    return len(rows) > 1


def _without_headings(block: SheetBlock) -> list[Named]:
    """The tables of a list whose first column names the variable and that has no headings: some of them count everybody.

    A line with 100 % is of everybody.
    """
    if len(block.numbers) > 1:
        return []  # which of them to take is asked first
    first, second = block.labels
    rows: dict[str, list[int]] = {}
    for row in block.body:
        rows.setdefault(block.grid.cell(row, first), []).append(row)
    (everybody,) = (name for name, some in rows.items() if not block.grid.cell(some[0], second))
    return _by_variable(block, rows, rows.pop(everybody), everywhere=True)


def _same_sums(block: SheetBlock, rows: Mapping[str, list[int]], variables: list[str]) -> bool:
    """Do the rows of every variable add up to the same in each column, as they do when all of them count everybody?"""
    for column in block.numbers:
        cells = [[plain(block.grid.cell(row, column), block.dotted) for row in rows[name]] for name in variables]
        if any(number is None for some in cells for number in some) or len({sum(n or 0 for n in some) for some in cells}) > 1:
            return False
    return True


def _under_headings(block: SheetBlock) -> list[Named]:
    """The tables below headings that name a variable each, where all of them add up to the same; nothing where they do not."""
    column = block.labels[0]
    heads = [row for row in block.body if all(not block.grid.cell(row, c) for c in block.numbers) and block.grid.cell(row, column)]
    if len(heads) < 2 or heads[0] != block.body[0]:
        return []
    rows = {row: [r for r in block.body if row < r and not any(row < other <= r for other in heads)] for row in heads}
    labels = [folded(block.grid.cell(r, column)) for some in rows.values() for r in some if not _is_total(block, r)]
    if not all(rows.values()) or len(set(labels)) < len(labels) or len(labels) < 2 * len(heads):
        return []
    seen = 0
    for c in block.numbers:
        sums = [_everybody(block, some, c) for some in rows.values()]
        if None in sums:
            continue
        if len(set(sums)) > 1:
            return []
        seen += (sums[0] or 0) >= ENOUGH
    if not seen:
        return []
    names = [bare(block.grid.cell(row, column)) or block.grid.cell(row, column) for row in heads]
    return [(replace(block, body=tuple(some)), {"rows": [name]}) for name, some in zip(names, rows.values(), strict=True)]


def _is_total(block: SheetBlock, row: int) -> bool:
    return says_total(block.grid.cell(row, block.labels[0]))


def _everybody(block: SheetBlock, rows: list[int], column: int) -> int | None:
    """The total among rows, or what they add up to; None where a number is not shown."""

    totals = [row for row in rows if _is_total(block, row)]
    numbers = [_number(block, row, column) for row in totals[:1] or rows]
    return None if None in numbers else sum(n or 0 for n in numbers)


def _number(block: SheetBlock, row: int, column: int) -> int | None:
    """The count in a cell, which may stand beside its percentage."""
    text = block.grid.cell(row, column)
    both = count_and_percent(text)
    return plain(both[0] if both else text, block.dotted)
