"""Foregone conclusions: what your published tables already give away about individual people.

A release (published counts) is turned into an exact linear system over the kinds of record still possible; witnesses
(datasets that fit) propose claims; exact arithmetic decides each one. Data flow one way through the package:

    files -> formats -> Release -> engine.system -> witnesses, candidates, verdicts -> questions -> Audit, Finding, ...

From top to bottom; each package imports only packages below it (CONTRIBUTING.md has the graph, a test keeps it true):

cli/        the commands: options in, lines and an exit status out
workbench/  the pages and answers that `foregone serve` gives a browser on this machine
workflows/  what a command does, from files to files: audit, what-if, report, protect, check, join, run
evaluation/ the paper's evaluation on a sample of blocks
census/     households, blocks and unit files; the published tables as data; a synthetic country
pages/      web pages about one release or many; outcomes, results for machines
batch/      many releases on one machine or a cluster; parts that are whole or absent; queries
counting/   how many datasets fit, and in what share of them a claim holds
tables/     spreadsheets, lists and statistical files become a release; two releases become one
protection/ provably the least to withhold
publishing/ imported files written back, marked, and read again
policy/     the one judge of policies: kept, broken or undecided
questions/  audit, verify, bounds, intervals, possible, unique, generate, conflict, explain, proofs
onehot/     the paper's own method, one integer program per claim
engine/     system (release to integers), witnesses, bounds, claims: how claims are decided
rules/      release rules as data: what a shown value can mean
formats/    release folders, tables of releases, data frames, claims files
vipr/       proofs as certificates for other people's checkers; stands on the checker
checker/    confirms proofs; standard library only and nothing of the other packages
solvers/    the only place that knows a solver: lp for the engine, ip with an adapter each for onehot
workers/    processes and clusters that do jobs; one that dies loses none
model/      the nouns: domain, predicate, statement, workload, release, dataset, claim, audit, errors
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from foregone.model import storage
from foregone.version import __version__

if TYPE_CHECKING:
    from foregone.checker import Checked
    from foregone.counting.answer import count_datasets, likely
    from foregone.counting.found import ClaimShare, Likely
    from foregone.engine import Case, Explanation, Generated, Uniqueness, proofs
    from foregone.formats.frames import tabulate
    from foregone.model.audit import Audit, Fact
    from foregone.model.claim import Claim, Finding, Ground, Possibility, Verdict
    from foregone.model.dataset import Dataset
    from foregone.model.domain import Column, Domain
    from foregone.model.errors import ContradictionError, ForegoneError, InputError, TooLargeError, UndecidedError
    from foregone.model.figure import Figure, Measure
    from foregone.model.intervals import Interval, Intervals
    from foregone.model.policy import Knowledge, Policy, Primary
    from foregone.model.predicate import Predicate
    from foregone.model.protection import Protection
    from foregone.model.release import Release
    from foregone.model.statement import Statement, Statistic
    from foregone.model.workload import Query, Workload
    from foregone.pages.write import Written
    from foregone.protection.protect import protect
    from foregone.questions.ask import audit, bounds, explain, generate, intervals, possible, unique, verify
    from foregone.questions.baseline import baseline
    from foregone.questions.compare import Comparison, compare
    from foregone.questions.link import Linked, link
    from foregone.rules.registry import under_rule
    from foregone.tables.importing import Imported, read_tables
    from foregone.tables.joining import Joined, join
    from foregone.workflows.check import check
    from foregone.workflows.report import report
    from foregone.workflows.research import Run, Study, query, run, study

# Everything is loaded when it is first used: the engine needs NumPy and a solver, and a command that says its version does not.
_LATER = {
    "Audit": "foregone.model.audit",
    "audit": "foregone.questions.ask",
    "baseline": "foregone.questions.baseline",
    "bounds": "foregone.questions.ask",
    "check": "foregone.workflows.check",
    "Checked": "foregone.checker",
    "Case": "foregone.engine",
    "Claim": "foregone.model.claim",
    "compare": "foregone.questions.compare",
    "Comparison": "foregone.questions.compare",
    "ClaimShare": "foregone.counting.found",
    "Column": "foregone.model.domain",
    "ContradictionError": "foregone.model.errors",
    "count_datasets": "foregone.counting.answer",
    "Dataset": "foregone.model.dataset",
    "Domain": "foregone.model.domain",
    "explain": "foregone.questions.ask",
    "Explanation": "foregone.questions.ask",
    "Fact": "foregone.model.audit",
    "Figure": "foregone.model.figure",
    "Finding": "foregone.model.claim",
    "ForegoneError": "foregone.model.errors",
    "generate": "foregone.questions.ask",
    "Generated": "foregone.questions.ask",
    "Ground": "foregone.model.claim",
    "Imported": "foregone.tables.importing",
    "InputError": "foregone.model.errors",
    "Interval": "foregone.model.intervals",
    "Intervals": "foregone.model.intervals",
    "intervals": "foregone.questions.ask",
    "join": "foregone.tables.joining",
    "Joined": "foregone.tables.joining",
    "Knowledge": "foregone.model.policy",
    "Likely": "foregone.counting.found",
    "likely": "foregone.counting.answer",
    "link": "foregone.questions.link",
    "Linked": "foregone.questions.link",
    "Measure": "foregone.model.figure",
    "Policy": "foregone.model.policy",
    "Possibility": "foregone.model.claim",
    "possible": "foregone.questions.ask",
    "Predicate": "foregone.model.predicate",
    "Primary": "foregone.model.policy",
    "proofs": "foregone.engine",
    "protect": "foregone.protection.protect",
    "Protection": "foregone.model.protection",
    "Query": "foregone.model.workload",
    "query": "foregone.workflows.research",
    "Run": "foregone.workflows.research",
    "run": "foregone.workflows.research",
    "Study": "foregone.workflows.research",
    "study": "foregone.workflows.research",
    "read_tables": "foregone.tables.importing",
    "Release": "foregone.model.release",
    "report": "foregone.workflows.report",
    "Statement": "foregone.model.statement",
    "Statistic": "foregone.model.statement",
    "tabulate": "foregone.formats.frames",
    "TooLargeError": "foregone.model.errors",
    "UndecidedError": "foregone.model.errors",
    "under_rule": "foregone.rules.registry",
    "unique": "foregone.questions.ask",
    "Uniqueness": "foregone.questions.ask",
    "Verdict": "foregone.model.claim",
    "verify": "foregone.questions.ask",
    "Workload": "foregone.model.workload",
    "Written": "foregone.pages.write",
}

__all__ = [
    "Audit",
    "Case",
    "Checked",
    "Claim",
    "ClaimShare",
    "Column",
    "Comparison",
    "ContradictionError",
    "Dataset",
    "Domain",
    "Explanation",
    "Fact",
    "Figure",
    "Finding",
    "ForegoneError",
    "Generated",
    "Ground",
    "Imported",
    "InputError",
    "Interval",
    "Intervals",
    "Joined",
    "Knowledge",
    "Likely",
    "Linked",
    "Measure",
    "Policy",
    "Possibility",
    "Predicate",
    "Primary",
    "Protection",
    "Query",
    "Release",
    "Run",
    "Statement",
    "Statistic",
    "Study",
    "TooLargeError",
    "UndecidedError",
    "Uniqueness",
    "Verdict",
    "Workload",
    "Written",
    "__version__",
    "audit",
    "baseline",
    "bounds",
    "check",
    "compare",
    "count_datasets",
    "explain",
    "generate",
    "intervals",
    "join",
    "likely",
    "link",
    "possible",
    "proofs",
    "protect",
    "query",
    "read_tables",
    "report",
    "run",
    "study",
    "tabulate",
    "under_rule",
    "unique",
    "verify",
]


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module 'foregone' has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(_LATER[name]), name)
    return found


def __dir__() -> list[str]:
    """Nouns, verbs and results; the packages they are made of are for those who look for them."""
    return sorted(__all__)


# The nouns know no file formats; whoever imports the package has both.
storage.files = lambda: import_module("foregone.formats.folder")
