"""Datasets that were met before: which of them still fit what is left, and do they alone refute every claim that must not be?

A certain claim about one record has exactly one record in every dataset that fits. So it holds one record of the first dataset
and one of each of the others: the smallest claim around such a choice is a claim around these records that names no more
columns than any other. If for every choice that claim names too few columns, or holds two records of some dataset, then no
claim about one record with many columns is certain. Nothing has to be solved for that.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from foregone.model.dataset import Dataset
from foregone.model.families import Groups
from foregone.model.statement import Limits
from foregone.protection.problem import Problem
from foregone.solvers.answer import NO_LIMIT

MOST_DATASETS = 200  # kept for a release
MOST_STEPS = 3_000  # choices looked at before the question is left to an audit

Record = int  # a bit for the value in each column


class Refuter:
    """Known datasets of one release. `applies` to policies that forbid claims about one record, and to counts."""

    def __init__(self, problem: Problem) -> None:
        policy, columns = problem.policy, problem.release.domain.columns
        counts = all(row.count is not None for row in problem.rows)
        self.least = policy.singled_out_columns or 0
        self.applies = bool(
            self.least and policy.smallest_group == 2 and not problem.primary and not problem.merges
        ) and counts and not policy.attribute and not policy.stars
        self._full = [column.full for column in columns]
        self._shifts = [sum(len(column.codes) for column in columns[:c]) for c in range(len(columns))]
        self._index = [column.index for column in columns]
        self._sets = problem.named if problem.groups == Groups.PUBLISHED else ((),) * len(columns)
        self._around: dict[tuple[int, int], int] = {}
        rows = [(row, row.count.predicate.masks(problem.release.domain)) for row in problem.rows if row.count]
        # for each column and code the rows that allow it
        self._allowed = [
            np.array([[masks.get(c, full) >> code & 1 for _, masks in rows] for code in range(full.bit_length())], dtype=bool)
            for c, full in enumerate(self._full)
        ]
        self._rows = [row for row, _ in rows]
        self._low = np.array([row.limits[0] or 0 for row in self._rows], dtype=np.int64)
        self._high = np.array([NO_LIMIT if row.limits[1] is None else row.limits[1] for row in self._rows], dtype=np.int64)
        self._problem = problem
        self._known: dict[tuple[Record, ...], frozenset[int]] = {}  # datasets, and the actions that they need to fit

    def learn(self, datasets: Iterable[Dataset]) -> None:
        """Keep datasets, each with the actions without which it does not fit; one that never fits is left out."""
        for dataset in datasets:
            if len(self._known) >= MOST_DATASETS:
                return
            listed = [record for record, number in dataset.kinds for _ in range(number)]
            codes = [[self._index[c][code] for c, code in enumerate(record)] for record in listed]
            records = tuple(sorted(sum(1 << code + self._shifts[c] for c, code in enumerate(record)) for record in codes))
            if records in self._known:
                continue
            needs = self._needs(codes)
            if needs is not None:
                self._known[records] = needs

    def _needs(self, records: list[list[int]]) -> frozenset[int] | None:
        """The actions without which the records do not fit what is left; None when no actions help."""
        if not records:
            return None
        columns = zip(*records, strict=True)
        inside = np.logical_and.reduce([allowed[list(codes)] for allowed, codes in zip(self._allowed, columns, strict=True)])
        counts = inside.sum(axis=0)
        needed: set[int] = set()
        for i in np.flatnonzero((counts < self._low) | (counts > self._high)).tolist():
            row = self._rows[i]
            effects = ((a, self._problem.effect(row, self._problem.actions[a])) for a in sorted(row.hitters))
            enough = next((a for a, effect in effects if _within(int(counts[i]), effect)), None)
            if enough is None:
                return None
            needed.add(enough)
        return frozenset(needed)

    def refuted(self, taken: frozenset[int]) -> bool:
        """Is no claim certain that must not be, after some actions, as the datasets that then fit show?"""
        if not self.applies:
            return False
        fitting = [records for records, needs in self._known.items() if needs <= taken]
        if not fitting:
            return False
        self._left = MOST_STEPS
        first, *others = fitting
        return not any(self._survives(record, first, others) for record in first)

    def _survives(self, record: Record, first: Sequence[Record], others: Sequence[Sequence[Record]]) -> bool:
        return first.count(record) == 1 and self._extend(record, [first], others, 0)

    def _extend(self, box: int, seen: list[Sequence[Record]], others: Sequence[Sequence[Record]], at: int) -> bool:
        """Can the claim be made to hold exactly one record of every further dataset? When it takes too long: perhaps."""
        for i in range(at, len(others)):
            inside = sum(not record & ~box for record in others[i])
            if inside > 1:
                return False
            if inside == 0:
                for record in others[i]:
                    self._left -= 1
                    wider = self._joined(box, record)
                    before = [*seen, *others[: i + 1]]
                    if self._left < 0:
                        return True
                    alone = wider and all(sum(not r & ~wider for r in d) == 1 for d in before)
                    if alone and self._extend(wider, seen, others, i + 1):
                        return True
                return False
        return True

    def _joined(self, box: int, record: Record) -> int:
        """The smallest claim around both; 0 when it names too few columns."""
        both, named, made = box | record, 0, 0
        for c, (full, shift) in enumerate(zip(self._full, self._shifts, strict=True)):
            member = self._member(c, both >> shift & full)
            named += member != full
            made |= member << shift
        return made if named >= self.least else 0

    def _member(self, c: int, codes: int) -> int:
        """The smallest thing that a claim can name in a column and that holds some codes; all codes mean that it is not named."""
        if codes & (codes - 1) == 0:
            return codes
        if (c, codes) not in self._around:
            found = self._full[c]
            for group in self._sets[c]:
                if not codes & ~group:
                    found &= group
            self._around[c, codes] = found
        return self._around[c, codes]


def _within(count: int, limits: Limits) -> bool:
    low, high = limits
    return (low is None or count >= low) and (high is None or count <= high)
