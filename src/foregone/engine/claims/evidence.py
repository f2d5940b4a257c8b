"""Why the facts of an audit are certain: what the engine keeps of its work, frozen, to write proofs from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from weakref import WeakKeyDictionary

import numpy as np

from foregone.engine.bounds.rowspace import RowSpace
from foregone.engine.bounds.trees import Lemma
from foregone.engine.claims.audit_loop import ClosedFact, dead_ground
from foregone.engine.claims.cells_of_claim import agreement
from foregone.engine.claims.shorter_claims import forms_each
from foregone.engine.system.decode import condition_of, predicate_of
from foregone.engine.system.linear import LinearSystem
from foregone.engine.system.witness import Witness
from foregone.model.audit import Fact
from foregone.model.claim import Ground
from foregone.model.predicate import Predicate
from foregone.model.release import Release
from foregone.model.workload import Workload

MOST_WORK = 100_000_000  # possible records looked at while telling facts apart
Conditions = tuple[tuple[str, frozenset[str]], ...]


@dataclass(frozen=True, eq=False)
class Evidence:
    """The system, every fact with its reason, the lemmas these rest on, and the witnesses that refute everything else."""

    system: LinearSystem
    facts: tuple[ClosedFact, ...]
    lemmas: tuple[Lemma, ...]
    witnesses: tuple[Witness, ...]

    @cached_property
    def dead(self) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
        """Cells shown to be empty."""
        dead = np.zeros(self.system.cells, dtype=bool)
        for lemma in self.lemmas:
            dead[lemma.cells] = True
        return dead

    @cached_property
    def occupied(self) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
        """Cells that some witness fills."""
        occupied = np.zeros(self.system.cells, dtype=bool)
        for witness in self.witnesses:
            occupied[witness.cells] = True
        return occupied

    @property
    def certain(self) -> list[ClosedFact]:
        return [fact for fact in self.facts if fact.reason is not None]

    @property
    def open(self) -> list[ClosedFact]:
        return [fact for fact in self.facts if fact.reason is None]

    def stated(self, facts: Iterable[ClosedFact]) -> tuple[Fact, ...]:
        """Facts in words, in the order of `in_telling_order`, which is also that of the numbers of their atoms."""
        some = sorted(facts, key=lambda fact: (fact.count, -len(fact.extent.columns), fact.closed.tolist()))
        counts, shortest = forms_each([(len(fact.extent.columns), fact.extent.blocked) for fact in some])
        made = []
        for fact, sizes, masks in zip(some, counts.tolist(), shortest, strict=True):
            pairs = self._conditions(fact)
            predicate = predicate_of(pairs)
            short = tuple(predicate_of(pair for bit, pair in enumerate(pairs) if mask >> bit & 1) for mask in masks)
            ground = None if fact.ground is None else self._as_published(fact.ground, predicate, fact.count)
            made.append(Fact(predicate, fact.count, ground, short, tuple(sizes[: len(pairs) + 1])))
        return tuple(made)

    def ground(self, fact: Fact, form: Predicate) -> Ground:
        """The cheapest reason for this very form: other forms of a fact may rest on cells shown to be empty."""
        closed = self._by_predicate[fact.predicate]
        assert closed.ground is not None
        first = self._as_published(closed.ground, form, fact.count)
        if first == Ground.PUBLISHED or form == fact.predicate or not self.lemmas:
            return first
        names = {name for name, _ in form.allowed}
        columns = np.array([c for c in closed.extent.columns if self.system.release.domain.names[c] in names])
        match = agreement(self.system, closed.closed, columns) == (1 << len(columns)) - 1
        if not (match & self.dead[self.system.cell_of]).any():
            return closed.ground
        outer, cut = np.zeros((2, self.system.cells), dtype=bool)
        outer[self.system.cell_of[match]] = True
        cut[self.system.cell_of[~match]] = True
        if not (outer & cut).any() and self._rowspace.express(outer) is not None:
            return Ground.LINEAR
        return max(closed.ground, dead_ground(self.lemmas), key=lambda ground: ground.rank)

    def singled_out(self) -> int:
        """A number of different records that are certainly singled out: two facts that no possible record fits both of are
        about different ones. The largest such group is looked for from several facts in turn; any group is a safe count.
        """
        dead = self.dead[self.system.cell_of]
        fitting = []
        for fact in self.certain:
            if fact.count == 1:
                agree = agreement(self.system, fact.closed, fact.extent.columns)
                fitting.append(np.flatnonzero((agree == (1 << len(fact.extent.columns)) - 1) & ~dead))
        fitting.sort(key=len)  # facts that leave few possibilities first: they are the least in each other's way
        best = 0
        for first in fitting[: max(1, MOST_WORK // max(1, len(fitting) * len(dead)))]:
            taken = np.zeros(len(dead), dtype=bool)
            taken[first] = True
            chosen = 1
            for other in fitting:
                if not taken[other].any():
                    taken[other] = True
                    chosen += 1
            best = max(best, chosen)
        return best

    def closed_ground(self, fact: ClosedFact) -> Ground:
        """The cheapest reason for the fullest form of a fact that is certain."""
        assert fact.ground is not None
        return self._as_published(fact.ground, predicate_of(self._conditions(fact)), fact.count)

    def _as_published(self, ground: Ground, predicate: Predicate, count: int) -> Ground:
        release = self.system.release
        known = single_values(release.workload).get(predicate.allowed, ())
        return Ground.PUBLISHED if any(release.low[i] == release.high[i] == count for i in known) else ground

    def _conditions(self, fact: ClosedFact) -> list[tuple[str, frozenset[str]]]:
        closed, named = fact.closed.tolist(), self._named
        pairs = []
        for c in fact.extent.columns.tolist():
            if (c, closed[c]) not in named:
                named[c, closed[c]] = condition_of(self.system, c, closed[c])
            pairs.append(named[c, closed[c]])
        return pairs

    @cached_property
    def _named(self) -> dict[tuple[int, int], tuple[str, frozenset[str]]]:
        """The conditions met so far: the same few stand in many facts."""
        return {}

    @cached_property
    def _by_predicate(self) -> dict[Predicate, ClosedFact]:
        return {predicate_of(self._conditions(fact)): fact for fact in self.facts}

    @cached_property
    def _rowspace(self) -> RowSpace:
        return RowSpace(self.system, np.ones(self.system.cells, dtype=bool))

    def __getstate__(self) -> dict[str, object]:
        """Only what cannot be worked out again is pickled."""
        return {name: getattr(self, name) for name in ("system", "facts", "lemmas", "witnesses")}


_known: WeakKeyDictionary[Workload, dict[Conditions, list[int]]] = WeakKeyDictionary()


def single_values(workload: Workload) -> dict[Conditions, list[int]]:
    """Queries that fix single values, by those values."""
    if workload not in _known:
        found: dict[Conditions, list[int]] = {}
        columns = workload.domain.columns
        for i, masks in enumerate(workload.masks):
            if all(mask.bit_count() == 1 for mask in masks.values()):
                pairs = ((columns[c].name, frozenset(columns[c].codes_of(mask))) for c, mask in masks.items())
                found.setdefault(tuple(sorted(pairs)), []).append(i)
        _known[workload] = found
    return _known[workload]


def published(release: Release, predicate: Predicate, count: int) -> bool:
    """Is the claim itself a published number, to the letter?"""
    masks = predicate.masks(release.domain)
    return any(m == masks and low == high == count for m, low, high in zip(release.masks, release.low, release.high, strict=True))
