"""When work will be done: an estimate that waits until it knows something, and does not jump about."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from math import ceil, exp
from time import monotonic

SOONEST = 5.0  # seconds before the first estimate
STEPS = 5  # pieces that were done by then, at least: the first ones are no sample, and many workers finish theirs together
SHARE, MANY = 0.05, 50  # and so large a share of the work, or so many pieces
FEW = 20  # pieces; half of fewer is no sample
PAUSE = 0.1  # seconds between two estimates; some work reports thousands of times a second
MARKS = 400  # remembered; of more, every other is forgotten


class TimeLeft:
    """Told now and then what share of the work is done, it says how many seconds the rest will take.

    The speed is that of the later half of the time so far: a slow start is forgotten, and one odd piece changes little. The end
    that this foretells is followed slowly. While nothing gets done the rest takes at least as long as the wait so far, so an
    estimate never stands at zero before the work is done.
    """

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self.clock = clock
        self.marks: deque[tuple[float, float]] = deque()  # time, share
        self.steps = 0
        self.end: float | None = None
        self.told = 0.0

    def tell(self, share: float) -> None:
        now = self.clock()
        if not self.marks:
            self.begun = self.told = now
            self.marks.append((now, share))
            return
        if share > self.marks[-1][1]:
            self.steps += 1
            self.marks.append((now, share))
            if len(self.marks) > MARKS:
                self.marks = deque([mark for i, mark in enumerate(self.marks) if i % 2 == 0 or i == len(self.marks) - 1])
        if self.end is not None and now - self.told < PAUSE:
            return
        first, last = self.marks[0], self.marks[-1]
        elapsed = now - self.begun
        if elapsed < SOONEST or self.steps < STEPS or (last[1] - first[1] < SHARE and self.steps < MANY):
            return
        half = self.begun + (elapsed / 2 if self.steps >= FEW else 0.0)
        before = max((mark for mark in self.marks if mark[0] <= half), default=first)
        if before == last:  # nothing was done in the later half
            before = self.marks[-2]
        end = now + (1 - last[1]) * (now - before[0]) / (last[1] - before[1])
        if self.end is None:
            self.end = end
        else:
            follow = 1 - exp(-(now - self.told) / max(SOONEST, elapsed / 10))
            self.end += follow * (end - self.end)
        self.told = now

    @property
    def seconds(self) -> float | None:
        """None while too little is known, and when all is done."""
        if self.end is None or self.marks[-1][1] >= 1:
            return None
        now = self.clock()
        return max(self.end - now, now - self.marks[-1][0], 0.0)


def time_left(seconds: float) -> str:
    """No more precise than an estimate is, and rather too long than too short.

    >>> [time_left(s) for s in (0, 12, 58, 61, 700, 4000)]
    ['a few seconds left', 'about 20 s left', 'about 1 min left', 'about 2 min left', 'about 12 min left', 'about 1 h 10 min left']
    >>> [time_left(s) for s in (50_000, 300_000)]
    ['about 14 h left', 'about 4 days left']
    """
    return "a few seconds left" if seconds < 10 else f"about {_roughly(seconds)} left"


def _roughly(seconds: float) -> str:
    if seconds <= 50:
        return f"{10 * ceil(seconds / 10)} s"
    minutes = ceil(seconds / 60)
    if minutes < 60:
        return f"{minutes} min"
    if minutes < 600:
        tens = 10 * ceil(minutes / 10)
        return f"{tens // 60} h" + (f" {tens % 60} min" if tens % 60 else "")
    hours = ceil(minutes / 60)
    return f"{hours} h" if hours < 48 else f"{ceil(hours / 24)} days"


def duration(seconds: float) -> str:
    """A time that was measured.

    >>> duration(8), duration(95), duration(7384)
    ('8 s', '1 min 35 s', '2 h 03 min')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600:,} h {whole % 3600 // 60:02d} min"
