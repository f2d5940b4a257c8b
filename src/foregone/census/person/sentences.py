"""Persons in words, from as many of the four columns as a claim names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from foregone.census.person.races import races_text
from foregone.census.person.tables import BOOK, person_domain

GROWN = 18
NOUNS = {
    ("M", True): "A man",
    ("F", True): "A woman",
    ("M", False): "A boy",
    ("F", False): "A girl",
    ("", True): "An adult",
    ("", False): "A child",
    ("M", None): "A male person",
    ("F", None): "A female person",
    ("", None): "A person",
}


def person(codes: Mapping[str, str | frozenset[str]]) -> str:
    """A person in a sentence; what the claim does not say is left out, and a group of values is told as one.

    >>> person({"SEX": "F", "AGE": "25-29", "RACE": "White+Asian", "HISPANIC": "N"})
    'A woman aged 25 to 29, White and Asian, not Hispanic or Latino.'
    >>> person({"AGE": "0"}), person({"SEX": "M", "RACE": "Other"}), person({"HISPANIC": "Y"})
    ('A child under 1 year old.', 'A male person, of some other race.', 'A person, Hispanic or Latino.')
    >>> person({"SEX": "F", "AGE": frozenset(["25-29", "30-34", "40-44"]), "RACE": frozenset(["White", "Other"])})
    'A woman aged 25 to 34 or 40 to 44, White or of some other race.'
    """
    told = {name: (value,) if isinstance(value, str) else _ordered(name, value) for name, value in codes.items()}
    parts = [_noun(told)]
    if "RACE" in told:
        parts.append(races_text(told["RACE"]))
    if "HISPANIC" in told:
        parts.append(" or ".join(map(person_domain().column("HISPANIC").label_of, told["HISPANIC"])))
    return f"{', '.join(parts)}."


def _ordered(name: str, codes: frozenset[str]) -> tuple[str, ...]:
    return tuple(person_domain().column(name).ordered(codes))


def _noun(told: Mapping[str, tuple[str, ...]]) -> str:
    """A woman aged 25 to 29; where a group has both children and adults, a person."""
    ages = [_years(age) for age in told.get("AGE", ())]
    grown = {first >= GROWN for first, _ in ages}
    sex = told["SEX"][0] if len(told.get("SEX", ())) == 1 else ""
    return NOUNS[sex, grown.pop() if len(grown) == 1 else None] + (f" {' or '.join(_aged(ages))}" if ages else "")


def _years(age: str) -> tuple[int, int | None]:
    first, last = BOOK.columns["years"][person_domain().column("AGE").index[age]]
    return first, last


def _aged(ages: list[tuple[int, int | None]]) -> Iterator[str]:
    """Ages in words; those that follow on each other are told as one."""
    spans: list[tuple[int, int | None]] = []
    for first, last in ages:
        if spans and spans[-1][1] == first - 1:
            spans[-1] = spans[-1][0], last
        else:
            spans.append((first, last))
    for at, (first, last) in enumerate(spans):
        if last is not None and first != last:
            yield f"{'' if at else 'aged '}{first} to {last}"
        elif last is None:
            yield f"{'' if at else 'aged '}{first} or over"
        else:
            yield "under 1 year old" if first == 0 else f"{first} {'year' if first == 1 else 'years'} old"
