"""Published numbers that are not counts: sums, means, medians and percentages."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction

from foregone.model.errors import InputError
from foregone.model.marks import range_text
from foregone.model.predicate import Predicate
from foregone.model.shown import shown
from foregone.model.statement import LARGEST

PRINTED = re.compile(r"([+-]?)([0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(?:[.]([0-9]+))?")
QUOTIENT = re.compile(r"[+-]?[0-9]{1,40}/[1-9][0-9]{0,40}", re.ASCII)
LONGEST = 40  # characters of a printed number


class Measure(StrEnum):
    """What a figure measures."""

    SUM = "sum"
    MEAN = "mean"
    MEDIAN = "median"
    PERCENT = "percent"


@dataclass(frozen=True, slots=True)
class Figure:
    """The sum, mean or median of column `of` over the records that match, or their percentage of statistic `of` (of all
    records when blank), lies between low and high; None leaves an end open. `value` is the number as it was printed.

    A published mean, median or percentage says that there is something to take it of. One that is `withheld` says nothing
    but its limits, if it has any.

    >>> mean = Figure.printed(Measure.MEAN, "AGE", Predicate.of({"SEX": "F"}), "33.5")
    >>> str(mean.low), str(mean.high)
    ('669/20', '671/20')
    """

    measure: Measure
    of: str
    predicate: Predicate
    low: Fraction | None
    high: Fraction | None
    name: str = ""
    table: str = ""
    value: str = ""
    withheld: bool = False

    @classmethod
    def printed(cls, measure: Measure, of: str, predicate: Predicate, value: str, name: str = "", table: str = "") -> Figure:
        """A rounded number: its decimals tell how far it may be off, and both ends are possible."""
        low, high = rounded(value.removesuffix("%").rstrip() if measure is Measure.PERCENT else value)
        return cls(measure, of, predicate, low, high, name, table, value)

    @classmethod
    def exact(
        cls, measure: Measure, of: str, predicate: Predicate, number: Fraction | int, name: str = "", table: str = ""
    ) -> Figure:
        """A figure that is known to the last digit."""
        return cls(measure, of, predicate, Fraction(number), Fraction(number), name, table)

    @property
    def label(self) -> str:
        """Its name, or what it is about when it has none."""
        if self.name:
            return self.name
        what = f"{self.measure} of {self.of}" if self.of else str(self.measure)
        return f"{what} where {self.predicate.text()}" if self.predicate.allowed else what

    @property
    def predicates(self) -> tuple[Predicate, ...]:
        """What it is about."""
        return (self.predicate,)

    @property
    def range_text(self) -> str:
        """What it says, in words: one value, or from one to another."""
        if self.value:
            return self.value
        if self.low is None and self.high is None:
            return "withheld"
        return range_text(*(None if end is None else number_text(end) for end in (self.low, self.high)))

    @property
    def needs_base(self) -> bool:
        """Does it say that there is something to take it of?"""
        return self.measure is not Measure.SUM and not self.withheld

    @property
    def not_shown(self) -> Figure:
        """The figure with nothing shown or known of it."""
        return replace(self, low=None, high=None, value="", withheld=True)

    def holds(self, value: Fraction | None) -> bool:
        """Can it be published of data in which it is so much? None: there is nothing to take it of."""
        if value is None:
            return not self.needs_base
        return (self.low is None or self.low <= value) and (self.high is None or value <= self.high)

    def problems(self) -> list[str]:
        """What is wrong with it on its own, one sentence each."""
        if self.measure is not Measure.PERCENT and not self.of:
            return [f"a {self.measure} is of a column; name it in 'of'"]
        if self.low is None and self.high is None and not self.withheld:
            return ["neither a value nor a limit is given; give the published number, or its range in low and high"]
        if self.low is not None and self.high is not None and self.low > self.high:
            return [f"low {number_text(self.low)} is above high {number_text(self.high)}; swap or correct them"]
        if any(end is not None and abs(end) > LARGEST for end in (self.low, self.high)):
            return [f"the number is above {LARGEST}, more than any table holds; correct it"]
        return []


def decimal(text: str) -> tuple[Fraction, int] | None:
    """A number as people print it, exactly, and how many decimals it has; None if it is none.

    >>> decimal("1,082.50"), decimal("-3"), decimal("1e3")
    ((Fraction(2165, 2), 2), (Fraction(-3, 1), 0), None)
    """
    found = PRINTED.fullmatch(text) if len(text) <= LONGEST else None
    if found is None:
        return None
    sign, whole, decimals = found[1], found[2].replace(",", ""), found[3] or ""
    return Fraction(int(sign + whole + decimals), 10 ** len(decimals)), len(decimals)


def exact_number(text: str) -> Fraction | None:
    """A decimal number or a quotient of whole numbers, as `number_text` writes them; None if it is neither."""
    found = decimal(text)
    if found is not None:
        return found[0]
    return Fraction(text) if QUOTIENT.fullmatch(text) else None


def rounded(text: str) -> tuple[Fraction, Fraction]:
    """What a printed number can have been before it was rounded.

    >>> [str(end) for end in rounded("38")], [float(end) for end in rounded("36.7")]
    (['75/2', '77/2'], [36.65, 36.75])
    """
    found = decimal(text)
    if found is None:
        raise InputError(f"{shown(text)} is not a number; write it as it was printed, such as 33.5")
    value, decimals = found
    half = Fraction(1, 2 * 10**decimals)
    return value - half, value + half


def number_text(number: Fraction) -> str:
    """A number as people write it: a decimal where it is one, else a fraction.

    >>> number_text(Fraction(67, 2)), number_text(Fraction(134)), number_text(Fraction(110, 3)), number_text(Fraction(-1, 8))
    ('33.5', '134', '110/3', '-0.125')
    """
    places, rest = 0, number.denominator
    while rest % 10 == 0 or rest % 2 == 0 or rest % 5 == 0:
        rest //= 10 if rest % 10 == 0 else 2 if rest % 2 == 0 else 5
        places += 1
    return str(number) if rest > 1 else decimal_text(number, places)


def decimal_text(number: Fraction, decimals: int) -> str:
    """A number with so many decimals, halves rounded away from zero.

    >>> [decimal_text(Fraction(*number), 1) for number in ((67, 2), (110, 3), (-1, 4))], decimal_text(Fraction(5, 2), 0)
    (['33.5', '36.7', '-0.3'], '3')
    """
    scaled = abs(number) * 10**decimals
    digits = f"{(2 * scaled.numerator + scaled.denominator) // (2 * scaled.denominator):0{decimals + 1}d}"
    sign = "-" if number < 0 and int(digits) else ""
    return sign + (f"{digits[:-decimals]}.{digits[-decimals:]}" if decimals else digits)
