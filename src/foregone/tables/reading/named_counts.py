"""What says that the numbers of a list count records: a heading, the title, marks, totals, percentages, or whom they are by."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from foregone.model.alike import folded
from foregone.tables.blocks import SheetBlock
from foregone.tables.spans import are_moments, kind_of
from foregone.tables.values import CellKind
from foregone.tables.words import CAMEL, PIECES, names_a_value, names_a_variable, says_count, says_total, word_lists, words_in

NAMED = ("events", "stocks", "numbered", "things", "kinds_of_records", "people")
TITLED = ("events", "stocks", "kinds_of_records", "numbered", "people")
A_WORD = 5  # letters of a word whose last one may be that of a plural
TRAITS = ("sexes", "spans of numbers", "ethnic groups", "marital statuses", "school grades")
DENSE = 1.5  # times as many combinations of labels as rows, and no more, where every combination was counted


def says_any_count(label: str) -> bool:
    """Is a column headed like this one of numbers, whatever they say: `value`, `total`?"""
    return folded(label) in word_lists()["any_counts"]


def names_counts(said: Sequence[str]) -> bool:
    """Does a heading say that numbers count, or name what is often counted?"""
    return any(says_count(text) and not says_any_count(text) for text in said) or bool(words_in("counted", *said))


def heads_count(said: Sequence[str]) -> bool:
    """Do headings name what is counted? A plural does, unless it is one of units or scores.

    >>> heads_count(["Freq"]), heads_count(["Smokers"]), heads_count(["Years"]), heads_count(["value"]), heads_count(["yield"])
    (True, True, False, False, False)
    """
    texts = [text for text in said if text and not says_any_count(text)]
    if names_counts(texts) or any(map(names_a_value, texts)) or any(words_in(key, *texts) for key in NAMED):
        return True
    return not words_in("measured", *texts) and any(_plural(word) for text in texts for word in _words(text))


def _words(text: str) -> list[str]:
    return PIECES.sub(" ", CAMEL.sub(" ", text)).casefold().split()


def _plural(word: str) -> bool:
    return len(word) >= A_WORD and word.isalpha() and word.endswith("s") and not word.endswith(("ss", "us", "is", "as"))


def says_counts(block: SheetBlock, column: int, said: Sequence[str], percents: bool) -> bool:
    """Does anything say that a column with headings `said` counts records? `percents`: there are percentages of counts."""
    file = block.grid.file.rpartition("/")[2].rpartition(".")[0]
    if percents or heads_count(said):
        return True
    # where numbers that are labels have such a heading, the title may be about those
    if not _counts_among_labels(block) and _titled(block.title, *block.above, block.grid.sheet, file):
        return True
    shows = {block.value(row, column).kind for row in block.body}
    labels = [[block.grid.cell(row, c) for row in block.body] for c in block.labels]
    return bool({CellKind.RANGE, CellKind.TOKEN} & shows) or _has_total(block, column) or _by_people(block, labels)


def _counts_among_labels(block: SheetBlock) -> bool:
    """Does a column of labels hold numbers below a heading that names what is counted, as `incidents` beside `service`?"""
    for column in block.labels:
        texts = [text for row in block.body if (text := block.grid.cell(row, column))]
        heads = [text for row in block.header if (text := block.grid.cell(row, column))]
        if heads_count(heads) and texts and sum(map(str.isdigit, texts)) > len(texts) / 2 and not are_moments("", texts):
            return True
    return False


def _has_total(block: SheetBlock, column: int) -> bool:
    """Does a row called a total show more than every other?"""
    numbers = {row: value.counts.low for row in block.body if (value := block.value(row, column)).counts is not None}
    totals = [row for row in numbers if any(says_total(block.grid.cell(row, c)) for c in block.labels)]
    others = [number for row, number in numbers.items() if row not in totals]
    return any(numbers[row] > max(others, default=0) for row in totals)


def _titled(*texts: str) -> bool:
    found = {word for key in TITLED for word in words_in(key, *texts)}
    return bool(found - set(word_lists()["of_any_title"]))


def _by_people(block: SheetBlock, labels: Sequence[Sequence[str]]) -> bool:
    """Are rows by sex, age or another trait, and by most combinations of it with others? Lists of single people are not."""
    levels = [tuple(dict.fromkeys(filter(None, texts))) for texts in labels]
    if prod(map(len, levels)) > DENSE * len(block.body) or len(set(zip(*labels, strict=True))) < len(block.body):
        return False
    heads = [text for row in block.header for c in block.labels if (text := block.grid.cell(row, c))]
    worded = {kind_of(some) for some in levels if not all(map(str.isdigit, some))}
    return bool(worded & set(TRAITS)) or any(map(names_a_variable, heads))
