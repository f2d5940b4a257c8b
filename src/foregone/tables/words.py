"""The words that tables use for totals, counts and what is neither."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any

from foregone.model.alike import folded


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
