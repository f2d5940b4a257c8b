"""How far a long piece of work is."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """Called with what is being done, how much of it is done, and how much there is (0: not known).

    `share`, from 0 to 1, says how much of the work that is where the pieces are not alike; without it they count the same.
    """

    def __call__(self, stage: str, done: int, total: int, share: float | None = None, /) -> None: ...
