"""Households in words, from as many of the ten study columns as a claim names."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from importlib.resources import files

from foregone.census.records import Told
from foregone.census.tables import TableBook

BOOK = TableBook("foregone.census.household")
WORDS = tomllib.loads(files("foregone.census.household").joinpath("words.toml").read_text("utf-8"))
LABELS = BOOK.columns["columns"]
RACE = {code: f"of {label}" if code in "67" else label for code, label in LABELS["THHRACE"].items()}

Span = tuple[int, int | None]
"""Ages from the first to the last; without a last, and over."""


def household(codes: Told) -> str:
    """A household in a few sentences; what the claim does not say is left out, and a group of values is told as one.

    >>> household({"HHSIZE": "2", "HHT2": "8", "THHRACE": "2", "THHLDRAGE": "2", "TEN": "3"})
    'A household of two. A woman without a partner lives there with people she is not related to. The home is rented. \
The householder is Black or African American, aged 25 to 34.'
    >>> household({"HHSIZE": frozenset("234567"), "HHT": frozenset("46"), "TEN": frozenset("34"), "THHLDRAGE": frozenset("789")})
    'A household of two or more. Either a man lives alone, or a woman lives alone. The home is rented or occupied without \
payment of rent. The householder is aged 65 or over.'
    """
    told = {column: [value] if isinstance(value, str) else sorted(value, key=int) for column, value in codes.items()}
    parts = [f"A household of {_people(told['HHSIZE'])}." if "HHSIZE" in told else "A household."]
    if "HHT2" in told:
        parts.append(_either([WORDS["detail"][code] for code in told["HHT2"]]))
        if set(told.get("HHT", "?")) <= {"2", "3"} and set(told["HHT2"]) <= {"3", "4"}:
            parts.append(_either([WORDS["type"][code] for code in told["HHT"]]))
    elif "HHT" in told:
        parts.append(_either([WORDS["type"][code] for code in told["HHT"]]))
    if "TEN" in told:
        parts.append(f"The home is {' or '.join(LABELS['TEN'][code] for code in told['TEN'])}.")
    person = [
        " or ".join(words[code] for code in told[column])
        for column, words in (("THHRACE", RACE), ("THHSPAN", LABELS["THHSPAN"]))
        if column in told
    ]
    if "THHLDRAGE" in told:
        person.append(f"aged {_ages(told['THHLDRAGE'])}")
    if person:
        parts.append(f"The householder is {', '.join(person)}.")
    ages = [
        f"{'someone' if told[column] == ['1'] else 'nobody'} {words}"
        for column, words in (("TP18", "under 18"), ("TP65", "aged 65 or over"))
        if column in told
    ]
    if ages:
        parts.append(f"{' and '.join(ages).capitalize()} lives there.")
    if "0" not in told.get("VACS", ["0"]):
        parts.append("The unit is vacant.")
    return " ".join(parts)


def _people(codes: list[str]) -> str:
    """How many people: a number, or what a group of numbers has in common."""
    people = WORDS["people"]
    if len(codes) == 1:
        return str(people[codes[0]])
    if len(codes) > int(codes[-1]) - int(codes[0]):  # no number between them is missing
        words = {**people, "1": "one", "7": "seven"}
        return f"{words[codes[0]]} or more" if codes[-1] == "7" else f"{words[codes[0]]} to {words[codes[-1]]}"
    return " or ".join(people[code] for code in codes)


def _ages(codes: list[str]) -> str:
    ages = [WORDS["ages"][code] for code in codes]
    spans = joined_spans((first, *last) if last else (first, None) for first, *last in ages)
    return " or ".join(f"{low} or over" if high is None else f"{low} to {high}" for low, high in spans)


def joined_spans(ages: Iterable[Span]) -> list[Span]:
    """Ages in order; those that follow on each other are one.

    >>> joined_spans([(15, 24), (25, 34), (45, 54), (85, None)])
    [(15, 34), (45, 54), (85, None)]
    """
    spans: list[Span] = []
    for first, last in ages:
        if spans and spans[-1][1] == first - 1:
            spans[-1] = spans[-1][0], last
        else:
            spans.append((first, last))
    return spans


def _either(sentences: list[str]) -> str:
    """One sentence out of several, of which one is true."""
    if len(sentences) == 1:
        return sentences[0]
    return f"Either {', or '.join(text[0].lower() + text[1:].removesuffix('.') for text in sentences)}."
