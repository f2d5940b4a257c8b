"""A record as one whole number: every column has the same number of bits, enough for any of its values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Packing:
    """Column i has the bits from `bits` x i on.

    >>> four = Packing(4)
    >>> four.value_at(0x31, 0), four.value_at(0x31, 1), four.value_at(0x31, 2)
    (1, 3, 0)
    """

    bits: int

    @property
    def mask(self) -> int:
        return (1 << self.bits) - 1

    @property
    def values(self) -> int:
        """How many values a column can have."""
        return 1 << self.bits

    def shift(self, column: int) -> int:
        """Where the bits of a column begin."""
        return self.bits * column

    def value_at(self, packed: int, column: int) -> int:
        return packed >> self.shift(column) & self.mask

    def unpack_sql(self, names: Sequence[str]) -> str:
        """The columns of a packed record called `code`, as SQL."""
        return ", ".join(f"CAST(code >> {self.shift(i)} & {self.mask} AS UTINYINT) AS {name}" for i, name in enumerate(names))

    def unpack(self, packed: Ints, columns: int) -> Ints:
        """Packed records as one row of values each."""
        return packed[:, None] >> (self.bits * np.arange(columns)) & self.mask
