"""The lower bound of a search, proved in whole numbers where that is possible."""

from __future__ import annotations

from collections.abc import Sequence

from foregone.checker.verdicts.choice import Clause
from foregone.protection.covering_proof import CoveringProof, Node
from foregone.protection.search import Found
from foregone.solvers.deadline import Deadline

PROOF_SECONDS = 20.0


def bound_proof(costs: Sequence[int], found: Found) -> Node | None:
    """A proof that no choice that meets every explanation costs less than the bound; None when none was found.

    Parts that have no action in common get a proof each, and what these show adds up.
    """
    clauses = [Clause(explanation.given, explanation.clause) for explanation in found.explanations]
    deadline = Deadline.after(PROOF_SECONDS)
    if not found.apart:
        return CoveringProof(costs, clauses, found.lower, deadline).tree()
    made = []
    for share in found.apart:
        if share.lower:
            place = {action: k for k, action in enumerate(share.actions)}
            own = [Clause(*(frozenset(place[a] for a in actions) for actions in clauses[e])) for e in share.explanations]
            tree = CoveringProof([costs[a] for a in share.actions], own, share.lower, deadline).tree()
            if tree is None:
                return None
            named = _named(tree, share.actions, share.explanations)
            made.append({"actions": list(share.actions), "bound": share.lower, "tree": named})
    return {"apart": made}


def _named(tree: Node, actions: Sequence[int], clauses: range) -> Node:
    """A tree about the actions and clauses of a part, as the whole numbers them."""
    if "item" in tree:
        below = {side: _named(tree[side], actions, clauses) for side in ("taken", "left")}
        return {"item": actions[tree["item"]], **below}
    if "unmet" in tree:
        return {"unmet": clauses[tree["unmet"]]}
    return {"pay": [[clauses[k], paid] for k, paid in tree["pay"]], "over": tree["over"]}
