"""Steps 2 and 3: group live records into cells and write the statistics as an exact linear system over them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from foregone.engine.system.atoms import Atoms
from foregone.engine.system.blueprint import NO_LIMIT, Blueprint, Bools, blueprint
from foregone.engine.system.implied import Exclusion
from foregone.engine.system.live import live_records
from foregone.engine.system.zeros import find_zeros
from foregone.model.errors import InputError
from foregone.model.predicate import Predicate
from foregone.model.release import Release

Ints = NDArray[np.int64]
Number = TypeVar("Number", np.int64, np.uint64, np.float64)

MAX_RECORDS = 2_000_000  # live records; about 1 GB at the peak of an audit


@dataclass(frozen=True, slots=True)
class LinearSystem:
    """One non-negative integer unknown per cell, one row per statistic: low <= sum of its cells <= high.

    Cells are classes of live records that belong to exactly the same statistics, so records of one cell can be
    exchanged freely. The matrix holds zeros and ones only and is stored by cell: cell j lies in the rows
    `members[starts[j]:starts[j + 1]]`.
    """

    release: Release
    atoms: Atoms
    records: NDArray[np.int16]  # live records as atom numbers
    cell_of: Ints  # live record -> cell
    starts: Ints
    members: Ints
    low: Ints
    high: Ints  # NO_LIMIT where a statistic has no upper limit
    low_source: Ints  # row -> statistic that gives its low, and its high
    high_source: Ints
    cover: Ints  # rows that together touch every cell and have upper limits: they bound the number of records
    exclusions: tuple[Exclusion, ...]  # implied zeros that were used

    @property
    def cells(self) -> int:
        return len(self.starts) - 1

    @property
    def rows(self) -> int:
        return len(self.low)

    @property
    def largest(self) -> int:
        """An upper limit on the number of records."""
        return int(self.high[self.cover].sum())

    def columns(self, cells: Ints) -> NDArray[np.int64]:
        matrix = np.zeros((self.rows, len(cells)), dtype=np.int64)
        at, sizes = self.members_of(cells)
        matrix[self.members[at], np.repeat(np.arange(len(cells)), sizes)] = 1
        return matrix

    def tabulate(self, counts: Ints) -> Ints:
        """Row sums of a dataset given by its count in each cell."""
        return np.asarray(self.tabulate_each(counts[None, :])[0])

    def tabulate_each(self, counts: Ints) -> Ints:
        """The same for several datasets, one per row."""
        dataset, cells = counts.nonzero()
        at, sizes = self.members_of(cells)
        row = np.repeat(dataset * self.rows, sizes) + self.members[at]
        # bincount adds in floating point, which is exact for whole numbers of this size
        sums = np.bincount(row, np.repeat(counts[dataset, cells], sizes), len(counts) * self.rows)
        return sums.astype(np.int64).reshape(len(counts), self.rows)

    def combine(self, multipliers: NDArray[Number]) -> NDArray[Number]:
        """For each cell, the sum of the multipliers of the rows it lies in (exact integers)."""
        # every cell lies in at least one row of the cover, so no segment is empty
        if not self.cells:
            return np.zeros(0, dtype=multipliers.dtype)
        return np.asarray(np.add.reduceat(multipliers[self.members], self.starts[:-1]))

    def part(self, kept: Bools) -> LinearSystem:
        """The same rows over some of the cells."""
        if kept.all():
            return self
        cells = np.flatnonzero(kept)
        at, sizes = self.members_of(cells)
        starts = np.concatenate([[0], np.cumsum(sizes)])
        return replace(self, starts=starts, members=self.members[at])

    def members_of(self, cells: Ints) -> tuple[Ints, Ints]:
        """Where the rows of some cells stand in `members`, and how many each has."""
        sizes = self.starts[cells + 1] - self.starts[cells]
        return np.repeat(self.starts[cells] - np.cumsum(sizes) + sizes, sizes) + np.arange(sizes.sum()), sizes

    def room(self) -> Ints:
        """For each cell, the tightest upper limit among its rows."""
        return np.minimum.reduceat(self.high[self.members], self.starts[:-1]) if self.cells else self.starts[:0]

    def consistent(self, counts: Ints) -> Bools:
        """Which datasets, each a row of whole-number counts in the cells, match every statistic?"""
        sums = self.tabulate_each(counts)
        fits = ((sums >= self.low) & (sums <= self.high)).all(axis=1)
        return np.asarray(fits & (counts >= 0).all(axis=1))

    def extent(self, predicate: Predicate) -> tuple[Bools, Bools]:
        """Live records all of whose values match, and live records some of whose values match."""
        inside = np.ones(len(self.records), dtype=bool)
        touching = np.ones(len(self.records), dtype=bool)
        for column, mask in predicate.masks(self.release.domain).items():
            groups = self.atoms.groups[column]
            inside &= np.array([group & ~mask == 0 for group in groups])[self.records[:, column]]
            touching &= np.array([group & mask != 0 for group in groups])[self.records[:, column]]
        return inside, touching

    def footprint(self, predicate: Predicate) -> tuple[Bools, Bools]:
        """Cells wholly inside the predicate (they give its least count) and cells touching it (its greatest)."""
        inside, touching = self.extent(predicate)
        whole = np.ones(self.cells, dtype=bool)
        whole[self.cell_of[~inside]] = False
        some = np.zeros(self.cells, dtype=bool)
        some[self.cell_of[touching]] = True
        return whole, some


def compile_release(release: Release, max_records: int = MAX_RECORDS) -> LinearSystem:
    """From published numbers to integers: atoms, zeros, live records, cells, rows."""
    plan = blueprint(release.workload)
    low, high = plan.numbers(release)
    zeros = find_zeros(plan, low, high)
    records = live_records(plan.atoms, zeros, max_records)
    signature = _signatures(plan, records, high > 0)
    cell_of, first = _group(signature)
    active = np.flatnonzero(high > 0)
    octets = np.ascontiguousarray(signature[first].view(np.uint8).T)
    member = (octets[active >> 3] >> (active & 7).astype(np.uint8)[:, None] & 1).astype(bool)
    return _system(release, plan.atoms, records, cell_of, member, active, low, high, zeros.exclusions)


def _signatures(plan: Blueprint, records: NDArray[np.int16], active: Bools) -> NDArray[np.uint64]:
    """For each record, one bit per statistic that is not a plain zero: does it match? 64 statistics to a word."""
    words = plan.words[0].shape[1]
    used = np.zeros(64 * words, dtype=bool)
    used[: len(active)] = active
    signature = np.tile(np.packbits(used, bitorder="little").view(np.uint64), (len(records), 1))
    for column, table in enumerate(plan.words):
        signature &= table[records[:, column]]
    return signature


def _group(signature: NDArray[np.uint64]) -> tuple[Ints, Ints]:
    """Number the different signatures in the order in which they first occur."""
    _, first, cell = np.unique(signature @ _weights(signature.shape[1]), return_index=True, return_inverse=True)
    if (signature != signature[first[cell]]).any():  # two different signatures with one sum: next to never
        _, first, cell = np.unique(signature, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return rank[cell].astype(np.int64), first[order].astype(np.int64)


@cache
def _weights(words: int) -> NDArray[np.uint64]:
    return np.random.default_rng(0).integers(0, np.iinfo(np.uint64).max, words, dtype=np.uint64) | np.uint64(1)


def _system(
    release: Release,
    atoms: Atoms,
    records: NDArray[np.int16],
    cell_of: Ints,
    member: Bools,
    active: Ints,
    low: Ints,
    high: Ints,
    exclusions: tuple[Exclusion, ...],
) -> LinearSystem:
    """Merge statistics that touch the same cells into one row with the tightest limits; `member` has a row for each active one."""
    rows: dict[bytes, tuple[int, list[int]]] = {}
    for at, (i, cells) in enumerate(zip(active.tolist(), np.packbits(member, axis=1), strict=True)):
        rows.setdefault(cells.tobytes(), (at, []))[1].append(i)
    lows, highs = low.tolist(), high.tolist()
    kept, least, most = [], [], []
    for at, group in rows.values():
        # on ties prefer an exact statistic, so that a row that one of them fixes has a single source
        lower = max(group, key=lambda i: (lows[i], -highs[i]))
        upper = min(group, key=lambda i: (highs[i], -lows[i]))
        # two that contradict each other stay rows of their own, so that a combination of rows can show it
        pairs = [(lower, upper)] if lows[lower] <= highs[upper] else [(lower, lower), (upper, upper)]
        kept += [at] * len(pairs)
        least += [pair[0] for pair in pairs]
        most += [pair[1] for pair in pairs]
    matrix = member[kept]
    members = np.nonzero(matrix.T)[1]
    starts = np.concatenate([[0], np.cumsum(matrix.sum(axis=0))])
    low_source, high_source = np.array(least, dtype=np.int64), np.array(most, dtype=np.int64)
    return LinearSystem(
        release,
        atoms,
        records,
        cell_of,
        starts.astype(np.int64),
        members.astype(np.int64),
        low[low_source],
        high[high_source],
        low_source,
        high_source,
        _cover(matrix, high[high_source], records, cell_of, release, atoms),
        exclusions,
    )


def _cover(
    matrix: Bools, high: Ints, records: NDArray[np.int16], cell_of: Ints, release: Release, atoms: Atoms
) -> Ints:
    """Greedily, rows with upper limits that touch every cell; without them counts could grow without end."""
    open_ = np.ones(matrix.shape[1], dtype=bool)
    usable = high < NO_LIMIT
    chosen: list[int] = []
    gain = np.where(usable, matrix.sum(axis=1), 0)
    while open_.any():
        if chosen:
            gain = np.where(usable, matrix[:, open_].sum(axis=1), 0)
        if not gain.any():
            record = records[np.flatnonzero(open_[cell_of])[0]]
            example = ", ".join(f"{c.name}={atoms.code(i, record[i])}" for i, c in enumerate(release.domain.columns))
            raise InputError(
                "the number of records has no upper limit: nothing published bounds the records with"
                f" {example}; publish the number of records (a row with no column filled in) or an upper limit"
            )
        best = int(np.lexsort((high, -gain))[0])
        chosen.append(best)
        open_ &= ~matrix[best]
    return np.array(chosen, dtype=np.int64)


def conditions(system: LinearSystem, record: Mapping[int, int]) -> Predicate:
    """Column -> atom as a predicate over the atoms' codes."""
    domain = system.release.domain
    return Predicate.of(
        {domain.columns[c].name: domain.columns[c].codes_of(system.atoms.groups[c][a]) for c, a in record.items()}
    )
