"""When to stop."""

from __future__ import annotations

from dataclasses import dataclass
from time import monotonic

from foregone.model.errors import UndecidedError, option

TIME_OUT = "the time limit was reached"


@dataclass(frozen=True, slots=True)
class Deadline:
    """A moment after which open questions stay undecided; None means never."""

    at: float | None = None

    @classmethod
    def after(cls, seconds: float | None) -> Deadline:
        return cls(None if seconds is None or seconds == float("inf") else monotonic() + seconds)

    @classmethod
    def of(cls, limit: float | Deadline | None) -> Deadline:
        """So many seconds from now, or a deadline that was running before."""
        return limit if isinstance(limit, Deadline) else cls.after(limit)

    def sooner(self, seconds: float) -> Deadline:
        """This one, or so many seconds from now if that is earlier."""
        return Deadline.after(min(seconds, self.left()))

    def later(self, seconds: float) -> Deadline:
        """So many seconds after this one, for work that is most often short and of no use half done."""
        return Deadline(None if self.at is None else self.at + seconds)

    def left(self) -> float:
        return float("inf") if self.at is None else max(0.0, self.at - monotonic())

    @property
    def seconds(self) -> float | None:
        """What is left of it, as a time limit for another piece of work; None: no limit."""
        return None if self.at is None else self.left()

    def passed(self) -> bool:
        return self.left() <= 0.0

    def check(self, doing: str) -> None:
        """Stop with an error that says what was being done, for work that has no half-finished answer."""
        if self.passed():
            raise UndecidedError(f"{TIME_OUT} while {doing}; nothing is decided; raise {option('time_limit')}")
