"""Atoms, buckets and rows: the linear system says the same as the release."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foregone import Dataset, Domain, Predicate, Release, Statistic
from foregone.engine import Witness, atomise, unbounded_example
from foregone.engine.system import buckets, linear
from foregone.engine.system.linear import by_bucket, compile_release
from foregone.engine.system.settled import settle
from foregone.engine.witnesses import moves
from foregone.engine.witnesses.moves import Mover
from foregone.engine.witnesses.rounding import without
from foregone.solvers.arrays import SHORT, order_of
from tests import oracle
from tests.engine.systems import consistent, dense, of_counts
from tests.strategies import LARGEST, predicates, releases

Pair = tuple[Release, Dataset]


@settings(max_examples=100, deadline=None)
@given(releases())
def test_atoms_are_the_values_nothing_tells_apart(pair: Pair) -> None:
    release, _ = pair
    atoms = atomise(release.workload)
    named = [*(s.predicate for s in release.statistics), *release.rules]
    for column, groups in zip(release.domain.columns, atoms.groups, strict=True):
        assert sum(groups) == column.full
        assert sorted(code for group in groups for code in column.codes_of(group)) == sorted(column.codes)
        home = {code: a for a, group in enumerate(groups) for code in column.codes_of(group)}
        sets = [dict(p.allowed).get(column.name, frozenset(column.codes)) for p in named]
        for a, b in product(column.codes, repeat=2):
            assert (home[a] == home[b]) == all((a in codes) == (b in codes) for codes in sets)


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(releases(), st.data())
def test_footprints_bound_the_count_of_every_dataset(pair: Pair, data: st.DataObject) -> None:
    """Buckets inside a predicate give its least count, buckets touching it its greatest, over all datasets behind the buckets."""
    release, _ = pair
    system = compile_release(release)
    predicate = data.draw(predicates(release.domain))
    whole, some = system.footprint(predicate)
    assert not (whole & ~some).any()
    where = {tuple(row): int(bucket) for row, bucket in zip(system.records.tolist(), system.bucket_of, strict=True)}
    columns = release.domain.columns
    atom = [
        {code: a for a, group in enumerate(groups) for code in column.codes_of(group)}
        for column, groups in zip(columns, system.atoms.groups, strict=True)
    ]
    inside: dict[int, set[bool]] = {}
    for record in product(*(column.codes for column in columns)):
        bucket = where.get(tuple(atom[c][v] for c, v in enumerate(record)))
        if bucket is not None:
            inside.setdefault(bucket, set()).add(oracle.matches(record, predicate, release.domain.names))
    for bucket, seen in inside.items():
        assert whole[bucket] == (seen == {True})
        assert some[bucket] == (True in seen)


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(releases())
def test_records_of_a_bucket_belong_to_the_same_statistics(pair: Pair) -> None:
    release, _ = pair
    system = compile_release(release)
    members: dict[int, set[tuple[bool, ...]]] = {}
    for row, bucket in zip(system.records.tolist(), system.bucket_of.tolist(), strict=True):
        record = tuple(system.atoms.code(c, a) for c, a in enumerate(row))
        kind = tuple(oracle.matches(record, s.predicate, release.domain.names) for s in release.statistics)
        members.setdefault(bucket, set()).add(kind)
    assert sorted(members) == list(range(system.buckets))
    assert all(len(kinds) == 1 for kinds in members.values())
    assert len({kinds.copy().pop() for kinds in members.values()}) == system.buckets, "two buckets belong to the same statistics"
    assert (dense(system)[system.cover].sum(axis=0) >= 1).all()
    assert system.covered.all()
    assert system.largest is not None
    assert system.largest >= max((len(r) for r in oracle.consistent_datasets(release, LARGEST)), default=0)


@settings(max_examples=60, deadline=None)
@given(releases(), st.data())
def test_matrix_forms_agree(pair: Pair, data: st.DataObject) -> None:
    system = compile_release(pair[0])
    counts = np.array([data.draw(st.integers(0, 3)) for _ in range(system.buckets)], dtype=np.int64)
    weights = np.array([data.draw(st.integers(-3, 3)) for _ in range(system.rows)], dtype=np.int64)
    matrix = dense(system)
    assert (system.tabulate(of_counts(counts)) == matrix @ counts).all()
    assert (system.combine(weights) == weights @ matrix).all()
    chosen = np.flatnonzero(counts)
    assert (system.columns(chosen) == matrix[:, chosen]).all()
    sums = matrix @ counts
    assert consistent(system, counts) == bool(((sums >= system.low) & (sums <= system.high)).all())
    assert not consistent(system, counts - counts.max() - 1)


@settings(max_examples=60, deadline=None)
@given(releases())
def test_the_rest_after_placing_a_record(pair: Pair) -> None:
    """A dataset fits exactly when, after one of its records is placed, the others fit what is left."""
    release, _ = pair
    system = compile_release(release)
    for bucket in range(min(system.buckets, 4)):
        rest, kept = without(system, Witness.of_records(np.array([bucket])))
        for other in range(system.buckets):
            pair_counts = np.bincount([bucket, other], minlength=system.buckets)
            sums = system.tabulate(of_counts(pair_counts))
            assert (other in kept) == bool((sums <= system.high)[dense(system)[:, other] == 1].all())
            if other in kept and (system.tabulate(Witness.of_records(np.array([bucket]))) <= system.high).all():
                at = int(np.flatnonzero(kept == other)[0])
                assert consistent(rest, np.bincount([at], minlength=rest.buckets)) == consistent(system, pair_counts)


def test_one_row_for_statistics_that_touch_the_same_buckets() -> None:
    domain = Domain.of({"A": ["0", "1"], "B": ["0", "1"]})
    statistics = (
        Statistic(Predicate(), 2, 9),
        Statistic(Predicate.of({"A": ["0", "1"]}), 1, 4),
        Statistic.exact(Predicate.of({"A": "0"}), 0),
        Statistic(Predicate.of({"A": "1"}), 3, None),
    )
    system = compile_release(Release(domain, statistics))
    assert (system.rows, system.buckets) == (1, 1)
    assert (system.low[0], system.high[0]) == (3, 4)
    assert (system.low_source[0], system.high_source[0]) == (3, 1)


def test_records_without_an_upper_limit_are_named() -> None:
    domain = Domain.of({"A": ["0", "1", "2"]})
    bounded = (Statistic(Predicate.of({"A": "0"}), 0, 3), Statistic(Predicate.of({"A": ["1", "2"]}), 0, 4))
    assert compile_release(Release(domain, bounded)).largest == 7
    for statistics in (bounded[:1], (*bounded[:1], Statistic(Predicate.of({"A": ["1", "2"]}), 1, None))):
        system = compile_release(Release(domain, statistics))
        assert system.largest is None
        assert system.covered[system.bucket_of].tolist() == [True, False]
        assert unbounded_example(system) == "A=1"


@pytest.mark.parametrize("largest", [1, 3, SHORT - 1, SHORT, 1 << 40])
def test_numbers_are_sorted_as_numpy_sorts_them(largest: int) -> None:
    numbers = np.random.default_rng(largest).integers(0, largest, 500, endpoint=True)
    assert (order_of(numbers) == np.argsort(numbers, kind="stable")).all()
    assert not len(order_of(numbers[:0]))


@pytest.mark.parametrize("weighted", [False, True])
def test_entries_are_put_bucket_by_bucket_in_any_of_three_ways(weighted: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    for _ in range(50):
        number, height = int(rng.integers(1, 9)), int(rng.integers(1, 6))
        matrix = rng.integers(-2, 4, (height, number)) * (rng.random((height, number)) < 0.6)
        touched = [np.flatnonzero(row) for row in matrix]
        weights = [row[row != 0] for row in matrix] if weighted else None
        made = []
        for long, pairs in ((0, 0), (1_000, 0), (1_000, 1 << 22)):
            monkeypatch.setattr(linear, "LONG", long)
            monkeypatch.setattr(linear, "DENSE", pairs)
            starts, members, placed = by_bucket(touched, weights, number)
            again = np.zeros_like(matrix)
            for bucket in range(number):
                mine = slice(starts[bucket], starts[bucket + 1])
                assert (np.diff(members[mine]) > 0).all()
                again[members[mine], bucket] = 1 if placed is None else placed[mine]
            assert (again == (matrix if weighted else matrix != 0)).all()
            made.append((starts.tolist(), members.tolist(), None if placed is None else placed.tolist()))
        assert made[0] == made[1] == made[2]


@settings(max_examples=60, deadline=None)
@given(releases())
def test_the_system_is_the_same_however_little_is_looked_at_in_one_go(pair: Pair) -> None:
    release, _ = pair
    system = compile_release(release)
    bits = np.unpackbits(Mover(system)._rows_of, axis=1)[:, : system.rows]
    assert ((dense(system) != 0) == bits[:-1].T).all()
    assert not bits[-1].any()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(buckets, "TOGETHER", 1)
        patch.setattr(linear, "LONG", 0)
        patch.setattr(moves, "MOST_CHANGES", 1)
        again = compile_release(Release(release.domain, release.statistics, release.rules))
        assert (again.bucket_of == system.bucket_of).all()
        assert (dense(again) == dense(system)).all()
        assert (Mover(again)._rows_of == Mover(system)._rows_of).all()


def test_where_no_number_settles_a_bucket_the_system_is_its_own_rest() -> None:
    domain = Domain.of({"A": list("xy"), "B": list("xy")})
    system = compile_release(Release(domain, [Statistic(Predicate.of({c: v}), 1, 3) for c in "AB" for v in "xy"]))
    settled = settle(system)
    assert settled is not None
    assert settled.rest is system
    fixed = compile_release(Release(domain, [*system.release.statistics, Statistic.exact(Predicate.of({"A": "x", "B": "x"}), 1)]))
    settled = settle(fixed)
    assert settled is not None
    assert settled.rest.buckets == fixed.buckets - 1
