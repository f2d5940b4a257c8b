"""Who does the work: a pool on this machine or a cluster. Both take jobs and report what became of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from foregone.model.errors import ForegoneError

J = TypeVar("J")
R = TypeVar("R")

DEATHS = 3  # workers that may die over one job before it is given up

Beat = Callable[[str], None]
"""Called by the work with the name of what it begins, so that a watchdog knows what takes so long."""


@dataclass(frozen=True, slots=True)
class Finished(Generic[J, R]):
    """The job is done."""

    job: J
    result: R


@dataclass(frozen=True, slots=True)
class Lost(Generic[J]):
    """The worker died over the job, or was stopped because `at` took far too long (`overtime`)."""

    job: J
    reason: str
    at: str = ""
    overtime: bool = False


class Executor(Protocol[J, R]):
    """Jobs go in while there is room; what became of them comes out in any order."""

    @property
    def room(self) -> int:
        """How many more jobs it should be given now."""

    @property
    def note(self) -> str:
        """What a person who watches should know, if anything."""

    def submit(self, job: J) -> None: ...

    def next(self, timeout: float | None = None) -> Finished[J, R] | Lost[J] | None:
        """Wait for a job; None when the timeout has passed. An error that the work raised is raised here."""

    def close(self) -> None:
        """Stop all work at once."""


Work = Callable[[Any, Beat], Any]


class StoppedError(ForegoneError):
    """The work cannot go on here and now; what is finished is kept."""
