"""One compiled system for everything that can be left of a release: actions change the limits of its rows, nothing else.

Records are left out only because of numbers that no action touches. Everything else, zeros too, is a row with limits.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from foregone.engine.bounds.prover import Prover
from foregone.engine.bounds.trees import Tree, leaves
from foregone.engine.system.linear import compile_release
from foregone.engine.system.witness import Witness
from foregone.model.predicate import Predicate
from foregone.model.release import Release
from foregone.model.statement import Statistic
from foregone.protection.attack import Needed
from foregone.protection.problem import ANYTHING, Left, Limits, Problem, is_count, merged_rows, weaken
from foregone.solvers.answer import NO_LIMIT, Undecided
from foregone.solvers.deadline import Deadline

Bools = NDArray[np.bool_]


class Switched:
    """The system under some merges. Raises TooLargeError when more than `most` kinds of record stay possible."""

    def __init__(self, problem: Problem, merges: frozenset[int], most: int, deadline: Deadline) -> None:
        self.problem, self.merges = problem, merges
        self.rows = merged_rows(problem, merges)
        self._counts = [r for r, row in enumerate(self.rows) if is_count(row.statement)]
        self._sums = [r for r, row in enumerate(self.rows) if not is_count(row.statement)]
        counts, sums = [], []
        for r in self._counts:
            s = self.rows[r].statement
            low, high = ANYTHING if self.rows[r].hitters else (s.low, s.high)
            counts.append(Statistic(s.terms[0][1], low or 0, high))
        for r in self._sums:
            sums.append(self.rows[r].statement)
        release = Release(problem.release.domain, counts, problem.release.rules, sums)
        self.system = compile_release(release, most, deadline)
        self._place = self._places()
        self._known: list[Witness] = []

    def _places(self) -> dict[int, int]:
        """For each of our rows its row of the system; a number that is always 0 has none."""
        system = self.system
        member = np.zeros((system.rows, system.cells), dtype=bool)
        member[system.members, np.repeat(np.arange(system.cells), np.diff(system.starts))] = True
        plain = system.rows - len(self._sums) - int((system.low_source < 0).any())
        at = {member[i].tobytes(): i for i in range(plain)}
        found = {}
        for k, r in enumerate(self._counts):
            inside, _ = system.footprint(system.release.statistics[k].predicate)
            if inside.tobytes() in at:
                found[r] = at[inside.tobytes()]
        return found | {r: plain + j for j, r in enumerate(self._sums)}

    def prover(self, taken: Iterable[int], deadline: Deadline) -> tuple[Prover, list[Left]] | Undecided:
        """A prover for what is left after some actions, which knows the datasets met before that still fit."""
        left = weaken(self.problem, taken)
        prover = self._limited({r: (row.low, row.high) for r, row in enumerate(left)}, deadline)
        if not len(prover.pool):
            found = prover.first_witness()
            if isinstance(found, Undecided):
                return found
            assert found, "a release that nothing fits"
        return prover, left

    def only(self, needed: Iterable[Needed], deadline: Deadline) -> Prover:
        """A prover for some statements alone, beside the numbers that no action touches."""
        at = {id(row): r for r, row in enumerate(self.rows)}
        limits = {r: (row.statement.low, row.statement.high) for r, row in enumerate(self.rows) if not row.hitters}
        limits |= {at[id(part.row)]: (part.low, part.high) for part in needed}
        return self._limited(limits, deadline)

    def _limited(self, limits: Mapping[int, Limits], deadline: Deadline) -> Prover:
        system = self.system
        low, high = np.full(system.rows, -NO_LIMIT), np.full(system.rows, NO_LIMIT)
        sources = np.full((2, system.rows), -1)
        for r, (least, most) in limits.items():
            i = self._place.get(r, -1)
            if i >= 0 and least is not None and least > low[i]:
                low[i], sources[0, i] = least, r
            if i >= 0 and most is not None and most < high[i]:
                high[i], sources[1, i] = most, r
        if system.weights is None:
            low = np.where(low == -NO_LIMIT, 0, low)
        prover = Prover(system.limited(low, high, sources[0], sources[1]), deadline)
        prover.pool.add_each(self._known)
        return prover

    def remember(self, prover: Prover) -> None:
        """Datasets that fit now also fit when more is withheld."""
        self._known = list(prover.pool)

    def footprint(self, predicate: Predicate) -> tuple[Bools, Bools]:
        return self.system.footprint(predicate)


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
