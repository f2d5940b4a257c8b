"""Blocks bounded by their tract: the same answer as listing every dataset."""

from __future__ import annotations

import json
import random

import numpy as np
import pytest

from foregone.batch.plan import Ints
from foregone.census.person import tract_bounds
from foregone.census.person.tables import CLASSES, HISPANIC, SHAPE, RaceGroup, person_domain
from foregone.census.person.tract_bounds import _can_be_given_years, _exceeded, _in_one_year, bounded, unique_in_tract
from foregone.census.proofs import release_for_check
from foregone.checker import check, release_of
from foregone.checker.verdicts.determined import ONE, datasets_left
from foregone.engine import Uniqueness
from foregone.model.claim import Verdict
from foregone.model.release import Release
from foregone.questions.ask import unique, uniqueness_proof
from tests.census.person.brute import WORKLOAD, Person, farthest, possible, tables, tract_of

AGES = (30, 31, 40, 41)  # two groups of the block tables, four years of the tract's
AGE = person_domain().column("AGE").codes
POOL: list[Person] = [("M", age, race, origin) for age in AGES for race in ("Black", "Asian") for origin in "NY"]


def case(seed: int) -> tuple[list[Person], list[Person]]:
    """A block in which race and origin can be mixed up, and its tract."""
    chance = random.Random(seed)
    mixed = ((0, "Black", "Y"), (0, "Asian", "N"), (2, "Black", "N"), (2, "Asian", "Y"))
    block: list[Person] = [("M", chance.choice(AGES[group : group + 2]), race, origin) for group, race, origin in mixed]
    block += chance.choices(POOL, k=chance.choice((0, 1, 2)))
    return block, block + chance.choices(POOL, k=chance.choice((0, 2, 4, 6, 8)))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_bounded_blocks_as_by_listing(seed: int) -> None:
    block, tract = case(seed)
    left = possible(block, tract, POOL)
    found, _ = unique_in_tract(WORKLOAD.release(tables(block)), tract_of(tract), 60.0)
    assert found.verdict is (Verdict.VERIFIED if len(left) == 1 else Verdict.REFUTED)
    assert found.distance <= farthest(left) <= found.limit
    if len(left) > 1:
        assert found.second is not None
        assert frozenset(found.first.kinds) in left
        assert frozenset(found.second.kinds) in left


def test_years_of_age_matter() -> None:
    """By groups of ages the tract has a Hispanic and a Black man in his thirties; by years no Black man can be Hispanic."""
    block: list[Person] = [("M", 30, "Asian", "Y"), ("M", 31, "Black", "N"), ("M", 40, "Asian", "N"), ("M", 41, "Black", "Y")]
    release = WORKLOAD.release(tables(block))
    assert unique(release).verdict is Verdict.REFUTED
    assert len(possible(block, block, POOL)) == 1
    assert unique_in_tract(release, tract_of(block), 60.0)[0].verdict is Verdict.VERIFIED
    others: list[Person] = [("M", 30, "Asian", "N"), ("M", 31, "Asian", "Y"), ("M", 40, "Asian", "Y"), ("M", 40, "Black", "N")]
    wide = [*block, *others, ("M", 30, "Black", "N")]
    assert len(possible(block, wide, POOL)) == 2
    assert unique_in_tract(release, tract_of(wide), 60.0)[0].verdict is Verdict.REFUTED


def test_block_tables_alone_do_not_take_all_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where they stay undecided in their share of it, the bounds can still settle the block, and no limit is made up."""
    block: list[Person] = [("M", 30, "Asian", "Y"), ("M", 31, "Black", "N"), ("M", 40, "Asian", "N"), ("M", 41, "Black", "Y")]
    others: list[Person] = [("M", 30, "Asian", "N"), ("M", 31, "Asian", "Y"), ("M", 40, "Asian", "Y"), ("M", 40, "Black", "N")]
    release, given = WORKLOAD.release(tables(block)), list[float]()

    def first_undecided(asked: Release, time_limit: float) -> Uniqueness:
        given.append(time_limit)
        found = unique(asked, time_limit=60.0)
        return Uniqueness(Verdict.UNDECIDED, found.first) if len(given) == 1 else found

    monkeypatch.setattr(tract_bounds, "unique", first_undecided)
    assert unique_in_tract(release, tract_of(block), 60.0)[0].verdict is Verdict.VERIFIED
    assert given[0] < given[1]
    wide = [*block, *others, ("M", 30, "Black", "N")]
    given.clear()
    found, _ = unique_in_tract(release, tract_of(wide), 60.0)
    assert (found.verdict, found.distance, found.limit) == (Verdict.REFUTED, 4, 4)
    monkeypatch.setattr(tract_bounds, "unique", lambda asked, **_: Uniqueness(Verdict.UNDECIDED, unique(asked).first))
    found, _ = unique_in_tract(release, tract_of(wide), 60.0)
    assert (found.verdict, found.limit) == (Verdict.UNDECIDED, 0)  # 0: nothing was proved


def test_a_limit_on_several_classes_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """One Hispanic man is 30, one is 31, and Black and Asian men are 31 only: so not both of these are Hispanic.

    No cell of the tract says that for the group of ages, nor for one class; it comes out when datasets are given years.
    """
    young: list[Person] = [("M", 30, "NHPI", "Y"), ("M", 31, "Black", "Y"), ("M", 31, "Asian", "N")]
    block: list[Person] = [*young, ("M", 40, "NHPI", "N"), ("M", 40, "Asian", "Y")]
    tract: list[Person] = [*block, ("M", 31, "NHPI", "N"), ("M", 40, "NHPI", "Y"), ("M", 40, "Asian", "N")]
    pool = [("M", age, race, origin) for age in AGES[:3] for race in ("Black", "Asian", "NHPI") for origin in "NY"]
    release = WORKLOAD.release(tables(block))
    assert len(possible(block, tract * 2, pool)) == 2
    assert len(possible(block, tract, pool)) == 1
    found, known = unique_in_tract(release, tract_of(tract), 60.0)
    assert found.verdict is Verdict.VERIFIED
    mixed = RaceGroup(frozenset([(1, HISPANIC), (3, 0)]))  # a limit that no single predicate can state
    loose = bounded(known, [(1, AGE.index("40-44"), mixed, 9)])
    assert loose.own
    for asked in (known, loose):
        document = uniqueness_proof(asked)
        written = release_of(json.loads(json.dumps(release_for_check(asked))))
        assert datasets_left(written, document, check(written, document)) == ONE
    monkeypatch.setattr(tract_bounds, "_broken", lambda *_: [])  # without giving years two datasets seem to fit
    assert unique_in_tract(release, tract_of(tract), 60.0)[0].verdict is Verdict.REFUTED


def given_years(here: Ints, years: Ints) -> bool:
    """Can persons of these classes and origins be given years, each year within what the tract has? One person after the other."""
    persons = [(r, o) for r in range(CLASSES) for o in (0, 1) for _ in range(int(here[r, o]))]

    def place(i: int, taken: Ints) -> bool:
        if i == len(persons):
            return True
        race, origin = persons[i]
        for year in range(len(years)):
            taken[year, race, origin] += 1
            alone = taken[year, race, 0] <= years[year, race, 0]
            whole = taken[year, race].sum() <= years[year, race].sum()
            hispanic = taken[year, :, 1].sum() <= years[year, :, 1].sum()
            if alone and whole and hispanic and place(i + 1, taken):
                return True
            taken[year, race, origin] -= 1
        return False

    return place(0, np.zeros_like(years))


@pytest.mark.parametrize("seed", range(60))
def test_who_can_be_given_years(seed: int) -> None:
    """A limit is broken only by persons who cannot be given years; who breaks none is asked about exactly."""
    chance = np.random.default_rng(seed)
    group = person_domain().column("AGE").index["60-61"]
    tract = np.zeros(SHAPE, dtype=np.int64)
    tract[0, 60:62, :3] = chance.integers(0, 3, (2, 3, 2)) * (chance.random((2, 3, 2)) < 0.6)
    here = np.zeros((CLASSES, 2), dtype=np.int64)
    here[:3] = chance.integers(0, 3, (3, 2)) * (chance.random((3, 2)) < 0.6)
    possible_ = given_years(here, tract[0, 60:62])
    broken = _exceeded(0, group, here, tract)
    assert broken is None or not possible_
    assert _can_be_given_years(here, tract[0, 60:62]) == possible_
    assert possible_ or not _in_one_year(here, tract[0, 60:62])
