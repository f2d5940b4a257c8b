"""The words of labels: totals, counts, what is neither, and spans of whole numbers such as ages, however people write them."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from foregone.model.alike import DASHES, folded

PERCENT_WORDS = re.compile(r"(?i)\(?\b(percentage|percent|per cent|pct|share|row|column|col)\b( of)?\)?|\(?%\)?|\(n\)|\bn\b")
WORDS = re.compile(r"\b(?:aged?|ages|years?|yrs?|old|people|persons?|of age)\b\.?|\(|\)", re.IGNORECASE)
ONE = re.compile(r"([0-9]{1,6})")
BETWEEN = re.compile(rf"(?:between )?([0-9]{{1,6}}) ?(?:[{DASHES}]+|to|and|\.\.|through) ?([0-9]{{1,6}})")
FROM = re.compile(
    rf"([0-9]{{1,6}}) ?(?:\+|plus|(?:and|or|&) ?(?:over|older|more|above|up)|[{DASHES}]+)|(?:>=|≥|from) ?([0-9]{{1,6}})(?: up)?"
)
BELOW = re.compile(r"(?:under|below|less than|younger than|<) ?([0-9]{1,6})")
UP_TO = re.compile(r"(?:up to|<=|≤) ?([0-9]{1,6})|([0-9]{1,6}) ?(?:and|or) ?(?:under|younger|less|below|fewer)")
ABOVE = re.compile(r">\s*([0-9]{1,6})")


@cache
def _words() -> dict[str, Any]:
    return tomllib.loads(files("foregone.tables").joinpath("words.toml").read_text("utf-8"))


def says_total(label: str) -> bool:
    """
    >>> says_total("All towns"), says_total("Total"), says_total("Allerton")
    (True, True, False)
    """
    text = folded(label).rstrip(":")
    return text in _words()["totals"] or text.startswith(tuple(_words()["total_beginnings"]))


def says_count(label: str) -> bool:
    return folded(label) in _words()["counts"]


def says_percent(label: str) -> bool:
    text = folded(label)
    return "%" in text or text in _words()["percents"] or any(word in text.split() for word in _words()["percents"])


def says_other(label: str) -> bool:
    """Is a column headed like this about something else than a number of records?

    >>> says_other("Residents"), says_other("Rate per 1,000"), says_other("Female")
    (True, True, False)
    """
    text = folded(label)
    known = _words()
    return (
        text in known["others"]
        or any(word in text for word in known["others_inside"])
        or text.endswith(tuple(known["others_endings"]))
    )


def says_code(label: str) -> bool:
    """Does a column headed like this hold names of things, and no numbers that could be worked with?

    >>> says_code("Area code"), says_code("Rate"), says_code("Decode rate")
    (True, False, False)
    """
    return folded(label).split()[-1:] in (["code"], ["codes"], ["id"])


def says_measure(name: str) -> bool:
    """Is a variable called like this about what is measured, and not about whom?

    >>> says_measure("UNIT_MEASURE"), says_measure("Age")
    (True, False)
    """
    return folded(name).replace("_", " ") in _words()["measures"]


def says_statistic(label: str) -> bool:
    """Is a row called like this a mean, a rate or a percentage, below rows that count?

    >>> says_statistic("Mean age"), says_statistic("% under 18"), says_statistic("Meanwood")
    (True, True, False)
    """
    first = folded(label).replace("(", " ").replace(":", " ").split()[:1]
    return bool(first) and (first[0] in _words()["statistics"] or first[0].startswith("%"))


def is_common(label: str) -> bool:
    return folded(label) in _words()["common"]


def name_by_labels(labels: tuple[str, ...]) -> str:
    """What a variable with these labels is called, if everybody calls it so."""
    texts = {folded(label) for label in labels}
    names: dict[str, list[str]] = _words()["names"]
    alone = len(texts) == 1  # a single one must be a word
    return next(
        (n for n, known in names.items() if len(texts & set(known[: 8 if alone else 10])) > (not alone) and texts <= set(known)), ""
    )


def names_a_value(label: str) -> bool:
    """Is a label one of a variable that everybody knows, such as Female?"""
    return any(folded(label) in known[:10] for known in _words()["names"].values())


def same_name(one: str, other: str) -> bool:
    """
    >>> same_name("Age group", "AGE"), same_name("Age", "Stage")
    (True, False)
    """
    return _core(one) == _core(other)


def _core(name: str) -> str:
    small = folded(name).replace("_", " ").replace("(", " ").replace(")", " ").split()
    kept = [word for word in small if word not in ("group", "groups", "band", "bands", "category", "years", "in", "year", "class")]
    return " ".join(kept or small)


@dataclass(frozen=True, slots=True, order=True)
class LabelSpan:
    """The whole numbers from `first` to `last`; None: and everything above.

    >>> span_of("65+"), span_of("under 5"), span_of("18–24 years"), span_of("North")
    (LabelSpan(first=65, last=None), LabelSpan(first=0, last=4), LabelSpan(first=18, last=24), None)
    """

    first: int
    last: int | None

    def holds(self, other: LabelSpan) -> bool:
        return self.first <= other.first and (self.last is None or (other.last is not None and other.last <= self.last))

    def meets(self, other: LabelSpan) -> bool:
        """Is some number in both?"""
        return (self.last is None or other.first <= self.last) and (other.last is None or self.first <= other.last)

    @property
    def text(self) -> str:
        """A label for a piece that no table names."""
        if self.last is None:
            return f"{self.first}+"
        return str(self.first) if self.first == self.last else f"{self.first}-{self.last}"


def span_of(label: str) -> LabelSpan | None:
    """The span that a label says; None for any other label."""
    if re.search(r"\b(?:months?|weeks?|days?)\b", label, re.IGNORECASE):
        return None
    text = " ".join(WORDS.sub(" ", label).lower().split())
    if found := ONE.fullmatch(text):
        return LabelSpan(int(found[1]), int(found[1]))
    if found := BETWEEN.fullmatch(text):
        first, last = int(found[1]), int(found[2])
        return LabelSpan(first, last) if first <= last else None
    if found := FROM.fullmatch(text):
        # "over 65" is not among them: it leaves open whether 65 is meant
        return LabelSpan(int(found[1] or found[2]), None)
    if found := ABOVE.fullmatch(text):
        return LabelSpan(int(found[1]) + 1, None)
    if (found := BELOW.fullmatch(text)) and int(found[1]):
        return LabelSpan(0, int(found[1]) - 1)
    if found := UP_TO.fullmatch(text):
        return LabelSpan(0, int(found[1] or found[2]))
    return None


def pieces(spans: list[LabelSpan]) -> list[LabelSpan]:
    """The coarsest spans that every given one is a union of: their common refinement.

    >>> [piece.text for piece in pieces([LabelSpan(0, 19), LabelSpan(18, 24), LabelSpan(25, None)])]
    ['0-17', '18-19', '20-24', '25+']
    """
    starts = sorted({span.first for span in spans} | {span.last + 1 for span in spans if span.last is not None})
    made = []
    for i, first in enumerate(starts):
        piece = LabelSpan(first, starts[i + 1] - 1 if i + 1 < len(starts) else None)
        if any(span.holds(piece) for span in spans):
            made.append(piece)
    return made


def bare(heading: str) -> str:
    """A heading without the words that say percentage or number.

    >>> bare("Male (%)"), bare("% female"), bare("Male n"), bare("%")
    ('Male', 'female', 'Male', '')
    """
    return " ".join(PERCENT_WORDS.sub(" ", heading).split()).strip(" -:,")
