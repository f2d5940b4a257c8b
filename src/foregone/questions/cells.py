"""The main engine as one: exact, complete, with proofs."""

from __future__ import annotations

from dataclasses import dataclass

from foregone.engine import MAX_RECORDS
from foregone.model.audit import Audit
from foregone.model.claim import Finding, Possibility
from foregone.model.dataset import Dataset
from foregone.model.families import Groups
from foregone.model.predicate import Predicate
from foregone.model.progress import Progress
from foregone.model.release import Release
from foregone.questions.ask import audit, possible, verify


@dataclass(frozen=True, slots=True)
class CellsEngine:
    """Records that no statistic tells apart share a bucket; exact arithmetic over buckets decides every claim."""

    max_records: int = MAX_RECORDS
    groups: Groups = Groups.PUBLISHED
    proves: bool = True
    truth: Dataset | None = None  # the microdata, if they are at hand: a dataset to begin with, never a reason

    def audit(self, release: Release, time_limit: float | None = None, progress: Progress | None = None) -> Audit:
        return audit(release, time_limit, self.max_records, progress, self.groups, self.truth)

    def verify(self, release: Release, predicate: Predicate, count: int, time_limit: float | None = None) -> Finding:
        return verify(release, predicate, count, time_limit, self.max_records)

    def possible(self, release: Release, predicate: Predicate, count: int, time_limit: float | None = None) -> Possibility:
        return possible(release, predicate, count, time_limit, self.max_records)
