"""Bounds alone, for one bucket after another: every bucket that is shown to be empty makes the next bounds tighter."""

from __future__ import annotations

import numpy as np

from foregone.engine.bounds.knowledge import SystemKnowledge
from foregone.solvers.answer import Answer, Feasible, Undecided
from foregone.solvers.arrays import Bools, Ints

SLIGHT = 1e-9
FRUITLESS = 40  # single buckets asked in vain, one after another, before the rest is left to others


def shave(known: SystemKnowledge, doubt: Bools) -> None:
    """Bury what bounds show to be empty among doubtful buckets; it ends early when a new witness turns up.

    Sets of buckets that no relaxed point fills come first, then each bucket that none gives a whole record. Buckets that go
    make others go, so this is repeated until nothing changes.
    """
    before = len(known.pool)
    while True:
        gone = len(known.lemmas)
        group = known.doubtful(doubt) & ~known.reached()
        while group.any():
            leaf, answer = known.settle(group.astype(np.int64), 0)
            if leaf is not None:
                known.bury(leaf)
                break
            filled = _filled(answer)
            if _stop(known, answer, before) or not group[filled].any():
                break
            group[filled] = False
        fruitless = 0
        for bucket in np.flatnonzero(known.doubtful(doubt) & ~known.reached()).tolist():
            if fruitless == FRUITLESS:
                break
            if known.deadline.passed() or len(known.pool) > before:
                return
            if known.empty[bucket] or known.reached()[bucket]:
                continue
            leaf, answer = known.settle(known.system.count_in(bucket), 0)
            fruitless = 0 if leaf is not None else fruitless + 1
            if leaf is not None:
                known.bury(leaf)
            elif _stop(known, answer, before):
                return
        if len(known.lemmas) == gone or known.deadline.passed():
            return


def _filled(answer: Answer) -> Ints:
    """The buckets that a relaxed point fills, if only in part."""
    return answer.buckets[answer.counts > SLIGHT] if isinstance(answer, Feasible) else np.zeros(0, dtype=np.int64)


def _stop(known: SystemKnowledge, answer: Answer, before: int) -> bool:
    """There is no answer, or the relaxed point is a new witness."""
    known.take(answer)
    return isinstance(answer, Undecided) or len(known.pool) > before
