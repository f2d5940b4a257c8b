"""Two datasets that fit, as far apart as possible: two copies of a system side by side, in whole numbers.

The distance counts records that have to change. Records of a bucket that stands for several kinds of record can always be chosen
differently in two datasets; a bucket that stands for one kind makes them share min(x, y) records. So twice the
distance is the sum of x + y over the first sort of buckets and of |x - y| over the second.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from foregone.engine.bounds.prover import AtMost, Exceeds, Prover
from foregone.engine.claims.walks import walk
from foregone.engine.system.decode import dataset_of
from foregone.engine.system.linear import LinearSystem
from foregone.engine.system.parts import connected
from foregone.engine.system.witness import Witness
from foregone.model.dataset import Dataset, Record
from foregone.model.predicate import Predicate
from foregone.solvers.answer import NO_LIMIT, Undecided
from foregone.solvers.arrays import Bools, Ints
from foregone.solvers.deadline import Deadline

Pair = tuple[Witness, Witness]

MOST_RANGED = 1_000  # buckets whose least and greatest counts are worked out first
RANGING = 0.3  # share of the time for that
MOST_RELAXED = 5_000  # buckets for which a relaxation is asked
MANY = 1 << 20  # counts above are not put side by side

NO_END = "nothing published limits the number of records"


@dataclass(frozen=True, slots=True)
class Farthest:
    """The farthest pair found, twice its distance, and a proved upper limit on twice the distance of all pairs."""

    pair: Pair
    twice: int
    limit: int | None
    reason: str = ""


def lonely_buckets(system: LinearSystem) -> Bools:
    """Buckets that stand for a single kind of record."""
    sizes = np.ones(len(system.records), dtype=np.int64)
    for column, groups in enumerate(system.atoms.groups):
        many = np.array([1 if group & (group - 1) == 0 else 2 for group in groups])
        sizes = np.minimum(sizes * many[system.records[:, column]], 2)
    return np.asarray(np.bincount(system.bucket_of, sizes, system.buckets) == 1)


def farthest(prover: Prover, lonely: Bools) -> Farthest:
    """A farthest pair. The prover must know a witness."""
    system = prover.system
    walk(prover, prover.pool.witnesses[-1], 20)
    best = _best_known(prover, lonely)
    twice = doubled(*best, lonely)
    if system.largest is None:
        return Farthest(best, twice, None, NO_END)
    limit = 2 * system.largest
    if twice == limit:
        return Farthest(best, twice, limit)
    if system.largest >= MANY:
        return Farthest(best, twice, limit, "the counts are too large to put two datasets side by side")
    least, most = ranges(prover, RANGING)
    best = _best_known(prover, lonely)
    varying = least < most
    # an either-or may tie any buckets together
    parts = [np.flatnonzero(varying)] if len(system.clauses) and varying.any() else list(_parts(system, varying))
    found = []
    for i, buckets in enumerate(parts):
        some = _some_time(prover.deadline, 1 / (len(parts) - i))
        found.append(_search(_Pairs.of(system, buckets, lonely, least, most, best[0]), best, some))
    fixed = np.where((least == most) & ~lonely, least, 0)  # of several kinds each: two datasets can choose different ones
    extra = 2 * sum(fixed.tolist())
    pair = _composed(best, parts, [part.pair for part in found])
    reason = next((part.reason for part in found if part.reason), "")
    total = sum(part.limit for part in found if part.limit is not None) + extra
    return Farthest(pair, doubled(*pair, lonely), min(limit, total), reason)


def _limit(prover: Prover, deadline: Deadline) -> None:
    prover.deadline = prover.known.deadline = deadline


def _relaxed(prover: Prover, objective: Ints, target: int) -> AtMost | None:
    """What a relaxation alone shows; a whole point that it meets is kept."""
    leaf, answer = prover.known.settle(objective, target)
    prover.known.take(answer)
    return None if leaf is None else AtMost(leaf)


def _some_time(deadline: Deadline, share: float) -> Deadline:
    return deadline if deadline.seconds is None else deadline.sooner(share * deadline.left())


def _parts(system: LinearSystem, varying: Bools) -> Iterator[Ints]:
    """Buckets that vary, in groups that have no row in common: what happens in one says nothing about another."""
    bucket = system.bucket_of_member
    moves = varying[bucket]
    group = connected(system.buckets, bucket[moves], system.members[moves])
    for first in np.unique(group[varying]).tolist():
        yield np.flatnonzero(varying & (group == first))


def _composed(base: Pair, parts: Sequence[Ints], pairs: Sequence[Pair]) -> Pair:
    """Of each part its own pair; elsewhere, what all datasets have."""
    made = []
    for side in (0, 1):
        taken = np.concatenate([np.zeros(0, dtype=np.int64), *parts])
        rest = ~np.isin(base[0].buckets, taken)
        buckets = np.concatenate([base[0].buckets[rest], *(pair[side].buckets for pair in pairs)])
        counts = np.concatenate([base[0].counts[rest], *(pair[side].counts for pair in pairs)])
        made.append(Witness.of_counts(buckets, counts))
    return made[0], made[1]


def _best_known(prover: Prover, lonely: Bools) -> Pair:
    witnesses = prover.pool.witnesses
    pairs = [(x, y) for i, x in enumerate(witnesses) for y in witnesses[i:]]
    return max(pairs, key=lambda pair: doubled(pair[0], pair[1], lonely))


def doubled(x: Witness, y: Witness, lonely: Bools) -> int:
    """Twice the distance of two datasets that differ as much as they can."""
    common, at_x, at_y = np.intersect1d(x.buckets, y.buckets, assume_unique=True, return_indices=True)
    shared: list[int] = np.minimum(x.counts[at_x], y.counts[at_y])[lonely[common]].tolist()
    return x.size + y.size - 2 * sum(shared)


def ranges(prover: Prover, share: float) -> tuple[Ints, Ints]:
    """Proved limits on the number of records in each bucket: mostly its least and greatest count. `share` is of the time left."""
    system = prover.system
    whole = prover.deadline
    least, most = np.zeros(system.buckets, dtype=np.int64), np.minimum(system.room(), system.largest or 0)
    _limit(prover, _some_time(whole, share))
    few = system.buckets <= MOST_RANGED
    for bucket in range(system.buckets) if system.buckets <= MOST_RELAXED else ():
        single = system.count_in(bucket)
        for sign in (1, -1):
            while not prover.deadline.passed():
                known = max(prover.pool.counts(sign * single))
                if known == (most[bucket] if sign > 0 else -least[bucket]):
                    break
                answer = prover.at_most(sign * single, known) if few else _relaxed(prover, sign * single, known)
                if isinstance(answer, AtMost):
                    if sign > 0:
                        most[bucket] = known
                    else:
                        least[bucket] = -known
                if not isinstance(answer, Exceeds):
                    break
    _limit(prover, whole)
    return least, most


@dataclass(frozen=True, slots=True)
class _Pairs:
    """Some buckets twice. Unknowns: x and y for each of them; d, at most |x - y|, for each lonely one; for those lonely ones that
    vary by more than one record, a sign: 1 where x >= y, 0 where x <= y.

    Rows, beside those of the two copies, with l and u the least and the greatest count of the bucket:
        d - x - y <= -2l,   d + x + y <= 2u            which is all where u = l + 1
        d - x + y + M sign <= M,   d + x - y - M sign <= 0,   sign <= 1,   with M = 2 (u - l)
    and x <= u, y <= u for buckets that are not lonely. The two datasets can be exchanged, so for one, `first`, x >= y.
    """

    system: LinearSystem
    buckets: Ints
    lonely: Ints  # positions among the buckets
    signed: Ints
    first: int
    even: bool  # all datasets have as many records in these buckets, so that twice the distance is an even number

    @classmethod
    def of(cls, system: LinearSystem, buckets: Ints, alone: Bools, least: Ints, most: Ints, base: Witness) -> _Pairs:
        at, sizes = system.members_of(buckets)
        used, members = np.unique(system.members[at], return_inverse=True)
        own = np.ones(len(at), dtype=np.int64) if system.weights is None else system.weights[at]
        taken = Witness(*(part[~np.isin(base.buckets, buckets)] for part in (base.buckets, base.counts)))
        rest = system.tabulate(taken)[used].astype(np.int64)  # what buckets outside, the same in all datasets, add to the rows
        low = np.where(system.low[used] == -NO_LIMIT, -NO_LIMIT, system.low[used] - rest)
        high = np.where(system.high[used] == NO_LIMIT, NO_LIMIT, system.high[used] - rest)
        n, m = len(buckets), len(used)
        least, most = least[buckets], most[buckets]
        lonely, several = np.flatnonzero(alone[buckets]), np.flatnonzero(~alone[buckets])
        signed = lonely[most[lonely] > least[lonely] + 1]
        v, s, k = len(lonely), len(signed), len(several)
        bucket = np.repeat(np.arange(n), sizes)
        d, sign = 2 * n + np.arange(v), 2 * n + v + np.arange(s)
        of_signed = np.searchsorted(lonely, signed)
        wide = 2 * (most[signed] - least[signed])
        one, ones = np.ones(v, dtype=np.int64), np.ones(s, dtype=np.int64)
        entries = [(bucket, members, own), (bucket + n, members + m, own)]
        leading = int(np.argmax(most - least))
        first = np.cumsum([2 * m, v, v, s, s, s, k, k])  # where each kind of further row begins
        for start, weight in ((first[0], -one), (first[1], one)):
            rows = start + np.arange(v)
            entries += [(d, rows, one), (lonely, rows, weight), (lonely + n, rows, weight)]
        for start, weight, factor in ((first[2], -ones, wide), (first[3], ones, -wide)):
            rows = start + np.arange(s)
            entries += [(d[of_signed], rows, ones), (signed, rows, weight), (signed + n, rows, -weight), (sign, rows, factor)]
        entries.append((sign, first[4] + np.arange(s), ones))
        entries += [(several + copy * n, first[5 + copy] + np.arange(k), np.ones(k, dtype=np.int64)) for copy in (0, 1)]
        entries.append((np.array([leading, leading + n]), np.array([first[7], first[7]]), np.array([-1, 1])))
        columns, rows, weights = (np.concatenate([entry[i] for entry in entries]) for i in range(3))
        order = np.lexsort((rows, columns))
        open_ = np.full(2 * v + 3 * s + 2 * k + 1, -NO_LIMIT, dtype=np.int64)
        further = np.concatenate([-2 * least[lonely], 2 * most[lonely], wide, 0 * wide, ones, most[several], most[several], [0]])
        none = np.zeros(0, dtype=np.int64)
        made = replace(
            system,
            records=system.records[:0],
            bucket_of=none,
            starts=np.concatenate([[0], np.cumsum(np.bincount(columns, minlength=2 * n + v + s))]).astype(np.int64),
            members=rows[order],
            weights=weights[order],
            low=np.concatenate([low, low, open_]),
            high=np.concatenate([high, high, further]),
            low_source=none,
            high_source=none,
            row_of=none,
            cover=np.concatenate([first[1] + np.arange(v), first[4] + np.arange(s), first[5] + np.arange(2 * k)]),
            covered=np.ones(2 * n + v + s, dtype=bool),
            clauses=system.clauses.after(taken).part(np.isin(np.arange(system.buckets), buckets)).twice(v + s),
        )
        whole = (low == high) & (np.bincount(members, own == 1, m) == n)
        return cls(made, buckets, lonely, signed, leading, bool(whole.any()))

    @property
    def objective(self) -> Ints:
        """Twice the distance."""
        several = np.ones(len(self.buckets), dtype=np.int64)
        several[self.lonely] = 0
        return np.concatenate([several, several, np.ones(len(self.lonely)), np.zeros(len(self.signed))]).astype(np.int64)

    def join(self, pair: Pair) -> Witness:
        """Two witnesses, as far as these buckets go, as one of the pair system."""
        held = np.zeros((2, len(self.buckets)), dtype=np.int64)
        for side, witness in enumerate(pair):
            inside = np.isin(witness.buckets, self.buckets)
            held[side, np.searchsorted(self.buckets, witness.buckets[inside])] = witness.counts[inside]
        if held[0, self.first] < held[1, self.first]:
            held = held[::-1]
        apart = held[0] - held[1]
        counts = np.concatenate([held.ravel(), np.abs(apart)[self.lonely], (apart[self.signed] >= 0).astype(np.int64)])
        return Witness.of_counts(np.arange(len(counts)), counts)

    def split(self, both: Witness) -> Pair:
        halves = []
        for start in (0, len(self.buckets)):
            some = (both.buckets >= start) & (both.buckets < start + len(self.buckets))
            halves.append(Witness(self.buckets[both.buckets[some] - start], both.counts[some]))
        return halves[0], halves[1]

    def value(self, both: Witness) -> int:
        """Twice the distance of the pair that a witness stands for; d may be less than it could be."""
        x, y = self.split(both)
        alone = np.zeros(int(self.buckets.max(initial=0)) + 1, dtype=bool)
        alone[self.buckets[self.lonely]] = True
        return doubled(x, y, alone)


def _search(pairs: _Pairs, known: Pair, deadline: Deadline) -> Farthest:
    """Lower the limit and raise the distance until they meet or time runs out."""
    twin = Prover(pairs.system, deadline)
    objective = pairs.objective
    for pair in (known, (known[0], known[0])):
        twin.pool.add(pairs.join(pair))
    best = twin.pool.witnesses[0]
    twice, limit, reason = pairs.value(best), twin.system.largest or 0, ""
    low, high, patient = twice, limit, False
    while twice < limit:
        # first what a relaxation alone shows, by halving; then the search, for the truth or at least for half of the rest
        patient = patient or low >= high
        target = (low + high) // 2 if not patient else twice if not reason else (twice + limit) // 2
        _limit(twin, deadline if deadline.seconds is None or reason else _some_time(deadline, 0.7))
        target += pairs.even and target % 2 == 0
        answer = twin.at_most(objective, target) if patient else _relaxed(twin, objective, target)
        best = max([best, *twin.pool.witnesses[-3:]], key=pairs.value)
        twice = pairs.value(best)
        if isinstance(answer, AtMost):
            limit = high = min(limit, target - (pairs.even and target % 2))
        elif not patient:
            low = target + 1
        elif isinstance(answer, Undecided):
            if reason:
                break
            reason = answer.reason
    return Farthest(pairs.split(best), twice, limit, "" if twice == limit else reason)


def spelled_out(system: LinearSystem, pair: Pair, lonely: Bools) -> tuple[Dataset, Dataset]:
    """Datasets that share nothing in buckets that stand for two or more records: one takes the first, one another."""
    first = dataset_of(system, pair[0])
    kinds: Counter[Record] = Counter()
    for bucket, count in zip(pair[1].buckets.tolist(), pair[1].counts.tolist(), strict=True):
        alone = Witness(np.array([bucket]), np.array([1]))
        ((base, _),) = dataset_of(system, alone).kinds
        if not lonely[bucket]:
            fixed = Predicate.of(dict(zip(system.release.domain.names, base, strict=True)))
            ((base, _),) = dataset_of(system, alone, fixed, match=False).kinds
        kinds[base] += count
    return first, Dataset.of_kinds(system.release.domain, kinds)
