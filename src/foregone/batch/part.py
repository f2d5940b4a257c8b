"""The audit of one part: plain data in, Parquet bytes out. Runs in worker processes and touches no file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from time import perf_counter

from foregone.batch.asked import CLAIMS, Asked
from foregone.batch.contents import PartContent, reason_of
from foregone.batch.executor import Beat
from foregone.batch.release_result import FalseClaimError, keep_audit, known_size, pair_text
from foregone.batch.results import UNDETERMINED, Determined, PartResult, PartTables
from foregone.model.audit import Audit
from foregone.model.claim import Verdict
from foregone.model.errors import InputError, UndecidedError
from foregone.model.release import Release
from foregone.questions.audit import audit as audit_release

FARTHEST = 60.0  # seconds spent on how far apart two datasets can be, where no limit is given
Auditor = Callable[..., Audit]
"""What `foregone.audit` is: called with a release, a time limit and the groups of values that claims may name."""


@dataclass(frozen=True, slots=True)
class PartJob:
    """A part and what its releases say. `index` is set when a release of it is done on its own."""

    part: str
    region: str
    content: PartContent
    time_limit: float | None = None
    index: int | None = None
    asked: Asked = CLAIMS

    def __len__(self) -> int:
        return len(self.content.ids)

    def single(self, index: int) -> PartJob:
        return replace(self, content=self.content.single(index), index=index)


def audit_part(job: PartJob, beat: Beat = lambda _: None, audit: Auditor = audit_release) -> PartResult:
    """Audit every release of a part; whatever goes wrong with one of them is written down and does not stop the others."""
    tables = PartTables(job.content.names, job.region, job.content.counted, job.asked)
    for release, published, truth in job.content.releases():
        beat(release)
        begin = perf_counter()
        try:
            if isinstance(published, str):
                raise InputError(published)
            determined = _determined(job, release, published) if job.asked.unique else UNDETERMINED
            if job.asked.claims:
                result = audit(published, job.time_limit, groups=job.asked.groups)
                keep_audit(tables, release, result, truth, begin, determined)
            else:
                tables.nothing(release, known_size(published), perf_counter() - begin, 0, determined)
        except FalseClaimError:
            raise
        except UndecidedError:
            tables.nothing(release, None if isinstance(published, str) else known_size(published), perf_counter() - begin)
        except MemoryError:
            tables.fail(release, "memory ran out; give the workers more (--memory), and start again with --retry-failed")
        except Exception as error:  # a release that breaks the engine must not take the others along
            tables.fail(release, reason_of(error))
    return tables.done()


def _determined(job: PartJob, release: str, published: Release) -> Determined:
    """How far apart two datasets can be, as a share of the records where their number is known."""
    found = job.content.uniqueness(release, published, FARTHEST if job.time_limit is None else job.time_limit)
    if found.verdict is Verdict.VERIFIED:
        return Determined("true", 0.0, 0.0)
    size = known_size(published)
    low, high = (None if not size else min(distance / size, 1.0) for distance in (found.distance, found.limit))
    if found.verdict is Verdict.UNDECIDED or found.second is None:
        return Determined("undecided", 0.0 if size else None, 1.0 if size else None)
    return Determined("false", low, high, pair_text(found.first, found.second))
