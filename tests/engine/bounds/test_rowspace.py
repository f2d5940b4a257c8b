"""Linear combinations of statistics, against elimination with fractions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foregone import Dataset, Domain, Predicate, Release, Statistic
from foregone.engine.bounds.rowspace import PRIME, Combination, RowSpace, eliminate, solve_modular
from foregone.engine.system.linear import compile_release
from tests.engine.systems import dense
from tests.strategies import releases


def rank(rows: list[list[int]]) -> int:
    work = [[Fraction(v) for v in row] for row in rows]
    done = 0
    for column in range(len(work[0]) if work else 0):
        pivot = next((i for i in range(done, len(work)) if work[i][column]), None)
        if pivot is None:
            continue
        work[done], work[pivot] = work[pivot], work[done]
        for i in range(len(work)):
            if i != done and work[i][column]:
                factor = work[i][column] / work[done][column]
                work[i] = [a - factor * b for a, b in zip(work[i], work[done], strict=True)]
        done += 1
    return done


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(releases(), st.data())
def test_express_equals_elimination_with_fractions(pair: tuple[Release, Dataset], data: st.DataObject) -> None:
    system = compile_release(pair[0])
    kept = np.array([data.draw(st.integers(0, 3)) > 0 for _ in range(system.cells)], dtype=bool)
    space = RowSpace(system, kept)
    exact = np.flatnonzero((system.low == system.high) & (system.low_source == system.high_source))
    rows = dense(system)[exact][:, kept].tolist()
    assert space.rank == rank(rows)
    if data.draw(st.booleans()):
        functional = np.array([data.draw(st.booleans()) for _ in range(system.cells)], dtype=bool)
    else:  # a union of rows is often in the span
        functional = dense(system)[data.draw(st.integers(0, system.rows - 1))].astype(bool)
    combination = space.express(functional)
    wanted = functional[kept].astype(int).tolist()
    assert (combination is not None) == (rank([*rows, wanted]) == rank(rows))
    if combination is not None:
        assert set(np.flatnonzero(combination.multipliers)) <= set(exact.tolist())
        made = dense(system).T @ combination.multipliers
        assert (made[kept] == combination.denominator * functional[kept]).all()


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000))
def test_wide_systems_are_sampled_without_loss(seed: int) -> None:
    """With many more cells than rows only some cells are looked at first; the span must still be complete."""
    rng = np.random.default_rng(seed)
    domain = Domain.of({"A": [str(v) for v in range(12)], "B": [str(v) for v in range(12)]})
    chosen = [Statistic.exact(Predicate(), 9)]
    for _ in range(5):
        a = [str(v) for v in np.flatnonzero(rng.random(12) < 0.3)] or ["0"]
        b = [str(v) for v in np.flatnonzero(rng.random(12) < 0.3)] or ["0"]
        chosen.append(Statistic.exact(Predicate.of({"A": a, "B": b}), 1))
    system = compile_release(Release(domain, tuple(chosen)))
    assert RowSpace(system, np.ones(system.cells, dtype=bool), seed).rank == rank(dense(system).tolist())


def test_a_combination_adds_up() -> None:
    domain = Domain.of({"A": ["x", "y", "z"]})
    pairs = [({"A": ["x", "y"]}, 3), ({"A": ["y", "z"]}, 5), ({"A": ["x", "z"]}, 4)]
    release = Release(domain, tuple(Statistic.exact(Predicate.of(where), count) for where, count in pairs))
    system = compile_release(release)
    space = RowSpace(system, np.ones(system.cells, dtype=bool))
    inside, _ = system.footprint(Predicate.of({"A": "x"}))
    combination = space.express(inside)
    assert combination is not None
    assert combination.denominator == 2
    assert combination.value(system) == 1  # (3 + 4 - 5) / 2
    with pytest.raises(ArithmeticError):
        Combination(combination.multipliers, 5).value(system)


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 5), st.data())
def test_modular_elimination(size: int, data: st.DataObject) -> None:
    square = np.array([[data.draw(st.integers(0, 3)) for _ in range(size)] for _ in range(size)], dtype=np.int64)
    reduced, pivots = eliminate(square)
    assert len(pivots) == rank(square.tolist())
    for row, column in enumerate(pivots):
        assert reduced[:, column].tolist() == [int(i == row) for i in range(size)]
    if len(pivots) == size:
        point = np.array([data.draw(st.integers(0, 9)) for _ in range(size)], dtype=np.int64)
        assert (solve_modular(square, square @ point % PRIME) == point).all()
