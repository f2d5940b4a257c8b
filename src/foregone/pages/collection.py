"""What a page about many releases is made from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Any

from foregone.batch.subject import Subject
from foregone.model.claims_table import codes_of
from foregone.model.domain import Domain
from foregone.model.predicate import Predicate
from foregone.pages.ranking import RankedFact

CHOSEN_OF_EACH = 10  # facts of each size of group and number of attributes, so that every filter finds something
CHOSEN_OF_PLACE = 5
LARGEST_GROUP = 5  # groups larger than this are not listed one by one
MOST_PLACES = 60


@dataclass(frozen=True, slots=True)
class LocatedFact:
    """A certain fact about one release among many."""

    release: str
    records: int | None
    fact: RankedFact


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
class Collection:
    """Numbers and facts of many releases."""

    kind: str  # of folder: a run
    path: Path
    subject: Subject
    domain: Domain
    noun: str  # what a release is
    releases: int
    records: int
    singled_out: int | None  # records; None where the true records are not known
    with_any: int  # releases in which somebody is singled out
    claims: Mapping[int, int]  # by number of columns
    singletons: Mapping[int, int]
    singled_out_by: Mapping[int, int]  # records, by number of attributes (values or groups) of a claim that singles them out
    facts: int
    undecided: int
    failed: int
    exposed: Mapping[str, int]
    level: str  # of the places: one of the subject's geography, or else releases themselves
    places: tuple[Place, ...]
    share_of: str  # what the shares of places mean
    found: tuple[LocatedFact, ...]
    over_fail: int
    over_review: int
    rest: Path  # where all facts are
    assumed: tuple[tuple[str, str], ...]
    fingerprint: str
    about: Mapping[str, Any]
    shared: frozenset[str] = frozenset()  # columns in which all records have the same value
    singled_out_exact: Mapping[int, int] = field(default_factory=dict)  # the same by number of single values
    facts_by: Mapping[int, int] = field(default_factory=dict)  # by number of attributes, where what is stated are facts
    facts_of_one_by: Mapping[int, int] = field(default_factory=dict)  # those about exactly one record
    synthetic: bool = False
    unfinished: str = ""

    @property
    def stated_by(self) -> tuple[Mapping[int, int], Mapping[int, int]]:
        """What is stated, by number of attributes: all of it, and what is about exactly one record."""
        return (self.facts_by, self.facts_of_one_by) if self.facts_by else (self.claims, self.singletons)

    @property
    def source(self) -> str:
        """The file that everything was made from, as the command named it."""
        name = str(self.about.get("input", {}).get("name", ""))
        given = [word for word in self.about.get("command", []) if PurePath(str(word)).name == name]
        return str(given[0]) if name and given else name


def ranked_fact(
    values: Mapping[str, str | None],
    count: int,
    ground: str,
    baseline: float | None = None,
    published: bool | None = None,
    attributes: int | None = None,
) -> RankedFact:
    """A fact from a row of a file of claims; without further word every column tells an attribute."""
    told = {name: codes_of(value) for name, value in values.items() if value is not None}
    return RankedFact(Predicate.of(told), count, ground, baseline, (), published, counted=attributes)
