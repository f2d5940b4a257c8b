"""What the columns of a block of cells are: numbers, labels, codes, times or row numbers; and the headings above them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from foregone.model.alike import folded
from foregone.tables.spans import are_moments, says_time, span_of
from foregone.tables.table import Grid
from foregone.tables.values import CellKind, Value, count_and_percent, value_of
from foregone.tables.words import says_code, says_count, says_hidden, words_in

SAYS_SO = (CellKind.NUMBER, CellKind.DECIMAL, CellKind.PERCENT)
VALUES = (*SAYS_SO, CellKind.RANGE, CellKind.TOKEN)
LAST_WEEK = 53  # of a year; there are fewer months, quarters, days of a week and hours of a day


@dataclass(frozen=True, slots=True)
class Tokens:
    """Texts that stand for numbers: those that some rule knows, and those that the user explained."""

    known: frozenset[str] = frozenset()
    given: frozenset[str] = frozenset()


def rising(labels: list[str], repeated: bool = False) -> bool:
    """Plain numbers that rise, as years, ages and sizes of households do in a header."""
    numbers = [int(label) for label in labels if label.isascii() and label.isdigit()]
    if len(numbers) < len(labels):
        return False
    if repeated:
        return len(set(numbers)) < len(numbers) or all(1900 <= number <= 2100 for number in numbers)
    return numbers == sorted(set(numbers)) and (all(1900 <= n <= 2100 for n in numbers) or numbers[0] in (0, 1))


def is_numeric(grid: Grid, body: tuple[int, ...], column: int, tokens: Tokens, dotted: bool) -> bool:
    """Is a column one of numbers? Most of its cells say so; a word among numbers is a token, known or not."""
    given = tokens.given
    cells = [value_of(grid.cell(r, column), dotted) for r in body]
    filled = [cell for cell in cells if cell.kind != CellKind.BLANK]
    said = [cell for cell in filled if cell.kind in SAYS_SO]
    marked = (CellKind.MARKED,) if said else ()
    hiding = {cell.text for cell in filled if says_hidden(cell.text)} if said else set()
    explained = tokens.known | given | (hiding if len(hiding) < 3 else set())
    valued = [cell for cell in filled if cell.kind in (*VALUES, *marked) or cell.text in explained]
    if filled and all(cell.kind == CellKind.MARKED and not cell.text[-1].isalpha() for cell in filled):  # 1a and 1b are codes
        return True
    pairs = [cell for cell in filled if cell.kind == CellKind.TEXT and count_and_percent(cell.text) is not None]
    if pairs and len(pairs) + len(valued) >= len(filled) / 2:
        return True
    if not filled or len(valued) < len(filled) / 2 or _are_levels(filled, tokens):
        return False
    if said:
        return True
    if len(valued) < len(filled):
        return False
    if all(cell.kind == CellKind.TOKEN or cell.text.startswith("<") for cell in filled):
        return True
    # a column that shows nothing but one or two words for hidden numbers, beside columns of numbers
    hidden = {cell.text for cell in filled}
    return len(hidden) <= 2 and column > 1 and all(text in given or says_hidden(text) for text in hidden)


def _are_levels(filled: list[Value], tokens: Tokens) -> bool:
    """Levels of several variables below each other, such as 18-39, 40+, F, M, 1, 2: more spans than numbers, and words."""
    kinds = [cell.kind for cell in filled]
    words = {cell.text for cell in filled if cell.kind == CellKind.TEXT and cell.text not in tokens.known}
    spans = [cell for cell in filled if cell.kind == CellKind.RANGE and not cell.text.startswith(("<", ">"))]
    return len({word for word in words if not says_hidden(word)}) > 1 and len(spans) > kinds.count(CellKind.NUMBER)


def without_labels(
    grid: Grid, header: tuple[int, ...], body: tuple[int, ...], numbers: list[int], right: int, dotted: bool
) -> list[int]:
    """A column of numbers that is followed by a column of words only is a label too, if it stands left of every other one."""
    if not numbers:
        return numbers
    words = [
        c
        for c in range(min(numbers) + 1, right + 1)
        if c not in numbers and any(value_of(grid.cell(r, c), dotted).kind not in (CellKind.BLANK,) for r in body)
    ]
    timed = [c for c in numbers if is_time_column(grid, header, body, c)]
    if timed and len(timed) < len(numbers):
        return [c for c in numbers if c not in timed and (c > min(timed) or not looks_coded(grid, header, body, c))]
    later = [c for c in numbers if not words or c > max(words)]
    if not later or not words or not _distinct(grid, body, list(range(1, min(later)))):
        return numbers
    return [c for c in numbers if c in later or not looks_coded(grid, header, body, c)]


def counts_first(grid: Grid, header: tuple[int, ...], body: tuple[int, ...], left: int, right: int, dotted: bool) -> bool:
    """Is the first column one of counts by its heading and cells, with words that name each row right of it?"""
    heads = [text for row in header if (text := grid.cell(row, left))]
    if not heads or says_code(heads[-1]) or not (says_count(heads[-1]) or words_in("events", heads[-1])):
        return False
    counted = all(value_of(grid.cell(row, left), dotted).kind == CellKind.NUMBER for row in body)
    return counted and any(all(_is_word(grid.cell(row, c)) for row in body) for c in range(left + 1, right + 1))


def labels_beside(
    grid: Grid, header: tuple[int, ...], body: tuple[int, ...], names: tuple[int, ...], numbers: list[int], right: int
) -> tuple[int, ...]:
    """Columns right of the first number that name rows, too: without them rows of a list have the same labels, with them none.

    Columns of words are tried first, then numbers that are repeated, such as those of doses.
    """
    if names and any(not grid.cell(row, names[0]) for row in body):
        return ()
    names = tuple(c for c in names if not is_row_numbers(grid, header, body, c))  # they tell rows apart and say nothing
    if names and _distinct(grid, body, list(names)):
        return ()
    inside = [c for c in range(min(numbers), right + 1) if c not in names and any(grid.cell(row, c) for row in header)]
    full = [c for c in inside if all(grid.cell(row, c) for row in body)]
    words = [c for c in full if c not in numbers and all(map(_is_word, {grid.cell(row, c) for row in body}))]
    coded = [c for c in full if c in numbers and looks_coded(grid, header, body, c)]
    for tried in (words, [*coded, *words]):
        if tried and len([c for c in numbers if c not in tried]) > 0 and _distinct(grid, body, [*names, *tried]):
            return tuple(sorted(tried))
    return ()


def _is_word(text: str) -> bool:
    worded = value_of(text).kind == CellKind.TEXT and any(map(str.isalpha, text))  # a margin of error such as ±12 is none
    return worded or (span_of(text) is not None and not text.isdigit())


def is_time_column(grid: Grid, header: tuple[int, ...], body: tuple[int, ...], column: int) -> bool:
    """Years and dates under a heading that says so, or weeks and days: they name rows, and count nothing."""
    heads = [text for row in header if (text := grid.cell(row, column))]
    cells = [text for row in body if (text := grid.cell(row, column))]
    if not heads or not cells or not says_time(heads[-1]):
        return False
    small = all(cell.isascii() and cell.isdigit() and int(cell) <= LAST_WEEK for cell in cells)
    small = small and not words_in("events", heads[-1])  # few new cases by publish date are no weeks
    return (small and folded(heads[-1]) not in ("day", "season")) or are_moments(heads[-1], cells)


def looks_coded(grid: Grid, header: tuple[int, ...], body: tuple[int, ...], column: int) -> bool:
    """Numbers that name something: codes by their heading, years, the same in every row, row numbers, or few that are repeated."""
    heads = [text for row in header if (text := grid.cell(row, column))]
    cells = [text for row in body if (text := grid.cell(row, column))]
    if heads and span_of(heads[-1]) is not None:  # 2,001 people of 15 years and over are no year
        return False
    if any(map(says_code, heads)) or is_time_column(grid, header, body, column) or are_moments("", cells):
        return True
    if len(set(cells)) == 1 and len(cells) > 2:
        return True
    numbered = [str(i) for i in range(1, len(cells) + 1)], [str(i) for i in range(len(cells))]
    return cells in numbered or (len(cells) > 3 and len(set(cells)) <= len(cells) / 2)


def without_row_numbers(grid: Grid, header: tuple[int, ...], body: tuple[int, ...], labels: tuple[int, ...]) -> tuple[int, ...]:
    """Row numbers tell rows apart and say nothing: rows that differ in nothing else are to be asked about."""
    return labels[1:] if len(labels) > 1 and is_row_numbers(grid, header, body, labels[0]) else labels


NAMES_OF_ROWS = ("rownames", "row.names", "row names", "rowname")
ROW_NUMBERS = (
    *NAMES_OF_ROWS, "row", "row number", "row_number", "rowid", "x", "...1", "index", "#", "_id",
)  # fmt: skip


def is_row_numbers(grid: Grid, header: tuple[int, ...], body: tuple[int, ...], column: int) -> bool:
    """R and pandas number the rows of a data frame in a first column, without a heading or with one that says so.

    Where it does, numbers may be missing: rows were left out, or stand in another order.
    """
    cells = [grid.cell(r, column) for r in body]
    heads = [text for r in header if (text := grid.cell(r, column))]
    if any(folded(text) in NAMES_OF_ROWS for text in heads):
        return all(map(str.isdigit, cells)) and len(set(cells)) == len(cells)
    numbered = any(cells == [str(i) for i in range(first, len(body) + first)] for first in (0, 1))
    return numbered and all(text.startswith("Unnamed: ") or folded(text) in ROW_NUMBERS for text in heads)


def without_blanks(grid: Grid, body: tuple[int, ...], labels: tuple[int, ...]) -> tuple[int, ...]:
    """Columns of labels that hold something; all of them when none does."""
    return tuple(c for c in labels if any(grid.cell(r, c) for r in body)) or labels


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
