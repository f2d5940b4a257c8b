"""How far a slow command is, on stderr: a bar that moves where a person is looking, now and then a line in a log.

A command that takes less than two seconds says nothing, and neither does any with FOREGONE_PROGRESS=none.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from time import monotonic

import typer

from foregone.batch.time_left import TimeLeft, duration, time_left
from foregone.model.progress import Progress
from foregone.model.shown import plain

PATIENCE = 2.0  # seconds before anything is said
SWITCH = "FOREGONE_PROGRESS"

Text = Callable[[float | None], str]
"""What to say, given the seconds that are left, where they can be told."""


@dataclass(frozen=True, slots=True)
class Rhythm:
    """When to speak: after `soonest` seconds of work, then no more often than every `least` seconds; by then only if another
    stage has begun or the share of work done has grown by `step`, or if `most` seconds have passed.
    """

    soonest: float
    least: float
    step: float
    most: float


LOG = Rhythm(PATIENCE, 2.0, 0.1, 30.0)
SCREEN = Rhythm(0.2, 0.2, 0.0, 0.2)


class Speaker:
    """Says how far work is, in its rhythm. It may be asked by several threads."""

    def __init__(
        self, say: Callable[[str], None], rhythm: Rhythm, title: str = "Working", clock: Callable[[], float] = monotonic
    ) -> None:
        self.say, self.rhythm, self.title, self.clock = say, rhythm, title, clock
        self.begun, self.lock = clock(), threading.Lock()
        self.stage, self.share = "", 0.0
        self.text: Text = lambda _: f"{self.title}: {self.so_far}"
        self.left = TimeLeft(clock)
        self.last: tuple[float, str, float] | None = None  # when something was said, about which stage and share

    def at(self, stage: str, share: float | None, text: Text) -> None:
        """The work is here; `share` of this stage is done, if that is known."""
        with self.lock:
            if stage != self.stage:
                self.stage, self.left = stage, TimeLeft(self.clock)
            self.share, self.text = share or 0.0, text
            if share is not None:
                self.left.tell(share)
            self._speak()

    def tick(self) -> None:
        """Time has passed."""
        with self.lock:
            if self.left.marks:
                self.left.tell(self.share)
            self._speak()

    @property
    def so_far(self) -> str:
        return f"{duration(self.clock() - self.begun)} so far"

    def _speak(self) -> None:
        now, rhythm = self.clock(), self.rhythm
        if now - self.begun < rhythm.soonest:
            return
        if self.last is not None:
            when, stage, share = self.last
            further = stage != self.stage or self.share - share >= rhythm.step
            if now - when < (rhythm.least if further else rhythm.most):
                return
        self.last = now, self.stage, self.share
        self.say(self.text(self.left.seconds))


def looking() -> bool:
    """Whether a person sees what moves on stderr."""
    return sys.stderr.isatty() and not _unwanted()


def _unwanted() -> bool:
    return os.environ.get(SWITCH) == "none"


@contextmanager
def ticking(speaker: Speaker) -> Iterator[Speaker]:
    """The speaker is told every second that time has passed: not all work calls back while it is busy."""
    done = threading.Event()

    def tick() -> None:
        while not done.wait(1.0):
            speaker.tick()

    thread = threading.Thread(target=tick, daemon=True)
    thread.start()
    try:
        yield speaker
    finally:
        done.set()
        thread.join()


@contextmanager
def told(title: str) -> Iterator[Speaker]:
    """A speaker that is heard on stderr: a line that changes where a person is looking, elsewhere a new one now and then."""
    if not looking():
        say = (lambda _: None) if _unwanted() else (lambda text: typer.echo(plain(text), err=True))
        with ticking(Speaker(say, LOG, title)) as speaker:
            yield speaker
        return
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text as Line

    with Live(console=Console(stderr=True), transient=True, auto_refresh=False) as live:

        def show(text: str) -> None:
            live.update(Line(plain(text), no_wrap=True, overflow="ellipsis"), refresh=True)

        with ticking(Speaker(show, SCREEN, title)) as speaker:
            yield speaker


@contextmanager
def slow(title: str) -> Iterator[Progress]:
    """Tells on stderr how far the work is once it has taken two seconds: a bar for a person, now and then a line in a log."""
    if looking():
        with bar(title) as progress:
            yield progress
        return
    with told(title) as speaker:

        def tell(stage: str, done: int, total: int, share: float | None = None, /) -> None:
            def text(left: float | None) -> str:
                return f"{title}: {_words(stage, done, total, left, speaker.so_far)}"

            speaker.at(stage, _share(done, total, share), text)

        yield tell


@contextmanager
def bar(title: str) -> Iterator[Progress]:
    """A bar that moves and vanishes, once the work has taken two seconds."""
    from rich.console import Console
    from rich.progress import BarColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(24),
        TextColumn("{task.fields[left]}"),
        TimeElapsedColumn(),
    )
    shown = Bar(*columns, console=Console(stderr=True), transient=True)
    task = shown.add_task(title, total=None, left="")
    speaker = Speaker(lambda text: shown.update(task, left=text), SCREEN)

    def progress(stage: str, done: int, total: int, share: float | None = None, /) -> None:
        part = _share(done, total, share)
        described = plain(f"{title}: {stage}{_counted(done, total)}")
        most = 0.999  # a bar that is full counts as finished, and stands still while another stage goes on
        shown.update(task, description=described, completed=min(part or 0.0, most), total=None if part is None else 1)
        speaker.at(stage, part, lambda left: "" if left is None else time_left(left))

    timer = threading.Timer(PATIENCE, shown.start)
    timer.daemon = True
    timer.start()
    try:
        with ticking(speaker):
            yield progress
    finally:
        timer.cancel()
        shown.stop()


def _share(done: int, total: int, share: float | None) -> float | None:
    return share if share is not None else done / total if total else None


def _counted(done: int, total: int) -> str:
    """As people count; nobody counts the bytes of a file."""
    return f" {done:,} of {total:,}" if 0 < total < 1_000_000 else ""


def _words(stage: str, done: int, total: int, left: float | None, so_far: str) -> str:
    """
    >>> _words("blocks", 50, 500, 61.0, ""), _words("writing", 0, 0, None, "12 s so far")
    ('blocks 50 of 500 (10 %), about 2 min left', 'writing, 12 s so far')
    """
    percent = f" ({100 * done // total} %)" if total else ""
    when = so_far if not total else "" if left is None else time_left(left)
    return f"{stage}{_counted(done, total)}{percent}" + (f", {when}" if when else "")
