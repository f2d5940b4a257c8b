"""A record as one whole number: column i has the bits 4 i to 4 i + 3, which hold any code of a census file."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

BITS = 4  # per column; no census code needs more
MASK = (1 << BITS) - 1
CODES = MASK + 1

Ints = NDArray[np.int64]


def shift(column: int) -> int:
    """Where the bits of a column begin."""
    return BITS * column


def code_at(packed: int, column: int) -> int:
    """
    >>> code_at(0x31, 0), code_at(0x31, 1), code_at(0x31, 2)
    (1, 3, 0)
    """
    return packed >> shift(column) & MASK


def unpack(packed: Ints, columns: int) -> Ints:
    """Packed records as one row of codes each."""
    return packed[:, None] >> (BITS * np.arange(columns)) & MASK
