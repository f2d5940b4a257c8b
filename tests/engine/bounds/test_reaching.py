"""Datasets between the corners of the relaxation: they fit, go far in a direction, and change nothing that is said."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from foregone.engine import start
from foregone.engine.bounds import prover, reaching
from foregone.engine.bounds.knowledge import SystemKnowledge
from foregone.engine.bounds.prover import Prover
from foregone.engine.bounds.reaching import Reaching
from foregone.engine.bounds.trees import Exceeds
from foregone.engine.claims import doubtful_buckets
from foregone.engine.claims.audit_loop import find_facts
from foregone.engine.system.decode import dataset_of
from foregone.engine.system.linear import compile_release
from foregone.engine.system.witness import Witness
from foregone.model.release import Release
from foregone.solvers import whole
from foregone.solvers.answer import Answer, Feasible, Undecided
from foregone.solvers.arrays import Floats, Ints
from foregone.solvers.deadline import Deadline
from tests import oracle
from tests.engine.witnesses.test_mending import STYLES, published

TAKE = SystemKnowledge.take


@pytest.fixture(params=["cpsat", "highs"], autouse=True)
def _solver(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """With CP-SAT where it is installed, and without it; in small releases, too."""
    if request.param == "highs":
        monkeypatch.setattr(whole, "installed", lambda _: False)
    else:
        pytest.importorskip("ortools")
    monkeypatch.setattr(prover, "QUICK", -1)
    monkeypatch.setattr(prover, "LOOSE", 1.0)


def made(release: Release) -> Prover:
    return Prover(compile_release(release))


@pytest.mark.parametrize("large", [False, True])
@pytest.mark.parametrize("style", STYLES)
def test_what_is_found_fits_and_goes_beyond_all_that_is_known(style: str, large: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    release = published(4, STYLES[style], 30, (3, 4, 2, 3), exact=True)
    asked, found = made(release), 0
    reach = asked.reaching
    assert reach is not None
    assert reach.first() is not None
    if large:
        monkeypatch.setattr(reaching, "MOST_BUCKETS", 20)
        monkeypatch.setattr(reaching, "SOME", 30)
    for seed in range(6):
        objective = np.random.default_rng(seed).integers(-2, 3, asked.system.buckets)
        best = max(asked.pool.counts(objective))
        witness = reach.far(objective)
        if witness is not None:
            found += 1
            assert oracle.fits(dataset_of(asked.system, witness).records, release)
            assert witness.value(objective) > best
    assert found


def test_directions_in_vain_come_to_an_end() -> None:
    """Nothing is beyond the only dataset that fits."""
    release = published(7, STYLES["exact"], 1, (2, 2, 2), exact=True)
    asked = made(release)
    assert asked.reaching is not None
    assert asked.first_witness() is True
    for _ in range(reaching.AIMLESS):
        assert asked.reaching.willing()
        assert asked.reaching.far(np.ones(asked.system.buckets, dtype=np.int64)) is None
    assert not asked.reaching.willing()


def test_every_bucket_that_can_be_filled_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is said of each bucket is what is said without reaching for it, however few buckets a program has."""
    monkeypatch.setattr(reaching, "FEW", 12)
    release = published(5, STYLES["exact"], 12, (3, 3, 2, 3), exact=True)
    asked = made(release)
    assert asked.reaching is not None
    assert asked.first_witness() is True
    told = [isinstance(asked.at_most(asked.system.count_in(b), 0), Exceeds) for b in range(asked.system.buckets)]
    monkeypatch.setattr(Prover, "reaching", None)
    plain = made(release)
    assert plain.first_witness() is True
    assert told == [isinstance(plain.at_most(plain.system.count_in(b), 0), Exceeds) for b in range(plain.system.buckets)]


@pytest.mark.parametrize("large", [False, True])
@pytest.mark.parametrize("style", STYLES)
def test_the_facts_are_the_same_without_it(style: str, large: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Large systems are asked about some likely buckets, and about one set of doubtful buckets after another."""
    releases = [published(seed, STYLES[style], 14, (3, 3, 2, 2), exact=True) for seed in range(8, 22)]

    def facts(release: Release) -> set[tuple[bytes, int]]:
        case = start(release)
        case.prover.integer_solves = 1  # as where bounds have left a question open
        found = find_facts(case)
        assert all(fact.reason is not None for fact in found.facts)
        return {(fact.closed.tobytes(), fact.count) for fact in found.facts}

    told, far = list[int](), Reaching.far

    def heard(self: Reaching, objective: Ints) -> Witness | None:
        told.append(1)
        return far(self, objective)

    with monkeypatch.context() as patch:
        patch.setattr(Reaching, "far", heard)
        if large:
            patch.setattr(reaching, "MOST_BUCKETS", 9)
            patch.setattr(reaching, "SOME", 8)
            patch.setattr(doubtful_buckets, "MANY", 3)
        with_it = [facts(release) for release in releases]
    assert told
    monkeypatch.setattr(Prover, "reaching", None)
    assert [facts(release) for release in releases] == with_it


def test_another_corner_leads_on() -> None:
    """Around other corners a dataset is found that has a bucket filled which none that is known fills."""
    asked = made(published(4, STYLES["exact"], 30, (3, 4, 2, 3), exact=True))
    assert asked.reaching is not None
    assert asked.first_witness() is True
    found = 0
    for bucket in np.flatnonzero(~asked.pool.occupied).tolist():
        witness = asked.reaching.again(asked.system.count_in(bucket), 0)
        found += witness is not None
        assert witness is None or bucket in witness.buckets
    assert found


def test_a_program_may_begin_next_to_a_corner() -> None:
    """Whole numbers next to a relaxed point need not fit, and may lie in buckets that a program has not; what is found fits."""
    found = 0
    for seed in range(6):
        release = published(seed, STYLES["exact"], 25, (3, 4, 2, 3), exact=True)
        system = compile_release(release)
        corner = Prover(system).known.ask(np.random.default_rng(seed).integers(0, 9, system.buckets))
        assert isinstance(corner, Feasible)
        some = np.arange(seed % 2, system.buckets)
        answer = whole.point_among(system, some, None, Deadline(), 2.0, corner)
        if isinstance(answer, Feasible):
            found += 1
            assert np.isin(answer.buckets, some).all()
            assert oracle.fits(dataset_of(system, Witness.of_counts(answer.buckets, answer.counts.astype(int))).records, release)
    assert found


def test_a_first_dataset_is_looked_for_again_next_to_corners(monkeypatch: pytest.MonkeyPatch) -> None:
    asked, begun = made(published(4, STYLES["exact"], 30, (3, 4, 2, 3), exact=True)), list[bool]()
    inner = whole.point_among

    def second(*question: Any) -> Answer:
        begun.append(question[-1] is not None)
        return Undecided("not yet") if len(begun) == 1 else inner(*question)

    monkeypatch.setattr(reaching, "point_among", second)
    monkeypatch.setattr(SystemKnowledge, "take", _not_of_corners)
    assert asked.reaching is not None
    assert [found is not None for found in asked.reaching._between_corners()][:2] == [False, True]
    assert begun[:2] == [False, True]


@pytest.mark.parametrize("number", [10, 40])
def test_a_first_dataset_is_looked_for_where_records_are_likely(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Among few buckets there may be none; what is found among some fits all numbers, and its buckets are those of the whole."""
    monkeypatch.setattr(reaching, "LIKELY", (number,))
    found = 0
    for seed in range(6):
        release = published(seed, STYLES["exact"], 25, (3, 4, 2, 3), exact=True)
        asked = made(release)
        assert asked.reaching is not None
        for witness in asked.reaching._where_likely():
            found += witness is not None
            assert witness is None or oracle.fits(dataset_of(asked.system, witness).records, release)
    assert (number == 10) == (not found)


def test_a_system_with_few_buckets_is_not_asked_about_as_a_whole_again_and_again() -> None:
    asked = made(published(4, STYLES["exact"], 30, (3, 4, 2, 3), exact=True))
    assert asked.reaching is not None
    assert not list(asked.reaching._where_likely())


def _not_of_corners(known: SystemKnowledge, answer: Answer) -> Witness | None:
    """Datasets that programs found, as their multipliers are all 0, and no corners."""
    program = isinstance(answer, Feasible) and not answer.multipliers.any()
    return TAKE(known, answer) if program else None


@pytest.mark.parametrize("style", STYLES)
def test_in_large_tables_a_first_dataset_is_found_where_records_are_likely(style: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a relaxation of all buckets, and looking at some of them only."""
    monkeypatch.setattr(reaching, "MOST_BUCKETS", 20)
    monkeypatch.setattr(reaching, "DRAWN", 60)
    monkeypatch.setattr(reaching, "LIKELY", (20, 30, 40))
    release = published(6, STYLES[style], 12, (3, 4, 2, 3), exact=True)
    asked = made(release)
    assert asked.reaching is not None
    found = asked.reaching.first()
    assert found is not None
    assert asked.relaxation.solves == 0
    assert oracle.fits(dataset_of(asked.system, found).records, release)
    assert made(release).first_witness() is True


def test_in_large_tables_that_contradict_each_other_few_draws_are_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    """No draw has a point, so the relaxation of all buckets is asked, which tells that nothing fits."""
    monkeypatch.setattr(reaching, "MOST_BUCKETS", 20)
    monkeypatch.setattr(reaching, "LIKELY", (20, 30, 40))
    inner, tried = Reaching._corner_among, list[int]()

    def counted(self: Reaching, chosen: Ints, objective: Floats) -> Answer:
        tried.append(len(chosen))
        return inner(self, chosen, objective)

    monkeypatch.setattr(Reaching, "_corner_among", counted)
    right = published(4, STYLES["exact"], 30, (3, 4, 2, 3), exact=True)
    numbers = list(right.statistics)
    largest = max(range(1, len(numbers)), key=lambda i: numbers[i].low)
    numbers[largest] = replace(numbers[largest], low=numbers[largest].low - 1, high=numbers[largest].low - 1)
    asked = made(Release(right.domain, tuple(numbers)))
    assert asked.first_witness() is False
    assert asked.refutation is not None
    assert len(tried) == 3


def test_doubtful_buckets_are_settled_by_sets() -> None:
    """What is emptied can hold nothing in any dataset, and what is filled can; most of it is told this way."""
    for seed in range(4):
        asked = made(published(seed, STYLES["starred"], 14, (3, 3, 2, 2), exact=True))
        assert asked.first_witness() is True
        sets = [np.array([bucket]) for bucket in range(asked.system.buckets)]
        doubtful_buckets._by_sets(asked, sets)
        plain = made(asked.system.release)
        assert plain.first_witness() is True
        can = np.array([isinstance(plain.at_most(plain.system.count_in(b), 0), Exceeds) for b in range(len(sets))])
        assert not can[asked.known.empty].any()
        assert can[asked.pool.occupied].all()
        assert (asked.known.empty | asked.pool.occupied).mean() > 0.9
