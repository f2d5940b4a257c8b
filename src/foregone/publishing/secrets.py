"""Numbers that are not shown any more, and how to find them again in cells and in texts."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from foregone.tables.remaining import ORDINARY
from foregone.tables.values import BLANKS, CellKind, value_of

# a number in a text: perhaps with signs between thousands, perhaps with decimals; no part of a word, a date, a range or an address
NUMBER = re.compile(rf"(?<![\w.,/:\-–])(?:[0-9]{{1,3}}(?:[,'’.{BLANKS}][0-9]{{3}})+|[0-9]+)(?:[.,][0-9]+)?(?![\w/:\-–]|[.,][0-9])")
THOUSANDS = re.compile(r"[0-9]{1,3}(?:[.,][0-9]{3})+")
SMALL = 10  # numbers below stand in many texts that have nothing to do with them


@dataclass(frozen=True, slots=True)
class TextFound:
    """A text without the numbers that were found in it; `doubtful` are those that are there still, because they may mean
    something else.
    """

    text: str
    doubtful: tuple[str, ...] = ()


@dataclass(frozen=True)
class Secrets:
    """The numbers that are withheld, each once. Nothing that is written may hold one of them without being asked about it."""

    numbers: frozenset[Decimal]

    @classmethod
    def of(cls, shown: Iterable[str]) -> Secrets:
        """Of what stood in the cells."""
        return cls(frozenset(number for text in shown for number in [number_in(text)] if number is not None))

    def holds(self, text: str) -> bool:
        """Is a whole cell one of the numbers?"""
        number = number_in(text)
        return number is not None and number in self.numbers

    def cleaned(self, text: str, mark: str) -> TextFound:
        """A text with the mark in place of the numbers; those below ten, and years, are only pointed at."""
        if not self.numbers:
            return TextFound(text)
        usual = [found.span() for found in ORDINARY.finditer(text)]
        doubtful: list[str] = []

        def instead(found: re.Match[str]) -> str:
            if not self._among(found[0]):
                return found[0]
            if any(first <= found.start() and found.end() <= last for first, last in usual) or self._is_small(found[0]):
                doubtful.append(found[0])
                return found[0]
            return mark

        return TextFound(NUMBER.sub(instead, text), tuple(doubtful))

    def _among(self, text: str) -> bool:
        return any(reading in self.numbers for reading in _readings(text))

    @staticmethod
    def _is_small(text: str) -> bool:
        return text.isdigit() and int(text) < SMALL


def number_in(text: str) -> Decimal | None:
    """The number that a whole cell shows; None for a text, a range or a sign."""
    value = value_of(text)
    if value.kind in (CellKind.NUMBER, CellKind.MARKED) and value.counts is not None:
        return Decimal(value.counts.low)
    if value.kind in (CellKind.DECIMAL, CellKind.PERCENT):
        try:
            return Decimal(value.printed).normalize() + 0
        except InvalidOperation:
            return None
    return None


def _readings(text: str) -> list[Decimal]:
    """The numbers that a text can mean: a point or a comma may stand between thousands, or before decimals."""
    bare = re.sub(rf"['’{BLANKS}]", "", text)
    forms = {bare.replace(",", ".")} if re.fullmatch(r"[0-9]+(?:[.,][0-9]+)?", bare) else set()
    if THOUSANDS.fullmatch(bare):
        forms.add(bare.replace(",", "").replace(".", ""))
    return [Decimal(form) for form in forms]
