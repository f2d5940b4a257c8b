"""Which cells a closed claim selects, which forms say the same thing, and which cells could still set them apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from foregone.engine.claims.closed_sets import BLANK, Values
from foregone.engine.claims.shorter_claims import TABLE_WIDTH, close_downwards, inside_any
from foregone.engine.system.linear import LinearSystem
from foregone.model.errors import TooLargeError

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

MAX_COLUMNS = 62  # bits of a mask
TOGETHER = 1 << 22  # entries looked at in one go when many claims are compared
KEPT = 1 << 26  # entries of shapes kept from one round to the next; four bytes each


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


@dataclass(frozen=True, slots=True)
class Shape:
    """What a closed claim looks like on the live records, whatever is known about them."""

    columns: Ints
    agree: NDArray[Any]  # for each live record, the bit mask of claimed columns it agrees on
    inner: Ints  # cells that match wholly
    cut: Bools | None  # cells that match in part, if any do
    kinds: Ints  # the different masks


class Extents:
    """Compares closed claims with the live records, many at a time; the shapes of a round are kept for the next."""

    def __init__(self, system: LinearSystem) -> None:
        self.system = system
        order = np.argsort(system.cell_of, kind="stable")  # records of a cell stand together
        self.records = system.records[order]
        self.cell_of = system.cell_of[order]
        self.starts = np.searchsorted(self.cell_of, np.arange(system.cells))
        self.single = len(order) == system.cells
        self.known: dict[bytes, Shape] = {}

    def compare(self, closed: Values, occupied: Bools, dead: Bools) -> list[Extent]:
        """Each claim (a row) against what is known: which cells some witness occupies, and which are shown to be empty."""
        found: list[Extent] = []
        self.known, before = {}, self.known
        width = int((closed != BLANK).sum(axis=1).max(initial=0))
        step = max(1, TOGETHER // (max(1, len(self.records)) + (1 << min(width, TABLE_WIDTH))))
        possible, open_ = occupied[self.cell_of], ~(occupied | dead)
        nothing = np.zeros(0, dtype=np.int64)
        for start in range(0, len(closed), step):
            rows = closed[start : start + step]
            shapes = self._shapes(rows, before)
            method = self._by_table if width <= TABLE_WIDTH else self._one_by_one
            for shape, (blocked, telling) in zip(shapes, method(rows, shapes, possible), strict=True):
                apart = telling if shape.cut is None else shape.cut if telling is None else shape.cut | telling
                doubt = nothing if apart is None else np.flatnonzero(apart & open_)
                refuted = shape.cut is not None and bool((shape.cut & occupied).any())
                found.append(Extent(shape.columns, shape.inner, doubt, blocked, refuted))
        return found

    def _shapes(self, closed: Values, before: dict[bytes, Shape]) -> list[Shape]:
        keys = [row.tobytes() for row in closed]
        new = [i for i, key in enumerate(keys) if key not in before]
        if new:
            agree = agreements(self.records, closed[new])
            match = agree == ((1 << (closed[new] != BLANK).sum(axis=1)) - 1)[:, None]
            whole, some = self._cells(match, np.logical_and), self._cells(match, np.logical_or)
            cut = some & ~whole
            for i, row, masks, inner, part in zip(new, closed[new] != BLANK, agree, whole, cut, strict=True):
                torn = part if part.any() else None
                before[keys[i]] = Shape(row.nonzero()[0], masks, inner.nonzero()[0], torn, distinct(masks))
        found = [before[key] for key in keys]
        if len(self.records) * (len(self.known) + len(found)) <= KEPT:
            self.known.update(zip(keys, found, strict=True))
        return found

    def _by_table(self, closed: Values, shapes: list[Shape], possible: Bools) -> list[tuple[Ints, Bools | None]]:
        """Blocked masks and cells that tell forms apart, with a table over all subsets of the columns of each claim."""
        count, at = len(closed), np.arange(len(closed))
        widths = (closed != BLANK).sum(axis=1)
        width = int(widths.max(initial=0))
        blocked = np.zeros((count, 1 << width), dtype=bool)
        blocked[at[:, None], np.stack([shape.agree[possible] for shape in shapes])] = True
        blocked[at, (1 << widths) - 1] = False
        alike = blocked.copy()
        close_downwards(alike, width)
        alike[at, (1 << widths) - 1] = True
        telling = [not alike[i, shape.kinds].all() for i, shape in enumerate(shapes)]
        return [
            (
                blocked[i].nonzero()[0],
                self._cells(~alike[i][shape.agree], np.logical_or) if telling[i] else None,
            )
            for i, shape in enumerate(shapes)
        ]

    def _one_by_one(self, closed: Values, shapes: list[Shape], possible: Bools) -> list[tuple[Ints, Bools | None]]:
        """The same for claims over so many columns that a table of all subsets is too large."""
        found: list[tuple[Ints, Bools | None]] = []
        for row, shape in zip(closed, shapes, strict=True):
            full = (1 << int((row != BLANK).sum())) - 1
            known = distinct(shape.agree[possible])
            blocked = known[known != full]
            telling = shape.kinds[~inside_any(shape.kinds, blocked) & (shape.kinds != full)]
            found.append((blocked, self._cells(np.isin(shape.agree, telling), np.logical_or)))
        return found

    def _cells(self, records: Bools, how: np.ufunc) -> Bools:
        """From records (along the last axis) to cells: all of them, or some."""
        if self.single:
            return records
        return np.asarray(how.reduceat(records, self.starts, axis=-1)) if len(self.starts) else records[..., :0]


def distinct(masks: NDArray[Any]) -> Ints:
    """The different masks among many; short masks are looked up rather than sorted."""
    if masks.dtype == np.int16:
        return np.bincount(masks).nonzero()[0]
    return np.unique(masks).astype(np.int64)


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
