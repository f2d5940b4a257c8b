"""Results in the order of the jobs, whoever does them and whenever they are done."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

from foregone.batch.executor import DEATHS, Beat, Finished, J, R, StoppedError
from foregone.batch.local import LocalPool


def map_in_order(work: Callable[[J], R], jobs: Iterable[J], workers: int) -> Iterator[R]:
    """As map(work, jobs), by several processes; a job whose worker dies is done again."""
    with LocalPool[tuple[int, J], R](partial(_numbered, work), workers) as pool:
        numbered, flying, due = enumerate(jobs), 0, 0
        early: dict[int, R] = {}
        deaths: dict[int, int] = {}
        while True:
            # jobs far ahead of the one that is due would only pile up results
            while pool.room > 0 and len(early) < 100 * workers and (job := next(numbered, None)) is not None:
                pool.submit(job)
                flying += 1
            if not flying:
                return
            outcome = pool.next()
            assert outcome is not None
            at = outcome.job[0]
            if isinstance(outcome, Finished):
                early[at] = outcome.result
                flying -= 1
            else:
                deaths[at] = deaths.get(at, 0) + 1
                if deaths[at] >= DEATHS:
                    raise StoppedError(f"job {at + 1}: {outcome.reason}, {DEATHS} times; perhaps for lack of memory")
                pool.submit(outcome.job)
            while due in early:
                yield early.pop(due)
                due += 1


def _numbered(work: Callable[[Any], Any], job: tuple[int, Any], beat: Beat) -> Any:
    beat(str(job[0]))
    return work(job[1])
