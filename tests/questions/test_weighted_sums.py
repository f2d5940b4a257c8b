"""Weighted sums beside counts, against brute force: both engines, every question."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from foregone import (
    ContradictionError,
    Dataset,
    Domain,
    Ground,
    InputError,
    Predicate,
    Release,
    Statistic,
    Verdict,
    audit,
    bounds,
    explain,
    generate,
    unique,
    verify,
)
from foregone.engine import Evidence
from foregone.engine.answers.generate import expansions
from foregone.model.statement import Statement
from foregone.onehot.audit import audit as audit_onehot
from foregone.onehot.verify import possible as possible_onehot
from foregone.onehot.verify import verify as verify_onehot
from foregone.questions.ask import possible
from foregone.solvers.ip.registry import load
from tests import oracle
from tests.audited import claims_of, listed
from tests.strategies import LARGEST, predicates, weighted_releases

Pair = tuple[Release, Dataset]


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(weighted_releases())
def test_audit_equals_brute_force(pair: Pair) -> None:
    release, truth = pair
    assert truth.broken(release) == []
    result = audit(release)
    assert not result.open
    assert claims_of(result) == oracle.verified_claims(release, LARGEST)
    assert result.broken_by(truth) == []
    evidence = result.evidence
    assert isinstance(evidence, Evidence)
    for witness in evidence.witnesses:
        for _, dataset in zip(range(5), expansions(evidence.system, witness, 3), strict=False):
            assert oracle.fits(dataset.records, release)


@pytest.mark.slow
@settings(max_examples=120, deadline=None)
@given(weighted_releases(), st.data())
def test_single_questions_equal_brute_force(pair: Pair, data: st.DataObject) -> None:
    release, _ = pair
    predicate = data.draw(predicates(release.domain))
    everything = list(oracle.consistent_datasets(release, LARGEST))
    counts = {sum(oracle.matches(r, predicate, release.domain.names) for r in records) for records in everything}
    assert bounds(release, predicate) == (min(counts), max(counts))
    count = data.draw(st.integers(0, LARGEST))
    finding = verify(release, predicate, count)
    assert finding.verdict == (Verdict.VERIFIED if counts == {count} else Verdict.REFUTED)
    if finding.witness is not None:
        assert oracle.fits(finding.witness.records, release)
        assert finding.witness.count(predicate) != count
    answer = possible(release, predicate, count)
    assert answer.impossible == (count not in counts)
    if answer.witness is not None:
        assert oracle.fits(answer.witness.records, release)
        assert answer.witness.count(predicate) == count


@pytest.mark.slow
@settings(max_examples=80, deadline=None)
@given(weighted_releases(), st.integers(1, 8))
def test_generate_and_unique_equal_brute_force(pair: Pair, k: int) -> None:
    release, _ = pair
    everything = {tuple(sorted(records)) for records in oracle.consistent_datasets(release, LARGEST)}
    made = generate(release, k)
    found = {tuple(sorted(dataset.records)) for dataset in made.datasets}
    assert found <= everything
    assert len(found) == len(made.datasets) == min(k, len(everything))
    assert made.complete == (len(everything) <= k)
    answer = unique(release)
    assert answer.verdict == (Verdict.VERIFIED if len(everything) == 1 else Verdict.REFUTED)
    if answer.second is not None:
        some = [Dataset.of(release.domain, records) for records in sorted(everything)[:40]]
        assert oracle.fits(answer.first.records, release)
        assert oracle.fits(answer.second.records, release)
        assert answer.distance == answer.first.distance(answer.second) > 0
        assert max(a.distance(b) for a in some for b in some) <= answer.limit


@pytest.mark.slow
@pytest.mark.parametrize("name", ["highs", "cpsat"])
@settings(max_examples=20, deadline=None)
@given(pair=weighted_releases(), data=st.data())
def test_the_one_hot_engine_equals_brute_force(name: str, pair: Pair, data: st.DataObject) -> None:
    if name == "cpsat":
        pytest.importorskip("ortools", reason="cpsat is not installed: pip install 'foregone[cpsat]'")
    release, truth = pair
    result = audit_onehot(release, load(name), 5, 60)
    assume("kSolveError" not in result.reason)  # a solver that gives up leaves claims undecided, and says so
    assert not result.open
    assert claims_of(result) == oracle.verified_claims(release, LARGEST)
    predicate, count = data.draw(predicates(release.domain)), data.draw(st.integers(0, LARGEST))
    datasets = oracle.consistent_datasets(release, LARGEST)
    counts = {sum(oracle.matches(r, predicate, release.domain.names) for r in records) for records in datasets}
    verdict = verify_onehot(release, predicate, count, load(name), 60).verdict
    assert verdict == (Verdict.VERIFIED if counts == {count} else Verdict.REFUTED)
    assert possible_onehot(release, predicate, count, load(name), 60).impossible == (count not in counts)
    assert result.broken_by(truth) == []


# By hand

AGE = Domain.of({"AGE": ["20", "50", "80"], "SEX": ["F", "M"]}, record="person")


def ages(low: int | None, high: int | None, **among: str) -> Statement:
    """The sum of the ages of all people, or of some."""
    terms = tuple((int(code), Predicate.of({"AGE": code, **among})) for code in AGE.columns[0].codes)
    return Statement(terms, low, high, "ages")


def people(number: int, *sums: Statement) -> Release:
    return Release(AGE, [Statistic.exact(Predicate(), number, "people")], (), sums)


def test_a_sum_tells_who_there_is() -> None:
    """Three people with 120 years between them: 20, 20 and 80, or 20, 50 and 50."""
    release = people(3, ages(120, 120))
    assert bounds(release, {"AGE": "20"}) == (1, 2)
    assert bounds(release, {"AGE": "50"}) == (0, 2)
    assert possible(release, {"AGE": "50"}, 1).impossible
    assert listed(release) == set()
    more = people(3, ages(120, 120), ages(80, None, SEX="F"))
    assert bounds(more, {"AGE": "80", "SEX": "M"}) == (0, 0)
    assert listed(people(3, ages(90, 90))) == {((("AGE", "20"),), 2), ((("AGE", "50"),), 1)}
    assert unique(people(3, ages(60, 60))).verdict == Verdict.REFUTED  # three of 20, but women or men
    assert unique(people(3, ages(60, 60), ages(60, 60, SEX="F"))).verdict == Verdict.VERIFIED


def test_a_difference_can_be_negative() -> None:
    women, men = Predicate.of({"SEX": "F"}), Predicate.of({"SEX": "M"})
    fewer = people(4, Statement(((1, women), (-1, men)), None, -3, "women less men"))
    assert listed(fewer) == {((("SEX", "M"),), 4)}
    finding = verify(fewer, {"SEX": "M"}, 4)
    assert (finding.verdict, finding.ground) == (Verdict.VERIFIED, Ground.BOUND)
    as_many = people(4, Statement(((1, women), (-1, men)), 0, 0, "women less men"))
    assert listed(as_many) == {((("SEX", "F"),), 2), ((("SEX", "M"),), 2)}
    assert verify(as_many, {"SEX": "M"}, 2).ground == Ground.LINEAR


def test_a_sum_that_cancels_out_says_nothing() -> None:
    everyone = Predicate()
    release = people(2, Statement(((3, everyone), (-3, Predicate.of({"SEX": ["F", "M"]}))), 0, 0, "nothing"))
    assert listed(release) == set()
    assert bounds(release, {"SEX": "F"}) == (0, 2)
    with pytest.raises(ContradictionError, match="nothing = 1"):
        audit(people(2, Statement(((3, everyone), (-3, everyone)), 1, 1, "nothing")))


def test_what_a_sum_forces_is_explained_and_contradicted_by_its_name() -> None:
    found = explain(people(3, ages(230, None)), {"AGE": "80"}, 3)
    assert found.statistics == (0, 1)
    assert "at least 230 (ages)" in found.text()
    with pytest.raises(ContradictionError, match=r"people = 3\nages = at least 241") as caught:
        audit(people(3, ages(241, None)))
    assert caught.value.conflict == (0, 1)
    assert caught.value.smallest


def test_many_people() -> None:
    """A thousand people and the sum of their ages: the range of each age, against trying every number."""
    release = people(1000, ages(43_010, 43_010))
    fits = [(1000 - b - c, b, c) for c in range(1001) for b in range(1001 - c) if 30 * b + 60 * c == 43_010 - 20_000]
    assert len(fits) == 384
    for at, code in enumerate(("20", "50", "80")):
        assert bounds(release, {"AGE": code}) == (min(f[at] for f in fits), max(f[at] for f in fits))
    made = generate(release, 5)
    assert len(set(made.datasets)) == 5
    assert made.complete is False
    assert all(dataset.broken(release) == [] for dataset in made.datasets)


@pytest.mark.parametrize(
    ("terms", "words"),
    [
        ((), "adds up nothing"),
        (((0, Predicate()),), "the weight 0"),
        (((1 << 32, Predicate()),), "the weight 4294967296"),
        (((1.5, Predicate()),), "the weight 1.5"),
        (((1, Predicate.of({"AGE": "21"})),), "'21' is not a value of AGE"),
    ],
)
def test_sums_that_mean_nothing_are_refused(terms: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        people(2, Statement(terms, 1, 1, "sum"))
    with pytest.raises(InputError, match="low 3 is above high 2"):
        people(2, ages(3, 2))
