"""What is asked of some of the published numbers: do they alone keep counts within limits, or contradict each other?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from foregone.model.predicate import Predicate


class Goal(NamedTuple):
    """So many records match, at least and at most, and their number is none of those `missing`."""

    predicate: Predicate
    low: int
    high: int | None
    missing: tuple[int, ...] = ()


class Failure(NamedTuple):
    """One way in which an answer can be wrong: so many records match predicate number `about`, from and to."""

    about: int | None = None  # None: any dataset is one
    least: int | None = None
    most: int | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """Does every goal hold? Without goals: is there no dataset at all?"""

    goals: tuple[Goal, ...] = ()

    @classmethod
    def about(cls, predicate: Predicate, low: int, high: int | None) -> Question:
        """Do between `low` and `high` records match?"""
        return cls((Goal(predicate, low, high),))

    @property
    def predicates(self) -> tuple[Predicate, ...]:
        return tuple(dict.fromkeys(goal.predicate for goal in self.goals))

    @property
    def failures(self) -> list[Failure]:
        """The ways in which it can fail; if none of them can be, the answer is yes."""
        if not self.goals:
            return [Failure()]
        places = {predicate: place for place, predicate in enumerate(self.predicates)}
        found = []
        for predicate, low, high, missing in self.goals:
            about = places[predicate]
            found += [] if high is None else [Failure(about, high + 1, None)]
            found += [Failure(about, None, low - 1)] if low > 0 else []
            found += [Failure(about, value, value) for value in missing]
        return found

    @property
    def extra(self) -> int:
        """How many records may matter to it that no statement asks for."""
        return sum((goal.low if goal.high is None else goal.high) + 1 for goal in self.goals)
