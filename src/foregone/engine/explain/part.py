"""Some statements of a release as a release of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from foregone.engine.bounds.prover import Prover
from foregone.engine.bounds.trees import Tree
from foregone.engine.explain.used import statements_used
from foregone.engine.system.linear import compile_release
from foregone.model.domain import Domain
from foregone.model.errors import TooLargeError, UndecidedError
from foregone.model.predicate import Predicate
from foregone.model.release import Release
from foregone.model.statement import LARGEST, Statistic
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
