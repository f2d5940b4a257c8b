"""Which cells a closed claim selects, which forms say the same thing, and which cells could still set them apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from foregone.compile.system import LinearSystem
from foregone.errors import TooLargeError
from foregone.infer.candidates import BLANK, Values
from foregone.infer.forms import TABLE_WIDTH, close_downwards, inside_any

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

MAX_COLUMNS = 62  # bits of a mask
TOGETHER = 1 << 22  # entries looked at in one go when many claims are compared


@dataclass(frozen=True, slots=True)
class Extent:
    """A closed claim against the live records.

    `inner`: cells all of whose records match. `blocked`: for every other kind of record known to be possible, the bit
    mask of closed columns on which it agrees. A form (a subset of the closed columns) says the same as the closed
    claim exactly when it is not inside a blocked mask. `doubt`: cells not known to be possible that would
    tell some of the forms apart, or that the claim cuts through; the forms agree only if these are empty.
    """

    columns: Ints
    inner: Ints
    doubt: Ints
    blocked: Ints
    refuted: bool


class Extents:
    """Compares closed claims with the live records, many at a time."""

    def __init__(self, system: LinearSystem) -> None:
        self.system = system
        order = np.argsort(system.cell_of, kind="stable")  # records of a cell stand together
        self.records = system.records[order]
        self.cell_of = system.cell_of[order]
        self.starts = np.searchsorted(self.cell_of, np.arange(system.cells))
        self.single = len(order) == system.cells
        self.known: dict[bytes, NDArray[Any]] = {}  # agreement of the claims of the round before

    def compare(self, closed: Values, occupied: Bools, dead: Bools) -> list[Extent]:
        """Each claim (a row) against what is known: which cells some witness occupies, and which are shown to be empty."""
        widths = (closed != BLANK).sum(axis=1)
        found: list[Extent] = []
        self.known, before = {}, self.known
        width = int(widths.max(initial=0))
        step = max(1, TOGETHER // (max(1, len(self.records)) + (1 << min(width, TABLE_WIDTH))))
        for start in range(0, len(closed), step):
            rows = closed[start : start + step]
            agree = self._agreements(rows, before)
            found += (self._by_table if width <= TABLE_WIDTH else self._one_by_one)(rows, agree, occupied, dead)
        return found

    def _agreements(self, closed: Values, before: dict[bytes, NDArray[Any]]) -> NDArray[Any]:
        keys = [row.tobytes() for row in closed]
        new = [i for i, key in enumerate(keys) if key not in before]
        if new:
            before.update(zip([keys[i] for i in new], agreements(self.records, closed[new]), strict=True))
        kept = [before[key] for key in keys]
        if len(self.records) * (len(self.known) + len(kept)) <= 4 * TOGETHER:
            self.known.update(zip(keys, kept, strict=True))
        return np.stack(kept)

    def _by_table(self, closed: Values, agree: NDArray[Any], occupied: Bools, dead: Bools) -> list[Extent]:
        """With a table over all subsets of the closed columns for each claim."""
        count, at = len(closed), np.arange(len(closed))
        named = closed != BLANK
        width = int(named.sum(axis=1).max(initial=0))
        full = (1 << named.sum(axis=1)) - 1
        blocked = np.zeros((count, 1 << width), dtype=bool)
        blocked[at[:, None], agree[:, occupied[self.cell_of]]] = True
        blocked[at, full] = False
        alike = blocked.copy()
        close_downwards(alike, width)
        alike[at, full] = True
        telling = np.take_along_axis(~alike, agree, axis=1)
        match = agree == full[:, None]
        whole, touched, telling = self._cells(match, telling)
        cut = touched & ~whole
        doubt = (telling | cut) & ~occupied & ~dead
        refuted: Bools = np.asarray((cut & occupied).any(axis=1))
        some = np.flatnonzero
        return [
            Extent(some(named[i]), some(whole[i]), some(doubt[i]), some(blocked[i]), bool(refuted[i])) for i in range(count)
        ]

    def _one_by_one(self, closed: Values, agree: NDArray[Any], occupied: Bools, dead: Bools) -> list[Extent]:
        """For claims over so many columns that a table of all subsets is too large."""
        found = []
        for row, masks in zip(closed, agree, strict=True):
            columns = np.flatnonzero(row != BLANK)
            full = (1 << len(columns)) - 1
            kinds = np.unique(masks).astype(np.int64)
            known = np.unique(masks[occupied[self.cell_of]]).astype(np.int64)
            blocked = known[known != full]
            telling = kinds[~inside_any(kinds, blocked) & (kinds != full)]
            whole, some, apart = (part[0] for part in self._cells((masks == full)[None, :], np.isin(masks, telling)[None, :]))
            cut = some & ~whole
            doubt = (apart | cut) & ~occupied & ~dead
            found.append(
                Extent(columns, np.flatnonzero(whole), np.flatnonzero(doubt), blocked, bool((cut & occupied).any()))
            )
        return found

    def _cells(self, match: Bools, telling: Bools) -> tuple[Bools, Bools, Bools]:
        """From records to cells: all of them match, some of them match, some of them tell forms apart."""
        if self.single:
            return match, match, telling
        if not len(self.starts):
            return match[:, :0], match[:, :0], telling[:, :0]
        return (
            np.logical_and.reduceat(match, self.starts, axis=1),
            np.logical_or.reduceat(match, self.starts, axis=1),
            np.logical_or.reduceat(telling, self.starts, axis=1),
        )


def agreements(records: NDArray[np.int16], closed: Values) -> NDArray[Any]:
    """For each claim and each record, the bit mask of the claimed columns whose value the record has."""
    named = closed != BLANK
    width = int(named.sum(axis=1).max(initial=0))
    if width > MAX_COLUMNS:
        raise TooLargeError(f"a claim over {width} columns is certain; audits handle {MAX_COLUMNS}; leave out columns")
    kind = np.int16 if width < 16 else np.int64
    agree: NDArray[Any] = np.zeros((len(closed), len(records)), dtype=kind)
    shift = (np.cumsum(named, axis=1) - 1).astype(kind)
    for column in np.flatnonzero(named.any(axis=0)):
        bit = np.where(named[:, column], np.left_shift(1, shift[:, column], dtype=kind), 0).astype(kind)
        agree |= (records[:, column] == closed[:, column, None]) * bit[:, None]
    return agree


def agreement(system: LinearSystem, closed: Values, columns: Ints) -> NDArray[Any]:
    """For each live record, the bit mask of the given columns on which it agrees with the claim."""
    asked = np.full_like(closed, BLANK)
    asked[columns] = closed[columns]
    return np.asarray(agreements(system.records, asked[None, :])[0])
