"""Datasets by drawing some records of a known one anew: an integer program over what the records that stay leave open.

A program over all records of dense tables takes seconds; one over a third of them, much alike, takes milliseconds, for few buckets
are left where every row still has room. What comes out is only a suggestion; the pool tabulates it again.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from foregone.engine.system.linear import LinearSystem
from foregone.engine.system.witness import Witness
from foregone.engine.witnesses.moves import MOST_SPREAD, Mover
from foregone.engine.witnesses.rounding import rounded, without
from foregone.solvers.answer import Answer, Feasible
from foregone.solvers.arrays import Bools, Floats, Ints
from foregone.solvers.deadline import Deadline

SHARES = (0.2, 0.35, 0.5, 0.65)  # of the records are drawn anew; more where less is of no use
SECONDS = 0.5  # the integer solver may take this long for one of these programs
BLUR = 2.0  # columns by which a record may seem nearer than it is, so that the same ones are not always chosen
MOST_BUCKETS = 3000  # that are all part of a program; of more than that only those near the records that are drawn anew
FEW = 12  # records that are drawn anew, at most, where there are more buckets


class Redrawing:
    """Which records are drawn anew, and how many of them."""

    def __init__(self, mover: Mover, solve_integer: Callable[..., Answer], rng: np.random.Generator) -> None:
        self.system, self.mover, self.solve_integer, self.rng = mover.system, mover, solve_integer, rng
        self._kinds = mover.system.records[mover.first_record]  # one record of each bucket

    @staticmethod
    def fits(system: LinearSystem) -> bool:
        """Can records be taken out and put in one by one?"""
        return system.weights is None and not len(system.clauses) and system.largest is not None and system.largest <= MOST_SPREAD

    def drawn(
        self, witness: Witness, centre: int, share: float, objective: Floats, possible: Bools, deadline: Deadline
    ) -> Witness | None:
        """A dataset with a large objective, the records nearest to a bucket drawn anew; None where none is found in time."""
        buckets, rng = witness.spread(), self.rng
        distance = (self._kinds[buckets] != self._kinds[centre]).sum(axis=1) + BLUR * rng.random(len(buckets))
        number = int(np.ceil(share * len(buckets)))
        if int(possible.sum()) > MOST_BUCKETS:
            number = min(number, FEW)
        order = np.argsort(distance)
        stays = Witness.of_records(buckets[order[number:]])
        if int(possible.sum()) > MOST_BUCKETS:
            possible = possible & self._near(buckets[order[:number]], centre)
        rest, names = without(self.system, stays, possible)
        if not objective[names].any():
            return None
        answer = self.solve_integer(rest, objective[names], deadline=deadline.sooner(SECONDS))
        return stays.plus(rounded(answer).among(names)) if isinstance(answer, Feasible) else None

    def _near(self, buckets: Ints, centre: int) -> Bools:
        """Buckets of these records, of mixtures of them, and of records that differ from one of them in one value."""
        near = np.zeros(self.system.buckets, dtype=bool)
        near[buckets] = near[centre] = True
        mixed = self.mover.mixed(np.unique(np.append(buckets, centre)))
        some = [mixed] if len(mixed) <= MOST_BUCKETS else [self.rng.choice(mixed, MOST_BUCKETS, replace=False)]
        for part in (*some, *(self.mover.one_changed(bucket) for bucket in np.unique(buckets).tolist())):
            near[part] = True
        return near
