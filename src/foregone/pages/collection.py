"""What a page about many releases is made from, whether a run or a study provides it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from foregone.census.household.tables import leaf_queries, variants
from foregone.census.unit_files.layout import STATES, place
from foregone.model.domain import Domain
from foregone.model.predicate import Predicate
from foregone.pages.ranking import Finding
from foregone.pages.thresholds import Limit

LEVELS = {"state": 2, "county": 5, "tract": 11}
CHOSEN_OF_EACH = 10  # facts of each size of group and number of attributes, so that every filter finds something
CHOSEN_OF_PLACE = 5
LARGEST_GROUP = 5  # groups larger than this are not listed one by one
MOST_PLACES = 60


@dataclass(frozen=True, slots=True)
class Sighted:
    """A certain fact about one release among many."""

    release: str
    records: int | None
    finding: Finding


@dataclass(frozen=True, slots=True)
class Place:
    """How exposed a place is: `part` of its `whole` (records or releases)."""

    code: str
    name: str
    part: int
    whole: int

    @property
    def share(self) -> float:
        return self.part / self.whole if self.whole else 0.0


@dataclass(frozen=True, slots=True)
class Chances:
    """Baseline probabilities of singling-out claims with so many columns: a few quantiles."""

    columns: int
    number: int
    least: float
    first: float
    median: float
    third: float
    greatest: float


@dataclass(frozen=True, slots=True)
class Gathered:
    """Numbers and findings of many releases."""

    kind: str  # run or study
    path: Path
    domain: Domain
    noun: str  # what a release is: a block, or a release
    releases: int
    records: int
    singled_out: int | None  # records; None where the true records are not known
    with_any: int  # releases in which somebody is singled out
    claims: Mapping[int, int]  # by number of columns
    singletons: Mapping[int, int]
    households: Mapping[int, int]  # records singled out by claims with so many columns
    facts: int  # what `stated` counts
    stated: str  # facts, or claims
    undecided: int
    failed: int
    exposed: Mapping[str, int]
    level: str  # state, county, tract, release, or nothing
    places: tuple[Place, ...]
    share_of: str  # what the shares of places mean
    found: tuple[Sighted, ...]
    over_fail: int
    over_review: int
    rest: Path  # where all facts are
    assumed: tuple[tuple[str, str], ...]
    fingerprint: str
    about: Mapping[str, Any]
    chances: tuple[Chances, ...] = ()
    prior: str = ""
    synthetic: bool = False
    unfinished: str = ""

    @property
    def blocks(self) -> bool:
        return self.noun == "block"


def level_of(releases: Iterable[str]) -> str:
    """The coarsest level that tells these blocks apart.

    >>> level_of(["010010001001000", "020010001001000"]), level_of(["010010001001000", "010030001001000"])
    ('state', 'county')
    """
    codes = list(releases)
    return next((level for level, digits in LEVELS.items() if len({code[:digits] for code in codes}) > 1), "tract")


def place_key(release: str, level: str) -> str:
    return release[: LEVELS[level]] if level in LEVELS else release


def place_name(code: str, level: str) -> str:
    """
    >>> place_name("01", "state"), place_name("01003", "county"), place_name("01003010200", "tract"), place_name("x", "release")
    ('Alabama', 'county 003, Alabama', 'tract 010200, county 003', 'x')
    """
    if level == "state":
        return STATES.get(code, f"state {code}")
    if level == "county":
        return f"county {code[2:]}, {STATES.get(code[:2], code[:2])}"
    return f"tract {code[5:]}, county {code[2:5]}" if level == "tract" else code


def where_of(release: str) -> str:
    """A release in words: the place of a census block, else its own name."""
    return place(release) if len(release) == 15 and release.isdigit() else release


def tables_words(variant: str) -> str:
    """Which tables were published about each block."""
    if variant not in variants():
        return f"variant {variant}"
    return f"variant {variant}: {len(leaf_queries(variant)):,} published numbers for each block. {variants()[variant]}"


def finding_of(values: Mapping[str, str | None], count: int, ground: str, baseline: float | None = None) -> Finding:
    told = {name: value for name, value in values.items() if value is not None}
    return Finding(Predicate.of(told), count, ground, baseline, ())


def over(limit: Limit, chance: str = "") -> str:
    """The limit as a condition on rows of claims; `chance` names the column of baselines where there is one."""
    surprising = f" AND {chance} <= {limit.largest_baseline}" if chance and limit.largest_baseline < 1 else ""
    return f"columns >= {limit.fewest_columns} AND count < {limit.smallest_group}{surprising}"
