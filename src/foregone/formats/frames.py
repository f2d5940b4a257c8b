"""Publish tables of microdata: from a data frame (pandas, polars, Arrow or a mapping) to a release."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import product
from math import isnan, prod
from typing import Any

from foregone.formats.text import raise_all
from foregone.model.dataset import Dataset, measured_of
from foregone.model.domain import Domain, unknown_column
from foregone.model.errors import InputError, refuse
from foregone.model.figure import Figure, Measure, decimal_text
from foregone.model.predicate import Predicate
from foregone.model.release import Release
from foregone.model.shown import shown
from foregone.model.statement import Statistic

MOST_DECIMALS = 12
MAX_CELLS = 2_000_000
EXACT = 2.0**53  # up to here every whole number is a float of its own
NUMBER = re.compile(r"[+-]?[0-9]+([.][0-9]+)?")


@dataclass(frozen=True, slots=True)
class FigureRequest:
    """A measure of a column in each cell of a margin; or each cell of a margin as a percentage of the cell around it in another.

    >>> FigureRequest.parse("mean", "AGE:SEX,RACE")
    FigureRequest(measure=<Measure.MEAN: 'mean'>, of='AGE', by=('SEX', 'RACE'), within=())
    >>> FigureRequest.parse("percent", "SEX,RACE:SEX")
    FigureRequest(measure=<Measure.PERCENT: 'percent'>, of='', by=('SEX', 'RACE'), within=('SEX',))
    """

    measure: Measure
    of: str
    by: tuple[str, ...]
    within: tuple[str, ...] = ()

    @classmethod
    def parse(cls, measure: str, text: str) -> FigureRequest:
        """`AGE` or `AGE:SEX,RACE`; for percentages `SEX,RACE`, of all records, or `SEX,RACE:SEX`, of those of the same sex."""
        if measure not in tuple(Measure):
            raise InputError(f"{shown(measure)} is not one of {', '.join(Measure)}; choose one of these")
        first, _, rest = text.partition(":")
        names, others = _names(first), _names(rest)
        if measure == Measure.PERCENT:
            return cls(Measure.PERCENT, "", names, others)
        return cls(Measure(measure), first.strip(), others)


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",")) if text.strip() else ()


def with_figures(release: Release, truth: Dataset, asked: Iterable[FigureRequest | tuple[str, str]], decimals: int = 1) -> Release:
    """A release with figures of the truth beside its counts; those of nobody are left out, as nobody can print them."""
    if not 0 <= decimals <= MOST_DECIMALS:
        raise InputError(f"{decimals} decimals cannot be printed; give a number from 0 to {MOST_DECIMALS}")
    made: list[Figure] = []
    for one in asked:
        wanted = one if isinstance(one, FigureRequest) else FigureRequest.parse(*one)
        made += _figures(release, truth, wanted, decimals)
    return release.changed(figures=(*release.figures, *made))


def _figures(release: Release, truth: Dataset, asked: FigureRequest, decimals: int) -> list[Figure]:
    domain = truth.domain
    _check(asked, domain)
    where = ",".join(asked.by)
    kind = f"{asked.measure} {asked.of}".strip()
    table = f"{kind} by {where}" if asked.by else kind
    made = []
    for number, codes in enumerate(product(*(domain.column(name).codes for name in asked.by)), start=1):
        cell = dict(zip(asked.by, codes, strict=True))
        of = _base(release, {name: cell[name] for name in asked.within}) if asked.measure is Measure.PERCENT else asked.of
        figure = Figure(asked.measure, of, Predicate.of(cell), None, None, f"{table}.{number}" if asked.by else table, table)
        value = measured_of(truth, replace(figure, withheld=True), release)
        if value is not None:
            made.append(Figure.printed(asked.measure, of, figure.predicate, decimal_text(value, decimals), figure.name, table))
    return made


def _check(asked: FigureRequest, domain: Domain) -> None:
    named = (*asked.by, *asked.within, *((asked.of,) if asked.measure is not Measure.PERCENT else ()))
    problems = _unknown(asked.measure, named, domain)
    if len(set(asked.by)) < len(asked.by) or (asked.measure is Measure.PERCENT and not asked.by):
        problems.append(f"{asked.measure} by {shown(','.join(asked.by))}: names a column twice or none; name each once")
    problems += [
        f"percent: {shown(name)} is what it is of, but not among {', '.join(asked.by)}; name it there too"
        for name in asked.within
        if name not in asked.by
    ]
    refuse(problems)


def _unknown(what: str, names: Iterable[str], domain: Domain) -> list[str]:
    return [f"{what}: {unknown_column(name, domain.names)}" for name in names if name not in domain.index]


def _base(release: Release, cell: dict[str, str]) -> str:
    """The name of the published count of a cell."""
    predicate, times = Predicate.of(cell), Counter(s.name for s in release.statistics)
    found = [s.name for s in release.statistics if s.predicate == predicate and s.name and times[s.name] == 1]
    if not found:
        columns = ",".join(cell)
        raise InputError(f"percent of {columns}: no table of {columns} is published; add --margins {columns}")
    return found[0]


def tabulate(
    data: Any,
    margins: Iterable[str | Sequence[str]],
    *,
    domain: Domain | None = None,
    record: str = "record",
    zeros: bool = True,
    measures: Iterable[tuple[str, str]] = (),
    decimals: int = 1,
) -> Release:
    """The release that publishes the number of records and a table for each margin (a set of columns).

    `measures` are figures beside them, such as ("mean", "AGE:SEX") for the mean age by sex, ("sum", "AGE") and ("median",
    "AGE") for all, or ("percent", "SEX,RACE:SEX") for races as percentages of each sex, printed with so many `decimals`.

    Parameters
    ----------
    data : dict, data frame, Arrow table or Dataset
        The records, a column for each attribute.
    margins : iterable of str or sequence of str
        The tables: "SEX,AGE" or ("SEX", "AGE").
    domain : Domain, optional
        Columns and codes; those that occur if not given.
    record : str
        The noun for one record.
    zeros : bool
        Publish cells of 0, too.
    measures : iterable of tuple
        Figures beside the counts.
    decimals : int
        How figures are printed.

    Returns
    -------
    Release

    Raises
    ------
    InputError
        A column that is not there, or a value that the domain does not have; it is a ValueError.

    >>> release = tabulate({"SEX": ["F", "F", "M"], "AGE": ["1", "2", "2"]}, margins=["SEX", ("SEX", "AGE")])
    >>> [(s.name, s.low) for s in release.statistics]
    [('records', 3), ('SEX.1', 2), ('SEX.2', 1), ('SEX,AGE.1', 1), ('SEX,AGE.2', 1), ('SEX,AGE.3', 0), ('SEX,AGE.4', 1)]
    """
    truth = dataset(data, domain, record)
    return with_figures(tabulate_dataset(truth, margins, zeros), truth, measures, decimals)


def tabulate_dataset(truth: Dataset, margins: Iterable[str | Sequence[str]], zeros: bool = True) -> Release:
    """Publish margins of a dataset. Without zeros a complete table still names its support by adding up to the total."""
    domain = truth.domain
    statistics = [Statistic.exact(Predicate(), len(truth), "records")]
    for margin in margins:
        names = tuple(name.strip() for name in margin.split(",")) if isinstance(margin, str) else tuple(margin)
        table = ",".join(names)
        raise_all(_unknown(f"margin {shown(table)}", names, domain))
        if len(set(names)) < len(names) or not names:
            raise InputError(f"margin {shown(table)}: names a column twice or none; name each once")
        columns = [domain.column(name) for name in names]
        cells = prod(len(column.codes) for column in columns)
        if zeros and cells > MAX_CELLS:
            raise InputError(
                f"margin {shown(table)}: {cells:,} cells are too many to write out; leave out its zeros,"
                " they follow from the other cells and the total"
            )
        where = [domain.index[name] for name in names]
        counts = Counter(tuple(r[i] for i in where) for r in truth.records)
        order = (
            product(*(column.codes for column in columns))
            if zeros
            else sorted(counts, key=lambda codes: tuple(c.index[v] for c, v in zip(columns, codes, strict=True)))
        )
        statistics += [
            Statistic.exact(Predicate.of(dict(zip(names, codes, strict=True))), counts[codes], f"{table}.{i}", table)
            for i, codes in enumerate(order, start=1)
        ]
    return Release(domain, tuple(statistics))


def dataset(data: Any, domain: Domain | None = None, record: str = "record") -> Dataset:
    """A dataset from any of the usual kinds of table; without a domain, the values seen become the domain."""
    if isinstance(data, Dataset):
        return data
    columns = _columns(data)
    names = list(columns) if domain is None else list(domain.names)
    raise_all([unknown_column(name, columns) for name in names if name not in columns])
    problems: list[str] = []
    texts = {name: _codes(name, columns[name], problems) for name in names}
    raise_all(problems)
    if domain is None:
        if not names or not texts[names[0]]:
            raise InputError("the data have no columns or no rows; there is nothing to tabulate")
        domain = Domain.of({name: sorted(set(values), key=_natural) for name, values in texts.items()}, record=record)
    return Dataset.of(domain, zip(*texts.values(), strict=True))


def _columns(data: Any) -> dict[str, list[Any]]:
    """Column name -> values, whichever library the table comes from."""
    if hasattr(data, "to_pydict"):  # Arrow
        return dict(data.to_pydict())
    if hasattr(data, "get_columns"):  # polars
        return {str(column.name): column.to_list() for column in data.get_columns()}
    if hasattr(data, "columns") and hasattr(data, "iloc"):  # pandas
        names = [str(name) for name in data.columns]
        if len(set(names)) < len(names):
            raise InputError("a column name appears twice in the data frame; rename one")
        return {name: data.iloc[:, i].tolist() for i, name in enumerate(names)}
    if isinstance(data, Mapping):
        columns = {str(name): list(values) for name, values in data.items()}
        if len({len(values) for values in columns.values()}) > 1:
            raise InputError("the columns have different lengths; give every record a value in each")
        return columns
    raise InputError(f"cannot read a table from {type(data).__name__}; give a pandas, polars or Arrow table, or a dict of lists")


def _codes(name: str, values: list[Any], problems: list[str]) -> list[str]:
    codes = []
    for row, value in enumerate(values, start=1):
        missing = value is None or (isinstance(value, float) and isnan(value)) or str(value) in ("", "<NA>", "NaT")
        if missing:
            problems.append(f"column {name}, record {row}: the value is missing; fill it in or give missing a code of its own")
            codes.append("")
        elif isinstance(value, float) and abs(value) > EXACT:
            problems.append(f"column {name}, record {row}: {value!r} is a float too large to be exact; give such codes as text")
            codes.append("")
        elif isinstance(value, float) and value.is_integer():
            codes.append(str(int(value)))  # a column of whole numbers that passed through floats
        else:
            codes.append(str(value).strip())
    return codes


def _natural(code: str) -> tuple[int, Decimal, str]:
    """Numbers in order of size, before words in order of the alphabet.

    >>> sorted(["b", "nan", "9007199254740993", "-1", "9007199254740992", "1.5"], key=_natural)
    ['-1', '1.5', '9007199254740992', '9007199254740993', 'b', 'nan']
    """
    return (0, Decimal(code), code) if NUMBER.fullmatch(code) else (1, Decimal(0), code)
