"""Rows against columns, with their totals: how people print most tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from foregone.model.domain import Column
from foregone.model.release import Release
from foregone.model.sentences import condition, values_text
from foregone.pages.sentences import listed, title
from foregone.pages.views.sheet import LineView, TableView, cell_view

MOST_ACROSS = 12
DEEPEST = 3
TOTAL = "Total"

Part = frozenset[str] | None
"""What a number asks of one column: some of its codes, or nothing, as a total does."""


def cross_table(release: Release, table: str, members: Sequence[int]) -> TableView | None:
    """The table with its totals, or None where its numbers are no grid: some stand twice, or most places would be blank."""
    asked = [dict(release.statistics[i].predicate.allowed) for i in members]
    named = [column for column in release.domain.columns if any(column.name in parts for parts in asked)]
    columns = [column for column in named if len({parts.get(column.name) for parts in asked}) > 1]
    if len(columns) < len(named) and columns:
        common = [condition(column, asked[0][column.name]) for column in named if column not in columns]
        rest = [{name: codes for name, codes in parts.items() if name in {c.name for c in columns}} for parts in asked]
        drawn = _shaped(release, table, columns, members, rest)
        return drawn and replace(drawn, title=f"{drawn.title or listed([title(c) for c in columns])} ({'; '.join(common)})")
    return _shaped(release, table, named, members, asked)


def _shaped(
    release: Release,
    table: str,
    columns: Sequence[Column],
    members: Sequence[int],
    asked: Sequence[Mapping[str, frozenset[str]]],
) -> TableView | None:
    """The same for numbers that differ in all of these columns; what all of them have in common stands in the title."""
    if len(columns) == 1:
        return _list(release, table, columns[0], members, asked)
    if not any(len(parts) > 1 for parts in asked):
        return None  # totals of different columns, and nothing that would lie where they cross
    for across in _candidates(columns, asked):
        down = [column for column in columns if column is not across]
        grid = _grid(down, across, members, asked)
        if grid is not None:
            return _drawn(release, table, down, across, grid)
    return None


def _candidates(columns: Sequence[Column], asked: Sequence[Mapping[str, frozenset[str]]]) -> Iterator[Column]:
    """Columns whose values may stand side by side: the last one first, then those with the fewest values."""
    *others, last = columns
    values = {column.name: len({parts.get(column.name) for parts in asked}) for column in columns}
    for column in (last, *sorted(others, key=lambda column: values[column.name])):
        if values[column.name] <= MOST_ACROSS:
            yield column


Grid = dict[tuple[Part, ...], dict[Part, int]]
"""For each line and each heading, which number stands there."""


def _grid(
    down: Sequence[Column], across: Column, members: Sequence[int], asked: Sequence[Mapping[str, frozenset[str]]]
) -> Grid | None:
    grid: Grid = {}
    for i, parts in zip(members, asked, strict=True):
        line = grid.setdefault(tuple(parts.get(column.name) for column in down), {})
        if line.setdefault(parts.get(across.name), i) != i:
            return None  # published twice: a list shows both
    headings = {heading for line in grid.values() for heading in line}
    return grid if 2 * len(members) > len(grid) * len(headings) else None


def _drawn(release: Release, table: str, down: Sequence[Column], across: Column, grid: Grid) -> TableView:
    headings = _ordered(across, {heading for line in grid.values() for heading in line})
    places = [{part: k for k, part in enumerate(_ordered(column, {key[j] for key in grid}))} for j, column in enumerate(down)]
    keys = sorted(grid, key=lambda key: [place[part] for place, part in zip(places, key, strict=True)])
    lines = tuple(
        LineView(
            _line_label(down, key),
            tuple(cell_view(release, grid[key].get(heading)) for heading in headings),
            _depth(key[0], places[0]) if len(down) == 1 else 0,
            all(part is None for part in key),
        )
        for key in keys
    )
    names = listed([title(column) for column in down])
    heading = "" if table == ",".join(title(column) for column in (*down, across)) else f"{names}, by {title(across)}"
    return TableView(table, heading, tuple(_label(across, part) for part in headings), lines, down=names)


def _list(
    release: Release,
    table: str,
    column: Column,
    members: Sequence[int],
    asked: Sequence[Mapping[str, frozenset[str]]],
) -> TableView | None:
    """A table about one column: its values, one below the other."""
    grid = {parts.get(column.name): i for i, parts in zip(members, asked, strict=True)}
    if len(grid) < len(members):
        return None
    keys = _ordered(column, grid)
    lines = tuple(
        LineView(_label(column, key), (cell_view(release, grid[key]),), _depth(key, keys), key is None) for key in keys
    )
    return TableView(table, "" if table == title(column) else title(column), (), lines)


def _ordered(column: Column, parts: Iterable[Part]) -> list[Part]:
    """In the order of their first values, a group before what it is made of, and the total last."""

    def order(part: Part) -> tuple[bool, int, int]:
        return part is None, min(map(column.index.__getitem__, part), default=0) if part else 0, -len(part or ())

    return sorted(parts, key=order)


def _depth(part: Part, among: Iterable[Part]) -> int:
    """How many of the groups that are listed a value lies in."""
    return 0 if part is None else min(DEEPEST, sum(other is not None and part < other for other in among))


def _label(column: Column, part: Part) -> str:
    return TOTAL if part is None else values_text(column, part)


def _line_label(columns: Sequence[Column], parts: Sequence[Part]) -> str:
    if all(part is None for part in parts):
        return TOTAL
    return ", ".join(
        _label(column, part) if part is not None else f"all of {title(column)}"
        for column, part in zip(columns, parts, strict=True)
    )
