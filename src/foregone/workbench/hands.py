"""A process that works for the workbench: it is asked, tells how far it is, can be stopped, and may die without any harm.

Jobs wait for each other. A job is stopped by the signal that Ctrl-C sends, so that what was found until then is kept; a process
that does not listen is ended, and another one begins from what lies in the folder.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from queue import SimpleQueue
from time import monotonic
from typing import Any

from foregone.workers.pool import WorkerProcess

PATIENCE = 60.0  # seconds until a process that was told to stop is ended: it may have to write what it found


@dataclass
class Job:
    """Something asked of a process. `said` is how far it is; in the end `html` or `problems` is there."""

    key: tuple[Any, ...]
    task: str
    asked: dict[str, Any]
    said: str = ""
    share: float | None = None
    html: str | None = None
    problems: tuple[str, ...] = ()
    status: int = 200
    stopped: bool = False
    seen: bool = False  # somebody was told that it was stopped
    begun: float = field(default_factory=monotonic)
    done: threading.Event = field(default_factory=threading.Event)

    @property
    def seconds(self) -> float:
        return monotonic() - self.begun


@dataclass(frozen=True, slots=True)
class HowFar:
    """How far a job is."""

    said: str
    share: float | None = None


@dataclass(frozen=True, slots=True)
class Answered:
    """What a job made, or the sentences that say why it could not."""

    html: str = ""
    problems: tuple[str, ...] = ()


Begin = Callable[[str], Any]
"""Makes, inside the process, what does the jobs: called with the folder, and then with task, what was asked, and a listener."""


class Hand:
    """One process and the jobs that wait for it."""

    def __init__(self, root: Path, begin: Begin, ready: bool = True) -> None:
        """`ready`: the process begins at once, so that the first answer does not wait for it."""
        self.root, self.begin = root, begin
        self.jobs: dict[tuple[Any, ...], Job] = {}
        self.current: Job | None = None
        self._waiting: SimpleQueue[Job | None] = SimpleQueue()
        self._lock = threading.Lock()
        self._process: WorkerProcess | None = self._new() if ready else None
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _new(self) -> WorkerProcess:
        return WorkerProcess(partial(_life, str(self.root), self.begin))

    def ask(self, key: tuple[Any, ...], task: str, **asked: Any) -> Job:
        """The job of this key, which may be under way or done already."""
        with self._lock:
            known = self.jobs.get(key)
            if known is not None and not (known.done.is_set() and known.problems):
                return known
            if (
                known is not None and known.stopped and not known.seen
            ):  # it does not begin again because the page looks what came of it
                known.seen = True
                return known
            job = Job(key, task, asked)
            self.jobs = {k: j for k, j in self.jobs.items() if k[0] != key[0] or not j.done.is_set()} | {key: job}
            self._waiting.put(job)
            return job

    def stop(self) -> None:
        """Stop what is under way; what it has found is kept."""
        job, process = self.current, self._process
        if job is None or process is None:
            return
        job.stopped = True
        with suppress(ProcessLookupError):
            os.kill(process.process.pid, signal.SIGINT)
        patience = threading.Timer(PATIENCE, self._end, (job, process))
        patience.daemon = True
        patience.start()

    def close(self) -> None:
        self._waiting.put(None)
        if self._process is not None:
            self._process.kill()

    @property
    def pid(self) -> int | None:
        """The process that works, if there is one."""
        return None if self._process is None else self._process.process.pid

    def _end(self, job: Job, process: WorkerProcess) -> None:
        if not job.done.is_set() and self.current is job:
            process.process.kill()  # the end of its pipe is found by the thread that waits

    def _run(self) -> None:
        while (job := self._waiting.get()) is not None:
            self.current = job
            try:
                self._do(job)
            finally:
                self.current = None
                job.done.set()

    def _do(self, job: Job) -> None:
        process = self._process or self._new()
        self._process = process
        process.send((job.task, job.asked))
        while True:
            try:
                told = process.pipe.recv()
            except (EOFError, OSError):
                self._process = None
                why = process.kill(patient=True)
                job.problems = (
                    ("It was stopped before anything was found; nothing is lost.",)
                    if job.stopped
                    else (f"The process that works ended ({why}), perhaps for lack of memory; nothing is lost. Try again.",)
                )
                job.status = 503
                return
            if isinstance(told, HowFar):
                job.said, job.share = told.said, told.share
                continue
            job.html, job.problems = told.html, told.problems
            job.status = 422 if told.problems else 200
            return


def _life(root: str, begin: Begin, pipe: Connection) -> None:
    """What the process does, until the pipe ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # only a job listens
    os.chdir(root)
    desk = begin(root)
    while True:
        try:
            task, asked = pipe.recv()
        except (EOFError, OSError):
            return
        signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            answer = desk(task, asked, lambda said, share=None: pipe.send(HowFar(said, share)))
        except KeyboardInterrupt:
            answer = Answered(problems=("It was stopped before anything was found; nothing is lost.",))
        finally:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
        pipe.send(answer)
