"""The numbers that rows have in a proofs file: those of statements, of lemmas, and of the splits above a part of a tree."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from foregone.engine.bounds.rowspace import Combination
from foregone.engine.bounds.trees import Between, Form, Lemma, Tree, TreeLeaf, leaves
from foregone.engine.system.linear import LinearSystem
from foregone.engine.writing.cover import first_derived, high_row, low_row
from foregone.solvers.arrays import Ints

Sides = tuple[int | None, int | None]  # rows that say at least, and at most


@dataclass(frozen=True, slots=True)
class ProofRows:
    """The rows that may be cited at some place of a file, and the number of the next one."""

    system: LinearSystem
    known: Mapping[Form, Sides]
    free: int

    @classmethod
    def of(cls, system: LinearSystem, lemmas: Sequence[Lemma]) -> ProofRows:
        rows = cls(system, {}, first_derived(system.release))
        for lemma in lemmas:
            rows = rows if drops_directly(lemma) else rows.after(lemma)
        return rows

    def after(self, lemma: Lemma) -> ProofRows:
        """The rows after a lemma has become one of them."""
        return ProofRows(self.system, {**self.known, lemma.form: (None, self.free)}, self.free + 1)

    def split(self, form: Form) -> tuple[ProofRows, ProofRows]:
        """Within the two parts of a split."""
        least, most = self.known.get(form, (None, None))
        sides = (least, self.free), (self.free, most)
        below, above = (ProofRows(self.system, {**self.known, form: side}, self.free + 1) for side in sides)
        return below, above

    def either(self, forms: tuple[Form, Form]) -> tuple[ProofRows, ProofRows]:
        """Within the two parts of an either-or, of which each may use that its form keeps its limit."""
        sides = ((form, (self.known.get(form, (None, None))[0], self.free)) for form in forms)
        left, right = (ProofRows(self.system, {**self.known, form: side}, self.free + 1) for form, side in sides)
        return left, right

    def terms(self, multipliers: Ints, further: Sequence[tuple[Form, int]] = ()) -> list[list[int]]:
        """A positive multiplier takes a row's upper limit, a negative one its lower limit."""
        system, added = self.system, dict[int, int]()
        for row in np.flatnonzero(multipliers).tolist():
            times = int(multipliers[row])
            number = high_row(int(system.high_source[row])) if times > 0 else low_row(int(system.low_source[row]))
            added[number] = added.get(number, 0) + abs(times)
        for form, times in further:
            side = self.known[form][times > 0]
            assert side is not None  # a certificate uses only limits that hold where it stands
            added[side] = added.get(side, 0) + abs(times)
        return [[number, times] for number, times in added.items()]


def drops_directly(lemma: Lemma) -> bool:
    """Its proof is one sum of rows, and that sum already leaves the buckets empty: it need not become a row."""
    return len(lemma.buckets) > 0 and isinstance(lemma.proof, TreeLeaf) and not lemma.proof.impossible


def trees_of(evidence: Combination | Between) -> list[Tree]:
    return [evidence.upper, evidence.lower] if isinstance(evidence, Between) else []


def needed(lemmas: Sequence[Lemma], trees: Sequence[Tree]) -> list[Lemma]:
    """The lemmas that trees cite, directly or through others, and all that empty buckets: what is gone is never cited."""
    cited = {form for tree in trees for form in _cited(tree)}
    kept = list[Lemma]()
    for lemma in reversed(lemmas):
        if len(lemma.buckets) or lemma.form in cited:
            kept.append(lemma)
            cited.update(_cited(lemma.proof))
    return kept[::-1]


def _cited(tree: Tree) -> Iterator[Form]:
    return (form for leaf in leaves(tree) for form, _ in leaf.certificate.further)
