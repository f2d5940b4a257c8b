"""The audit of one part: plain data in, Parquet bytes out. Runs in worker processes and touches no file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from time import perf_counter

from foregone.batch.asked import CLAIMS, Asked
from foregone.batch.contents import PartContent, reason_of
from foregone.batch.determined import UNDETERMINED, known_size
from foregone.batch.executor import Beat
from foregone.batch.release_result import FalseClaimError, keep_audit
from foregone.batch.results import PartResult, PartTables
from foregone.model.audit import Audit
from foregone.model.errors import InputError, UndecidedError
from foregone.questions.ask import audit as audit_release

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
            determined = job.content.determined(release, published, job.time_limit) if job.asked.unique else UNDETERMINED
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
