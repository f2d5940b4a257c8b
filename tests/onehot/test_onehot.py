"""The one-hot engine on releases with known answers, with every installed solver."""

from __future__ import annotations

from dataclasses import replace

import pytest

from foregone import (
    Claim,
    ContradictionError,
    Dataset,
    Domain,
    InputError,
    Predicate,
    Release,
    Statistic,
    UndecidedError,
    Verdict,
    bounds,
)
from foregone.model.errors import TooLargeError
from foregone.onehot.audit import audit
from foregone.onehot.generate import candidates, claim_list, generate, intersection
from foregone.onehot.model import encode
from foregone.onehot.verify import Negation, check, possible, verify
from foregone.questions.ask import audit as cells
from foregone.questions.ask import possible as possible_by_cells
from foregone.solvers.ip.outcome import Point, ask
from foregone.solvers.ip.registry import load
from tests import oracle
from tests.audited import claims_of
from tests.solvers.adapters import ALWAYS_NO, ALWAYS_OUT, NAMES, Crashes, GeneratesOnly
from tests.solvers.problems import CASES, SIZE, Case, release, trap_release, unbounded, where


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("case", CASES, ids=str)
@pytest.mark.parametrize("form", Negation)
def test_known_releases(name: str, case: Case, form: Negation) -> None:
    if case.certain is None:
        with pytest.raises(ContradictionError):
            audit(case.release, load(name), 10, 60, form)
        with pytest.raises(ContradictionError):
            cells(case.release)
        return
    result = audit(case.release, load(name), 10, 60, form)
    assert claims_of(result) == case.certain == oracle.verified_claims(case.release, 5)
    assert not result.open
    # why it is certain is not told here; which columns tell nothing only an engine knows that lists all possible records
    told, expected = (
        [replace(row, ground="", printed="", attributes=0) for row in found.rows()] for found in (result, cells(case.release))
    )
    assert told == expected
    assert "Undecided: 0." in result.summary()


@pytest.mark.parametrize("name", NAMES)
def test_generated_datasets_are_all_there_are(name: str) -> None:
    published = CASES[0].release
    made = generate(encode(published), load(name), 10, 60)
    assert made.complete is True
    assert {tuple(d.records) for d in made.datasets} == {
        tuple(Dataset.of(published.domain, records).records) for records in oracle.consistent_datasets(published, 3)
    }


@pytest.mark.parametrize("name", NAMES)
def test_possible_is_not_a_matter_of_bounds(name: str) -> None:
    """Nobody or both twins are women, never one: neither engine is fooled by the range 0 to 2."""
    domain = Domain.of({"SEX": ["F", "M"], "TWIN": ["a", "b"], "ODD": ["no", "yes"]})
    # ODD is yes for a woman who is twin a and for a man who is twin b, and exactly one of the two is odd
    odd = [("F", "a"), ("M", "b")]
    rules = tuple(
        Predicate.of({"SEX": sex, "TWIN": twin, "ODD": "no" if (sex, twin) in odd else "yes"}) for sex in "FM" for twin in "ab"
    )
    pairs = Release(
        domain,
        (
            Statistic.exact(Predicate.of({"TWIN": "a"}), 1),
            Statistic.exact(Predicate.of({"TWIN": "b"}), 1),
            Statistic.exact(Predicate.of({"ODD": "yes"}), 1),
        ),
        rules,
    )
    assert bounds(pairs, {"SEX": "F"}) == (0, 2)
    for count in range(4):
        women = Predicate.of({"SEX": "F"})
        expected = any(
            sum(record[0] == "F" for record in records) == count for records in oracle.consistent_datasets(pairs, 2)
        )
        assert expected == (count in (0, 2))
        for answer in (possible(pairs, women, count, load(name)), possible_by_cells(pairs, women, count)):
            assert (answer.witness is not None) == expected
            assert answer.impossible == (not expected)
            if answer.witness is not None:
                assert not answer.witness.broken(pairs)
                assert answer.witness.count(women) == count


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("form", Negation)
def test_claims_over_sets_of_values_and_the_empty_claim(name: str, form: Negation) -> None:
    published = trap_release()
    adapter = load(name)
    for predicate, count, verdict in (
        (Predicate.of({"A": ["a0", "a1"]}), 4, Verdict.VERIFIED),
        (Predicate.of({"A": ["a0", "a2"]}), 3, Verdict.REFUTED),
        (Predicate.of({"A": ["a0", "a1"], "B": ["b0", "b1"]}), 4, Verdict.REFUTED),
        (Predicate.of({"A": ["a0", "a1", "a2"]}), 5, Verdict.VERIFIED),
        (Predicate(), 5, Verdict.VERIFIED),
        (Predicate(), 4, Verdict.REFUTED),
        (Predicate.of({"A": "a0"}), 99, Verdict.REFUTED),
        (Predicate.of({"A": "a0", "B": "b0"}), 0, Verdict.REFUTED),
    ):
        finding = verify(published, predicate, count, adapter, 60, form)
        assert finding.verdict == verdict, (predicate, count, finding.reason)
        if finding.witness is not None:
            assert not finding.witness.broken(published)
            assert finding.witness.count(predicate) != count


def test_the_number_of_records_must_be_bounded() -> None:
    with pytest.raises(InputError, match=r"upper limit.*cells engine"):
        encode(unbounded())


def test_missing_records_come_first() -> None:
    """With 1 to 3 records the model has three, of which the last one exists."""
    model = encode(release(Statistic(SIZE, 1, 3)))
    assert (model.records, model.least) == (3, 1)
    assert model.present is not None
    sizes = set()
    for size in (1, 2, 3):
        outcome = ask(load("highs"), encode(release(Statistic(SIZE, 1, 3), Statistic.exact(where(SEX="F"), size))).program)
        assert isinstance(outcome, Point)
        exists = outcome.point[model.present : model.present + 3].tolist()
        assert exists == sorted(exists)
        sizes.add(len(model.dataset(outcome.point)))
    assert max(sizes) == 3


def test_claim_lists_and_their_intersection() -> None:
    domain = Domain.of({"SEX": ["F", "M"], "AGE": ["young", "old"]})
    first = Dataset.of(domain, [("F", "old"), ("M", "old"), ("M", "young")])
    second = Dataset.of(domain, [("F", "young"), ("M", "old"), ("M", "old")])
    assert claim_list(first)[(0, 1), ("M", "old")] == 1
    assert intersection([first, second]) == {((0,), ("F",)): 1, ((0,), ("M",)): 2, ((1,), ("young",)): 1, ((1,), ("old",)): 2}
    assert candidates(domain, [first, second])[0] == Claim(Predicate.of({"SEX": "F"}), 1)
    assert intersection([]) == {}
    wide = Domain.of({f"C{i}": ["x"] for i in range(17)})
    with pytest.raises(TooLargeError, match="cells engine"):
        claim_list(Dataset.of(wide, [("x",) * 17]))


def test_a_solver_that_always_times_out_verifies_nothing() -> None:
    published = CASES[0].release
    with pytest.raises(UndecidedError, match="time limit"):
        audit(published, ALWAYS_OUT)
    with pytest.raises(UndecidedError, match="out of luck"):
        audit(published, Crashes())
    result = audit(published, GeneratesOnly(), 1)  # of several datasets, so that there is something to verify
    assert len(result) == 0
    assert not result.rows()
    assert not result.all_rows()
    assert result.claims.empty
    proposed = candidates(published.domain, generate(encode(published), GeneratesOnly(), 1).datasets)
    assert len(result.undecided) == len(proposed) > 0
    assert {fact.claim for fact in result.open} == set(proposed)
    assert set(result.undecided["status"]) == {"undecided"}
    assert "time limit" in result.summary()
    finding = verify(published, where(SEX="F"), 2, ALWAYS_OUT)
    assert finding.verdict == Verdict.UNDECIDED
    answer = possible(published, where(SEX="F"), 2, ALWAYS_OUT)
    assert answer.witness is None
    assert not answer.impossible
    assert answer.reason


def test_what_all_datasets_there_are_agree_on_is_not_verified_again() -> None:
    """The solver times out on every claim; having generated all datasets, it is not asked about any."""
    published = CASES[0].release
    result = audit(published, GeneratesOnly(), 10)
    assert claims_of(result) == oracle.verified_claims(published, 5)
    assert not result.open
    assert "none had to be verified" in result.summary()


def test_a_solver_that_finds_nothing_at_all_is_a_contradiction_not_a_proof() -> None:
    with pytest.raises(ContradictionError):
        verify(CASES[0].release, where(SEX="F"), 1, ALWAYS_NO)
    with pytest.raises(ContradictionError):
        possible(CASES[0].release, where(SEX="F"), 1, ALWAYS_NO)


def test_audit_has_the_face_of_the_other_engine() -> None:
    published = CASES[0].release
    result, other = audit(published, load("highs"), 5), cells(published)
    assert list(result.claims.columns) == list(other.claims.columns)
    assert list(result.undecided.columns) == list(other.undecided.columns)
    assert result.claims_by_columns() == other.claims_by_columns()
    assert result.claims_by_columns(count=1) == other.claims_by_columns(count=1)
    assert len(result.all_claims(1)) == len(other.all_claims(1))
    assert set(result.claims["ground"]) == {"solver"}
    truth = Dataset.of(published.domain, [("F", "old"), ("F", "old"), ("M", "old")])
    assert result.broken_by(truth) == []
    false = Dataset.of(published.domain, [("F", "old"), ("F", "old"), ("F", "old")])
    men, old_men, women = where(SEX="M"), where(SEX="M", AGE="old"), where(SEX="F")
    assert set(result.broken_by(false)) == {Claim(women, 2), Claim(men, 1), Claim(old_men, 1)}
    assert {"encode", "generate", "verify", "total"} <= set(result.seconds)


def test_big_m_rows_follow_the_paper() -> None:
    """T and U over the one-hot indices of the claimed columns only, S per record, one Y."""
    from foregone.onehot.verify import broken_claim

    model = encode(CASES[0].release)
    claim = Claim(where(SEX="F"), 1)
    extra = broken_claim(model, claim, Negation.BIG_M).variables - model.program.variables
    assert extra == 3 * (1 + 2 * 2) + 1
    assert broken_claim(model, claim).variables - model.program.variables == 3 + 1
    assert check(model, claim, load("highs")).verdict == Verdict.REFUTED


@pytest.mark.parametrize("name", NAMES)
def test_a_rule_that_every_record_breaks_leaves_the_empty_dataset(name: str) -> None:
    """`B` has one value, so the rule is about every record; no record at all fits, unless some are published."""
    domain = Domain.of({"A": ["1", "2"], "B": ["only"]})
    rules = (Predicate.of({"B": "only"}),)
    empty = Release(domain, (Statistic(Predicate(), 0, 2),), rules)
    assert claims_of(audit(empty, load(name), 10, 60)) == claims_of(cells(empty)) == set()
    assert [len(made) for made in generate(encode(empty), load(name), 10, 60).datasets] == [0]
    some = Release(domain, (Statistic(Predicate(), 1, 2),), rules)
    with pytest.raises(ContradictionError):
        audit(some, load(name), 10, 60)
