"""Where the tables of a sheet are: titles above, header rows, a body, footnotes below."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

from foregone.model.shown import shown
from foregone.tables.block_columns import (
    SAYS_SO,
    VALUES,
    headings,
    is_dotted,
    is_numeric,
    rising,
    without_labels,
    without_row_numbers,
)
from foregone.tables.grid import Grid
from foregone.tables.values import Kind, Value, value_of
from foregone.tables.words import says_total

TITLE = re.compile(r"(?i)\s*(table|figure|tab\.|source|sources|note|notes|title)\b")
LONG = 45  # characters; no label is so long
MOST_HEADERS = 3


@dataclass(frozen=True, slots=True)
class Block:
    """A table on a sheet: rows and columns from 1. `labels` are the columns left of the numbers."""

    grid: Grid
    header: tuple[int, ...]
    body: tuple[int, ...]
    labels: tuple[int, ...]
    numbers: tuple[int, ...]
    title: str
    footnotes: tuple[str, ...]
    dotted: bool = False

    def value(self, row: int, column: int) -> Value:
        return value_of(self.grid.cell(row, column), self.dotted)


@dataclass(frozen=True, slots=True)
class Unread:
    """Rows that look like a table and cannot be read as one."""

    grid: Grid
    first: int
    last: int
    why: str


def find_blocks(grid: Grid, tokens: Collection[str]) -> list[Block | Unread]:
    """Every table of a sheet, from top to bottom and from left to right."""
    found: list[Block | Unread] = []
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
        for left, right in _columns(grid, row, end):
            found.append(_block(grid, row, end, left, right, above[-1] if above else "", tuple(notes), tokens))
        above = []
        row = after
    return found


def _starts(grid: Grid, row: int) -> bool:
    """Two filled cells make a table; so does one over a later column with a filled row below: a header over several columns."""
    filled = grid.filled(row)
    if len(filled) > 1:
        return True
    below = grid.filled(row + 1) if row < len(grid.rows) else []
    return len(filled) == 1 and filled[0] > 1 and len(below) > 1 and len(grid.cell(row, filled[0])) < LONG and filled[0] > below[0]


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
    return len(filled) > 1 and any(value_of(grid.cell(row, c)).kind in SAYS_SO for c in filled[1:])


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
    whole = all(right > left for left, right in runs)
    return runs if len(runs) > 1 and whole else [(runs[0][0], runs[-1][1])]


def _block(
    grid: Grid, first: int, last: int, left: int, right: int, title: str, notes: tuple[str, ...], tokens: Collection[str]
) -> Block | Unread:
    rows = [r for r in range(first, last + 1) if any(grid.cell(r, c) for c in range(left, right + 1))]
    while len(rows) > 1 and _is_title(grid, rows[0], rows[1], left, right):
        title, rows = ", ".join(grid.cell(rows[0], c) for c in grid.filled(rows[0])), rows[1:]
    while len(rows) > 2 and _is_note(grid, rows[-1], left, right, tokens):
        notes, rows = (", ".join(grid.cell(rows[-1], c) for c in grid.filled(rows[-1])), *notes), rows[:-1]
    dotted = is_dotted(grid, rows, left, right)
    best: Block | None = None
    twice = ""
    for height in range(1, min(MOST_HEADERS, len(rows) - 1) + 1):
        header, body = tuple(rows[:height]), tuple(rows[height:])
        if height > 1 and not _may_be_header(grid, rows[height - 2], rows[height - 1], left, right):
            break
        numbers = [c for c in range(left + 1, right + 1) if is_numeric(grid, body, c, tokens, dotted)]
        numbers = without_labels(grid, body, numbers, right, dotted)
        complete = len({headings(grid, header, c, left) for c in numbers}) == len(numbers)
        if numbers and not complete:
            heads_seen = [" ".join(filter(None, headings(grid, header, c, left))) for c in numbers]
            twice = next(head for head in heads_seen if heads_seen.count(head) > 1)
        told = numbers and any(value_of(grid.cell(body[0], c), dotted).kind in VALUES or not grid.cell(body[0], c) for c in numbers)
        if complete and told and (best is None or len(numbers) > len(best.numbers)):
            labels = without_row_numbers(grid, header, body, tuple(range(left, min(numbers))))
            best = Block(grid, header, body, labels, tuple(numbers), title, notes, dotted)
    if best is None and twice:
        return Unread(grid, first, last, f"two columns have the same heading, {shown(twice)}; give them different ones")
    if best is None:
        return Unread(grid, first, last, "no row of headings above columns of numbers was found")
    heads = [value_of(grid.cell(best.header[0], c)) for c in best.numbers]
    if len(best.header) == 1 and all(head.kind == Kind.NUMBER for head in heads) and not rising([head.text for head in heads]):
        return Unread(grid, first, last, "its first row holds numbers, not headings")
    return best


def _is_title(grid: Grid, row: int, below: int, left: int, right: int) -> bool:
    """A title whose commas made several cells of it, above a row of headings."""
    cells = [grid.cell(row, c) for c in range(left, right + 1) if grid.cell(row, c)]
    if not cells or any(value_of(cell).kind in VALUES for cell in cells[1:] if not (cell.isascii() and cell.isdigit())):
        return False
    titled = TITLE.match(grid.cell(row, left)) is not None or len(grid.cell(row, left)) > LONG
    return titled and len(grid.filled(below)) >= 2


def _is_note(grid: Grid, row: int, left: int, right: int, tokens: Collection[str]) -> bool:
    """Text below the body: no cell of it is a number or a token."""
    cells = [grid.cell(row, c) for c in range(left + 1, right + 1) if grid.cell(row, c)]
    return not any(value_of(cell).kind in VALUES or cell in tokens for cell in cells) and (
        TITLE.match(grid.cell(row, left)) is not None or len(cells) < 2 or len(grid.cell(row, left)) > LONG
    )


def _may_be_header(grid: Grid, above: int, row: int, left: int, right: int) -> bool:
    """A further row of headings has no numbers in it, unless the one above leaves columns open."""
    later = range(left + 1, right + 1)
    open_ = any(not grid.cell(above, c) or (above, c) in grid.merged for c in later) or not grid.cell(above, left)
    numbers = [c for c in later if value_of(grid.cell(row, c)).kind in SAYS_SO]
    tokens = [c for c in later if value_of(grid.cell(row, c)).kind == Kind.TOKEN]
    if tokens and not any(value_of(grid.cell(row, c)).kind == Kind.TEXT for c in later):
        return False
    return not numbers or (open_ and rising([grid.cell(row, c) for c in numbers], True))
