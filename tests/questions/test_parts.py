"""Releases that fall into independent parts: every question has the answer that it has without taking them apart, proofs too."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from foregone import (
    ContradictionError,
    Domain,
    Predicate,
    Release,
    Statistic,
    Verdict,
    audit,
    bounds,
    check,
    explain,
    proofs,
    verify,
)
from foregone.engine import Case
from foregone.engine.bounds import prover
from foregone.engine.explain import own_part
from foregone.model.audit import Audit, Fact
from foregone.model.statement import Either
from tests import oracle
from tests.audited import compare
from tests.glued import glued


@pytest.fixture(autouse=True)
def taken_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prover, "APART_ROWS", 0)


def whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prover, "APART_ROWS", 1 << 30)


def told(audited: Audit) -> list[Fact]:
    """Facts without their grounds: another search may meet another reason first."""
    return [replace(fact, ground=None) for fact in audited.facts]


def predicate_of(rng: Random, release: Release) -> Predicate:
    columns = rng.sample(release.domain.columns, rng.randint(0, len(release.domain.columns)))
    return Predicate.of({c.name: rng.sample(c.codes, rng.randint(1, len(c.codes))) for c in columns})


@pytest.mark.parametrize("start", range(0, 240, 40))
def test_audits_are_the_same(start: int, monkeypatch: pytest.MonkeyPatch) -> None:
    apart = 0
    for seed in range(start, start + 40):
        release, _ = glued(Random(seed))
        found = audit(release)
        with monkeypatch.context() as m:
            whole(m)
            other = audit(release)
        assert told(found) == told(other), seed
        assert len(found.open) == len(other.open)
        if found.open:  # an either-or beside numbers without limits
            assert any(isinstance(stated, Either) for stated in release.statements)
            continue
        assert found.size == other.size
        document = proofs(found)
        checked = check(release, document, complete=True)
        assert (checked.rejected, checked.complete) == ([], True), (seed, checked)
        assert len(document["facts"]) == len(found.facts)
        apart += len(Case(release).parts) > 1
    assert apart > 10


def test_audits_equal_brute_force() -> None:
    compared = 0
    for seed in range(300):
        release, _ = glued(Random(1000 + seed))
        if release.size[1] is not None and release.size[1] <= 5 and seed % 3 == 0:
            compare(release, list(oracle.consistent_datasets(release, release.size[1])))
            compared += 1
    assert compared > 20


@pytest.mark.parametrize("start", range(0, 400, 100))
def test_bounds_and_verify_are_the_same(start: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in range(start, start + 100):
        rng = Random(seed)
        release, truth = glued(rng)
        predicate = predicate_of(rng, release)
        found, finding = bounds(release, predicate), verify(release, predicate, truth.count(predicate))
        with monkeypatch.context() as m:
            whole(m)
            assert found == bounds(release, predicate), seed
            assert finding.verdict == verify(release, predicate, truth.count(predicate)).verdict, seed
        if finding.verdict == Verdict.VERIFIED:
            assert finding.proof is not None
            assert check(release, finding.proof).rejected == [], seed
        else:
            assert finding.witness is not None
            assert not finding.witness.broken(release)
            assert finding.witness.count(predicate) != truth.count(predicate)
        if found[1] is not None and release.size[1] is not None and release.size[1] <= 6:
            assert found == oracle.count_range(release, predicate, release.size[1]), seed


PAIRS = (("a", "b"), ("b", "c"), ("a", "c"))


def cycles(low: int, high: int, places: str = "pq") -> Release:
    """In each place three pairs of values, of which so many records have one: whole numbers say more than fractions."""
    domain = Domain.of({"P": [*places], "X": ["a", "b", "c"]})
    return Release(
        domain,
        [Statistic(Predicate.of({"P": p, "X": pair}), low, high, f"{p}.{i}") for p in places for i, pair in enumerate(PAIRS)],
    )


def test_a_part_that_nothing_fits_is_enough_for_a_contradiction() -> None:
    odd = cycles(1, 1, "r")
    domain = Domain.of({"P": ["p", "q", "r"], "X": ["a", "b", "c"]})
    release = Release(domain, [*cycles(0, 1).statistics, *odd.statistics])
    with pytest.raises(ContradictionError) as error:
        audit(release)
    assert error.value.conflict == (6, 7, 8)
    assert check(release, error.value.proof).rejected == ["the release contradicts itself: no dataset fits it"]


def test_parts_that_need_whole_numbers_add_up() -> None:
    release = cycles(0, 1)
    assert bounds(release, {}) == (0, 2)
    stricter = [*release.statistics, *(Statistic(Predicate.of({"P": p}), 1, None, p) for p in "pq")]
    release = Release(release.domain, stricter)
    finding = verify(release, {}, 2)
    assert finding.verdict == Verdict.VERIFIED
    assert check(release, finding.proof).rejected == []
    found = audit(release)
    assert [fact.count for fact in found.facts if not any(form.allowed for form in fact.shortest)] in ([], [2])
    checked = check(release, proofs(found), complete=True)
    assert (checked.rejected, checked.complete) == ([], True)


def test_explanations_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the numbers about a claim's own places and what is left of totals, and by all numbers."""
    used = tied = 0
    for seed in range(400):
        rng = Random(seed)
        release, _ = glued(rng, sums=False)
        places = release.domain.columns[0].codes
        further: dict[str, str] = rng.choice([{}, {"A": "a0"}, {"B": "b0"}, {"A": "a1", "B": "b0"}])
        predicate = Predicate.of({"PLACE": rng.choice(places), **further})
        low, high = bounds(release, predicate)
        if low != high:
            continue
        with monkeypatch.context() as m:
            m.setattr(own_part, "MANY", 0)
            part = own_part.own_part(release, [predicate])
            found = explain(release, predicate, low).ways
        every = explain(release, predicate, low).ways  # few numbers are not taken apart
        if not every.complete or not every.shortest:
            continue
        used, tied = used + (part is not None), tied + (part is not None and part.totals > 0)
        assert set(found.sets) <= set(every.sets), seed
        assert not found.complete or set(found.sets) == set(every.sets), seed
        assert not found.shortest or len(found.sets[0]) == len(every.sets[0]), seed
        assert found.alone == every.alone, seed
        assert found.least <= every.least <= max(len(found.withhold), every.least), seed
        if found.withhold:
            left = [s for i, s in enumerate(release.statistics) if i not in found.withhold]
            assert bounds(Release(release.domain, left, release.rules), predicate) != (low, low), seed
            assert len(found.withhold) >= every.least
    assert used > 60
    assert tied > 15
