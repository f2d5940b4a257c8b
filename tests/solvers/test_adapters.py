"""Every installed adapter against the library of problems."""

from __future__ import annotations

import numpy as np
import pytest

from foregone.solvers.answer import Undecided
from foregone.solvers.ip.outcome import NoPoint, Point, ask, ask_many
from foregone.solvers.ip.program import Draft
from foregone.solvers.ip.registry import load
from tests.solvers.adapters import ALWAYS_OUT, LIAR, NAMES, Crashes
from tests.solvers.problems import PROGRAMS, Problem, many, market_split


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("problem", PROGRAMS, ids=str)
def test_every_adapter_solves_the_library(name: str, problem: Problem) -> None:
    match ask(load(name), problem.program, 60):
        case Point(point=point):
            assert problem.feasible
            assert not problem.program.broken_by(point)
        case NoPoint():
            assert not problem.feasible
        case Undecided(reason=reason):
            pytest.fail(f"undecided: {reason}")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("problem", [p for p in PROGRAMS if p.solutions is not None], ids=str)
def test_every_adapter_finds_all_solutions_and_says_so(name: str, problem: Problem) -> None:
    chosen = np.arange(problem.program.variables)[None, :]
    assert problem.solutions is not None
    found = ask_many(load(name), problem.program, chosen, problem.solutions + 5, 60)
    assert found.complete is True, found.reason
    assert len({point.tobytes() for point in found.points}) == len(found.points) == problem.solutions
    if problem.solutions > 2:
        some = ask_many(load(name), problem.program, chosen, problem.solutions - 1, 60)
        assert len(some.points) == problem.solutions - 1
        assert not some.complete


@pytest.mark.parametrize("name", NAMES)
def test_a_time_limit_leaves_things_undecided(name: str) -> None:
    program = market_split()
    outcome = ask(load(name), program, 0.2)
    assert isinstance(outcome, Undecided)
    assert "time limit" in outcome.reason
    found = ask_many(load(name), program, np.arange(program.variables)[None, :], 3, 0.2)
    assert not found.points
    assert found.complete is None
    assert "time limit" in found.reason
    assert isinstance(ask(load(name), many().program, 0.0), Undecided)


@pytest.mark.parametrize("name", NAMES)
def test_declared_facts_are_readable(name: str) -> None:
    adapter = load(name)
    assert adapter.name == name
    assert adapter.version()[0].isdigit()
    assert adapter.licence()


def test_a_crash_a_lie_and_a_time_out_are_undecided() -> None:
    program = many().program
    chosen = np.arange(6)[None, :]
    for adapter in (Crashes(), LIAR, ALWAYS_OUT):
        outcome = ask(adapter, program)
        assert isinstance(outcome, Undecided)
        found = ask_many(adapter, program, chosen, 3)
        assert not found.points
        assert found.complete is None
        assert found.reason
    assert "not a solution" in str(ask(LIAR, program))


def test_outcomes_have_no_truth_value() -> None:
    for outcome in (Point(np.zeros(1, dtype=np.int64)), NoPoint(), Undecided("")):
        with pytest.raises(TypeError, match="truth"):
            bool(outcome)


def test_gurobi_says_that_the_free_licence_is_too_small() -> None:
    pytest.importorskip("gurobipy", reason="gurobi is not installed: pip install 'foregone[gurobi]'")
    adapter = load("gurobi")
    if adapter.licence() == "full":
        pytest.skip("a full licence has no limit to run into")
    draft = Draft()
    draft.row([(j, 1) for j in draft.variables(2001)], 1, None)
    outcome = ask(adapter, draft.program())
    assert isinstance(outcome, Undecided)
    assert "2,001 variables" in outcome.reason
    assert "cpsat" in outcome.reason


def test_highs_and_cpsat_share_a_process() -> None:
    """Newer HiGHS and OR-Tools carry two versions of one library; the pins keep to a pair that works together."""
    pytest.importorskip("ortools", reason="cpsat is not installed: pip install 'foregone[cpsat]'")
    program = many().program
    for name in ("highs", "cpsat", "highs", "cpsat"):
        assert isinstance(ask(load(name), program, 60), Point)


def test_points_are_checked_in_exact_integers() -> None:
    """A coefficient that a float sum would swallow: 2^39 x - 2^39 y + z is not 0 when z is 1."""
    draft = Draft()
    x, y = draft.variables(2, 0, 1 << 39)
    z = draft.variables(1)[0]
    draft.row([(x, 1 << 39), (y, -(1 << 39)), (z, 1)], 0, 0)
    program = draft.program()
    point = np.array([1 << 39, 1 << 39, 1], dtype=np.int64)
    assert "row 0 is 1" in program.broken_by(point)
    point[2] = 0
    assert program.broken_by(point) == ""
    assert "outside" in program.broken_by(np.array([-1, 0, 0]))
    assert "values for" in program.broken_by(np.array([0]))
