"""Contradicting statistics: the conflict named is a conflict, and no smaller part of it is."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from foregone import ContradictionError, Domain, Predicate, Release, Statistic, audit, bounds, check, generate, unique, verify
from foregone.model.statement import Statement
from tests import oracle
from tests.strategies import domains, predicates
from tests.subsets import broken_sets, enough, minimal_enough, small_releases

exact = Statistic.exact
where = Predicate.of


def some_dataset_fits(release: Release) -> bool:
    """Try every number of records for every way to belong to the statistics, up to as many as the lower limits ask for."""
    names = release.domain.names
    records = product(*(column.codes for column in release.domain.columns))
    valid = [r for r in records if not any(oracle.matches(r, rule, names) for rule in release.rules)]
    kinds = sorted({tuple(oracle.matches(r, s.predicate, names) for s in release.statistics) for r in valid}, reverse=True)
    enough = sum(s.low for s in release.statistics)
    return _fill(kinds, [s.low for s in release.statistics], [enough if s.high is None else s.high for s in release.statistics])


def _fill(kinds: list[tuple[bool, ...]], need: list[int], room: list[int]) -> bool:
    if min(room, default=0) < 0:
        return False
    if max(need, default=0) <= 0:
        return True
    if not kinds or not all(n <= 0 or any(kind[i] for kind in kinds) for i, n in enumerate(need)):
        return False
    used = kinds[0]
    return any(
        _fill(kinds[1:], [n - t * u for n, u in zip(need, used, strict=True)], [r - t * u for r, u in zip(room, used, strict=True)])
        for t in range(max(need) + 1)
    )


def check_irreducible(release: Release, conflict: tuple[int, ...]) -> None:
    everything = set(range(len(release.statistics)))
    assert not some_dataset_fits(release.without(everything - set(conflict))), "the named set does not conflict"
    for dropped in conflict:
        rest = set(conflict) - {dropped}
        assert some_dataset_fits(release.without(everything - rest)), f"statistic {dropped} is not needed"


CONTRADICTIONS = {
    # a part larger than the total that its parts leave
    "sum": Release(
        Domain.of({"A": ["0", "1"], "B": ["0", "1"]}),
        (
            exact(Predicate(), 3, "N"),
            exact(where({"A": "0"}), 2, "A0"),
            exact(where({"A": "1"}), 2, "A1"),
            exact(where({"B": "0"}), 1, "B0"),
        ),
    ),
    # the same number published twice
    "twice": Release(Domain.of({"A": ["0", "1"]}), (exact(Predicate(), 3, "N"), exact(Predicate(), 2, "M"))),
    "part twice": Release(
        Domain.of({"A": ["0", "1"]}),
        (exact(Predicate(), 3, "N"), exact(where({"A": "0"}), 2, "first"), Statistic(where({"A": "0"}), 0, 1, "second")),
    ),
    # only zeros and a total
    "no room": Release(
        Domain.of({"A": ["0", "1"], "B": ["0", "1"]}),
        (
            exact(Predicate(), 1, "N"),
            exact(where({"A": "0"}), 0, "A0"),
            exact(where({"A": "1"}), 0, "A1"),
            exact(where({"B": "1"}), 1, "B1"),
        ),
    ),
    # half a record in each of three pairs satisfies every number: only whole numbers show the contradiction
    "parity": Release(
        Domain.of({"A": ["x", "y", "z"], "B": ["0", "1"]}),
        (
            exact(where({"A": ["x", "y"]}), 1, "xy"),
            exact(where({"A": ["y", "z"]}), 1, "yz"),
            exact(where({"A": ["x", "z"]}), 1, "xz"),
            Statistic(where({"B": "0"}), 0, 2, "B0"),
        ),
    ),
    # ranges that leave a gap
    "ranges": Release(
        Domain.of({"A": ["0", "1", "2"]}),
        (
            Statistic(Predicate(), 4, 5, "N"),
            Statistic(where({"A": "0"}), 0, 1, "A0"),
            Statistic(where({"A": ["1", "2"]}), 0, 2, "A12"),
            Statistic(where({"A": "2"}), 0, 4, "A2"),
        ),
    ),
}
EXPECTED = {
    "sum": {"N", "A0", "A1"},
    "twice": {"N", "M"},
    "part twice": {"first", "second"},
    "parity": {"xy", "yz", "xz"},
    "ranges": {"N", "A0", "A12"},
}


@pytest.mark.parametrize("name", CONTRADICTIONS)
def test_conflict_is_named_and_irreducible(name: str) -> None:
    release = CONTRADICTIONS[name]
    with pytest.raises(ContradictionError) as caught:
        audit(release)
    error = caught.value
    assert error.smallest
    check_irreducible(release, error.conflict)
    names = {release.statistics[i].name for i in error.conflict}
    if name in EXPECTED:
        assert names == EXPECTED[name]
    for i in error.conflict:
        assert f"{release.statistics[i].name} = {release.statistics[i].range_text}" in str(error)
    assert len(error.problems) == 1 + len(error.conflict)


def test_parity_conflict_has_a_fractional_solution() -> None:
    """The parity example is not settled by adding up numbers: one half everywhere satisfies all of them."""
    release = CONTRADICTIONS["parity"]
    half = {"x": 0.5, "y": 0.5, "z": 0.5}
    for s in release.statistics[:3]:
        assert sum(half[code] for code in dict(s.predicate.allowed)["A"]) == s.low


def test_rules_that_forbid_everything() -> None:
    release = Release(Domain.of({"A": ["0", "1"]}), (exact(Predicate(), 1, "N"),), (where({"A": ["0", "1"]}),))
    with pytest.raises(ContradictionError) as caught:
        audit(release)
    assert caught.value.conflict == (0,)


def test_no_records_at_all_is_not_a_contradiction() -> None:
    domain = Domain.of({"A": ["0", "1"], "B": ["0", "1"]})
    release = Release(domain, (exact(Predicate(), 0, "N"),))
    assert audit(release).rows() == []
    assert bounds(release, {"A": "0"}) == (0, 0)
    assert verify(release, {"A": "0"}, 0).verdict.value == "verified"
    assert unique(release).verdict.value == "verified"
    made = generate(release, 2)
    assert [dataset.records for dataset in made.datasets] == [()]
    assert made.complete is True


@st.composite
def arbitrary_releases(draw: st.DrawFn) -> Release:
    """Numbers that nobody counted: most of these releases contradict themselves."""
    domain = draw(domains())
    total = draw(st.integers(0, 3))
    chosen = draw(st.lists(predicates(domain, 1), min_size=1, max_size=5))
    published = [exact(Predicate(), total, "N")]
    for i, predicate in enumerate(chosen):
        low = draw(st.integers(0, total))
        published.append(Statistic(predicate, low, draw(st.sampled_from([low, low, low + 1, None])), f"s{i}"))
    rules = draw(st.lists(predicates(domain, 1), max_size=1))
    return Release(domain, tuple(published), tuple(rules))


@settings(max_examples=60, deadline=None)
@given(small_releases(contradictory=True))
def test_the_conflict_named_is_a_smallest_one_and_proved(release: Release) -> None:
    broken = broken_sets(release, None, 0, None)
    count = len(release.statistics)
    assume(enough((1 << count) - 1, broken))
    with pytest.raises(ContradictionError) as caught:
        audit(release)
    error = caught.value
    expected = minimal_enough(count, broken)
    assert error.smallest
    assert error.irreducible
    assert sum(1 << i for i in error.conflict) in expected
    assert len(error.conflict) == expected[0].bit_count()
    assert check(release, error.proof).contradiction


def test_three_numbers_are_named_though_six_conflict_as_well() -> None:
    """Six numbers of a table add up to more than its total; so do three of another."""
    domain = Domain.of({"A": [str(i) for i in range(6)], "B": ["0", "1"]})
    sixes = [exact(where({"A": str(i)}), 2, f"A{i}") for i in range(6)]
    threes = [exact(Predicate(), 11, "N"), exact(where({"B": "0"}), 7, "B0"), exact(where({"B": "1"}), 5, "B1")]
    release = Release(domain, [*sixes, *threes])
    with pytest.raises(ContradictionError) as caught:
        audit(release)
    assert [release.name_of(i) for i in caught.value.conflict] == ["N", "B0", "B1"]
    assert caught.value.smallest


def test_weighted_sums_take_part_in_conflicts() -> None:
    domain = Domain.of({"AGE": ["20", "80"], "SEX": ["F", "M"]})
    ages = Statement(((20, where({"AGE": "20"})), (80, where({"AGE": "80"}))), 250, None, "ages", "T2")
    release = Release(domain, [exact(Predicate(), 3, "N"), exact(where({"SEX": "F"}), 1, "women")], (), [ages])
    with pytest.raises(ContradictionError) as caught:
        audit(release)
    assert caught.value.conflict == (0, 2)
    assert caught.value.smallest
    assert "ages = at least 250 (table T2)" in caught.value.problems
    assert check(release, caught.value.proof).contradiction


@pytest.mark.slow
@settings(max_examples=120, deadline=None)
@given(arbitrary_releases())
def test_contradictions_equal_brute_force(release: Release) -> None:
    fits = some_dataset_fits(release)
    assert fits == (next(oracle.consistent_datasets(release, release.statistics[0].low), None) is not None)
    if fits:
        assert not audit(release).open
        return
    with pytest.raises(ContradictionError) as caught:
        audit(release)
    assert caught.value.smallest
    if caught.value.conflict:
        check_irreducible(release, caught.value.conflict)
    else:  # the rules alone leave no record, and yet some are published
        records = product(*(column.codes for column in release.domain.columns))
        assert all(any(oracle.matches(r, rule, release.domain.names) for rule in release.rules) for r in records)
