"""Why the facts of an audit are certain: what the engine keeps of its work, frozen, to write proofs from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from foregone.engine.bounds.rowspace import RowSpace
from foregone.engine.bounds.trees import Lemma
from foregone.engine.claims.audit_loop import ClosedFact, dead_ground
from foregone.engine.claims.items import LayerItems, atom_items
from foregone.engine.claims.shorter_claims import Forms
from foregone.engine.claims.singled_out import adds_up, fewest_in
from foregone.engine.claims.telling import Telling
from foregone.engine.system.linear import LinearSystem
from foregone.engine.system.witness import Witness
from foregone.model.audit import Fact, Printed
from foregone.model.claim import Ground
from foregone.model.families import Families, Groups, count_forms, families_of
from foregone.model.kept import kept_with
from foregone.model.predicate import Predicate
from foregone.model.release import Release
from foregone.model.workload import Workload
from foregone.solvers.arrays import Bools, Ints

MOST_BITS = 1 << 30  # of what queries leave out, kept for all of them
Conditions = tuple[tuple[str, frozenset[str]], ...]
Box = dict[int, int]  # column -> values as a bit mask, columns in order


@dataclass(frozen=True, eq=False)
class Evidence:
    """The system, every fact with its reason, the lemmas these rest on, and the witnesses that refute everything else."""

    system: LinearSystem
    facts: tuple[ClosedFact, ...]
    lemmas: tuple[Lemma, ...]
    witnesses: tuple[Witness, ...]
    groups: Groups = Groups.PUBLISHED

    @cached_property
    def dead(self) -> Bools:
        """Buckets shown to be empty."""
        dead = np.zeros(self.system.buckets, dtype=bool)
        for lemma in self.lemmas:
            dead[lemma.buckets] = True
        return dead

    @cached_property
    def occupied(self) -> Bools:
        """Buckets that some witness fills."""
        occupied = np.zeros(self.system.buckets, dtype=bool)
        for witness in self.witnesses:
            occupied[witness.buckets] = True
        return occupied

    @cached_property
    def items(self) -> LayerItems:
        return atom_items(self.system.release.workload, self.groups)

    @cached_property
    def families(self) -> Families:
        return families_of(self.system.release.workload, self.groups)

    @property
    def certain(self) -> list[ClosedFact]:
        return [fact for fact in self.facts if fact.reason is not None]

    @property
    def open(self) -> list[ClosedFact]:
        return [fact for fact in self.facts if fact.reason is None]

    def box(self, fact: ClosedFact) -> Box:
        """What the fullest form of a fact allows, in codes."""
        return self._in_codes(self.atoms_of(fact))

    def atoms_of(self, fact: ClosedFact) -> Box:
        """What the fullest form of a fact allows, in atoms."""
        key = fact.closed.tobytes()
        if key not in self._boxes:
            self._boxes[key] = self.items.box(fact.closed.tolist())
        return self._boxes[key]

    def shortest(self, fact: ClosedFact) -> list[Box]:
        """What the shortest forms of a fact allow, in codes; each is as short as can be, fewest columns first."""
        forms = Forms(self.items, fact.closed)
        return [self._in_codes(forms.box(form)) for form in forms.shortest(fact.blocked)]

    def stated(self, facts: Iterable[ClosedFact]) -> tuple[Fact, ...]:
        """Facts in words, in the order of `in_telling_order`."""
        some = [(fact, self.box(fact)) for fact in facts]
        some.sort(key=lambda pair: (pair[0].count, -len(pair[1]), self._order(pair[1])))
        told, names = self._telling, self.system.release.domain.names
        printed = self._printed([box for _, box in some], [fact.count for fact, _ in some])
        made = []
        for (fact, box), published in zip(some, printed, strict=True):
            forms = Forms(self.items, fact.closed)
            shortest = [self._in_codes(forms.box(form)) for form in forms.shortest(fact.blocked)]
            predicate = self.predicate(box)
            ground = None if fact.ground is None else self._as_published(fact.ground, predicate, fact.count)
            idle = told.idle(atoms := self.atoms_of(fact))
            silent, brought = (frozenset(names[c] for c in some) for some in (idle, told.brought(atoms, idle)))
            # the smallest boxes around the fact and another possible record, where these are fewer
            few = len(fact.blocked) < len(shortest)
            blocked = [self._in_codes(forms.box(mask)) for mask in fact.blocked] if few else None
            sizes = count_forms(box, shortest, self.families, blocked)
            short = tuple(map(self.predicate, shortest))
            made.append(Fact(predicate, fact.count, ground, short, sizes or (), published, silent, brought=brought))
        return tuple(made)

    @property
    def counted(self) -> bool:
        """Is the number of records certain?"""
        return self._telling.counted

    def ground(self, fact: Fact, form: Predicate) -> Ground:
        """The cheapest reason for this very form: other forms of a fact may rest on buckets shown to be empty."""
        ground = self._by_predicate[fact.predicate].ground
        assert ground is not None
        return self.ground_resting_on(self.dead, dead_ground(self.lemmas), ground, fact, form)

    def ground_resting_on(self, empty: Bools, of_empty: Ground, ground: Ground, fact: Fact, form: Predicate) -> Ground:
        """The cheapest reason for a form of a fact, given which buckets are empty and why, and the fact's own ground."""
        first = self._as_published(ground, form, fact.count)
        if first == Ground.PUBLISHED or form == fact.predicate or not empty.any():
            return first
        match = self._matching(form)
        if not (match & empty[self.system.bucket_of]).any():
            return ground
        key = np.packbits(match).tobytes()
        if key not in self._combined:
            outer, cut = np.zeros((2, self.system.buckets), dtype=bool)
            outer[self.system.bucket_of[match]] = True
            cut[self.system.bucket_of[~match]] = True
            self._combined[key] = not (outer & cut).any() and self._rowspace.express(outer) is not None
        return Ground.LINEAR if self._combined[key] else max(ground, of_empty, key=lambda ground: ground.rank)

    def _matching(self, form: Predicate) -> Bools:
        """Live records all of whose values match; forms of facts share their conditions."""
        match = np.ones(len(self.system.records), dtype=bool)
        for condition in form.allowed:
            if condition not in self._having:
                self._having[condition] = self.system.extent(Predicate((condition,)))[0]
            match &= self._having[condition]
        return match

    def singled_out(self, attributes: int) -> tuple[int, int]:
        """The least number of records that facts about a single record with so many attributes are about: from both sides."""
        sets = []
        for fact in self.certain:
            if fact.count == 1:
                box = self.atoms_of(fact)
                if len(box) - len(self._telling.idle(box)) >= attributes:
                    sets.append(fact.extent.inner[~self.dead[fact.extent.inner]])
        return fewest_in(self.system, sets, self.witnesses, self.lemmas)

    def sums(self, facts: Sequence[Fact], known: Sequence[bool]) -> list[bool]:
        """Which of the facts that are not known yet are sums of those that are, or of others told before them?"""
        sets = [self._by_predicate[fact.predicate].extent.inner for fact in facts]
        return sums_of([inner[~self.dead[inner]] for inner in sets], known)

    def closed_ground(self, fact: ClosedFact) -> Ground:
        """The cheapest reason for the fullest form of a fact that is certain."""
        assert fact.ground is not None
        return self._as_published(fact.ground, self.predicate(self.box(fact)), fact.count)

    def predicate(self, box: Box) -> Predicate:
        """A box of codes in words."""
        return Predicate(tuple([self._condition(c, box[c]) for c in self._by_name if c in box]))

    def _as_published(self, ground: Ground, predicate: Predicate, count: int) -> Ground:
        return Ground.PUBLISHED if published(self.system.release, predicate, count) else ground

    def _printed(self, boxes: list[Box], counts: list[int]) -> list[bool]:
        """Which claims have a form that is itself a published exact number: one that holds the claim and counts as many."""
        release, wanted = self.system.release, dict[int, list[int]]()
        if len(release.low) * _shifts(release.workload)[1].bit_length() > MOST_BITS:
            printed = Printed(release, self.groups)
            return [printed.around(self.predicate(box), count) for box, count in zip(boxes, counts, strict=True)]
        outside = outside_of_queries(release.workload, self.groups)
        sought = set(counts)
        for low, high, beyond in zip(release.low, release.high, outside, strict=True):
            if low in sought and low == high and beyond is not None:
                wanted.setdefault(low, []).append(beyond)
        shifts, full = _shifts(release.workload)
        found = []
        for box, count in zip(boxes, counts, strict=True):
            allowed = full
            for c, mask in box.items():
                allowed ^= (mask << shifts[c]) ^ (self.system.release.domain.columns[c].full << shifts[c])
            found.append(any(not allowed & beyond for beyond in wanted.get(count, ())))
        return found

    def _in_codes(self, atoms: Box) -> Box:
        known, found = self._codes, {}
        for pair in atoms.items():
            codes = known.get(pair)
            if codes is None:
                c, mask = pair
                codes = known[pair] = sum(group for a, group in enumerate(self.system.atoms.groups[c]) if mask >> a & 1)
            found[pair[0]] = codes
        return found

    def _order(self, box: Box) -> list[tuple[int, ...]]:
        """Claims in the order of the domain's codes."""
        known = self._places
        for mask in box.values():
            if mask not in known:
                known[mask] = tuple(i for i in range(mask.bit_length()) if mask >> i & 1)
        return [known[box[c]] if c in box else () for c in range(len(self.system.release.domain.columns))]

    def _condition(self, c: int, mask: int) -> tuple[str, frozenset[str]]:
        found = self._named.get((c, mask))
        if found is None:
            column = self.system.release.domain.columns[c]
            found = self._named[c, mask] = column.name, frozenset(column.codes_of(mask))
        return found

    @cached_property
    def _by_name(self) -> list[int]:
        """The columns in the order of a predicate."""
        names = self.system.release.domain.names
        return sorted(range(len(names)), key=names.__getitem__)

    @cached_property
    def _named(self) -> dict[tuple[int, int], tuple[str, frozenset[str]]]:
        """The conditions met so far: the same few stand in many facts."""
        return {}

    @cached_property
    def _codes(self) -> dict[tuple[int, int], int]:
        """Atoms as codes, as far as they were met."""
        return {}

    @cached_property
    def _boxes(self) -> dict[bytes, Box]:
        """What facts allow, in atoms, as far as it was asked."""
        return {}

    @cached_property
    def _having(self) -> dict[tuple[str, frozenset[str]], Bools]:
        """Live records that fulfil a condition, as far as it was asked."""
        return {}

    @cached_property
    def _combined(self) -> dict[bytes, bool]:
        """Is the number of some live records a combination of rows? As far as it was asked."""
        return {}

    @cached_property
    def _places(self) -> dict[int, tuple[int, ...]]:
        return {}

    @cached_property
    def _telling(self) -> Telling:
        return Telling(self.system, self.dead, self.certain, self.items, self.groups)

    @cached_property
    def _by_predicate(self) -> dict[Predicate, ClosedFact]:
        return {self.predicate(self.box(fact)): fact for fact in self.facts}

    @cached_property
    def _rowspace(self) -> RowSpace:
        return RowSpace(self.system, np.ones(self.system.buckets, dtype=bool))

    def __getstate__(self) -> dict[str, object]:
        """Only what cannot be worked out again is pickled."""
        return {name: getattr(self, name) for name in ("system", "facts", "lemmas", "witnesses", "groups")}


def sums_of(sets: Sequence[Ints], known: Sequence[bool]) -> list[bool]:
    """Which sets of buckets that are not known yet are sums of those that are, or of others told before them?"""
    found = [False] * len(sets)
    buckets = [frozenset(some.tolist()) for some in sets]
    parts = [some for some, told in zip(buckets, known, strict=True) if told]
    for i in sorted((i for i, told in enumerate(known) if not told), key=lambda i: len(buckets[i])):
        found[i] = adds_up(buckets[i], parts)
        if not found[i]:
            parts.append(buckets[i])
    return found


@kept_with
def conditions(workload: Workload) -> dict[Conditions, list[int]]:
    """Queries by what they ask; a column that may have any value is left out."""
    found: dict[Conditions, list[int]] = {}
    columns = workload.domain.columns
    for i, masks in enumerate(workload.masks):
        pairs = ((columns[c].name, frozenset(columns[c].codes_of(mask))) for c, mask in masks.items())
        found.setdefault(tuple(sorted(pairs)), []).append(i)
    return found


def _shifts(workload: Workload) -> tuple[list[int], int]:
    """Where each column begins when the codes of all columns are bits of one number, and that number."""
    widths = [len(column.codes) for column in workload.domain.columns]
    return [sum(widths[:c]) for c in range(len(widths))], (1 << sum(widths)) - 1


@kept_with
def outside_of_queries(workload: Workload, groups: Groups) -> list[int | None]:
    """For each query the codes that it does not allow, as bits of one number; None for one that names groups where none may be."""
    shifts, columns = _shifts(workload)[0], workload.domain.columns
    return [
        None
        if groups == Groups.NONE and any(mask & (mask - 1) for mask in masks.values())
        else sum((columns[c].full & ~mask) << shifts[c] for c, mask in masks.items())
        for masks in workload.masks
    ]


def published(release: Release, predicate: Predicate, count: int) -> bool:
    """Is the claim itself a published number, to the letter?"""
    domain = release.domain
    named = tuple((name, codes) for name, codes in predicate.allowed if len(codes) < len(domain.column(name).codes))
    return any(release.low[i] == release.high[i] == count for i in conditions(release.workload).get(named, ()))
