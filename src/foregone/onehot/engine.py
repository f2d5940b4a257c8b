"""The paper's method as an engine: a solver's word per claim. A time limit is for each claim, as in the paper."""

from __future__ import annotations

from dataclasses import dataclass

from foregone.model.audit import Audit
from foregone.model.claim import Finding, Possibility
from foregone.model.families import Groups
from foregone.model.predicate import Predicate
from foregone.model.progress import Progress
from foregone.model.release import Release
from foregone.onehot.audit import audit
from foregone.onehot.generate import SOLUTIONS
from foregone.onehot.verify import SECONDS, Negation, possible, verify
from foregone.solvers.ip.outcome import Adapter


@dataclass(frozen=True, slots=True)
class OneHotEngine:
    """Generate datasets, then verify each claim they agree on with an integer program of its own."""

    adapter: Adapter
    solutions: int = SOLUTIONS
    form: Negation = Negation.DISJUNCTION
    groups: Groups = Groups.PUBLISHED
    proves: bool = False

    def audit(self, release: Release, time_limit: float | None = None, progress: Progress | None = None) -> Audit:
        return audit(release, self.adapter, self.solutions, _seconds(time_limit), self.form, progress, self.groups)

    def verify(self, release: Release, predicate: Predicate, count: int, time_limit: float | None = None) -> Finding:
        return verify(release, predicate, count, self.adapter, _seconds(time_limit), self.form)

    def possible(self, release: Release, predicate: Predicate, count: int, time_limit: float | None = None) -> Possibility:
        return possible(release, predicate, count, self.adapter, _seconds(time_limit))


def _seconds(time_limit: float | None) -> float:
    return SECONDS if time_limit is None else time_limit
