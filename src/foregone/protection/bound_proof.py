"""The lower bound of a search, proved in whole numbers where that is possible."""

from __future__ import annotations

from collections.abc import Sequence

from foregone.checker.verdicts.choice import Clause
from foregone.protection.covering_proof import CoveringProof, Node
from foregone.protection.search import Found
from foregone.solvers.deadline import Deadline

PROOF_SECONDS = 20.0


def bound_proof(costs: Sequence[int], found: Found) -> Node | None:
    """A proof that no choice that meets every explanation costs less than the bound; None when none was found."""
    clauses = [Clause(explanation.given, explanation.clause) for explanation in found.explanations]
    return CoveringProof(costs, clauses, found.lower, Deadline.after(PROOF_SECONDS)).tree()
