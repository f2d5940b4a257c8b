"""Independent parts against their definition: datasets that fit are exactly the combinations of datasets that fit the parts."""

from __future__ import annotations

from itertools import product
from random import Random

import numpy as np
import pytest

from foregone import Predicate, Release, Statistic, tabulate
from foregone.engine import LinearSystem, Witness
from foregone.engine.system.linear import compile_release
from foregone.engine.system.parts import parts_of, together
from foregone.model.statement import Statement
from tests.engine.systems import consistent, dense, of_counts
from tests.glued import glued

MOST = 3  # records in a bucket that are looked at


def naive(system: LinearSystem) -> list[set[int]]:
    """The definition without exact rows taken off: buckets that rows and either-ors tie, one after another."""
    ties = [set(np.flatnonzero(row).tolist()) for row, low, high in zip(dense(system), system.low, system.high, strict=True)]
    ties = [tie for tie, low, high in zip(ties, system.low, system.high, strict=True) if low > 0 or high < 1 << 60]
    ties += [set(np.flatnonzero(clause.left).tolist() + np.flatnonzero(clause.right).tolist()) for clause in system.clauses]
    groups = [{bucket} for bucket in range(system.buckets)]
    for tie in ties:
        met = [group for group in groups if group & tie]
        groups = [group for group in groups if not group & tie] + ([set().union(*met)] if met else [])
    return groups


def fitting(system: LinearSystem) -> set[tuple[int, ...]]:
    """Every dataset with few records in each bucket."""
    every = [of_counts(counts) for counts in product(range(MOST), repeat=system.buckets)]
    rows = list(product(range(MOST), repeat=system.buckets))
    return {counts for counts, fits in zip(rows, system.consistent(every), strict=True) if fits}


def systems(seeds: range, buckets: int) -> list[LinearSystem]:
    made = [compile_release(glued(Random(seed))[0]) for seed in seeds]
    return [system for system in made if 0 < system.buckets <= buckets]


def test_datasets_are_combinations_of_datasets_of_the_parts() -> None:
    apart = reduced = 0
    for system in systems(range(600), 8):
        parts = parts_of(system)
        assert sorted(np.concatenate([part.buckets for part in parts]).tolist()) == list(range(system.buckets))
        whole = fitting(system)
        combined = set()
        for some in product(*(fitting(part.system) for part in parts)):
            made = [0] * system.buckets
            for part, counts in zip(parts, some, strict=True):
                for bucket, count in zip(part.buckets.tolist(), counts, strict=True):
                    made[bucket] = count
            combined.add(tuple(made))
        assert combined == whole
        apart += len(parts) > 1
        reduced += any(part.less for part in parts)
    assert apart > 100
    assert reduced > 10


def test_parts_are_at_least_as_fine_as_what_rows_tie() -> None:
    finer = 0
    for system in systems(range(1000), 40):
        parts = parts_of(system)
        groups = list(naive(system))
        loose = set(range(system.buckets)) - {
            c
            for row, high, low in zip(dense(system), system.high, system.low, strict=True)
            if low > 0 or high < 1 << 60
            for c in np.flatnonzero(row).tolist()
        }
        for group in groups:
            if not group & loose and not any(group <= set(part.buckets.tolist()) for part in parts):
                finer += 1
        assert len(parts) >= len([group for group in groups if not group & loose])
    assert finer > 50  # totals that follow tie nothing


def test_multipliers_mean_the_same_in_the_whole() -> None:
    rng = np.random.default_rng(0)
    for system in systems(range(400), 40):
        for part in parts_of(system):
            limited = (part.system.low == part.system.high) | (part.system.high < 1 << 60)
            own = np.where(limited, rng.integers(-3, 4, part.system.rows), 0)
            made = system.combine(part.multipliers(own, system.rows))
            here = np.zeros(system.buckets, dtype=np.int64)
            here[part.buckets] = part.system.combine(own)
            assert (made == here).all()


def test_witnesses_go_apart_and_together() -> None:
    for system in systems(range(200), 40):
        parts = parts_of(system)
        rng = np.random.default_rng(system.buckets)
        witness = of_counts(rng.integers(0, 3, system.buckets))
        assert together(parts, [part.inside(witness) for part in parts]).key == witness.key
        assert part_values(parts, witness) == witness.value(np.arange(system.buckets))


def part_values(parts: tuple, witness: Witness) -> int:  # type: ignore[type-arg]
    return sum(part.inside(witness).value(part.buckets) for part in parts)


@pytest.mark.parametrize("total", [3, 4])
def test_a_total_that_contradicts_its_parts_ties_them(total: int) -> None:
    release = tabulate({"D": ["x", "x", "y"], "R": ["1", "2", "1"]}, margins=["D", ("D", "R")])
    counts = [s for s in release.statistics if s.predicate.allowed]
    system = compile_release(Release(release.domain, [*counts, Statistic.exact(Predicate(), total)]))
    assert (len(parts_of(system)) > 1) == (total == 3)
    assert consistent(system, [1] * system.buckets) == (total == 3)


def test_a_sum_over_nobody_ties_nothing() -> None:
    """A sum published as 0 where nobody is: its row touches no bucket, and the parts are those without it."""
    release = tabulate({"D": ["x", "x", "y"], "R": ["1", "2", "1"]}, margins=["D"])
    nobody = Predicate.of({"D": "y", "R": "2"})
    none = Statement(((1, nobody),), 0, 0, "sum")
    with_it, without = (compile_release(Release(release.domain, release.statistics, [nobody], own)) for own in ([none], []))
    assert with_it.rows == without.rows + 1
    assert [part.buckets.tolist() for part in parts_of(with_it)] == [part.buckets.tolist() for part in parts_of(without)]
    assert len(parts_of(with_it)) > 1
