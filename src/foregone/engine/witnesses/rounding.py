"""From a relaxed point to a whole one: fix what is whole, drop what is used up, solve the smaller rest, repeat."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from foregone.engine.system.linear import LinearSystem
from foregone.engine.system.witness import Witness
from foregone.solvers.answer import NO_LIMIT, Answer, Feasible
from foregone.solvers.arrays import Floats, Ints
from foregone.solvers.deadline import Deadline
from foregone.solvers.lp import Relaxation

SMALL = 250  # a rest with at most this many buckets goes to the integer solver
NEARLY = 1e-6
ROUNDS = 2  # of rounding up, for each row
CLOSE = 1e-11  # the same relative to a large count


def whole(answer: Feasible) -> bool:
    return bool((np.abs(answer.counts - np.rint(answer.counts)) < NEARLY + CLOSE * np.abs(answer.counts)).all())


def rounded(answer: Feasible) -> Witness:
    """The nearest whole point; whoever uses it re-tabulates it."""
    return Witness.of_counts(answer.buckets, np.rint(answer.counts).astype(np.int64))


def plunge(relaxation: Relaxation, answer: Feasible, objective: Floats, deadline: Deadline) -> Witness | None:
    """A dataset near a relaxed point, in a system small enough to keep warm: hold what is fixed, round one count up at a time.

    A corner has at most as many broken counts as there are rows. Where records are without limit, rounding up may go on
    for ever; so it is given up after twice as many rounds.
    """
    held: dict[int, tuple[int, int | None]] = {}
    left = ROUNDS * (relaxation.system.rows + 1)
    while not whole(answer):
        if not left:
            return None
        left -= 1
        below = np.floor(answer.counts + NEARLY)
        held |= {int(bucket): (int(count), None) for bucket, count in zip(answer.buckets, below, strict=True) if count > 0}
        most = int(np.argmax(answer.counts - below))
        held[int(answer.buckets[most])] = (int(below[most]) + 1, None)
        following = relaxation.maximise(objective, held, deadline)
        if not isinstance(following, Feasible):
            return None
        answer = following
    return rounded(answer)


def dive(
    system: LinearSystem,
    answer: Feasible,
    objective: Floats,
    solve_integer: Callable[..., Answer],
    rng: np.random.Generator,
    deadline: Deadline,
) -> Witness | None:
    """What may be a consistent dataset (the caller re-tabulates it), or None.

    Every round fixes at least one record, so it ends; a dead end is given up, for another start may do better.
    """
    total = np.zeros(system.buckets, dtype=np.int64)
    names = np.arange(system.buckets)
    rest = system
    while not whole(answer):
        if deadline.passed():
            return None
        counts = np.floor(answer.counts + NEARLY)
        if not counts.any():
            best = np.flatnonzero(answer.counts >= answer.counts.max() - NEARLY)
            counts[rng.choice(best)] = 1.0
        placed = Witness.of_counts(answer.buckets, counts.astype(np.int64))
        total[names[placed.buckets]] += placed.counts
        rest, kept = without(rest, placed)
        names = names[kept]
        if not rest.buckets:
            return Witness.of_counts(np.arange(system.buckets), total)
        wanted = objective[names] if objective.any() else rng.random(rest.buckets)
        if rest.buckets <= SMALL:
            following = solve_integer(rest, wanted, deadline=deadline)
        else:
            following = Relaxation(rest).maximise(wanted, deadline=deadline)
        if not isinstance(following, Feasible):
            return None
        answer = following
    last = rounded(answer)
    total[names[last.buckets]] += last.counts
    return Witness.of_counts(np.arange(system.buckets), total)


def without(system: LinearSystem, placed: Witness, keep: NDArray[np.bool_] | None = None) -> tuple[LinearSystem, Ints]:
    """The system for the records still to be placed, and which buckets it keeps: those wanted that no used-up row touches."""
    used = system.tabulate(placed)
    high = np.where(system.high == NO_LIMIT, NO_LIMIT, system.high - used)
    low = np.where(system.low == -NO_LIMIT, -NO_LIMIT, system.low - used)
    if system.weights is None:
        high, low = np.maximum(high, 0), np.maximum(low, 0)
    left = replace(system, low=low, high=high, clauses=system.clauses.after(placed))
    names = np.arange(system.buckets) if keep is None else np.flatnonzero(keep)
    left = left if keep is None else left.part(keep)
    open_ = left.room() > 0
    return left.part(open_), names[open_]
