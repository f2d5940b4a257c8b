"""Places in a name: where a release lies, when its id is a code that begins with the codes of ever smaller places."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field


def _itself(code: str) -> str:
    return code


def _either(code: str, level: str) -> str:
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
    regions: Mapping[str, str] = field(default_factory=dict)  # names of the largest places, by their codes
    describe_place: Callable[[str], str] = _itself  # a matching id in words
    name_place: Callable[[str, str], str] = _either  # a place (code, level) in words

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
