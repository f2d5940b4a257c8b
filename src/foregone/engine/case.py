"""A release compiled once, with what was found out about it so far: every question about it is asked of its case."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from foregone.engine.bounds.prover import Prover
from foregone.engine.bounds.rowspace import RowSpace
from foregone.engine.bounds.trees import AtMost, Exceeds, Lemma
from foregone.engine.explain.switches import Switches, published_numbers
from foregone.engine.system.decode import dataset_of, witness_of
from foregone.engine.system.linear import MAX_RECORDS, LinearSystem, compile_release
from foregone.engine.system.parts import IndependentPart
from foregone.engine.system.settled import Settled, settle
from foregone.engine.system.witness import Witness
from foregone.engine.witnesses.pool import Pool
from foregone.model.dataset import Dataset
from foregone.model.predicate import Predicate
from foregone.model.release import Release
from foregone.model.statement import Limits
from foregone.solvers.answer import NO_LIMIT, Undecided
from foregone.solvers.arrays import Bools, Ints
from foregone.solvers.deadline import Deadline

CARRIED = 20  # datasets that a weaker case begins with
MANY_ROWS = 400  # in a smaller system there is nothing to be gained by taking off what is settled


@dataclass(frozen=True, slots=True)
class Smaller:
    """What is left of a system when all that follows number by number is taken off, with a prover of its own."""

    settled: Settled
    prover: Prover

    def objective(self, buckets: Bools) -> tuple[Ints, int]:
        """A set of buckets of the whole as an objective, and how many records lie in those that are settled."""
        left, fixed = self.settled.part(np.flatnonzero(buckets))
        return self.settled.rest.count_in(left), fixed


class Case:
    """A release, compiled; a prover that stays warm; and a pool of datasets that fit.

    Questions make it wiser and never change what it says: a dataset that one of them found serves the next. Questions about the
    release with some numbers withheld or widened are asked of `limited`, which keeps the records that are possible and changes
    limits, or of `switches`, where every published number can be left out.
    """

    def __init__(self, release: Release, limit: float | Deadline | None = None, max_records: int = MAX_RECORDS) -> None:
        """`limit` is a number of seconds, or a deadline that was running before."""
        deadline = Deadline.of(limit)
        self.prover = Prover(compile_release(release, max_records, deadline), deadline)

    @classmethod
    def of(
        cls, system: LinearSystem, deadline: Deadline, witnesses: Iterable[Witness] = (), lemmas: Sequence[Lemma] = ()
    ) -> Case:
        """A case about a system that is compiled already, with datasets that fit it and all lemmas that an earlier case learnt."""
        made = cls.__new__(cls)
        made.prover = Prover(system, deadline)
        made.pool.add_each(witnesses)
        for lemma in lemmas[len(made.prover.lemmas) :]:  # every prover begins with the same ones
            made.prover.known.learn(lemma)
        return made

    @classmethod
    def asking(cls, prover: Prover) -> Case:
        """A case with a prover that somebody has already."""
        made = cls.__new__(cls)
        made.prover = prover
        return made

    def weaker(self, release: Release, limit: float | Deadline | None = None, max_records: int = MAX_RECORDS) -> Case:
        """The case of a release that says less, such as this one with numbers withheld or rounded.

        What fits here fits there, so datasets that are known come along. Each is tabulated again: a release that says something
        else does no harm.
        """
        made = Case(release, limit, max_records)
        for number in range(min(len(self.pool), CARRIED)):
            witness = witness_of(made.system, self.dataset(number))
            if witness is not None:
                made.pool.add(witness)
        return made

    def until(self, limit: float | Deadline | None) -> Case:
        """This case, with another time limit for what is asked next."""
        deadline = Deadline.of(limit)
        smaller: Smaller | None = self.__dict__.get("smaller")  # if it was needed already
        for prover in (self.prover, *([] if smaller is None else [smaller.prover])):
            prover.deadline = prover.known.deadline = deadline
        return self

    @property
    def release(self) -> Release:
        return self.system.release

    @property
    def system(self) -> LinearSystem:
        return self.prover.system

    @property
    def pool(self) -> Pool:
        return self.prover.pool

    @property
    def deadline(self) -> Deadline:
        return self.prover.deadline

    @property
    def parts(self) -> tuple[IndependentPart, ...]:
        """The independent parts: no statement ties one to another. None are told of a system that is small or has only one."""
        return () if self.prover.apart is None else tuple(self.prover.apart.parts)

    @cached_property
    def rowspace(self) -> RowSpace:
        """The span of the exact rows over all buckets."""
        return RowSpace(self.system, np.ones(self.system.buckets, dtype=bool))

    @cached_property
    def smaller(self) -> Smaller | None:
        """The system without what is settled, where that is much smaller."""
        settled = settle(self.system) if self.system.rows > MANY_ROWS else None
        if settled is None or 2 * settled.rest.buckets > self.system.buckets:
            return None
        return Smaller(settled, Prover(settled.rest, self.deadline))

    @cached_property
    def switches(self) -> Switches:
        """The published numbers, each on a switch of its own: what follows from some of them alone?"""
        return Switches(published_numbers(self.release), self.system)

    def first_witness(self) -> bool | Undecided:
        """Find one consistent dataset, in the smaller system if there is one; False is a proof that there is none."""
        if self.smaller is not None and not len(self.pool) and self.smaller.prover.first_witness() is True:
            self.pool.add(self.smaller.settled.back(self.smaller.prover.pool.witnesses[0]))
        return self.prover.first_witness()

    def at_most(self, predicate: Predicate, count: int) -> AtMost | Exceeds | Undecided:
        """Do at most so many records match in every dataset that fits?"""
        return self.prover.at_most(self.system.footprint(predicate)[1].astype(np.int64), count)

    def at_least(self, predicate: Predicate, count: int) -> AtMost | Exceeds | Undecided:
        """Do at least so many records match in every dataset that fits? `AtMost` is yes: their negative is at most that."""
        return self.prover.at_most(-self.system.footprint(predicate)[0].astype(np.int64), -count)

    def counts(self, predicate: Predicate) -> list[int]:
        """How many records match in each dataset that is known, at most."""
        return self.pool.counts(self.system.footprint(predicate)[1])

    def dataset(self, number: int = 0) -> Dataset:
        """A dataset that is known to fit."""
        return dataset_of(self.system, self.pool.witnesses[number])

    def dataset_with(self, number: int, value: int) -> Witness | Undecided | None:
        """A dataset in which published count `number` has this value; None is a proof that there is none. The case keeps it."""
        system, row = self.system, int(self.system.row_of[number])
        if row < 0:  # nobody can be counted there
            return self.pool.witnesses[0] if value == 0 and len(self.pool) else None
        low, high = system.low.copy(), system.high.copy()
        if not low[row] <= value <= high[row]:
            return None
        low[row] = high[row] = value
        narrower = Prover(replace(system, low=low, high=high), self.deadline)
        found = narrower.first_witness()
        if isinstance(found, Undecided) or not found:
            return found if isinstance(found, Undecided) else None
        self.pool.add(narrower.pool.witnesses[0])
        return narrower.pool.witnesses[0]

    def limited(self, limits: Mapping[int, Limits], deadline: Deadline, known: Iterable[Witness] = ()) -> Case:
        """The case of a release with the same possible records in which counts, by their numbers, have these limits, and all others
        none. Of the datasets `known` it keeps those that fit.
        """
        system = self.system
        low, high = np.where(system.low == -NO_LIMIT, -NO_LIMIT, 0), np.full(system.rows, NO_LIMIT)
        sources = np.full((2, system.rows), -1)
        for number, (least, most) in limits.items():
            i = int(system.row_of[number])
            if i >= 0 and least is not None and least > low[i]:
                low[i], sources[0, i] = least, number
            if i >= 0 and most is not None and most < high[i]:
                high[i], sources[1, i] = most, number
        made = Case.of(system.limited(low, high, sources[0], sources[1]), deadline, known)
        made.prover.parts = ()  # it is asked a few questions and goes, so taking it apart would not pay
        return made
