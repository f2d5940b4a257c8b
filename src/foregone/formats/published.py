"""A published number as people print it, from its cells to a count or a figure. Every file format reads its rows through this page.

    count     12   1,082   <5 (0 to 4)   1-4   100+        or low and high (blank high: no upper limit)
    measure   sum, mean, median, percent, with `of` and `value` (33.5 means 33.45 to 33.55), or low and high
    status    withheld: the cell exists and is not shown; nothing is known of it but low and high, if they are given
    mark      the text printed instead of the number; without low and high it can be what domain.json says that the mark means
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from foregone.model.domain import Domain, near
from foregone.model.figure import Figure, Measure, decimal, exact_number, number_text, rounded
from foregone.model.marks import gaps_of
from foregone.model.measures import figure_problems
from foregone.model.predicate import Predicate
from foregone.model.shown import shown
from foregone.model.statement import LARGEST, Statistic

COUNTS = ("count", "low", "high")
WORDS = ("name", "table")
MEASURES = ("measure", "of", "value")
STATUS = "status"
MARK = "mark"
CELLS = (*WORDS, *COUNTS, *MEASURES, STATUS, MARK)  # what a row can have beside its predicate
WITHHELD = "withheld"
DIGITS = len(str(LARGEST))

GROUPED = re.compile(r"[0-9]{1,3}(,[0-9]{3})+")
BETWEEN = re.compile(r"([0-9][0-9,]*)\s*[-\u2010-\u2015]\s*([0-9][0-9,]*)")

Range = tuple[int, int | None]


def whole_number(name: str, text: str, problems: list[str]) -> int:
    """A count, with or without commas between its thousands; `name` is the column it stands in."""
    whole, point, rest = text.partition(".")
    if GROUPED.fullmatch(whole):
        whole = whole.replace(",", "")
    if whole.isascii() and whole.isdigit() and (not point or not rest.strip("0")):
        digits = whole.lstrip("0")
        number = int(digits or "0") if len(digits) <= DIGITS else LARGEST + 1
        if number <= LARGEST:
            return number
        problems.append(f", column {name}: {shown(text)} is above {LARGEST}, more than any table counts; correct it")
    elif text.lstrip("-").replace(".", "", 1).isdigit():
        why = "negative" if text.startswith("-") else "not a whole number"
        problems.append(f", column {name}: {shown(text)} is {why}; counts are whole numbers from 0 up")
    else:
        problems.append(f", column {name}: {shown(text)} is not a number; write a whole number, or a range in low and high")
    return 0


def printed_count(name: str, text: str, problems: list[str]) -> Range:
    """A count as it is printed: a number, or one of the ways in which small numbers are hidden.

    >>> [printed_count("count", text, []) for text in ("1,082", "<5", "1-4", "100+")]
    [(1082, 1082), (0, 4), (1, 4), (100, None)]
    """
    if text[:1] == "<":
        below = whole_number(name, text[1:].strip(), problems)
        if not below and not problems:
            problems.append(f", column {name}: {shown(text)} leaves no count; counts are whole numbers from 0 up")
        return 0, max(below - 1, 0)
    if text[-1:] == "+":
        return whole_number(name, text[:-1].strip(), problems), None
    found = BETWEEN.fullmatch(text)
    if found is not None:
        return between(whole_number(name, found[1], problems), whole_number(name, found[2], problems), f", column {name}", problems)
    exact = whole_number(name, text, problems)
    return exact, exact


def between(low: int, high: int | None, place: str, problems: list[str]) -> Range:
    """A range that is not empty."""
    if high is not None and low > high and not problems:
        problems.append(f"{place}: low {low} is above high {high}; swap or correct them")
    return low, high


def count_limits(count: str, low: str, high: str, problems: list[str], withheld: bool = False) -> Range:
    """What `count`, or `low` and `high`, say about a number of records."""
    if count and not low and not high and not withheld:
        return printed_count("count", count, problems)
    if count and withheld:
        problems.append(f", column {STATUS}: withheld, but the count {_cut(count)} is given; leave one of the two blank")
        return 0, None
    if count:
        given = f"{_cut(low) or 'blank'}/{_cut(high) or 'blank'}"
        problems.append(f": both count {_cut(count)} and low/high {given} are given; keep one of the two")
        return 0, None
    if not low and not high and not withheld:
        problems.append(": neither count nor low and high are filled in; give the published number or its range")
        return 0, None
    least = whole_number("low", low, problems) if low else 0
    return between(least, whole_number("high", high, problems) if high else None, "", problems)


def published(domain: Domain, predicate: Predicate, cells: Sequence[str], problems: list[str]) -> Statistic | Figure | None:
    """A row, its cells in the order of CELLS and blank where they are not there; None where something is wrong with it."""
    name, table, count, low, high, measure, of, value, status, mark = cells
    before = len(problems)
    if status not in ("", WITHHELD):
        problems.append(f", column {STATUS}: {shown(status)} is not understood; leave it blank, or write {WITHHELD}")
    hidden = status == WITHHELD
    if measure in ("", "count"):
        problems += [f", column {word}: only a sum, mean, median or percent has this; leave it blank for a count"
                     for word, text in (("of", of), ("value", value)) if text]  # fmt: skip
        if mark:
            return _marked(domain, Statistic(predicate, 0, None, name, table, hidden, mark), count, low, high, problems)
        limits = count_limits(count, low, high, problems, hidden)
        return Statistic(predicate, *limits, name, table, hidden) if len(problems) == before else None
    if mark:
        problems.append(f", column {MARK}: {shown(mark)} stands for a {measure}; a mark stands for a count, so leave it blank")
    if measure not in tuple(Measure):
        known = ("count", *Measure)
        problems.append(f", column measure: {shown(measure)} is not one of {', '.join(known)}{near(measure, known)}")
        return None
    if count:
        problems.append(f", column count: {_cut(count)} is given, but a {measure} stands in 'value'; move it there")
    ends = figure_limits(measure, value, low, high, problems, hidden)
    if len(problems) > before or ends is None:
        return None
    return Figure(Measure(measure), of, predicate, *ends, name, table, value, hidden)


def _marked(
    domain: Domain, cell: Statistic, count: str, low: str, high: str, problems: list[str]
) -> Statistic | None:
    """A count in whose place a mark is printed: with limits of its own, or with those of the mark."""
    meant = dict(domain.marks).get(cell.mark)
    before = len(problems)
    if count:
        given = f"stands for the number, but the count {_cut(count)} is given; keep one"
        problems.append(f", column {MARK}: {shown(cell.mark)} {given}")
    elif low or high:
        least, most = count_limits("", low, high, problems)
        cell = replace(cell, low=least, high=most)
    elif meant is not None:
        cell = replace(cell, low=meant[0][0], high=meant[-1][1], gaps=gaps_of(meant))
    elif not cell.withheld:
        where = f'in domain.json, "marks": {{"{cell.mark}": "1.."}}'
        problems.append(f", column {MARK}: what {shown(cell.mark)} means is not said; say it {where}, or give low and high")
    return cell if len(problems) == before else None


def figure_limits(
    measure: str, value: str, low: str, high: str, problems: list[str], withheld: bool
) -> tuple[Fraction | None, Fraction | None] | None:
    """What `value`, or `low` and `high`, say about a sum, mean, median or percentage."""
    if value and (low or high or withheld):
        beside = STATUS if withheld else "low or high"
        problems.append(f", column value: {_cut(value)} is given beside {beside}; keep one of the two")
        return None
    if value:
        text = value.removesuffix("%").rstrip() if measure == Measure.PERCENT else value
        if decimal(text) is None:
            problems.append(f", column value: {shown(value)} is not a number; write it as it was printed, such as 33.5")
            return None
        return rounded(text)
    if not low and not high and not withheld:
        problems.append(": neither value nor low and high are filled in; give the published number or its range")
        return None
    ends = [_limit(word, text, problems) for word, text in (("low", low), ("high", high))]
    return ends[0], ends[1]


def _limit(name: str, text: str, problems: list[str]) -> Fraction | None:
    if not text:
        return None
    found = exact_number(text)
    if found is None:
        problems.append(f", column {name}: {shown(text)} is not a number; write a decimal number such as 33.45")
    return found


def cells_of(row: Statistic | Figure) -> list[str]:
    """The cells of a count or a figure, in the order of CELLS: what `published` reads back."""
    if isinstance(row, Statistic):
        shown_low = "" if row.withheld and not row.low and not row.mark else str(row.low)
        ends = ["", shown_low, "" if row.high is None else str(row.high)] if row.open else [str(row.low), "", ""]
        if row.gaps:  # the mark tells
            ends = ["", "", ""]
        return [row.name, row.table, *ends, "", "", "", WITHHELD if row.withheld else "", row.mark]
    ends = ["", ""] if row.value else ["" if end is None else number_text(end) for end in (row.low, row.high)]
    return [row.name, row.table, "", *ends, str(row.measure), row.of, row.value, WITHHELD if row.withheld else "", ""]


def together(
    domain: Domain, rows: Sequence[tuple[str, Statistic | Figure]], problems: list[str]
) -> tuple[list[Statistic], list[Figure]]:
    """Counts and figures of one file, each with its place in the file; what figures say must fit the counts and the domain."""
    counts = [row for _, row in rows if isinstance(row, Statistic)]
    figures = [(place, row) for place, row in rows if isinstance(row, Figure)]
    for number, column, problem in figure_problems(domain, counts, [figure for _, figure in figures]):
        problems.append(f"{figures[number][0]}, column {column}: {problem}")
    return counts, [figure for _, figure in figures]


def _cut(number: str) -> str:
    return number if len(number) <= DIGITS else shown(number)
