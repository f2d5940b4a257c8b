"""Foregone conclusions: what your published tables already give away about individual people.

A release (published counts) is turned into an exact linear system over the kinds of record still possible; witnesses
(datasets that fit) propose claims; exact arithmetic decides each one. Data flow one way through the package:

    files -> formats -> Release -> engine.system -> witnesses, candidates, verdicts -> questions -> Audit, Finding, ...

From top to bottom; each package imports only packages below it (CONTRIBUTING.md has the graph, a test keeps it true):

cli/        the commands
study/      the paper's evaluation on a sample of blocks
census/     households, blocks and unit files; the published tables as data; a synthetic country
pages/      web pages about one release or many; thresholds, results for machines
batch/      many releases on one machine or a cluster; parts that are whole or absent; queries
questions/  audit, verify, bounds, possible, unique, generate, conflict, explain, proofs
onehot/     the paper's own method, one integer program per claim
engine/     system (release to integers), witnesses, bounds, claims: how claims are decided
formats/    release folders, tables of releases, data frames, claims files
checker/    confirms proofs; standard library only and nothing of the other packages
solvers/    the only place that knows a solver: lp for the engine, ip with an adapter each for onehot
model/      the nouns: domain, predicate, statement, workload, release, dataset, claim, audit, errors
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from foregone.model.audit import Audit, Fact
from foregone.model.claim import Claim, Finding, Ground, Verdict
from foregone.model.dataset import Dataset
from foregone.model.domain import Column, Domain
from foregone.model.errors import ContradictionError, ForegoneError, InputError, TooLargeError, UndecidedError
from foregone.model.predicate import Predicate
from foregone.model.release import Release
from foregone.model.statement import Statistic
from foregone.model.workload import Query, Workload

if TYPE_CHECKING:
    from foregone.checker.check import check
    from foregone.formats.frames import tabulate
    from foregone.questions.audit import audit
    from foregone.questions.explain import explain
    from foregone.questions.generate import generate
    from foregone.questions.proofs import proofs
    from foregone.questions.unique import unique
    from foregone.questions.verify import bounds, verify

__version__ = "0.1.0"

# The engine needs NumPy and a solver; they are loaded when first used, so that importing the nouns stays quick.
_LATER = {
    "audit": "foregone.questions.audit",
    "bounds": "foregone.questions.verify",
    "verify": "foregone.questions.verify",
    "generate": "foregone.questions.generate",
    "unique": "foregone.questions.unique",
    "tabulate": "foregone.formats.frames",
    "explain": "foregone.questions.explain",
    "proofs": "foregone.questions.proofs",
    "check": "foregone.checker.check",
}

__all__ = [
    "Audit",
    "Claim",
    "Column",
    "ContradictionError",
    "Dataset",
    "Domain",
    "Fact",
    "Finding",
    "ForegoneError",
    "Ground",
    "InputError",
    "Predicate",
    "Query",
    "Release",
    "Statistic",
    "TooLargeError",
    "UndecidedError",
    "Verdict",
    "Workload",
    "audit",
    "bounds",
    "check",
    "explain",
    "generate",
    "proofs",
    "tabulate",
    "unique",
    "verify",
]


def __getattr__(name: str) -> Any:
    if name in _LATER:
        return getattr(import_module(_LATER[name]), name)
    raise AttributeError(f"module 'foregone' has no attribute {name!r}")
