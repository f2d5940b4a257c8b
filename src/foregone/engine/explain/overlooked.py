"""Kinds of record that a sum of statements gets wrong: found column by column, without listing all records.

A *kind* is a choice of one atom in each column. A sum of statements gives each kind a value. Kinds whose value is above
0, and that no zero and no rule excludes, are what a proof overlooks; if there are none, the proof holds for every record
there can be, and the zeros that were needed to see it are part of the proof.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from foregone.model.errors import TooLargeError
from foregone.solvers.arrays import Bools, Ints

Words = NDArray[np.uint64]
Allows = Sequence[Bools]
"""For each column, which of its atoms each box allows: box, atom."""

MOST_STATES = 200_000
MOST_WORDS = 20_000_000  # 64-bit words held at once
MOST_FOUND = 60


@dataclass(frozen=True, slots=True)
class Overlooked:
    """Kinds of record with a value above 0 that nothing excludes: a row of atoms each, -1 where any atom will do."""

    atoms: Ints


@dataclass(frozen=True, slots=True)
class Excluded:
    """There are none, because of these zeros (numbers of boxes)."""

    zeros: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Boxes:
    """The boxes of one question, those that count first, then the zeros, then the rules; as bits in 64-bit words."""

    allows: Allows
    ids: Ints
    values: Ints  # of the boxes that count
    zeros: int
    words: int

    @property
    def counted(self) -> int:
        return len(self.values)

    def mask(self, chosen: Ints) -> Words:
        bits = np.zeros(64 * self.words, dtype=bool)
        bits[chosen] = True
        return np.packbits(bits, bitorder="little").view(np.uint64)

    def groups(self, column: int) -> tuple[Words, Ints]:
        """Atoms of a column that the boxes tell apart: which boxes allow them, and one atom of each group."""
        allowed = self.allows[column][self.ids]
        packed = np.zeros((allowed.shape[1], 8 * self.words), dtype=np.uint8)
        packed[:, : (len(self.ids) + 7) // 8] = np.packbits(allowed, axis=0, bitorder="little").T
        first: dict[bytes, int] = {}
        for atom, row in enumerate(packed):
            first.setdefault(row.tobytes(), atom)
        atoms = np.array(list(first.values()), dtype=np.int64)
        return packed[atoms].view(np.uint64), atoms


def overlooked(
    allows: Allows, boxes: Ints, values: Ints, constant: int, zeros: Ints, rules: Ints
) -> Overlooked | Excluded:
    """Kinds for which the constant and the values of the boxes they are in add up to more than 0, outside all zeros and rules.

    States are kinds as far as columns were looked at. Those that are in the same boxes so far, with the same value, are one
    state; a state that a zero or a rule has swallowed, or whose value can no longer be above 0, is dropped.
    """
    ids = np.concatenate([boxes, zeros, rules]).astype(np.int64)
    known = _Boxes(allows, ids, values, len(zeros), max(1, (len(ids) + 63) // 64))
    limits = np.array([~table[ids].all(axis=1) for table in allows]).reshape(len(allows), len(ids))
    groups = {c: known.groups(c) for c in np.flatnonzero(limits.any(axis=1)).tolist()}
    order = _order(known, limits, {c: len(atoms) for c, (_, atoms) in groups.items()})
    last = np.full(len(ids), -1)
    for position, column in enumerate(order):
        last[limits[column]] = position
    free = np.flatnonzero(last < 0)
    used: list[int] = []
    if (free >= known.counted).any():  # a zero or a rule that holds every record
        return Excluded(tuple(int(ids[i]) for i in free[(free >= known.counted) & (free < known.counted + known.zeros)][:1]))
    states = known.mask(np.flatnonzero(last >= 0))[None, :]
    value = np.array([constant + int(values[free].sum())])
    trail: list[tuple[Ints, Ints]] = []
    for position, column in enumerate(order):
        table, atoms = groups[column]
        if len(states) * len(table) > MOST_STATES or len(states) * len(table) * known.words > MOST_WORDS:
            raise TooLargeError("too many kinds of record are possible to look at them all")
        states = (states[:, None, :] & table[None, :, :]).reshape(-1, known.words)
        value = np.repeat(value, len(table))
        done = np.flatnonzero(last == position)
        for i in done[done < known.counted].tolist():
            value = value + values[i] * _bit(states, i)
        keep = _promising(known, states, value, last, position)
        keep[keep] = _survive(known, states[keep], done[done >= known.counted], used)
        chosen = np.flatnonzero(keep)
        if not len(chosen):
            return Excluded(tuple(int(ids[i]) for i in used))
        states = states[chosen] & ~known.mask(done)
        value = value[chosen]
        first = _different(states, value)
        states, value = states[first], value[first]
        trail.append((chosen[first] // len(table), atoms[chosen[first] % len(table)]))
    wrong = np.flatnonzero(value > 0)
    if not len(wrong):
        return Excluded(tuple(int(ids[i]) for i in used))
    return Overlooked(_traced(len(allows), order, trail, wrong[np.argsort(-value[wrong], kind="stable")[:MOST_FOUND]]))


def _order(known: _Boxes, limits: Bools, sizes: Mapping[int, int]) -> list[int]:
    """Columns that some box restricts: first those with few groups of atoms that finish many zeros."""
    left = list(sizes)
    telling = limits[:, known.counted :]
    open_ = telling.sum(axis=0)
    order: list[int] = []
    while left:
        ready = dict(zip(left, (telling[left] & (open_ == 1)).sum(axis=1).tolist(), strict=True))
        best = min(left, key=lambda c: (sizes[c] / (1 + ready[c]), c))
        left.remove(best)
        order.append(best)
        open_ = open_ - telling[best]
    return order


def _bit(states: Words, i: int) -> Ints:
    return (states[:, i >> 6] >> np.uint64(i & 63) & np.uint64(1)).astype(np.int64)


def _promising(known: _Boxes, states: Words, value: Ints, last: Ints, position: int) -> Bools:
    """States whose value may still end up above 0."""
    best = value.copy()
    for i in np.flatnonzero((last[: known.counted] > position) & (known.values > 0)).tolist():
        best += known.values[i] * _bit(states, i)
    return best > 0


def _survive(known: _Boxes, states: Words, done: Ints, used: list[int]) -> Bools:
    """States that no zero and no rule has swallowed now; zeros needed for it, chosen greedily, are noted."""
    alive = np.ones(len(states), dtype=bool)
    rules = done[done >= known.counted + known.zeros]
    zeros = done[done < known.counted + known.zeros]
    if len(rules):
        alive &= ~(states & known.mask(rules)).any(axis=1)
    if not len(zeros) or not alive.any():
        return alive
    old = np.array([i for i in used if i in set(zeros.tolist())], dtype=np.int64)
    if len(old):
        alive &= ~(states & known.mask(old)).any(axis=1)
    at = np.flatnonzero(alive)
    some = states[at]
    dead = (some & known.mask(zeros)).any(axis=1)
    alive[at] = ~dead
    if not dead.any():
        return alive
    octets = np.ascontiguousarray(some[dead]).view(np.uint8)
    hit = (octets[:, zeros >> 3] >> (zeros & 7).astype(np.uint8) & 1).astype(bool).T
    while hit.any():
        best = int(np.argmax(hit.sum(axis=1)))
        used.append(int(zeros[best]))
        hit = hit[:, ~hit[best]]
    return alive


def _different(states: Words, value: Ints) -> Ints:
    """One of each kind of state."""
    keys = np.concatenate([states, value.astype(np.uint64)[:, None]], axis=1)
    whole = np.ascontiguousarray(keys).view(np.dtype((np.void, keys.dtype.itemsize * keys.shape[1]))).ravel()
    return np.sort(np.unique(whole, return_index=True)[1])


def _traced(columns: int, order: list[int], trail: list[tuple[Ints, Ints]], ends: Ints) -> Ints:
    """The atoms that led to some of the final states."""
    atoms = np.full((len(ends), columns), -1, dtype=np.int64)
    at = ends
    for column, (parent, atom) in zip(reversed(order), reversed(trail), strict=True):
        atoms[:, column] = atom[at]
        at = parent[at]
    return atoms
