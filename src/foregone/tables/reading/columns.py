"""A first layout of a block of cells: which columns count, which say something else, and what the variables are called."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from foregone.formats.beside import CODES, OTHER
from foregone.model.alike import folded
from foregone.model.shown import listed, shown
from foregone.tables.block_columns import heading, is_row_numbers
from foregone.tables.blocks import SheetBlock
from foregone.tables.layout import Broken, Layout, Misfit, NotTaken
from foregone.tables.reading.hardly_counts import hardly_counts
from foregone.tables.reading.named_counts import names_counts, says_counts
from foregone.tables.reading.names import heading_levels, variable_names
from foregone.tables.reading.numbers import plain, running_sum
from foregone.tables.reading.question import Clue, ReadingChoice, Reads, Speaks, TableQuestion
from foregone.tables.reading.thousands import unit_question
from foregone.tables.spans import span_of
from foregone.tables.table import letters
from foregone.tables.values import NEGATIVE, CellKind, count_and_percent
from foregone.tables.words import (
    bare,
    says_base,
    says_code,
    says_count,
    says_other,
    says_other_alone,
    says_percent,
    says_statistic,
    says_total,
    words_in,
)

A_FEW = 4  # rows that may agree by accident
MANY = 10  # numbers among which one may be an error
MOST_PAIRED = 12  # columns that are compared with each other
AVERAGES = ("average", "averages", "mean", "median", "durchschnitt", "moyenne", "médiane", "média")
YEAR = re.compile(r"(?:1[89]|20)[0-9]{2}")
ONE_COMMA = re.compile(r"[1-9][0-9]{0,2},[0-9]{3}")
TIMES = ("time", "times", "date", "duration", "timestamp", "datetime")
SHORT = 8  # words of a line that may say the unit
BEFORE_BY = re.compile(r"(?i)\s(?:by|nach|par|por|efter|etter)\s")


def propose(
    block: SheetBlock, name: str, given: Mapping[str, Any], labels: tuple[int, ...] = ()
) -> Layout | Misfit | Broken | TableQuestion:
    """The layout that headings and cells suggest, perhaps with other columns of labels than the block has."""
    left = min(block.labels, default=min(block.numbers))
    columns = labels or block.labels
    heads = {
        c: tuple(heading(block.grid, block.header, i, c, left) for i in range(len(block.header)))
        for c in block.numbers
        if c not in columns
    }
    roles = _roles(block, columns, heads, given)
    said = [text for row in block.header for c in block.numbers if (text := block.grid.cell(row, c))]
    notes = [note for note in block.footnotes if len(note.split()) <= SHORT]
    counts = [c for c, role in roles.items() if role == COUNT]
    about = (block.title, *block.above, *dict.fromkeys(said), *notes)
    shows = (block.grid.cell(row, c) for c, role in roles.items() if role.name in ("count", "decimal") for row in block.body)
    if not {"numbers", "unit"} & set(given) and (doubt := unit_question(block.grid.source, name, about, shows)) is not None:
        return doubt
    if len(counts) > 1 and not block.header and "numbers" not in given:
        return _which_column(block, name, counts)
    percents = [c for c, role in roles.items() if role == PERCENT]
    left_out = [
        NotTaken(column_words(c, heads[c]), role.why, columns=(c,)) for c, role in roles.items() if role.why and role != PERCENT
    ]
    if counts and not {"numbers", "measure"} & set(given) and (commas := _decimal_commas(block, name, counts, heads)) is not None:
        return commas
    if (
        counts
        and (doubt := _counts_at_all(block, name, roles, counts, heads)) is not None
        and not {"numbers", "measure"} & set(given)
    ):
        return doubt
    if "measure" in given and not counts:
        every = listed(dict.fromkeys(shown(text) for said in heads.values() for text in said if text))
        return Broken(f"layout, table {name}, measure: no column is headed {shown(given['measure'])} ({every})")
    if not counts and not percents:
        why = "; ".join(dict.fromkeys(some.text for some in left_out[:3]))
        scaled = "; if they are counts given in thousands, say unit = 1000 in a layout file" if _may_be_scaled(block, roles) else ""
        return Misfit(f"none of its columns holds counts ({why}){scaled}" if why else "none of its columns holds counts")
    last = max(block.numbers) if "numbers" in given else _last_column(block)
    for column in range(min(block.numbers), last + 1):
        if column not in heads and column not in columns and any(block.grid.cell(r, column) for r in block.body):
            head = block.grid.cell(block.header[-1], column) if block.header else ""
            why = "it holds margins of error" if "margin of error" in folded(head) else "it holds words"
            left_out.append(NotTaken(column_words(column, (head,)), why, columns=(column,)))
    if percents:
        heads = {c: tuple(bare(text) or text if c in counts else bare(text) for text in said) for c, said in heads.items()}
    own = {heads[c] for c in counts}
    alone = all(says_total(head) or says_count(head) for said in own for head in said if head)  # nothing but what they are of
    lost = [c for c in percents if counts and not alone and any(heads[c]) and not _paired(heads[c], own)]
    percents = [c for c in percents if c not in lost]
    left_out += [NotTaken(column_words(c, heads[c]), PERCENT.why, columns=(c,)) for c in lost]
    different = [*counts, *(c for c in percents if any(heads[c]) and heads[c] not in own)]
    levels, over = heading_levels(block, heads, different)
    names, unnamed = variable_names(block, name, given, columns, heads, different, levels, over)
    return Layout(
        name,
        block.grid.file,
        block.grid.sheet,
        block.header,
        block.body,
        columns,
        tuple(counts),
        tuple(percents),
        tuple(names[: len(columns)]),
        tuple((block.header[level], name) for level, name in zip(levels, names[len(columns) :], strict=True)),
        pairs=tuple(c for c in counts if _is_pairs(block, c)),
        unnamed=tuple(unnamed),
        left_out=tuple(left_out),
        measure=given.get("measure", ""),
        unit=given.get("unit", 1),
    )


def _may_be_scaled(block: SheetBlock, roles: Mapping[int, ColumnRole]) -> bool:
    """Are most columns of numbers that are not whole large enough for counts in thousands, and none below 0?"""
    decimals = [c for c, role in roles.items() if role.name == "decimal"]
    texts = [block.grid.cell(row, c) for c in decimals for row in block.body]
    large = [text for text in texts if re.match("[0-9]{2}", text)]
    return 2 * len(decimals) > len(roles) and 2 * len(large) > len(texts)


def _last_column(block: SheetBlock) -> int:
    """The last column right of the numbers before an empty one: another table may stand behind it."""
    last = max(block.numbers)
    while last < block.grid.width and any(block.grid.cell(row, last + 1) for row in (*block.header, *block.body)):
        last += 1
    return last


def _counts_at_all(
    block: SheetBlock, name: str, roles: Mapping[int, ColumnRole], counts: list[int], heads: Mapping[int, tuple[str, ...]]
) -> TableQuestion | None:
    """Whole numbers beside as many that are not, or in a file about rates, may be rates that happen to be whole.

    The numbers of a list may be anything, unless something says that they count.
    """
    decimals = [c for c, role in roles.items() if role.name == "decimal"]
    said = [text for c in counts for text in heads[c] if text]
    file = block.grid.file.rpartition("/")[2].rpartition(".")[0]
    percents = PERCENT in roles.values()
    rates = words_in("rates", file, block.title, block.grid.sheet) if not percents else ()
    rates = (*rates, *words_in("amounts", BEFORE_BY.split(file.replace("_", " "))[0], block.grid.sheet))
    percents = percents or any(_is_pairs(block, c) for c in counts)
    rates = rates if percents else (*rates, *_worked_out(block))
    hardly = hardly_counts(block, counts, said)
    named = ", ".join(column_words(c, heads[c]) for c in counts[:4])
    left_out = ReadingChoice(Reads.LEFT_OUT, (), {"leave_out": True})
    counted = ReadingChoice(Reads.COUNT_AMONG, (named,), {"numbers": [letters(c) for c in counts]})
    numbered = Clue(Speaks.ROW_NUMBERS) in hardly
    if (numbered or not names_counts(said)) and (len(decimals) > len(counts) or rates or hardly):
        beside = [Clue(Speaks.OTHERS_BESIDE, (str(len(decimals)),))] if len(decimals) > len(counts) else []
        clues = (*beside, *([Clue(Speaks.RATE_WORDS, (", ".join(map(shown, rates)),))] if rates else []), *hardly)
        return TableQuestion(block.grid.source, name, named, (replace(left_out, clues=clues), counted))
    if len(counts) == 1 and not says_counts(block, counts[0], said, percents):
        place = f"{named}, of which nothing says that it counts records"
        return TableQuestion(block.grid.source, name, place, (counted, left_out))
    return None


def _which_column(block: SheetBlock, name: str, counts: list[int]) -> TableQuestion:
    """Columns without headings may count parts of each other; one of them alone is a table."""
    choices = tuple(ReadingChoice(Reads.COUNT_AMONG, (f"column {letters(c)}",), {"numbers": [letters(c)]}) for c in counts)
    return TableQuestion(block.grid.source, name, f"columns {', '.join(map(letters, counts))}, which have no headings", choices)


def _decimal_commas(
    block: SheetBlock, name: str, counts: list[int], heads: Mapping[int, tuple[str, ...]]
) -> TableQuestion | None:
    """Where semicolons separate cells a comma is often a decimal one, and 12,345 no count, if every number is like that."""
    texts = [text for row in block.body for c in counts if (text := block.grid.cell(row, c)) and block.value(row, c).counts]
    if "semicolons" not in block.grid.note or len(texts) < 2 or not all(map(ONE_COMMA.fullmatch, texts)):
        return None
    clues = (Clue(Speaks.THREE_DIGITS, (shown(texts[0]),)),)
    named = ", ".join(column_words(c, heads[c]) for c in counts[:4])
    choices = (
        ReadingChoice(Reads.COUNT_AMONG, (named,), {"numbers": [letters(c) for c in counts]}, clues),
        ReadingChoice(Reads.LEFT_OUT, (), {"leave_out": True}, clues),
    )
    return TableQuestion(block.grid.source, name, named, choices)


def _worked_out(block: SheetBlock) -> tuple[str, ...]:
    """Words of the title for amounts, averages and shares; behind `by` they name variables: Patients by income."""
    found: list[str] = []
    for line in (block.title, *block.above):
        about = BEFORE_BY.split(line)[0]
        found += words_in("amounts", about)
        numbered = words_in("numbered", about)  # Number and percentage of pupils
        found += [word for word in words_in("worked_out", about) if not numbered or word in AVERAGES]
        found += ["%"] if "%" in about and not numbered else []
    return tuple(dict.fromkeys(found))


@dataclass(frozen=True, slots=True)
class ColumnRole:
    """What a column of numbers is for; `why` says why it is left out."""

    name: str
    why: str = ""


COUNT, PERCENT = ColumnRole("count"), ColumnRole("percent", "it holds percentages")
BASE = ColumnRole("base", OTHER)  # what others may be parts of, unless nothing else is there


def _roles(
    block: SheetBlock, columns: tuple[int, ...], heads: Mapping[int, tuple[str, ...]], given: Mapping[str, Any]
) -> dict[int, ColumnRole]:
    measured = _measured(given.get("measure", ""), heads)
    if "numbers" in given:
        return {
            c: PERCENT
            if c in given.get("percents", ())
            else COUNT
            if c in given["numbers"] and ("measure" not in given or c in measured)
            else ColumnRole("not named", "as the layout says")
            for c in heads
        }
    if "measure" in given:
        other = ColumnRole("other measure", f"as the layout takes {given['measure']}")
        return {c: COUNT if c in measured else other for c in heads}
    rows = [row for row in block.body if not (columns and says_statistic(block.grid.cell(row, columns[-1])))]
    roles = {c: _role(block, columns, c, said, rows, len(heads), given.get("unit", 1)) for c, said in heads.items()}
    roles |= dict.fromkeys(given.get("percents", ()), PERCENT)
    counted, bases = ([c for c, role in roles.items() if role == some] for some in (COUNT, BASE))
    if len(bases) > len(counted):  # they are what the table is about
        roles |= dict.fromkeys(bases, COUNT)
    else:
        roles |= {c: COUNT for c in bases if _is_sum(block, c, counted)}
    return roles | _running(block, [c for c, role in roles.items() if role == COUNT], heads)


def _measured(measure: str, heads: Mapping[int, tuple[str, ...]]) -> list[int]:
    """The columns of a measure: those headed by it or by words that end with it, as `CASE_COUNT` of `BK_CASE_COUNT`.

    Behind a blank it may be another one, if a column is headed by it alone: Fully vaccinated, Partly or fully vaccinated.
    """
    alone = any(measure in said for said in heads.values())
    endings = (f"_{measure}", f"!!{measure}", *(() if alone else (f" {measure}",)))
    return [
        c
        for c, said in heads.items()
        if measure and any(text == measure or text.endswith(endings) or text.startswith(f"{measure}!!") for text in said)
    ]


def _role(
    block: SheetBlock, columns: tuple[int, ...], column: int, said: tuple[str, ...], rows: Sequence[int], width: int, unit: int
) -> ColumnRole:
    """The role of a column by its headings and cells alone; `rows` are those that can count, `width` the number of columns."""
    texts = [text for text in said if text]
    values = [block.value(row, column) for row in rows]
    kinds = [value.kind for value in values]
    if any(map(says_other_alone, texts)) and not any(map(says_code, texts)):
        return ColumnRole("other", OTHER)
    if any("!!" in text and says_percent(text) for text in texts):
        return ColumnRole("percent of a tree", "it holds percentages")
    if any(map(says_percent, texts)) or kinds.count(CellKind.PERCENT) > kinds.count(CellKind.NUMBER):
        return PERCENT
    if any("margin of error" in folded(text) for text in texts):
        return ColumnRole("margin", "it holds margins of error")
    if any(map(says_code, texts)):
        return ColumnRole("code", CODES)
    if words_in("grades", *texts) and all(len(value.text) < 4 for value in values):
        return ColumnRole("grade", "it holds grades")
    if any(map(says_other, texts)):
        return ColumnRole("other", OTHER)
    if texts and all(folded(text) in TIMES for text in texts):
        return ColumnRole("time", "it holds times")
    amount = words_in("amounts", *texts)
    if amount and not (words_in("numbered", *texts) and not amount[0].startswith("weight")):  # Income_count is a number
        return ColumnRole("amount", f"it is an amount ({amount[0]}) and counts no records")
    numbered = kinds.count(CellKind.NUMBER) + kinds.count(CellKind.DECIMAL)
    if kinds.count(CellKind.DECIMAL) > numbered / MANY and unit == 1:  # one among many is an error, as one below 0 is
        return ColumnRole("decimal", "it holds numbers that are not whole")
    below = sum(1 for value in values if NEGATIVE.fullmatch(value.text))
    if below > 1 and below >= len(values) / MANY:  # a single one is an error, which is said where the numbers are taken
        return ColumnRole("negative", "it holds numbers below 0")
    if block.header and not texts and width > 1:
        return ColumnRole("no heading", "it has no heading")
    numbers = [value.text for value in values if value.kind == CellKind.NUMBER]
    if width > 1 and len(numbers) > 2 and len(set(numbers)) == 1 and len(numbers) == len(values) and numbers[0] not in ("0", "1"):
        return ColumnRole("constant", f"it is {numbers[0]} in every row")
    spans = [span for text in texts if (span := span_of(text)) is not None]  # 2,001 people of 15 years and over are no year
    if len({len(text) for text in numbers}) == 1 and len(numbers[0]) > 1 and any(text.startswith("0") for text in numbers):
        return ColumnRole("code", CODES)  # nobody counts 004
    if words_in("year_words", *texts) and not spans and len(numbers) == len(values) and all(map(YEAR.fullmatch, numbers)):
        return ColumnRole("years", "it holds years")
    numbered_rows = is_row_numbers(block.grid, block.header, block.body, column) or (width > 1 and _is_index(numbers, texts))
    if _are_places(numbers) or numbered_rows:
        return ColumnRole("index", "it numbers the rows")
    if width > 1 and any(_codes_of(block, column, other) for other in columns):
        return ColumnRole("code", CODES)
    if any(_repeats(block, column, other, rows) for other in columns):
        return ColumnRole("code", CODES)
    return BASE if any(map(says_base, texts)) else COUNT


def _are_places(shown: list[str]) -> bool:
    """Every number from 1 on just once, in any order: places in a list."""
    return len(shown) >= MANY and set(shown) == {str(i) for i in range(1, len(shown) + 1)}


def _is_index(shown: list[str], texts: list[str]) -> bool:
    numbers = [int(text) for text in shown if text.isascii() and text.isdigit()]
    numbered = len(numbers) > 3 and len(numbers) == len(shown) and numbers in (
        list(range(1, len(numbers) + 1)), list(range(len(numbers)))
    )  # fmt: skip
    return numbered and (
        not texts or folded(texts[-1]) in ("no", "no.", "nr", "nr.", "#", "row", "index", "rank", "id", "x", "unnamed: 0")
    )


def _codes_of(block: SheetBlock, column: int, label: int) -> bool:
    """Does each label always stand beside the same number, and labels are repeated often enough to tell?"""
    pairs = [(block.grid.cell(r, label), block.grid.cell(r, column)) for r in block.body if block.grid.cell(r, label)]
    labels, both = {a for a, _ in pairs}, set(pairs)
    return 1 < len(labels) == len(both) == len({b for _, b in both}) and len(pairs) >= 2 * len(labels) and all(b for _, b in both)


def _repeats(block: SheetBlock, column: int, label: int, rows: Sequence[int]) -> bool:
    """Is a number mostly the one that names its row, as in a list of old and new codes? No count is."""
    pairs = [(block.grid.cell(row, label), text) for row in rows if (text := block.grid.cell(row, column))]
    return sum(1 for a, b in pairs if a == b) >= max(A_FEW, len(pairs) / 2) and len({b for _, b in pairs}) > A_FEW


def _numbers(block: SheetBlock, column: int, rows: Sequence[int]) -> list[int | None]:
    return [plain(block.grid.cell(row, column), block.dotted) for row in rows]


def _is_sum(block: SheetBlock, column: int, parts: list[int]) -> bool:
    """Is a column the sum of others in every row?"""
    rows = [[*_numbers(block, column, (row,)), *(n for c in parts for n in _numbers(block, c, (row,)))] for row in block.body]
    known = [[n for n in row if n is not None] for row in rows if None not in row]
    return len(parts) > 1 and len(known) > 1 and all(row[0] == sum(row[1:]) for row in known)


def _running(block: SheetBlock, counted: list[int], heads: Mapping[int, tuple[str, ...]]) -> dict[int, ColumnRole]:
    """Columns that are the running sum of another one."""
    if not 2 <= len(counted) <= MOST_PAIRED:
        return {}
    values = {c: _numbers(block, c, block.body) for c in counted}
    whole = {c: [n for n in some if n is not None] for c, some in values.items() if None not in some}
    found = {}
    for one in whole:
        for other in whole:
            if one != other and (running_sum(whole[one], whole[other]) or running_sum(whole[one][::-1], whole[other][::-1])):
                found[one] = ColumnRole("running", f"it is the running sum of {column_words(other, heads[other])}")
    return found


def _is_pairs(block: SheetBlock, column: int) -> bool:
    """Do cells hold a count and its percentage?"""
    cells = [text for row in block.body if (text := block.grid.cell(row, column))]
    both = [pair for text in cells if (pair := count_and_percent(text)) is not None]
    return len(both) >= len(cells) / 2 and any(
        "." in percent or "%" in text for text, (_, percent) in zip(cells, both, strict=False)
    )


def _paired(said: tuple[str, ...], own: set[tuple[str, ...]]) -> bool:
    """Are these the headings of a column of counts, as far as they say more than that they are percentages?"""
    return any(all(not mine or folded(mine) == folded(theirs) for mine, theirs in zip(said, heads, strict=True)) for heads in own)


def column_words(column: int, said: Sequence[str]) -> str:
    words = " ".join(dict.fromkeys(filter(None, said)))
    return f"column {letters(column)}" + (f" ({words})" if words else "")
