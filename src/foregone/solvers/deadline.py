"""When to stop."""

from __future__ import annotations

from dataclasses import dataclass
from time import monotonic, process_time

from foregone.model.errors import UndecidedError, option

TIME_OUT = "the time limit was reached"


@dataclass(frozen=True, slots=True)
class Deadline:
    """A moment after which open questions stay undecided; None means never.

    What a user allows is time on the clock. What the engine allows a step of its own is processor time, so that its answers do not
    depend on what else the machine is doing.
    """

    at: float | None = None
    worked: float | None = None  # by `process_time`

    @classmethod
    def after(cls, seconds: float | None) -> Deadline:
        return cls(None if seconds is None or seconds == float("inf") else monotonic() + seconds)

    @classmethod
    def working(cls, seconds: float) -> Deadline:
        """When so many seconds of processor time are spent."""
        return cls().sooner(seconds)

    @classmethod
    def of(cls, limit: float | Deadline | None) -> Deadline:
        """So many seconds from now, or a deadline that was running before."""
        return limit if isinstance(limit, Deadline) else cls.after(limit)

    def sooner(self, seconds: float) -> Deadline:
        """This one, or when so many seconds of work are done, if that is earlier."""
        worked = process_time() + seconds
        return Deadline(self.at, worked if self.worked is None else min(worked, self.worked))

    def later(self, seconds: float) -> Deadline:
        """So many seconds after this one, for work that is most often short and of no use half done."""
        return Deadline(*(None if moment is None else moment + seconds for moment in (self.at, self.worked)))

    def left(self) -> float:
        clock = float("inf") if self.at is None else self.at - monotonic()
        work = float("inf") if self.worked is None else self.worked - process_time()
        return max(0.0, min(clock, work))

    @property
    def seconds(self) -> float | None:
        """What is left of it, as a time limit for another piece of work; None: no limit."""
        return None if self.at is None and self.worked is None else self.left()

    def passed(self) -> bool:
        return self.left() <= 0.0

    def check(self, doing: str) -> None:
        """Stop with an error that says what was being done, for work that has no half-finished answer."""
        if self.passed():
            raise UndecidedError(f"{TIME_OUT} while {doing}; nothing is decided; raise {option('time_limit')}")
