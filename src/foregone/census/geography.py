"""The code of a census block, and the places that its digits name: state 2, county 3, tract 6, block 4."""

from __future__ import annotations

import csv
from functools import cache
from importlib.resources import files
from itertools import accumulate
from typing import TYPE_CHECKING

from foregone.batch.subject import Geography

if TYPE_CHECKING:
    from foregone.batch.plan import Ints

FIELDS = {"TABBLKST": 2, "TABBLKCOU": 3, "TABTRACTCE": 6, "TABBLK": 4}
"""The columns of a file that make up the code, in order, and their digits."""

DIGITS = dict(zip(("state", "county", "tract", "block"), accumulate(FIELDS.values()), strict=True))
"""With how many digits of the code a place of each level is named: 2, 5, 11 and 15."""

STATES = {
    "01": "Alabama", "02": "Alaska", "04": "Arizona", "05": "Arkansas", "06": "California", "08": "Colorado", "09": "Connecticut",
    "10": "Delaware", "11": "District of Columbia", "12": "Florida", "13": "Georgia", "15": "Hawaii", "16": "Idaho",
    "17": "Illinois", "18": "Indiana", "19": "Iowa", "20": "Kansas", "21": "Kentucky", "22": "Louisiana", "23": "Maine",
    "24": "Maryland", "25": "Massachusetts", "26": "Michigan", "27": "Minnesota", "28": "Mississippi", "29": "Missouri",
    "30": "Montana", "31": "Nebraska", "32": "Nevada", "33": "New Hampshire", "34": "New Jersey", "35": "New Mexico",
    "36": "New York", "37": "North Carolina", "38": "North Dakota", "39": "Ohio", "40": "Oklahoma", "41": "Oregon",
    "42": "Pennsylvania", "44": "Rhode Island", "45": "South Carolina", "46": "South Dakota", "47": "Tennessee", "48": "Texas",
    "49": "Utah", "50": "Vermont", "51": "Virginia", "53": "Washington", "54": "West Virginia", "55": "Wisconsin", "56": "Wyoming",
    "60": "American Samoa", "66": "Guam", "69": "Northern Mariana Islands", "72": "Puerto Rico", "78": "U.S. Virgin Islands",
}  # fmt: skip
FIFTY = tuple(code for code in STATES if code not in ("11", "60", "66", "69", "72", "78"))
"""The states proper: without the District of Columbia and the territories."""


@cache
def counties() -> dict[str, str]:
    """The names of counties and their equivalents in 2010 by code, as the Census Bureau lists them; the territories have none here.

    >>> counties()["01003"], counties()["24510"], len(counties())
    ('Baldwin County', 'Baltimore city', 3143)
    """
    text = files("foregone.census").joinpath("counties.csv").read_text("utf-8")
    return {row["code"]: row["name"] for row in csv.DictReader(text.splitlines())}


def place_of(block: str, level: str) -> str:
    """
    >>> place_of("010030102001008", "state"), place_of("010030102001008", "tract")
    ('01', '01003010200')
    """
    return block[: DIGITS[level]]


def level_of(place: str) -> str:
    """What a code names, by its digits; nothing when it is no code.

    >>> level_of("01"), level_of("01003010200"), level_of("0100"), level_of("al")
    ('state', 'tract', '', '')
    """
    levels = {digits: level for level, digits in DIGITS.items()}
    return levels.get(len(place), "") if place.isascii() and place.isdigit() else ""


def describe(block: str) -> str:
    """
    >>> describe("010030102001008")
    'block 1008, tract 010200, Baldwin County, Alabama (01)'
    """
    state, county, tract, number = _fields(block)
    return f"block {number}, tract {tract}, {_county(state, county)}, {STATES.get(state, 'state')} ({state})"


def name_of(place: str, level: str) -> str:
    """
    >>> name_of("01", "state"), name_of("01003", "county"), name_of("01003010200", "tract")
    ('Alabama', 'Baldwin County, Alabama', 'tract 010200, Baldwin County')
    """
    state, county, tract, _ = _fields(place)
    if level == "state":
        return STATES.get(state, f"state {state}")
    named = _county(state, county)
    return f"{named}, {STATES.get(state, state)}" if level == "county" else f"tract {tract}, {named}"


def _county(state: str, county: str) -> str:
    """Its name, or its code where it has none."""
    return counties().get(state + county, f"county {county}")


def _fields(code: str) -> list[str]:
    """State, county, tract and block; those that a shorter code does not reach are empty."""
    ends = list(DIGITS.values())
    return [code[first:last] for first, last in zip([0, *ends], ends, strict=False)]


# Codes as whole numbers: a whole country of them fits in little memory.


def code_of(number: int) -> str:
    """
    >>> code_of(10030102001008)
    '010030102001008'
    """
    return f"{number:0{DIGITS['block']}d}"


def states_of(numbers: Ints) -> Ints:
    states: Ints = numbers // 10 ** (DIGITS["block"] - DIGITS["state"])
    return states


def number_sql(prefix: str) -> str:
    """The number as SQL, from the fields as numbers in columns whose names begin with `prefix`."""
    after = [DIGITS["block"] - end for end in DIGITS.values()]
    return " + ".join(f"{prefix}{name} * {10**zeros}::BIGINT" for name, zeros in zip(FIELDS, after, strict=True))


def code_sql(number: str) -> str:
    return f"lpad(CAST({number} AS VARCHAR), {DIGITS['block']}, '0')"


BLOCKS = Geography(
    noun="block",
    ids=f"census blocks ({DIGITS['block']} digits)",
    pattern=f"[0-9]{{{DIGITS['block']}}}",
    levels={level: digits for level, digits in DIGITS.items() if level != "block"},
    named=("state", "county"),
    describe_place=describe,
    name_place=name_of,
)
