"""Labels that say a span of whole numbers: ages, years, sizes of households, however people write them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from foregone.model.alike import DASHES

WORDS = re.compile(r"\b(?:aged?|ages|years?|yrs?|old|people|persons?|of age)\b\.?|\(|\)", re.IGNORECASE)
ONE = re.compile(r"([0-9]{1,6})")
BETWEEN = re.compile(rf"(?:between )?([0-9]{{1,6}}) ?(?:[{DASHES}]+|to|and|\.\.|through) ?([0-9]{{1,6}})")
FROM = re.compile(
    rf"([0-9]{{1,6}}) ?(?:\+|plus|(?:and|or|&) ?(?:over|older|more|above|up)|[{DASHES}]+)|(?:>=|≥|from) ?([0-9]{{1,6}})(?: up)?"
)
BELOW = re.compile(r"(?:under|below|less than|younger than|<) ?([0-9]{1,6})")
UP_TO = re.compile(r"(?:up to|<=|≤) ?([0-9]{1,6})|([0-9]{1,6}) ?(?:and|or) ?(?:under|younger|less|below|fewer)")
ABOVE = re.compile(r">\s*([0-9]{1,6})")


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """The whole numbers from `first` to `last`; None: and everything above.

    >>> span_of("65+"), span_of("under 5"), span_of("18–24 years"), span_of("North")
    (Span(first=65, last=None), Span(first=0, last=4), Span(first=18, last=24), None)
    """

    first: int
    last: int | None

    def holds(self, other: Span) -> bool:
        return self.first <= other.first and (self.last is None or (other.last is not None and other.last <= self.last))

    def meets(self, other: Span) -> bool:
        """Is some number in both?"""
        return (self.last is None or other.first <= self.last) and (other.last is None or self.first <= other.last)

    @property
    def text(self) -> str:
        """A label for a piece that no table names."""
        if self.last is None:
            return f"{self.first}+"
        return str(self.first) if self.first == self.last else f"{self.first}-{self.last}"


def span_of(label: str) -> Span | None:
    """The span that a label says; None for any other label."""
    if re.search(r"\b(?:months?|weeks?|days?)\b", label, re.IGNORECASE):
        return None
    text = " ".join(WORDS.sub(" ", label).lower().split())
    if found := ONE.fullmatch(text):
        return Span(int(found[1]), int(found[1]))
    if found := BETWEEN.fullmatch(text):
        first, last = int(found[1]), int(found[2])
        return Span(first, last) if first <= last else None
    if found := FROM.fullmatch(text):
        # "over 65" is not among them: it leaves open whether 65 is meant
        return Span(int(found[1] or found[2]), None)
    if found := ABOVE.fullmatch(text):
        return Span(int(found[1]) + 1, None)
    if (found := BELOW.fullmatch(text)) and int(found[1]):
        return Span(0, int(found[1]) - 1)
    if found := UP_TO.fullmatch(text):
        return Span(0, int(found[1] or found[2]))
    return None


def pieces(spans: list[Span]) -> list[Span]:
    """The coarsest spans that every given one is a union of: their common refinement.

    >>> [piece.text for piece in pieces([Span(0, 19), Span(18, 24), Span(25, None)])]
    ['0-17', '18-19', '20-24', '25+']
    """
    starts = sorted({span.first for span in spans} | {span.last + 1 for span in spans if span.last is not None})
    made = []
    for i, first in enumerate(starts):
        piece = Span(first, starts[i + 1] - 1 if i + 1 < len(starts) else None)
        if any(span.holds(piece) for span in spans):
            made.append(piece)
    return made
