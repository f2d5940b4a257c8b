"""Witnesses: what the pool takes in, what moves suggest, and datasets spelled out from buckets."""

from __future__ import annotations

from itertools import combinations
from time import process_time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foregone import Dataset, Domain, Predicate, Release, Statistic, audit, generate, unique
from foregone.engine import Witness, start
from foregone.engine.answers.generate import points
from foregone.engine.system.decode import dataset_of
from foregone.engine.system.linear import compile_release
from foregone.engine.witnesses.moves import MAX_PAIRS, Mover
from foregone.engine.witnesses.pool import Pool
from foregone.solvers.deadline import Deadline
from tests import oracle
from tests.engine.systems import consistent
from tests.oracle import fits
from tests.strategies import LARGEST, predicates, releases

Pair = tuple[Release, Dataset]


@pytest.mark.slow
@settings(max_examples=80, deadline=None)
@given(releases(), st.data())
def test_the_pool_takes_in_what_fits_and_nothing_else(pair: Pair, data: st.DataObject) -> None:
    release, _ = pair
    system = compile_release(release)
    pool = Pool(system)
    buckets = np.array(data.draw(st.lists(st.integers(0, system.buckets - 1), max_size=LARGEST)), dtype=np.int64)
    taken = Witness.of_records(buckets)
    good = fits(dataset_of(system, taken).records, release)
    assert pool.add(taken) == good
    assert len(pool) == int(good)
    assert pool.occupied.sum() == (len(set(buckets.tolist())) if good else 0)
    assert not pool.add(Witness.of_records(buckets[::-1])), "the same dataset in another order is not new"
    for witness in pool:
        assert pool.counts(np.ones(system.buckets, dtype=bool)) == [witness.size] == [len(buckets)]


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(releases(), st.integers(0, 99))
def test_moves_keep_every_statistic(pair: Pair, seed: int) -> None:
    release, _ = pair
    prover = start(release).prover
    mover = Mover(prover.system, seed)
    witness = prover.pool.witnesses[0]
    swaps = mover.swaps(witness)
    assert (swaps.buckets == witness.spread()).all()
    for at in range(len(swaps)):
        moved = swaps.buckets.copy()
        moved[swaps.first[at]], moved[swaps.second[at]] = swaps.new_first[at], swaps.new_second[at]
        assert fits(dataset_of(prover.system, Witness.of_records(moved)).records, release)
        assert sorted(moved.tolist()) != sorted(swaps.buckets.tolist())
        assert mover.step(witness, swaps, np.array([at])).key == Witness.of_records(moved).key
    for old, new in mover.replacements(witness, tries=50).tolist():
        assert old < 0 or old in witness.buckets
        changed = witness.moved(*(np.array([bucket] if bucket >= 0 else [], dtype=np.int64) for bucket in (old, new)))
        assert fits(dataset_of(prover.system, changed).records, release)


def test_moves_find_the_known_swap() -> None:
    """Two records that differ in two columns and one-way tables: exchanging one column is the only move."""
    domain = Domain.of({"A": ["0", "1"], "B": ["0", "1"]})
    ones = [Statistic.exact(Predicate.of({name: "0"}), 1) for name in "AB"]
    prover = start(Release(domain, (Statistic.exact(Predicate(), 2), *ones))).prover
    witness = prover.pool.witnesses[0]
    mover = Mover(prover.system)
    swaps = mover.swaps(witness)
    assert len(swaps) == 1
    both = {dataset_of(prover.system, w).records for w in (witness, mover.step(witness, swaps))}
    assert both == {(("0", "0"), ("1", "1")), (("0", "1"), ("1", "0"))}


@pytest.mark.slow
@settings(max_examples=80, deadline=None)
@given(releases(), st.data())
def test_datasets_lean_towards_or_away_from_a_predicate(pair: Pair, data: st.DataObject) -> None:
    """The same buckets spelled out with as many, or as few, matching records as they allow."""
    release, _ = pair
    prover = start(release).prover
    predicate = data.draw(predicates(release.domain))
    whole, some = prover.system.footprint(predicate)
    witness = prover.pool.witnesses[0]
    most = dataset_of(prover.system, witness, predicate, match=True)
    least = dataset_of(prover.system, witness, predicate, match=False)
    assert most.count(predicate) == witness.value(some) == some[witness.spread()].sum()
    assert least.count(predicate) == witness.value(whole) == whole[witness.spread()].sum()
    assert fits(most.records, release)
    assert fits(least.records, release)


@settings(max_examples=60, deadline=None)
@given(releases())
def test_points_are_all_there_is(pair: Pair) -> None:
    """Exhaustive search over buckets meets every consistent list exactly once."""
    release, _ = pair
    system = compile_release(release)
    found = [tuple(p.spread().tolist()) for p in points(system, Deadline()) if p is not None]
    assert len(found) == len(set(found))
    sums = [np.bincount(np.array(p, dtype=np.int64), minlength=system.buckets) for p in found]
    assert all(consistent(system, s) for s in sums)
    behind = {dataset_of(system, Witness.of_records(np.array(p, dtype=np.int64))).records for p in found}
    everything = {tuple(sorted(r)) for r in oracle.consistent_datasets(release, LARGEST)}
    assert {tuple(sorted(records)) for records in behind} <= everything
    where = {tuple(row): int(bucket) for row, bucket in zip(system.records.tolist(), system.bucket_of, strict=True)}
    atom = [
        {code: a for a, group in enumerate(groups) for code in column.codes_of(group)}
        for column, groups in zip(release.domain.columns, system.atoms.groups, strict=True)
    ]
    lists = {tuple(sorted(where[tuple(atom[c][v] for c, v in enumerate(r))] for r in records)) for records in everything}
    assert set(found) == lists


def test_points_stop_when_time_is_up() -> None:
    system = compile_release(Release(Domain.of({"A": ["0", "1"]}), (Statistic.exact(Predicate(), 3),)))
    assert list(points(system, Deadline.after(0))) == [None]


def test_generate_far_more_than_can_be_listed() -> None:
    """A huge space of datasets: twenty different ones are found without exhausting it."""
    domain = Domain.of({f"C{i}": [str(v) for v in range(9)] for i in range(6)})
    made = generate(Release(domain, (Statistic.exact(Predicate(), 30),)), 20)
    assert len({dataset.records for dataset in made.datasets}) == 20
    assert all(len(dataset) == 30 for dataset in made.datasets)
    assert made.complete is False


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(releases())
def test_the_farthest_pair_is_the_farthest(pair: Pair) -> None:
    release, _ = pair
    answer = unique(release)
    everything = [Dataset.of(release.domain, r) for r in oracle.consistent_datasets(release, LARGEST)]
    if len(everything) > 80:
        everything = everything[:80]
    farthest = max(a.distance(b) for a in everything for b in everything)
    if answer.second is None:
        assert farthest == 0.0
        return
    assert answer.first != answer.second
    assert answer.first.distance(answer.second) == answer.distance
    assert farthest <= answer.limit
    if answer.farthest:
        assert farthest <= answer.distance


@pytest.mark.parametrize("columns", [2, 3])
def test_farthest_pair_by_hand(columns: int) -> None:
    """Everything free but the number of records: two datasets can differ in every record."""
    domain = Domain.of({name: ["0", "1"] for name in "ABC"[:columns]})
    answer = unique(Release(domain, (Statistic.exact(Predicate(), 3),)))
    assert answer.distance == answer.limit == 3.0
    assert answer.farthest


@pytest.mark.parametrize("count", [2, 3, 22, 23])
def test_pairs_of_positions(count: int) -> None:
    """Few records: every pair once. Many: as many different pairs as wanted, never all of them."""
    mover = Mover(compile_release(Release(Domain.of({"A": ["0", "1"]}), (Statistic.exact(Predicate(), 1),))))
    first, second = mover._pairs(count)
    everything = list(combinations(range(count), 2))
    found = list(zip(first.tolist(), second.tolist(), strict=True))
    assert found == sorted(set(found))
    assert set(found) <= set(everything)
    assert len(found) == min(MAX_PAIRS, len(everything))
    many = mover._pairs(3_000_000)
    assert len(many[0]) == MAX_PAIRS
    assert (many[0] < many[1]).all()
    assert many[1].max() < 3_000_000


def test_counts_in_the_hundred_thousands() -> None:
    """Cost grows with the number of records, not with its square."""
    domain = Domain.of({"A": ["0", "1", "2"], "B": ["0", "1"]})
    texts = {"": 200_000, "A=0": 70_000, "B=1": 90_000, "A=0, B=1": 1}
    release = Release(domain, tuple(Statistic.exact(Predicate.parse(text, domain), count) for text, count in texts.items()))
    begin = process_time()
    result = audit(release)
    assert process_time() - begin < 30
    found = {row.values: row.count for row in result.all_rows()}
    assert found == {
        ("0", None): 70_000,
        (None, "0"): 110_000,
        (None, "1"): 90_000,
        ("0", "0"): 69_999,
        ("0", "1"): 1,
    }
