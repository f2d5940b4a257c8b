"""A Dask cluster as the executor: it gets the data with each job, so that its workers need no common file system."""

from __future__ import annotations

import logging
import pickle
import re
import threading
from concurrent.futures import CancelledError
from contextlib import suppress
from dataclasses import replace
from queue import Empty, SimpleQueue
from time import monotonic
from typing import Any

from foregone.model.errors import ForegoneError, InputError
from foregone.model.shown import shown
from foregone.version import __version__
from foregone.workers.pool import Executor, Finished, J, LocalPool, Lost, R, StoppedError, Work

ADDRESS = re.compile(r"([a-z]+://)?[^:/]+:[0-9]+")
CONNECT = 15  # seconds to wait for a scheduler to answer
LOOK = 5.0  # seconds between two looks at how many workers there are
AHEAD = 2  # jobs per thread of a worker: one at work, one ready


class DaskExecutor(Executor[J, R]):
    """Jobs are Dask tasks; what a worker that died had to do Dask itself gives to another one, several times.

    A worker does its job in a process of its own, as on one machine: a release that crashes or runs on and on ends that
    process and not the worker, so that neither the cluster nor other jobs suffer, and what is to blame is known.
    """

    def __init__(self, address: str, work: Work, memory: int | None = None, patience: float | None = None) -> None:
        try:
            import distributed
        except ImportError:
            raise ForegoneError("--scheduler needs Dask; install it with: pip install 'foregone[dask]'") from None
        if not ADDRESS.fullmatch(address):
            raise InputError(f"--scheduler {shown(address)}: not an address; write it as Dask shows it, such as tcp://host:8786")
        security: Any = distributed.Security
        if address.startswith("tls://") and security().get_connection_args("client").get("ssl_context") is None:
            raise InputError(f"--scheduler {address}: Dask has no certificates for TLS; name them in its configuration")
        _silence()
        self.address = address
        self.setting = pickle.dumps(work), memory, patience
        connect: Any = distributed.Client
        try:
            self.client: Any = connect(address, timeout=CONNECT, set_as_default=False, name="foregone-run")
        except (OSError, ValueError) as error:
            why = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise InputError(f"--scheduler {address}: no Dask scheduler answers there ({why}); check the address") from None
        self.ready: SimpleQueue[Any] = SimpleQueue()
        self.jobs: dict[str, J] = {}
        self.number = 0
        self.looked, self.threads, self.note = -LOOK, 0, "waiting for workers"

    @property
    def room(self) -> int:
        if monotonic() - self.looked >= LOOK:
            self._check()
            with suppress(OSError):
                self.threads = sum(self.client.nthreads().values())
                self.note = "" if self.threads else "waiting for workers"
            self.looked = monotonic()
        return AHEAD * max(1, self.threads) - len(self.jobs)

    def submit(self, job: J) -> None:
        self.number += 1
        key = f"foregone-{self.client.id}-{self.number}"
        self.jobs[key] = job
        future = self.client.submit(_task, self.setting, job, __version__, key=key, pure=False)
        future.add_done_callback(self.ready.put)

    def next(self, timeout: float | None = None) -> Finished[J, R] | Lost[J] | None:
        try:
            future = self.ready.get(timeout=timeout)
        except Empty:
            self._check()
            return None
        job = self.jobs.pop(future.key)
        try:
            if future.status in ("finished", "error"):
                outcome = future.result()
                return replace(outcome, job=job) if isinstance(outcome, Lost) else Finished(job, outcome)
        except Exception as error:
            if not isinstance(error, OSError | CancelledError):
                return self._lost(job, error)
        finally:
            future.release()
        # the result was lost with the worker that held it, unless the scheduler is gone with everything
        self._check()
        self.submit(job)
        return None

    def close(self) -> None:
        with suppress(Exception):  # there may be nobody left to say goodbye to
            self.client.close(timeout=2)

    def _lost(self, job: J, error: Exception) -> Lost[J]:
        from distributed import KilledWorker

        if isinstance(error, KilledWorker):
            return Lost(job, f"{error.allowed_failures + 1} workers of the cluster died")
        if isinstance(error, ModuleNotFoundError) or "deserialization" in str(error):
            line = str(error).splitlines()[0]
            raise StoppedError(f"--scheduler {self.address}: a worker cannot work ({line}); install Foregone there") from None
        raise error

    def _check(self) -> None:
        """Dask tries to connect again and again; the run does not wait for that, as it can be continued at any time."""
        if self.client.status != "running":
            raise StoppedError(f"--scheduler {self.address}: the scheduler no longer answers; start a cluster and give its address")


def _silence() -> None:
    """What is wrong with the cluster is said once, by the run itself, and not in tracebacks."""
    for name in list(logging.root.manager.loggerDict):
        if name.partition(".")[0] == "distributed":
            logging.getLogger(name).setLevel(logging.CRITICAL)


_here = threading.local()  # on a worker: the process in which a thread does its jobs, and what it was started for


def _task(setting: tuple[bytes, int | None, float | None], job: Any, version: str) -> Any:
    """Runs on a worker of the cluster; the result, or a Lost without the job, which need not be sent back."""
    if version != __version__:
        raise StoppedError(f"a worker has Foregone {__version__} and this is {version}; install the same version there")
    if getattr(_here, "setting", None) != setting:
        if getattr(_here, "pool", None) is not None:
            _here.pool.close()
        work, memory, patience = setting
        _here.setting, _here.pool = setting, LocalPool(pickle.loads(work), 1, memory, patience)
    _here.pool.submit(job)
    outcome = _here.pool.next()
    return replace(outcome, job=None) if isinstance(outcome, Lost) else outcome.result
