"""Claims over groups of values, against brute force over every member of every family."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foregone import Audit, Dataset, Domain, InputError, Predicate, Release, Statistic, TooLargeError, audit, check, proofs
from foregone.engine.claims import closed_sets
from foregone.model import families
from tests.audited import compare
from tests.oracle import consistent_datasets
from tests.strategies import grouped_releases, releases, weighted_releases

LARGEST = 5


def compared(release: Release) -> Audit:
    return compare(release, list(consistent_datasets(release, LARGEST)))


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(grouped_releases())
def test_groups_equal_brute_force(pair: tuple[Release, Dataset]) -> None:
    compared(pair[0])


@pytest.mark.slow
@settings(max_examples=80, deadline=None)
@given(grouped_releases())
def test_proofs_of_groups_are_accepted_and_complete(pair: tuple[Release, Dataset]) -> None:
    release = pair[0]
    result = audit(release)
    document = proofs(result)
    said = check(release, document, complete=True)
    assert (said.accepted, said.rejected, said.complete) == (len(result), [], True), said.reason
    plain = proofs(audit(release, groups="none"))
    assert check(release, plain, complete=True, groups="none").complete
    # what the groups add is missed where it is left out
    few = audit(release, groups="none")
    if len(few) < len(result):
        assert check(release, plain, complete=True).complete is False


@pytest.mark.slow
@settings(max_examples=80, deadline=None)
@given(st.one_of(releases(), weighted_releases()))
def test_groups_equal_brute_force_over_more_columns(pair: tuple[Release, Dataset]) -> None:
    """With weighted sums, too: what they count is named by the tables as well."""
    compared(pair[0])


@settings(max_examples=15, deadline=None)
@given(grouped_releases())
def test_groups_equal_brute_force_in_a_hurry(pair: tuple[Release, Dataset]) -> None:
    compared(pair[0])


def test_overlapping_groups_beyond_number_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """All values but one, for each of them: every set of values is a group, and certain. Single values are no trouble."""
    monkeypatch.setenv("FOREGONE_LOOP", "pure")  # the limit of the compiled loop is in the C++
    monkeypatch.setattr(closed_sets, "MAX_GROUPED", 500)
    codes = [str(i) for i in range(12)]
    domain = Domain.of({"A": codes})
    others = [Statistic.exact(Predicate.of({"A": [c for c in codes if c != code]}), 11) for code in codes]
    release = Release(domain, [Statistic.exact(Predicate(), 12), *others])
    with pytest.raises(TooLargeError, match=r"more than 500 closed .*`groups` none"):
        audit(release)
    assert len(audit(release, groups="none")) == 12


def test_forms_beyond_number_are_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Facts and shortest forms are known all the same, and the summary says so."""
    monkeypatch.setenv("FOREGONE_LOOP", "pure")  # the limit of the compiled loop is in the C++
    monkeypatch.setattr(families, "MOST_MEMBERS", 8)
    codes = [str(i) for i in range(5)]
    domain = Domain.of({"A": codes})
    sets = [[c for c in codes if c != code] for code in codes]
    release = Release(domain, [Statistic.exact(Predicate(), 1), *(Statistic(Predicate.of({"A": some}), 0, 1) for some in sets),
                               Statistic.exact(Predicate.of({"A": "0"}), 1)])  # fmt: skip
    result = audit(release)
    assert result.uncounted == len(result) == 1
    assert "can be stated in more ways than can be counted" in result.summary()
    with pytest.raises(InputError, match="more ways than can be counted"):
        result.all_rows()
