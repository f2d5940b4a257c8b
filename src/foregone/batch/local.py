"""A pool of processes on this machine in which a worker may die at any time, by any cause, and no job is lost."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import threading
from collections import deque
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from queue import SimpleQueue
from socket import socketpair
from time import monotonic
from typing import Generic

from foregone.batch.executor import Finished, J, Lost, R, StoppedError, Work

STARTS = 3  # workers that may die in a row before they were ready; then something is wrong with all of them
SPARE = 2  # jobs kept ready beyond one per worker
ONE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")  # workers already use all cores
START = """
import sys
from multiprocessing.connection import Connection
pipe = Connection(int(sys.argv[1]))
sys.path[:] = pipe.recv()
from foregone.batch.local import serve
serve(pipe)
"""


class LocalPool(Generic[J, R]):
    """`workers` processes; `memory` bytes each; a beat older than `patience` seconds stops its worker."""

    note = ""

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
            ready = wait([worker.pipe for worker in self.workers], self._pause(end))
            for worker in list(self.workers):
                if worker.pipe in ready:
                    self._listen(worker)
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
            worker.job = None
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
    """A process, the pipe to it and what it is doing. The end of the pipe is the end of the process, and the other way round."""

    def __init__(self, work: Work, memory: int | None) -> None:
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
        self.ready = False
        self.job: J | None = None
        self.at, self.since = "", monotonic()
        self.status = ""
        with suppress(OSError):
            self.pipe.send(sys.path)
            self.pipe.send((pickle.dumps(work), memory))

    def give(self, job: J) -> None:
        self.job, self.at, self.since = job, "", monotonic()
        with suppress(OSError):  # a worker that has just died is found by the end of its pipe, with the job still in its hands
            self.pipe.send(job)

    def overdue(self, patience: float | None) -> bool:
        return patience is not None and self.job is not None and monotonic() - self.since >= patience

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


def serve(pipe: Connection) -> None:
    """The life of a worker: jobs in, results out, until the other end is closed."""
    work, memory = pipe.recv()
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
        return pickle.loads(pickle.dumps(error))  # type: ignore[no-any-return]
    except Exception:  # an error that does not survive the pipe is told in words
        return RuntimeError(f"{type(error).__name__}: {error}")


def _limit(memory: int) -> None:
    """Private memory of this process; beyond it allocations fail, which ends a release and not the machine."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (memory, resource.getrlimit(resource.RLIMIT_DATA)[1]))
