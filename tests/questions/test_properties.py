"""What must hold for every release, whatever the numbers: Hypothesis looks for exceptions."""

from __future__ import annotations

import random
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foregone import (
    Audit,
    Dataset,
    Domain,
    Ground,
    Predicate,
    Release,
    Statistic,
    UndecidedError,
    Verdict,
    audit,
    bounds,
    generate,
    unique,
    verify,
)
from foregone.engine import Evidence, LinearSystem
from foregone.engine.answers.generate import expansions
from foregone.engine.bounds.prover import Prover
from foregone.model.claims_table import codes_of
from foregone.solvers.answer import Undecided
from tests import oracle
from tests.oracle import fits
from tests.solvers.silence import silent_solver
from tests.strategies import LARGEST, predicates, releases

Pair = tuple[Release, Dataset]
Claim = tuple[frozenset[tuple[str, str]], int]


def claims(result: Audit) -> set[Claim]:
    names = result.release.domain.names
    return {
        (frozenset((n, v) for n, v in zip(names, row.values, strict=True) if v is not None), row.count)
        for row in result.all_rows()
    }


@settings(max_examples=60, deadline=None)
@given(releases())
def test_truth_satisfies_its_own_release(pair: Pair) -> None:
    release, truth = pair
    assert truth.broken(release) == []
    assert fits(truth.records, release)


@settings(max_examples=60, deadline=None)
@given(releases(), st.data())
def test_a_dataset_is_broken_exactly_when_retabulation_says_so(pair: Pair, data: st.DataObject) -> None:
    release, truth = pair
    other = Dataset.of(truth.domain, data.draw(st.permutations(truth.records)))
    assert other == truth
    some = [tuple(data.draw(st.sampled_from(column.codes)) for column in truth.domain.columns) for _ in range(len(truth))]
    assert (Dataset.of(truth.domain, some).broken(release) == []) == fits(tuple(some), release)


@pytest.mark.slow
@settings(max_examples=80, deadline=None)
@given(releases())
def test_every_verified_claim_holds_in_the_truth(pair: Pair) -> None:
    release, truth = pair
    result = audit(release)
    for row in result.all_rows():
        told = {n: codes_of(v) for n, v in zip(release.domain.names, row.values, strict=True) if v is not None}
        assert truth.count(Predicate.of(told)) == row.count
        assert len(told) == row.columns
        assert row.ground in set(Ground)
    assert result.broken_by(truth) == []


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(releases())
def test_every_witness_satisfies_the_release(pair: Pair) -> None:
    release, _ = pair
    evidence = audit(release).evidence
    assert isinstance(evidence, Evidence)
    assert evidence.witnesses
    for witness in evidence.witnesses:
        for i, dataset in enumerate(expansions(evidence.system, witness, 4)):
            assert fits(dataset.records, release)
            if i == 20:
                break


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(releases(), st.integers(1, 20))
def test_every_generated_dataset_satisfies_the_release(pair: Pair, k: int) -> None:
    release, _ = pair
    made = generate(release, k)
    assert made.datasets
    assert all(fits(dataset.records, release) for dataset in made.datasets)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(releases(), st.data())
def test_more_statistics_never_lose_a_verified_claim(pair: Pair, data: st.DataObject) -> None:
    release, truth = pair
    before = claims(audit(release))
    extra = [data.draw(predicates(release.domain)) for _ in range(data.draw(st.integers(1, 3)))]
    more = tuple(Statistic.exact(predicate, truth.count(predicate)) for predicate in extra)
    assert before <= claims(audit(Release(release.domain, (*release.statistics, *more), release.rules)))


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(releases(), st.randoms(use_true_random=False))
def test_renaming_and_permuting_changes_nothing(pair: Pair, rng: random.Random) -> None:
    release, _ = pair
    columns = list(release.domain.columns)
    rng.shuffle(columns)
    new_column = {c.name: f"x{i}" for i, c in enumerate(columns)}
    new_code = {(c.name, code): f"v{len(c.codes) - i}" for c in columns for i, code in enumerate(c.codes)}
    renamed = {}
    for c in columns:
        codes = [new_code[c.name, code] for code in c.codes]
        rng.shuffle(codes)
        renamed[new_column[c.name]] = codes

    def mapped(predicate: Predicate) -> Predicate:
        return Predicate.of({new_column[n]: [new_code[n, code] for code in codes] for n, codes in predicate.allowed})

    statistics = [Statistic(mapped(s.predicate), s.low, s.high, s.name) for s in release.statistics]
    rng.shuffle(statistics)
    rules = [mapped(rule) for rule in release.rules]
    rng.shuffle(rules)
    other = Release(Domain.of(renamed), tuple(statistics), tuple(rules))
    expected = {
        (frozenset((new_column[n], frozenset(new_code[n, code] for code in codes)) for n, codes in claim), count)
        for claim, count in said(audit(release))
    }
    assert said(audit(other)) == expected


def said(result: Audit) -> set[tuple[frozenset[tuple[str, frozenset[str]]], int]]:
    """Claims with groups as sets, whatever order their codes are in."""
    return {(frozenset((n, frozenset(v.split("|"))) for n, v in claim), count) for claim, count in claims(result)}


# A solver that always times out


def test_the_silent_solver_is_silent() -> None:
    release = Release(Domain.of({"A": ["0", "1"]}), (Statistic.exact(Predicate(), 2),))
    with silent_solver():
        assert Prover.__init__.__defaults__ is not None
        prover = Prover(_system(release))
        assert isinstance(prover.relaxation.maximise(np.zeros(1)), Undecided)
        assert isinstance(prover.solve_integer(None), Undecided)
        with pytest.raises(UndecidedError, match="time limit"):
            audit(release)
    assert audit(release).open == ()


def _system(release: Release) -> LinearSystem:
    from foregone.engine.system.linear import compile_release

    return compile_release(release)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(releases(), st.integers(0, 6), st.data())
def test_a_solver_that_times_out_is_never_wrong(pair: Pair, after: int, data: st.DataObject) -> None:
    """Whatever is still said is true, and nothing is said to be certain on the word of the solver."""
    release, truth = pair
    everything = oracle.verified_claims(release, LARGEST)
    predicate = data.draw(predicates(release.domain))
    expected = oracle.count_range(release, predicate, LARGEST)
    count = truth.count(predicate)
    with silent_solver(after), suppress(UndecidedError):
        result = audit(release, groups="none")
        found = {(tuple(sorted(claim)), number) for claim, number in claims(result)}
        assert found <= {(tuple(sorted(claim)), number) for claim, number in everything}
        if after <= 1:
            grounds = {row.ground for row in result.all_rows()}
            assert grounds <= {Ground.PUBLISHED, Ground.LINEAR}
    with silent_solver(after), suppress(UndecidedError):
        assert bounds(release, predicate) == expected
    with silent_solver(after):
        try:
            verdict = verify(release, predicate, count).verdict
        except UndecidedError:
            verdict = Verdict.UNDECIDED
        if verdict != Verdict.UNDECIDED:
            assert (verdict == Verdict.VERIFIED) == (expected == (count, count))
    with silent_solver(after):
        try:
            answer = unique(release).verdict
        except UndecidedError:
            answer = Verdict.UNDECIDED
        if answer != Verdict.UNDECIDED:
            many = sum(1 for _ in oracle.consistent_datasets(release, LARGEST)) > 1
            assert (answer == Verdict.REFUTED) == many


def test_no_verdict_rests_on_a_silent_solver() -> None:
    """A claim that needs a bound is open when the solver falls silent after the first witness."""
    domain = Domain.of({"V": ["a", "b", "c"]})
    parts = [Statistic(Predicate.of({"V": code}), low, low + 4) for code, low in (("a", 3), ("b", 0), ("c", 8))]
    loose = Release(domain, (Statistic.exact(Predicate(), 11), *parts))
    settled = audit(loose)
    assert not settled.open
    assert any(row.ground in (Ground.BOUND, Ground.SEARCH) for row in settled.rows())
    with silent_solver(after=1):
        result = audit(loose)
    assert result.open
    assert "Undecided: 0" not in result.summary()
    assert all(row.ground in (Ground.PUBLISHED, Ground.LINEAR) for row in result.all_rows())
    assert set(result.undecided["status"]) == {"undecided"}
