"""The number of datasets against PyNormaliz, which counts the lattice points of a polytope; skipped where it is not installed."""

from __future__ import annotations

from itertools import product
from random import Random
from typing import Any

import pytest

import foregone as fg
from foregone import Predicate, Release
from tests import oracle


def random_release(seed: int) -> Release:
    """Ten to thirty people, one or two tables of two columns, every third with ranges."""
    rng = Random(seed)
    size = rng.randrange(10, 31)
    truth = {name: [str(rng.randrange(width)) for _ in range(size)] for name, width in (("A", 2), ("B", 3), ("C", 2))}
    release = fg.tabulate(truth, margins=rng.sample(["A,B", "B,C", "A,C", "A", "B", "C"], rng.randrange(1, 3)))
    return release.below(4) if seed % 3 == 0 else release


def lattice_points(release: Release, cone: Any) -> int:
    """One unknown for each kind of record, one equation or two inequalities for each count."""
    names = release.domain.names
    kinds = list(product(*(column.codes for column in release.domain.columns)))

    def row(predicate: Predicate, sign: int, constant: int) -> list[int]:
        return [sign * int(oracle.matches(kind, predicate, names)) for kind in kinds] + [constant]

    equations = [row(s.predicate, 1, -s.low) for s in release.statistics if s.low == s.high]
    inequalities = [[int(i == j) for j in range(len(kinds))] + [0] for i in range(len(kinds))]
    for s in release.statistics:
        if s.low != s.high and s.high is not None:
            inequalities += [row(s.predicate, 1, -s.low), row(s.predicate, -1, s.high)]
    return int(cone(inhom_equations=equations, inhom_inequalities=inequalities).NumberLatticePoints())


@pytest.mark.slow
def test_fifty_releases_count_alike() -> None:
    normaliz = pytest.importorskip("PyNormaliz")
    for seed in range(50):
        release = random_release(seed)
        assert fg.count_datasets(release) == lattice_points(release, normaliz.Cone), seed
