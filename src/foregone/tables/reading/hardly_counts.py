"""Whole numbers that hardly count anything: years, grades such as quartiles, and measurements of things that have no names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from foregone.model.shown import shown
from foregone.tables.block_columns import is_row_numbers
from foregone.tables.blocks import SheetBlock
from foregone.tables.reading.named_counts import names_counts
from foregone.tables.reading.numbers import plain
from foregone.tables.reading.question import Clue, Speaks
from foregone.tables.words import names_one, words_in

YEARS = range(1800, 2051)
A_FEW = 6  # numbers of which not all are years by accident
MANY = 24  # numbers of which some are 0 or large where they count something
EVENLY = 4  # the commonest grade is at most this many times as frequent as the rarest: counts from 1 on thin out


def hardly_counts(block: SheetBlock, counts: Sequence[int], said: Sequence[str]) -> tuple[Clue, ...]:
    """What speaks against taking the only numbers of a table for counts; nothing where headings `said` name what is counted."""
    if block.labels and all(is_row_numbers(block.grid, block.header, block.body, c) for c in block.labels):
        return (Clue(Speaks.ROW_NUMBERS),)  # whatever is counted, nobody learns of whom
    if names_counts(said) or any(words_in(key, *said) for key in ("events", "stocks", "numbered")):
        return ()
    found = []
    for column in counts:
        numbers = [n for row in block.body if (n := plain(block.grid.cell(row, column), block.dotted)) is not None]
        clue = _years(block, column, numbers) or _grades(numbers)
        if clue is None:
            break
        found.append(clue)
    if len(found) == len(counts):
        return tuple(dict.fromkeys(found))
    if len(block.body) < A_FEW:
        return ()
    names = [text for c in block.labels for row in block.header if names_one(text := block.grid.cell(row, c))]
    return (Clue(Speaks.RECORDS, (", ".join(map(shown, names)),)),) if names else ()


def _years(block: SheetBlock, column: int, numbers: Sequence[int]) -> Clue | None:
    texts = [text for row in block.body if (text := block.grid.cell(row, column))]
    if len(numbers) < A_FEW or len(texts) > len(numbers) or not all(n in YEARS for n in numbers) or any("," in t for t in texts):
        return None
    return Clue(Speaks.YEARS, (str(min(numbers)), str(max(numbers))))


def _grades(numbers: Sequence[int]) -> Clue | None:
    """Each of the numbers from 1 to 4, say, and no other, about equally often: grades, or things that are numbered."""
    times = Counter(numbers)
    if len(numbers) < MANY or not 2 < len(times) <= len(numbers) / 3 or sorted(times) != list(range(1, len(times) + 1)):
        return None
    return Clue(Speaks.GRADES, (str(len(times)),)) if max(times.values()) <= EVENLY * min(times.values()) else None
