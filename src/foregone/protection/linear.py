"""The attacker that the field usually tests: somebody who adds and subtracts the numbers shown, and knows nothing else.

No signs, no whole numbers, every combination of codes possible. A primary cell is found out when it is a combination of cells
shown exactly. Suggestions come from a linear program, every answer from exact elimination.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import prod

import numpy as np
from numpy.typing import NDArray

from foregone.engine import atomise
from foregone.model.errors import InputError, TooLargeError
from foregone.model.policy import Policy
from foregone.policy.judge import Narrow
from foregone.protection.attack import BreachExplanation, Explanations, Safe, Unsure, explanation
from foregone.protection.problem import Needed, Problem, ProblemRow, merged_rows
from foregone.solvers.arrays import Floats
from foregone.solvers.deadline import Deadline
from foregone.solvers.exact import Echelon
from foregone.solvers.sparse import Suggestions

Ints = NDArray[np.int64]

MOST_WORK = 50_000_000  # numbers times combinations of codes
FREE = 0.01  # what a number that no action touches weighs against one that some action does
LITTLE = 0.003
TRIES = 20  # random directions; the first one will do unless a cell happens to cancel out
LARGEST = 1000


@dataclass(frozen=True)
class _Table:
    """Rows that can be shown under some merges, over combinations of codes that no number tells apart."""

    rows: tuple[ProblemRow, ...]  # counts that are exact as long as no action touches them
    places: tuple[Ints, ...]  # per row, the combinations that it counts
    unknowns: int

    @cached_property
    def suggestions(self) -> Suggestions:
        return Suggestions(self.places, self.unknowns)


def check_policy(policy: Policy) -> None:
    """Refuse what means nothing to somebody who adds and subtracts."""
    if policy.about_claims or policy.attribute or policy.stars or policy.primary is None:
        raise InputError("--attacker linear looks at primary cells only; leave out the rest of the policy, or use --attacker exact")
    if policy.min_width > 2 or policy.both_sides:
        raise InputError("--attacker linear knows no intervals, so min_width and both_sides cannot be judged; use --attacker exact")


class LinearAttacker:
    """For policies about primary cells that must not be determined."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.atoms = atomise(problem.release.workload)
        widths = self.atoms.widths()
        if prod(widths) * len(problem.rows) > MOST_WORK:
            raise TooLargeError(
                f"{len(problem.rows):,} numbers over {prod(widths):,} combinations of codes are too many for the linear attacker;"
                " leave out columns or tables, or use --attacker exact"
            )
        # every combination of codes that no number tells apart, one per row
        self._kinds = np.array(list(product(*map(range, widths))), dtype=np.int64).reshape(-1, len(widths))
        self._tables: dict[frozenset[int], _Table] = {}
        counts, domain = problem.release.statistics, problem.release.domain
        self._targets = {i: self.place(counts[i].predicate.masks(domain)) for i in self._primary}

    @property
    def _primary(self) -> list[int]:
        return sorted(self.problem.primary)

    def explanations(self, taken: set[int], deadline: Deadline) -> Explanations:
        while True:
            merges = frozenset(taken & self.problem.merges)
            table = self._table(merges)
            ended = yield from self._suggested(table, merges, taken, deadline)
            if ended is not None:
                return ended
            if frozenset(taken & self.problem.merges) != merges:
                continue
            found = self._determined(taken)
            if not found:
                return Safe()
            if deadline.passed():
                return Unsure("the time limit was reached")
            # the linear program missed it: all rows that are shown take its place
            all_shown = [r for r, row in enumerate(table.rows) if not row.hitters & taken]
            forced = self._exact(table, all_shown, found[0])
            assert forced is not None
            yield forced

    def _suggested(
        self, table: _Table, merges: frozenset[int], taken: set[int], deadline: Deadline
    ) -> Generator[BreachExplanation, None, Unsure | None]:
        hidden = {r for r, row in enumerate(table.rows) if row.hitters & taken}
        program = table.suggestions
        program.weigh(np.array([1.0 if row.hitters else FREE for row in table.rows]))
        program.switch(hidden, False)
        try:
            for cell in self._primary:
                while (used := program.rows_for(self._targets[cell], deadline)) is not None:
                    found = self._exact(table, used, cell)
                    if found is None:
                        break
                    yield found
                    if frozenset(taken & self.problem.merges) != merges:
                        return None
                    new = {r for r, row in enumerate(table.rows) if row.hitters & taken} - hidden
                    program.switch(new, False)
                    hidden |= new
                if deadline.passed():
                    return Unsure("the time limit was reached")
            return None
        finally:
            program.switch(hidden, True)

    def cuts(self, point: Floats, deep: bool, deadline: Deadline) -> Iterator[BreachExplanation]:
        del deep
        table = self._table(frozenset())
        weights = [LITTLE + min(1.0, sum(point[a] for a in row.hitters)) if row.hitters else FREE * LITTLE for row in table.rows]
        table.suggestions.weigh(np.array(weights))
        for cell in self._primary:
            used = table.suggestions.rows_for(self._targets[cell], deadline)
            found = None if used is None else self._exact(table, used, cell)
            if found is not None:
                yield found

    def breaches(self, taken: Iterable[int], deadline: Deadline) -> int | None:
        del deadline
        return len(self._determined(set(taken)))

    def safe(self, taken: Iterable[int], deadline: Deadline) -> bool:
        return self.breaches(taken, deadline) == 0

    def _determined(self, taken: set[int]) -> list[int]:
        """The primary cells that the rows shown determine, exactly."""
        shown = self._shown(taken)
        return [cell for cell in self._primary if shown.contains(ones(self._targets[cell]))]

    def _shown(self, taken: set[int]) -> Echelon:
        """The rows shown, short ones first, so that elimination makes few entries."""
        table = self._table(frozenset(taken & self.problem.merges))
        places = [places for row, places in zip(table.rows, table.places, strict=True) if not row.hitters & taken]
        return Echelon(dict(enumerate(map(ones, sorted(places, key=len)))))

    def direction(self, taken: Iterable[int]) -> list[tuple[int, tuple[str, ...]]] | None:
        """Whole changes to the numbers of records that no row shown notices, but every primary cell does."""
        shown = self._shown(set(taken))
        rng = np.random.default_rng(0)
        for _ in range(TRIES):
            change = shown.orthogonal({u: int(rng.integers(-LARGEST, LARGEST)) for u in range(len(self._kinds))})
            if all(sum(change[u] for u in self._targets[cell].tolist()) for cell in self._primary):
                columns = self.problem.release.domain.columns
                return [
                    (number, tuple(columns[c].codes[_first(self.atoms.groups[c][a])] for c, a in enumerate(self._kinds[u])))
                    for u, number in sorted(change.items())
                    if number
                ]
        return None

    def _exact(self, table: _Table, used: list[int], cell: int) -> BreachExplanation | None:
        made = combination([table.places[r] for r in used], self._targets[cell])
        if made is None:
            return None
        times, over = made
        rows = {r: table.rows[used[r]] for r in times}
        value = sum(n * (rows[r].limits[0] or 0) for r, n in times.items()) // over
        count = self.problem.release.statistics[cell]
        needed = (Needed(row, *row.limits) for row in rows.values())
        return explanation(self.problem, Narrow(cell, count.label, value, value, count.mark, True), needed)

    def _table(self, merges: frozenset[int]) -> _Table:
        if merges not in self._tables:
            domain = self.problem.release.domain
            rows = [(row, row.count) for row in merged_rows(self.problem, merges) if row.exact and row.count is not None]
            places = tuple(self.place(count.predicate.masks(domain)) for _, count in rows)
            self._tables[merges] = _Table(tuple(row for row, _ in rows), places, len(self._kinds))
        return self._tables[merges]

    def place(self, masks: Mapping[int, int]) -> Ints:
        """The combinations of codes that a condition counts, by their numbers."""
        inside = np.ones(len(self._kinds), dtype=bool)
        for c, mask in masks.items():
            inside &= np.array([bool(group & mask) for group in self.atoms.groups[c]])[self._kinds[:, c]]
        return np.flatnonzero(inside)


def ones(places: Ints) -> dict[int, int]:
    return dict.fromkeys(places.tolist(), 1)


def combination(rows: Sequence[Ints], target: Ints) -> tuple[dict[int, int], int] | None:
    """The target as a combination of rows of zeros and ones, given by where the ones are: whole multipliers by row, and a
    denominator; None when it is none.

    >>> combination([np.array([0, 1]), np.array([1])], np.array([0]))
    ({0: 1, 1: -1}, 1)
    """
    return Echelon(dict(enumerate(map(ones, rows)))).express(ones(target))


def _first(group: int) -> int:
    """The first code of an atom."""
    return (group & -group).bit_length() - 1
