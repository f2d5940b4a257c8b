"""Exact certificates: whatever multipliers are suggested, the limit they give is a true one."""

from __future__ import annotations

from operator import mul

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from foregone import Dataset, Domain, Predicate, Release, Statistic
from foregone.engine import LinearSystem
from foregone.engine.bounds.certify import Scope, certify, dominate
from foregone.engine.bounds.trees import Form
from foregone.engine.system.linear import compile_release
from foregone.model.statement import Statement
from foregone.solvers.answer import NO_LIMIT
from tests import oracle
from tests.strategies import LARGEST, releases, unbounded_releases, weighted_releases

Pair = tuple[Release, Dataset]


def bucket_counts(release: Release, system: LinearSystem, largest: int = LARGEST) -> list[list[int]]:
    """The count in each bucket, for every consistent dataset with at most so many records."""
    bucket = {}
    for row, at in zip(system.records.tolist(), system.bucket_of.tolist(), strict=True):
        bucket[tuple(row)] = at
    atom = [
        {code: a for a, group in enumerate(groups) for code in column.codes_of(group)}
        for column, groups in zip(release.domain.columns, system.atoms.groups, strict=True)
    ]
    found = set()
    for records in oracle.consistent_datasets(release, largest):
        counts = [0] * system.buckets
        for record in records:
            counts[bucket[tuple(atom[c][code] for c, code in enumerate(record))]] += 1
        found.add(tuple(counts))
    return [list(counts) for counts in sorted(found)]


@pytest.mark.slow
@settings(max_examples=120, deadline=None)
@given(st.one_of(releases(), weighted_releases(), unbounded_releases()), st.data())
def test_any_multipliers_give_a_true_limit(pair: Pair, data: st.DataObject) -> None:
    """Or none at all, where a bucket is missed that nothing else bounds."""
    release, _ = pair
    system = compile_release(release)
    objective = np.array([data.draw(st.integers(-2, 2)) for _ in range(system.buckets)], dtype=np.int64)
    multipliers = np.array([data.draw(st.integers(-4, 4)) for _ in range(system.rows)], dtype=np.int64)
    multipliers = np.where((system.high == NO_LIMIT) & (multipliers > 0), 0, multipliers)
    multipliers = np.where((system.low == -NO_LIMIT) & (multipliers < 0), 0, multipliers)
    denominator = data.draw(st.integers(1, 3))
    assume(system.buckets)
    ends = st.tuples(st.integers(0, 1), st.integers(1, 2))
    held = data.draw(st.dictionaries(st.integers(0, system.buckets - 1), ends, max_size=2))
    open_ended = {bucket: (low, None if data.draw(st.booleans()) else high) for bucket, (low, high) in held.items()}
    sums = data.draw(st.lists(st.lists(st.integers(-2, 3), min_size=system.buckets, max_size=system.buckets), max_size=2))
    limits = [(data.draw(st.integers(-2, 1)), data.draw(st.integers(1, 4))) for _ in sums]
    times = [data.draw(st.integers(-3, 3)) for _ in sums]
    points = [
        counts
        for counts in bucket_counts(release, system)
        if all(low <= counts[bucket] and (high is None or counts[bucket] <= high) for bucket, (low, high) in open_ended.items())
        and all(low <= sum(map(mul, weights, counts)) <= high for weights, (low, high) in zip(sums, limits, strict=True))
    ]
    buckets = {bucket: (Form.count(np.array([bucket])), bound) for bucket, bound in open_ended.items()}
    forms = [(Form.of(np.array(weights, dtype=np.int64)), limit) for weights, limit in zip(sums, limits, strict=True)]
    scope = Scope(None, buckets, forms)
    certificate = dominate(system, objective, multipliers, denominator, scope, [(k, n) for k, n in enumerate(times) if n])
    if certificate is None:
        assert system.largest is None
        return
    for counts in points:
        assert sum(int(f) * n for f, n in zip(objective, counts, strict=True)) * denominator <= certificate.total


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(st.one_of(releases(), weighted_releases()), st.data())
def test_certify_never_confirms_what_is_false(pair: Pair, data: st.DataObject) -> None:
    release, _ = pair
    system = compile_release(release)
    objective = np.array([data.draw(st.integers(-1, 1)) for _ in range(system.buckets)], dtype=np.int64)
    suggestion = np.array([data.draw(st.floats(-3, 3)) for _ in range(system.rows)])
    greatest = max(sum(int(f) * n for f, n in zip(objective, c, strict=True)) for c in bucket_counts(release, system))
    assert certify(system, objective, suggestion, greatest - 1) is None
    certificate = certify(system, objective, suggestion, greatest + 100)
    assert certificate is None or certificate.limit >= greatest


def test_a_good_suggestion_is_tight() -> None:
    domain = Domain.of({"A": ["0", "1"], "B": ["0", "1"]})
    statistics = [Statistic.exact(Predicate.of({"A": "0"}), 2), Statistic.exact(Predicate.of({"B": "0"}), 3)]
    release = Release(domain, (Statistic.exact(Predicate(), 4), *statistics))
    system = compile_release(release)
    inside, _ = system.footprint(Predicate.of({"A": "0", "B": "0"}))
    row_of_a = next(i for i in range(system.rows) if system.low[i] == 2)
    suggestion = np.zeros(system.rows)
    suggestion[row_of_a] = 1.0 + 1e-9  # floats are never exact
    certificate = certify(system, inside.astype(np.int64), suggestion, 2)
    assert certificate is not None
    assert certificate.limit == 2
    assert certify(system, inside.astype(np.int64), suggestion, 1) is None
    assert certify(system, inside.astype(np.int64), np.full(system.rows, np.nan), 2) is None
    assert certify(system, inside.astype(np.int64), np.full(system.rows, 1e30), 100) is None


def test_huge_numbers_do_not_overflow() -> None:
    """Counts near 2^40 times large multipliers exceed 64 bits; the certificate's total is a Python integer."""
    domain = Domain.of({"A": ["0", "1"]})
    big = 1 << 45
    release = Release(domain, (Statistic.exact(Predicate(), big), Statistic.exact(Predicate.of({"A": "0"}), big - 1)))
    system = compile_release(release)
    multipliers = np.full(system.rows, 1 << 30, dtype=np.int64)
    certificate = dominate(system, np.zeros(system.buckets, dtype=np.int64), multipliers, 1)
    assert certificate is not None
    assert certificate.total == (1 << 30) * (big + big - 1)


def test_limits_that_add_up_beyond_64_bits() -> None:
    """Four rows of 0 to 2^62: a sum that wraps around would be 0, and a certificate that no record exists would be false."""
    domain = Domain.of({"A": ["0", "1", "2", "3"]})
    release = Release(domain, [Statistic(Predicate.of({"A": code}), 0, 1 << 62) for code in "0123"])
    system = compile_release(release)
    assert system.largest == 4 << 62
    inside, _ = system.footprint(Predicate.of({"A": "0"}))
    objective, nothing = inside.astype(np.int64), np.zeros(system.rows, dtype=np.int64)
    certificate = dominate(system, objective, nothing, 1)
    assert certificate is not None
    assert certificate.limit == 4 << 62
    assert certify(system, objective, np.zeros(system.rows), (4 << 62) - 1) is None
    for multipliers in ([1, 0, 0, 0], [3, 3, 3, 3], [-2, 0, 1, 5]):
        certificate = dominate(system, objective, np.array(multipliers, dtype=np.int64), 1)
        assert certificate is not None
        assert certificate.limit >= 1 << 62


def test_multipliers_whose_sums_would_wrap_are_not_used() -> None:
    """A sum of weights times multipliers beyond 64 bits could come out as anything."""
    domain = Domain.of({"A": ["0", "1"]})
    heavy = Statement(((1 << 31, Predicate.of({"A": "0"})), (1 << 31, Predicate.of({"A": "0"}))), None, 1 << 40)
    system = compile_release(Release(domain, [Statistic(Predicate(), 0, 1 << 20)], (), [heavy]))
    assert system.heaviest == (1 << 32) + 1
    objective = np.ones(system.buckets, dtype=np.int64)
    assert certify(system, objective, np.full(system.rows, 2.0**32), 0) is None
    assert certify(system, objective, np.full(system.rows, 2.0**40), 1 << 62) is None
