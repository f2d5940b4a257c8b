"""A search tree: split until every part closes by an exact bound, or a whole point above the target turns up.

Where to split decides how large the tree grows: what looks most broken often leads nowhere. So several places are tried, one bound
to each side, and the one where both sides lose most is taken. This costs some bounds and saves most of the tree.
"""

from __future__ import annotations

from dataclasses import dataclass

from foregone.engine.bounds.branching import Branching, Place
from foregone.engine.bounds.knowledge import SystemKnowledge
from foregone.engine.bounds.trees import Exceeds, Form, Tree, TreeEither, TreeLeaf, TreeSplit
from foregone.model.statement import Limits
from foregone.solvers.answer import Answer, Feasible, Unbounded, Undecided
from foregone.solvers.arrays import Ints

MAX_DEPTH = 350  # of a search tree; the checker follows trees a little deeper than this
TOO_MANY = "the search tree grew too large"
SLIGHT = 1e-4  # a side that loses less counts as if it lost so much: the other side may still tell places apart

Bound = tuple[TreeLeaf | None, Answer]  # what a relaxation says of one part


@dataclass
class Search:
    """One question, and how many parts of a tree may be looked at for it."""

    known: SystemKnowledge
    branching: Branching
    objective: Ints
    target: int
    most: int | None = None
    nodes: int = 0

    def run(self) -> Tree | Exceeds | Undecided:
        return self._part({}, 0)

    def _part(self, part: dict[Form, Limits], depth: int, bound: Bound | None = None) -> Tree | Exceeds | Undecided:
        """A tree of one part, of which a `bound` may be known."""
        known = self.known
        if known.deadline.passed():
            return Undecided("the time limit was reached")
        if depth > MAX_DEPTH:
            return Undecided(f"the search tree grew deeper than {MAX_DEPTH}")
        if self.most is not None and self.nodes >= self.most:
            return Undecided(TOO_MANY)
        self.nodes += 1
        leaf, answer = bound or known.settle(self.objective, self.target, part)
        if leaf is not None:
            return leaf
        if isinstance(answer, Undecided):
            return answer
        if isinstance(answer, Unbounded):
            return Undecided("the count seems to have no upper limit, but no dataset that shows it was found")
        places = self.branching.places(answer, part)
        if isinstance(places, int):
            return self._either(places, part, depth)
        if not places:
            found = known.take(answer)
            if found is not None and found.value(self.objective) > self.target:
                return Exceeds(found)
            return Undecided("the solver's answer could not be confirmed exactly")
        (form, at), bounds = self._best(places, part, answer)
        trees = list[Tree]()
        for side, bound in zip(_sides(part, form, at), bounds, strict=True):
            tree = self._part(side, depth + 1, bound)
            if isinstance(tree, Exceeds | Undecided):
                return tree
            trees.append(tree)
        return TreeSplit(form, at, trees[0], trees[1])

    def _best(self, places: list[Place], part: dict[Form, Limits], answer: Answer) -> tuple[Place, list[Bound | None]]:
        """The place where both sides lose most, with the bounds of the sides as far as they are known."""
        best: tuple[float, Place, list[Bound | None]] = -1.0, places[0], [None, None]
        if len(places) == 1 or not isinstance(answer, Feasible):
            return best[1:]
        for place in places:
            bounds = list[Bound | None]()
            worth = 1.0
            for side in _sides(part, *place):
                leaf, relaxed = bound = self.known.settle(self.objective, self.target, side)
                bounds.append(bound)
                left = relaxed.value if leaf is None and isinstance(relaxed, Feasible) else float(self.target)
                # where the solver has no answer, nobody would have one after this split either
                worth *= 0.0 if isinstance(relaxed, Undecided) else max(SLIGHT, answer.value - left)
            if worth > best[0]:
                best = worth, place, bounds
            if all(bound is not None and bound[0] is not None for bound in bounds) or self.known.deadline.passed():
                break
        return best[1:]

    def _either(self, clause: int, part: dict[Form, Limits], depth: int) -> Tree | Exceeds | Undecided:
        """One side of an either-or, and then the other."""
        sides, trees = self.known.clause(clause), list[Tree]()
        for form, high in sides:
            least, _ = part.get(form, (None, None))  # no upper limit as tight as this one: the point is beyond it
            tree = self._part({**part, form: (least, high)}, depth + 1)
            if isinstance(tree, Exceeds | Undecided):
                return tree
            trees.append(tree)
        return TreeEither(clause, (sides[0][0], sides[1][0]), trees[0], trees[1])


def _sides(part: dict[Form, Limits], form: Form, at: int) -> list[dict[Form, Limits]]:
    """The part in which the form is at most a number, and the part in which it is more."""
    least, most = part.get(form, (None, None))
    return [{**part, form: (least, at)}, {**part, form: (at + 1, most)}]
