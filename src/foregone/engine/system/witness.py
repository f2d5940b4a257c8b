"""A dataset as the engine sees it: how many records lie in each bucket."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from foregone.solvers.arrays import Ints

EXACT_FLOAT = 1 << 53  # whole numbers below are exact in floating point
MACHINE_LIMIT = 1 << 62  # sums below fit in 64 bits


@dataclass(frozen=True, slots=True, eq=False)
class Witness:
    """Buckets, ascending, with the number of records in each, from 1 up; buckets that hold nothing are left out."""

    buckets: Ints
    counts: Ints

    @classmethod
    def of_records(cls, buckets: Ints) -> Witness:
        """From one bucket per record, in any order."""
        ordered = np.sort(buckets)
        if not len(ordered):
            return cls(ordered, ordered)
        changes = (ordered[1:] != ordered[:-1]).nonzero()[0] + 1
        counts = np.empty(len(changes) + 1, dtype=np.int64)
        counts[:-1], counts[-1] = changes, len(ordered)
        counts[1:] -= changes
        return cls(ordered[np.concatenate([[0], changes])], counts)

    @classmethod
    def of_counts(cls, buckets: Ints, counts: NDArray[np.int64]) -> Witness:
        """From different buckets, in any order, and counts, some of which may be 0."""
        order = np.argsort(buckets, kind="stable")
        order = order[counts[order] != 0]
        return cls(buckets[order], counts[order])

    @property
    def size(self) -> int:
        """The number of records, in Python's own integers."""
        return sum(self.counts.tolist())

    @property
    def key(self) -> bytes:
        return self.buckets.tobytes() + self.counts.tobytes()

    def value(self, objective: NDArray[np.int64] | NDArray[np.bool_]) -> int:
        """The sum of an objective (a whole number per bucket) over all records, in Python's own integers."""
        return sum(a * n for a, n in zip(objective[self.buckets].tolist(), self.counts.tolist(), strict=True))

    def worth(self, objective: NDArray[np.float64]) -> float:
        """The sum of an objective over all records, as far as floating point tells."""
        return float(objective[self.buckets] @ self.counts)

    def inside(self, sets: Sequence[Ints], buckets: int) -> NDArray[Any]:
        """How many records lie in each of several sets of buckets; Python's own integers where 64 bits could be too few."""
        dense = np.zeros(buckets, dtype=np.int64 if self.size < MACHINE_LIMIT else object)
        dense[self.buckets] = self.counts
        ends = np.cumsum([len(some) for some in sets])
        sums = np.concatenate([[0], np.cumsum(dense[np.concatenate(sets)])])  # wraps around, which differences do not mind
        return np.asarray(sums[ends] - sums[ends - [len(some) for some in sets]])

    def moved(self, gone: Ints, new: Ints) -> Witness:
        """This dataset without one record in each of the buckets `gone` and with one more in each of the buckets `new`."""
        buckets = np.concatenate([self.buckets, gone, new])
        change = np.concatenate([self.counts, np.full(len(gone), -1), np.ones(len(new), dtype=np.int64)])
        different, where = np.unique(buckets, return_inverse=True)
        counts = np.zeros(len(different), dtype=np.int64)
        np.add.at(counts, where, change)
        return Witness.of_counts(different, counts)

    def plus(self, other: Witness, times: int = 1) -> Witness:
        """All records of this one, and those of another `times` over."""
        different, where = np.unique(np.concatenate([self.buckets, other.buckets]), return_inverse=True)
        counts = np.zeros(len(different), dtype=np.int64)
        np.add.at(counts, where, np.concatenate([self.counts, times * other.counts]))
        return Witness(different, counts)

    def within(self, buckets: Ints) -> Witness:
        """What this dataset has in some buckets, ascending, numbered by their places among these."""
        here = np.isin(self.buckets, buckets)
        return Witness(np.searchsorted(buckets, self.buckets[here]), self.counts[here])

    def among(self, buckets: Ints) -> Witness:
        """The opposite: a dataset of some buckets, numbered by their places, as one of all."""
        return Witness(buckets[self.buckets], self.counts)

    def spread(self) -> Ints:
        """One bucket per record, ascending."""
        return np.repeat(self.buckets, self.counts)
