"""The independent parts of a system: groups of buckets that no statement ties together.

*Definition.* Two buckets are tied when a row that limits something touches both, or an either-or does. The parts are the classes of
buckets that are tied through others. A dataset then fits the system exactly when what it has in each part fits that part: datasets
that fit are all combinations of datasets of the parts. So the least and the greatest value of a sum are the sums of the parts'
own, a count is certain exactly when it is in every part, and nothing fits as soon as nothing fits one part.

*What does not tie.* A row without limits, or one that says "at least 0" of a count, says nothing. And a row may be replaced by
its difference to other rows that are exact and stay: a total T together with exact counts d1, ..., dn of some of its records says
the same as T - d1 - ... - dn together with them, because either row is the other one plus or minus numbers that are known. A total
of exact counts that have all its records between them turns into 0 = 0 and goes; a total of all districts but one becomes a
statement about that one. Rows are replaced only where that keeps parts apart.

Buckets that no row limits can hold any number of records. They form one part of their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from foregone.engine.system.clauses import Clauses
from foregone.engine.system.linear import LinearSystem, with_cover
from foregone.engine.system.witness import Witness
from foregone.solvers.answer import NO_LIMIT
from foregone.solvers.arrays import Bools, Ints, order_of

LAST = 1024  # rows that are looked at as possible totals of others: those that touch most buckets
WORK = 50_000_000  # entries of rows that may be compared for it


@dataclass(frozen=True, slots=True)
class IndependentPart:
    """One part as a system of its own, and how it lies in the whole."""

    system: LinearSystem
    buckets: Ints  # its buckets as the whole numbers them, ascending
    rows: Ints  # of each of its rows, the row of the whole that it is
    less: tuple[tuple[int, Ints], ...]  # rows of its own that have exact rows of the whole taken off, and which
    clauses: Ints  # its either-ors as the whole numbers them

    def objective(self, whole: Ints) -> Ints:
        """A sum of the whole, as far as it is about this part."""
        return whole[self.buckets]

    def inside(self, witness: Witness) -> Witness:
        """What a dataset of the whole has here."""
        return witness.within(self.buckets)

    def multipliers(self, own: Ints, rows: int) -> Ints:
        """Multipliers of its rows as multipliers of the rows of the whole, of which there are so many."""
        made = np.zeros(rows, dtype=np.int64)
        made[self.rows] = own
        for row, gone in self.less:
            made[gone] -= own[row]
        return made


def together(parts: Sequence[IndependentPart], witnesses: Sequence[Witness]) -> Witness:
    """A dataset of the whole from one of each part."""
    buckets = np.concatenate([part.buckets[witness.buckets] for part, witness in zip(parts, witnesses, strict=True)])
    return Witness.of_counts(buckets, np.concatenate([witness.counts for witness in witnesses]))


def connected(buckets: int, bucket: Ints, row: Ints) -> Ints:
    """For each bucket the smallest one that it is tied to, where bucket[i] lies in row[i]."""
    group = np.arange(buckets)
    if not len(bucket):
        return group
    _, row = np.unique(row, return_inverse=True)
    while True:  # the smallest number goes from bucket to row to bucket until nothing changes
        of_row = np.full(int(row.max()) + 1, buckets)
        np.minimum.at(of_row, row, group[bucket])
        new = group.copy()
        np.minimum.at(new, bucket, of_row[row])
        new = new[new]
        if (new == group).all():
            return group
        group = new


def parts_of(system: LinearSystem) -> tuple[IndependentPart, ...]:
    """The independent parts, in the order of their first buckets; the system alone where it does not fall apart.

    A system with a row that no dataset can keep because it touches nothing is not taken apart, nor is one whose rows no release
    states, such as the one about two datasets side by side.
    """
    found = _divided(system) if len(system.low_source) == system.rows else None
    return tuple(_made(system, found)) if found is not None else (_whole(system),)


def _whole(system: LinearSystem) -> IndependentPart:
    return IndependentPart(system, np.arange(system.buckets), np.arange(system.rows), (), np.arange(len(system.clauses)))


@dataclass(frozen=True, slots=True)
class _Divided:
    """Which part each bucket and each row is in (-1: a row that is in none), by first buckets, and what is taken off rows."""

    bucket: Ints
    row: Ints
    less: dict[int, Ints]


@dataclass(frozen=True, slots=True)
class _Total:
    """A row that touches several groups of buckets: exact rows make up all that it has in some, and `left` are the others."""

    row: int
    off: Ints
    left: Ints


class _Entries:
    """The matrix of a system by bucket and by row."""

    def __init__(self, system: LinearSystem) -> None:
        self.system, self.row = system, system.members
        self.bucket = system.bucket_of_member
        self.sizes = np.bincount(self.row, minlength=system.rows)
        self._order, self._ends = order_of(self.row), np.cumsum(self.sizes)
        # rows that limit nothing: no end, or at least 0 of a count
        self.idle = (system.high == NO_LIMIT) & (system.low <= 0)
        self.count = np.ones(system.rows, dtype=bool)  # rows in which all weights are 1
        if system.weights is not None:
            self.idle[self.row[system.weights < 0]] = False
            self.idle |= (system.high == NO_LIMIT) & (system.low == -NO_LIMIT)
            self.count[self.row[system.weights != 1]] = False

    def buckets_of(self, row: int) -> Ints:
        return self.bucket[self._order[self._ends[row] - self.sizes[row] : self._ends[row]]]

    def tied(self, aside: Ints) -> Ints:
        """Groups of buckets that the rows tie which are not left aside, by their first buckets."""
        system = self.system
        away = self.idle.copy()
        away[aside] = True
        stays = ~away[self.row]
        loose, clauses = self.loose, len(system.clauses)
        buckets, rows = [self.bucket[stays], loose], [self.row[stays], np.full(len(loose), system.rows)]
        if clauses:
            clause, bucket = np.nonzero(system.clauses.weights.reshape(clauses, 2, -1).any(axis=1))
            buckets, rows = [*buckets, bucket], [*rows, system.rows + 1 + clause]
        return connected(system.buckets, np.concatenate(buckets), np.concatenate(rows))

    @property
    def loose(self) -> Ints:
        """Buckets that no row limits."""
        return np.flatnonzero(np.bincount(self.bucket[~self.idle[self.row]], minlength=self.system.buckets) == 0)


def _divided(system: LinearSystem) -> _Divided | None:
    """None where the system does not fall apart.

    The rows that touch most buckets come last, one after another, small ones first: each ties what it touches together, unless
    exact rows that came before it make up all that it has of a group of buckets.
    """
    entries = _Entries(system)
    if ((entries.sizes == 0) & ((system.low > 0) | (system.high < 0))).any():
        return None  # nothing fits
    last = np.argsort(np.where(entries.idle, 0, entries.sizes), kind="stable")[-LAST:]
    last = last[~entries.idle[last] & (entries.sizes[last] > 0)]  # a row that touches nothing ties nothing
    group, totals, work = entries.tied(last), list[_Total](), 0
    exact = entries.count & ~entries.idle & (system.low == system.high) & (entries.sizes > 0)
    exact[last] = False
    for row in last.tolist():
        if not group.any():
            return None
        touched = entries.buckets_of(row)
        left, off = np.unique(group[touched]), list[int]()
        if len(left) > 1 and entries.count[row] and work <= WORK:
            at, _ = system.members_of(touched)
            work += len(at)
            off, left = _taken_off(entries, exact, group, row, system.members[at])
            if not len(left) and not system.low[row] <= sum(system.low[off].tolist()) <= system.high[row]:
                left, off = np.unique(group[touched]), []  # it contradicts its parts: they stay together, to say so
        if off:
            totals.append(_Total(row, np.array(off, dtype=np.int64), left))
        else:
            exact[row] = entries.count[row] and system.low[row] == system.high[row]
        group[np.isin(group, left)] = left.min(initial=system.buckets)
    return _joined(entries, group, totals) if group.any() else None


def _taken_off(entries: _Entries, exact: Bools, group: Ints, total: int, met: Ints) -> tuple[list[int], Ints]:
    """Exact rows that share no bucket and make up all that a row has of some groups of buckets; and the groups that are left.

    `met` are the rows that its buckets lie in, as often as they do.
    """
    inside = np.flatnonzero(exact & (np.bincount(met, minlength=len(exact)) == entries.sizes))
    open_ = np.zeros(len(group), dtype=bool)
    open_[entries.buckets_of(total)] = True
    off = []
    for row in inside[np.argsort(-entries.sizes[inside], kind="stable")].tolist():  # large ones first
        some = entries.buckets_of(row)
        if open_[some].all():
            open_[some] = False
            off.append(row)
    left = np.unique(group[open_])
    return [row for row in off if group[entries.buckets_of(row)[0]] not in left], left


def _joined(entries: _Entries, part: Ints, totals: list[_Total]) -> _Divided:
    """A total is in the part that is left of it, less the exact rows of all others; in none if nothing is left."""
    limiting = ~entries.idle[entries.row]
    of_row = np.full(entries.system.rows, -1)
    of_row[entries.row[limiting]] = part[entries.bucket[limiting]]
    loose = np.isin(entries.bucket, entries.loose)
    of_row[entries.row[loose]] = part[entries.bucket[loose]]
    less: dict[int, Ints] = {}
    for total in totals:  # groups may have been joined since
        homes = np.unique(part[total.left] if len(total.left) else part[entries.buckets_of(total.row)])
        of_row[total.row] = homes[0] if len(homes) == 1 else -1
        if len(homes) == 1:
            less[total.row] = total.off[[part[entries.buckets_of(row)[0]] != homes[0] for row in total.off.tolist()]]
    return _Divided(part, of_row, less)


def _made(system: LinearSystem, found: _Divided) -> Iterator[IndependentPart]:
    """The parts as systems."""
    entries = _Entries(system)
    stays = np.flatnonzero(found.row[entries.row] == found.bucket[entries.bucket])
    labels = found.bucket[entries.bucket[stays]]
    stays = stays[np.argsort(labels, kind="stable")]
    names, begins = np.unique(np.sort(labels), return_index=True)
    of_record = found.bucket[system.bucket_of]
    records = np.argsort(of_record, kind="stable")
    record_ends = np.searchsorted(of_record[records], names, side="right").tolist()
    buckets_by_part = np.argsort(found.bucket, kind="stable")
    bucket_ends = np.searchsorted(found.bucket[buckets_by_part], names, side="right").tolist()
    place = np.empty(system.buckets, dtype=np.int64)
    clause_part = _clause_parts(system, found)
    first_record = first_bucket = 0
    for name, begin, end, last_record, last_bucket in zip(
        names.tolist(), begins.tolist(), [*begins.tolist()[1:], len(stays)], record_ends, bucket_ends, strict=True
    ):
        buckets, at, mine = buckets_by_part[first_bucket:last_bucket], stays[begin:end], records[first_record:last_record]
        first_record, first_bucket = last_record, last_bucket
        place[buckets] = np.arange(len(buckets))
        rows, members = np.unique(entries.row[at], return_inverse=True)
        low, high = system.low[rows], system.high[rows]
        low, high = np.where(entries.idle[rows], -NO_LIMIT, low), np.where(entries.idle[rows], NO_LIMIT, high)
        less = []
        for row in np.flatnonzero(np.isin(rows, list(found.less))).tolist():
            off = found.less[int(rows[row])]
            gone = system.low[off].sum()
            low[row] -= 0 if low[row] == -NO_LIMIT else gone
            high[row] -= 0 if high[row] == NO_LIMIT else gone
            less.append((row, off))
        clauses = np.flatnonzero(clause_part == name)
        weights = system.clauses.weights.reshape(-1, 2, system.buckets)[clauses][:, :, buckets].reshape(-1, len(buckets))
        part = replace(
            system,
            records=system.records[mine],
            bucket_of=place[system.bucket_of[mine]],
            starts=np.concatenate([[0], np.cumsum(np.bincount(place[entries.bucket[at]], minlength=len(buckets)))]),
            members=members.reshape(-1),
            weights=None if system.weights is None else system.weights[at],
            low=low,
            high=high,
            low_source=system.low_source[rows],
            high_source=system.high_source[rows],
            clauses=Clauses(weights, tuple(system.clauses.highs[k] for k in clauses.tolist())),
        )
        yield IndependentPart(with_cover(part), buckets, rows, tuple(less), clauses)


def _clause_parts(system: LinearSystem, found: _Divided) -> Ints:
    """The part that each either-or is in; one that looks at no bucket is in the first."""
    if not len(system.clauses):
        return np.zeros(0, dtype=np.int64)
    looked = np.asarray(system.clauses.weights.reshape(len(system.clauses), 2, -1).any(axis=1))
    return np.asarray(np.where(looked.sum(axis=1) > 0, found.bucket[looked.argmax(axis=1)], 0))
