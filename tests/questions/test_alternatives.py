"""Either-ors beside counts and weighted sums, against brute force."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foregone import Dataset, Domain, InputError, Predicate, Release, Statistic, Verdict, audit, bounds, generate, unique, verify
from foregone.engine import Evidence
from foregone.engine.answers.generate import expansions
from foregone.engine.system.clauses import Clauses
from foregone.engine.system.linear import compile_release
from foregone.model.errors import UndecidedError
from foregone.model.statement import Either, Statement
from foregone.questions.ask import possible
from tests import oracle
from tests.audited import claims_of
from tests.strategies import LARGEST, alternative_releases, predicates

Pair = tuple[Release, Dataset]

women, men = Predicate.of({"SEX": "F"}), Predicate.of({"SEX": "M"})
PEOPLE = Domain.of({"SEX": ["F", "M"], "AGE": ["20", "50"]})


def nobody(predicate: Predicate) -> Statement:
    return Statement(((1, predicate),), None, 0)


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(alternative_releases(), st.data())
def test_nothing_is_said_that_brute_force_denies(pair: Pair, data: st.DataObject) -> None:
    release, truth = pair
    assert truth.broken(release) == []
    everything = list(oracle.consistent_datasets(release, LARGEST))
    result = audit(release, time_limit=5)
    certain = oracle.verified_claims(release, LARGEST)
    assert claims_of(result) <= certain
    if not result.open:
        assert claims_of(result) == certain
    evidence = result.evidence
    assert isinstance(evidence, Evidence)
    for witness in evidence.witnesses:
        for _, dataset in zip(range(5), expansions(evidence.system, witness, 3), strict=False):
            assert oracle.fits(dataset.records, release)
    predicate = data.draw(predicates(release.domain))
    counts = {sum(oracle.matches(r, predicate, release.domain.names) for r in records) for records in everything}
    with suppress(UndecidedError):
        assert bounds(release, predicate, time_limit=5) == (min(counts), max(counts))
    count = data.draw(st.integers(0, LARGEST))
    finding = verify(release, predicate, count, time_limit=5)
    assert finding.verdict in (Verdict.VERIFIED if counts == {count} else Verdict.REFUTED, Verdict.UNDECIDED)
    answer = possible(release, predicate, count, time_limit=5)
    assert answer.impossible is not True or count not in counts
    assert answer.witness is None or oracle.fits(answer.witness.records, release)
    made = generate(release, 4, time_limit=5)
    assert all(oracle.fits(dataset.records, release) for dataset in made.datasets)
    assert made.complete is None or made.complete == (len(everything) <= 4)
    one = unique(release, time_limit=5)
    assert one.verdict in (Verdict.VERIFIED if len(everything) == 1 else Verdict.REFUTED, Verdict.UNDECIDED)


def test_either_nobody_is_a_woman_or_nobody_a_man() -> None:
    release = Release(PEOPLE, [Statistic.exact(Predicate(), 2)], alternatives=[Either(nobody(women), nobody(men), "one sex")])
    assert not Dataset.of(PEOPLE, [("F", "20"), ("F", "50")]).broken(release)
    mixed = Dataset.of(PEOPLE, [("F", "20"), ("M", "50")])
    assert mixed.broken(release) == ["one sex is published as SEX=F at most 0, or SEX=M at most 0 but the data have 1, and 1"]
    made = generate(release, 10)
    assert len(made.datasets) == 6
    assert made.complete
    assert release.fingerprint() != Release(PEOPLE, release.statistics).fingerprint()
    assert release.name_of(1) == "one sex"
    assert "1 either-or" in repr(release)


def test_clauses_of_a_system() -> None:
    either = Either(Statement(((2, women), (-1, Predicate())), 1, None), nobody(men))
    system = compile_release(Release(PEOPLE, [Statistic.exact(Predicate(), 2)], alternatives=[either]))
    (clause,) = system.clauses
    assert sorted(clause.left.tolist()) == [-1, 1]  # buckets: women, men
    assert (clause.left_high, clause.right_high) == (-1, 0)
    assert system.part(clause.left < 0).clauses[0].left.tolist() == [-1]
    both = system.clauses.twice(1)
    assert [c.left.tolist() for c in both] == [[*clause.left, 0, 0, 0], [0, 0, *clause.left, 0]]
    assert isinstance(both, Clauses)


def test_sides_have_one_limit_each() -> None:
    with pytest.raises(InputError, match="each side of an either-or has a low or a high"):
        Release(PEOPLE, [], alternatives=[Either(Statement(((1, women),), 1, 1), nobody(men))])
    with pytest.raises(InputError, match="'X' is not a value of SEX"):
        Release(PEOPLE, [], alternatives=[Either(nobody(women), nobody(Predicate.of({"SEX": "X"})))])
