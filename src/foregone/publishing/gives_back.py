"""Does a number that stays give a withheld one back? Asked with the withheld numbers in hand, which a reader does not have."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from foregone.publishing.secrets import number_in
from foregone.tables.values import value_of

SCALES = (1, 100, 1_000, 10_000, 100_000, 1_000_000)  # a part of, percent, per thousand, per million
ROUGHLY = Fraction(1, 10**9)  # how far a fraction is off that a program has stored


class GivesBack:
    """Withheld numbers, in order, so that all of a range are found at once."""

    def __init__(self, withheld: Iterable[Decimal]) -> None:
        self.withheld = sorted({Fraction(number) for number in withheld if number > 0})

    def ratio(self, text: str, beside: Iterable[Decimal]) -> bool:
        """Could a cell be a rate or a percentage, of a number that is shown beside it and one that is not?

        >>> GivesBack([Decimal(50)]).ratio("40.0", [Decimal(20)]), GivesBack([Decimal(53)]).ratio("40.0", [Decimal(20)])
        (True, False)
        """
        number = number_in(text)
        if number is None or number <= 0:
            return False
        x, half = Fraction(number), half_unit(text)
        least, most = x - half, x + half
        for other in map(Fraction, beside):
            for scale in SCALES if other > 0 else ():
                # x is other / withheld, or withheld / other
                if self._between(scale * other / most, None if least <= 0 else scale * other / least):
                    return True
                if self._between(least * other / scale, most * other / scale):
                    return True
        return False

    def sum(self, text: str, beside: Iterable[Decimal]) -> bool:
        """Could a cell be the sum or the difference of a number that is shown beside it and one that is not?

        >>> GivesBack([Decimal(7)]).sum("19", [Decimal(12)]), GivesBack([Decimal(7)]).sum("18", [Decimal(12)])
        (True, False)
        """
        number = number_in(text)
        if number is None:
            return False
        x = Fraction(number)
        return any(self._between(one, one) for other in map(Fraction, beside) for one in (x - other, x + other, other - x))

    def _between(self, least: Fraction, most: Fraction | None) -> bool:
        at = bisect_left(self.withheld, least)
        return at < len(self.withheld) and (most is None or self.withheld[at] <= most)


def half_unit(text: str) -> Fraction:
    """Half of what the last digit of a printed number stands for.

    >>> half_unit("40.0"), half_unit("7")
    (Fraction(1, 20), Fraction(1, 2))
    """
    value = value_of(text)
    digits = sum(map(str.isdecimal, (value.printed or value.text).partition(".")[2]))
    return max(Fraction(1, 2 * 10 ** min(digits, 12)), ROUGHLY)


At = tuple[int, int]
ENOUGH = 3  # rows that have to agree before a column is understood


@dataclass(frozen=True, slots=True)
class Quotient:
    """A column that is, in every row, `scale` times one column over another one, or over one cell of the same column."""

    above: int
    below: int
    row: int | None  # of the cell that all rows are divided by
    scale: int

    def made_of(self, row: int) -> tuple[At, At]:
        return (row, self.above), (row if self.row is None else self.row, self.below)


def quotients(column: Mapping[int, str], numbers: Mapping[At, Decimal]) -> list[Quotient]:
    """All ways in which a column of rates or percentages (row -> what is printed) follows from other numbers of its sheet.

    >>> numbers = {(r, c): Decimal(n) for r, row in enumerate([(20, 50), (30, 40), (7, 70)]) for c, n in enumerate(row)}
    >>> quotients({0: "40.0", 1: "75.0", 2: "10.0"}, numbers)
    [Quotient(above=0, below=1, row=None, scale=100)]
    """
    rows = {row: (number, half_unit(text)) for row, text in column.items() if (number := number_in(text)) is not None}
    columns = sorted({at[1] for at in numbers})
    found = []
    for above in columns:
        pairs: list[tuple[int, int | None]] = [(below, None) for below in columns if below != above]
        pairs += [(above, row) for row, c in numbers if c == above]
        found += [
            Quotient(above, below, fixed, scale)
            for below, fixed in pairs
            for scale in SCALES
            if _fits(Quotient(above, below, fixed, scale), rows, numbers)
        ]
    return found


def _fits(quotient: Quotient, rows: Mapping[int, tuple[Decimal, Fraction]], numbers: Mapping[At, Decimal]) -> bool:
    agree = 0
    for row, (number, half) in rows.items():
        above, below = (numbers.get(at) for at in quotient.made_of(row))
        if above is None or not below:
            continue
        if abs(Fraction(number) - quotient.scale * Fraction(above) / Fraction(below)) > half:
            return False
        agree += row != quotient.row
    return agree >= ENOUGH
