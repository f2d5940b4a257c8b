"""What an attacker can do with what is left of a release: break the policy, and then with which numbers."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

from foregone.policy.judge import Breach
from foregone.protection.problem import NONE, Needed, Problem
from foregone.solvers.arrays import Floats
from foregone.solvers.deadline import Deadline


@dataclass(frozen=True, slots=True)
class BreachExplanation:
    """These numbers alone, with what is known besides, break the policy: one of the actions of `clause` has to be taken.

    With `given` that is so for choices that hold all of these actions: without them a column of the claim might not count, as every
    possible record would have the same value there; or nobody could be in the group; or the cell would be shown.
    """

    breach: Breach
    needed: tuple[Needed, ...]
    clause: frozenset[int]
    given: frozenset[int] = NONE
    missing: tuple[int, ...] = ()  # values between the ends of a cell that it does not have


def explanation(problem: Problem, breach: Breach, needed: Iterable[Needed]) -> BreachExplanation:
    needed = tuple(needed)
    return BreachExplanation(breach, needed, frozenset(a for part in needed for a in part.hit_by(problem)))


@dataclass(frozen=True, slots=True)
class Safe:
    """The policy holds for what is left."""


@dataclass(frozen=True, slots=True)
class Unsure:
    """A limit was reached: never to be taken for safe, and never for a breach either."""

    reason: str


@dataclass(frozen=True, slots=True)
class Dear:
    """What had to be taken costs as much as a protection that is known: whether more would have to be is of no use."""


Outcome = Safe | Unsure | Dear
Explanations = Generator[BreachExplanation, None, Outcome]


def ask(
    explaining: Explanations, each: Callable[[BreachExplanation], None], dear: Callable[[], bool] = lambda: False
) -> Outcome:
    """Look at one explanation after another until none is left; one that no action breaks up is the last, and so is one after which
    it is too `dear` to go on.
    """
    while True:
        try:
            found = next(explaining)
        except StopIteration as end:
            outcome: Outcome = end.value
            return outcome
        each(found)
        if not found.clause:
            explaining.close()
            return Unsure("no allowed action is enough")
        if dear():
            explaining.close()
            return Dear()


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

    def safe(self, taken: Iterable[int], deadline: Deadline) -> bool:
        """Is it certain that the policy holds? It does not look further than the first thing that is wrong."""
        ...

    def cuts(self, point: Floats, deep: bool, deadline: Deadline) -> Iterator[BreachExplanation]:
        """Explanations that actions taken in part, as much as `point` says, do not break up; some, or none. Those that take long to
        find only if the search is to go `deep`.
        """
        ...
