"""Persons of tiny blocks, every possible dataset listed: what block tables and tract tables leave, without any cleverness."""

from __future__ import annotations

from collections import Counter
from itertools import combinations_with_replacement, product

import numpy as np

from foregone.batch.plan import Ints
from foregone.census.person.kind import age_groups
from foregone.census.person.tables import BOOK, CLASSES, SHAPE, person_domain
from foregone.model.dataset import Dataset
from foregone.model.predicate import Predicate
from foregone.model.workload import Workload

Person = tuple[str, int, str, str]
"""Sex, age in years, race, origin."""

RACES = ("White", "Black", "AIAN", "Asian", "NHPI", "Other")
WORKLOAD = Workload(person_domain(), BOOK.queries("official"))


def grouped(person: Person) -> tuple[str, str, str, str]:
    sex, age, race, origin = person
    return sex, person_domain().column("AGE").codes[age_groups()[age]], race, origin


def tract_of(persons: list[Person]) -> Ints:
    """How many persons of a tract count where; ages below 100."""
    domain, made = person_domain(), np.zeros(SHAPE, dtype=np.int64)
    for sex, age, race, origin in persons:
        at = min(domain.column("RACE").index[race], CLASSES - 1)
        made[domain.column("SEX").index[sex], age, at, domain.column("HISPANIC").index[origin]] += 1
    return made


def tables(persons: list[Person]) -> list[int]:
    """The block tables, counted one by one."""
    block = Dataset.of(person_domain(), map(grouped, persons))
    return [block.count(query.predicate) for query in WORKLOAD.queries]


def tract_tables(persons: list[Person]) -> Counter[tuple[str, str, int]]:
    """Table, sex and year of everybody, once for each of the tables in which a person counts."""
    found: Counter[tuple[str, str, int]] = Counter()
    for sex, age, race, origin in persons:
        letter = "G" if "+" in race else "ABCDEF"[RACES.index(race)]
        hispanic = "H" if origin == "Y" else dict(zip("ABCDEFG", "IJKLMNO", strict=True))[letter]
        for table in ("", letter, hispanic):
            found[table, sex, age] += 1
    return found


Grouped = frozenset[tuple[tuple[str, ...], int]]
"""A dataset by groups of ages: each kind of person and how many there are."""


def with_tables(block: list[Person], pool: list[Person]) -> list[list[Person]]:
    """Every dataset of persons of the pool, years and all, that has the block's tables."""
    wanted = np.array(tables(block))
    sides = np.array([[member(p, q.predicate) for q in WORKLOAD.queries] for p in pool], dtype=np.int8)
    alive = [i for i in range(len(pool)) if not sides[i, wanted == 0].any()]
    told = sides[alive].any(axis=0)
    sides, wanted = sides[:, told], wanted[told]
    chosen = np.array(list(combinations_with_replacement(alive, len(block))))
    fits = (sides[chosen].sum(axis=1) == wanted).all(axis=1)
    return [[pool[i] for i in row] for row in chosen[fits].tolist()]


def by_groups(persons: list[Person]) -> Grouped:
    return frozenset(Counter(map(grouped, persons)).items())


def possible(block: list[Person], tract: list[Person], pool: list[Person]) -> set[Grouped]:
    """Every dataset by groups of ages that has the block's tables and, with some years, stays below the tract's."""
    most = tract_tables(tract)
    return {by_groups(persons) for persons in with_tables(block, pool) if tract_tables(persons) <= most}


def possible_together(blocks: list[list[Person]], pool: list[Person]) -> set[tuple[Grouped, ...]]:
    """Every dataset of all blocks of a tract by groups of ages, for which some years add up to the tract's tables."""
    wanted = tract_tables([person for block in blocks for person in block])
    each = [[(by_groups(p), tract_tables(p)) for p in with_tables(block, pool)] for block in blocks]
    found = set()
    for chosen in product(*each):
        if sum((counts for _, counts in chosen), Counter()) == wanted:
            found.add(tuple(one for one, _ in chosen))
    return found


def member(person: Person, predicate: Predicate) -> bool:
    values = dict(zip(person_domain().names, grouped(person), strict=True))
    return all(values[name] in codes for name, codes in predicate.allowed)


def farthest(datasets: set[Grouped]) -> int:
    """Records that two of them differ in, at most."""
    listed = [Counter(dict(one)) for one in datasets]
    return max(sum((a - b).values()) for a in listed for b in listed)
