"""Where the tables of a sheet are: titles above, header rows, a body, footnotes below."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from foregone.model.shown import listed, shown
from foregone.tables.block_columns import (
    SAYS_SO,
    VALUES,
    Tokens,
    counts_first,
    heading,
    headings,
    is_dotted,
    is_numeric,
    is_time_column,
    labels_beside,
    rising,
    without_blanks,
    without_labels,
    without_row_numbers,
)
from foregone.tables.described import describe
from foregone.tables.spans import are_moments, is_moment, says_time
from foregone.tables.table import Grid, letters
from foregone.tables.values import CellKind, Value, count_and_percent, value_of
from foregone.tables.words import name_by_labels, same_name, says_hidden, says_total

TITLE = re.compile(r"(?i)\s*(table|figure|tab\.|source|sources|note|notes|title)\b")
LONG = 45  # characters; no label is so long
MOST_HEADERS = 3


@dataclass(frozen=True, slots=True)
class SheetBlock:
    """A table on a sheet: rows and columns from 1. `labels` are the columns left of the numbers."""

    grid: Grid
    header: tuple[int, ...]
    body: tuple[int, ...]
    labels: tuple[int, ...]
    numbers: tuple[int, ...]
    title: str
    footnotes: tuple[str, ...]
    dotted: bool = False
    above: tuple[str, ...] = ()  # further lines above the title
    named: bool = False  # the last row of headings names the columns of labels, those above it begin with the name of a variable

    def value(self, row: int, column: int) -> Value:
        return value_of(self.grid.cell(row, column), self.dotted)


@dataclass(frozen=True, slots=True)
class Unread:
    """Rows that look like a table and cannot be read as one; `part` are keys of a layout file for a part that could be."""

    grid: Grid
    first: int
    last: int
    why: str
    part: Mapping[str, Any] = field(default_factory=dict)


def find_blocks(grid: Grid, tokens: Tokens) -> list[SheetBlock | Unread]:
    """Every table of a sheet, from top to bottom and from left to right."""
    found: list[SheetBlock | Unread] = []
    above: list[str] = []
    row, last = 1, len(grid.rows)
    while row <= last:
        if not _starts(grid, row):
            if grid.filled(row):
                above.append(" ".join(grid.cell(row, c) for c in grid.filled(row)))
            row += 1
            continue
        end = _end(grid, row)
        if end == row:  # a title whose commas made several cells of it, or a lonely number
            if _data(grid, row) and not TITLE.match(grid.cell(row, grid.filled(row)[0])):
                found.append(Unread(grid, row, row, "one row is not a table"))
            above.append(", ".join(grid.cell(row, c) for c in grid.filled(row)))
            row += 1
            continue
        after = end + 1
        notes = []
        while after <= last and len(grid.filled(after)) == 1 and not _title_of_next(grid, after):
            notes.append(grid.cell(after, grid.filled(after)[0]))
            after += 1
        further = after  # footnotes often stand below a blank line
        while further <= last and not grid.filled(further):
            further += 1
        if further <= last and (further == last or not _leads_on(grid, further)):
            while further <= last and len(grid.filled(further)) < 2:
                notes += [grid.cell(further, c) for c in grid.filled(further)]
                further += 1
            after = further
        before = found[-1] if found else None
        if isinstance(before, SheetBlock) and not above and _goes_on(grid, before, row):
            between = [r for r in range(before.body[-1] + 1, end + 1) if grid.filled(r)]
            inside = {grid.cell(r, c) for r in between for c in grid.filled(r)}
            kept = tuple(note for note in before.footnotes if note not in inside)
            found[-1] = replace(before, body=(*before.body, *between), footnotes=(*kept, *notes))
            row = after
            continue
        for left, right in _columns(grid, row, end):
            found.append(_block(grid, row, end, left, right, above[-1] if above else "", tuple(notes), tokens))
            if isinstance(made := found[-1], SheetBlock):
                found[-1] = replace(made, above=tuple(above))
        above = []
        row = after
    if (whole := _without_headings(grid, found)) is not None:
        return [whole]
    return [_with_names(some) if isinstance(some, SheetBlock) else some for some in found]


def _without_headings(grid: Grid, found: list[SheetBlock | Unread]) -> SheetBlock | None:
    """Lists of counts with percentages and no headings anywhere, as programs print them: with a line of everybody one table."""
    unread = [some for some in found if isinstance(some, Unread)]
    if len(unread) < len(found) or NO_HEADINGS_ABOVE_PAIRS not in [some.why for some in unread]:
        return None
    rows = range(1, len(grid.rows) + 1)
    paired = {row: [c for c in grid.filled(row) if count_and_percent(grid.cell(row, c)) is not None] for row in rows}
    body = tuple(row for row, columns in paired.items() if columns)
    numbers = tuple(c for c in range(1, grid.width + 1) if sum(1 for row in body if c in paired[row]) > len(body) / 2)
    labels = tuple(range(1, min(numbers))) if numbers else ()
    if len(labels) != 2 or not all(grid.cell(row, c) for row in body for c in labels):
        return None
    beside = [c for c in range(max(numbers) + 1, grid.width + 1) if any(grid.cell(row, c) for row in body)]
    made = _with_total(grid, body, labels, numbers)
    totals = sum(1 for row in body if not made.cell(row, labels[1]))
    return SheetBlock(made, (), body, labels, numbers, "", ()) if totals == 1 and not beside else None


WHOLE = re.compile("100(?:[.,]0+)?")


def is_everybody(grid: Grid, row: int, columns: tuple[int, ...]) -> bool:
    """Is the first number of a row 100 % of something?"""
    both = count_and_percent(grid.cell(row, columns[0]))
    return both is not None and WHOLE.fullmatch(both[1]) is not None


def _with_total(grid: Grid, body: tuple[int, ...], labels: tuple[int, ...], numbers: tuple[int, ...]) -> Grid:
    """The sheet with a blank for the value of a variable that everybody has: its row is the total."""
    names = [grid.cell(row, labels[0]) for row in body]
    rows = list(grid.rows)
    for row in body:
        if names.count(grid.cell(row, labels[0])) == 1 and is_everybody(grid, row, numbers):
            cells = list(rows[row - 1])
            cells[labels[1] - 1] = ""
            rows[row - 1] = tuple(cells)
    return replace(grid, rows=tuple(rows))


def _goes_on(grid: Grid, table: SheetBlock, row: int) -> bool:
    """Is a row below a blank line one more row of the table above, and no headings of another?"""
    filled = grid.filled(row)
    inside = [c for c in filled if c in table.numbers]
    counted = [c for c in inside if _is_value(grid.cell(row, c), table.dotted)]
    years = rising([grid.cell(row, c) for c in inside], True)
    return bool(inside) and len(counted) == len(inside) and not years and all(c in table.labels for c in filled if c not in inside)


def _starts(grid: Grid, row: int) -> bool:
    """Two filled cells make a table; so does one over a later column with a filled row below: a header over several columns."""
    filled = grid.filled(row)
    if _says_about(grid, row):
        return False
    if len(filled) > 1:
        return True
    below = grid.filled(row + 1) if row < len(grid.rows) else []
    return len(filled) == 1 and filled[0] > 1 and len(below) > 1 and len(grid.cell(row, filled[0])) < LONG and filled[0] > below[0]


def _says_about(grid: Grid, row: int) -> bool:
    """Lines above a table that tell about it, such as `Units:` and `Persons`; a heading with a colon has data below it instead."""

    def said(at: int) -> bool:
        filled = grid.filled(at) if 1 <= at <= len(grid.rows) else []
        return len(filled) == 2 and grid.cell(at, filled[0]).endswith(":")

    ends = row == len(grid.rows) or not grid.filled(row + 1)
    return said(row) and (said(row - 1) or said(row + 1) or ends)


def _end(grid: Grid, first: int) -> int:
    """The last row of the table that begins here."""
    row, last = first, len(grid.rows)
    while row < last:
        filled = grid.filled(row + 1)
        if len(filled) > 1 or (row == first and len(grid.filled(first)) == 1):
            row += 1
            continue
        # a label without numbers inside the table, or a blank line before the total
        if row + 2 <= last and len(filled) == 1 and _data(grid, row + 2) and not _title_of_next(grid, row + 1):
            row += 2
            continue
        if row + 2 <= last and not filled and _data(grid, row + 2) and says_total(grid.cell(row + 2, grid.filled(row + 2)[0])):
            row += 2
            continue
        break
    return row


def _data(grid: Grid, row: int) -> bool:
    filled = grid.filled(row)
    return len(filled) > 1 and any(
        value_of(grid.cell(row, c)).kind in SAYS_SO or count_and_percent(grid.cell(row, c)) is not None for c in filled[1:]
    )


def _title_of_next(grid: Grid, row: int) -> bool:
    """Is a single text the title of a table that follows at once?"""
    if row + 1 > len(grid.rows) or len(grid.filled(row + 1)) < 2:
        return False
    return not _data(grid, row + 1)


def _leads_on(grid: Grid, row: int) -> bool:
    """Does this text, or one of the next few lines, lead to another table?"""
    return any(_starts(grid, r) for r in range(row, min(row + 4, len(grid.rows)) + 1))


def _columns(grid: Grid, first: int, last: int) -> list[tuple[int, int]]:
    """Tables that stand side by side have an empty column between them."""
    used = [any(grid.cell(r, c) for r in range(first, last + 1)) for c in range(1, grid.width + 1)]
    runs: list[tuple[int, int]] = []
    for column, filled in enumerate(used, start=1):
        if filled and runs and runs[-1][1] == column - 1:
            runs[-1] = runs[-1][0], column
        elif filled:
            runs.append((column, column))
    runs = _with_labels(grid, first, last, runs)
    whole = all(right > left for left, right in runs) and not any(_goes_on_right(grid, first, last, left) for left, _ in runs[1:])
    return runs if len(runs) > 1 and whole else [(runs[0][0], runs[-1][1])]


def _with_labels(grid: Grid, first: int, last: int, runs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Words left of an empty column that name every row right of it belong to it: no table is without numbers."""
    made: list[tuple[int, int]] = []
    for left, right in runs:
        before = made[-1] if made else None
        if before is not None and not _counted(grid, first, last, *before) and _counted(grid, first, last, left, right):
            rows = [r for r in range(first, last + 1) if any(grid.cell(r, c) for c in range(left, right + 1))]
            if all(any(grid.cell(r, c) for c in range(before[0], before[1] + 1)) for r in rows):
                made[-1] = before[0], right
                continue
        made.append((left, right))
    return made


def _counted(grid: Grid, first: int, last: int, left: int, right: int) -> bool:
    """Is there a column in which most cells below the first are numbers?"""
    for column in range(left, right + 1):
        cells = [text for row in range(first + 1, last + 1) if (text := grid.cell(row, column))]
        if cells and sum(1 for text in cells if _is_value(text, False)) > len(cells) / 2:
            return True
    return False


def _goes_on_right(grid: Grid, first: int, last: int, column: int) -> bool:
    """Are there numbers below a year right of an empty column? A table of its own would begin with labels."""
    head, *cells = [text for row in range(first, last + 1) if (text := grid.cell(row, column))] or [""]
    return is_moment(head) and bool(cells) and all(_is_value(text, False) for text in cells) and not are_moments("", cells)


def _block(
    grid: Grid, first: int, last: int, left: int, right: int, title: str, notes: tuple[str, ...], tokens: Tokens
) -> SheetBlock | Unread:
    rows = [r for r in range(first, last + 1) if any(grid.cell(r, c) for c in range(left, right + 1))]
    while len(rows) > 1 and _is_title(grid, rows[0], rows[1], left, right):
        title, rows = ", ".join(grid.cell(rows[0], c) for c in grid.filled(rows[0])), rows[1:]
    while len(rows) > 2 and _is_note(grid, rows[-1], left, right, tokens):
        notes, rows = (", ".join(grid.cell(rows[-1], c) for c in grid.filled(rows[-1])), *notes), rows[:-1]
    dotted = is_dotted(grid, rows, left, right)
    counted = next((i for i, row in enumerate(rows[:MOST_COUNTED]) if i and _column_numbers(grid, row, left, right)), 0)
    if counted > MOST_HEADERS - 1:  # more rows of headings than can each be a variable
        grid, rows = _joined(grid, tuple(rows[:counted]), left, right), [rows[counted - 1], *rows[counted + 1 :]]
    elif counted:
        rows = [*rows[:counted], *rows[counted + 1 :]]
    heights = [1] if counted > MOST_HEADERS - 1 else [counted] if counted else range(1, min(MOST_HEADERS, len(rows) - 1) + 1)
    best: SheetBlock | None = None
    twice: list[str] = []
    unheaded: list[str] = []
    for height in heights:
        header, body = tuple(rows[:height]), tuple(rows[height:])
        if height > 1 and not counted and not _may_be_header(grid, rows[height - 2], rows[height - 1], left, right):
            break
        if height > 1 and _alone(grid, rows[height - 1], left) and any(_alone(grid, row, left) for row in body):
            break  # a heading over the rows below, as there is another one further down
        named_right = _labels_on_the_right(grid, body, left, right, dotted)
        from_first = not named_right and counts_first(grid, header, body, left, right, dotted)
        inside = range(left, right) if named_right else range(left + (not from_first), right + 1)
        numbers = [c for c in inside if is_numeric(grid, body, c, tokens, dotted)]
        numbers = numbers if named_right else without_labels(grid, header, body, numbers, right, dotted)
        seen = [" ".join(filter(None, headings(grid, header, c, left - 1 if named_right else left))) for c in numbers]
        twice = twice or [text for text in dict.fromkeys(seen) if seen.count(text) > 1]
        unheaded = unheaded or [letters(c) for c, text in zip(numbers, seen, strict=True) if not text]
        told = numbers and any(_is_value(grid.cell(body[0], c), dotted) or not grid.cell(body[0], c) for c in numbers)
        told = told and not _more_headings(grid, body[0], numbers, tokens, dotted)
        better = best is None or (named_right, len(numbers)) > (best.labels == (right,), len(best.numbers))
        if len(set(seen)) == len(seen) and told and better:
            times = [c for c in range(min(numbers), right + 1) if c not in numbers and is_time_column(grid, header, body, c)]
            names = (right,) if named_right else (*range(left, min(numbers)), *times)
            if beside := labels_beside(grid, header, body, names, numbers, right):
                names, numbers = (*names, *beside), [c for c in numbers if c not in beside]
            labels = without_row_numbers(grid, header, body, without_blanks(grid, body, names))
            best = SheetBlock(grid, header, body, labels, tuple(numbers), title, notes, dotted)
    if best is None and twice:
        blank = f"the columns {', '.join(unheaded)} have no heading" if twice == [""] else ""
        which = blank or f"two columns have the same heading, {listed(map(shown, filter(None, twice)))}"
        remedy = "give them different ones, or name the rows of headings with header in a layout file"
        return Unread(grid, first, last, f"{which}; {remedy}", describe(grid, rows, left, right, dotted))
    if best is None:
        return Unread(grid, first, last, NO_HEADINGS)
    heads = [value_of(grid.cell(best.header[0], c)) for c in best.numbers]
    numbered = len(best.header) == 1 and all(head.kind == CellKind.NUMBER for head in heads)
    if numbered and (not rising([head.text for head in heads]) or _is_a_row(grid, best)):
        return Unread(grid, first, last, "its first row holds numbers, not headings; type a name above each column")
    if any(count_and_percent(grid.cell(row, c)) is not None for row in best.header for c in range(left, right + 1)):
        return Unread(grid, first, last, NO_HEADINGS_ABOVE_PAIRS)
    return best


def _is_a_row(grid: Grid, block: SheetBlock) -> bool:
    """Are the headings of labels themselves labels further down? Then this row is one of those below it."""
    said = [(c, text) for c in block.labels if (text := grid.cell(block.header[0], c))]
    return bool(said) and all(any(grid.cell(row, c) == text for row in block.body) for c, text in said)


def _more_headings(grid: Grid, row: int, numbers: list[int], tokens: Tokens, dotted: bool) -> bool:
    """Does a row hold nothing but different words where numbers are expected? Words in place of numbers are the same ones."""
    texts = [text for c in numbers if (text := grid.cell(row, c))]
    words = [text for text in texts if value_of(text, dotted).kind == CellKind.TEXT and count_and_percent(text) is None]
    different = {text for text in words if text not in tokens.known and not says_hidden(text)}
    return len(words) == len(texts) >= len(numbers) / 2 and len(different) > len(words) / 2 and len(different) > 1


def _with_names(block: SheetBlock) -> SheetBlock:
    """The block with a row that names its columns of labels among the headings, as programs write it below those of the columns."""
    grid, labels, first = block.grid, block.labels, block.body[0]
    if not labels or len(block.body) < 2 or not set(grid.filled(first)) <= set(labels) or not grid.cell(first, labels[-1]):
        return block
    above = [row for row in block.header if any(grid.cell(row, c) for c in range(labels[0], min(block.numbers)))]
    heads = tuple(text for c in block.numbers if (text := grid.cell(block.header[-1], c)) and not says_total(text))
    known = name_by_labels(heads)
    beside = grid.cell(above[-1], labels[-1]) if above else ""
    of_columns = bool(known and same_name(known, beside)) or (says_time(beside) and are_moments("", heads))
    alone = len(labels) == 1
    if alone and any(_alone(grid, row, labels[0]) for row in block.body[1:]):
        return block  # a heading over rows, as there is another one further down
    if alone and above and not of_columns and not 2 <= len(block.header) == len(above):
        return block
    named = [c for c in labels if grid.cell(block.header[-1], c) and (block.header[-1], c) not in grid.merged]
    if not alone and (not all(grid.cell(first, c) for c in labels) or len(named) == len(labels)):
        return block  # a row whose numbers are not shown, below names of all columns
    return replace(block, header=(*block.header, first), body=block.body[1:], named=True)


def _alone(grid: Grid, row: int, column: int) -> bool:
    return grid.filled(row) == [column]


NO_HEADINGS = (
    "no row of headings above columns of numbers was found; type a name above each column, or describe the table with header, body,"
    " labels and numbers in a layout file"
)
NO_HEADINGS_ABOVE_PAIRS = (
    "these are counts with percentages, and no headings stand above them; type a line of headings above all of them, such as"
    " variable, level, and the name of the group for each column of counts, and take out blank lines"
)
MOST_COUNTED = 12  # rows among which one may number the columns


def _is_value(text: str, dotted: bool) -> bool:
    return value_of(text, dotted).kind in VALUES or count_and_percent(text) is not None


def _column_numbers(grid: Grid, row: int, left: int, right: int) -> bool:
    """Does a row number the columns, as 1, 2, 3 below headings?"""
    texts = [text for c in range(left, right + 1) if (text := grid.cell(row, c))]
    return len(texts) > 2 and texts in ([str(i) for i in range(1, len(texts) + 1)], [str(i) for i in range(2, len(texts) + 2)])


def _joined(grid: Grid, header: tuple[int, ...], left: int, right: int) -> Grid:
    """The sheet with all headings of a column in the last row of them."""
    texts = list(grid.rows[header[-1] - 1])
    for column in range(left, right + 1):
        said = [heading(grid, header, level, column, left) for level in range(len(header))]
        texts[column - 1] = " / ".join(dict.fromkeys(" ".join(text.split()) for text in said if text))
    return replace(grid, rows=(*grid.rows[: header[-1] - 1], tuple(texts), *grid.rows[header[-1] :]))


def _labels_on_the_right(grid: Grid, body: tuple[int, ...], left: int, right: int, dotted: bool) -> bool:
    """In tables from right to left the years stand in the last column."""
    cells = [text for row in body if (text := grid.cell(row, right))]
    first = [text for row in body if (text := grid.cell(row, left))]
    words = [text for text in first if value_of(text, dotted).kind == CellKind.TEXT]
    if right < left + 2 or len(cells) <= len(body) / 2 or len(words) > len(body) / 10:
        return False
    return are_moments("", cells) and not are_moments("", first)  # years in the first column name the rows, and these are counts


def _is_title(grid: Grid, row: int, below: int, left: int, right: int) -> bool:
    """A title whose commas made several cells of it, above a row of headings."""
    cells = [grid.cell(row, c) for c in range(left, right + 1) if grid.cell(row, c)]
    if not cells or any(value_of(cell).kind in VALUES for cell in cells[1:] if not (cell.isascii() and cell.isdigit())):
        return False
    if len(cells) == right - left + 1 > 2 and " " not in grid.cell(row, left):
        return False  # Notes over a column of notes, as other words over the other columns
    titled = TITLE.match(grid.cell(row, left)) is not None or len(grid.cell(row, left)) > LONG
    return titled and len(grid.filled(below)) >= 2


def _is_note(grid: Grid, row: int, left: int, right: int, tokens: Tokens) -> bool:
    """Text below the body: no cell of it is a number, a token or a word that may stand for one, as in `Darrington,NA`."""
    cells = [grid.cell(row, c) for c in range(left + 1, right + 1) if grid.cell(row, c)]
    valued = (_is_value(cell, False) or cell in tokens.known or cell in tokens.given or says_hidden(cell) for cell in cells)
    return not any(valued) and (
        TITLE.match(grid.cell(row, left)) is not None or len(cells) < 2 or len(grid.cell(row, left)) > LONG
    )


def _may_be_header(grid: Grid, above: int, row: int, left: int, right: int) -> bool:
    """A further row of headings has no numbers in it, unless the one above leaves columns open."""
    later = range(left + 1, right + 1)
    open_ = any(not grid.cell(above, c) or (above, c) in grid.merged for c in later) or not grid.cell(above, left)
    numbers = [c for c in later if value_of(grid.cell(row, c)).kind in SAYS_SO]
    tokens = [c for c in later if value_of(grid.cell(row, c)).kind == CellKind.TOKEN]
    if tokens and not any(value_of(grid.cell(row, c)).kind == CellKind.TEXT for c in later):
        return False
    return not numbers or (open_ and rising([grid.cell(row, c) for c in numbers], True))
