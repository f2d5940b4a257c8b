"""Persons in words, from as many of the four columns as a claim names.

Tables add up very many combinations of races, which nobody wants to read one by one; they are told in a few words.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from foregone.census.household.sentences import Span, joined_spans
from foregone.census.person.tables import BOOK, person_domain
from foregone.census.records import Told
from foregone.model.sentences import number, plural

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
LISTED = 3  # combinations that are told one by one
NAMED = 2  # of more, where nothing shorter is true of just these


def races_text(codes: Sequence[str]) -> str:
    """Some combinations of the six races.

    >>> races_text(["White", "Other"])
    'White or of some other race'
    >>> every = person_domain().column("RACE").codes
    >>> races_text([code for code in every if "+" in code])
    'of two or more races'
    >>> races_text([code for code in every if "Asian" in code])
    'Asian, alone or with other races'
    >>> races_text([code for code in every if "Asian" in code and "+" in code])
    'Asian and at least one other race'
    >>> races_text([code for code in every if "+" not in code])
    'of one race'
    >>> races_text([code for code in every if "Asian" in code and code.count("+") == 1])
    'Asian, with one other race'
    >>> races_text([code for code in every if "Asian" not in code and code.count("+") == 2])
    'of three races, but not Asian'
    >>> races_text([code for code in every if code.count("+") == 1][:5] + ["Asian"])
    'White and Black or African American, White and American Indian or Alaska Native or one of 4 other combinations of races'
    """
    if len(codes) <= LISTED:
        return " or ".join(map(_label, codes))
    chosen = {frozenset(code.split("+")) for code in codes}
    single = [code for code in person_domain().column("RACE").codes if "+" not in code]
    shared, around = frozenset.intersection(*chosen), frozenset.union(*chosen)
    least, most = (end(map(len, chosen)) for end in (min, max))
    others = [race for race in single if race in around and race not in shared]
    alike = {shared | set(some) for size in range(least, most + 1) for some in combinations(others, size - len(shared))}
    if alike != chosen:
        told = ", ".join(map(_label, codes[:NAMED]))
        return f"{told} or one of {len(codes) - NAMED} other combinations of races"
    missing = [race for race in single if race not in around]
    without = f", but not {' or '.join(map(_label, missing))}" if missing else ""
    return _counted(shared, least, most, len(around)) + without


def _counted(shared: frozenset[str], least: int, most: int, whole: int) -> str:
    """All combinations of so many races that have some in common."""
    if not shared:
        return f"of {_range(least, most, whole)} {plural('race', most)}"
    label = _label("+".join(race for race in person_domain().column("RACE").codes if race in shared))
    further = least - len(shared), most - len(shared)
    if most == whole and further[0] <= 1:
        return f"{label}{' and at least one other race' if further[0] else ', alone or with other races'}"
    return f"{label}, with {_range(*further, whole - len(shared))} other {plural('race', further[1])}"


def _range(least: int, most: int, whole: int) -> str:
    if least == most:
        return number(least)
    if most == whole:
        return f"{number(least)} or more"
    return f"{number(least)} to {number(most)}"


def _label(code: str) -> str:
    text = person_domain().column("RACE").label_of(code)
    return f"of {text}" if code == "Other" else text


def person(codes: Told) -> str:
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


def _years(age: str) -> Span:
    first, last = BOOK.columns["years"][person_domain().column("AGE").index[age]]
    return first, last


def _aged(ages: list[Span]) -> Iterator[str]:
    """Ages in words; those that follow on each other are told as one."""
    for at, (first, last) in enumerate(joined_spans(ages)):
        if last is not None and first != last:
            yield f"{'' if at else 'aged '}{first} to {last}"
        elif last is None:
            yield f"{'' if at else 'aged '}{first} or over"
        else:
            yield "under 1 year old" if first == 0 else f"{first} {'year' if first == 1 else 'years'} old"
