"""What changes while the engine works, all in one place: a compiled system and what was found out about it so far."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from foregone.engine.bounds.prover import Prover
from foregone.engine.bounds.rowspace import RowSpace
from foregone.engine.system.linear import MAX_RECORDS, LinearSystem, compile_release
from foregone.engine.witnesses.pool import Pool
from foregone.model.release import Release
from foregone.solvers.deadline import Deadline


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


def open_session(release: Release, deadline: Deadline, max_records: int = MAX_RECORDS) -> Session:
    """Compile a release; nothing is known about it yet."""
    return Session(Prover(compile_release(release, max_records, deadline), deadline))
