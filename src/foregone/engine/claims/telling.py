"""Which columns of a claim tell something: not those in which it says what every possible record has.

Also which groups another value brings along: they count, but whoever knows the other value knows them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from foregone.engine.claims.audit_loop import ClosedFact
from foregone.engine.claims.items import LayerItems
from foregone.engine.system.linear import LinearSystem
from foregone.model.families import Groups
from foregone.solvers.arrays import Bools


class Telling:
    """Looks at which values go together in the records that are still possible."""

    def __init__(
        self, system: LinearSystem, dead: Bools, certain: Sequence[ClosedFact], items: LayerItems, groups: Groups
    ) -> None:
        self.codes, self.single = system.atoms.groups, groups == Groups.NONE
        records = system.records
        self.records = records[~dead[system.bucket_of]] if dead.any() else records
        self.pairs: dict[tuple[int, int], list[int]] = {}
        # what all records have: shown by a fact that needs no words at all, or by the records that are left
        about_all = [fact for fact in certain if not fact.blocked]
        self.counted = bool(about_all)  # is the number of records certain?
        if about_all:
            self.all = items.box(about_all[0].closed.tolist())
        else:
            self.all = {c: _mask(np.unique(column)) for c, column in enumerate(self.records.T)}

    def idle(self, box: Mapping[int, int]) -> list[int]:
        """The columns of a claim, given by its atoms, that tell nothing: every possible record has what it says there. Where
        claims name single codes only, as in the paper, every column counts; said of everybody, it is all that can be said.
        """
        return [] if self.single or box == self.all else [c for c, mask in box.items() if not self.all.get(c, -1) & ~mask]

    def brought(self, box: Mapping[int, int], idle: Sequence[int]) -> list[int]:
        """Of the other columns, those with a group that another value brings along; the values that bring them stay."""
        found, left = [], {c: mask for c, mask in box.items() if c not in idle}
        for c, mask in box.items():
            if c in left and self._group(c, mask) and any(self._brings(d, other, c, mask) for d, other in left.items() if d != c):
                found.append(c)
                del left[c]
        return found

    def _group(self, c: int, mask: int) -> bool:
        """Does it allow several codes?"""
        codes = self.codes[c][(mask & -mask).bit_length() - 1]
        return bool(mask & (mask - 1) or codes & (codes - 1))

    def _brings(self, c: int, mask: int, other: int, allowed: int) -> bool:
        """Does every possible record with some value in one column have an allowed value in the other?"""
        if (c, other) not in self.pairs:
            width = len(self.codes[other])
            keys = np.unique(self.records[:, c].astype(np.int64) * width + self.records[:, other])
            found = [0] * len(self.codes[c])
            for key in keys.tolist():
                found[key // width] |= 1 << key % width
            self.pairs[c, other] = found
        beside = self.pairs[c, other]
        return not any(mask >> a & 1 and values & ~allowed for a, values in enumerate(beside))


def _mask(atoms: NDArray[np.int16]) -> int:
    return sum(1 << int(atom) for atom in atoms)
