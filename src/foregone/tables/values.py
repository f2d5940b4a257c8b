"""What stands in a cell, as people write it, and which counts it can stand for."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction
from functools import lru_cache
from math import ceil, floor

from foregone.model.alike import DASHES, folded
from foregone.model.errors import InputError
from foregone.model.shown import shown
from foregone.rules.registry import parse_counts, rules, rules_that_know
from foregone.rules.rule import CountRange, Rule, Totals

BLANKS = " \u00a0\u202f\u2007\u2009"  # plain, no-break, narrow no-break, figure, thin
RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹ᵃᵇᶜᵈ"

GROUPED = re.compile(rf"[0-9]{{1,3}}(?:([,'’{BLANKS}])[0-9]{{3}})(?:\1[0-9]{{3}})*")
DOTTED = re.compile(r"[0-9]{1,3}(?:\.[0-9]{3})+")
PLAIN = re.compile(r"[0-9]{1,18}(?:\.0+)?")
DECIMAL = re.compile(r"[0-9]{1,15}[.,][0-9]+|\.[0-9]+")  # Stata writes .5
PERCENT = re.compile(r"([0-9]{1,15}(?:[.,][0-9]+)?) ?%")
LESS = re.compile(r"(?:<|fewer than|less than|under) ?([0-9]{1,9})", re.IGNORECASE)
AT_MOST = re.compile(r"(?:<=|≤) ?([0-9]{1,9})")
MORE = re.compile(r"(?:>) ?([0-9]{1,9})")
AT_LEAST = re.compile(r"(?:(?:>=|≥) ?([0-9]{1,9})|([0-9]{1,9}) ?(?:\+|or more|and over|or over))", re.IGNORECASE)
BETWEEN = re.compile(rf"([0-9]{{1,9}}) ?(?:[{DASHES}]|\.\.|to) ?([0-9]{{1,9}})", re.IGNORECASE)


MARKED = re.compile(
    rf"([0-9][0-9,'’{BLANKS}]*?)[{BLANKS}]?(?:[*†‡§#^]+|\([a-z0-9]{{1,2}}\)|\[[a-z0-9]{{1,2}}\]|[a-z])"
    rf"|\([a-z0-9]{{1,2}}\) ?([0-9][0-9,'’{BLANKS}]*)",
    re.IGNORECASE,
)
ZERO = re.compile(
    r"(=|:|is|means|denotes|indicates|represents|stands for)?\s*(an? )?(exact(ly)? |true )?"
    r"(nil|zero|0|none|no |nichts vorhanden|genau null)"
)
NEARLY = re.compile(r"or (less|fewer|negligible|rounds|not)|rounded|less than|negligible")
ANY = CountRange(0, None)
NEGATIVE = re.compile(rf"[{DASHES}][0-9][0-9,.]*")
CUT = re.compile(r"([0-9])(?:\.([0-9]{1,15}))?[eE]\+([0-9]{2})")
SCIENTIFIC = re.compile(r"[0-9][0-9.]*[eE][+-]?[0-9]{1,2}\b")
NOT_WHOLE = "a number is not whole, so it counts no records"
SPREADSHEET_ERRORS = ("#REF!", "#DIV/0!", "#VALUE!", "#NAME?", "#NUM!", "#NULL!", "#N/A")


class CellKind(Enum):
    BLANK = "blank"
    NUMBER = "number"  # a whole number, perhaps with marks between thousands
    DECIMAL = "decimal"
    PERCENT = "percent"
    RANGE = "range"  # <5, 1-4, 100+
    TOKEN = "token"
    MARKED = "marked"  # a number with a sign or letter that may be a footnote mark: 5*, 12 (a), 7r, (3)388
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class Value:
    """A cell as it was read; `counts` where it says so by itself, `printed` the digits of a decimal or a percentage."""

    kind: CellKind
    text: str
    counts: CountRange | None = None
    printed: str = ""


@lru_cache(maxsize=65_536)  # a large table shows few different texts, and each is looked at often
def value_of(cell: str, dotted: bool = False) -> Value:
    """What a cell holds. With `dotted` a point stands between thousands.

    >>> [value_of(text).kind.value for text in ("1,082", "33.5", "12 %", "<5", "*", "", "Total")]
    ['number', 'decimal', 'percent', 'range', 'token', 'blank', 'text']
    >>> value_of("1 082").counts, value_of("<5").counts, value_of("100+").counts
    (CountRange(low=1082, high=1082), CountRange(low=0, high=4), CountRange(low=100, high=None))
    >>> value_of("2.18e+07").counts, value_of("1.2e+01").counts  # a program has cut digits, or none
    (CountRange(low=21750000, high=21850000), CountRange(low=12, high=12))
    """
    text = cell.strip()
    if not text:
        return Value(CellKind.BLANK, "")
    bare = text.rstrip(RAISED).rstrip()  # a raised footnote mark behind a number
    if PLAIN.fullmatch(bare):
        number = int(bare.partition(".")[0])
        return Value(CellKind.NUMBER, text, CountRange(number, number))
    if GROUPED.fullmatch(bare) or (dotted and DOTTED.fullmatch(bare)):
        number = int(re.sub(r"[^0-9]", "", bare))
        return Value(CellKind.NUMBER, text, CountRange(number, number))
    if DECIMAL.fullmatch(bare):
        return Value(CellKind.DECIMAL, text, printed=bare.replace(",", ".") if bare[0] != "." else f"0{bare}")
    if found := PERCENT.fullmatch(bare):
        return Value(CellKind.PERCENT, text, printed=found[1].replace(",", "."))
    counts = _range(bare)
    if counts is not None:
        return Value(CellKind.RANGE, text, counts)
    if (found := CUT.fullmatch(bare)) and int(found[3]) >= len(found[2] or ""):
        counts = _near(int(found[1] + (found[2] or "")), 10 ** (int(found[3]) - len(found[2] or "")))
        return Value(CellKind.NUMBER if counts.low == counts.high else CellKind.RANGE, text, counts)
    if (found := MARKED.fullmatch(bare)) and (number_of := value_of(found[1] or found[2], dotted).counts) is not None:
        return Value(CellKind.MARKED, text, number_of)
    return Value(CellKind.TOKEN if is_token(text) else CellKind.TEXT, text)


def in_units(value: Value, unit: int) -> Value:
    """A number that is given in thousands, or another unit, as the counts that are rounded to it; half a step either way.

    >>> in_units(value_of("34.5"), 1000).counts, in_units(value_of("7"), 1).counts, in_units(value_of("*"), 1000).kind.value
    (CountRange(low=34450, high=34550), CountRange(low=7, high=7), 'token')
    """
    if unit == 1 or value.kind not in (CellKind.NUMBER, CellKind.DECIMAL):
        return value
    digits = value.printed or str(value.counts.low if value.counts is not None else 0)
    number, step = Fraction(digits) * unit, Fraction(unit, 10 ** len(digits.partition(".")[2]))
    low, high = max(0, ceil(number - step / 2)), floor(number + step / 2)
    return Value(CellKind.NUMBER if low == high else CellKind.RANGE, value.text, CountRange(low, high))


def _near(number: int, step: int) -> CountRange:
    """The whole numbers that are rounded to so many steps."""
    return CountRange(max(0, ceil(Fraction(2 * number - 1, 2) * step)), floor(Fraction(2 * number + 1, 2) * step))


def _range(text: str) -> CountRange | None:
    if found := LESS.fullmatch(text):
        return CountRange(0, int(found[1]) - 1) if int(found[1]) else None
    if found := AT_MOST.fullmatch(text):
        return CountRange(0, int(found[1]))
    if found := MORE.fullmatch(text):
        return CountRange(int(found[1]) + 1, None)
    if found := AT_LEAST.fullmatch(text):
        return CountRange(int(found[1] or found[2]), None)
    if (found := BETWEEN.fullmatch(text)) and int(found[1]) <= int(found[2]):
        return CountRange(int(found[1]), int(found[2]))
    return None


PAIR = re.compile(rf"([0-9][0-9,{BLANKS}]*|[0-9][0-9.]*e[+-]?[0-9]{{1,2}})\s*[(\[]\s*([0-9.,]*)\s*%?\s*[)\]]")


def count_and_percent(text: str) -> tuple[str, str] | None:
    """A cell such as `414 (51.5)` as its count and its percentage, which may be blank; None for any other.

    >>> count_and_percent("1,173 (0.01%)"), count_and_percent("0 (   .)"), count_and_percent("49 (34-64)")
    (('1,173', '0.01'), ('0', ''), None)
    """
    found = PAIR.fullmatch(text.strip())
    if found is None or not (value_of(found[1].strip()).kind == CellKind.NUMBER or SCIENTIFIC.fullmatch(found[1])):
        return None  # 2.18e+07 is a number all the same, of which digits were cut
    percent = found[2].strip(".,")
    return found[1].strip(), found[2] if percent else ""


def is_token(text: str) -> bool:
    """Signs without letters, or a letter or word in square brackets; letters alone may as well be a label."""
    return len(text) <= 12 and (not any(c.isalnum() for c in text) or (text[0] == "[" and text[-1] == "]"))


def is_dash(text: str) -> bool:
    return bool(text) and all(c in DASHES for c in text)


def note_about(sign: str, footnotes: tuple[str, ...]) -> str:
    """The footnote that begins with a sign, if there is one.

    >>> note_about("*", ("Source: clinic", "* Fewer than 5"))
    '* Fewer than 5'
    """
    return next((note for note in footnotes if note.startswith(sign) and note != sign), "")


@lru_cache(maxsize=256)  # asked for every cell
def dash_is_zero(footnotes: tuple[str, ...]) -> bool:
    """Does a footnote say that a dash means zero?

    >>> dash_is_zero(("- = nil",)), dash_is_zero(("- not available",))
    (True, False)
    """
    for note in footnotes:
        note = note.partition("Zeichenerklärung:")[2] or note
        words = note.replace("'", " ").replace('"', " ").replace("(", " ").replace(")", " ").split()
        if words and is_dash(words[0].rstrip(":=")):
            rest = " ".join(words[1:]).lower()
            if ZERO.match(rest) and not NEARLY.search(rest):
                return True
    return False


@dataclass(frozen=True, slots=True)
class NoNumber:
    """There is no number: the combination does not exist or was not asked about."""


@dataclass(frozen=True, slots=True)
class Unclear:
    """What is shown cannot be read; `why` is a sentence for the user. `broken`: it is a number that is not whole."""

    why: str
    broken: bool = False


@dataclass(frozen=True, slots=True)
class Meaning:
    """The rule in force and the tokens that the user explained; `known` are all tokens that any rule knows."""

    rule: Rule | None = None
    tokens: tuple[tuple[str, CountRange], ...] = ()
    exact: bool = False  # somebody said that the numbers are not rounded
    known: frozenset[str] = field(default_factory=lambda: frozenset(token for rule in rules().values() for token in rule.tokens))

    def of(self, value: Value, zero_dash: bool = False, total: bool = False) -> CountRange | NoNumber | Unclear:
        """The counts behind a value; `total`: it is a total, which some rules leave exact in tables of the whole country."""
        if self.tokens and value.text in (given := dict(self.tokens)):
            return given[value.text]
        if value.kind == CellKind.BLANK:
            return NoNumber()
        if value.kind == CellKind.NUMBER and value.counts is not None:
            return self._number(value.counts.low, total)
        found = None if self.rule is None else self._token(self.rule, value.text)
        if found is not None:
            return found
        if value.kind == CellKind.RANGE and value.counts is not None:
            return value.counts
        if is_dash(value.text) and zero_dash:
            return CountRange(0, 0)
        if value.kind == CellKind.MARKED and value.counts is not None:
            return Unclear(
                f"{shown(value.text)} may be {value.counts.low} with a footnote mark, or something else; if it is"
                f" {value.counts.low}, say --token '{value.text}={value.counts.low}'"
            )
        if NEGATIVE.fullmatch(value.text):
            return Unclear(
                "a number is less than 0, and no count is; leave its column out with numbers = [...] in a layout file,"
                " or the table with leave_out = true"
            )
        if value.kind in (CellKind.DECIMAL, CellKind.PERCENT):
            return Unclear(
                f"{NOT_WHOLE}; leave its column out with numbers = [...] in a layout file,"
                " or the table with leave_out = true; or say unit = 1000 there, if numbers are given in thousands",
                broken=True,
            )
        if SCIENTIFIC.match(value.text):
            return Unclear(f"{shown(value.text)} is a number of which a program has cut digits; write it out in the file")
        if value.text in SPREADSHEET_ERRORS:
            return Unclear(f"{value.text} is an error of the spreadsheet; correct the formula and save the file again")
        return Unclear(unknown_token(value.text, self.rule))

    def rules_that_fit(self, texts: Collection[str]) -> list[str]:
        """Rules with a name of their own that round, and under which everything shown has a meaning; explained tokens aside."""
        given = {token for token, _ in self.tokens}
        left = [text for text in texts if text not in given]
        numbers = {str(value.counts.low) for text in left if (value := value_of(text)).kind == CellKind.NUMBER and value.counts}
        tokens = [text for text in left if value_of(text).kind in (CellKind.TOKEN, CellKind.TEXT, CellKind.RANGE)]
        fitting = [
            name
            for name, rule in rules().items()
            if rule.rounds
            and all(rule.meaning(number) is not None for number in numbers)
            and all(self._token(rule, token) is not None for token in tokens)
        ]
        return fitting[:4]

    def _number(self, number: int, total: bool) -> CountRange | Unclear:
        if self.rule is None:
            return CountRange(number, number)
        meant = self.rule.meaning(str(number))
        if meant is not None:
            return meant
        if total and self.rule.totals == Totals.GRAND_EXACT:
            return CountRange(number, number)
        return Unclear(
            f"{number} is never shown under the rule {self.rule.name}; choose another rule, or say what it means with"
            f" --token '{number}=A..B'"
        )

    @staticmethod
    def _token(rule: Rule, text: str) -> CountRange | NoNumber | None:
        known = {folded(token): counts for token, counts in rule.tokens.items()}
        if folded(text) not in known:
            return None
        counts = known[folded(text)]
        return NoNumber() if counts is None else counts


def unknown_token(text: str, rule: Rule | None) -> str:
    others = [name for name in rules_that_know(text) if rule is None or name != rule.name]
    by = f"the rule {rule.name} does not know it" if rule is not None else "no rule was named"
    know = f"; rules that know it: {', '.join(others)}" if others else ""
    such = f"'{text}=0' if it means none" if is_dash(text) else f"'{text}=1..4', or '{text}=0..' for any number"
    return f"what {shown(text)} means is not known ({by}); say --token '{text}=A..B', such as {such}{know}"


def parse_tokens(texts: list[str]) -> tuple[tuple[str, CountRange], ...]:
    """`*=1..4` as it is typed: the last equal sign separates the token from its counts."""
    made, problems = [], []
    for text in texts:
        token, equals, counts = text.rpartition("=")
        read = parse_counts(counts)
        if not equals or not token.strip() or read is None:
            problems.append(f"--token {shown(text)}: cannot be read; write TOKEN=n, TOKEN=a..b or TOKEN=a.., such as '*=1..4'")
        else:
            made.append((token.strip(), read))
    if problems:
        raise InputError(problems)
    return tuple(made)
