"""Large workloads are compiled table by table; on small ones that must say the same as brute force and as the other way."""

from __future__ import annotations

from itertools import combinations
from time import process_time
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import foregone as fg
from foregone import Dataset, Domain, Predicate, Release, Statistic, TooLargeError
from foregone.engine import LinearSystem
from foregone.engine.bounds.prover import Prover
from foregone.engine.system import blueprint as blueprint_module
from foregone.engine.system import table_zeros as table_zeros_module
from foregone.engine.system import tables as tables_module
from foregone.engine.system.linear import compile_release
from foregone.engine.witnesses import moves as moves_module
from tests import oracle
from tests.audited import claims_of
from tests.strategies import LARGEST, releases, weighted_releases
from tests.suppressed import suppressed_table


@pytest.fixture(autouse=True)
def by_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blueprint_module, "FEW_BOXES", 0)


def memberships(system: LinearSystem) -> list[tuple[tuple[int, ...], list[bool]]]:
    """Each live record with the statistics it matches, by brute force."""
    return [(tuple(row), [matches(system, row, s.predicate) for s in system.release.statistics]) for row in system.records.tolist()]


def matches(system: LinearSystem, row: list[int], predicate: Predicate) -> bool:
    masks = predicate.masks(system.release.domain)
    return all(system.atoms.groups[c][row[c]] & mask for c, mask in masks.items())


@settings(max_examples=60, deadline=None)
@given(st.one_of(releases(), weighted_releases()))
def test_buckets_are_the_classes_of_records_in_the_same_statistics(made: tuple[Release, Dataset]) -> None:
    system = compile_release(made[0])
    shown = [s.high != 0 for s in made[0].statistics]
    rows = np.zeros((system.rows, system.buckets), dtype=np.int64)
    rows[system.members, np.repeat(np.arange(system.buckets), np.diff(system.starts))] = 1
    for (_, inside), bucket in zip(memberships(system), system.bucket_of.tolist(), strict=True):
        for i, visible in enumerate(shown):
            if visible:
                assert bool(rows[system.row_of[i], bucket]) == inside[i]
            else:
                assert system.row_of[i] == -1
                assert not inside[i]


@settings(max_examples=60, deadline=None)
@given(releases(), st.sampled_from([1 << 20, 0]))
def test_an_audit_finds_the_same_claims(made: tuple[Release, Dataset], grid: int) -> None:
    """Also when every set of columns is too wide for a grid and is looked up instead."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(table_zeros_module, "GRID_LIMIT", grid)
        audit = fg.audit(made[0])
        assert claims_of(audit) == oracle.verified_claims(made[0], LARGEST)
        assert fg.check(made[0], fg.proofs(audit), complete=True).complete


@settings(max_examples=40, deadline=None)
@given(releases(), st.sampled_from([1 << 20, 0]))
def test_no_record_of_a_dataset_is_taken_for_impossible(made: tuple[Release, Dataset], grid: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(table_zeros_module, "GRID_LIMIT", grid)
        system = compile_release(made[0])
    columns = made[0].domain.columns
    live = {tuple(system.atoms.groups[k][atom] for k, atom in enumerate(row)) for row in system.records.tolist()}
    for record, _ in made[1].kinds:
        atoms = tuple(
            next(group for group in system.atoms.groups[k] if group >> column.index[code] & 1)
            for k, (column, code) in enumerate(zip(columns, record, strict=True))
        )
        assert atoms in live


def test_tables_without_zeros_still_name_their_support(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    data = {name: [f"v{v}" for v in rng.integers(0, 6, 12)] for name in "ABC"}
    release = fg.tabulate(data, margins=[list(pair) for pair in combinations("ABC", 2)])
    shown = Release(release.domain, [s for s in release.statistics if s.high != 0])
    here = compile_release(shown)
    monkeypatch.setattr(blueprint_module, "FEW_BOXES", 10**9)
    there = compile_release(Release(release.domain, shown.statistics))
    assert here.records.tolist() == there.records.tolist()
    assert len(here.exclusions) > 0
    assert len(here.records) < 6**3
    monkeypatch.setattr(blueprint_module, "FEW_BOXES", 0)
    monkeypatch.setattr(table_zeros_module, "GRID_LIMIT", 0)
    looked_up = compile_release(Release(release.domain, shown.statistics))
    assert looked_up.records.tolist() == there.records.tolist()


def test_overlapping_groups_go_to_layers_of_their_own() -> None:
    codes = [str(age) for age in range(60)]
    rng = np.random.default_rng(1)
    domain = Domain.of({"AGE": codes, "SEX": ["F", "M"]})
    truth = Dataset.of(domain, [(str(a), s) for a, s in zip(rng.integers(0, 60, 40), "FM" * 20, strict=True)])
    groups = [codes[:18], codes[18:65], codes[10:30], codes[:30], codes[30:], *([code] for code in codes[:40])]
    predicates = [Predicate(), *(Predicate.of({"AGE": g}) for g in groups), *(Predicate.of({"AGE": g, "SEX": "F"}) for g in groups)]
    release = Release(truth.domain, [Statistic.exact(p, truth.count(p)) for p in predicates])
    system = compile_release(release)
    counts: dict[int, int] = {}
    for record, n in truth.kinds:
        inside, _ = system.extent(Predicate.of(dict(zip(release.domain.names, record, strict=True))))
        touching = system.extent(Predicate.of(dict(zip(release.domain.names, record, strict=True))))[1]
        assert inside.sum() <= touching.sum() == 1
        bucket = int(system.bucket_of[np.flatnonzero(touching)[0]])
        counts[bucket] = counts.get(bucket, 0) + n
    totals = np.zeros(system.rows, dtype=np.int64)
    for bucket, n in counts.items():
        totals[system.members[system.starts[bucket] : system.starts[bucket + 1]]] += n
    assert (totals >= system.low).all()
    assert (totals <= system.high).all()


@pytest.mark.slow
def test_more_atoms_than_sixteen_bits_count() -> None:
    """Sixteen groups tell 40,000 codes apart; their numbers must not wrap around."""
    codes = [str(i) for i in range(40_000)]
    groups = [[code for i, code in enumerate(codes) if i >> bit & 1] for bit in range(16)]
    truth = 39_999
    statistics = [Statistic.exact(Predicate.of({"A": group}), int(truth >> bit & 1)) for bit, group in enumerate(groups)]
    release = Release(Domain.of({"A": codes}), [Statistic.exact(Predicate(), 1), *statistics])
    assert fg.bounds(release, {"A": codes[truth]}) == (1, 1)
    assert fg.bounds(release, {"A": codes[truth - 32_768]}) == (0, 0)


def test_running_totals_over_a_wide_column_are_refused_before_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    codes = [str(i) for i in range(1_000)]
    release = Release(Domain.of({"A": codes}), [Statistic(Predicate.of({"A": codes[: i + 1]}), 0, 5) for i in range(999)])
    monkeypatch.setattr(blueprint_module, "MOST_NAMED", 400_000)
    with pytest.raises(TooLargeError, match="running totals"):
        compile_release(release)
    monkeypatch.setattr(blueprint_module, "MOST_NAMED", 500_000)
    monkeypatch.setattr(tables_module, "MOST_PLACES", 100_000)
    with pytest.raises(TooLargeError, match="overlapping groups"):
        compile_release(release)


@pytest.mark.slow
def test_a_table_of_a_hundred_thousand_cells_with_totals() -> None:
    release = suppressed_table((20_000, 5), 40, 3_000_000, seed=5)
    begin = process_time()
    found = fg.intervals(release)
    assert process_time() - begin < 60
    assert len(found) == 40
    assert all(interval.proved for interval in found)


def test_moves_of_a_large_system_look_at_few_pairs_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows times pairs would not fit into memory."""
    system = compile_release(suppressed_table((4, 3), 6, 60, most=9))
    prover = Prover(system)
    assert prover.first_witness() is True
    monkeypatch.setattr(moves_module, "MOST_CHANGES", 2 * system.rows)
    drawn: list[int] = []
    honest = prover.mover.rng.integers

    def watched(low: int, high: int, size: int) -> Any:
        drawn.append(size)
        return honest(low, high, size)

    monkeypatch.setattr(prover.mover, "rng", SimpleNamespace(integers=watched))
    prover.mover.replacements(prover.pool.witnesses[0])
    assert set(drawn) == {2}
