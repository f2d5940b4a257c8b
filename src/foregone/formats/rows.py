"""Rows over a domain: which records they are about, and the published number. Every different cell is looked at once."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from foregone.formats.text import raise_all, read_rows
from foregone.model.dataset import Dataset, Record
from foregone.model.domain import MOST_LINES, Column, Domain, near, unknown_columns
from foregone.model.figure import Figure, Measure, decimal, exact_number, number_text, rounded
from foregone.model.marks import Range, gaps_of
from foregone.model.measures import figure_problems
from foregone.model.predicate import Predicate
from foregone.model.shown import listed, shown
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

TIMES = "n"  # in microdata: how many records there are of a kind
Condition = tuple[str, frozenset[str]]


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


def raise_misfits(domain: Domain, rows: Sequence[tuple[str, Statistic | Figure]]) -> None:
    """Raise what is wrong with the figures of one file, given with the counts beside them and the place of each in the file: what
    figures say must fit the counts and the domain.
    """
    counts = [row for _, row in rows if isinstance(row, Statistic)]
    figures = [(place, row) for place, row in rows if isinstance(row, Figure)]
    found = figure_problems(domain, counts, [figure for _, figure in figures])
    raise_all([f"{figures[number][0]}, column {column}: {problem}" for number, column, problem in found])


def _cut(number: str) -> str:
    return number if len(number) <= DIGITS else shown(number)


def header_problems(path: Path, header: Sequence[str], domain: Domain, extra: tuple[str, ...]) -> list[str]:
    known = (*domain.names, *extra)
    allowed = set(known)
    return [f"{path}, row 1: {problem}" for problem in unknown_columns([name for name in header if name not in allowed], known)]


def missing_columns(path: Path, names: Sequence[str]) -> list[str]:
    """Columns that should be there: a line each, or one for all when there are many."""
    if len(names) > MOST_LINES:
        return [f"{path}, row 1: {len(names):,} columns are missing: {listed(names)}; add them"]
    return [f"{path}, row 1: column {name} is missing; add it" for name in names]


class Conditions:
    """The columns of a file that say which records a row is about."""

    def __init__(self, header: Sequence[str], domain: Domain) -> None:
        at = {name: i for i, name in enumerate(header)}
        named = sorted((column for column in domain.columns if column.name in at), key=lambda column: column.name)
        self.columns: list[tuple[int, Column, dict[str, Condition | list[str]]]] = [(at[c.name], c, {}) for c in named]

    def predicate(self, values: Sequence[str], problems: list[str]) -> Predicate:
        found: list[Condition] = []
        for at, column, known in self.columns:
            text = values[at]
            if not text:
                continue
            condition = known.get(text)
            if condition is None:
                condition = known[text] = _condition(column, text)
            if isinstance(condition, tuple):
                found.append(condition)
            else:
                problems += condition
        return Predicate(tuple(found))


def _condition(column: Column, text: str) -> Condition | list[str]:
    """The codes that a cell names, or what is wrong with it."""
    # a code may itself be the whole text; otherwise '|' separates alternatives
    codes = [text] if text in column.index else [code.strip() for code in text.split("|")]
    problems = [f", column {column.name}: {column.unknown(code)}" for code in codes if code not in column.index]
    if len(set(codes)) < len(codes):
        problems.append(f", column {column.name}: a value is named twice in {shown(text)}; name each once")
    return problems or (column.name, frozenset(codes))


def read_statistics(path: Path, domain: Domain) -> tuple[Statistic | Figure, ...]:
    """The counts and figures of a release; a column that the domain has is never taken for anything else."""
    header, rows = read_rows(path)
    words = [word for word in CELLS if word not in domain.index]
    problems = header_problems(path, header, domain, tuple(words))
    if "count" not in header and not {"low", "high"} <= set(header) and not {"measure", "value", MARK} & set(header):
        problems.append(f"{path}, row 1: neither a 'count' column nor 'low' and 'high' are there; add one of the two")
    raise_all(problems)
    conditions = Conditions(header, domain)
    blank = len(header)  # where a column that is not there would be
    cells = [header.index(word) if word in header and word in words else blank for word in CELLS]
    name, table, count, low, high = cells[:5]
    plain = all(cell == blank for cell in cells[5:])
    found: list[tuple[str, Statistic | Figure]] = []
    for line, values in rows:
        values.append("")
        wrong: list[str] = []
        predicate = conditions.predicate(values, wrong)
        made: Statistic | Figure | None
        if plain:
            least, most = count_limits(values[count], values[low], values[high], wrong)
            made = Statistic(predicate, least, most, values[name], values[table])
        else:
            made = published(domain, predicate, [values[cell] for cell in cells], wrong)
        problems += [f"{path}, row {line}{problem}" for problem in wrong]
        if made is not None and not wrong:
            found.append((f"{path}, row {line}", made))
    counts = [(place, s) for place, s in found if isinstance(s, Statistic)]
    fewest = min((s.high for _, s in counts if not s.predicate.allowed and s.high is not None), default=None)
    if fewest is not None:
        problems += [
            f"{place}, column {'low' if s.low != s.high else 'count'}: {s.low} is larger than the number of records,"
            f" {fewest}; correct one of the two"
            for place, s in counts
            if s.low > fewest and s.predicate.allowed
        ]
    raise_all(problems)
    raise_misfits(domain, found)
    return tuple(row for _, row in found)


def read_rules(path: Path, domain: Domain) -> tuple[Predicate, ...]:
    header, rows = read_rows(path)
    problems = header_problems(path, header, domain, ("name",))
    raise_all(problems)
    conditions = Conditions(header, domain)
    rules = []
    for line, values in rows:
        found: list[str] = []
        predicate = conditions.predicate(values, found)
        if not found and not predicate.allowed:
            found.append(": no column is filled in, which would forbid every record; fill in or remove the row")
        problems += [f"{path}, row {line}{problem}" for problem in found]
        rules.append(predicate)
    raise_all(problems)
    return tuple(rules)


def read_records(path: Path, domain: Domain) -> Dataset:
    """Microdata with exactly the domain's columns, in any order; other columns are an error.

    A column `n`, where the domain has none of that name, says how many records there are of each kind.
    """
    header, rows = read_rows(path)
    counted = TIMES in header and TIMES not in domain.index
    problems = header_problems(path, header, domain, (TIMES,) if counted else ())
    missing = [name for name in domain.names if name not in header]
    problems += missing_columns(path, missing)
    raise_all(problems)
    order = [header.index(name) for name in domain.names]
    kinds: Counter[Record] = Counter()
    for line, values in rows:
        record = tuple(values[i] for i in order)
        wrong: list[str] = []
        times = whole_number(TIMES, values[header.index(TIMES)], wrong) if counted else 1
        problems += [f"{path}, row {line}{problem}" for problem in wrong]
        problems += [
            f"{path}, row {line}, column {column.name}: {column.unknown(code)}"
            for column, code in zip(domain.columns, record, strict=True)
            if code not in column.index
        ]
        kinds[record] += times
    raise_all(problems)
    return Dataset.of_kinds(domain, kinds)


def read_prior(path: Path, domain: Domain) -> Dataset:
    """Microdata to compare with: there must be some."""
    prior = read_records(path, domain)
    if not len(prior):
        raise_all([f"{path}: has no rows, so nothing can be compared with it; give microdata with at least one record"])
    return prior


WEIGHT = "weight"  # in a table of shares


def read_shares(path: Path, domain: Domain) -> tuple[tuple[str, ...], dict[Record, Fraction]]:
    """A table of shares: some of the domain's columns and `weight`, a number from 0 up (or `n`, or nothing: each row counts once).

    Combinations that are listed twice are added up; those that are not listed do not occur. At least one weight is above 0.
    """
    header, rows = read_rows(path)
    last = next((word for word in (WEIGHT, TIMES) if word in header and word not in domain.index), "")
    problems = header_problems(path, header, domain, (last,) if last else ())
    names = tuple(name for name in domain.names if name in header)
    if not names and not problems:
        problems.append(f"{path}, row 1: none of the columns {listed(domain.names)} is there; add at least one")
    raise_all(problems)
    places = [header.index(name) for name in names]
    found: dict[Record, Fraction] = {}
    for line, values in rows:
        record = tuple(values[i] for i in places)
        weight = Fraction(1) if not last else _weight(values[header.index(last)])
        if weight is None:
            text = shown(values[header.index(last)])
            problems.append(f"{path}, row {line}, column {last}: {text} is not a number from 0 up; write one, such as 0.25")
            continue
        problems += [
            f"{path}, row {line}, column {name}: {domain.column(name).unknown(code)}"
            for name, code in zip(names, record, strict=True)
            if code not in domain.column(name).index
        ]
        found[record] = found.get(record, Fraction(0)) + weight
    if not problems and not any(found.values()):
        problems.append(f"{path}: no row has a weight above 0, so nothing can be weighed by it; add rows")
    raise_all(problems)
    return names, {record: weight for record, weight in found.items() if weight}


def _weight(text: str) -> Fraction | None:
    """A number from 0 up, as people and programs write it."""
    if not re.fullmatch(r"[0-9]{1,30}([.][0-9]{1,30})?([eE][+-]?[0-9]{1,3})?", text):
        return None
    return Fraction(text)
