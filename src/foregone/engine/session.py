"""What changes while the engine works, all in one place: a compiled system and what was found out about it so far."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from foregone.engine.bounds.prover import Prover
from foregone.engine.bounds.rowspace import RowSpace
from foregone.engine.bounds.trees import Lemma
from foregone.engine.system.linear import MAX_RECORDS, LinearSystem, compile_release
from foregone.engine.system.settled import Settled, settle
from foregone.engine.system.witness import Witness
from foregone.engine.witnesses.pool import Pool
from foregone.model.release import Release
from foregone.solvers.answer import Undecided
from foregone.solvers.deadline import Deadline

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


MANY_ROWS = 400  # in a smaller system there is nothing to be gained by taking off what is settled


@dataclass(frozen=True, slots=True)
class Smaller:
    """What is left of a system when all that follows number by number is taken off, with a prover of its own."""

    settled: Settled
    prover: Prover

    def objective(self, cells: Bools) -> tuple[Ints, int]:
        """A set of cells of the whole as an objective, and how many records lie in those that are settled."""
        left, fixed = self.settled.part(np.flatnonzero(cells))
        made = np.zeros(self.settled.rest.cells, dtype=np.int64)
        made[left] = 1
        return made, fixed


@dataclass
class Session:
    """A system with a prover, which owns the pool of witnesses, the relaxation and the moves."""

    prover: Prover

    @property
    def system(self) -> LinearSystem:
        return self.prover.system

    @property
    def pool(self) -> Pool:
        return self.prover.pool

    @property
    def deadline(self) -> Deadline:
        return self.prover.deadline

    @cached_property
    def rowspace(self) -> RowSpace:
        """The span of the exact rows over all cells."""
        return RowSpace(self.system, np.ones(self.system.cells, dtype=bool))

    @cached_property
    def smaller(self) -> Smaller | None:
        """The system without what is settled, where that is much smaller."""
        settled = settle(self.system) if self.system.rows > MANY_ROWS else None
        if settled is None or 2 * settled.rest.cells > self.system.cells:
            return None
        return Smaller(settled, Prover(settled.rest, self.deadline))

    def first_witness(self) -> bool | Undecided:
        """Find one consistent dataset, in the smaller system if there is one; False is a proof that there is none."""
        if self.smaller is not None and not len(self.pool) and self.smaller.prover.first_witness() is True:
            self.pool.add(self.smaller.settled.back(self.smaller.prover.pool.witnesses[0]))
        return self.prover.first_witness()


def resume(system: LinearSystem, witnesses: Iterable[Witness], lemmas: Sequence[Lemma], deadline: Deadline) -> Session:
    """A session that knows what an earlier one found out about the same system: its datasets and all of its lemmas, in order."""
    prover = Prover(system, deadline)
    prover.pool.add_each(witnesses)
    for lemma in lemmas[len(prover.lemmas) :]:  # every prover begins with the same ones
        prover.known.learn(lemma)
    return Session(prover)


def open_session(release: Release, deadline: Deadline, max_records: int = MAX_RECORDS) -> Session:
    """Compile a release; nothing is known about it yet."""
    return Session(Prover(compile_release(release, max_records, deadline), deadline))
