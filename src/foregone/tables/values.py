"""What stands in a cell: a whole number, a percentage, a range, a token, nothing; as people write them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache

from foregone.model.alike import DASHES
from foregone.rules.rule import Counts

BLANKS = " \u00a0\u202f\u2007\u2009"  # plain, no-break, narrow no-break, figure, thin
RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹ᵃᵇᶜᵈ"

GROUPED = re.compile(rf"[0-9]{{1,3}}(?:([,'’{BLANKS}])[0-9]{{3}})(?:\1[0-9]{{3}})*")
DOTTED = re.compile(r"[0-9]{1,3}(?:\.[0-9]{3})+")
PLAIN = re.compile(r"[0-9]{1,18}(?:\.0+)?")
DECIMAL = re.compile(r"[0-9]{1,15}[.,][0-9]+")
PERCENT = re.compile(r"([0-9]{1,15}(?:[.,][0-9]+)?) ?%")
LESS = re.compile(r"(?:<|fewer than|less than|under) ?([0-9]{1,9})", re.IGNORECASE)
AT_MOST = re.compile(r"(?:<=|≤) ?([0-9]{1,9})")
MORE = re.compile(r"(?:>) ?([0-9]{1,9})")
AT_LEAST = re.compile(r"(?:(?:>=|≥) ?([0-9]{1,9})|([0-9]{1,9}) ?(?:\+|or more|and over|or over))", re.IGNORECASE)
BETWEEN = re.compile(rf"([0-9]{{1,9}}) ?(?:[{DASHES}]|\.\.|to) ?([0-9]{{1,9}})", re.IGNORECASE)


MARKED = re.compile(
    rf"([0-9][0-9,'’{BLANKS}]*?)[{BLANKS}]?(?:[*†‡§#^]+|\([a-z0-9]{{1,2}}\)|\[[a-z0-9]{{1,2}}\]|[a-z])", re.IGNORECASE
)


class Kind(Enum):
    BLANK = "blank"
    NUMBER = "number"  # a whole number, perhaps with marks between thousands
    DECIMAL = "decimal"
    PERCENT = "percent"
    RANGE = "range"  # <5, 1-4, 100+
    TOKEN = "token"
    MARKED = "marked"  # a number with a sign or letter behind it, which may be a footnote mark: 5*, 12 (a), 7r
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class Value:
    """A cell as it was read; `counts` where it says so by itself, `printed` the digits of a decimal or a percentage."""

    kind: Kind
    text: str
    counts: Counts | None = None
    printed: str = ""


@lru_cache(maxsize=65_536)  # a large table shows few different texts, and each is looked at often
def value_of(cell: str, dotted: bool = False) -> Value:
    """What a cell holds. With `dotted` a point stands between thousands.

    >>> [value_of(text).kind.value for text in ("1,082", "33.5", "12 %", "<5", "*", "", "Total")]
    ['number', 'decimal', 'percent', 'range', 'token', 'blank', 'text']
    >>> value_of("1 082").counts, value_of("<5").counts, value_of("100+").counts
    (Counts(low=1082, high=1082), Counts(low=0, high=4), Counts(low=100, high=None))
    """
    text = cell.strip()
    if not text:
        return Value(Kind.BLANK, "")
    bare = text.rstrip(RAISED).rstrip()  # a raised footnote mark behind a number
    if PLAIN.fullmatch(bare):
        number = int(bare.partition(".")[0])
        return Value(Kind.NUMBER, text, Counts(number, number))
    if GROUPED.fullmatch(bare) or (dotted and DOTTED.fullmatch(bare)):
        number = int(re.sub(r"[^0-9]", "", bare))
        return Value(Kind.NUMBER, text, Counts(number, number))
    if DECIMAL.fullmatch(bare):
        return Value(Kind.DECIMAL, text, printed=bare.replace(",", "."))
    if found := PERCENT.fullmatch(bare):
        return Value(Kind.PERCENT, text, printed=found[1].replace(",", "."))
    counts = _range(bare)
    if counts is not None:
        return Value(Kind.RANGE, text, counts)
    if (found := MARKED.fullmatch(bare)) and (number_of := value_of(found[1], dotted).counts) is not None:
        return Value(Kind.MARKED, text, number_of)
    return Value(Kind.TOKEN if is_token(text) else Kind.TEXT, text)


def _range(text: str) -> Counts | None:
    if found := LESS.fullmatch(text):
        return Counts(0, int(found[1]) - 1) if int(found[1]) else None
    if found := AT_MOST.fullmatch(text):
        return Counts(0, int(found[1]))
    if found := MORE.fullmatch(text):
        return Counts(int(found[1]) + 1, None)
    if found := AT_LEAST.fullmatch(text):
        return Counts(int(found[1] or found[2]), None)
    if (found := BETWEEN.fullmatch(text)) and int(found[1]) <= int(found[2]):
        return Counts(int(found[1]), int(found[2]))
    return None


def is_token(text: str) -> bool:
    """Signs without letters, or a letter or word in square brackets; letters alone may as well be a label."""
    return len(text) <= 12 and (not any(c.isalnum() for c in text) or (text[0] == "[" and text[-1] == "]"))


def is_dash(text: str) -> bool:
    return bool(text) and all(c in DASHES for c in text)
