"""Foregone conclusions: what your published tables already give away about individual people.

A release (published counts) is compiled into an exact linear system over the kinds of record still possible; witnesses
(datasets that fit) propose claims; exact arithmetic decides each one. Data flow one way through the package:

    files -> Release -> compile -> LinearSystem -> infer (witnesses, candidates, verdicts) -> Audit, Finding

nouns      domain, predicate, workload, release, dataset, claim, errors
compile/   blueprint, atoms, zeros, implied, live, system: from published numbers to integers
solvers/   answer, highs: the only place that knows a solver; program, outcome, registry and an adapter each for onehot/
infer/     pool, moves, dive, certify, rowspace, prover, explore, candidates, extents, forms, facts: how claims are decided;
           audit, proofs, questions, unique, generate, conflict: what people ask
onehot/    model, generate, verify, audit: the paper's own method, one integer program per claim
trust/     world, check, complete (standard library only), explain, surprise: why anyone should believe it
files/     release folders, tables of releases, data frames, claims files
census/    subjects (household tables, sentences and rules as data), geography, unit files, a synthetic country
study/     the paper's evaluation
batch/     plan, part, store, local, cluster, dispatch: many releases, parts that are whole or absent;
           run_folder, query, overview: what they found
pages/     one page about a release, or about a run or a study; thresholds, results for machines
cli/       the commands
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
from foregone.version import __version__

if TYPE_CHECKING:
    from foregone.checker.check import check
    from foregone.formats.frames import tabulate
    from foregone.questions.audit import audit
    from foregone.questions.explain import explain
    from foregone.questions.generate import generate
    from foregone.questions.proofs import proofs
    from foregone.questions.unique import unique
    from foregone.questions.verify import bounds, verify

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
    "__version__",
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
