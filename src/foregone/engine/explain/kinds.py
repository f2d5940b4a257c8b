"""Kinds of record that were met so far, as columns of a linear program whose rows are statements."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from foregone.engine.system.atoms import atomise, weighted_sums
from foregone.engine.system.linear import LinearSystem
from foregone.model.dataset import Dataset, Record
from foregone.model.errors import TooLargeError
from foregone.model.predicate import Predicate
from foregone.model.release import Release
from foregone.model.workload import Masks, Query, Workload
from foregone.solvers.arrays import Bools, Ints
from foregone.solvers.elastic import Elastic

MOST_ASKED = 2  # predicates that one question may be about
MOST_SEEDS = 10_000
MOST_ALLOWED = 1 << 28  # boxes times atoms; a quarter of a gigabyte


class Kinds:
    """Kinds of record by the boxes they lie in. Records in the same boxes are one kind; records break no rule.

    A box is a condition, given by the values that it allows in each column: what a statement counts, a rule, or what a question
    is about. One program serves many questions; `aim` tells it what the next one is about. A count of 0 is no row of it: it
    excludes kinds, unless it is among the `weighed`.
    """

    def __init__(self, release: Release, finer: Sequence[Predicate] = (), weighed: Collection[int] = ()) -> None:
        """`finer` are predicates that questions will be about and that cut values which the release does not tell apart."""
        workload = release.workload
        self.release, self.finer = release, tuple(finer)
        asked = tuple(Query("", "", predicate) for predicate in finer)
        self.groups = atomise(
            Workload(workload.domain, (*workload.queries, *asked), workload.rules, workload.sums, workload.alternatives)
            if finer
            else workload
        ).groups
        self._number: dict[tuple[tuple[int, int], ...], int] = {}
        self._boxes: list[Masks] = []
        # of each statement, then of both sides of each either-or: boxes and weights
        self.terms: list[tuple[list[int], list[int]]] = [([self._box(masks)], [1]) for masks in workload.masks]
        for terms in weighted_sums(workload):
            self.terms.append(([self._box(masks) for _, masks in terms], [weight for weight, _ in terms]))
        self.rules = np.array([self._box(masks) for masks in workload.rule_masks], dtype=np.int64)
        self.allows = self._allowed(self._boxes)
        self.zeros = [i for i, high in enumerate(release.high) if high == 0 and i not in weighed]
        self.zero_boxes = np.array([self.terms[i][0][0] for i in self.zeros], dtype=np.int64)
        excluding = set(self.zeros)
        self.rows = np.array([i for i in range(len(self.terms)) if i not in excluding], dtype=np.int64)
        plain = [i for i in self.rows.tolist() if i < len(workload.masks)]
        self._plain = np.array([self.terms[i][0][0] for i in plain], dtype=np.int64)
        self._summed = [self.terms[i] for i in self.rows[len(plain) :].tolist()]
        self.first_asked = len(self.rows)
        self.total = self.first_asked + MOST_ASKED  # a row that counts all records
        self.program = Elastic(self.total + 1)
        self.atoms: list[tuple[int, ...]] = []
        self.excluded: list[int] = []  # by which zeros, one bit each
        self.asked: list[int] = []  # the boxes that the present question is about
        self._told = sorted({box for boxes, _ in self.terms for box in boxes})  # boxes that tell kinds apart: all but the rules
        self._known: dict[bytes, int] = {}
        self._usual = [0] * len(self.groups)
        self._begun = False

    def _box(self, masks: Mapping[int, int]) -> int:
        """The number of a box; the same condition is always the same box."""
        key = tuple(sorted(masks.items()))
        if key not in self._number:
            self._number[key] = len(self._boxes)
            self._boxes.append(dict(masks))
        return self._number[key]

    def _allowed(self, boxes: Sequence[Masks]) -> tuple[Bools, ...]:
        """For each column, which of its atoms each box allows."""
        widths = [len(groups) for groups in self.groups]
        if len(boxes) * sum(widths) > MOST_ALLOWED:
            raise TooLargeError(f"{len(boxes):,} published numbers are too many to be looked at in parts; leave out tables")
        allows = tuple(np.ones((len(boxes), width), dtype=bool) for width in widths)
        known: dict[tuple[int, int], Bools] = {}
        for i, masks in enumerate(boxes):
            for column, mask in masks.items():
                if (column, mask) not in known:
                    known[column, mask] = np.array([group & mask != 0 for group in self.groups[column]])
                allows[column][i] = known[column, mask]
        return allows

    def cut_by(self, predicate: Predicate) -> bool:
        """Does a predicate tell values apart that are one atom here?"""
        masks = predicate.masks(self.release.domain)
        return any(group & mask and group & ~mask for column, mask in masks.items() for group in self.groups[column])

    def aim(self, predicates: Sequence[Predicate], system: LinearSystem | None, seeds: int = MOST_SEEDS) -> None:
        """The next question is about these predicates, which cut no atom; `system`, the release compiled, offers records to
        begin with.
        """
        before = len(self._boxes)
        boxes = [self._box(predicate.masks(self.release.domain)) for predicate in predicates]
        if boxes == self.asked and self._begun:
            return
        if len(self._boxes) > before:
            further = self._allowed(self._boxes[before:])
            self.allows = tuple(np.concatenate([old, more]) for old, more in zip(self.allows, further, strict=True))
        told = [box for box in dict.fromkeys(boxes) if box not in self._told]
        if told:
            self._told += told
            inside = self.members(np.array(self.atoms, dtype=np.int64).reshape(-1, len(self.groups)))[:, told]
            self._known = {key + inside[kind].tobytes(): kind for key, kind in self._known.items()}
        self.asked = boxes
        if system is not None:  # nothing new is met where the statements tell the question's records apart
            new = [p for box, p in zip(boxes, predicates, strict=True) if box in told or not self._begun]
            for predicate in new if predicates or self._begun else [Predicate()]:
                self._seed(system, predicate, seeds)
        self._begun = True
        self._point()

    def _point(self) -> None:
        """Let the program's last rows count what the question is about."""
        inside = self.members(np.array(self.atoms, dtype=np.int64).reshape(-1, len(self.groups)))
        for place, box in enumerate(self.asked):
            self.program.aim(self.first_asked + place, inside[:, box].astype(np.int64))

    def members(self, atoms: Ints) -> Bools:
        """In which boxes are these kinds?"""
        member = np.ones((len(atoms), len(self._boxes)), dtype=bool)
        for column, allowed in enumerate(self.allows):
            member &= allowed.T[atoms[:, column]]
        return member

    def add(self, atoms: Ints) -> list[int]:
        """Take kinds in, a row of atoms each; -1 stands for any atom. Returns their numbers, -1 for one that a rule excludes."""
        numbers, new = self._add(atoms)
        if new:
            self._point()
        return numbers

    def _add(self, atoms: Ints) -> tuple[list[int], bool]:
        filled = np.where(atoms < 0, np.array(self._usual)[None, :], atoms)
        member = self.members(filled)
        told = member[:, self._told]
        fine = np.asarray(~member[:, self.rules].any(axis=1))
        numbers, new = [], []
        for i, row in enumerate(told):
            if not fine[i]:
                numbers.append(-1)
                continue
            key = row.tobytes()
            if key not in self._known:
                self._known[key] = len(self._known)
                new.append(i)
            numbers.append(self._known[key])
        if new:
            columns = [self._column(row) for row in member[new]]
            self.program.add([rows for rows, _ in columns], [weights for _, weights in columns])
            self.atoms += [tuple(row) for row in filled[new].tolist()]
            for row in member[new][:, self.zero_boxes]:
                self.excluded.append(sum(1 << self.zeros[z] for z in np.flatnonzero(row).tolist()))
        return numbers, bool(new)

    def _column(self, member: Bools) -> tuple[Ints, Ints]:
        """What one record of a kind adds to which rows of the program; to the last one, which counts all records, one."""
        counted = np.flatnonzero(member[self._plain])
        summed = [sum(w for b, w in zip(boxes, weights, strict=True) if member[b]) for boxes, weights in self._summed]
        used = [k for k, weight in enumerate(summed) if weight]
        rows = np.concatenate([counted, np.array([len(self._plain) + k for k in used], dtype=np.int64), [self.total]])
        weights = np.concatenate([np.ones(len(counted), dtype=np.int64), np.array([summed[k] for k in used], dtype=np.int64), [1]])
        return rows, weights

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
        return next(a for a, group in enumerate(self.groups[column]) if group >> code & 1)

    def _seed(self, system: LinearSystem, predicate: Predicate, most: int) -> None:
        """Take in the kinds that all statements together leave possible, in the question's box and outside of it."""
        inside, touching = system.extent(predicate)
        chosen = []
        for some in (touching, ~inside):
            at = np.flatnonzero(some)
            chosen.append(at[np.unique(system.bucket_of[at], return_index=True)[1]])
        records = system.records[np.unique(np.concatenate(chosen))]
        if len(records) > most:
            records = records[np.linspace(0, len(records) - 1, most).astype(np.int64)]
        if not len(records):
            return
        masks = predicate.masks(self.release.domain)
        inner, outer = np.empty(records.shape, dtype=np.int64), np.empty(records.shape, dtype=np.int64)
        for c, old in enumerate(system.atoms.groups):
            mask = masks.get(c, -1)
            new = [[a for a, group in enumerate(self.groups[c]) if group & whole] for whole in old]
            prefer = [[a for a in some if self.groups[c][a] & mask] or some for some in new]
            avoid = [[a for a in some if not self.groups[c][a] & mask] or some for some in new]
            inner[:, c] = np.array([some[0] for some in prefer])[records[:, c]]
            outer[:, c] = np.array([some[0] for some in avoid])[records[:, c]]
            self._usual[c] = int(np.bincount(inner[:, c]).argmax())
        self._add(inner)
        for c in masks:
            mixed = inner.copy()
            mixed[:, c] = outer[:, c]
            self._add(mixed)

    def record(self, kind: int) -> Record:
        """A record of a kind."""
        columns = self.release.domain.columns
        return tuple(
            columns[c].codes[(group & -group).bit_length() - 1]
            for c, a in enumerate(self.atoms[kind])
            for group in (self.groups[c][a],)
        )
