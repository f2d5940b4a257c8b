"""Is the whole dataset determined, and how far apart can two be? Every pair of datasets is compared by brute force."""

from __future__ import annotations

from contextlib import suppress
from fractions import Fraction
from itertools import combinations, islice
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from foregone import Dataset, Domain, Predicate, Release, Statistic, UndecidedError, Verdict, check, tabulate, unique
from foregone.checker import check as check_rows
from foregone.checker import digest, release_of
from foregone.checker.read.proofs import FORMAT, VERSION
from foregone.checker.verdicts.determined import ONE, SEVERAL, UNTOLD, datasets_left
from foregone.questions.ask import uniqueness_proof
from foregone.questions.check import plain
from tests import oracle
from tests.strategies import LARGEST, alternative_releases, measured_releases, releases, weighted_releases

FEW = 100  # of the datasets that fit

Pair = tuple[Release, Dataset]


def compare(release: Release) -> None:
    found = [Dataset.of(release.domain, records) for records in oracle.consistent_datasets(release, LARGEST)]
    assume(len(found) <= 150)
    answer = unique(release)
    if len(found) == 1:
        assert answer.verdict == Verdict.VERIFIED
        assert answer.shares == (Fraction(0), Fraction(0))
        return
    assert answer.verdict == Verdict.REFUTED
    assert answer.second is not None
    assert answer.distance == max(a.distance(b) for a, b in combinations(found, 2))
    assert answer.farthest
    assert not answer.reason
    assert answer.first in found
    assert answer.second in found
    assert answer.shares[0] == answer.shares[1]


@settings(max_examples=60, deadline=None)
@given(releases())
def test_the_farthest_pair_is_found_and_proved(pair: Pair) -> None:
    compare(pair[0])


@pytest.mark.slow
@settings(max_examples=80, deadline=None)
@given(weighted_releases())
def test_the_farthest_pair_is_found_and_proved_with_weighted_sums(pair: Pair) -> None:
    compare(pair[0])


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(st.one_of(measured_releases(), alternative_releases()))
def test_the_farthest_pair_is_found_and_proved_with_medians(pair: Pair) -> None:
    release, _ = pair
    most = release.size_range[1]
    assume(most is not None and most <= LARGEST)
    found = [Dataset.of(release.domain, records) for records in oracle.consistent_datasets(release, LARGEST)]
    assume(1 < len(found) <= 100)
    answer = unique(release, time_limit=20)
    assert answer.distance == max(a.distance(b) for a, b in combinations(found, 2))
    assert answer.distance <= answer.limit


def test_cells_with_many_records_count_every_one() -> None:
    """Two by two, margins 5 and 5: from five on one diagonal to five on the other, ten records change."""
    domain = Domain.of({"A": ["0", "1"], "B": ["0", "1"]})
    release = Release(domain, [Statistic.exact(Predicate.of({name: code}), 5) for name in "AB" for code in "01"])
    answer = unique(release)
    assert (answer.distance, answer.limit) == (10, 10)
    uneven = [("A", "0", 7), ("A", "1", 5), ("B", "0", 4), ("B", "1", 8)]
    release = Release(domain, [Statistic.exact(Predicate.of({name: code}), count) for name, code, count in uneven])
    answer = unique(release)
    # A=0, B=0 has 0 to 4 records, and each step moves two records
    assert (answer.distance, answer.limit) == (8, 8)
    assert answer.shares == (Fraction(2, 3), Fraction(2, 3))


def test_without_time_the_limits_still_hold() -> None:
    release = tabulate(
        {"A": [str(i % 3) for i in range(12)], "B": [str(i % 4) for i in range(12)], "C": [str(i * i % 5) for i in range(12)]},
        margins=["A,B", "B,C", "A,C"],
    )
    exact = unique(release, time_limit=30)
    assert exact.farthest
    for seconds in (0.02, 0.1, 0.3):
        with suppress(UndecidedError):
            answer = unique(release, time_limit=seconds)
            if answer.verdict == Verdict.REFUTED:
                assert answer.distance <= exact.distance <= answer.limit


@settings(max_examples=40, deadline=None)
@given(releases())
def test_uniqueness_is_proved_for_the_checker(pair: Pair) -> None:
    release, truth = pair
    document = uniqueness_proof(release)
    if len({tuple(sorted(d)) for d in oracle.consistent_datasets(release, LARGEST)}) > 1:
        assert document is None
        several = listing(release, [list(d) for d in islice(oracle.consistent_datasets(release, LARGEST), FEW)])
        assert _left(release, several) == SEVERAL
        return
    assert document is not None
    result = check(release, document)
    assert not result.rejected
    everybody, *kinds = document["facts"]
    assert (everybody["claim"], everybody["count"]) == ({}, len(truth))
    assert sum(fact["count"] for fact in kinds) == len(truth)
    assert result.accepted == len(truth.kinds) + 1
    assert _left(release, document) == ONE
    again = listing(release, [list(truth.records), list(truth.records[::-1])])
    assert _left(release, again) == UNTOLD  # the same dataset twice, and nothing claimed
    if len(truth) and any(len(column.codes) > 1 for column in release.domain.columns):
        content = {**document, "facts": document["facts"][:-1]}
        assert _left(release, {**content, "digest": digest(content)}) == UNTOLD  # one kind of record is not accounted for


def listing(release: Release, datasets: list[list[tuple[str, ...]]]) -> Any:
    """A file that claims nothing and lists datasets."""
    listed = [[list(record) for record in dataset] for dataset in datasets]
    content = {"format": FORMAT, "version": VERSION, "tool": "a test", "release": release.fingerprint(), "steps": [], "facts": []}
    content |= {"witnesses": listed}
    return {**content, "digest": digest(content)}


def _left(release: Release, document: Any) -> str:
    rows = release_of(plain(release))
    return datasets_left(rows, document, check_rows(rows, document))
