"""The lower bound of a search, proved in whole numbers where that is possible."""

from __future__ import annotations

from collections.abc import Sequence

from foregone.protection.attack import Explanation
from foregone.protection.covering_proof import CoveringProof, Node
from foregone.protection.search import Found
from foregone.solvers.cover import Covering
from foregone.solvers.deadline import Deadline

PROOF_SECONDS = 20.0


def unconditional(found: Found) -> list[Explanation]:
    """The explanations that hold for every choice: a proof in whole numbers can only use these."""
    return [explanation for explanation in found.explanations if not explanation.given]


def bound_proof(costs: Sequence[int], found: Found) -> Node | None:
    """A proof that no choice that meets every explanation costs less than the bound; None when none was found."""
    clauses = [explanation.clause for explanation in unconditional(found)]
    deadline = Deadline.after(PROOF_SECONDS)
    if len(clauses) < len(found.explanations):  # the others may be what the bound rests on
        covering = Covering(costs)
        for clause in clauses:
            covering.add(clause)
        choice = covering.cheapest(deadline)
        if choice is None or choice.bound < found.lower:
            return None
    return CoveringProof(costs, clauses, found.lower, deadline).tree()
