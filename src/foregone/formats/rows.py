"""Rows over a domain: which records they are about, and the published number. Every different cell is looked at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TypeGuard

from foregone.formats.published import CELLS, MARK, count_limits, published, together, whole_number
from foregone.formats.text import raise_all, read_rows
from foregone.model.dataset import Dataset, Record
from foregone.model.domain import MOST_LINES, Column, Domain, unknown_columns
from foregone.model.figure import Figure
from foregone.model.predicate import Predicate
from foregone.model.shown import listed, shown
from foregone.model.statement import Statistic

TIMES = "n"  # in microdata: how many records there are of a kind

Condition = tuple[str, frozenset[str]]


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
    """The counts and figures of a release, in this order; a column that the domain has is never taken for anything else."""
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
    fewest = min((s.high for _, s in found if _of_all(s) and s.high is not None), default=None)
    if fewest is not None:
        problems += [
            f"{place}, column {'low' if s.low != s.high else 'count'}: {s.low} is larger than the number of records,"
            f" {fewest}; correct one of the two"
            for place, s in found
            if isinstance(s, Statistic) and s.low > fewest and s.predicate.allowed
        ]
    counts, figures = together(domain, found, problems) if not problems else ([], [])
    raise_all(problems)
    return *counts, *figures


def _of_all(row: Statistic | Figure) -> TypeGuard[Statistic]:
    return isinstance(row, Statistic) and not row.predicate.allowed


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
