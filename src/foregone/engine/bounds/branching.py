"""Where to split: a sum that has to be whole and is not at the relaxed point.

A single bucket always serves. Sums of many buckets often decide more at once: rows that have a range, and, in a row of
weights (a sum of ages), how many records have at least a certain weight.
"""

from __future__ import annotations

import numpy as np

from foregone.engine.bounds.knowledge import Part, SystemKnowledge
from foregone.engine.bounds.trees import Form
from foregone.solvers.answer import Answer, Feasible
from foregone.solvers.arrays import Floats

BROKEN = 1e-6  # further than this from whole
CLEARLY = 0.1  # a sum this far from whole is preferred to a bucket
HARDLY = 1e-3  # ... and so is a sum this far from whole that a row of weights stands on: nothing else may move that row


class Branching:
    """The sums of a system that may be split on, made once."""

    def __init__(self, known: SystemKnowledge) -> None:
        self.known = known
        system = known.system
        buckets = system.bucket_of_member
        order = np.argsort(system.members, kind="stable")
        ends = np.searchsorted(system.members[order], np.arange(system.rows + 1))
        weights = np.ones(len(buckets), dtype=np.int64) if system.weights is None else system.weights
        self._rows = [order[ends[row] : ends[row + 1]] for row in range(system.rows)]
        self._buckets, self._weights = buckets, weights
        self._made: dict[tuple[int, int], Form] = {}
        several = range(system.rows) if system.weights is not None else ()
        self._weighted = [row for row in several if len(np.unique(weights[self._rows[row]])) > 1]
        loose = set(np.flatnonzero(system.low != system.high).tolist()) - set(self._weighted)
        self._ranges = [row for row in sorted(loose) if len(self._rows[row]) > 1]

    def choose(self, answer: Answer, part: Part) -> tuple[Form, int] | int | None:
        """A form and a whole number between which and the next the relaxed point lies, or an either-or that it breaks.

        None when the point is whole and breaks none.
        """
        if not isinstance(answer, Feasible):
            return self._any(part)
        point = np.zeros(self.known.system.buckets)
        point[answer.buckets] = answer.counts
        clause = self._clause(point)
        if clause is not None:
            return clause
        threshold = self._threshold(point, part)
        sums = [found for found in (self._range(point, part), threshold) if found is not None]
        best = max(sums, key=lambda found: found[0], default=None)
        if best is not None and best[0] > CLEARLY:
            return best[1], best[2]
        if threshold is not None and threshold[0] > HARDLY:
            return threshold[1], threshold[2]
        gap = np.abs(point - np.rint(point))
        for bucket in np.argsort(-gap, kind="stable").tolist():
            if gap[bucket] < BROKEN:
                break
            at = self._inside(self.known.single(bucket), point[bucket], part)
            if at is not None:
                return self.known.single(bucket), at
        return None if best is None else (best[1], best[2])

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

    def _range(self, point: Floats, part: Part) -> tuple[float, Form, int] | None:
        """The row with a range that is furthest from whole."""
        gaps = []
        for row in self._ranges:
            at = self._rows[row]
            value = float(point[self._buckets[at]] @ self._weights[at])
            gaps.append((abs(value - round(value)), row, value))
        for gap, row, value in sorted(gaps, reverse=True)[:3]:
            if gap < BROKEN:
                return None
            form = self._form(row, None)
            place = self._inside(form, value, part)
            if place is not None:
                return gap, form, place
        return None

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

    def _any(self, part: Part) -> tuple[Form, int] | None:
        """Some bucket that can still be split, for the rare case that an infeasible part could not be confirmed."""
        for bucket in np.flatnonzero(~self.known.empty).tolist():
            form = self.known.single(bucket)
            least, most = part.get(form, (None, None))
            if most is None or (least or 0) < most:
                return form, least or 0
        return None
