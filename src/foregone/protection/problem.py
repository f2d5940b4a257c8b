"""What may be done to a release, and what is left of it then.

An action weakens published numbers and does nothing else: whatever follows from what is left followed from the release
before. So a set of numbers that breaks the policy by itself (an *explanation*) is broken up by an action that weakens
one of them, and every protection contains such an action for every explanation.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property

from foregone.model.policy import Policy
from foregone.model.predicate import Predicate
from foregone.model.release import Release
from foregone.model.statement import Statement, Statistic

Limits = tuple[int | None, int | None]
ANYTHING: Limits = (0, None)  # all that is known of a count about which nothing is known


class Kind(str, Enum):
    CELL = "cell"
    TABLE = "table"
    ROUND = "round"
    MERGE = "merge"


@dataclass(frozen=True, slots=True)
class Action:
    """One thing that can be done: withhold a cell or a table, round cells to a base, or merge two values of a column."""

    kind: Kind
    name: str
    cost: int
    numbers: frozenset[int]  # published numbers that it weakens, as `Release.all_statements` counts them
    base: int = 0  # to round to
    merged: tuple[int, int, int] = (-1, 0, 0)  # the column and the positions of the two codes

    @property
    def words(self) -> str:
        match self.kind:
            case Kind.CELL:
                return f"withhold {self.name}"
            case Kind.TABLE:
                return f"withhold table {self.name}"
            case Kind.ROUND:
                return f"round {self.name} to a multiple of {self.base}"
            case Kind.MERGE:
                return f"merge {self.name}"


@dataclass(frozen=True, slots=True)
class Row:
    """A number as it is shown while no action touches it, and the actions that would."""

    statement: Statement
    sources: tuple[int, ...]  # the published numbers that it is made of: one, or several that a merge adds up
    hitters: frozenset[int]
    primary: bool = False  # withheld in any case; the limits of its statement are what is known all the same

    @property
    def exact(self) -> bool:
        return not self.primary and self.statement.low == self.statement.high


@dataclass(frozen=True)
class Problem:
    """A release, a policy, what may be done and what it costs."""

    release: Release
    policy: Policy
    actions: tuple[Action, ...]
    primary: frozenset[int] = frozenset()  # cells that are withheld in any case

    @cached_property
    def costs(self) -> tuple[int, ...]:
        return tuple(action.cost for action in self.actions)

    def cost(self, taken: Iterable[int]) -> int:
        return sum(self.actions[a].cost for a in taken)

    @cached_property
    def touching(self) -> tuple[frozenset[int], ...]:
        """For each published number the actions that weaken it."""
        found: list[set[int]] = [set() for _ in self.release.all_statements]
        for a, action in enumerate(self.actions):
            for i in action.numbers:
                found[i].add(a)
        return tuple(map(frozenset, found))

    @cached_property
    def merges(self) -> frozenset[int]:
        return frozenset(a for a, action in enumerate(self.actions) if action.kind == Kind.MERGE)

    @cached_property
    def rows(self) -> tuple[Row, ...]:
        """Everything published, primary cells already withheld."""
        made = []
        for i, statement in enumerate(self.release.all_statements):
            secret = i in self.primary
            if secret:
                low, high = self._known(statement, primary=True)
                statement = replace(statement, low=low, high=high)
            made.append(Row(statement, (i,), self.touching[i], secret))
        return tuple(made)

    def _known(self, statement: Statement, primary: bool = False) -> Limits:
        """What is known of a cell that is withheld by itself."""
        know = self.policy.know
        if not is_count(statement):
            return None, None
        least = 1 if know.zeros_shown and statement.low is not None and statement.low >= 1 else 0
        return least, know.primary_at_most if primary else None

    def effect(self, row: Row, action: Action) -> Limits:
        """What is still known of a number after an action."""
        statement = row.statement
        if not is_count(statement):
            return None, None
        if action.kind == Kind.CELL:
            return self._known(statement)
        if action.kind == Kind.ROUND and statement.low is not None and statement.low == statement.high:
            low, high = rounded_range(statement.low, action.base)
            return max(low, 1 if self.policy.know.zeros_shown and statement.low else 0), high
        return ANYTHING


@dataclass(frozen=True, slots=True)
class Left:
    """A row after some actions: `row` with these limits; `changed` when it is not as it was published."""

    row: Row
    low: int | None
    high: int | None
    changed: bool

    @property
    def empty(self) -> bool:
        """It says nothing."""
        return self.high is None and (self.low is None or (self.low <= 0 and is_count(self.row.statement)))

    @property
    def withheld(self) -> bool:
        return self.row.primary or (self.changed and self.high is None)

    @property
    def statement(self) -> Statement:
        return replace(self.row.statement, low=self.low, high=self.high)


def is_count(statement: Statement) -> bool:
    return len(statement.terms) == 1 and statement.terms[0][0] == 1


def rounded_range(count: int, base: int) -> tuple[int, int]:
    """Counts that are rounded to the same multiple, half up.

    >>> rounded_range(7, 5), rounded_range(2, 4), rounded_range(1, 10)
    ((3, 7), (2, 5), (0, 4))
    """
    shown = (2 * count + base) // (2 * base) * base
    return max(0, shown - base // 2), shown + (base - 1) // 2


def weaken(problem: Problem, taken: Iterable[int]) -> list[Left]:
    """What the release says after some actions."""
    chosen = frozenset(taken)
    made = []
    for row in merged_rows(problem, chosen & problem.merges):
        low, high = row.statement.low, row.statement.high
        hit = sorted(row.hitters & chosen)
        for a in hit:  # each leaves a range around the number, and both together the range around these
            effect = problem.effect(row, problem.actions[a])
            low = None if low is None or effect[0] is None else min(low, effect[0])
            high = None if high is None or effect[1] is None else max(high, effect[1])
        made.append(Left(row, low, high, bool(hit)))
    return made


def merged_rows(problem: Problem, merges: frozenset[int]) -> tuple[Row, ...]:
    """The rows when values are merged: a row that tells merged values apart is gone; where such rows add up to a condition that
    does not, and all are shown exactly, their sum is shown in their place.
    """
    if not merges:
        return problem.rows
    blocks = _blocks(problem, merges)
    kept, parts = [], dict[tuple[tuple[tuple[int, int], ...], str], list[Row]]()
    for row in problem.rows:
        if not row.hitters & merges:
            kept.append(row)
        elif row.exact and is_count(row.statement):
            masks = row.statement.terms[0][1].masks(problem.release.domain)
            whole = tuple(sorted((c, _widened(mask, blocks.get(c, ()))) for c, mask in masks.items()))
            parts.setdefault((whole, row.statement.table), []).append(row)
    for (whole, table), rows in parts.items():
        if _adds_up(problem, dict(whole), rows):
            kept.append(_sum(problem, dict(whole), table, rows, merges))
    return tuple(kept)


def _blocks(problem: Problem, merges: frozenset[int]) -> dict[int, list[int]]:
    """For each column, codes that are one from now on, as bit masks."""
    blocks: dict[int, list[int]] = {}
    for a in sorted(merges):
        column, one, other = problem.actions[a].merged
        joined, apart = 1 << one | 1 << other, []
        for block in blocks.get(column, []):
            if block & joined:
                joined |= block
            else:
                apart.append(block)
        blocks[column] = [*apart, joined]
    return blocks


def _widened(mask: int, blocks: Iterable[int]) -> int:
    for block in blocks:
        if mask & block:
            mask |= block
    return mask


def _adds_up(problem: Problem, whole: dict[int, int], rows: list[Row]) -> bool:
    """Do the rows' conditions split the records of the whole condition? They lie inside it, so it is enough that no two overlap
    and that their sizes add up.
    """
    columns = problem.release.domain.columns
    boxes = [row.statement.terms[0][1].masks(problem.release.domain) for row in rows]

    def size(box: dict[int, int]) -> int:
        product = 1
        for c, column in enumerate(columns):
            product *= box.get(c, column.full).bit_count()
        return product

    apart = all(
        any(a & boxes[j].get(c, columns[c].full) == 0 for c, a in boxes[i].items()) for i in range(len(boxes)) for j in range(i)
    )
    return apart and sum(map(size, boxes)) == size(whole)


def _sum(problem: Problem, whole: dict[int, int], table: str, rows: list[Row], merges: frozenset[int]) -> Row:
    columns = problem.release.domain.columns
    masks = {c: mask for c, mask in whole.items() if mask != columns[c].full}
    predicate = Predicate.of({columns[c].name: columns[c].codes_of(mask) for c, mask in masks.items()})
    total = sum(row.statement.low or 0 for row in rows)
    name = " + ".join(row.statement.name for row in rows if row.statement.name)
    other = problem.merges - merges
    cut = {a for a in other if (mask := masks.get(problem.actions[a].merged[0])) is not None and _cuts(problem.actions[a], mask)}
    hitters = frozenset().union(*(row.hitters for row in rows)) - problem.merges | cut
    sources = tuple(i for row in rows for i in row.sources)
    return Row(Statement(((1, predicate),), total, total, name, table), sources, hitters)


def _cuts(action: Action, mask: int) -> bool:
    _, one, other = action.merged
    return (mask >> one & 1) != (mask >> other & 1)


def release_of(problem: Problem, left: Iterable[Left]) -> Release:
    """What is left as a release; rows that say nothing are not part of it."""
    said = [row.statement for row in left if not row.empty]
    counts = [Statistic(s.terms[0][1], s.low or 0, s.high, s.name, s.table) for s in said if is_count(s)]
    return Release(problem.release.domain, counts, problem.release.rules, [s for s in said if not is_count(s)])
