"""The exact attacker against primary cells: whoever solves for every dataset that fits knows each cell's exact interval."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from foregone.engine.bounds.prover import AtMost, Exceeds, Prover
from foregone.engine.bounds.trees import Tree
from foregone.engine.system.linear import MAX_RECORDS
from foregone.protection.attack import Cell, Explaining, Explanation, Needed, Safe, Unsure, as_it_is, explanation
from foregone.protection.problem import Problem
from foregone.protection.switched import Switched, used
from foregone.solvers.answer import Floats, Undecided
from foregone.solvers.deadline import Deadline

Bools = NDArray[np.bool_]
Proofs = list[Tree]


@dataclass(frozen=True, slots=True)
class _Narrow:
    """A primary cell lies within these limits, which is too narrow: proofs for the sides that matter."""

    low: int
    high: int | None
    proofs: tuple[Tree, ...]


class CellAttacker:
    """For the part of a policy that is about primary cells."""

    def __init__(self, problem: Problem, max_records: int = MAX_RECORDS) -> None:
        self.problem = problem
        self._most = max_records
        self._systems: dict[frozenset[int], Switched] = {}
        self._primary = sorted(problem.primary)

    def explanations(self, taken: set[int], deadline: Deadline) -> Explaining:
        while True:
            switched = self._switched(taken, deadline)
            opened = switched.prover(taken, deadline)
            if isinstance(opened, Undecided):
                return Unsure(opened.reason)
            prover, left = opened
            known = {r: as_it_is(row) for r, row in enumerate(left)}
            breached, unsure = False, ""
            for cell in self._primary:
                found = self._narrow(prover, switched, cell)
                if isinstance(found, Undecided):
                    unsure = found.reason
                elif found is not None:
                    breached = True
                    needed = used(prover, known, found.proofs)
                    yield self._explained(switched, cell, found, needed, deadline)
            switched.remember(prover)
            if not breached:
                return Unsure(unsure) if unsure else Safe()
            if deadline.passed():
                return Unsure("the time limit was reached")

    def cuts(self, point: Floats, deadline: Deadline) -> Iterator[Explanation]:
        del point, deadline
        return iter(())

    def breaches(self, taken: Iterable[int], deadline: Deadline) -> int | None:
        taken = set(taken)
        switched = self._switched(taken, deadline)
        opened = switched.prover(taken, deadline)
        if isinstance(opened, Undecided):
            return None
        found = [self._narrow(opened[0], switched, cell) for cell in self._primary]
        if any(isinstance(narrow, Undecided) for narrow in found):
            return None
        switched.remember(opened[0])
        return sum(narrow is not None for narrow in found)

    def intervals(self, taken: Iterable[int], deadline: Deadline) -> Prover | Undecided:
        """A prover whose datasets show for every primary cell that it is not known too well."""
        taken = set(taken)
        switched = self._switched(taken, deadline)
        opened = switched.prover(taken, deadline)
        if isinstance(opened, Undecided):
            return opened
        for cell in self._primary:
            if self._narrow(opened[0], switched, cell) is not None:
                return Undecided("a primary cell is known too well")
        return opened[0]

    def _switched(self, taken: Iterable[int], deadline: Deadline) -> Switched:
        merges = frozenset(taken) & self.problem.merges
        if merges not in self._systems:
            self._systems[merges] = Switched(self.problem, merges, self._most, deadline)
        return self._systems[merges]

    def _narrow(self, prover: Prover, switched: Switched, cell: int) -> _Narrow | Undecided | None:
        """Why too much is known about a cell; None when enough datasets differ in it."""
        statistic = self.problem.release.statistics[cell]
        true = statistic.low
        whole, some = switched.footprint(statistic.predicate)
        low, high = min(prover.pool.counts(whole)), max(prover.pool.counts(some))
        policy = self.problem.policy
        upper: Tree | None = None
        while not policy.wide_enough(true, low, high):
            # first upwards, then downwards; where one side alone is too narrow the other does not matter
            above = upper is None and not policy.wide_enough(true, 0, high)
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
                    if above:
                        return _Narrow(0, high, (proof,))
                case AtMost(proof=proof):
                    alone = not policy.wide_enough(true, low, None)
                    return _Narrow(low, None if alone else high, (proof,) if alone else (upper, proof))
        return None

    def _explained(
        self, switched: Switched, cell: int, found: _Narrow, needed: list[Needed], deadline: Deadline
    ) -> Explanation:
        """Leave out one number after another as long as the rest is enough."""
        whole, some = switched.footprint(self.problem.release.statistics[cell].predicate)
        goals = [] if found.high is None else [(some.astype(np.int64), found.high)]
        if found.low > 0:
            goals.append((-whole.astype(np.int64), -found.low))
        for part in list(needed):
            if part not in needed or not any(True for _ in part.hit_by(self.problem)):
                continue
            rest = [other for other in needed if other is not part]
            fewer = self._enough(switched, rest, goals, deadline)
            if fewer is not None:
                needed = [other for other in rest if other in fewer]
        return explanation(self.problem, Cell(cell, found.low, found.high), needed)

    def _enough(
        self, switched: Switched, needed: list[Needed], goals: list[tuple[NDArray[np.int64], int]], deadline: Deadline
    ) -> list[Needed] | None:
        """Those of the numbers that a new proof uses; None when there is no proof without a search, or none at all."""
        prover = switched.only(needed, deadline)
        at = {id(row): r for r, row in enumerate(switched.rows)}
        known = {at[id(part.row)]: part for part in needed}
        proofs: Proofs = []
        for objective, target in goals:
            leaf, _ = prover.known.settle(objective, target)
            if leaf is None:
                return None
            proofs.append(leaf)
        kept = {id(part.row) for part in used(prover, known, proofs)}
        return [part for part in needed if id(part.row) in kept]
