"""All blocks of a tract at once: the same answer as listing every combination of datasets, years of age included."""

from __future__ import annotations

import random

import numpy as np
import pytest

from foregone.batch.plan import Ints
from foregone.census.kinds import publisher
from foregone.census.person.kind import PACKING
from foregone.census.person.tables import person_domain
from foregone.census.person.whole_tract import certain_persons, settle_tract
from foregone.census.records import is_determined
from tests.census.person.brute import WORKLOAD, Grouped, Person, grouped, possible_together, tables, with_tables

AGES = (30, 31, 40)
POOL: list[Person] = [("M", age, race, origin) for age in AGES for race in ("Black", "Asian") for origin in "NY"]


def packed(block: list[Person]) -> Ints:
    columns = person_domain().columns
    rows = [[c.index[code] for c, code in zip(columns, grouped(person), strict=True)] for person in block]
    return np.array([sum(value << PACKING.shift(i) for i, value in enumerate(row)) for row in rows], dtype=np.int64)


def case(seed: int) -> list[list[Person]]:
    """Three small blocks in which race and origin can be mixed up."""
    chance = random.Random(seed)
    mixed: list[Person] = [("M", 30, "Black", "Y"), ("M", 31, "Asian", "N"), ("M", 40, "Black", "N"), ("M", 40, "Asian", "Y")]
    other: list[Person] = [("M", 31, "Black", "N"), ("M", 30, "Asian", "Y"), ("M", 40, "Black", "Y"), ("M", 40, "Asian", "N")]
    extra = [chance.choices(POOL, k=chance.choice((0, 1))) for _ in range(2)]
    return [mixed + extra[0], chance.choice((mixed, other)) + extra[1], chance.choices(POOL, k=2)]


def certain(datasets: list[Grouped]) -> int:
    """Persons of kinds that all datasets have the same number of."""
    kinds = {kind for one in datasets for kind, _ in one}
    numbers = {kind: {dict(one).get(kind, 0) for one in datasets} for kind in kinds}
    return sum(max(found) for found in numbers.values() if len(found) == 1)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_whole_tracts_as_by_listing(seed: int) -> None:
    blocks = case(seed)
    together = possible_together(blocks, POOL)
    found = settle_tract(publisher("person", "official", "persons"), {str(i): packed(block) for i, block in enumerate(blocks)})
    for i, block in enumerate(blocks):
        left = [one[i] for one in together]
        assert is_determined(found.settled[i]) == ("true" if len(set(left)) == 1 else "false")
        assert found.certain[i] == certain(left)
        assert found.records[i] == len(block)
        alone = [frozenset(one) for one in {frozenset(_counted(persons).items()) for persons in with_tables(block, POOL)}]
        assert found.alone[i] == certain(alone)


def _counted(persons: list[Person]) -> dict[tuple[str, ...], int]:
    kinds = [grouped(person) for person in persons]
    return {kind: kinds.count(kind) for kind in kinds}


def test_two_blocks_settle_each_other() -> None:
    """Each block alone could be the other way round; the tract has nobody for that."""
    block: list[Person] = [("M", 30, "Black", "Y"), ("M", 30, "Asian", "N"), ("M", 40, "Black", "N"), ("M", 40, "Asian", "Y")]
    found = settle_tract(publisher("person", "official", "persons"), {"a": packed(block), "b": packed(block)})
    assert found.settled == ("bounded", "bounded")
    assert found.alone == (0, 0)
    assert found.certain == (4, 4)
    assert certain_persons(WORKLOAD.release(tables(block))) == 0
