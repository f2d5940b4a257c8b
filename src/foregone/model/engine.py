"""What an engine is: something that answers the three questions about claims, each in the same terms."""

from __future__ import annotations

from typing import Protocol

from foregone.model.audit import Audit
from foregone.model.claim import Finding, Possibility
from foregone.model.predicate import Predicate
from foregone.model.progress import Progress
from foregone.model.release import Release


class Engine(Protocol):
    """`questions.cells.Cells` decides exactly and proves; `onehot.engine.OneHotEngine` is the paper's method."""

    @property
    def proves(self) -> bool:
        """Does an audit hold proofs that can be checked?"""
        ...

    def audit(self, release: Release, time_limit: float | None = None, progress: Progress | None = None) -> Audit: ...

    def verify(self, release: Release, predicate: Predicate, count: int, time_limit: float | None = None) -> Finding: ...

    def possible(self, release: Release, predicate: Predicate, count: int, time_limit: float | None = None) -> Possibility: ...
