"""Plain views of a linear system, for tests that compare it with something simpler."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from foregone.engine.system.linear import LinearSystem

Ints = NDArray[np.int64]


def dense(system: LinearSystem) -> Ints:
    """The 0/1 matrix, rows by cells."""
    return system.columns(np.arange(system.cells))


def consistent(system: LinearSystem, counts: Ints) -> bool:
    """Does one dataset, given by its count in each cell, match every statistic?"""
    return bool(system.consistent(counts[None, :])[0])
