"""An audit is a value: it pickles, compares, prints in a few lines, iterates, and cannot be changed."""

from __future__ import annotations

import copy
import pickle
from dataclasses import FrozenInstanceError, fields, replace

import pytest
from hypothesis import assume, given, settings

import foregone as fg
from foregone import Audit, Claim, Dataset, Domain, Fact, Ground, Predicate, Release, Statistic
from foregone.census.household.kind import household_release
from foregone.census.synthetic.households import block
from foregone.model.audit import MAX_ROWS, Printed, PrintedHow, forms
from foregone.model.errors import InputError
from foregone.model.families import Groups
from foregone.model.statement import Statement
from foregone.onehot.audit import audit as audit_onehot
from foregone.solvers.ip.registry import load
from tests.audited import claims_of
from tests.strategies import releases, weighted_releases

where = Predicate.of
Pair = tuple[Release, Dataset]


def test_how_much_of_a_claim_is_printed() -> None:
    """A number that names all that tells something prints it; one with fewer words and the same count prints a part."""
    domain = Domain.of({"SEX": ["F", "M"], "AGE": ["young", "old"], "HOME": ["here", "there"]})
    counts = {"SEX=F, AGE=old": 1, "SEX=M": 1, "AGE=old": 2, "HOME=there": 0, "": 4}
    predicates = [Predicate.parse(text, domain) if text else Predicate() for text in counts]
    release = Release(domain, map(Statistic.exact, predicates, counts.values()))
    printed = Printed(release, Groups.PUBLISHED)
    whole = where({"SEX": "F", "AGE": "old", "HOME": "here"})
    assert printed.how(whole, 1, frozenset({"HOME"})) == PrintedHow.YES
    assert printed.how(whole, 1, frozenset()) == PrintedHow.PARTLY
    assert printed.how(whole, 2, frozenset()) == PrintedHow.PARTLY  # two are old
    assert printed.how(whole, 3, frozenset()) == PrintedHow.NO
    assert printed.how(where({"SEX": "F"}), 3, frozenset()) == PrintedHow.NO
    assert printed.how(where({"HOME": "here"}), 4, frozenset({"HOME"})) == PrintedHow.YES  # nothing is told but the number
    rows = {row.values: row for row in fg.audit(release).rows()}
    assert (rows["F", "old", "here"].printed, rows["F", "old", "here"].attributes) == ("yes", 2)
    assert (rows["M", "old", "here"].printed, rows["M", "old", "here"].attributes) == ("partly", 2)
    assert (rows["F", "young", "here"].printed, rows["F", "young", "here"].published) == ("no", False)
    single = fg.audit(release, groups="none")
    assert {row.attributes - row.columns for row in single.all_rows()} == {0}  # as in the paper, every column counts


def test_a_group_that_another_value_brings_along_is_counted() -> None:
    """A policy counts it too; that nobody has to say it is another matter."""
    domain = Domain.of({"HOME": ["alone", "family"], "SIZE": ["1", "2", "3"], "SEX": ["F", "M"]})
    counts = {"": 5, "HOME=alone": 2, "HOME=alone, SIZE=2|3": 0, "HOME=family, SEX=F": 1, "SIZE=1": 2, "SIZE=2|3": 3}
    release = Release(domain, [Statistic.exact(Predicate.parse(t, domain) if t else Predicate(), n) for t, n in counts.items()])
    (fact,) = [fact for fact in fg.audit(release) if fact.predicate == Predicate.parse("HOME=family, SIZE=2|3, SEX=F", domain)]
    assert (fact.attributes, set(fact.idle), set(fact.brought)) == (3, set(), {"SIZE"})


def town() -> Release:
    domain = Domain.of({"SEX": {"F": "female", "M": "male"}, "AGE": ["young", "old"]}, {"SEX": "sex"}, "person")
    counts = {"": 4, "SEX=F": 1, "AGE=old": 4}
    return Release(domain, [Statistic.exact(Predicate.parse(text, domain), count) for text, count in counts.items()])


def weighted() -> Release:
    domain = Domain.of({"AGE": ["20", "50"], "SEX": ["F", "M"]}, record="person")
    ages = tuple((int(code), where({"AGE": code})) for code in ("20", "50"))
    return Release(domain, [Statistic.exact(Predicate(), 3)], (), [Statement(ages, 90, 90, "ages")])


def test_it_iterates_over_facts() -> None:
    result = fg.audit(town())
    assert isinstance(result, Audit)
    assert len(result) == len(result.facts) == len(list(result)) == 3
    assert all(isinstance(fact, Fact) for fact in result)
    found = {fact.predicate.text(): fact for fact in result}
    assert {text: fact.count for text, fact in found.items()} == {"AGE=old, SEX=F": 1, "AGE=old, SEX=M": 3, "AGE=old": 4}
    women = found["AGE=old, SEX=F"]
    assert women.claim == Claim(where({"SEX": "F", "AGE": "old"}), 1)
    assert women.columns == 2
    assert women.ground == Ground.LINEAR
    assert women.shortest == (where({"SEX": "F"}),)
    assert women.forms == (0, 1, 1)
    assert set(forms(women, 2, result.release.domain, result.families)) == {where({"SEX": "F"}), where({"SEX": "F", "AGE": "old"})}
    assert found["AGE=old"].shortest == (Predicate(),)  # nobody need be told that everyone is old
    assert [fact.count for fact in result] == [1, 3, 4]  # most telling first


@settings(max_examples=40, deadline=None)
@given(weighted_releases())
def test_two_runs_are_equal_and_pickle(pair: Pair) -> None:
    release, _ = pair
    first, second = fg.audit(release), fg.audit(release)
    assert first == second
    assert hash(first) == hash(second)
    again = pickle.loads(pickle.dumps(first))
    assert again == first
    assert again.release == release
    assert again.all_rows() == first.all_rows()
    assert again.singled_out == first.singled_out
    assert again.summary() == first.summary()
    assert copy.deepcopy(first) == first


def test_different_findings_are_different_audits() -> None:
    result = fg.audit(town())
    assert result != fg.audit(weighted())
    assert result != replace(result, facts=result.facts[1:])
    assert result != replace(result, reason="the time limit was reached")
    assert result == replace(result, seconds={}, evidence=None)


def test_a_pickle_is_small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only what cannot be worked out again is kept; the engine's warm solver and tables stay behind."""
    monkeypatch.setenv("FOREGONE_LOOP", "pure")  # after the compiled loop evidence is made when it is asked for
    result = fg.audit(household_release(block(10, 2)))
    before = len(pickle.dumps(result))
    assert result.singled_out is not None
    assert result.all_rows()
    assert len(pickle.dumps(result.evidence)) <= before < 5_000_000


@settings(max_examples=25, deadline=None)
@given(releases())
def test_proofs_are_written_from_an_unpickled_audit(pair: Pair) -> None:
    release, _ = pair
    result = fg.audit(release)
    again = pickle.loads(pickle.dumps(result))
    document = fg.proofs(again)
    assert document == fg.proofs(result)
    checked = fg.check(release, document, complete=True)
    assert checked.rejected == []
    assert checked.accepted == len(result)


def test_proofs_of_weighted_sums_are_written_from_an_unpickled_audit() -> None:
    release = weighted()
    document = fg.proofs(pickle.loads(pickle.dumps(fg.audit(release))))
    checked = fg.check(release, document, complete=True)
    assert checked.rejected == []
    assert checked.accepted == len(fg.audit(release)) == 2


def test_nothing_can_be_changed() -> None:
    result = fg.audit(town())
    for field in fields(result):
        with pytest.raises(FrozenInstanceError):
            setattr(result, field.name, None)
    with pytest.raises(FrozenInstanceError):
        result.facts[0].count = 7  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        result.evidence.facts = ()  # type: ignore[union-attr]
    with pytest.raises(TypeError):
        result.facts[0] = result.facts[1]  # type: ignore[index]


@pytest.mark.parametrize("households", [3, 10, 40])
def test_it_prints_in_a_few_lines(households: int) -> None:
    result = fg.audit(household_release(block(households, 1)))
    text = repr(result)
    assert len(text) < 2_000
    assert len(text.splitlines()) <= 8
    assert f"({len(result):,} fact" in text
    assert repr(result.release) in text
    assert result.summary() in text


def test_a_notebook_shows_a_table() -> None:
    domain = Domain.of({"CODE": [f"<{i}>" for i in range(30)]}, record="patient")
    many = Release(domain, [Statistic.exact(where({"CODE": code}), i + 1) for i, code in enumerate(domain.columns[0].codes)])
    page = fg.audit(many)._repr_html_()
    assert page.count("<tr") == 1 + 20
    assert "10 more" in page
    assert "&lt;0&gt;" in page
    assert "<0>" not in page
    assert "nan" not in fg.audit(town())._repr_html_().lower()
    assert "more in" not in fg.audit(town())._repr_html_()
    nothing = Release(domain, [Statistic.exact(Predicate(), 5)])
    assert "0 claims are certain" in fg.audit(nothing)._repr_html_()


@pytest.mark.slow
@pytest.mark.parametrize("solver", ["highs", "cpsat"])
@settings(max_examples=20, deadline=None)
@given(pair=weighted_releases())
def test_both_engines_give_the_same_facts_but_for_their_grounds(solver: str, pair: Pair) -> None:
    if solver == "cpsat":
        pytest.importorskip("ortools", reason="cpsat is not installed: pip install 'foregone[cpsat]'")
    release, _ = pair
    ours, theirs = fg.audit(release), audit_onehot(release, load(solver), 5, 60)
    assert type(ours) is type(theirs) is Audit
    assert not ours.open
    assume(solver != "highs" or not theirs.open)  # a solver in floating point may be in doubt, and says so
    assert not theirs.open
    assert [replace(fact, ground=None) for fact in ours] == [replace(fact, ground=None) for fact in theirs]
    assert {fact.ground for fact in theirs} <= {Ground.SOLVER}
    assert claims_of(ours) == claims_of(theirs)
    assert theirs.evidence is None
    assert theirs.singled_out is None
    with pytest.raises(InputError, match="cells engine"):
        fg.proofs(theirs)


def test_claims_that_would_fill_a_disk_are_not_listed() -> None:
    fact = fg.audit(town()).facts[0]
    result = replace(fg.audit(town()), facts=(replace(fact, forms=(0, MAX_ROWS, 1)),))
    with pytest.raises(InputError, match="above the limit of 5,000,000"):
        result.all_rows()
    assert result.claims_by_columns() == {1: MAX_ROWS, 2: 1}


def test_a_dataset_that_breaks_a_shorter_form_is_noticed() -> None:
    """The closed claim holds in it, but a shorter form of the same fact does not."""
    result = fg.audit(town())
    other = Dataset.of(result.release.domain, [("F", "old"), ("F", "young"), ("M", "old"), ("M", "old"), ("M", "old")])
    assert Claim(where({"SEX": "F"}), 1) in result.broken_by(other)
    assert Claim(where({"SEX": "F", "AGE": "old"}), 1) not in result.broken_by(other)


def test_counts_beyond_64_bits_make_a_table() -> None:
    result = fg.audit(town())
    huge = replace(result, facts=(replace(result.facts[0], count=1 << 64),), evidence=None)
    assert huge.claims["count"].tolist() == [1 << 64]
    assert result.claims["count"].dtype == "int64"
