"""The words of labels: totals, counts, what is neither, and spans of whole numbers such as ages, however people write them."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from typing import Any

from foregone.model.alike import folded

PERCENT_WORDS = re.compile(r"(?i)\(?\b(percentage|percent|per cent|pct|share|row|column|col)\b( of)?\)?|\(?%\)?|\(n\)|\bn\b")
PIECES = re.compile(r"[_:;,.()\[\]/|!?\"*-]+")
CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
SPAN_OF_TIME = re.compile(r"(length of stay|waiting time|duration)[:,]? ?(of )?(?=[<>≥≤0-9]|under|over|up to|less|more|at )")
PERCENTILE = re.compile(r"[0-9]{1,3}(?:\.[0-9])?%")

COUNTED_CODES = re.compile(r"(?i)(?:distinct )?(?:count|number|no\.?|anzahl)[ _](?:of|von|der)?[ _]?")  # as pivot tables are headed

BETWEEN_TIMES = ("from", "since", "in", "on", "between")


@cache
def word_lists() -> dict[str, Any]:
    return tomllib.loads(files("foregone.tables").joinpath("words.toml").read_text("utf-8"))


def says_total(label: str) -> bool:
    """
    >>> says_total("All towns"), says_total("Total"), says_total("Ohio total"), says_total("Allerton")
    (True, True, True, False)
    """
    text = folded(label).replace("_", " ").strip().rstrip(":")
    known = word_lists()
    return (
        text in known["totals"] or text.startswith(tuple(known["total_beginnings"])) or text.endswith(tuple(known["total_endings"]))
    )


def says_count(label: str) -> bool:
    return folded(label) in word_lists()["counts"]


def says_percent(label: str) -> bool:
    text = folded(label)
    return "%" in text or text in word_lists()["percents"] or any(word in text.split() for word in word_lists()["percents"])


def says_other(label: str) -> bool:
    """Is a column headed like this about something else than a number of records?

    >>> says_other("Mean age"), says_other("Rate per 1,000"), says_other("Female")
    (True, True, False)
    >>> says_other("Length of stay"), says_other("Patients, length of stay 28 days or less")
    (True, False)
    """
    if COUNTED_CODES.match(label):
        return False
    text = SPAN_OF_TIME.sub(" ", folded(label))
    known, spaced = word_lists(), text.replace("_", " ")
    return (
        says_other_alone(label)
        or any(word in text for word in known["others_inside"])
        or spaced.endswith(tuple(known["others_endings"]))
    )


def says_other_alone(label: str) -> bool:
    """Is this as a whole a heading of something else than counts, whatever its parts say: a percentile, a cumulative percentage?

    >>> says_other_alone("SIMD_Rank"), says_other_alone("75%"), says_other_alone("Cumulative Percent"), says_other_alone("Percent")
    (False, True, True, False)
    """
    text = folded(label)
    return bool(PERCENTILE.fullmatch(text)) or bool({text, text.replace("_", " ")} & set(word_lists()["others"]))


def says_base(label: str) -> bool:
    """Is a column headed like this likely what others are parts of?

    >>> says_base("Population 2020"), says_base("pop"), says_base("Popular")
    (True, True, False)
    """
    text = folded(label)
    return text in word_lists()["bases_alone"] or any(word in text for word in word_lists()["bases"])


def words_in(key: str, *texts: str) -> tuple[str, ...]:
    """The words of a list of words.toml that texts contain, as whole words.

    >>> words_in("events", "Induced_abortions", "Newport"), words_in("amounts", "Gross Domestic Product")
    (('abortions',), ('gross domestic', 'domestic product'))
    """
    plain = f" {' '.join(PIECES.sub(' ', CAMEL.sub(' ', text)).casefold() for text in texts)} "
    plain = f" {' '.join(plain.split())} "
    return tuple(word for word in word_lists()[key] if f" {word} " in plain)


def says_hidden(text: str) -> bool:
    """Is this a word that stands in place of a number that is not shown?"""
    return folded(text) in word_lists()["hiding"]


def says_doubtful(name: str) -> bool:
    """Does a variable called like this list things that can go together, such as conditions?"""
    return folded(name).replace("_", " ") in word_lists()["doubtful"] or bool(
        words_in("doubtful_inside", name) and not words_in("main_only", name)
    )


def names_one(heading: str) -> bool:
    """Does a column headed like this name single people?

    >>> names_one("Subject"), names_one("patient_id"), names_one("Patient age")
    (True, True, False)
    """
    return folded(heading).replace("_", " ").removesuffix(" id") in word_lists()["single_records"]


def names_variables(heading: str) -> bool:
    """Does a column headed like this name a variable in each row?"""
    return folded(heading).replace("_", " ") in word_lists()["names_variables"]


def may_name_variables(heading: str) -> bool:
    return folded(heading).replace("_", " ") in word_lists()["may_name_variables"]


def names_a_variable(label: str) -> bool:
    """Is a label the name of a variable that many tables are by, such as Age group?"""
    return folded(label).replace("_", " ") in word_lists()["variables"]


def says_part(label: str) -> bool:
    """Does a row with this label count some of those in a row above?

    >>> says_part("of which part-time"), says_part("darunter Teilzeit"), says_part("Dontworth")
    (True, True, False)
    """
    return folded(label).lstrip("-–— .").startswith(tuple(word_lists()["parts"]))


def says_thousands(*texts: str) -> str:
    """The words that say that numbers are given in thousands; nothing when none do."""
    plain = folded(" ".join(texts))
    return next((word for word in word_lists()["in_thousands"] if word in plain), "")


def has_rest(labels: Iterable[str]) -> str:
    """The label for whoever has none of the others; nothing when there is none."""
    for label in labels:
        words = re.split(r"[^\w]+", label.casefold())
        if folded(label) in word_lists()["rest"] or (words[0] in ("other", "unknown", "others") and len(words) < 4):
            return label
    return ""


def says_code(label: str) -> bool:
    """Does a column headed like this hold names of things, and no numbers that could be worked with?

    >>> says_code("Area code"), says_code("Region_Id"), says_code("RegionID"), says_code("Decode rate"), says_code("Count of ID")
    (True, True, True, False, False)
    """
    if COUNTED_CODES.match(label):
        return False
    return PIECES.sub(" ", CAMEL.sub(" ", label)).casefold().split()[-1:] in ([word] for word in word_lists()["codes"])


def says_measure(name: str) -> bool:
    """Is a variable called like this about what is measured, and not about whom?

    >>> says_measure("UNIT_MEASURE"), says_measure("Age")
    (True, False)
    """
    return folded(name).replace("_", " ") in word_lists()["measures"]


def says_statistic(label: str) -> bool:
    """Is a row called like this a mean, a rate or a percentage, below rows that count?

    >>> says_statistic("Mean age"), says_statistic("% under 18"), says_statistic("Meanwood"), says_statistic("Change Research")
    (True, True, False, False)
    """
    first, *rest = folded(label).replace("(", " ").replace(":", " ").split() or [""]
    averages = words_in("averages", label)  # 5-year average
    named = first in word_lists()["changes"] and bool(rest) and rest[0].isalpha() and rest[0] not in BETWEEN_TIMES
    return bool(averages) or first.startswith("%") or (first in word_lists()["statistics"] and not named)


def is_common(label: str) -> bool:
    return folded(label) in word_lists()["common"]


def name_by_labels(labels: tuple[str, ...]) -> str:
    """What a variable with these labels is called, if everybody calls it so."""
    texts = {folded(label).rstrip(": ") for label in labels}
    names: dict[str, list[str]] = word_lists()["names"]
    alone = len(texts) == 1  # a single one must be a word
    return next(
        (n for n, known in names.items() if len(texts & set(known[: 8 if alone else 10])) > (not alone) and texts <= set(known)), ""
    )


def names_a_value(label: str) -> bool:
    """Is a label one of a variable that everybody knows, such as Female?"""
    return any(folded(label) in known[:10] for known in word_lists()["names"].values())


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


def bare(heading: str) -> str:
    """A heading without the words that say percentage or number.

    >>> bare("Male (%)"), bare("% female"), bare("Male n"), bare("%")
    ('Male', 'female', 'Male', '')
    """
    return " ".join(PERCENT_WORDS.sub(" ", heading).split()).strip(" -:,")
