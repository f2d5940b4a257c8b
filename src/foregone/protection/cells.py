"""The exact attacker against primary cells: whoever solves for every dataset that fits knows each cell's exact interval."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from foregone.engine.bounds.prover import Prover
from foregone.engine.bounds.trees import AtMost, Exceeds, Tree
from foregone.engine.session import open_session
from foregone.engine.system.decode import dataset_of
from foregone.engine.system.linear import MAX_RECORDS
from foregone.model.dataset import Dataset, Record
from foregone.model.errors import TooLargeError, UndecidedError
from foregone.protection.attack import Cell, Explanation, Explanations, Needed, Safe, Unsure, as_it_is, explanation
from foregone.protection.explaining import Explainer, Explaining, cut, unbroken, unmet, wanted
from foregone.protection.linear import LinearAttacker
from foregone.protection.problem import Problem, release_of, weaken
from foregone.protection.short_proofs import Goal
from foregone.protection.switched import Switched, used
from foregone.solvers.answer import Floats, Undecided
from foregone.solvers.deadline import Deadline

Sides = list[tuple[NDArray[np.int64], int]]
SMALL = 20_000  # kinds of record up to which one system serves for every choice of actions


@dataclass(frozen=True, slots=True)
class _Narrow:
    """A primary cell lies within these limits, which is too narrow: proofs for the sides that matter."""

    low: int
    high: int | None
    proofs: tuple[Tree, ...]


@dataclass(frozen=True, slots=True)
class _Opened:
    """A prover for what is left, and how breaches are explained: by its own rows, or by an explainer."""

    prover: Prover
    switched: Switched | None
    known: dict[int, Needed]  # by the number of the source in the system
    explainer: Explainer | None
    taken: frozenset[int]


class CellAttacker:
    """For the part of a policy that is about primary cells."""

    def __init__(self, problem: Problem, max_records: int = MAX_RECORDS) -> None:
        self.problem = problem
        self._most = max_records
        self._systems: dict[frozenset[int], Switched | None] = {}
        self._explaining = Explaining(problem)
        self._primary = sorted(problem.primary)
        self._linear: LinearAttacker | None = None
        with suppress(TooLargeError):
            self._linear = LinearAttacker(problem)

    def explanations(self, taken: set[int], deadline: Deadline) -> Explanations:
        while True:
            opened = self._open(taken, deadline)
            if isinstance(opened, Unsure):
                return opened
            before, unsure, breached = frozenset(taken), "", False
            for cell in self._primary:
                found = self._narrow(opened.prover, cell)
                if isinstance(found, Undecided):
                    unsure = found.reason
                elif found is not None:
                    breached = True
                    explained = self._explained(opened, cell, found, taken, deadline)
                    if explained is not None:
                        yield explained
            if opened.switched is not None:
                opened.switched.remember(opened.prover)
            if not breached:
                return Unsure(unsure) if unsure else Safe()
            if taken == before:
                return Unsure("a breach could not be explained")
            if deadline.passed():
                return Unsure("the time limit was reached")

    def cuts(self, point: Floats, deep: bool, deadline: Deadline) -> Iterator[Explanation]:
        """What follows by adding and subtracting alone is cheap to find, so it comes first."""
        simple = [] if self._linear is None else [e for e in self._linear.cuts(point, deep, deadline) if unbroken(e, point)]
        if simple or not deep:
            yield from simple
            return
        switched = self._switched(frozenset(), deadline)
        if switched is None:
            return
        proofs = self._explaining.proofs(frozenset(), switched.system)
        weights = unmet(proofs, point)
        for cell in self._primary:
            statistic = self.problem.release.statistics[cell]
            count = statistic.low
            goals: list[Goal] = [(statistic.predicate, count, count)]
            found = cut(self.problem, proofs, Cell(cell, count, count), goals, point, weights, deadline)
            if found is not None:
                yield found

    def breaches(self, taken: Iterable[int], deadline: Deadline) -> int | None:
        opened = self._open(taken, deadline)
        if isinstance(opened, Unsure):
            return None
        found = [self._narrow(opened.prover, cell) for cell in self._primary]
        if opened.switched is not None:
            opened.switched.remember(opened.prover)
        return None if any(isinstance(narrow, Undecided) for narrow in found) else sum(narrow is not None for narrow in found)

    def datasets(self, taken: Iterable[int], deadline: Deadline) -> list[Dataset] | None:
        """Datasets that fit what is left and show of every primary cell that it is not known too well."""
        opened = self._open(taken, deadline)
        if isinstance(opened, Unsure) or any(self._narrow(opened.prover, cell) is not None for cell in self._primary):
            return None
        system, pool = opened.prover.system, opened.prover.pool
        found: dict[tuple[tuple[Record, int], ...], Dataset] = {}
        for cell in self._primary:
            predicate = self.problem.release.statistics[cell].predicate
            whole, some = system.footprint(predicate)
            fewest, most = pool.counts(whole), pool.counts(some)
            for witness, match in ((fewest.index(min(fewest)), False), (most.index(max(most)), True)):
                dataset = dataset_of(system, pool.witnesses[witness], predicate, match)
                found[tuple(dataset.kinds)] = dataset
        return list(found.values())

    def _open(self, taken: Iterable[int], deadline: Deadline) -> _Opened | Unsure:
        left = weaken(self.problem, taken)
        merges = frozenset(taken) & self.problem.merges
        switched = self._switched(merges, deadline)
        if switched is not None:
            prover = switched.prover(left, deadline)
            if isinstance(prover, Undecided):
                return Unsure(prover.reason)
            return _Opened(prover, switched, {r: as_it_is(row) for r, row in enumerate(left)}, None, frozenset(taken))
        left = sorted((row for row in left if not row.empty), key=lambda row: row.row.count is None)
        try:
            session = open_session(release_of(self.problem, [(row.row, row.low, row.high) for row in left]), deadline, self._most)
        except UndecidedError as error:
            return Unsure(str(error))
        started = session.first_witness()
        if started is not True:
            return Unsure(started.reason if isinstance(started, Undecided) else "what is left contradicts itself")
        return _Opened(session.prover, None, {}, self._explaining.over(left, merges, session.system), frozenset(taken))

    def _switched(self, merges: frozenset[int], deadline: Deadline) -> Switched | None:
        """One system for all choices, where all numbers are counts and few kinds of record are possible."""
        if merges not in self._systems:
            self._systems[merges] = None
            if all(row.count is not None for row in self.problem.rows):
                with suppress(TooLargeError):
                    self._systems[merges] = Switched(self.problem, merges, min(SMALL, self._most), deadline)
        return self._systems[merges]

    def _narrow(self, prover: Prover, cell: int) -> _Narrow | Undecided | None:
        """Why too much is known about a cell; None when enough datasets differ in it."""
        statistic = self.problem.release.statistics[cell]
        true, policy = statistic.low, self.problem.policy
        whole, some = prover.system.footprint(statistic.predicate)
        low, high = min(prover.pool.counts(whole)), max(prover.pool.counts(some))
        upper: Tree | None = None
        while not policy.wide_enough(true, low, high):
            # first upwards, then downwards; where one side alone is too narrow the other does not matter
            objective, target = (some.astype(np.int64), high) if upper is None else (-whole.astype(np.int64), -low)
            answer = prover.at_most(objective, target)
            match answer:
                case Exceeds(witness=witness) if upper is None:
                    high = witness.value(some)
                case Exceeds(witness=witness):
                    low = witness.value(whole)
                case Undecided():
                    return answer
                case AtMost(proof=proof) if upper is None:
                    upper = proof
                    if not policy.wide_enough(true, 0, high):
                        return _Narrow(0, high, (proof,))
                case AtMost(proof=proof):
                    assert upper is not None
                    alone = not policy.wide_enough(true, low, None)
                    return _Narrow(low, None if alone else high, (proof,) if alone else (upper, proof))
        return None

    def _explained(
        self, opened: _Opened, cell: int, found: _Narrow, taken: set[int], deadline: Deadline
    ) -> Explanation | None:
        breach = Cell(cell, found.low, found.high)
        predicate = self.problem.release.statistics[cell].predicate
        if opened.switched is None:
            assert opened.explainer is not None
            return opened.explainer.explained(breach, [(predicate, found.low, found.high)], taken, deadline)
        whole, some = opened.prover.system.footprint(predicate)
        sides: Sides = [] if found.high is None else [(some.astype(np.int64), found.high)]
        sides += [(-whole.astype(np.int64), -found.low)] if found.low > 0 else []
        proofs = self._explaining.proofs(frozenset(taken) & self.problem.merges, opened.switched.system)
        goals = [(predicate, found.low, found.high)]
        needed = proofs.forcing(goals, wanted(self.problem, proofs), taken, deadline)
        gone = needed is None or any(taken.intersection(part.hit_by(self.problem)) for part in needed)
        if needed is None or gone or not self._enough(opened.switched, needed, sides, deadline):
            if taken != opened.taken:
                return None  # what was taken since may be what it needs; if not, it is found again
            # by the rows of the proof itself, or by everything that was left when it was made
            needed = used(opened.prover, opened.known, found.proofs)
            if not self._enough(opened.switched, needed, sides, deadline):
                needed = list(opened.known.values())
        return explanation(self.problem, breach, needed)

    def _enough(self, switched: Switched, needed: list[Needed], sides: Sides, deadline: Deadline) -> bool:
        """Do these statements, beside the numbers that no action touches, prove all sides?"""
        prover = switched.only(needed, deadline)
        return all(isinstance(prover.at_most(objective, target), AtMost) for objective, target in sides)
