"""Which columns of a block hold numbers and which hold labels, and what stands above a column."""

from __future__ import annotations

import re
from collections.abc import Collection

from foregone.tables.grid import Grid
from foregone.tables.values import Kind, value_of

SAYS_SO = (Kind.NUMBER, Kind.DECIMAL, Kind.PERCENT)
VALUES = (*SAYS_SO, Kind.RANGE, Kind.TOKEN)


def rising(labels: list[str], repeated: bool = False) -> bool:
    """Plain numbers that rise, as years, ages and sizes of households do in a header."""
    numbers = [int(label) for label in labels if label.isascii() and label.isdigit()]
    if len(numbers) < len(labels):
        return False
    if repeated:
        return len(set(numbers)) < len(numbers) or all(1900 <= number <= 2100 for number in numbers)
    return numbers == sorted(set(numbers)) and (all(1900 <= n <= 2100 for n in numbers) or numbers[0] in (0, 1))


def is_numeric(grid: Grid, body: tuple[int, ...], column: int, tokens: Collection[str], dotted: bool) -> bool:
    """Is a column one of numbers? Most of its cells say so; a word among numbers is a token, known or not."""
    cells = [value_of(grid.cell(r, column), dotted) for r in body]
    filled = [cell for cell in cells if cell.kind != Kind.BLANK]
    said = [cell for cell in filled if cell.kind in SAYS_SO]
    valued = [cell for cell in filled if cell.kind in VALUES or cell.text in tokens or (said and cell.kind == Kind.MARKED)]
    if filled and all(cell.kind == Kind.MARKED and not cell.text[-1].isalpha() for cell in filled):  # 1a and 1b are codes
        return True
    if not filled or len(valued) < len(filled) / 2:
        return False
    if said:
        return True
    return len(valued) == len(filled) and all(cell.kind == Kind.TOKEN or cell.text.startswith("<") for cell in filled)


def without_labels(grid: Grid, body: tuple[int, ...], numbers: list[int], right: int, dotted: bool) -> list[int]:
    """A column of numbers that is followed by a column of words only is a label too, if it stands left of every other one."""
    if not numbers:
        return numbers
    words = [
        c
        for c in range(min(numbers) + 1, right + 1)
        if c not in numbers and any(value_of(grid.cell(r, c), dotted).kind not in (Kind.BLANK,) for r in body)
    ]
    later = [c for c in numbers if not words or c > max(words)]
    return later if later and words and _distinct(grid, body, list(range(1, min(later)))) else numbers


def without_row_numbers(grid: Grid, header: tuple[int, ...], body: tuple[int, ...], labels: tuple[int, ...]) -> tuple[int, ...]:
    return labels[1:] if len(labels) > 1 and is_row_numbers(grid, header, body, labels[0]) else labels


def is_row_numbers(grid: Grid, header: tuple[int, ...], body: tuple[int, ...], column: int) -> bool:
    """R numbers the rows of a data frame in a first column without a heading."""
    numbered = [grid.cell(r, column) for r in body] == [str(i) for i in range(1, len(body) + 1)]
    return numbered and not any(grid.cell(r, column) for r in header)


def _distinct(grid: Grid, body: tuple[int, ...], columns: list[int]) -> bool:
    rows = [tuple(grid.cell(r, c) for c in columns) for r in body]
    return len(set(rows)) == len(rows)


def headings(grid: Grid, header: tuple[int, ...], column: int, left: int) -> tuple[str, ...]:
    return tuple(heading(grid, header, level, column, left) for level in range(len(header)))


def heading(grid: Grid, header: tuple[int, ...], level: int, column: int, left: int) -> str:
    """The heading of a column at one level; above the last level it may stand over an earlier column and reach this one."""
    row = header[level]
    text = grid.cell(row, column)
    if text or level == len(header) - 1 or (row, column) in grid.merged:
        return text
    if not any(grid.cell(below, column) for below in header[level + 1 :]):
        return ""
    for earlier in range(column - 1, left, -1):
        if grid.cell(row, earlier):
            return grid.cell(row, earlier)
    return ""


def is_dotted(grid: Grid, rows: list[int], left: int, right: int) -> bool:
    """Points between thousands: every cell with a point has three digits behind each, and the cells are not separated by commas."""
    if "semicolons" not in grid.note:
        return False
    pointed = [
        grid.cell(r, c) for r in rows for c in range(left + 1, right + 1) if re.fullmatch(r"[0-9.]*\.[0-9]+", grid.cell(r, c))
    ]
    return bool(pointed) and all(re.fullmatch(r"[0-9]{1,3}(\.[0-9]{3})+", text) for text in pointed)
