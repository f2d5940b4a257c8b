"""The solver adapter: priced and whole relaxations agree, points fit, and no question leaves a trace."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foregone import Dataset, Release
from foregone.engine.system.linear import compile_release
from foregone.engine.witnesses.rounding import rounded
from foregone.solvers import lp as highs
from foregone.solvers.answer import Feasible, Undecided
from foregone.solvers.deadline import TIME_OUT, Deadline
from foregone.solvers.highs import Ending, HighsModel
from foregone.solvers.lp import Relaxation
from foregone.solvers.whole import integer_point
from tests.strategies import releases


@settings(max_examples=60, deadline=None)
@given(pair=releases(), seed=st.integers(0, 1000))
def test_priced_and_whole_relaxations_agree(pair: tuple[Release, Dataset], seed: int) -> None:
    system = compile_release(pair[0])
    objective = np.random.default_rng(seed).integers(-3, 4, system.buckets).astype(float)
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
    assert system.consistent([rounded(point)]) == [True]


@settings(max_examples=40, deadline=None)
@given(pair=releases(), data=st.data())
def test_a_relaxation_forgets_the_bounds_of_the_last_question(pair: tuple[Release, Dataset], data: st.DataObject) -> None:
    system = compile_release(pair[0])
    relaxation = Relaxation(system)
    objective = np.ones(system.buckets)
    before = relaxation.maximise(objective)
    bucket = data.draw(st.integers(0, system.buckets - 1))
    relaxation.maximise(objective, {bucket: (99, None)})
    held = relaxation.maximise(objective, {bucket: (0, 0)})
    after = relaxation.maximise(objective)
    assert isinstance(before, Feasible)
    assert isinstance(after, Feasible)
    assert abs(before.value - after.value) < 1e-6
    if isinstance(held, Feasible):
        assert bucket not in held.buckets
        assert held.value <= before.value + 1e-6


@settings(max_examples=20, deadline=None)
@given(pair=releases())
def test_no_time_is_no_answer(pair: tuple[Release, Dataset]) -> None:
    system = compile_release(pair[0])
    assert isinstance(Relaxation(system).maximise(np.ones(system.buckets), deadline=Deadline.after(0)), Undecided)


def test_a_model_grows_changes_and_says_how_each_run_ended() -> None:
    """The least x + y with x + 2y >= 3 and both at most 2, then in whole numbers, with a third column, without a point."""
    model = HighsModel(presolve="off")
    model.add_rows([3.0], [np.inf])
    columns = model.add_columns(2, cost=1.0, high=2.0, sizes=[1, 1], rows=[0, 0], values=[1.0, 2.0])
    assert model.run(Deadline()) is Ending.OPTIMAL
    assert (model.cost, model.point.tolist(), model.duals.tolist()) == (1.5, [0.0, 1.5], [0.5])
    assert model.run(Deadline.after(0)) is Ending.NO_ANSWER
    assert not model.has_point  # that of the run before does not count
    assert model.no_answer == Undecided(TIME_OUT)
    model.set_whole(columns)
    assert model.run(Deadline()) is Ending.OPTIMAL
    assert (model.cost, model.bound) == (2.0, 2.0)
    third = model.add_columns(1, cost=-1.0, sizes=[1], rows=[0], values=[-1.0])
    model.set_whole(columns, False)
    assert model.run(Deadline()) is Ending.OPTIMAL
    assert model.point.tolist() == [0.0, 2.0, 1.0]
    model.add_rows([5.0], [np.inf], [2], third.tolist() + columns[:1].tolist(), [1.0, 1.0])
    model.set_bounds(third, 0.0, 2.0)
    assert model.run(Deadline()) is Ending.INFEASIBLE
    assert model.ray.any()
    model.set_limits(np.array([0, 1], dtype=np.int32), np.array([-np.inf, 0.0]), np.full(2, np.inf))
    model.set_bounds(third, 0.0, np.inf)
    assert model.run(Deadline()) is Ending.ENDLESS


def test_what_highs_refuses_is_not_left_out_in_silence() -> None:
    model = HighsModel()
    columns = model.add_columns(1)
    with pytest.raises(AssertionError, match="refuses the model"):
        model.add_rows([0.0], [1.0], [1], columns, [1e300])
