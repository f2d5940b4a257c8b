"""What every withheld or ranged cell of a release must be, all at once: one compiled system, asked again and again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from foregone.engine.answers.start import need_witness
from foregone.engine.bounds.prover import Endless, Prover
from foregone.engine.case import Case
from foregone.engine.system.settled import Settled, settle, unsettled
from foregone.model.dataset import Dataset
from foregone.model.intervals import Interval, Intervals
from foregone.model.progress import Progress
from foregone.model.statement import Statistic
from foregone.solvers.answer import Undecided
from foregone.solvers.arrays import Ints

NONE_FOUND = "no dataset that fits was found in time"


@dataclass(frozen=True, slots=True)
class _End:
    """The greatest value of a sum of buckets: `most` is never exceeded, and it is reached if it is `exact`. None: no limit."""

    most: int | None
    exact: bool
    reason: str = ""


Ends = tuple[_End, _End]
"""The greatest value of the negative of a sum, which is its least value, and its greatest."""


def intervals(
    case: Case, hidden: bool = True, progress: Progress | None = None, truth: Dataset | None = None
) -> Intervals:
    """The least and the greatest number of records of each published count that is withheld or given as a range; with
    `hidden=False`, of every published count. `truth` is only copied beside the answers.
    """
    asked = [i for i, statistic in enumerate(case.release.statistics) if not hidden or statistic.open]
    found, reason = intervals_of(case, asked, progress)
    if truth is not None:
        true = truth.counts(interval.predicate for interval in found)
        found = [replace(interval, truth=count) for interval, count in zip(found, true, strict=True)]
    return Intervals(case.release, tuple(found), reason)


def intervals_of(case: Case, asked: Sequence[int], progress: Progress | None = None) -> tuple[list[Interval], str]:
    """What some published counts must be, and why some of it is not proved; datasets that the case knows are made use of."""
    release, deadline = case.system.release, case.deadline
    settled = settle(case.system) or unsettled(case.system)
    prover = Prover(settled.rest, deadline)
    prover.pool.add_each(map(settled.forth, case.pool))
    if prover.first_witness() is False:
        need_witness(case)  # which says what contradicts what
        raise AssertionError("a dataset fits the release after all; please report this release")
    ends = _Asker(settled, prover, progress).ends(asked)
    fits = len(prover.pool) > 0
    made = [_interval(release.statistics[i], ends.get(i), fits) for i in asked]
    reasons = [end.reason for pair in ends.values() for end in pair if end.reason] + ([] if fits else [NONE_FOUND])
    return made, reasons[0] if reasons else ""


def _interval(stated: Statistic, ends: Ends | None, fits: bool) -> Interval:
    """A number that is published exactly has no ends to think of; that some dataset has it is known when some dataset fits."""
    low, high = stated.low, stated.high
    if ends is not None:
        least, most = ends
        low = max(low, 0 if least.most is None else -least.most)
        high = min((limit for limit in (high, most.most) if limit is not None), default=None)
    return Interval(
        stated.name,
        stated.table,
        stated.predicate,
        stated.low,
        stated.high,
        low,
        high,
        stated.withheld,
        proved=fits and (ends is None or all(end.exact for end in ends)),
        mark=stated.mark,
        gaps=stated.gaps,
    )


class _Asker:
    """Asks for both ends of many sums of buckets; sums that come to the same are asked for once."""

    def __init__(self, settled: Settled, prover: Prover, progress: Progress | None) -> None:
        self.settled, self.prover = settled, prover
        self.progress: Progress = progress or (lambda *_: None)

    def ends(self, asked: Sequence[int]) -> dict[int, Ends]:
        """Both ends of each published count asked for that is not exact."""
        stated = self.settled.whole.release.statistics
        sums = {i: self._open(i) for i in asked if stated[i].low != stated[i].high}
        different = {buckets.tobytes(): self.settled.rest.count_in(buckets) for buckets, _ in sums.values()}
        # bounds for all first: they hold whatever happens, and corners met on the way are datasets for the others
        limits: dict[bytes, Ends] = {}
        for at, (key, objective) in enumerate(different.items()):
            self.progress("bounds", at, len(different))
            limits[key] = self._relaxed(-objective), self._relaxed(objective)
        found: dict[bytes, Ends] = {}
        for at, (key, objective) in enumerate(different.items()):
            self.progress("datasets", at, len(different))
            found[key] = self._exact(-objective, limits[key][0]), self._exact(objective, limits[key][1])
        made = {}
        for i, (buckets, more) in sums.items():
            least, most = found[buckets.tobytes()]
            made[i] = _moved(least, -more), _moved(most, more)
        return made

    def _open(self, i: int) -> tuple[Ints, int]:
        """The buckets of a published count that are not settled, and how many records lie in the others."""
        row = int(self.settled.whole.row_of[i])
        return self.settled.part(self.settled.whole.touched(row) if row >= 0 else np.zeros(0, dtype=np.int64))

    def _relaxed(self, objective: Ints) -> _End:
        """What one relaxation shows: a bound that holds, and whether a dataset that is known reaches it."""
        most = self.prover.outer(objective)
        if most is None and (objective <= 0).all():
            most = 0  # counts are not negative
        return _End(most, most is not None and most in self._values(objective))

    def _exact(self, objective: Ints, bound: _End) -> _End:
        if bound.exact or (bound.most is not None and bound.most in self._values(objective)):
            return replace(bound, exact=True)
        if not len(self.prover.pool):
            return replace(bound, reason=NONE_FOUND)
        found = self.prover.greatest(objective)
        match found:
            case Endless():
                return _End(None, True)
            case Undecided(reason=reason):
                return replace(bound, reason=reason)
            case (value, _):
                return _End(value, True)

    def _values(self, objective: Ints) -> list[int]:
        return self.prover.pool.counts(objective) if len(self.prover.pool) else []


def _moved(end: _End, more: int) -> _End:
    return end if end.most is None else replace(end, most=end.most + more)
