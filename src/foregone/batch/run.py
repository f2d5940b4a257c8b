"""A run from its source to finished files, or the rest of one that was interrupted.

Parts are handed out to workers; what comes back is kept, what was lost is done again.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from time import monotonic
from typing import Any

from foregone.batch.guessing import PRIOR_TABLE, GuessTables, tables_for
from foregone.batch.part import failed
from foregone.batch.part_files import TOTALS, PartJob, PartResult, merged
from foregone.batch.plan import RunPart, in_turn
from foregone.batch.source import CLAIMS, OpenSource, PartContent, RunQuestions, RunSource, fingerprint
from foregone.batch.store import Store
from foregone.formats.extras import need
from foregone.loop import chosen_loop
from foregone.model.errors import InputError
from foregone.model.progress import Progress
from foregone.version import __version__, versions
from foregone.workers.pool import DEATHS, Executor, Finished, Lost, StoppedError

TICK = 0.5  # seconds between two looks at the clock while waiting

PACKAGES = ("numpy", "pyarrow", "duckdb", "highspy", "python-flint")  # whose versions run.json names

JobExecutor = Executor[PartJob, PartResult]
OpenExecutor = Callable[[], AbstractContextManager[JobExecutor]]


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
    jobs: Iterator[PartJob],
    store: Store,
    tally: Tally,
    report: Callable[[Tally], None],
    stopping: Callable[[], bool],
) -> None:
    """Keep the workers busy until every part is written; only the parts in flight are in memory."""
    flying, again = 0, deque[PartJob]()
    broken: dict[str, _Singles] = {}
    while True:
        while workers.room > 0 and (job := again.popleft() if again else next(jobs, None)) is not None:
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
        if job.index is None and isinstance(outcome, Finished):
            done: PartResult | None = outcome.result
        else:
            if job.index is not None:
                again.extend(broken[job.part].take(outcome))
            elif isinstance(outcome, Lost):
                broken[job.part] = _Singles(outcome)
                again.extend(broken[job.part].jobs)
            done = broken[job.part].whole()
        if done is not None:
            broken.pop(job.part, None)
            store.keep(job.part, done)
            for name, number in done.totals.items():
                tally.totals[name] += number
            tally.done_parts += 1
            tally.done_cost += job.cost
        report(tally)


class _Singles:
    """A part whose worker died, done again one release at a time so that only the culprit can fail."""

    def __init__(self, outcome: Lost[PartJob]) -> None:
        self.job = outcome.job
        self.results: list[PartResult | None] = [None] * len(self.job)
        self.deaths = [0] * len(self.job)
        if outcome.overtime and outcome.at in self.job.content.ids:  # it is known to run on and on
            self._fail(self.job.content.ids.index(outcome.at), outcome.reason)

    @property
    def jobs(self) -> list[PartJob]:
        """One for each release that is not settled."""
        return [self.job.single(i) for i, result in enumerate(self.results) if result is None]

    def take(self, outcome: Finished[PartJob, PartResult] | Lost[PartJob]) -> list[PartJob]:
        """Keep what became of a release; a job that is to be done once more comes back."""
        index = outcome.job.index
        assert index is not None
        if isinstance(outcome, Finished):
            self.results[index] = outcome.result
            return []
        self.deaths[index] += 1
        if not outcome.overtime and self.deaths[index] < DEATHS:
            return [outcome.job]
        often = "" if outcome.overtime else f", {DEATHS} times; perhaps it needs more memory than there is"
        self._fail(index, f"{outcome.reason}{often}")
        return []

    def _fail(self, index: int, reason: str) -> None:
        self.results[index] = failed(self.job, index, reason)

    def whole(self) -> PartResult | None:
        results = [result for result in self.results if result is not None]
        return merged(results) if len(results) == len(self.results) else None


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """A run that came to its end here: `complete` when every part of the input is done, by whichever shard."""

    tally: Tally
    totals: dict[str, Any]
    complete: bool
    synthetic: bool

    @property
    def sound(self) -> bool:
        return not self.totals["failures"] and not self.totals["undecided"]


def run(
    source: Path,
    out: Path,
    options: Mapping[str, Any],
    open_source: OpenSource,
    executor: OpenExecutor,
    *,
    asked: RunQuestions = CLAIMS,
    shard: tuple[int, int] = (1, 1),
    time_limit: float | None = None,
    retry: bool = False,
    settings: dict[str, Any] | None = None,
    report: Callable[[Tally], None] = lambda _: None,
    progress: Progress | None = None,
    stopping: Callable[[], bool] = lambda: False,
) -> RunOutcome:
    """Audit every release of the source into the folder `out`, or what is missing of it there.

    `options` are what matters to the result: a run is only ever continued with the same.
    """
    need("pyarrow")
    if source.is_dir() and out.resolve().is_relative_to(source.resolve()):
        raise InputError(f"{out}: lies inside the input {source}, which the run would change; choose another place")
    if progress:
        progress("reading the input", 0, 0)
    store = Store(out)
    store.check()
    with open_source(source) as data, ExitStack() as hired:
        guessing = tables_for(asked.guess, data.guess, data.names)
        matters = {**options, "asked": asked.words, "groups": asked.groups.value, PRIOR_TABLE: _named(asked.guess)}
        identity = {"options": matters, "input": fingerprint(source, progress), "versions": versions(*PACKAGES)}
        workers: JobExecutor | None = None
        if retry or not {part.name for part in in_turn(data.parts, shard)} <= store.finished():
            workers = hired.enter_context(executor())  # before anything is made: there may be nobody to do the work
        store.open()
        with store.locked(shared=shard[1] > 1):
            about = _begin(store, identity, data, settings or {})
            names = {part.name for part in data.parts}
            mine = in_turn(data.parts, shard)
            store.clean({part.name for part in mine})
            finished = store.finished() & names
            if retry:
                for name in store.troubled(finished & {part.name for part in mine}):
                    store.forget(name)
                    finished.discard(name)
            todo = [part for part in mine if part.name not in finished]
            tally = Tally(data.noun, sum(map(len, mine)), len(mine), sum(part.cost for part in todo))
            tally.earlier = tally.releases - sum(map(len, todo))
            tally.done_parts = len(mine) - len(todo)
            if todo and about.get("complete"):  # something is done again, and until then not everything is there
                about = {**about, "complete": False}
                store.write_json(about)
            try:
                report(tally)
                if todo:
                    workers = workers or hired.enter_context(executor())
                    # parts are read when there is room for them, not before
                    jobs = (_job(part, data.read(part), time_limit, asked, guessing) for part in todo)
                    dispatch(workers, jobs, store, tally, report, stopping)
            except (StoppedError, KeyboardInterrupt) as error:
                kept = f"{tally.done_parts:,} of {tally.parts:,} parts are finished and kept"
                raise StoppedError(f"{str(error) or 'stopped'}. {kept}; the same command continues the run") from None
            return _end(store, about, data, tally)


def _job(
    part: RunPart,
    content: PartContent,
    time_limit: float | None,
    asked: RunQuestions,
    guessing: Callable[[PartContent], GuessTables] | None,
) -> PartJob:
    tables = None if guessing is None else guessing(content)
    return PartJob(part.name, part.region, content, time_limit, asked, part.cost, guessing=tables)


def _named(guess: str) -> str | None:
    """The table to guess from, as run.json tells it: a level of places, or a file with what is in it."""
    if not guess or not Path(guess).is_file():
        return guess or None
    return f"{Path(guess).name} (SHA-256 {sha256(Path(guess).read_bytes()).hexdigest()})"


def _begin(store: Store, identity: dict[str, Any], data: RunSource, settings: dict[str, Any]) -> dict[str, Any]:
    """Write run.json, or compare with the one that is there: only the very same run is continued."""
    before, loop = store.read_json(), chosen_loop().name
    if before is None and store.finished():
        raise InputError(f"{store.path}: has finished parts but no run.json; restore it, or choose another folder")
    if before is not None:
        different = list(_differences(before, identity))
        if not different and before.get("parts") != len(data.parts):
            different = [f"the run was cut into {before.get('parts')} parts, and this build of Foregone makes {len(data.parts)}"]
        if different:
            raise InputError([f"{store.json}: {text}; give what was given before, or choose another --out" for text in different])
        return {**before, "settings": settings, "loop": loop}
    about: dict[str, Any] = {
        "command": ["foregone", *sys.argv[1:]],
        **identity,
        "settings": settings,
        "loop": loop,
        "synthetic": data.synthetic,
        "noun": data.noun,
        "columns": list(data.names),
        "releases": data.releases,
        "parts": len(data.parts),
        "complete": False,
    }
    store.write_json(about)
    return about


def _differences(before: dict[str, Any], now: dict[str, Any]) -> Iterator[str]:
    """What sets two runs apart; under what name the input lies does not."""
    old, new = before.get("input", {}), now["input"]
    if old.get("sha256") != new["sha256"]:
        was = f"{old.get('name')}, {old.get('size')} bytes"
        yield f"the run was begun with another input ({was}) than {new['name']} ({new['size']} bytes)"
    for name, value in now["options"].items():
        was = before.get("options", {}).get(name)
        if was != value:
            said = ["not given" if some is None else some for some in (was, value)]
            yield f"--{name.replace('_', '-')} was {said[0]} and is now {said[1]}"
    was = before.get("versions", {}).get("foregone")
    if was != __version__:
        yield f"the run was begun by Foregone {was}, and this is {__version__}"


def _end(store: Store, about: dict[str, Any], data: RunSource, tally: Tally) -> RunOutcome:
    """Add everything up once all parts are there, by whichever shard or start."""
    names = {part.name for part in data.parts}
    complete = names <= store.finished()
    totals: dict[str, Any] = {**tally.totals, "seconds": round(tally.seconds, 3)}
    if about.get("complete") and all(isinstance(about.get("totals", {}).get(name), int) for name in TOTALS):
        totals = about["totals"]
    elif complete:
        totals = store.totals(names)
        store.write_json({**about, "complete": True, "totals": totals, "wall_seconds": round(tally.seconds, 3)})
    return RunOutcome(tally, totals, complete, data.synthetic)
