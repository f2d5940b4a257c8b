"""Arrays of numbers, by what they hold, and how to sort millions of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]

SHORT = 1 << 16  # numbers below this are sorted in a fixed time each


def order_of(numbers: Ints) -> Ints:
    """Where whole numbers of at least 0 stand in ascending order, equal ones in the order they have.

    Where all of them are short, which rows are, this is several times quicker than comparing them with each other.
    """
    short = len(numbers) > 0 and int(numbers.max()) < SHORT
    return np.argsort(numbers.astype(np.uint16) if short else numbers, kind="stable")
