"""Which buckets a closed claim selects, which forms say the same thing, and which buckets could still set them apart."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from foregone.engine.claims.items import LayerItems, Values
from foregone.engine.claims.sides import Levels, Side, Sides, tables
from foregone.engine.system.linear import LinearSystem
from foregone.solvers.arrays import Bools, Ints

TABLE = 1 << 17  # entries of a table over all levels of a claim; claims with more are compared kind by kind
TOGETHER = 1 << 22  # entries looked at in one go when many claims are compared
KEPT = 1 << 26  # entries of shapes that are kept, those made last; four bytes each


@dataclass(frozen=True, slots=True)
class Extent:
    """A closed claim against the live records.

    `inner`: buckets all of whose records match. `doubt`: buckets not known to be possible that would tell some of the forms
    apart, or that the claim cuts through; the forms agree only if these are empty. `refuted`: it cuts through an
    occupied bucket.
    """

    inner: Ints
    doubt: Ints
    refuted: bool


@dataclass(frozen=True, slots=True)
class Shape:
    """What a closed claim looks like on the live records, whatever is known about them.

    How far a record agrees with a claim is a level on each of its axes. The *place* of a record tells all its levels:
    its place in a table over all levels, or, where such a table would be too large, the row of `listed` that has them. The
    last place is full agreement.
    """

    axes: tuple[Levels, ...]  # longer ones first
    sizes: tuple[int, ...]  # of the axes
    always: int  # items that every live record has: bit = layer
    place: NDArray[Any]  # for each live record
    places: int
    kinds: Ints  # the different places
    sure: Extent  # if no bucket is in doubt
    cut: Bools | None  # buckets that match in part, if any do
    listed: Ints | None = None


class Extents:
    """Compares closed claims with the live records, many at a time; the shapes of the last ones are kept for the next round."""

    def __init__(self, system: LinearSystem, items: LayerItems) -> None:
        self.system = system
        order = np.argsort(system.bucket_of, kind="stable")  # records of a bucket stand together
        self.records = system.records[order]
        self.bucket_of = system.bucket_of[order]
        self.starts = np.searchsorted(self.bucket_of, np.arange(system.buckets))
        self.single = len(order) == system.buckets
        self.sides = Sides(items, self.records)
        self.known: dict[bytes, Shape] = {}

    def compare(self, closed: Values, occupied: Bools, dead: Bools) -> list[Extent]:
        """Each claim (a row) against what is known: which buckets some witness occupies, and which are shown to be empty."""
        found: list[Extent] = []
        possible, open_ = occupied[self.bucket_of], ~(occupied | dead)
        for shapes in self._in_parts(closed):
            alike, starts = _alike(shapes, possible)
            kinds = np.concatenate([shape.kinds + start for shape, start in zip(shapes, starts, strict=True)])
            begins = np.cumsum([0, *(len(shape.kinds) for shape in shapes[:-1])])
            told = np.logical_and.reduceat(alike[kinds], begins).tolist()
            for shape, start, none in zip(shapes, starts, told, strict=True):
                if none and shape.cut is None:
                    found.append(shape.sure)
                    continue
                apart = np.zeros(self.system.buckets, dtype=bool) if shape.cut is None else shape.cut
                if not none:
                    apart = apart | self._buckets(~alike[shape.place + start], np.logical_or)
                refuted = shape.cut is not None and bool((shape.cut & occupied).any())
                found.append(Extent(shape.sure.inner, np.flatnonzero(apart & open_), refuted))
        return found

    def blocked(self, closed: Values, occupied: Bools) -> list[list[int]]:
        """For each claim the sets of items, as bit masks over layers, that some other possible record has of it.

        A form says the same as the claim exactly when its items are not all among one of these. Sets inside others
        are left out.
        """
        found: list[list[int]] = []
        possible = occupied[self.bucket_of]
        for shapes in self._in_parts(closed):
            alike, starts = _alike(shapes, possible)
            tops: dict[int, list[int]] = {}
            for same in _of_a_size(shapes, sorted(range(len(shapes)), key=starts.__getitem__)):
                first, last = starts[same[0]], starts[same[-1]] + shapes[same[-1]].places
                tops.update(zip(same, _greatest([shapes[i] for i in same], alike[first:last].reshape(len(same), -1)), strict=True))
            found += [tops[i] for i in range(len(shapes))]
        return found

    def _in_parts(self, closed: Values) -> Iterator[list[Shape]]:
        """The shapes of the claims, so many at a time as fit into memory together with their tables."""
        step = max(1, TOGETHER // (max(1, len(self.records)) + 256))
        for start in range(0, len(closed), step):
            shapes = self._shapes(closed[start : start + step])
            begin, total = 0, 0
            for i, shape in enumerate(shapes):
                if total and total + shape.places > TOGETHER:
                    yield shapes[begin:i]
                    begin, total = i, 0
                total += shape.places
            if shapes:
                yield shapes[begin:]

    def _shapes(self, closed: Values) -> list[Shape]:
        keys = [row.tobytes() for row in closed]
        new = [i for i, key in enumerate(keys) if key not in self.known]
        if new:
            self.known.update(zip([keys[i] for i in new], self._made(closed[new]), strict=True))
        found = [self.known[key] for key in keys]
        for key in list(self.known)[: max(0, len(self.known) - KEPT // max(1, len(self.records)))]:
            del self.known[key]
        return found

    def _made(self, closed: Values) -> list[Shape]:
        count, columns = len(closed), range(len(self.sides.sides))
        numbers = [self.sides.numbers(closed, c) for c in columns]
        sides = [[self.sides.sides[c][i] for i in numbers[c]] for c in columns]
        used = [c for c in columns if any(side.axes for side in sides[c])]
        made, which = {}, {}
        for c in used:
            different = {number: i for i, number in enumerate(dict.fromkeys(numbers[c]))}
            which[c] = np.array([different[number] for number in numbers[c]], dtype=np.int64)
            some = [self.sides.sides[c][i] for i in different]
            made[c] = tables(some, max(len(side.axes) for side in some))
        none = np.ones((count, 0), dtype=np.int64)
        sizes = np.concatenate([none, *(made[c][0][which[c]] for c in used)], axis=1)
        order = np.argsort(-sizes, axis=1, kind="stable")
        small = np.prod(sizes, axis=1, dtype=np.float64) <= TABLE
        strides = np.ones_like(sizes)  # of each axis; what is too large for a table is looked at by itself
        ordered = np.where(small[:, None], np.take_along_axis(sizes, order, axis=1), 1)
        np.put_along_axis(strides, order[:, :-1], np.cumprod(ordered[:, :0:-1], axis=1)[:, ::-1], axis=1)
        place = np.zeros((count, len(self.records)), dtype=np.int32)  # tables looked at together have fewer entries
        at = 0
        for c in used:
            levels = made[c][1]
            stride = strides[:, at : at + levels.shape[1]].astype(np.int32)
            at += levels.shape[1]
            table = levels[which[c], 0] * stride[:, :1]
            for a in range(1, levels.shape[1]):
                table += levels[which[c], a] * stride[:, a : a + 1]
            place += table.take(self.records[:, c], axis=1)
        lasts = np.prod(ordered, axis=1) - 1
        match = place == lasts[:, None]
        found = []
        for i in np.flatnonzero(~small).tolist():
            match[i] = np.logical_and.reduce([sides[c][i].allowed[self.records[:, c]] for c in columns])
        whole, some_ = self._buckets(match, np.logical_and), self._buckets(match, np.logical_or)
        cut: Bools = some_ & ~whole
        torn = np.asarray(cut.any(axis=1))
        nothing = np.zeros(0, dtype=np.int64)
        for i in range(count):
            axes, always = list[Levels](), 0
            for c in columns:
                axes += sides[c][i].axes
                always |= sides[c][i].always
            axes.sort(key=_length, reverse=True)
            sizes_ = tuple(map(_length, axes))
            sure = Extent(whole[i].nonzero()[0], nothing, False)
            row, total, listed = place[i], int(lasts[i]) + 1, None
            if not small[i]:
                listed, row = self._listed(axes, [sides[c][i] for c in columns])
                total = len(listed)
            kinds = np.bincount(row).nonzero()[0] if total <= 8 * len(row) else np.unique(row)
            found.append(Shape(tuple(axes), sizes_, always, row, total, kinds, sure, cut[i] if bool(torn[i]) else None, listed))
        return found

    def _listed(self, axes: list[Levels], sides: list[Side]) -> tuple[Ints, Ints]:
        """The different rows of levels that live records have on some axes, and the row of each record."""
        column = {id(axis): c for c, side in enumerate(sides) for axis in side.axes}
        levels = np.stack([axis.levels[self.records[:, column[id(axis)]]] for axis in axes], axis=1)
        listed, row = np.unique(levels, axis=0, return_inverse=True)
        return listed.astype(np.int64), row.reshape(-1)

    def _buckets(self, records: Bools, how: np.ufunc) -> Bools:
        """From records (along the last axis) to buckets: all of them, or some."""
        if self.single:
            return records
        return np.asarray(how.reduceat(records, self.starts, axis=-1)) if len(self.starts) else records[..., :0]


def _length(axis: Levels) -> int:
    return axis.size


def _alike(shapes: list[Shape], possible: Bools) -> tuple[Bools, list[int]]:
    """For each claim and each place, whether forms of the claim that records of this place match are already told apart
    from the claim by a record that is possible; the last place, which matches all forms, counts as alike.

    All claims are in one long table; where each of them begins is returned beside it.
    """
    order = sorted(range(len(shapes)), key=lambda i: (shapes[i].listed is not None, shapes[i].sizes))
    ends = np.cumsum([shapes[i].places for i in order]).tolist()
    starts = [0] * len(shapes)
    for i, end in zip(order, ends, strict=True):
        starts[i] = end - shapes[i].places
    alike = np.zeros(ends[-1], dtype=bool)
    tabled = [i for i in order if shapes[i].listed is None]
    if tabled:
        places = np.array([shapes[i].place for i in tabled])[:, possible]
        places += np.array([starts[i] for i in tabled], dtype=places.dtype)[:, None]
        alike[places.reshape(-1)] = True
    lasts = np.array(ends) - 1
    alike[lasts] = False
    for same in _of_a_size(shapes, tabled):
        first, last = starts[same[0]], starts[same[-1]] + shapes[same[-1]].places
        close_downwards(alike[first:last], shapes[same[0]].sizes)
    for i in order[len(tabled) :]:
        listed = shapes[i].listed
        assert listed is not None
        alike[starts[i] : starts[i] + len(listed)] = _alike_listed(listed, np.unique(shapes[i].place[possible]))
    alike[lasts] = True
    return alike, starts


def close_downwards(table: Bools, sizes: tuple[int, ...]) -> None:
    """In tables over all levels (one per row), mark every place whose levels are nowhere above those of a marked one."""
    after = 1
    for size in reversed(sizes):
        levels = table.reshape(-1, size, after)
        for level in range(size - 1, 0, -1):
            levels[:, level - 1] |= levels[:, level]
        after *= size


def _alike_listed(listed: Ints, known: Ints) -> Bools:
    """Which places, listed as rows of levels, are alike."""
    last = len(listed) - 1  # rows are sorted, and full agreement is the highest level on every axis
    rows = listed[known[known != last]]
    alike = np.zeros(len(listed), dtype=bool)
    for row in rows[np.argsort(-rows.sum(axis=1), kind="stable")]:
        if not (rows[(rows >= row).all(axis=1)].sum(axis=1) > row.sum()).any():  # the others follow from larger ones
            alike |= (listed <= row).all(axis=1)
    alike[last] = True
    return alike


def _of_a_size(shapes: list[Shape], order: list[int]) -> Iterator[list[int]]:
    """Neighbours in the order whose tables have the same axes; a shape whose places are listed stands alone."""
    for _, some in groupby(order, key=lambda i: (shapes[i].sizes, -1 if shapes[i].listed is None else i)):
        yield list(some)


def _greatest(shapes: list[Shape], alike: Bools) -> list[list[int]]:
    """For some claims (a row each) whose tables have the same axes, the items of the highest places that are alike, full
    agreement left out."""
    found: list[list[int]] = [[] for _ in shapes]
    first = shapes[0]
    if first.listed is not None:
        rows = first.listed[:-1][alike[0, :-1]]
        keep = [not ((rows >= row).all(axis=1) & (rows > row).any(axis=1)).any() for row in rows]
        levels, claims = rows[np.array(keep, dtype=bool)].tolist(), [0] * sum(keep)
    else:
        inside = alike.copy()
        inside[:, -1] = False
        top, after = inside.copy(), 1
        for size in reversed(first.sizes):
            top.reshape(-1, size, after)[:, :-1] &= ~inside.reshape(-1, size, after)[:, 1:]
            after *= size
        which, places = top.nonzero()
        claims = which.tolist()
        levels = np.stack(np.unravel_index(places, first.sizes), axis=1).tolist() if first.axes else [[]] * len(claims)
    for claim, row in zip(claims, levels, strict=True):
        had = [axis.had[level] for axis, level in zip(shapes[claim].axes, row, strict=True)]
        found[claim].append(sum(had, shapes[claim].always))
    return found
