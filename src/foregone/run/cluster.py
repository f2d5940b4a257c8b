"""A Dask cluster as the executor: it gets the data with each job, so that its workers need no common file system."""

from __future__ import annotations

import faulthandler
import logging
import re
import threading
from contextlib import suppress
from queue import Empty, SimpleQueue
from time import monotonic
from typing import Any, Generic

from foregone import __version__
from foregone.errors import ForegoneError, InputError
from foregone.run.executor import Finished, J, Lost, R, StoppedError, Work

CONNECT = 15  # seconds to wait for a scheduler to answer
LOOK = 5.0  # seconds between two looks at how many workers there are
ADDRESS = re.compile(r"([a-z]+://)?[^:/]+:[0-9]+")
AHEAD = 2  # jobs per worker: one at work, one ready

_ONE = threading.Lock()  # the engine works in one thread, however many a worker has


class DaskExecutor(Generic[J, R]):
    """Jobs are Dask tasks; Dask itself gives the task of a worker that died to another one, several times."""

    def __init__(self, address: str, work: Work, patience: float | None = None) -> None:
        try:
            import distributed
        except ImportError:
            raise ForegoneError("--scheduler needs Dask; install it with: pip install 'foregone[dask]'") from None
        if not ADDRESS.fullmatch(address):
            raise InputError(f"--scheduler {address!r}: not an address; write it as Dask shows it, such as tcp://host:8786")
        _silence()
        self.address, self.work, self.patience = address, work, patience
        connect: Any = distributed.Client
        try:
            self.client: Any = connect(address, timeout=CONNECT, set_as_default=False, name="foregone-run")
        except (OSError, ValueError) as error:
            why = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise InputError(f"--scheduler {address}: no Dask scheduler answers there ({why}); check the address") from None
        self.ready: SimpleQueue[Any] = SimpleQueue()
        self.jobs: dict[str, J] = {}
        self.number = 0
        self.looked, self.workers = -LOOK, 1

    def __enter__(self) -> DaskExecutor[J, R]:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def room(self) -> int:
        if monotonic() - self.looked >= LOOK:
            with self._connected():
                self.workers = max(1, len(self.client.nthreads()))
            self.looked = monotonic()
        return AHEAD * self.workers - len(self.jobs)

    def submit(self, job: J) -> None:
        self.number += 1
        key = f"foregone-{self.client.id}-{self.number}"
        self.jobs[key] = job
        with self._connected():
            future = self.client.submit(_task, self.work, job, self.patience, __version__, key=key, pure=False)
        future.add_done_callback(self.ready.put)

    def next(self, timeout: float | None = None) -> Finished[J, R] | Lost[J] | None:
        try:
            future = self.ready.get(timeout=timeout)
        except Empty:
            if self.client.status != "running":
                raise self._gone() from None
            return None
        job = self.jobs.pop(future.key)
        if future.status not in ("finished", "error"):
            raise self._gone()
        try:
            with self._connected():
                return Finished(job, future.result())
        except Exception as error:
            return self._lost(job, error)
        finally:
            future.release()

    def close(self) -> None:
        with suppress(Exception):  # there may be nobody left to say goodbye to
            self.client.close(timeout=2)

    def _lost(self, job: J, error: Exception) -> Lost[J]:
        from distributed import KilledWorker

        if isinstance(error, KilledWorker):
            return Lost(job, "the worker process died", deaths=error.allowed_failures + 1)
        if isinstance(error, ModuleNotFoundError) or "deserialization" in str(error):
            line = str(error).splitlines()[0]
            raise StoppedError(f"--scheduler {self.address}: a worker cannot work ({line}); install Foregone there") from None
        raise error

    def _gone(self) -> StoppedError:
        return StoppedError(f"--scheduler {self.address}: the scheduler is gone; start a cluster again and give its address")

    def _connected(self) -> _Connected:
        return _Connected(self)


def _silence() -> None:
    """What is wrong with the cluster is said once, by the run itself, and not in tracebacks."""
    for name in list(logging.root.manager.loggerDict):
        if name.partition(".")[0] == "distributed":
            logging.getLogger(name).setLevel(logging.CRITICAL)


class _Connected:
    """A lost connection, in whatever way Dask puts it, becomes one sentence."""

    def __init__(self, executor: DaskExecutor[Any, Any]) -> None:
        self.executor = executor

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: Any, error: BaseException | None, _: object) -> None:
        from concurrent.futures import CancelledError

        lost = isinstance(error, OSError | TimeoutError | CancelledError) or self.executor.client.status != "running"
        if error is not None and isinstance(error, Exception) and lost:
            raise self.executor._gone() from None


def _task(work: Work, job: Any, patience: float | None, version: str) -> Any:
    """Runs on a worker of the cluster. A release that runs far beyond its limit ends the process, as it cannot be stopped."""
    if version != __version__:
        raise StoppedError(f"a worker has Foregone {__version__} and this is {version}; install the same version there")

    def beat(_: str) -> None:
        if patience is not None:
            faulthandler.dump_traceback_later(patience, exit=True)

    with _ONE:
        try:
            return work(job, beat)
        finally:
            if patience is not None:
                faulthandler.cancel_dump_traceback_later()
