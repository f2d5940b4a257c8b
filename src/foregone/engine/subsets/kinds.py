"""Kinds of record that were met so far, as columns of a linear program whose rows are statements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from foregone.engine.system.atoms import tests_of
from foregone.engine.system.blueprint import Blueprint, draw
from foregone.engine.system.linear import LinearSystem
from foregone.engine.system.witness import EXACT_FLOAT
from foregone.model.dataset import Dataset, Record
from foregone.model.errors import TooLargeError
from foregone.model.predicate import Predicate
from foregone.model.release import Release
from foregone.model.workload import Query, Workload
from foregone.solvers.switched import SwitchedProgram

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

MOST_SEEDS = 10_000
MOST_ALLOWED = 1 << 28  # boxes times atoms; a quarter of a gigabyte


class Kinds:
    """Kinds of record by the boxes they lie in. Records in the same boxes are one kind; records break no rule.

    The boxes are those of the release and, after its counts, one more: what the question is about.
    """

    def __init__(self, release: Release, asked: Predicate) -> None:
        workload = release.workload
        queries = (*workload.queries, Query("", "", asked))
        self.release = release
        asked_too = Workload(workload.domain, queries, workload.rules, workload.sums, workload.alternatives)
        self.plan: Blueprint = draw(asked_too)
        self.allows = self.plan.allows or _allows(self.plan, tests_of(asked_too))
        self.asked = len(workload.queries)
        stated = [(np.array([i]), np.ones(1, dtype=np.int64)) for i in range(self.asked)]
        # of each statement, then of both sides of each either-or: boxes and weights
        self.terms: list[tuple[Ints, Ints]] = [*stated, *self.plan.sums, *self.plan.sides]
        self.plain_terms = [(boxes.tolist(), weights.tolist()) for boxes, weights in self.terms]
        self.zeros = [i for i, high in enumerate(release.high) if high == 0]
        nothing = set(self.zeros)
        self.rows = np.array([i for i in range(len(self.terms)) if i not in nothing], dtype=np.int64)
        self.rules = np.arange(self.plan.counted, self.plan.all_boxes)
        self.program = SwitchedProgram(len(self.rows) + 2)  # one more for what is asked, and one that counts all records
        self.atoms: list[tuple[int, ...]] = []
        self.excluded: list[int] = []  # by which zeros, one bit each
        self._known: dict[bytes, int] = {}
        self._usual = [0] * len(self.allows)
        self._matrix = self._summing()

    def _summing(self) -> Ints:
        """What one record of a box adds to each row of the program: a matrix of boxes and rows."""
        matrix = np.zeros((self.plan.counted, len(self.rows) + 2), dtype=np.int64)
        for at, i in enumerate(self.rows.tolist()):
            boxes, weights = self.terms[i]
            np.add.at(matrix[:, at], boxes, weights)
        matrix[self.asked, len(self.rows)] = 1
        return matrix

    def _added_up(self, inside: Bools) -> Ints:
        """What records in these boxes add to each row; in floating point where that is exact, because it is so much quicker."""
        if int(np.abs(self._matrix).sum(axis=0).max(initial=0)) < EXACT_FLOAT:
            return np.asarray((inside.astype(float) @ self._matrix.astype(float)).astype(np.int64))
        return np.asarray(inside.astype(np.int64) @ self._matrix)

    def members(self, atoms: Ints) -> Bools:
        """In which boxes, the rules among them, are these kinds?"""
        member = np.ones((len(atoms), self.plan.all_boxes), dtype=bool)
        for column, allowed in enumerate(self.allows):
            member &= allowed.T[atoms[:, column]]
        return member

    def add(self, atoms: Ints) -> list[int]:
        """Take kinds in, a row of atoms each; -1 stands for any atom. Returns their numbers, -1 for one that a rule excludes."""
        filled = np.where(atoms < 0, np.array(self._usual)[None, :], atoms)
        member = self.members(filled)
        counted = member[:, : self.plan.counted]
        fine = np.asarray(~member[:, self.plan.counted :].any(axis=1))
        numbers, new = [], []
        for i, key in enumerate(np.packbits(counted, axis=1)):
            if not fine[i]:
                numbers.append(-1)
                continue
            if key.tobytes() not in self._known:
                self._known[key.tobytes()] = len(self._known)
                new.append(i)
            numbers.append(self._known[key.tobytes()])
        if new:
            values = self._added_up(counted[new])
            values[:, -1] = 1
            entries = [np.flatnonzero(row) for row in values]
            self.program.add(entries, [row[some] for row, some in zip(values, entries, strict=True)])
            self.atoms += [tuple(row) for row in filled[new].tolist()]
            for row in counted[new][:, self.zeros]:
                self.excluded.append(sum(1 << self.zeros[z] for z in np.flatnonzero(row).tolist()))
        return numbers

    def add_dataset(self, dataset: Dataset) -> list[int]:
        """Take in the kinds of a dataset over some of the columns."""
        columns = self.release.domain.columns
        atoms = np.full((len(dataset.kinds), len(columns)), -1, dtype=np.int64)
        at = [self.release.domain.index[name] for name in dataset.domain.names]
        for row, (record, _) in enumerate(dataset.kinds):
            for c, code in zip(at, record, strict=True):
                atoms[row, c] = self._atom(c, columns[c].index[code])
        return self.add(atoms)

    def _atom(self, column: int, code: int) -> int:
        return next(a for a, group in enumerate(self.plan.atoms.groups[column]) if group >> code & 1)

    def seed(self, system: LinearSystem, predicate: Predicate) -> None:
        """Begin with the kinds that all statements together leave possible, in the question's box and outside of it."""
        inside, touching = system.extent(predicate)
        chosen = []
        for some in (touching, ~inside):
            at = np.flatnonzero(some)
            chosen.append(at[np.unique(system.cell_of[at], return_index=True)[1]])
        records = system.records[np.unique(np.concatenate(chosen))]
        if len(records) > MOST_SEEDS:
            records = records[np.linspace(0, len(records) - 1, MOST_SEEDS).astype(np.int64)]
        if not len(records):
            return
        masks = predicate.masks(self.release.domain)
        groups = self.plan.atoms.groups
        inner, outer = np.empty(records.shape, dtype=np.int64), np.empty(records.shape, dtype=np.int64)
        for c, old in enumerate(system.atoms.groups):
            mask = masks.get(c, -1)
            new = [[a for a, group in enumerate(groups[c]) if group & whole] for whole in old]
            prefer = [[a for a in some if groups[c][a] & mask] or some for some in new]
            avoid = [[a for a in some if not groups[c][a] & mask] or some for some in new]
            inner[:, c] = np.array([some[0] for some in prefer])[records[:, c]]
            outer[:, c] = np.array([some[0] for some in avoid])[records[:, c]]
            self._usual[c] = int(np.bincount(inner[:, c]).argmax())
        self.add(inner)
        for c in masks:
            mixed = inner.copy()
            mixed[:, c] = outer[:, c]
            self.add(mixed)

    def record(self, kind: int) -> Record:
        """A record of a kind."""
        columns = self.release.domain.columns
        return tuple(
            columns[c].codes[(group & -group).bit_length() - 1]
            for c, a in enumerate(self.atoms[kind])
            for group in (self.plan.atoms.groups[c][a],)
        )


def _allows(plan: Blueprint, tests: Sequence[Mapping[int, int]]) -> tuple[Bools, ...]:
    """Which atoms of each column a box allows, where the blueprint of a large workload does not say."""
    widths = plan.atoms.widths()
    if len(tests) * sum(widths) > MOST_ALLOWED:
        raise TooLargeError(f"{len(tests):,} published numbers are too many to be looked at in parts; leave out tables")
    allows = tuple(np.ones((len(tests), width), dtype=bool) for width in widths)
    known: dict[tuple[int, int], Bools] = {}
    for i, masks in enumerate(tests):
        for column, mask in masks.items():
            if (column, mask) not in known:
                known[column, mask] = np.array([group & mask != 0 for group in plan.atoms.groups[column]])
            allows[column][i] = known[column, mask]
    return allows
