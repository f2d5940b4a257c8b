"""Publish sums, means, medians and percentages of a dataset, rounded as people print them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product

from foregone.model.dataset import Dataset, measured_of
from foregone.model.domain import Domain, unknown_column
from foregone.model.errors import InputError
from foregone.model.figure import Figure, Measure
from foregone.model.predicate import Predicate
from foregone.model.release import Release
from foregone.model.shown import shown
from foregone.model.statement import Statistic

MOST_DECIMALS = 12


@dataclass(frozen=True, slots=True)
class Asked:
    """A measure of a column in each cell of a margin; or each cell of a margin as a percentage of the cell around it in another.

    >>> Asked.parse("mean", "AGE:SEX,RACE")
    Asked(measure=<Measure.MEAN: 'mean'>, of='AGE', by=('SEX', 'RACE'), within=())
    >>> Asked.parse("percent", "SEX,RACE:SEX")
    Asked(measure=<Measure.PERCENT: 'percent'>, of='', by=('SEX', 'RACE'), within=('SEX',))
    """

    measure: Measure
    of: str
    by: tuple[str, ...]
    within: tuple[str, ...] = ()

    @classmethod
    def parse(cls, measure: str, text: str) -> Asked:
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


def with_figures(release: Release, truth: Dataset, asked: Iterable[Asked | tuple[str, str]], decimals: int = 1) -> Release:
    """The same release with figures of the truth beside its counts; those of nobody are left out, as nobody can print them."""
    if not 0 <= decimals <= MOST_DECIMALS:
        raise InputError(f"{decimals} decimals cannot be printed; give a number from 0 to {MOST_DECIMALS}")
    made: list[Figure] = []
    for one in asked:
        wanted = one if isinstance(one, Asked) else Asked.parse(*one)
        made += _figures(release, truth, wanted, decimals)
    return release.changed(figures=(*release.figures, *made))


def _figures(release: Release, truth: Dataset, asked: Asked, decimals: int) -> list[Figure]:
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
            made.append(Figure.printed(asked.measure, of, figure.predicate, printed(value, decimals), figure.name, table))
    return made


def _check(asked: Asked, domain: Domain) -> None:
    named = (*asked.by, *asked.within, *((asked.of,) if asked.measure is not Measure.PERCENT else ()))
    problems = [f"{asked.measure}: {unknown_column(name, domain.names)}" for name in named if name not in domain.index]
    if len(set(asked.by)) < len(asked.by) or (asked.measure is Measure.PERCENT and not asked.by):
        problems.append(f"{asked.measure} by {shown(','.join(asked.by))}: names a column twice or none; name each once")
    problems += [
        f"percent: {shown(name)} is what it is of, but not among {', '.join(asked.by)}; name it there too"
        for name in asked.within
        if name not in asked.by
    ]
    if problems:
        raise InputError(problems)


def _base(release: Release, cell: dict[str, str]) -> str:
    """The name of the published count of a cell."""
    predicate = Predicate.of(cell)
    found = [s.name for s in release.statistics if s.predicate == predicate and s.name and _once(release.statistics, s.name)]
    if not found:
        columns = ",".join(cell)
        raise InputError(f"percent of {columns}: no table of {columns} is published; add --margins {columns}")
    return found[0]


def _once(statistics: Sequence[Statistic], name: str) -> bool:
    return sum(s.name == name for s in statistics) == 1


def printed(value: Fraction, decimals: int) -> str:
    """A number with so many decimals, halves rounded away from zero.

    >>> printed(Fraction(67, 2), 1), printed(Fraction(110, 3), 1), printed(Fraction(-1, 4), 1), printed(Fraction(5, 2), 0)
    ('33.5', '36.7', '-0.3', '3')
    """
    scaled = abs(value) * 10**decimals
    digits = f"{(2 * scaled.numerator + scaled.denominator) // (2 * scaled.denominator):0{decimals + 1}d}"
    sign = "-" if value < 0 and int(digits) else ""
    return sign + (f"{digits[:-decimals]}.{digits[-decimals:]}" if decimals else digits)
