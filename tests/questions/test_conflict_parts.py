"""A release about many places, of which one contradicts itself: a smallest set of numbers is found among those about that place."""

from __future__ import annotations

import random

import pytest

import foregone as fg
from foregone.engine.answers import conflict
from foregone.model.errors import ContradictionError
from foregone.model.predicate import Predicate
from foregone.model.release import Release
from foregone.model.statement import Statistic

AGES, SEXES = "abc", "xy"


def districts(seed: int, number: int, wrong: dict[str, int], total: int | None = None) -> Release:
    """A table of each district with its totals, some left out. `wrong` is added to numbers by name, `total` to that of all."""
    rng, made, everybody = random.Random(seed), list[Statistic](), 0
    for place in (f"d{i}" for i in range(number)):
        cells = {(age, sex): rng.randint(0, 5) for age in AGES for sex in SEXES}
        counts = {f"{age}{sex}": ({"AGE": age, "SEX": sex}, n) for (age, sex), n in cells.items() if rng.random() < 0.6}
        counts |= {age: ({"AGE": age}, sum(cells[age, sex] for sex in SEXES)) for age in AGES}
        counts |= {sex: ({"SEX": sex}, sum(cells[age, sex] for age in AGES)) for sex in SEXES}
        counts["all"] = ({}, sum(cells.values()))
        for name, (where, count) in counts.items():
            told = count + wrong.get(f"{place}.{name}", 0)
            made.append(Statistic.exact(Predicate.of({"PLACE": place, **where}), told, f"{place}.{name}"))
        everybody += sum(cells.values())
    if total is not None:
        made.append(Statistic.exact(Predicate(), everybody + total, "everybody"))
    domain = fg.Domain.of({"PLACE": [f"d{i}" for i in range(number)], "AGE": list(AGES), "SEX": list(SEXES)})
    return Release(domain, made)


def contradiction(release: Release) -> ContradictionError:
    with pytest.raises(ContradictionError) as raised:
        fg.audit(release)
    return raised.value


@pytest.mark.parametrize("total", [None, 0])
@pytest.mark.parametrize("seed", range(4))
def test_the_place_that_contradicts_itself_is_as_good_as_the_whole(
    seed: int, total: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong = {f"d{seed}.{'abc'[seed % 3]}": 1 + seed % 2}
    release = districts(seed, 14, wrong, total)
    found = contradiction(release)
    monkeypatch.setattr(conflict, "_within_part", lambda *_: None)
    whole = contradiction(release)
    assert found.smallest
    assert whole.smallest
    assert len(found.conflict) == len(whole.conflict)
    assert conflict.fits(release, found.conflict) is False
    assert all(conflict.fits(release, [j for j in found.conflict if j != i]) for i in found.conflict)
    assert all(release.name_of(i).startswith(f"d{seed}.") for i in found.conflict)


def test_the_other_places_are_not_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> None:
        raise AssertionError("the whole release was searched")

    monkeypatch.setattr(conflict, "_within", refused)
    assert contradiction(districts(1, 40, {"d7.all": 1}, 1)).smallest


def test_of_two_places_the_smaller_contradiction_is_named() -> None:
    release = districts(3, 14, {"d2.a": 9, "d5.a": 1})
    numbers = [contradiction(release), contradiction(districts(3, 14, {"d2.a": 9})), contradiction(districts(3, 14, {"d5.a": 1}))]
    both, *alone = (len(error.conflict) for error in numbers)
    assert all(error.smallest for error in numbers)
    assert both == min(alone)


def test_a_total_that_no_place_explains_names_numbers_of_all() -> None:
    release = districts(5, 14, {}, total=1)
    found = contradiction(release)
    assert len(release.statistics) - 1 in found.conflict
    assert {release.name_of(i).partition(".")[0] for i in found.conflict} == {"everybody", *(f"d{i}" for i in range(14))}
    assert conflict.fits(release, found.conflict) is False
