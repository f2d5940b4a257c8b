"""Where to split: a sum that has to be whole and is not at the relaxed point.

A single bucket always serves. Sums of many buckets often decide more at once: rows that have a range, and, in a row of
weights (a sum of ages), how many records have at least a certain weight.
"""

from __future__ import annotations

import numpy as np

from foregone.engine.bounds.knowledge import Part, SystemKnowledge
from foregone.engine.bounds.trees import Form
from foregone.solvers.answer import Answer, Feasible
from foregone.solvers.arrays import Floats, order_of

BROKEN = 1e-6  # further than this from whole
CLEARLY = 0.1  # a sum this far from whole is preferred to a bucket
HARDLY = 1e-3  # ... and so is a sum this far from whole that a row of weights stands on: nothing else may move that row
PLACES = 10  # to split at that are offered
SUMS = 3  # of these, rows that have a range

Place = tuple[Form, int]  # where to split: the form is at most this number, or more


class Branching:
    """The sums of a system that may be split on, made once."""

    def __init__(self, known: SystemKnowledge) -> None:
        self.known = known
        system = known.system
        buckets = system.bucket_of_member
        order = order_of(system.members)
        ends = np.searchsorted(system.members[order], np.arange(system.rows + 1))
        weights = np.ones(len(buckets), dtype=np.int64) if system.weights is None else system.weights
        self._rows = [order[ends[row] : ends[row + 1]] for row in range(system.rows)]
        self._buckets, self._weights = buckets, weights
        self._made: dict[tuple[int, int], Form] = {}
        several = range(system.rows) if system.weights is not None else ()
        self._weighted = [row for row in several if len(np.unique(weights[self._rows[row]])) > 1]
        loose = set(np.flatnonzero(system.low != system.high).tolist()) - set(self._weighted)
        self._ranges = [row for row in sorted(loose) if len(self._rows[row]) > 1]

    def places(self, answer: Answer, part: Part) -> list[Place] | int:
        """Forms with whole numbers between which and the next the relaxed point lies, most promising first, or an either-or that it
        breaks.

        None of them when the point is whole and breaks no either-or.
        """
        if not isinstance(answer, Feasible):
            return self._any(part)
        point = np.zeros(self.known.system.buckets)
        point[answer.buckets] = answer.counts
        clause = self._clause(point)
        if clause is not None:
            return clause
        threshold, ranges = self._threshold(point, part), self._from_ranges(point, part)
        widest = ranges[0][0] if ranges else 0.0
        if threshold is not None and threshold[0] > HARDLY and (threshold[0] > widest or widest <= CLEARLY):
            return [threshold[1:]]  # nothing else may move a row of weights
        sums = [found[1:] for found in ranges if found[0] > CLEARLY]
        slight = [*ranges[:1], *([] if threshold is None else [threshold])]
        return [*sums, *self._buckets_of(point, part, PLACES - len(sums))] or [found[1:] for found in slight[:1]]

    def _buckets_of(self, point: Floats, part: Part, most: int) -> list[Place]:
        """Single buckets, those furthest from whole first."""
        gap, found = np.abs(point - np.rint(point)), list[Place]()
        for bucket in np.argsort(-gap, kind="stable").tolist():
            if gap[bucket] < BROKEN or len(found) == most:
                break
            form = self.known.single(bucket)
            at = self._inside(form, point[bucket], part)
            found += [] if at is None else [(form, at)]
        return found

    def _inside(self, form: Form, value: float, part: Part) -> int | None:
        """The whole number below a value, moved so that both sides of the split leave something; None if they cannot."""
        least, most = part.get(form, (None, None))
        at = int(np.floor(value))
        at = at if least is None else max(at, least)
        at = at if most is None else min(at, most - 1)
        return None if least is not None and at < least else at

    def _form(self, row: int, least: int | None) -> Form:
        """A row, or how many records have at least so much weight in it."""
        key = row, 0 if least is None else least
        if key not in self._made:
            at = self._rows[row]
            at = at if least is None else at[self._weights[at] >= least]
            self._made[key] = Form(self._buckets[at], self._weights[at]) if least is None else Form.count(self._buckets[at])
        return self._made[key]

    def _from_ranges(self, point: Floats, part: Part) -> list[tuple[float, Form, int]]:
        """The rows with a range that are furthest from whole, and how far."""
        gaps, found = list[tuple[float, int, float]](), list[tuple[float, Form, int]]()
        for row in self._ranges:
            at = self._rows[row]
            value = float(point[self._buckets[at]] @ self._weights[at])
            gaps.append((abs(value - round(value)), row, value))
        for gap, row, value in sorted(gaps, reverse=True)[:SUMS]:
            if gap < BROKEN:
                break
            form = self._form(row, None)
            place = self._inside(form, value, part)
            found += [] if place is None else [(gap, form, place)]
        return found

    def _threshold(self, point: Floats, part: Part) -> tuple[float, Form, int] | None:
        """Of the row of weights that is furthest from whole at some threshold, the middle one of such thresholds."""
        best: tuple[float, Form, int] | None = None
        for row in self._weighted:
            at = self._rows[row]
            at = at[np.argsort(-self._weights[at], kind="stable")]
            weights, sums = self._weights[at], np.cumsum(point[self._buckets[at]])
            last = np.flatnonzero(np.append(weights[1:] != weights[:-1], True))
            gaps = np.abs(sums[last] - np.rint(sums[last]))
            widest = float(gaps.max())
            if widest < BROKEN or (best is not None and widest <= best[0] + BROKEN):
                continue
            tied = last[gaps > widest - BROKEN]
            middle = int(tied[len(tied) // 2])
            form = self._form(row, int(weights[middle]))
            place = self._inside(form, float(sums[middle]), part)
            if place is not None:
                best = widest, form, place
        return best

    def _clause(self, point: Floats) -> int | None:
        """The either-or that the point misses on both sides by most; of several the middle one."""
        clauses = self.known.system.clauses
        if not len(clauses):
            return None
        excess = ((clauses.weights @ point).reshape(-1, 2) - np.array(clauses.highs, dtype=float)).min(axis=1)
        widest = float(excess.max())
        if widest < BROKEN:
            return None
        tied = np.flatnonzero(excess > widest - BROKEN)
        return int(tied[len(tied) // 2])

    def _any(self, part: Part) -> list[Place]:
        """Some bucket that can still be split, for the rare case that an infeasible part could not be confirmed."""
        for bucket in np.flatnonzero(~self.known.empty).tolist():
            form = self.known.single(bucket)
            least, most = part.get(form, (None, None))
            if most is None or (least or 0) < most:
                return [(form, least or 0)]
        return []
