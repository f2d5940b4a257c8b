"""Persons in words, from as many of the four columns as a claim names."""

from __future__ import annotations

from collections.abc import Mapping

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


def person(codes: Mapping[str, str]) -> str:
    """A person in a sentence; what the claim does not say is left out.

    >>> person({"SEX": "F", "AGE": "25-29", "RACE": "White+Asian", "HISPANIC": "N"})
    'A woman aged 25 to 29, White and Asian, not Hispanic or Latino.'
    >>> person({"AGE": "0"}), person({"SEX": "M", "RACE": "Other"}), person({"HISPANIC": "Y"})
    ('A child under 1 year old.', 'A male person, of some other race.', 'A person, Hispanic or Latino.')
    """
    domain = person_domain()
    age = codes.get("AGE")
    grown = None if age is None else _years(age)[0] >= GROWN
    parts = [NOUNS[codes.get("SEX", ""), grown] + ("" if age is None else f" {_aged(age)}")]
    if "RACE" in codes:
        words = domain.column("RACE").label_of(codes["RACE"])
        parts.append(f"of {words}" if codes["RACE"] == "Other" else words)
    if "HISPANIC" in codes:
        parts.append(domain.column("HISPANIC").label_of(codes["HISPANIC"]))
    return f"{', '.join(parts)}."


def _years(age: str) -> tuple[int, int | None]:
    first, last = BOOK.columns["years"][person_domain().column("AGE").index[age]]
    return first, last


def _aged(age: str) -> str:
    first, last = _years(age)
    if last is None:
        return f"aged {first} or over"
    if first != last:
        return f"aged {first} to {last}"
    return "under 1 year old" if first == 0 else f"{first} {'year' if first == 1 else 'years'} old"
