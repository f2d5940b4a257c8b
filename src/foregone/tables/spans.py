"""Labels that are spans of numbers, such as ages, and labels that are times; and labels that exclude each other by their kind."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from foregone.model.alike import DASHES, folded
from foregone.tables.words import CAMEL, PIECES, word_lists

WORDS = re.compile(
    r"\b(?:aged?|ages|years?|yrs?|old|people|persons?|of age|jahren?|jahr|años|anos|anni|ans|år)\b\.?|\(|\)", re.IGNORECASE
)
ONE = re.compile(r"([0-9]{1,6})")
BETWEEN = re.compile(
    rf"(?:between |from |de |von |fra |från )?([0-9]{{1,6}}) ?(?:[{DASHES}]+|to|and|\.\.|through|a|bis|til|till) ?([0-9]{{1,6}})"
)
FROM = re.compile(
    r"([0-9]{1,6}) ?(?:\+|plus|up\b|(?:and|or|&) ?(?:over|older|more|above|up)|(?:e|ou) mais|und (?:älter|mehr)"
    rf"|(?:og|och) (?:over|eldre|äldre|ældre|över)|y más|[{DASHES}]+)"
    r"|(?:>=|≥|ge\b|from|at least|minst|mindestens) ?([0-9]{1,6})(?: up)?"
)
BELOW = re.compile(r"(?:under|below|less than|younger than|<|unter|menos de|moins de|meno di|yngre än) ?([0-9]{1,6})")
UNTIL = re.compile(r"(?:von )?([0-9]{1,6}) (?:bis unter|to under|to less than|till under) ([0-9]{1,6})")
UP_TO = re.compile(r"(?:up to|<=|≤) ?([0-9]{1,6})|([0-9]{1,6}) ?(?:and|or) ?(?:under|younger|less|below|fewer)")
ABOVE = re.compile(r">\s*([0-9]{1,6})")
CODED = re.compile(r"Y(_LT|_GE|)([0-9]{1,3})(?:[-T]([0-9]{1,3}))?")  # codes of ages in SDMX: Y_LT15, Y15-64, Y15T64, Y_GE65
UNDERSCORED = re.compile(r"(?<=[0-9])_(?=[0-9])")  # age_0_17
HYPHENED = re.compile(r"-(and|or|to|plus)-")  # 65-and-over
CODED_WORDS = {"_LT": "under ", "_GE": "from ", "": ""}


def kind_of(labels: Iterable[str]) -> str:
    """What labels are that exclude each other by their kind, in words; nothing when they do not, or it is not known.

    >>> kind_of(["Females", "Males"]), kind_of(["0-17", "18+"]), kind_of(["0-17", "10-19"]), kind_of(["Cases", "Deaths"])
    ('sexes', 'spans of numbers', '', '')
    """
    texts = [folded(label).rstrip(": ") for label in labels]
    spans = [span for label in labels if (span := span_of(label)) is not None]
    others = [text for text in texts if span_of(text) is None and text not in word_lists()["rest"]]
    if len(spans) > 1 and not others and not all(map(is_moment, texts)):
        apart = all(not one.meets(two) or one.holds(two) or two.holds(one) for i, one in enumerate(spans) for two in spans[:i])
        return "spans of numbers" if apart else ""
    real = [text for text in texts if text not in word_lists()["rest"]]
    if len(real) == 2 and any(_denied(one, other) for one, other in (real, real[::-1])):
        return "one and its opposite"
    known = ((name, set(words)) for name, words in word_lists()["kinds"].items())
    return next((name for name, words in known if len(real) > 1 and all(text in words for text in real)), "")


def _denied(one: str, other: str) -> bool:
    """Is a label the other one with a word that denies it?"""
    bare_one, bare_other = (text.replace("-", " ").strip() for text in (one, other))
    denying = ("non", "not", "no", "un", "without", "nicht", "ikke", "icke", "in")
    return any(bare_other in (f"{word} {bare_one}", f"{word}{bare_one}") for word in denying)


MONTHS = (
    r"(?:jan|feb|mar|mär|apr|may|mai|maj|jun|jul|aug|sep|oct|okt|out|nov|dec|dez|des|fev|abr|ago|set)[a-zé]{0,6}\.?"
)
YEAR = r"(?:1[6-9]|20)[0-9]{2}"
DASH = DASHES.replace("-", r"\-")  # wherever it stands between brackets
MOMENTS = re.compile(
    rf"(?:fy ?|sy ?|ay ?|(?:year|yr)[ _.]?|[xy])?{YEAR}(?: ?[{DASH}/] ?(?:[0-9]{{2}}|{YEAR}))?"  # a year, a school year
    rf"|(?:ws|ss|wise|sose|ht|vt|spring|summer|autumn|fall|winter|term [1-4]) ?{YEAR}(?:[{DASH}/][0-9]{{2,4}})?"
    rf"|{YEAR}[ -]?[qkt][1-4]|q[1-4][ /-]?{YEAR}|q[1-4]"
    rf"|{YEAR}(?:[{DASH}/ ][mwu]?|[mwu])(?:[01][0-9]|[2-5][0-9])"
    rf"|[01]?[0-9][{DASH}/]{YEAR}|{YEAR}[ -]w[0-9]{{1,2}}|week ?[0-9]{{1,2}}"
    rf"|{MONTHS}[ {DASH}/]?(?:{YEAR}|'?[0-9]{{2}})|{MONTHS}|{YEAR}[ -]?{MONTHS}"
    rf"|{YEAR}[{DASH}/.][01]?[0-9][{DASH}/.][0-3]?[0-9](?:[t ][0-9:.z+-]+)?"
    rf"|[0-3]?[0-9][/.{DASH}][0-3]?[0-9][/.{DASH}](?:{YEAR}|[0-9]{{2}})"
    rf"|[0-3]?[0-9](?:st|nd|rd|th)?[ {DASH}]{MONTHS}(?:[ ,{DASH}]+(?:{YEAR}|[0-9]{{2}}))?|{MONTHS} [0-3]?[0-9](?:, ?{YEAR})?",
    re.IGNORECASE,
)
COUNTED_TIMES = (
    "week", "weeks", "month", "quarter", "week number", "week no", "week no.", "calendar week", "epi week", "iso week",
    "woche", "kw", "kalenderwoche", "monat", "quartal", "uke", "måned", "månad", "vecka", "mois", "semaine", "mes", "mês", "semana",
)  # fmt: skip
MARKS = re.compile(r"\([0-9a-z]{1,2}\)|[*†‡]+$")  # of footnotes


def says_time(name: str) -> bool:
    """Is a variable called like this about when something was counted?

    >>> says_time("Week ending"), says_time("day_of_week"), says_time("Age in years"), says_time("Timeliness")
    (True, True, False, False)
    >>> says_time("Year"), says_time("15 Years and Over")
    (True, False)
    """
    if span_of(name) is not None:
        return False
    said = PIECES.sub(" ", CAMEL.sub(" ", name)).casefold().split()
    return any(map(word_lists()["times"].count, said)) and not any(word in said for word in ("age", "birth", "aged", "old", "born"))


def is_moment(label: str) -> bool:
    """Is a label a date, a month, a quarter, a year or a school year?

    >>> [is_moment(text) for text in ("2014/15", "1987Q2", "11-Apr", "01-2005", "28/02/2021", "0-4", "North", "15-64")]
    [True, True, True, True, True, False, False, False]
    >>> is_moment("203512"), is_moment("262845"), is_moment("2020-W07"), is_moment("Apr 2007"), is_moment("1 000 000")
    (False, False, True, True, False)
    """
    return MOMENTS.fullmatch(MARKS.sub("", label).strip()) is not None


def _is_school_year(label: str) -> bool:
    """
    >>> _is_school_year("202223"), _is_school_year("202212")
    (True, False)
    """
    found = re.fullmatch("(?:19|20)([0-9]{2})([0-9]{2})", label)
    return found is not None and int(found[2]) == (int(found[1]) + 1) % 100


def _without_common(labels: list[str]) -> list[str]:
    """Labels without the words that all of them begin or end with: `Speakers 2017`, `Speakers 2018` are years.

    >>> _without_common(["No. of speakers 2017", "No. of speakers 2018"]), _without_common(["2017"])
    (['2017', '2018'], ['2017'])
    """
    words = [label.split() for label in labels]
    if len(words) < 2 or any(len(some) < 2 for some in words):
        return labels
    while all(len(some) > 1 for some in words) and len({some[0] for some in words}) == 1:
        words = [some[1:] for some in words]
    while all(len(some) > 1 for some in words) and len({some[-1] for some in words}) == 1:
        words = [some[:-1] for some in words]
    return [" ".join(some) for some in words]


def are_moments(name: str, labels: Iterable[str]) -> bool:
    """Are the labels of a variable times at which was counted? Years of birth or of building are not."""
    texts = list(labels)
    said = PIECES.sub(" ", CAMEL.sub(" ", name)).casefold().split()
    if any(word in said for word in word_lists()["no_times"]):
        return False
    if folded(name) in COUNTED_TIMES and all(text.isdigit() and 0 < int(text) <= 53 for text in texts):
        return len(texts) > 0
    texts = _without_common(texts)
    timed = any(map(word_lists()["times"].count, said))
    known = sum(1 for text in texts if is_moment(text) or (timed and _is_school_year(text)))
    most = 0.5 if timed else 0.8
    return len(texts) > 0 and known >= most * len(texts)


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
    """The span that a label says; None for any other label.

    >>> span_of("age_0_17"), span_of("AGE_GE_75_YRS"), span_of("2020_21")
    (LabelSpan(first=0, last=17), LabelSpan(first=75, last=None), None)
    >>> span_of("65-and-over"), span_of("75up")
    (LabelSpan(first=65, last=None), LabelSpan(first=75, last=None))
    """
    if "_" in label and not CODED.fullmatch(label.strip()):
        label = UNDERSCORED.sub("-", label).replace("_", " ")
    label = HYPHENED.sub(r" \1 ", label)
    if re.search(r"\b(?:months?|weeks?|days?)\b", label, re.IGNORECASE):
        return None
    coded = CODED.fullmatch(label.strip())
    plain = f"{CODED_WORDS[coded[1]]}{coded[2]}{'-' + coded[3] if coded[3] else ''}" if coded else label
    text = " ".join(WORDS.sub(" ", plain).lower().split())
    if found := ONE.fullmatch(text):
        return LabelSpan(int(found[1]), int(found[1]))
    if found := BETWEEN.fullmatch(text):
        first, last = int(found[1]), int(found[2])
        if is_moment(label.strip()):
            return None  # 1999-2000 and 01-2005 are times, and no spans of ages
        return LabelSpan(first, last) if first <= last else None
    if (found := UNTIL.fullmatch(text)) and int(found[1]) < int(found[2]):
        return LabelSpan(int(found[1]), int(found[2]) - 1)
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


OVER = re.compile(
    r"(?i)(?:over|above|more than|older than|longer than|über|mehr als|plus de|más de|mais de|ab) ?[0-9]+\b(?! ?(?:-|to ))"
)
WITHIN = re.compile(r"(?i)(?:within|in less than|up to|less than|under|below|innerhalb von|binnen|moins de|menos de) ?[0-9]+\b")


def all_below(labels: Iterable[str]) -> list[str]:
    """Labels without a lower end that are no spans by themselves, of which each holds the one before.

    >>> all_below(["within 4 hours", "within 12 hours", "later"]), all_below(["under 18", "18+"])
    (['within 4 hours', 'within 12 hours'], [])
    """
    found = [label for label in labels if WITHIN.match(label.strip()) and span_of(label) is None]
    return found if len(found) > 1 else []


def all_above(labels: Iterable[str]) -> list[str]:
    """Labels without an upper end, of which each holds the next: over 60, over 75.

    >>> all_above(["over 60", "Over 75 years", "under 60"])
    ['over 60', 'Over 75 years']
    """
    found = [label for label in labels if OVER.match(label.strip())]
    return found if len(found) > 1 else []


def pieces(spans: list[LabelSpan]) -> list[LabelSpan]:
    """The coarsest spans that every given one is a union of: their common refinement.

    >>> [piece.text for piece in pieces([LabelSpan(0, 19), LabelSpan(18, 24), LabelSpan(25, None)])]
    ['0-17', '18-19', '20-24', '25+']
    """
    begun, over = Counter(span.first for span in spans), Counter(span.last + 1 for span in spans if span.last is not None)
    starts = sorted(begun.keys() | over.keys())
    made, open_ = [], 0
    for i, first in enumerate(starts):
        open_ += begun[first] - over[first]
        if open_:
            made.append(LabelSpan(first, starts[i + 1] - 1 if i + 1 < len(starts) else None))
    return made


def inside(span: LabelSpan, cut: Sequence[LabelSpan]) -> range:
    """Which of some pieces, in order and apart from each other, a span is made of."""
    first = bisect_left(cut, span.first, key=lambda piece: piece.first)
    return range(first, len(cut) if span.last is None else bisect_right(cut, span.last, key=lambda piece: piece.first))
