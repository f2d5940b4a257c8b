"""Sizes at which the engine changes its method: whichever method is used, the verdicts are the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from foregone.engine.bounds import branching, prover
from foregone.engine.claims import audit_loop as facts
from foregone.engine.claims import buckets_of_claim as extents
from foregone.engine.claims import closed_sets as candidates
from foregone.engine.claims import doubtful_buckets
from foregone.engine.claims import walks as explore
from foregone.engine.system import implied, live, zeros
from foregone.engine.witnesses import moves
from foregone.engine.witnesses import rounding as dive
from foregone.solvers import lp as highs
from foregone.solvers.answer import Answer, Infeasible, Undecided
from tests.engine.test_planted_bugs import disagreements

pytestmark = pytest.mark.slow
SWITCHES: dict[str, list[tuple[Any, str, Any]]] = {
    "buckets are priced in one at a time": [(highs, "WORKING_SET", 2), (highs, "BATCH", 1), (prover, "WORKING_SET", 2)],
    "dives never call the integer solver": [(dive, "SMALL", -1)],
    "no corners before the first dive": [(prover, "CORNERS", 0)],
    "few moves": [(moves, "MAX_PAIRS", 1), (moves, "MAX_FREE", 1), (facts, "WALK", 1), (explore, "FAN", 1), (explore, "HUNTED", 1)],
    "doubtful buckets one by one": [(doubtful_buckets, "AT_ONCE", False)],
    "no derived rows": [(prover, "ROUNDS", 0)],
    "no tree about all doubtful buckets": [(doubtful_buckets, "NODES", 0)],
    "buckets are split on before sums": [(branching, "CLEARLY", 1.0)],
    "sums are split on before buckets": [(branching, "CLEARLY", 0.0)],
    "no shaving before the first dataset": [(prover, "SHAVED", 0)],
    "rounding is given up at once": [(prover, "LUCK", 0)],
    "levels listed, not tabulated": [(extents, "TABLE", 1)],
    "claims compared one at a time": [(extents, "TOGETHER", 0)],
    "witnesses in small batches": [(candidates, "BATCH", 1)],
    "sets grown with one witness": [(candidates, "FEW", 1), (candidates, "TOGETHER", 1)],
    "records joined in small chunks": [(live, "CHUNK", 1)],
    "boxes compared all at once": [(implied, "FEW", 0)],
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
