"""Processes of this machine that do jobs. One of them may die at any time, by any cause, and no job is lost.

`WorkerProcess` is a process and the pipe to it, `LocalPool` shares out jobs among several, `map_in_order` is `map` with a pool.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import threading
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection, wait
from queue import SimpleQueue
from socket import socketpair
from time import monotonic
from typing import Any, Generic, Self, TypeVar

from foregone.model.errors import ForegoneError

J = TypeVar("J")  # a job
R = TypeVar("R")  # its result

DEATHS = 3  # workers that may die over one job before it is given up
STARTS = 3  # workers that may die in a row before they were ready; then something is wrong with all of them
SPARE = 2  # jobs kept ready beyond one per worker
HEARING = 1.0  # seconds between two looks at how far jobs are
AHEAD = 100  # results per worker that may wait for the one that is due
ONE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")  # workers already use all cores
START = """
import sys
from multiprocessing.connection import Connection
pipe = Connection(int(sys.argv[1]))
try:
    sys.path[:] = pipe.recv()
    import foregone.workers.pool
    life = pipe.recv()
except (EOFError, OSError):  # stopped before it was told what to do
    sys.exit()
life(pipe)
"""

Beat = Callable[[str], None]
"""Called by the work with the name of what it begins, so that a watchdog knows what takes so long."""

Work = Callable[[Any, Beat], Any]
"""What is done with a job. It is pickled, so it must be importable where the work is done."""


class StoppedError(ForegoneError):
    """The work cannot go on here and now; what is finished is kept."""


@dataclass(frozen=True, slots=True)
class Finished(Generic[J, R]):
    """The job is done."""

    job: J
    result: R


@dataclass(frozen=True, slots=True)
class Lost(Generic[J]):
    """The worker died over the job, or was stopped because `at` took far too long (`overtime`)."""

    job: J
    reason: str
    at: str = ""
    overtime: bool = False


class Executor(ABC, Generic[J, R]):
    """Jobs go in while there is room; what became of them comes out in any order."""

    note = ""  # what a person who watches should know, if anything

    @property
    @abstractmethod
    def room(self) -> int:
        """How many more jobs it should be given now."""

    @abstractmethod
    def submit(self, job: J) -> None: ...

    @abstractmethod
    def next(self, timeout: float | None = None) -> Finished[J, R] | Lost[J] | None:
        """Wait for a job; None when the timeout has passed. An error that the work raised is raised here."""

    @abstractmethod
    def close(self) -> None:
        """Stop all work at once."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class WorkerProcess:
    """A process and the pipe to it. The end of the pipe is the end of the process, and the other way round.

    `life` is what the process does with its end of the pipe; it is pickled.
    """

    def __init__(self, life: Callable[[Connection], None]) -> None:
        ours, theirs = socketpair()
        with theirs:
            # a group of its own, so that Ctrl-C reaches the parent only, which stops its workers itself
            self.process = subprocess.Popen(
                [sys.executable, "-c", START, str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                env={**os.environ, **ONE_THREAD},
                process_group=0,
            )
        self.pipe = Connection(ours.detach())
        self.status = ""
        self.send(sys.path)
        self.send(life)

    def send(self, what: object) -> None:
        with suppress(OSError):  # a process that has just died is found by the end of its pipe
            self.pipe.send(what)

    def kill(self, patient: bool = False) -> str:
        """End the process if it has not ended, and say how it ended; a dying one may be given a moment to say so itself."""
        if self.status:
            return self.status
        if patient:
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(1.0)
        self.process.kill()
        code = self.process.wait()
        self.pipe.close()
        self.status = f"signal {-code}" if code < 0 else f"exit status {code}"
        return self.status


class _Hand(WorkerProcess, Generic[J]):
    """A worker of a pool: the job it has, what it is at, and since when."""

    def __init__(self, work: Work, memory: int | None) -> None:
        self.ready = False
        self.job: J | None = None
        self.at, self.since = "", monotonic()
        super().__init__(partial(serve, pickle.dumps(work), memory))

    def give(self, job: J) -> None:
        self.job, self.at, self.since = job, "", monotonic()
        self.send(job)

    def overdue(self, patience: float | None) -> bool:
        return patience is not None and self.job is not None and monotonic() - self.since >= patience


class LocalPool(Executor[J, R]):
    """`workers` processes that do `work`; `memory` bytes each; a beat older than `patience` seconds stops its worker."""

    def __init__(self, work: Work, workers: int, memory: int | None = None, patience: float | None = None) -> None:
        self.work, self.memory, self.patience = work, memory, patience
        self.queue: deque[J] = deque()
        self.outcomes: deque[Finished[J, R] | Lost[J]] = deque()
        self.failed_starts = 0
        self.most = workers + SPARE
        self.workers: list[_Hand[J]] = []
        try:
            for _ in range(workers):
                self.workers.append(_Hand(work, memory))
        except BaseException:
            self.close()
            raise

    @property
    def room(self) -> int:
        return self.most - len(self.queue) - sum(worker.job is not None for worker in self.workers)

    def submit(self, job: J) -> None:
        self.queue.append(job)
        self._feed()

    def next(self, timeout: float | None = None) -> Finished[J, R] | Lost[J] | None:
        end = None if timeout is None else monotonic() + timeout
        while not self.outcomes:
            self._feed()
            ready = wait([worker.pipe for worker in self.workers], self._pause(end))
            for worker in list(self.workers):
                if worker.pipe in ready:
                    self._listen(worker)
                elif worker.overdue(self.patience):
                    taken = monotonic() - worker.since
                    self._end(worker, f"stopped after {taken:.0f} s, far beyond the time limit", overtime=True)
            if end is not None and monotonic() >= end and not self.outcomes:
                return None
        return self.outcomes.popleft()

    def close(self) -> None:
        for worker in self.workers:
            worker.kill()
        self.workers = []

    def _pause(self, end: float | None) -> float | None:
        """How long to wait at most: until the caller's time is up, or until some worker's patience is."""
        now = monotonic()
        ends = [] if end is None else [end]
        if self.patience is not None:
            ends += [worker.since + self.patience for worker in self.workers if worker.job is not None]
        return max(0.0, min(ends) - now) if ends else None

    def _feed(self) -> None:
        for worker in self.workers:
            if self.queue and worker.ready and worker.job is None:
                worker.give(self.queue.popleft())

    def _listen(self, worker: _Hand[J]) -> None:
        try:
            kind, value = worker.pipe.recv()
        except (EOFError, OSError, pickle.UnpicklingError):
            self._bury(worker)
            return
        if kind == "ready":
            worker.ready, self.failed_starts = True, 0
        elif kind == "at":
            worker.at, worker.since = value, monotonic()
        elif kind == "error":
            worker.job = None
            raise value
        elif kind == "memory":  # a fresh process has more of it
            self._end(worker, "memory ran out in the worker process")
        else:
            assert worker.job is not None
            self.outcomes.append(Finished(worker.job, value))
            worker.job = None

    def _bury(self, worker: _Hand[J]) -> None:
        """Replace a dead worker and report the job it had."""
        status = worker.kill(patient=True)
        if not worker.ready:
            self.failed_starts += 1
            if self.failed_starts >= STARTS:
                raise StoppedError(f"worker processes do not start ({status}, {STARTS} times); check memory and installation")
        self._end(worker, f"the worker process died ({status})")

    def _end(self, worker: _Hand[J], reason: str, overtime: bool = False) -> None:
        worker.kill()
        if worker.job is not None:
            self.outcomes.append(Lost(worker.job, reason, worker.at, overtime))
        self.workers.remove(worker)
        self.workers.append(_Hand(self.work, self.memory))


def map_in_order(
    work: Callable[..., R], jobs: Iterable[J], workers: int, heard: Callable[[dict[int, float]], None] | None = None
) -> Iterator[R]:
    """As `map(work, jobs)`, by several processes; a job whose worker dies is done again.

    With `heard`, work is called with a job and a function that it tells what share of the job is done; now and then `heard` is
    called with these shares, by the numbers of the jobs.
    """
    with LocalPool[tuple[int, J], R](partial(_numbered, work, heard is not None), workers) as pool:
        numbered, flying, due = enumerate(jobs), 0, 0
        early: dict[int, R] = {}
        deaths: dict[int, int] = {}
        while True:
            # jobs far ahead of the one that is due would only pile up results
            while pool.room > 0 and len(early) < AHEAD * workers and (job := next(numbered, None)) is not None:
                pool.submit(job)
                flying += 1
            if not flying:
                return
            outcome = pool.next(HEARING if heard else None)
            if heard:
                told = (worker.at.partition(" ") for worker in pool.workers if worker.job is not None and worker.at)
                heard({int(number): float(share or 0) for number, _, share in told})
            if outcome is None:
                continue
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


def _numbered(work: Callable[..., Any], telling: bool, job: tuple[int, Any], beat: Beat) -> Any:
    beat(str(job[0]))
    return work(job[1], lambda share: beat(f"{job[0]} {share:.4f}")) if telling else work(job[1])


# What follows runs in the worker process.


def serve(work: bytes, memory: int | None, pipe: Connection) -> None:
    """The life of a pool's worker: jobs in, results out, until the other end is closed. `work` is pickled."""
    jobs: SimpleQueue[bytes] = SimpleQueue()
    threading.Thread(target=_listen, args=(pipe, jobs), daemon=True).start()
    do = pickle.loads(work)
    if memory is not None:
        _limit(memory)

    def beat(name: str) -> None:
        pipe.send(("at", name))

    with suppress(OSError):
        pipe.send(("ready", None))
        while True:
            try:
                answer = "done", do(pickle.loads(jobs.get()), beat)
            except MemoryError:
                answer = "memory", None
            except Exception as error:
                answer = "error", _portable(error)
            pipe.send(answer)


def _listen(pipe: Connection, jobs: SimpleQueue[bytes]) -> None:
    """Take in jobs, and end with the parent, however it ended, even in the middle of a long computation."""
    with suppress(EOFError, OSError):
        while True:
            jobs.put(pipe.recv_bytes())
    os._exit(1)


def _portable(error: Exception) -> Exception:
    try:
        sent: Exception = pickle.loads(pickle.dumps(error))
        return sent
    except Exception:  # an error that does not survive the pipe is told in words
        return RuntimeError(f"{type(error).__name__}: {error}")


def _limit(memory: int) -> None:
    """Private memory of this process; beyond it allocations fail, which ends a release and not the machine."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (memory, resource.getrlimit(resource.RLIMIT_DATA)[1]))
