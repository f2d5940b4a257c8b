"""What releases are about: everything that pages and runs say or do differently for one kind of data, handed down as data.

A subject has words, tables as their publisher defines them, and a geography: where a release lies, when its id is a code that
begins with the codes of ever smaller places.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from foregone.model.domain import Domain
from foregone.model.predicate import Predicate
from foregone.model.release import Release

Sentence = Callable[[Mapping[str, str | frozenset[str]]], str]
"""One record in words, from what is known of it: for some columns its code, or a group of codes of which it has one."""

Republish = Callable[[Path, Iterable[str]], dict[str, Release]]
"""Releases, by id, made again from the file of records that they were once made from."""


def _level_and_code(code: str, level: str) -> str:
    return f"{level} {code}"


@dataclass(frozen=True, slots=True)
class Geography:
    """A release whose id matches `pattern` is a `noun` and lies in one place of each level, largest level first.

    `levels` tells with how many characters of the id such a place is named; ids of any other form lie nowhere.

    >>> towns = Geography("ward", "wards (4 digits)", "[0-9]{4}", {"town": 2})
    >>> towns.region_of("0412"), towns.region_of("clinic-7"), towns.code_of("0412", "town")
    ('04', '', '04')
    """

    noun: str = ""
    ids: str = "places"  # what such ids are called where there are none
    pattern: str = "(?!)"  # nothing matches it
    levels: Mapping[str, int] = field(default_factory=dict)
    named: tuple[str, ...] = ()  # levels whose places people know by name
    describe_place: Callable[[str], str] = str  # a matching id in words
    name_place: Callable[[str, str], str] = _level_and_code  # a place (code, level) in words

    def holds(self, release: str) -> bool:
        return re.fullmatch(self.pattern, release) is not None

    @property
    def region(self) -> str:
        """The largest level; parts of a run never reach beyond one such place."""
        return next(iter(self.levels), "")

    @property
    def finest(self) -> str:
        return list(self.levels)[-1] if self.levels else ""

    def region_of(self, release: str) -> str:
        """The code of the largest place a release lies in; nothing when it lies nowhere."""
        return self.code_of(release, self.region) if self.levels and self.holds(release) else ""

    def code_of(self, release: str, level: str) -> str:
        """The place of a level; below the levels a release is a place of its own."""
        return release[: self.levels[level]] if level in self.levels else release

    def name_of(self, code: str, level: str) -> str:
        return self.name_place(code, level) if level in self.levels else code

    def describe(self, release: str) -> str:
        """A release in words: where it lies, else its own name."""
        return self.describe_place(release) if self.holds(release) else release

    def level_of(self, releases: Iterable[str]) -> str:
        """The largest level that tells some of these releases apart, else the finest."""
        ids = list(releases)
        return next((level for level in self.levels if len({self.code_of(i, level) for i in ids}) > 1), self.finest)


NOWHERE = Geography()


@dataclass(frozen=True, slots=True)
class TableLine:
    """One line of a table. `kind`: leaf (finest partition), part (a published piece of a leaf) or total (a sum)."""

    line: int
    label: str
    kind: str
    predicate: Predicate


@dataclass(frozen=True, slots=True)
class TableDefinition:
    """A published table as its publisher defines it."""

    id: str
    title: str
    universe: str
    cells: tuple[TableLine, ...]
    scope: Predicate  # the records the table is about


@dataclass(frozen=True, slots=True)
class Subject:
    """The defaults are what is known of any release: nothing but what it says itself.

    `sentence` and `tables` are for releases over `domain`. `counted` is the column, in the files of a run, with the number of
    true records that are singled out; without it the true records are not known.
    """

    record: str = "record"
    domain: Domain | None = None
    sentence: Sentence | None = None
    tables: tuple[TableDefinition, ...] = ()  # where several have the same id, the first that fits a release is meant
    geography: Geography = NOWHERE
    counted: str = ""
    settings: tuple[str, ...] = ()  # how the releases were made, a few words each
    assumptions: tuple[tuple[str, str], ...] = (("Rules and ranges", "as each release states them"),)
    baseline: str = "not part of a run"  # what a run can say about how surprising its facts are
    republish: Republish | None = None
    publish: tuple[str, ...] = ()  # the command that does the same for one: words, with {source} and {release}

    def knows(self, domain: Domain) -> bool:
        """Are these the columns and codes that the subject has words for?"""
        return self.domain is not None and _codes(domain) == _codes(self.domain)


def _codes(domain: Domain) -> list[tuple[str, tuple[str, ...]]]:
    return [(column.name, column.codes) for column in domain.columns]


ANY = Subject()
"""Releases about anything at all."""
