"""Which solvers there are, which of them are installed, and how to get the others. None is imported before it is used."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import cast

from foregone.model.errors import InputError
from foregone.solvers.ip.outcome import Adapter


@dataclass(frozen=True, slots=True)
class Registered:
    """Where an adapter lives and which package it needs; `extra` is empty when the core brings it along."""

    module: str
    package: str
    extra: str


SOLVERS = {
    "highs": Registered("foregone.solvers.ip.highs", "highspy", ""),
    "cpsat": Registered("foregone.solvers.ip.cpsat", "ortools", "cpsat"),
    "scip": Registered("foregone.solvers.ip.scip", "pyscipopt", "scip"),
    "gurobi": Registered("foregone.solvers.ip.gurobi", "gurobipy", "gurobi"),
}


def installed(name: str) -> bool:
    return find_spec(SOLVERS[name].package) is not None


def remedy(name: str) -> str:
    """The command that installs a solver."""
    extra = SOLVERS[name].extra
    return f"pip install 'foregone[{extra}]'" if extra else "pip install foregone"


def load(name: str) -> Adapter:
    """The adapter of that name; a solver that is missing or broken is an error that says how to install it.

    >>> load("highs").name
    'highs'
    """
    if name not in SOLVERS:
        raise InputError(f"{name!r} is not a solver ({', '.join(SOLVERS)}); use one of these")
    if not installed(name):
        raise InputError(f"the solver {name} is not installed; install it with: {remedy(name)}")
    try:
        return cast(Adapter, import_module(SOLVERS[name].module).ADAPTER)
    except ImportError as error:
        raise InputError(f"the solver {name} cannot be loaded ({error}); install it again with: {remedy(name)}") from error
