"""One compiled system for everything that can be left of a release: actions change the limits of its rows, nothing else.

Records are left out only because of numbers that no action touches. Everything else, zeros too, is a row with limits.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from foregone.engine.bounds.prover import Prover
from foregone.engine.bounds.trees import AtMost, Tree, leaves
from foregone.engine.system.linear import compile_release
from foregone.engine.system.witness import Witness
from foregone.protection.attack import Goal, Needed
from foregone.protection.marking import Limits
from foregone.protection.problem import ANYTHING, Left, Problem, Row, release_of
from foregone.solvers.answer import NO_LIMIT, Undecided
from foregone.solvers.deadline import Deadline

TEST_SECONDS = 10.0
MOST_MET = 100  # datasets that are kept

class Switched:
    """The system of all rows; all numbers are counts. Raises TooLargeError when too many kinds of record stay possible."""

    def __init__(self, problem: Problem, most: int, deadline: Deadline) -> None:
        self.rows = problem.rows
        self._number = {id(row): r for r, row in enumerate(self.rows)}
        weakest = [(row, *(ANYTHING if row.hitters else row.limits)) for row in self.rows]
        self.system = compile_release(release_of(problem, weakest), most, deadline)
        self._known: list[Witness] = []
        self._met: list[Witness] = []  # datasets that refuted something of late

    def prover(self, left: Sequence[Left], deadline: Deadline) -> Prover | Undecided:
        """A prover for what is left after some actions, which knows the datasets met before that still fit."""
        prover = self._limited({r: (row.low, row.high) for r, row in enumerate(left)}, deadline)
        found = prover.first_witness()
        assert found is not False, "a release that nothing fits"
        return found if isinstance(found, Undecided) else prover

    def only(self, needed: Iterable[Needed], deadline: Deadline) -> Prover:
        """A prover for some statements alone, beside the numbers that no action touches."""
        limits = {r: row.limits for r, row in enumerate(self.rows) if not row.hitters}
        for part in needed:  # a number may be there with each of its sides
            r = self._number[id(part.row)]
            low, high = limits.get(r, (None, None))
            limits[r] = (low if part.low is None else max(part.low, low or 0), _least(part.high, high))
        return self._limited(limits, deadline)

    def _limited(self, limits: Mapping[int, Limits], deadline: Deadline) -> Prover:
        system = self.system
        low, high = np.where(system.low == -NO_LIMIT, -NO_LIMIT, 0), np.full(system.rows, NO_LIMIT)
        sources = np.full((2, system.rows), -1)
        for r, (least, most) in limits.items():
            i = int(system.row_of[r])
            if i >= 0 and least is not None and least > low[i]:
                low[i], sources[0, i] = least, r
            if i >= 0 and most is not None and most < high[i]:
                high[i], sources[1, i] = most, r
        prover = Prover(system.limited(low, high, sources[0], sources[1]), deadline)
        prover.pool.add_each(self._known)
        return prover

    def holds(self, row: Row) -> bool:
        """Is it a row of the system?"""
        return id(row) in self._number

    def forced(self, needed: Sequence[Needed], goals: Sequence[Goal], deadline: Deadline) -> bool | None:
        """Do these statements, beside the numbers that no action touches, keep every goal in every dataset? None: not decided.

        Datasets that refute it are kept: most often they refute the next question as well.
        """
        prover = self.only(needed, deadline.sooner(TEST_SECONDS))
        prover.pool.add_each(self._met)
        if prover.first_witness() is not True:
            return None
        found: bool | None = True
        for predicate, low, high, _ in goals:
            whole, some = prover.system.footprint(predicate)
            sides = [] if high is None else [(some.astype(np.int64), high)]
            for objective, target in (*sides, *([(-whole.astype(np.int64), -low)] if low else [])):
                answer = prover.at_most(objective, target)
                if not isinstance(answer, AtMost) and found:
                    found = None if isinstance(answer, Undecided) else False
            if not found:
                break
        self._met = [*prover.pool][-MOST_MET:]
        return found

    def remember(self, prover: Prover) -> None:
        """Datasets that fit now also fit when more is withheld."""
        self._known = list(prover.pool)


def _least(one: int | None, other: int | None) -> int | None:
    return other if one is None else one if other is None else min(one, other)


def used(prover: Prover, known: Mapping[int, Needed], proofs: Iterable[Tree]) -> list[Needed]:
    """The rows that proofs rest on, themselves or by way of lemmas, each with the sides that they use."""
    sides: dict[int, list[bool]] = {}
    system = prover.system
    # of lemmas all, as it is not known here which ones were used
    for proof in leaves(*proofs, *(lemma.proof for lemma in prover.lemmas)):
        for i in np.flatnonzero(proof.certificate.multipliers).tolist():
            above = bool(proof.certificate.multipliers[i] > 0)
            source = int((system.high_source if above else system.low_source)[i])
            if source >= 0:
                sides.setdefault(source, [False, False])[above] = True
    return [
        Needed(known[r].row, known[r].low if lower else None, known[r].high if upper else None)
        for r, (lower, upper) in sorted(sides.items())
        if r in known
    ]
