"""A solver that is missing is an error with its remedy; nothing is imported before it is asked for."""

from __future__ import annotations

import subprocess
import sys

import pytest

from foregone import InputError
from foregone.solvers.ip import registry


def test_unknown_and_missing_solvers_say_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match="not a solver"):
        registry.load("abacus")
    monkeypatch.setitem(registry.SOLVERS, "scip", registry.Registered("foregone.solvers.ip.scip", "no_such_package", "scip"))
    with pytest.raises(InputError, match=r"pip install 'foregone\[scip\]'"):
        registry.load("scip")


def test_a_broken_installation_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry.SOLVERS, "scip", registry.Registered("foregone.solvers.no_such_module", "numpy", "scip"))
    with pytest.raises(InputError, match="cannot be loaded"):
        registry.load("scip")


def test_solvers_are_loaded_lazily() -> None:
    code = (
        "import sys; import foregone.solvers.ip.registry, foregone.onehot.audit, foregone.cli.app;"
        "print([m for m in ('ortools', 'pyscipopt', 'gurobipy') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "[]"
