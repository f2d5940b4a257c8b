"""What the prover finds: sums of buckets that are bounded, why they are, and datasets that exceed a bound."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from foregone.engine.system.witness import Witness
from foregone.model.claim import Ground
from foregone.solvers.arrays import Ints


@dataclass(frozen=True, eq=False)
class Form:
    """A sum of the counts of some buckets with whole weights. Proofs tell forms apart by identity, not by what they add up."""

    buckets: Ints  # different ones
    weights: Ints

    @classmethod
    def count(cls, buckets: Ints) -> Form:
        """How many records lie in these buckets."""
        return cls(buckets, np.ones(len(buckets), dtype=np.int64))

    @classmethod
    def of(cls, weights: Ints) -> Form:
        """From one weight per bucket of the system."""
        buckets = np.flatnonzero(weights)
        return cls(buckets, weights[buckets])

    @property
    def bucket(self) -> int | None:
        """The bucket, if the form is the count of a single one."""
        return int(self.buckets[0]) if len(self.buckets) == 1 and self.weights[0] == 1 else None

    @cached_property
    def largest(self) -> int:
        return int(np.abs(self.weights).max(initial=0))


@dataclass(frozen=True, slots=True)
class Certificate:
    """The greatest value is at most floor(total / denominator): rows times multipliers dominate the objective.

    `multipliers` already hold what the cover had to add to dominate on every bucket. `further` are forms whose limits are
    known beyond the rows, from lemmas or from the splits above: times a positive number their upper limit is used, times a
    negative one their lower limit.
    """

    multipliers: Ints
    denominator: int
    total: int
    further: tuple[tuple[Form, int], ...] = ()

    @property
    def limit(self) -> int:
        return self.total // self.denominator


@dataclass(frozen=True, slots=True)
class TreeLeaf:
    """A part of the search tree closed by an exact bound; `impossible` when the bound shows that nothing fits there."""

    certificate: Certificate
    impossible: bool = False


@dataclass(frozen=True, slots=True)
class TreeSplit:
    """Either the form is at most `at`, or at least one more."""

    form: Form
    at: int
    below: Tree
    above: Tree


@dataclass(frozen=True, slots=True)
class TreeEither:
    """Of an either-or of the release, numbered from 0, the left form keeps its limit, or the right one does."""

    clause: int
    forms: tuple[Form, Form]
    left: Tree
    right: Tree


Tree = TreeLeaf | TreeSplit | TreeEither


def leaves(*trees: Tree) -> Iterator[TreeLeaf]:
    """All parts of some trees that are closed by a bound."""
    stack = list(trees)
    while stack:
        match stack.pop():
            case TreeLeaf() as leaf:
                yield leaf
            case TreeSplit(below=below, above=above):
                stack += [below, above]
            case TreeEither(left=left, right=right):
                stack += [left, right]


@dataclass(frozen=True, eq=False)
class Lemma:
    """A form that is at most a number in every dataset that fits; later proofs may use it."""

    form: Form
    at_most: int
    proof: Tree

    @cached_property
    def buckets(self) -> Ints:
        """The buckets that it shows to be empty."""
        none = self.at_most == 0 and bool((self.form.weights > 0).all())
        return self.form.buckets if none else self.form.buckets[:0]


@dataclass(frozen=True, slots=True)
class AtMost:
    """Proved: no consistent dataset exceeds the target."""

    proof: Tree

    @property
    def ground(self) -> Ground:
        return Ground.BOUND if isinstance(self.proof, TreeLeaf) else Ground.SEARCH


@dataclass(frozen=True, slots=True)
class Exceeds:
    """A consistent dataset exceeds the target."""

    witness: Witness


@dataclass(frozen=True, slots=True)
class Endless:
    """To some consistent dataset these records can be added again and again, and raise the count: it has no greatest value."""

    ray: Witness


@dataclass(frozen=True, slots=True)
class Between:
    """Proofs that a count is at most a number, and that its negative is at most the opposite one: together they pin it down."""

    upper: Tree
    lower: Tree

    @property
    def ground(self) -> Ground:
        return Ground.BOUND if isinstance(self.upper, TreeLeaf) and isinstance(self.lower, TreeLeaf) else Ground.SEARCH
