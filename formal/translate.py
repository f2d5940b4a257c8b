"""A release and its proofs file, read by Foregone's checker, as words for build/check or as a theorem for Coq.

    python translate.py RELEASE proofs.json build/block          # block.release, block.proof, block.witnesses
    python translate.py RELEASE proofs.json build/block.v        # a theorem about this release

Needs Foregone to be installed, for its reader alone: what is true is decided by the program that gets the words.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from theorem import theorem
from words import choice_words, distance_words, proof_words, release_words, witness_words

from foregone.checker import PlainRelease as Release
from foregone.checker import read_json, read_release
from foregone.checker.encode.pairs import Kind
from foregone.checker.encode.release import families
from foregone.checker.kernel import (
    Bound,
    Box,
    Columns,
    Form,
    Leaf,
    Nothing,
    Prune,
    Step,
    Tree,
    full,
)
from foregone.checker.kernel import (
    PlainEither as Either,
)
from foregone.checker.kernel import (
    PlainFact as Fact,
)
from foregone.checker.read.proofs import fact_of, step_of, tree_of, witness_of
from foregone.checker.verdicts.choice import Clause


class Parts(NamedTuple):
    """A proofs file as the checker reads it."""

    steps: Sequence[Step]
    facts: Sequence[Fact]
    witnesses: Sequence[Any]
    contradiction: Tree | None


class DistanceParts(NamedTuple):
    """A file about distances as the checker reads it: of each kind its limits and the trees for the lower and for the upper one."""

    steps: Sequence[Step]
    kinds: Sequence[tuple[Kind, Tree, Tree]]
    pairs: Release  # the release of pairs, which the limit is about
    about_pairs: Sequence[Step]
    twice: int
    proof: Tree


def parts_of(release: Release, document: Any) -> Parts:
    domain = release.domain
    return Parts(
        [step_of(domain, step) for step in document["steps"]],
        [fact_of(domain, fact) for fact in document["facts"]],
        [witness_of(domain, witness) for witness in document["witnesses"]],
        tree_of(domain, document["contradiction"]) if "contradiction" in document else None,
    )


class Plain:
    """Turns what the checker reads into the plain tuples that words.py and theorem.py take: boxes with a mask for every column."""

    def __init__(self, release: Release) -> None:
        self.release = release
        self.sizes = [len(codes) for codes in release.domain.codes]

    def box(self, sides: Box) -> list[int]:
        return [dict(sides).get(c, full(self.release.domain, c)) for c in range(len(self.sizes))]

    def form(self, terms: Form) -> list[tuple[int, list[int]]]:
        return [(weight, self.box(sides)) for weight, sides in terms]

    def tree(self, node: Tree) -> tuple[Any, ...]:
        match node:
            case Leaf(terms, over):
                return ("leaf", terms, over)
            case Nothing(terms):
                return ("nothing", terms)
            case Either(k, left, right):
                return ("either", k, self.tree(left), self.tree(right))
            case _:
                return ("split", self.form(node.form), node.at, self.tree(node.below), self.tree(node.above))

    def step(self, entry: Step) -> tuple[Any, ...]:
        match entry:
            case Columns(c, sets):
                return ("columns", c, sets)
            case Prune(terms):
                return ("prune", terms)
            case Bound(about, bound, proof):
                return ("bound", self.form(about), bound, self.tree(proof))

    def fact(self, fact: Fact) -> tuple[Any, ...]:
        return self.box(fact.what), fact.times, [self.box(q) for q in fact.forms], self.tree(fact.upper), self.tree(fact.lower)

    def all(self, parts: Parts) -> tuple[Any, ...]:
        """Sizes, statistics, rules, steps, facts, witnesses, contradiction and either-ors."""
        statistics = [(self.form(s.about), s.low, s.high) for s in self.release.statistics]
        steps, facts = [self.step(entry) for entry in parts.steps], [self.fact(fact) for fact in parts.facts]
        no = None if parts.contradiction is None else self.tree(parts.contradiction)
        rules = [self.box(r) for r in self.release.rules]
        eithers = [((self.form(a), m), (self.form(b), n)) for (a, m), (b, n) in self.release.eithers]
        return self.sizes, statistics, rules, steps, facts, parts.witnesses, no, eithers


def groups_of(release: Release) -> list[list[int]]:
    """The sets that claims may name besides single codes."""
    found = families(release)
    if found is None:
        sys.exit("the groups of a column overlap in too many ways to be listed")
    return found


def words_of(release: Release, parts: Parts, groups: Sequence[Sequence[int]] | None = None) -> dict[str, str]:
    """The three files of words."""
    sizes, statistics, rules, steps, facts, witnesses, no, eithers = Plain(release).all(parts)
    return {
        "release": release_words(sizes, statistics, rules, groups_of(release) if groups is None else groups, eithers),
        "proof": proof_words(steps, facts, no, len(sizes)),
        "witnesses": witness_words(witnesses, len(sizes)),
    }


def distance_words_of(release: Release, parts: DistanceParts) -> str:
    """What a file says about distances, besides its two datasets."""
    one, two = Plain(release), Plain(parts.pairs)
    kinds = [
        ([side.bit_length() - 1 for side in one.box(kind.box)], kind.low, kind.high, one.tree(lower), one.tree(upper))
        for kind, lower, upper in parts.kinds
    ]
    limit = parts.twice, [two.step(step) for step in parts.about_pairs], two.tree(parts.proof)
    return distance_words(len(one.sizes), len(release.names), [one.step(step) for step in parts.steps], kinds, limit)


def choice_words_of(problems: Sequence[tuple[Sequence[int], dict[int, Clause], int, Any]]) -> str:
    """Calls of `no_cheaper`: costs, clauses, a bound and a tree, which has to be one of the right form."""
    made = []
    for costs, clauses, bound, tree in problems:
        listed = [(k, sorted(given), sorted(items)) for k, (given, items) in clauses.items()]
        made.append((costs, listed, bound, _plan(tree)))
    return choice_words(made)


def _plan(tree: Any) -> tuple[Any, ...]:
    if "item" in tree:
        return ("choose", tree["item"], _plan(tree["taken"]), _plan(tree["left"]))
    if "apart" in tree:
        return ("apart", [(part["actions"], part["bound"], _plan(part["tree"])) for part in tree["apart"]])
    return ("unmet", tree["unmet"]) if "unmet" in tree else ("pay", tree["pay"], tree["over"])


def theorem_of(release: Release, parts: Parts) -> str:
    """The text of a Coq file."""
    sizes, statistics, rules, steps, facts, witnesses, no, eithers = Plain(release).all(parts)
    return theorem(sizes, statistics, rules, steps, facts, witnesses, groups_of(release), contradiction=no, eithers=eithers)


def main() -> None:
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    release, out = read_release(Path(sys.argv[1])), Path(sys.argv[3])
    parts = parts_of(release, read_json(Path(sys.argv[2])))
    if out.suffix == ".v":
        out.write_text(theorem_of(release, parts))
    else:
        for name, text in words_of(release, parts).items():
            out.with_name(f"{out.name}.{name}").write_text(text)


if __name__ == "__main__":
    main()
