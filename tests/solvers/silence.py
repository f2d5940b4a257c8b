"""A solver that stops answering."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from foregone.engine.bounds.prover import Prover
from foregone.solvers.answer import Undecided
from foregone.solvers.lp import Relaxation


@contextmanager
def silent_solver(after: int = 0) -> Iterator[None]:
    """The solver answers `after` questions and times out on all others; the integer solver never answers."""
    left = [after]
    honest = Relaxation.maximise

    def maximise(self: Relaxation, *arguments: Any, **options: Any) -> Any:
        left[0] -= 1
        return honest(self, *arguments, **options) if left[0] >= 0 else Undecided("the time limit was reached")

    def silent(*_: Any, **__: Any) -> Undecided:
        return Undecided("the time limit was reached")

    with (
        patch.dict(os.environ, FOREGONE_LOOP="pure"),  # the compiled loop has a simplex of its own
        patch.object(Relaxation, "maximise", maximise),
        patch.object(Prover.__init__, "__defaults__", (*Prover.__init__.__defaults__[:-2], silent, 0)),  # type: ignore[index]
    ):
        yield
