"""Person tables: those of blocks, as data, from which the Census Bureau reconstructed persons of 2010; and those of tracts.

The tract tables are PCT12 and PCT12A to PCT12O: sex by single year of age, by race and origin, 3,296 numbers for a tract.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np

from foregone.batch.plan import Ints
from foregone.census.tables import TableBook
from foregone.model.domain import Domain
from foregone.model.predicate import Predicate

BOOK = TableBook("foregone.census.person")
YEARS = 103  # 0 to 99, then 100 to 104, 105 to 109, 110 and over
CLASSES = 7  # each of the six races alone, and two or more
SHAPE = (2, YEARS, CLASSES, 2)  # sex, year, class of race, origin: what the sixteen tables tell apart when they are subtracted
HISPANIC = 1  # the position of the code among origins


@cache
def person_domain() -> Domain:
    """Sex, 38 groups of ages, 63 combinations of races, origin: 9,576 different persons, as far as block tables tell."""
    content = BOOK.columns
    return Domain.of(content["columns"], content["labels"], content["record"])


def cell_sql(sex: str, age: str, race: str, hispanic: str) -> str:
    """Where a person counts, as SQL over stored columns."""
    year = f"CASE WHEN {age} < 100 THEN {age} ELSE least(100 + ({age} - 100) // 5, {YEARS - 1}) END"
    return f"((({sex}::INTEGER * {YEARS} + {year}) * {CLASSES} + least({race}, {CLASSES - 1})) * 2 + {hispanic})"


@cache
def years_of() -> tuple[slice, ...]:
    """For each group of ages of the block tables, its years."""
    spans = BOOK.columns["years"]
    return tuple(slice(first, YEARS if last is None else last + 1) for first, last in spans)


@cache
def class_codes() -> tuple[tuple[str, ...], ...]:
    """For each class of race, the combinations of races in it."""
    codes = person_domain().column("RACE").codes
    return (*((code,) for code in codes[: CLASSES - 1]), codes[CLASSES - 1 :])


@dataclass(frozen=True, slots=True)
class RaceGroup:
    """Persons of some classes of race and origins: what a column of the tract tables is about, at any sex and age."""

    members: frozenset[tuple[int, int]]  # class, origin

    def predicate(self, sex: int, age: int) -> list[Predicate]:
        """As disjoint predicates over a block's columns."""
        domain = person_domain()
        origins: dict[frozenset[int], list[int]] = {}
        for race in sorted({race for race, _ in self.members}):
            origins.setdefault(frozenset(o for r, o in self.members if r == race), []).append(race)
        made = []
        for which, races in origins.items():
            where = {"SEX": [domain.column("SEX").codes[sex]], "AGE": [domain.column("AGE").codes[age]]}
            if len(races) < CLASSES:
                where["RACE"] = [code for race in races for code in class_codes()[race]]
            if len(which) < 2:
                where["HISPANIC"] = [domain.column("HISPANIC").codes[next(iter(which))]]
            made.append(Predicate.of(where))
        return made


@cache
def table_parts() -> dict[str, RaceGroup]:
    """What each of the sixteen tables is about, in their order."""
    every = [(race, origin) for race in range(CLASSES) for origin in (0, HISPANIC)]
    made = {"PCT12": RaceGroup(frozenset(every))}
    made |= {f"PCT12{letter}": RaceGroup(frozenset((race, o) for o in (0, HISPANIC))) for race, letter in enumerate("ABCDEFG")}
    made["PCT12H"] = RaceGroup(frozenset((race, HISPANIC) for race in range(CLASSES)))
    made |= {f"PCT12{letter}": RaceGroup(frozenset([(race, 0)])) for race, letter in enumerate("IJKLMNO")}
    return made


def capacity(tract: Ints, sex: int, age: int, part: RaceGroup) -> int:
    """How many persons of a sex, a group of ages and some classes and origins a block can have at most.

    Every year on its own allows as many of one class and not Hispanic, of one class, and Hispanic, as the tract has there.
    Those who are not Hispanic are best taken first: they use up nothing that somebody else could not give back.
    """
    years = tract[sex, years_of()[age]]  # year, class, origin
    alone = years[:, :, 0]
    whole = years.sum(axis=2)
    hispanic = years[:, :, HISPANIC].sum(axis=1)
    taken = np.stack([alone[:, r] if (r, 0) in part.members else 0 * alone[:, r] for r in range(CLASSES)], axis=1)
    left = (whole - taken)[:, [(r, HISPANIC) in part.members for r in range(CLASSES)]].sum(axis=1)
    return int((taken.sum(axis=1) + np.minimum(hispanic, left)).sum())


def groups(counts: Ints) -> Iterator[tuple[int, int]]:
    """Sex and group of ages of everybody there is; `counts` by sex and group."""
    yield from zip(*(index.tolist() for index in np.nonzero(counts)), strict=True)
