"""Some statements of a release as a release of their own, and which of them a proof rests on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from foregone.engine.bounds.certify import made_of
from foregone.engine.bounds.prover import Prover
from foregone.engine.bounds.trees import Lemma, Tree, TreeEither, TreeLeaf, TreeSplit
from foregone.engine.system.linear import LinearSystem, compile_release
from foregone.model.domain import Domain
from foregone.model.errors import TooLargeError, UndecidedError
from foregone.model.predicate import Predicate
from foregone.model.release import Release
from foregone.model.statement import LARGEST, Statistic
from foregone.solvers.arrays import Ints
from foregone.solvers.deadline import Deadline

TEST_SECONDS = 10.0
TEST_RECORDS = 200_000


def enough_records(release: Release, chosen: Sequence[int], extra: int) -> int | None:
    """So many records show all there is to see, when `extra` of them matter to the question; None with weighted sums or gaps.

    Leaving a record out breaks no upper limit of a count, so every other record is there for the sake of some lower limit.
    With weights, or where a count is 0 or at least 5, records that seem idle may be needed.
    """
    counts = [count for i in chosen if isinstance(count := release.statements[i].source, Statistic) and not count.gaps]
    if len(counts) < len(chosen):
        return None
    most = sum(count.low for count in counts) + extra
    return most if most <= LARGEST else None  # no release states more than the largest number


@dataclass(frozen=True, slots=True)
class Part:
    """A prover for some of the statements, and what these are called in the release; None for one that is not of it."""

    prover: Prover
    numbers: tuple[int | None, ...]

    def behind(self, proof: Tree, objective: NDArray[np.int64]) -> set[int]:
        """The statements of the release that a proof rests on, itself or through lemmas."""
        used = statements_used(self.prover.system, self.prover.lemmas, proof, objective)
        return {number for i in used if (number := self.numbers[i]) is not None}


def part_prover(
    release: Release, chosen: Sequence[int], predicate: Predicate, extra: int, deadline: Deadline | None = None
) -> Prover | None:
    """The prover of `part_of`."""
    part = part_of(release, chosen, predicate, extra, deadline)
    return None if part is None else part.prover


def part_of(
    release: Release,
    chosen: Sequence[int],
    predicate: Predicate,
    extra: int,
    deadline: Deadline | None = None,
    asked: Statistic | None = None,
) -> Part | None:
    """A prover for some of the statements alone; None when they are too large.

    `asked` is one more count that is to hold. Columns that neither they nor the question look at do not matter and are left out.
    """
    order = sorted(chosen)  # as the part numbers them, too
    counted = [p for i in order for p in release.statements[i].predicates]
    named = {name for p in (predicate, *counted, *release.rules) for name, _ in p.allowed}  # also where any value is allowed
    columns = [c for c in release.domain.columns if c.name in named] or [release.domain.columns[0]]
    most = enough_records(release, chosen, extra)
    added = [*([] if most is None else [Statistic(Predicate(), 0, most)]), *([] if asked is None else [asked])]
    try:
        part = release.only(order, Domain(tuple(columns), release.domain.record), added)
        soon = (deadline or Deadline()).sooner(TEST_SECONDS)
        prover = Prover(compile_release(part, TEST_RECORDS, soon), soon)
    except (TooLargeError, UndecidedError):
        return None
    count = len(part.statistics) - len(added)
    return Part(prover, (*order[:count], *(None for _ in added), *order[count:]))


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
