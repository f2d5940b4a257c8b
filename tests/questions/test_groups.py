"""Claims over groups of values, against brute force over every member of every family."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foregone import Audit, Dataset, Domain, InputError, Predicate, Release, Statistic, TooLargeError, audit, check, proofs
from foregone.engine.claims import closed_sets
from foregone.model import families
from foregone.model.claims_table import codes_of
from tests.oracle import Box, fewest_matching, matches, possible_records, verified_boxes
from tests.strategies import grouped_releases, releases, weighted_releases

LARGEST = 5


def boxes_of(result: Audit) -> dict[Box, int]:
    """Every certain claim that `--all` lists, none of them twice."""
    names, found = result.release.domain.names, {}
    rows = result.all_rows()
    for row in rows:
        box = tuple((n, frozenset(codes_of(v))) for n, v in zip(names, row.values, strict=True) if v is not None)
        assert row.columns == len(box)
        assert row.exact == sum(len(codes) == 1 for _, codes in box)
        found[box] = row.count
    assert len(found) == len(rows), "a claim is listed twice"
    assert sum(result.claims_by_columns().values()) == len(rows)
    return found


def compare(release: Release) -> Audit:
    result = audit(release)
    assert not result.open
    expected = verified_boxes(release, LARGEST)
    assert boxes_of(result) == expected
    names, possible = release.domain.names, possible_records(release, LARGEST)

    def selected(box: Box) -> frozenset[tuple[str, ...]]:
        return frozenset(r for r in possible if all(r[names.index(n)] in g for n, g in box))

    closed = {fact.predicate.allowed for fact in result}
    kinds: dict[frozenset[tuple[str, ...]], list[dict[str, frozenset[str]]]] = {}
    for box in expected:
        kinds.setdefault(selected(box), []).append(dict(box))
    smallest = set()
    shortest = {}
    for records, alike in kinds.items():
        full = {n: frozenset.intersection(*(b[n] for b in alike if n in b)) for n in names if any(n in b for b in alike)}
        assert full in alike
        key = tuple(sorted(full.items()))
        smallest.add(key)
        everybody: list[dict[str, frozenset[str]]] = [{}] if records == frozenset(possible) and _certain_size(release) else []
        forms = [*alike, *everybody]
        shortest[key] = {tuple(sorted(f.items())) for f in forms if not any(_wider(g, f) for g in forms if g != f)}
    assert closed == smallest
    exact = [s for s in release.statistics if s.low == s.high]
    for fact in result:
        assert {form.allowed for form in fact.shortest} == shortest[fact.predicate.allowed]
        around = [s for s in exact if s.low == fact.count and _wider(_named(release, s.predicate), dict(fact.predicate.allowed))]
        assert fact.published == bool(around)
        for name in fact.idle:
            group = dict(fact.predicate.allowed)[name]
            everyone = all(matches(r, Predicate.of({name: group}), names) for r in possible)
            assert everyone or len(group) > 1
    single = [fact.predicate.allowed for fact in result if fact.count == 1]
    low = fewest_matching(release, single, LARGEST)
    assert result.singled_out == (low, low)
    return result


def _named(release: Release, predicate: Predicate) -> dict[str, frozenset[str]]:
    """Without the columns that may have any value."""
    return {n: g for n, g in predicate.allowed if len(g) < len(release.domain.column(n).codes)}


def _wider(a: dict[str, frozenset[str]], b: dict[str, frozenset[str]]) -> bool:
    """Does the box a hold the box b?"""
    return all(n in b and b[n] <= g for n, g in a.items())


def _certain_size(release: Release) -> bool:
    from tests.oracle import consistent_datasets

    return len({len(records) for records in consistent_datasets(release, LARGEST)}) == 1


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(grouped_releases())
def test_groups_equal_brute_force(pair: tuple[Release, Dataset]) -> None:
    compare(pair[0])


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
    compare(pair[0])


@settings(max_examples=15, deadline=None)
@given(grouped_releases())
def test_groups_equal_brute_force_in_a_hurry(pair: tuple[Release, Dataset]) -> None:
    compare(pair[0])


def test_overlapping_groups_beyond_number_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """All values but one, for each of them: every set of values is a group, and certain. Single values are no trouble."""
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
