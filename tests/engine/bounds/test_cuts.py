"""Derived rows: what is rounded down is true, closes odd cycles and parities without a tree, and is checked again by others."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foregone import (
    ContradictionError,
    Domain,
    Ground,
    Predicate,
    Release,
    Statement,
    Statistic,
    Verdict,
    audit,
    check,
    proofs,
    verify,
)
from foregone.checker import digest
from foregone.engine import start
from foregone.engine.bounds import branching, cuts, prover
from foregone.engine.bounds.prover import Prover
from foregone.engine.bounds.search import Search
from foregone.engine.bounds.trees import TreeLeaf
from foregone.engine.claims import doubtful_buckets
from foregone.engine.system.linear import compile_release
from foregone.solvers.answer import Feasible, Undecided
from tests.engine.bounds.test_certify import Pair, bucket_counts
from tests.engine.bounds.test_search import random_ranges, triangles
from tests.strategies import releases, weighted_releases


def test_odd_cycles_close_without_a_tree() -> None:
    """One rounding for each triangle; a tree would need a number of parts that doubles with each."""
    release = triangles(30)
    finding = verify(release, {"V": "rest"}, 1)
    assert (finding.verdict, finding.ground) == (Verdict.VERIFIED, Ground.BOUND)
    assert "split" not in json.dumps(finding.proof)
    assert check(release, finding.proof).accepted == 1


@pytest.mark.slow
def test_two_hundred_odd_cycles() -> None:
    result = audit(triangles(200), time_limit=100)
    assert [fact.count for fact in result] == [1]
    assert not result.open
    assert check(result.release, proofs(result), complete=True).complete


def exactly(pairs: list[str]) -> Release:
    """Values of one column; of each pair exactly one record."""
    domain = Domain.of({"V": sorted(set("".join(pairs)))})
    return Release(domain, tuple(Statistic.exact(Predicate.of({"V": list(pair)}), 1) for pair in pairs))


def test_three_pairs_with_one_record_each_contradict() -> None:
    """Twice the number of records would be 3."""
    prover_ = Prover(compile_release(exactly(["ab", "bc", "ac"])))
    assert prover_.first_witness() is False
    assert prover_.nodes == 0
    assert isinstance(prover_.refutation, TreeLeaf)
    with pytest.raises(ContradictionError):
        audit(exactly(["ab", "bc", "cd", "de", "ae"]))
    assert audit(exactly(["ab", "bc", "cd", "ad"])).open == ()


def test_an_even_sum_is_not_odd() -> None:
    """Half records satisfy it, and no tree ends: nothing limits the number of records."""
    a, b = Predicate.of({"V": "a"}), Predicate.of({"V": "b"})
    domain = Domain.of({"V": ["a", "b"]})
    with pytest.raises(ContradictionError):
        audit(Release(domain, (), (), (Statement(((2, a), (-2, b)), 1, 1),)), time_limit=20)
    loose = Release(domain, (), (), (Statement(((2, a), (-2, b)), 1, 3),))
    assert verify(loose, {"V": "a"}, 0).verdict == Verdict.REFUTED
    session = start(loose)
    assert {lemma.at_most for lemma in session.prover.lemmas} == {1, -1}


def all_lemmas(release: Release) -> Prover:
    """Whatever can be derived at corners in random directions, one rounding resting on another."""
    session = Prover(compile_release(release))
    assert session.first_witness() is True
    rng = np.random.default_rng(0)
    for _ in range(8):
        objective = rng.integers(-9, 10, session.system.buckets)
        for _ in range(3):
            answer = session.known.ask(objective)
            for lemma in cuts.separate(session.known, answer) if isinstance(answer, Feasible) else ():
                session.known.learn(lemma)
    return session


@settings(max_examples=60, deadline=None)
@given(st.one_of(releases(), weighted_releases()))
def test_whatever_is_derived_is_true(pair: Pair) -> None:
    session = all_lemmas(pair[0])
    counts = [np.array(point, dtype=np.int64) for point in bucket_counts(pair[0], session.system)]
    for lemma in session.lemmas:
        assert all(int(point[lemma.form.buckets] @ lemma.form.weights) <= lemma.at_most for point in counts)


def test_something_is_derived() -> None:
    """The test above would also pass if nothing were; and here it is true as well."""
    made = 0
    for seed in range(1000, 1015):
        release = random_ranges(seed)
        session = all_lemmas(release)
        made += len(session.lemmas)
        for point in bucket_counts(release, session.system):
            counts = np.array(point, dtype=np.int64)
            assert all(int(counts[lemma.form.buckets] @ lemma.form.weights) <= lemma.at_most for lemma in session.lemmas)
    assert made > 5


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000))
def test_multipliers_made_up_give_true_rows(seed: int) -> None:
    """However wrong the suggestion, the row is true."""
    release = random_ranges(seed)
    session = Prover(compile_release(release))
    assert session.first_witness() is True
    rng = np.random.default_rng(seed)
    points = [np.array(point, dtype=np.int64) for point in bucket_counts(release, session.system)]
    for _ in range(20):
        made = rng.integers(-3, 4, session.system.rows)
        lemma = cuts._rounded(session.known, (), made, int(rng.integers(1, 6)))
        assert lemma is not None
        assert all(int(point[lemma.form.buckets] @ lemma.form.weights) <= lemma.at_most for point in points)


def sealed(document: Any, steps: list[Any]) -> Any:
    forged = {**document, "steps": steps}
    return {**forged, "digest": digest(forged)}


def test_wrong_cuts_are_rejected() -> None:
    """One less than can be derived, a weight more than the rows give, and a cut that no rows lead to."""
    result = audit(triangles(4))
    document = json.loads(json.dumps(proofs(result)))
    steps = document["steps"]
    derived = [i for i, step in enumerate(steps) if "bound" in step]
    assert derived
    for i in derived:
        step = steps[i]
        wrong = [
            {**step, "at_most": step["at_most"] - 1},
            {**step, "bound": [[weight + 1, where] for weight, where in step["bound"]]},
            {**step, "proof": {**step["proof"], "over": step["proof"]["over"] + 1}},
            {**step, "proof": {**step["proof"], "terms": step["proof"]["terms"][1:]}},
        ]
        for forged in wrong:
            assert check(result.release, sealed(document, [*steps[:i], forged, *steps[i + 1 :]])).rejected
    assert check(result.release, document, complete=True).complete


def ages(sums: dict[str, int], counts: dict[str, int]) -> Release:
    """How many women and men there are, and what their ages add up to."""
    domain = Domain.of({"SEX": ["F", "M"], "AGE": [str(age) for age in range(1, 13)]})
    given = [Statistic.exact(Predicate.of({"SEX": sex}), n) for sex, n in counts.items()]
    added = [
        Statement(tuple((age, Predicate.of({"SEX": sex, "AGE": str(age)})) for age in range(1, 13)), total, total)
        for sex, total in sums.items()
    ]
    return Release(domain, given, (), added)


def test_trees_split_on_how_many_have_at_least_a_weight(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two women of 24 years together are both 12; with cuts and bounds switched off only a tree is left to show it."""
    release = ages({"F": 24, "M": 30}, {"F": 2, "M": 3})
    plain = audit(release)
    monkeypatch.setattr(prover, "ROUNDS", 0)
    monkeypatch.setattr(prover, "STALLED", 0)
    monkeypatch.setattr(prover, "SHAVED", 0)
    monkeypatch.setattr(doubtful_buckets, "shave", lambda *_: None)
    result = audit(release)
    assert [(fact.claim, fact.count) for fact in result] == [(fact.claim, fact.count) for fact in plain]
    checked = check(release, proofs(result), complete=True)
    assert (checked.accepted, checked.rejected, checked.complete) == (len(result), [], True)


def test_a_sum_is_split_before_its_buckets() -> None:
    """At corners that are not whole, how many are at least so old is asked; the two answers leave nothing out but the corner."""
    session = start(ages({"M": 31, "F": 17}, {"M": 3, "F": 2})).prover
    split = branching.Branching(session.known)
    sums = 0
    for seed in range(30):
        objective = np.random.default_rng(seed).integers(-9, 10, session.system.buckets)
        answer = session.known.ask(objective)
        assert isinstance(answer, Feasible)
        places = split.places(answer, {})
        assert isinstance(places, list)
        if not places:
            assert np.allclose(answer.counts, np.rint(answer.counts))
            continue
        point = np.zeros(session.system.buckets)
        point[answer.buckets] = answer.counts
        for form, at in places:
            assert at < point[form.buckets] @ form.weights < at + 1
        sums += len(places[0][0].buckets) > 1
        tree = Search(session.known, split, objective, int(np.floor(answer.value + 1e-6)) - 1).run()
        assert not isinstance(tree, Undecided)
    assert sums > 5
