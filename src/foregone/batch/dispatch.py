"""Hand out the parts of a run, keep what comes back, do again what was lost."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from time import monotonic

from foregone.batch.asked import Asked
from foregone.batch.executor import DEATHS, Executor, Finished, Lost, StoppedError
from foregone.batch.part import PartJob
from foregone.batch.plan import Part
from foregone.batch.results import TOTALS, PartResult, failed, merged
from foregone.batch.source import RunSource
from foregone.batch.store import Store

TICK = 0.5  # seconds between two looks at the clock while waiting

JobExecutor = Executor[PartJob, PartResult]


@dataclass
class Tally:
    """How far a run is: totals of this session, and what earlier sessions had finished."""

    noun: str
    releases: int
    parts: int
    cost: float
    earlier: int = 0
    done_parts: int = 0
    done_cost: float = 0.0
    totals: dict[str, int] = field(default_factory=lambda: dict.fromkeys(TOTALS, 0))
    note: str = ""
    begun: float = field(default_factory=monotonic)

    @property
    def seconds(self) -> float:
        return monotonic() - self.begun


def dispatch(
    workers: JobExecutor,
    data: RunSource,
    todo: Iterable[Part],
    store: Store,
    asked: Asked,
    time_limit: float | None,
    tally: Tally,
    report: Callable[[Tally], None],
    stopping: Callable[[], bool],
) -> None:
    """Keep the workers busy until every part is written; only the parts in flight are in memory."""
    costs: dict[str, float] = {}
    jobs, flying = _jobs(todo, data, asked, time_limit, costs), 0
    again: deque[PartJob] = deque()
    broken: dict[str, _Singles] = {}
    while True:
        while workers.room > 0:
            job = again.popleft() if again else next(jobs, None)
            if job is None:
                break
            workers.submit(job)
            flying += 1
        if not flying:
            return
        if stopping():
            raise StoppedError("stopped as asked")
        outcome = workers.next(TICK)
        tally.note = workers.note
        if outcome is None:
            report(tally)
            continue
        flying -= 1
        job = outcome.job
        done: PartResult | None = None
        match outcome:
            case Finished(result=result) if job.index is None:
                done = result
            case Finished(result=result):
                assert job.index is not None
                done = broken[job.part].settle(job.index, result)
            case Lost() if job.index is None:
                broken[job.part] = _Singles(job)
                again.extend(broken[job.part].start(outcome))
                done = broken[job.part].whole()
            case Lost():
                redo = broken[job.part].lost(outcome)
                if redo is None:
                    done = broken[job.part].whole()
                else:
                    again.append(redo)
        if done is not None:
            broken.pop(job.part, None)
            store.keep(job.part, done)
            for name, number in done.totals.items():
                tally.totals[name] += number
            tally.done_parts += 1
            tally.done_cost += costs.pop(job.part)
        report(tally)


def _jobs(
    todo: Iterable[Part], data: RunSource, asked: Asked, time_limit: float | None, costs: dict[str, float]
) -> Iterator[PartJob]:
    """Parts are read when there is room for them, not before."""
    for part in todo:
        costs[part.name] = part.cost
        yield PartJob(part.name, part.region, data.read(part), time_limit, asked=asked)


class _Singles:
    """A part whose worker died, done again one release at a time so that only the culprit can fail."""

    def __init__(self, job: PartJob) -> None:
        self.job = job
        self.results: list[PartResult | None] = [None] * len(job)
        self.deaths = [0] * len(job)

    def start(self, outcome: Lost[PartJob]) -> list[PartJob]:
        """One job for each release, but for one that is known to run on and on."""
        if outcome.overtime and outcome.at in self.job.content.ids:
            self._fail(self.job.content.ids.index(outcome.at), outcome.reason)
        return [self.job.single(i) for i, result in enumerate(self.results) if result is None]

    def settle(self, index: int, result: PartResult) -> PartResult | None:
        self.results[index] = result
        return self.whole()

    def lost(self, outcome: Lost[PartJob]) -> PartJob | None:
        """The job to do once more, or None when the release has failed for good."""
        index = outcome.job.index
        assert index is not None
        self.deaths[index] += 1
        if outcome.overtime:
            self._fail(index, outcome.reason)
        elif self.deaths[index] >= DEATHS:
            self._fail(index, f"{outcome.reason}, {DEATHS} times; perhaps it needs more memory than there is")
        else:
            return outcome.job
        return None

    def _fail(self, index: int, reason: str) -> None:
        content = self.job.content
        self.results[index] = failed(content.names, self.job.region, content.counted, content.ids[index], reason, self.job.asked)

    def whole(self) -> PartResult | None:
        results = [result for result in self.results if result is not None]
        return merged(results) if len(results) == len(self.results) else None
