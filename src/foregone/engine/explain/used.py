"""What a proof rests on: the statements and either-ors that it cites, itself or through the lemmas that it needs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from foregone.engine.bounds.certify import made_of
from foregone.engine.bounds.trees import Lemma, Tree, TreeEither, TreeLeaf, TreeSplit
from foregone.engine.system.linear import LinearSystem
from foregone.solvers.arrays import Ints


def statements_used(system: LinearSystem, lemmas: Sequence[Lemma], proof: Tree, objective: Ints) -> set[int]:
    """Numbers, as in `Release.statements`, of what shows that the objective keeps the limit that the proof is about.

    Whatever is left out of these, the proof stands. Everything that helped to rule records out before there was a system
    is counted in.
    """
    release = system.release
    used = {i for i, high in enumerate(release.high) if high == 0}
    used.update(i for exclusion in system.exclusions for i in (exclusion.container, *exclusion.parts))
    of_form = {lemma.form: k for k, lemma in reversed(list(enumerate(lemmas)))}
    emptied_by = np.full(system.buckets, len(lemmas))
    for k, lemma in reversed(list(enumerate(lemmas))):
        emptied_by[lemma.buckets] = k  # the first that does: proofs rest on lemmas before them
    first_clause = release.workload.limited
    waiting: list[tuple[Tree, Ints]] = [(proof, objective)]
    seen: set[int] = set()
    while waiting:
        tree, sought = waiting.pop()
        if isinstance(tree, TreeSplit):
            waiting += [(tree.below, sought), (tree.above, sought)]
            continue
        if isinstance(tree, TreeEither):
            used.add(first_clause + tree.clause)
            waiting += [(tree.left, sought), (tree.right, sought)]
            continue
        used.update(rows_cited(system, tree))
        needed = {of_form[form] for form, _ in tree.certificate.further if form in of_form}
        rest = (0 if tree.impossible else sought * tree.certificate.denominator) - made_of(system, tree.certificate)
        needed.update(emptied_by[rest > 0].tolist())  # it holds there only because there is nothing
        for k in needed - seen:
            waiting.append((lemmas[k].proof, _sought(system, lemmas[k])))
        seen |= needed
    return used


def rows_cited(system: LinearSystem, leaf: TreeLeaf) -> set[int]:
    """The statements whose limits a bound adds up: a row's upper limit times a positive number, its lower one times a negative."""
    multipliers = leaf.certificate.multipliers
    return {*system.high_source[multipliers > 0].tolist(), *system.low_source[multipliers < 0].tolist()}


def _sought(system: LinearSystem, lemma: Lemma) -> Ints:
    """What the proof of a lemma bounds; where one sum of rows empties buckets, it need only be nowhere negative."""
    made = np.zeros(system.buckets, dtype=np.int64)
    if not (len(lemma.buckets) and isinstance(lemma.proof, TreeLeaf)):
        made[lemma.form.buckets] = lemma.form.weights
    return made
