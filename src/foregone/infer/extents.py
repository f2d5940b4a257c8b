"""Which cells a closed claim selects, which forms say the same thing, and which cells could still set them apart."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from foregone.compile.system import LinearSystem
from foregone.errors import TooLargeError
from foregone.infer.candidates import BLANK, Values

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

MAX_COLUMNS = 62  # bits of a mask
TABLE_WIDTH = 16  # up to this many columns, forms are looked up in a table of all subsets


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
    kinds: Ints  # the different masks
    whole: Ints  # cells that match wholly
    cut: Ints  # cells that match in part


class Extents:
    """Compares closed claims with the live records; the shape of a claim is worked out once."""

    def __init__(self, system: LinearSystem) -> None:
        self.system = system
        self.sizes = np.bincount(system.cell_of, minlength=system.cells)
        self.shapes: dict[bytes, Shape] = {}

    def shape(self, closed: Values) -> Shape:
        key = closed.tobytes()
        if key not in self.shapes:
            system = self.system
            columns = np.flatnonzero(closed != BLANK)
            agree = agreement(system, closed, columns)
            hits = np.bincount(system.cell_of[agree == (1 << len(columns)) - 1], minlength=system.cells)
            whole = hits == self.sizes
            kinds = distinct(agree, len(columns))
            self.shapes[key] = Shape(columns, agree, kinds, np.flatnonzero(whole), np.flatnonzero((hits > 0) & ~whole))
        return self.shapes[key]

    def extent(self, closed: Values, occupied: Bools, dead: Bools, possible: Ints) -> Extent:
        """The claim against what is known: `possible` lists the live records of occupied cells."""
        shape, system = self.shape(closed), self.system
        full = (1 << len(shape.columns)) - 1
        known = distinct(shape.agree[possible], len(shape.columns))
        blocked = known[known != full]
        telling = shape.kinds[~inside_any(shape.kinds, blocked)]
        telling = telling[telling != full]
        doubt = np.zeros(system.cells, dtype=bool)
        doubt[shape.cut] = True
        if len(telling):
            doubt[system.cell_of[np.isin(shape.agree, telling)]] = True
        doubt &= ~occupied & ~dead
        return Extent(shape.columns, shape.whole, np.flatnonzero(doubt), blocked, bool(occupied[shape.cut].any()))


def distinct(masks: NDArray[Any], width: int) -> Ints:
    """The different masks among many, without sorting when a table of all masks is small."""
    if width <= TABLE_WIDTH:
        seen = np.zeros(1 << width, dtype=bool)
        seen[masks] = True
        return np.flatnonzero(seen)
    return np.unique(masks).astype(np.int64)


def agreement(system: LinearSystem, closed: Values, columns: Ints) -> NDArray[Any]:
    """For each live record, the bit mask of the claimed columns whose value it has."""
    if len(columns) > MAX_COLUMNS:
        raise TooLargeError(f"a claim over {len(columns)} columns is certain; audits handle {MAX_COLUMNS}; leave out columns")
    agree: NDArray[Any] = np.zeros(len(system.records), dtype=np.int16 if len(columns) < 16 else np.int64)
    for bit, column in enumerate(columns):
        same = (system.records[:, column] == closed[column]).astype(agree.dtype)
        agree = agree | np.left_shift(same, bit, dtype=agree.dtype)
    return agree


def inside_any(masks: Ints, containers: Ints) -> Bools:
    """Which masks are subsets of at least one container."""
    inside = np.zeros(len(masks), dtype=bool)
    for container in containers:
        inside |= masks & ~container == 0
    return inside


def maximal(masks: Ints) -> list[int]:
    """The masks that are not inside another one."""
    kept: list[int] = []
    for mask in sorted((int(m) for m in masks), key=lambda m: (-m.bit_count(), m)):
        if all(mask & ~other for other in kept):
            kept.append(mask)
    return kept


def count_forms(width: int, blocked: Ints) -> list[int]:
    """How many subsets of each size 0..width of the closed columns say the same as the closed claim.

    >>> count_forms(3, np.array([0b011, 0b100]))  # {a,c}, {b,c} and {a,b,c}
    [0, 0, 2, 1]
    """
    if width <= TABLE_WIDTH:
        forms = np.flatnonzero(_form_table(width, blocked))
        sizes = np.bitwise_count(forms)
        return [int(n) for n in np.bincount(sizes, minlength=width + 1)]
    total = [comb(width, size) for size in range(width + 1)]
    for mask, size, sign in _inclusion_exclusion(maximal(blocked)):
        del mask
        for k in range(size + 1):
            total[k] -= sign * comb(size, k)
    return total


def _inclusion_exclusion(tops: list[int]) -> Iterator[tuple[int, int, int]]:
    """Intersections of blocked masks with their signs, equal intersections taken together so that few remain."""
    terms: dict[int, int] = {}
    for top in tops:
        new = {top: 1}
        for mask, weight in terms.items():
            new[mask & top] = new.get(mask & top, 0) - weight
        for mask, weight in new.items():
            terms[mask] = terms.get(mask, 0) + weight
            if not terms[mask]:
                del terms[mask]
    for mask, weight in terms.items():
        yield mask, mask.bit_count(), weight


def _form_table(width: int, blocked: Ints) -> Bools:
    inside = np.zeros(1 << width, dtype=bool)
    inside[blocked] = True
    for bit in range(width):  # a subset of a blocked mask is blocked
        pairs = inside.reshape(-1, 2, 1 << bit)
        pairs[:, 0] |= pairs[:, 1]
    return ~inside


def list_forms(width: int, blocked: Ints, most: int) -> list[int]:
    """The forms with at most `most` columns, as bit masks."""
    if width <= TABLE_WIDTH:
        forms = np.flatnonzero(_form_table(width, blocked))
        return [int(form) for form in forms[np.bitwise_count(forms) <= most]]
    tops = maximal(blocked)
    found = []
    for size in range(1, min(most, width) + 1):
        for chosen in combinations(range(width), size):
            form = sum(1 << bit for bit in chosen)
            if all(form & ~top for top in tops):
                found.append(form)
    return found


def minimal_forms(width: int, blocked: Ints) -> list[int]:
    """The shortest ways to say it: smallest sets of columns that leave every blocked mask (Berge's transversals)."""
    full = (1 << width) - 1
    found = [0]
    for top in maximal(blocked):
        outside = full & ~top
        hit = [form for form in found if form & outside]
        grown = {
            form | (1 << bit) for form in found if not form & outside for bit in range(width) if outside >> bit & 1
        }
        found = hit + [new for new in sorted(grown) if all(old & ~new for old in hit)]
        found = [form for form in found if not any(other != form and other & ~form == 0 for other in found)]
    return sorted(found, key=lambda form: (form.bit_count(), form))
