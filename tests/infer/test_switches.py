"""Sizes at which the engine changes its method: whichever method is used, the verdicts are the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foregone import Dataset, Release
from foregone.compile import live, zeros
from foregone.compile.system import compile_release
from foregone.infer import candidates, dive, extents, facts, moves, prover
from foregone.solvers import highs
from foregone.solvers.answer import Answer, Feasible, Infeasible, Undecided
from foregone.solvers.highs import Relaxation, integer_point
from tests.strategies import releases
from tests.test_planted_bugs import disagreements

SWITCHES: dict[str, list[tuple[Any, str, Any]]] = {
    "cells are priced in one at a time": [(highs, "WORKING_SET", 2), (highs, "BATCH", 1), (prover, "WORKING_SET", 2)],
    "dives never call the integer solver": [(dive, "SMALL", -1)],
    "no corners before the first dive": [(prover, "CORNERS", 0)],
    "few moves": [(moves, "MAX_PAIRS", 1), (moves, "MAX_FREE", 1), (facts, "WALK", 1), (facts, "HUNTED", 1)],
    "forms by formula": [(extents, "TABLE_WIDTH", 0)],
    "witnesses in small batches": [(candidates, "BATCH", 1)],
    "records joined in small chunks": [(live, "CHUNK", 1)],
    "no tables of zeros": [(zeros, "GRID_LIMIT", 1), (zeros, "IMPLIED_LIMIT", 0)],
}


@pytest.mark.parametrize("name", SWITCHES)
def test_switch_changes_no_verdict(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for module, constant, value in SWITCHES[name]:
        assert hasattr(module, constant)
        monkeypatch.setattr(module, constant, value)
    assert list(disagreements(step=3)) == []


SILENT: dict[str, Callable[..., Answer]] = {
    "no integer solver": lambda *_, **__: Undecided("switched off"),
    "integer solver finds nothing": lambda system, *_, **__: Infeasible(np.zeros(system.rows)),
}


@pytest.mark.parametrize("name", SILENT)
def test_the_integer_solver_only_saves_time(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its word is never taken: a search decides everything without it, and when it wrongly says there is no point."""
    defaults = prover.Prover.__init__.__defaults__
    assert defaults is not None
    monkeypatch.setattr(prover.Prover.__init__, "__defaults__", (defaults[0], SILENT[name], *defaults[2:]))
    assert list(disagreements(step=3)) == []


@settings(max_examples=60, deadline=None)
@given(pair=releases(), seed=st.integers(0, 1000))
def test_priced_and_whole_relaxations_agree(pair: tuple[Release, Dataset], seed: int) -> None:
    system = compile_release(pair[0])
    objective = np.random.default_rng(seed).integers(-3, 4, system.cells).astype(float)
    whole = Relaxation(system).maximise(objective)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(highs, "WORKING_SET", 1)
        patch.setattr(highs, "BATCH", 1)
        priced = Relaxation(system).maximise(objective)
    assert isinstance(whole, Feasible)
    assert isinstance(priced, Feasible)
    assert abs(whole.value - priced.value) < 1e-6
    point = integer_point(system, objective)
    assert isinstance(point, Feasible)
    assert point.value <= whole.value + 1e-6
    assert system.consistent(np.bincount(np.repeat(point.cells, point.counts.astype(int)), minlength=system.cells))


@settings(max_examples=40, deadline=None)
@given(pair=releases(), data=st.data())
def test_a_relaxation_forgets_the_bounds_of_the_last_question(pair: tuple[Release, Dataset], data: st.DataObject) -> None:
    system = compile_release(pair[0])
    relaxation = Relaxation(system)
    objective = np.ones(system.cells)
    before = relaxation.maximise(objective)
    cell = data.draw(st.integers(0, system.cells - 1))
    relaxation.maximise(objective, {cell: (99, None)})
    held = relaxation.maximise(objective, {cell: (0, 0)})
    after = relaxation.maximise(objective)
    assert isinstance(before, Feasible)
    assert isinstance(after, Feasible)
    assert abs(before.value - after.value) < 1e-6
    if isinstance(held, Feasible):
        assert cell not in held.cells
        assert held.value <= before.value + 1e-6
