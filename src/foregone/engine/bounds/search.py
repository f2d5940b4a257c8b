"""A search tree: split until every part closes by an exact bound, or a whole point above the target turns up."""

from __future__ import annotations

from dataclasses import dataclass

from foregone.engine.bounds.branching import Branching
from foregone.engine.bounds.knowledge import SystemKnowledge
from foregone.engine.bounds.trees import Exceeds, Form, Tree, TreeEither, TreeSplit
from foregone.model.statement import Limits
from foregone.solvers.answer import Unbounded, Undecided
from foregone.solvers.arrays import Ints

MAX_DEPTH = 350  # of a search tree; the checker follows trees a little deeper than this
TOO_MANY = "the search tree grew too large"


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

    def _part(self, part: dict[Form, Limits], depth: int) -> Tree | Exceeds | Undecided:
        known = self.known
        if known.deadline.passed():
            return Undecided("the time limit was reached")
        if depth > MAX_DEPTH:
            return Undecided(f"the search tree grew deeper than {MAX_DEPTH}")
        if self.most is not None and self.nodes >= self.most:
            return Undecided(TOO_MANY)
        self.nodes += 1
        leaf, answer = known.settle(self.objective, self.target, part)
        if leaf is not None:
            return leaf
        if isinstance(answer, Undecided):
            return answer
        if isinstance(answer, Unbounded):
            return Undecided("the count seems to have no upper limit, but no dataset that shows it was found")
        chosen = self.branching.choose(answer, part)
        if isinstance(chosen, int):
            return self._either(chosen, part, depth)
        if chosen is None:
            found = known.take(answer)
            if found is not None and found.value(self.objective) > self.target:
                return Exceeds(found)
            return Undecided("the solver's answer could not be confirmed exactly")
        form, at = chosen
        least, most = part.get(form, (None, None))
        below = self._part({**part, form: (least, at)}, depth + 1)
        if isinstance(below, Exceeds | Undecided):
            return below
        above = self._part({**part, form: (at + 1, most)}, depth + 1)
        return above if isinstance(above, Exceeds | Undecided) else TreeSplit(form, at, below, above)

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
