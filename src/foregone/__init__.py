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
census/    household tables as data, synthetic blocks, sentences
run/       plan, work, store, local, cluster, drive: many releases, parts that are whole or absent;
           folder, query, overview: what they found
report/    one page about a release, or about a run or a study; thresholds, results for machines
cli/       the commands
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from foregone.claim import Claim, Finding, Ground, Verdict
from foregone.dataset import Dataset
from foregone.domain import Column, Domain
from foregone.errors import ContradictionError, ForegoneError, InputError, TooLargeError, UndecidedError
from foregone.predicate import Predicate
from foregone.release import Release, Statistic
from foregone.workload import Query, Workload

if TYPE_CHECKING:
    from foregone.files.frames import tabulate
    from foregone.infer.audit import Audit, audit
    from foregone.infer.generate import generate
    from foregone.infer.proofs import proofs
    from foregone.infer.questions import bounds, verify
    from foregone.infer.unique import unique
    from foregone.trust.check import check
    from foregone.trust.explain import explain

__version__ = "0.1.0"

# The engine needs NumPy and a solver; they are loaded when first used, so that importing the nouns stays quick.
_LATER = {
    "audit": "foregone.infer.audit",
    "Audit": "foregone.infer.audit",
    "bounds": "foregone.infer.questions",
    "verify": "foregone.infer.questions",
    "generate": "foregone.infer.generate",
    "unique": "foregone.infer.unique",
    "tabulate": "foregone.files.frames",
    "explain": "foregone.trust.explain",
    "proofs": "foregone.infer.proofs",
    "check": "foregone.trust.check",
}

__all__ = [
    "Audit",
    "Claim",
    "Column",
    "ContradictionError",
    "Dataset",
    "Domain",
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
