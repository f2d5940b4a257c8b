"""A pool of processes on this machine in which a worker may die at any time, by any cause, and no job is lost."""

from __future__ import annotations

import os
import pickle
import signal
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection, wait
from time import monotonic
from typing import Any, Generic

from foregone.run.executor import Finished, J, Lost, R, StoppedError, Work

STARTS = 3  # workers that may die in a row before they were ready; then something is wrong with all of them
SPARE = 2  # jobs kept ready beyond one per worker
THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")


class LocalPool(Generic[J, R]):
    """`workers` spawned processes; `memory` bytes each; a beat older than `patience` seconds stops its worker."""

    def __init__(self, work: Work, workers: int, memory: int | None = None, patience: float | None = None) -> None:
        self.work, self.memory, self.patience = work, memory, patience
        self.queue: deque[J] = deque()
        self.outcomes: deque[Finished[J, R] | Lost[J]] = deque()
        self.failed_starts = 0
        self.most = workers + SPARE
        self.workers: list[_Worker[J]] = []
        try:
            for _ in range(workers):
                self.workers.append(_Worker(work, memory))
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> LocalPool[J, R]:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

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
            ready = wait([thing for worker in self.workers for thing in worker.watched], self._pause(end))
            for worker in list(self.workers):
                if worker.pipe in ready:
                    self._listen(worker)
                elif worker.process.sentinel in ready:
                    self._bury(worker)
                elif worker.overdue(self.patience):
                    self._stop(worker)
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

    def _listen(self, worker: _Worker[J]) -> None:
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
            raise value
        elif kind == "memory":  # a fresh process has more of it
            self._end(worker, "memory ran out in the worker process")
        else:
            assert worker.job is not None
            self.outcomes.append(Finished(worker.job, value))
            worker.job = None

    def _bury(self, worker: _Worker[J]) -> None:
        """Replace a dead worker and report the job it had."""
        status = worker.kill(patient=True)
        if not worker.ready:
            self.failed_starts += 1
            if self.failed_starts >= STARTS:
                raise StoppedError(f"worker processes do not start ({status}, {STARTS} times); check memory and installation")
        self._end(worker, f"the worker process died ({status})")

    def _stop(self, worker: _Worker[J]) -> None:
        taken = monotonic() - worker.since
        self._end(worker, f"stopped after {taken:.0f} s, far beyond the time limit", overtime=True)

    def _end(self, worker: _Worker[J], reason: str, overtime: bool = False) -> None:
        worker.kill()
        if worker.job is not None:
            self.outcomes.append(Lost(worker.job, reason, worker.at, overtime))
        self.workers.remove(worker)
        self.workers.append(_Worker(self.work, self.memory))


class _Worker(Generic[J]):
    """A process, the pipe to it and what it is doing."""

    def __init__(self, work: Work, memory: int | None) -> None:
        context = get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(theirs, pickle.dumps(work), memory), daemon=True)
        with _one_thread(), _deaf():
            self.process.start()
        theirs.close()  # so that the end of the process is the end of the pipe
        self.ready = False
        self.job: J | None = None
        self.at, self.since = "", monotonic()
        self.status = ""

    @property
    def watched(self) -> list[Any]:
        return [self.pipe, self.process.sentinel]

    def give(self, job: J) -> None:
        self.job, self.at, self.since = job, "", monotonic()
        with suppress(OSError):  # a worker that has just died is found by its sentinel, with the job still in its hands
            self.pipe.send(job)

    def overdue(self, patience: float | None) -> bool:
        return patience is not None and self.job is not None and monotonic() - self.since >= patience

    def kill(self, patient: bool = False) -> str:
        """End the process if it has not ended, and say how it ended; a dying one may be given a moment to say so itself."""
        if self.status:
            return self.status
        if patient:
            self.process.join(1.0)
        self.process.kill()
        self.process.join()
        code = self.process.exitcode or 0
        self.process.close()
        self.pipe.close()
        self.status = f"signal {-code}" if code < 0 else f"exit status {code}"
        return self.status


def _serve(pipe: Connection, work: bytes, memory: int | None) -> None:
    """The life of a worker: jobs in, results out, until the other end is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent stops its workers itself
    threading.Thread(target=_follow_parent, daemon=True).start()
    do = pickle.loads(work)
    if memory is not None:
        _limit(memory)

    def beat(name: str) -> None:
        pipe.send(("at", name))

    with suppress(EOFError, OSError):
        pipe.send(("ready", None))
        while True:
            job = pipe.recv()
            try:
                answer = "done", do(job, beat)
            except (BrokenPipeError, ConnectionError):
                return
            except MemoryError:
                answer = "memory", None
            except Exception as error:
                answer = "error", _portable(error)
            pipe.send(answer)


def _follow_parent() -> None:
    """End with the parent, however it ended, even in the middle of a long computation."""
    parent = parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


def _portable(error: Exception) -> Exception:
    try:
        return pickle.loads(pickle.dumps(error))  # type: ignore[no-any-return]
    except Exception:  # an error that does not survive the pipe is told in words
        return RuntimeError(f"{type(error).__name__}: {error}")


def _limit(memory: int) -> None:
    """Private memory of this process; beyond it allocations fail, which ends a release and not the machine."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (memory, resource.getrlimit(resource.RLIMIT_DATA)[1]))


@contextmanager
def _one_thread() -> Iterator[None]:
    """One thread each, as the workers already use all cores. The variables must be set before a worker loads NumPy."""
    before = {name: os.environ.get(name) for name in THREADS}
    os.environ.update(dict.fromkeys(before, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


@contextmanager
def _deaf() -> Iterator[None]:
    """A worker must not hear Ctrl-C while it starts either."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
