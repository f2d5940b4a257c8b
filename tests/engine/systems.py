"""Plain views of a linear system, for tests that compare it with something simpler."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from foregone.engine import LinearSystem, Witness

Ints = NDArray[np.int64]


def dense(system: LinearSystem) -> Ints:
    """The matrix of weights, rows by buckets."""
    return system.columns(np.arange(system.buckets))


def of_counts(counts: Sequence[int] | Ints) -> Witness:
    """A dataset given by its count in each bucket."""
    return Witness.of_counts(np.arange(len(counts)), np.asarray(counts, dtype=np.int64))


def consistent(system: LinearSystem, counts: Sequence[int] | Ints) -> bool:
    """Does one dataset, given by its count in each bucket, match every statement?"""
    return system.consistent([of_counts(counts)]) == [True]
