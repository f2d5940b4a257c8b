"""Linear combinations of statistics, against elimination with fractions."""

from __future__ import annotations

from fractions import Fraction
from time import process_time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from foregone import Dataset, Domain, Predicate, Release, Statistic
from foregone.engine.bounds import rowspace as rowspace_module
from foregone.engine.bounds.rowspace import Combination, RowSpace
from foregone.engine.system.linear import compile_release
from foregone.solvers.exact import PRIME, Echelon, independent, solve_modular
from tests.engine.systems import dense
from tests.strategies import releases, weighted_releases
from tests.suppressed import suppressed_table

Bools = NDArray[np.bool_]


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
@pytest.mark.parametrize("few", [rowspace_module.FEW_ROWS, 0], ids=["few rows", "many rows"])
@settings(max_examples=150, deadline=None)
@given(st.one_of(releases(), weighted_releases()), st.data())
def test_express_equals_elimination_with_fractions(few: int, pair: tuple[Release, Dataset], data: st.DataObject) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rowspace_module, "FEW_ROWS", few)
        compare_with_fractions(pair, data)


def compare_with_fractions(pair: tuple[Release, Dataset], data: st.DataObject) -> None:
    system = compile_release(pair[0])
    kept = np.array([data.draw(st.integers(0, 3)) > 0 for _ in range(system.buckets)], dtype=bool)
    space = RowSpace(system, kept)
    exact = np.flatnonzero((system.low == system.high) & (system.low_source == system.high_source))
    rows = dense(system)[exact][:, kept].tolist()
    assert space.rank == rank(rows)
    if data.draw(st.booleans()):
        functional = np.array([data.draw(st.booleans()) for _ in range(system.buckets)], dtype=bool)
    else:  # a union of rows is often in the span
        functional = dense(system)[data.draw(st.integers(0, system.rows - 1))].astype(bool)
    combination = space.express(functional)
    wanted = functional[kept].astype(int).tolist()
    assert (combination is not None) == (rank([*rows, wanted]) == rank(rows))
    if combination is not None:
        assert set(np.flatnonzero(combination.multipliers)) <= set(exact.tolist())
        made = dense(system).T @ combination.multipliers
        assert (made[kept] == combination.denominator * functional[kept]).all()


@pytest.mark.parametrize("few", [rowspace_module.FEW_ROWS, 0], ids=["few rows", "many rows"])
@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000))
def test_wide_systems_are_sampled_without_loss(few: int, seed: int) -> None:
    """With many more buckets than rows only some buckets are looked at first; the span must still be complete."""
    rng = np.random.default_rng(seed)
    domain = Domain.of({"A": [str(v) for v in range(12)], "B": [str(v) for v in range(12)]})
    chosen = [Statistic.exact(Predicate(), 9)]
    for _ in range(5):
        a = [str(v) for v in np.flatnonzero(rng.random(12) < 0.3)] or ["0"]
        b = [str(v) for v in np.flatnonzero(rng.random(12) < 0.3)] or ["0"]
        chosen.append(Statistic.exact(Predicate.of({"A": a, "B": b}), 1))
    system = compile_release(Release(domain, tuple(chosen)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rowspace_module, "FEW_ROWS", few)
        patch.setattr(rowspace_module, "SAMPLE", 0)
        patch.setattr(rowspace_module, "FEW_BUCKETS", 20)
        assert RowSpace(system, np.ones(system.buckets, dtype=bool), seed=seed).rank == rank(dense(system).tolist())


def test_a_combination_adds_up() -> None:
    domain = Domain.of({"A": ["x", "y", "z"]})
    pairs = [({"A": ["x", "y"]}, 3), ({"A": ["y", "z"]}, 5), ({"A": ["x", "z"]}, 4)]
    release = Release(domain, tuple(Statistic.exact(Predicate.of(where), count) for where, count in pairs))
    system = compile_release(release)
    space = RowSpace(system, np.ones(system.buckets, dtype=bool))
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
    rows, columns = independent(square)
    assert len(rows) == len(columns) == rank(square.tolist()) == rank(square[np.ix_(rows, columns)].tolist())
    assert rows == [i for i in range(size) if rank(square[: i + 1].tolist()) > rank(square[:i].tolist())]
    if len(rows) == size:
        point = np.array([data.draw(st.integers(0, 9)) for _ in range(size)], dtype=np.int64)
        assert (solve_modular(square, square @ point % PRIME) == point).all()


@settings(max_examples=150, deadline=None)
@given(st.integers(1, 5), st.integers(1, 6), st.data())
def test_sparse_elimination(height: int, width: int, data: st.DataObject) -> None:
    """Which rows are independent, what is a combination of them and how, and what no row notices: beside fractions."""
    numbers = st.sampled_from([0, 0, 1, 1, -1, 2, 7, 10**15])
    rows = [[data.draw(numbers) for _ in range(width)] for _ in range(height)]
    target = [data.draw(numbers) for _ in range(width)]
    if data.draw(st.booleans()):
        target = [sum(column) for column in zip(*rows, strict=True)]
    echelon = Echelon({i: sparse(row) for i, row in enumerate(rows)})
    assert echelon.rows == [i for i in range(height) if rank(rows[: i + 1]) > rank(rows[:i])]
    found = echelon.express(sparse(target))
    assert echelon.contains(sparse(target)) == (found is not None) == (rank([*rows, target]) == rank(rows))
    if found is not None:
        times, over = found
        assert [sum(n * rows[i][c] for i, n in times.items()) for c in range(width)] == [over * n for n in target]
    free = {c: data.draw(st.integers(1, 99)) for c in range(width)}
    change = echelon.orthogonal(free)
    assert all(sum(change[c] * row[c] for c in range(width)) == 0 for row in rows)
    assert (rank(rows) == width) == (not any(change.values()))


def sparse(row: list[int]) -> dict[int, int]:
    return {c: n for c, n in enumerate(row) if n}


@settings(max_examples=100, deadline=None)
@given(st.integers(1, 5), st.integers(1, 6), st.data())
def test_residues_say_the_same_as_fractions(height: int, width: int, data: st.DataObject) -> None:
    numbers = st.sampled_from([0, 0, 1, 1, -1, 2, 7])
    rows = {i: sparse([data.draw(numbers) for _ in range(width)]) for i in range(height)}
    target = sparse([data.draw(numbers) for _ in range(width)])
    exact, modular = Echelon(rows), Echelon(rows, modular=True)
    assert exact.rows == modular.rows
    assert exact.express(target) == modular.express(target)
    some = {c: sum(n * rows[i].get(c, 0) for i, n in enumerate([3, 1, 4, 1, 5][:height])) for c in range(width)}
    assert exact.express(sparse(list(some.values()))) == modular.express(sparse(list(some.values())))


def test_large_tables_are_eliminated_in_moments() -> None:
    """All two-way tables of 40 x 20 x 4: 1,105 rows of rank 977, whose exact inverse would take many seconds."""
    table = suppressed_table((40, 20, 4), 0, 231_080)
    system = compile_release(Release(table.domain, [s for s in table.statistics if len(s.predicate) < 3]))
    begin = process_time()
    space = RowSpace(system, np.ones(system.buckets, dtype=bool))
    assert process_time() - begin < 15
    assert space.rank == 977
    inside, _ = system.footprint(Predicate.of({"C0": ["v0", "v1"], "C1": "v3"}))
    combination = space.express(inside)
    assert combination is not None
    assert combination.denominator == 1
    assert sorted(combination.multipliers[combination.multipliers != 0].tolist()) == [1, 1]
    assert space.express(system.footprint(Predicate.of({"C0": "v0", "C1": "v3", "C2": "v1"}))[0]) is None


def test_a_planted_entry_is_caught_by_the_check_on_all_buckets(monkeypatch: pytest.MonkeyPatch) -> None:
    """What elimination suggests is not believed: multipliers that are off by one make up another set of buckets."""
    system = compile_release(suppressed_table((4, 3), 0, 50))
    honest = Echelon.express

    def wrong(self: Echelon, entries: dict[int, int]) -> tuple[dict[int, int], int] | None:
        found = honest(self, entries)
        return None if found is None else ({row: times + 1 for row, times in found[0].items()}, found[1])

    monkeypatch.setattr(rowspace_module, "FEW_ROWS", 0)
    space = RowSpace(system, np.ones(system.buckets, dtype=bool))
    inside, _ = system.footprint(Predicate.of({"C0": "v0"}))
    assert space.express(inside) is not None
    monkeypatch.setattr(Echelon, "express", wrong)
    assert space.express(inside) is None
