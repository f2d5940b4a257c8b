"""What an attacker can do with what is left of a release: break the policy, and then with which numbers."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

from foregone.engine import Case, Following
from foregone.model.statement import Limits
from foregone.policy.judge import Narrow, Told
from foregone.protection.problem import Problem, ProblemRow
from foregone.solvers.answer import Undecided
from foregone.solvers.arrays import Floats
from foregone.solvers.deadline import Deadline

Breach = Told | Narrow | Following


@dataclass(frozen=True, slots=True)
class Needed:
    """A number, and the weakest statement about it that an explanation needs."""

    row: ProblemRow
    low: int | None
    high: int | None

    def hit_by(self, problem: Problem) -> Iterator[int]:
        """The actions after which the statement does not follow from what is left of the number; of a figure nothing is left."""
        if self.row.count is None:
            yield from self.row.hitters
            return
        for a in self.row.hitters:
            left = (None, None) if a in problem.merges else problem.effect(self.row, problem.actions[a])
            if self.row.tells_gaps(self.low, self.high) or not _implies(left, (self.low, self.high)):
                yield a


@dataclass(frozen=True, slots=True)
class BreachExplanation:
    """These numbers alone, with what is known besides, break the policy: one of the actions of `clause` has to be taken.

    With `given` that is so for choices that hold all of these actions: without them a column of the claim might not count, as every
    possible record would have the same value there; or nobody could be in the group; or the cell would be shown.
    """

    breach: Breach
    needed: tuple[Needed, ...]
    clause: frozenset[int]
    given: frozenset[int] = frozenset()
    missing: tuple[int, ...] = ()  # values between the ends of a cell that it does not have


def explanation(problem: Problem, breach: Breach, needed: Iterable[Needed]) -> BreachExplanation:
    needed = tuple(needed)
    return BreachExplanation(breach, needed, frozenset(a for part in needed for a in part.hit_by(problem)))


def _implies(known: Limits, needed: Limits) -> bool:
    low = needed[0] is None or (known[0] is not None and known[0] >= needed[0])
    return low and (needed[1] is None or (known[1] is not None and known[1] <= needed[1]))


@dataclass(frozen=True, slots=True)
class Safe:
    """The policy holds for what is left."""


@dataclass(frozen=True, slots=True)
class Unsure:
    """A limit was reached: never to be taken for safe, and never for a breach either."""

    reason: str


def not_begun(case: Case) -> Unsure | None:
    """Find a dataset that fits what is left of a release; why none is known, if none is."""
    started = case.first_witness()
    if started is True:
        return None
    return Unsure(started.reason if isinstance(started, Undecided) else "what is left contradicts itself")


Outcome = Safe | Unsure
Explanations = Generator[BreachExplanation, None, Outcome]


class Attacker(Protocol):
    """How breaches are found and explained."""

    def explanations(self, taken: set[int], deadline: Deadline) -> Explanations:
        """One explanation after another until the policy holds. Before the next is asked for, whoever asks adds to `taken` an
        action of the last one's clause, unless one is in it; an explanation without any action ends it.
        """
        ...

    def breaches(self, taken: Iterable[int], deadline: Deadline) -> int | None:
        """In how many ways the policy is broken; None when that could not be decided."""
        ...

    def cuts(self, point: Floats, deep: bool, deadline: Deadline) -> Iterator[BreachExplanation]:
        """Explanations that actions taken in part, as much as `point` says, do not break up; some, or none. Those that take long to
        find only if the search is to go `deep`.
        """
        ...
