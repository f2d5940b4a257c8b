"""New witnesses from known ones: random walks, and moves that break a claim or fill a doubtful bucket. No solver is asked."""

from __future__ import annotations

import numpy as np

from foregone.engine.bounds.prover import Prover
from foregone.engine.system.witness import Witness
from foregone.solvers.arrays import Bools, Ints

FAN = 4  # witnesses made at each stop of a walk: looking for moves costs more than making some of them
HUNTED = 2  # witnesses searched for useful moves in one round


def hunt(prover: Prover, doubt: Bools, sets: list[Ints]) -> None:
    """Look for moves that fill a doubtful bucket or change the count of one of the sets: they cost no solver."""
    if not sets and not doubt.any():
        return
    member = np.zeros((prover.system.buckets, len(sets)), dtype=np.int8)
    for column, buckets in enumerate(sets):
        member[buckets, column] = 1
    pool, mover = prover.pool, prover.mover
    for at in range(max(0, len(pool) - HUNTED), len(pool)):
        if prover.deadline.passed():
            return
        witness = pool.witnesses[at]
        swaps = mover.swaps(witness)
        old = member[swaps.buckets[swaps.first]] + member[swaps.buckets[swaps.second]]
        changed = old != member[swaps.new_first] + member[swaps.new_second]
        changed = np.concatenate([changed, (doubt[swaps.new_first] | doubt[swaps.new_second])[:, None]], axis=1)
        useful = np.flatnonzero(changed.any(axis=1))
        if not len(useful):
            continue
        made = [mover.step(witness, swaps, useful)]
        # moves done together may cancel out, so each set also gets one move of its own
        while changed.any():
            best = int(np.argmax(changed.sum(axis=1)))
            made.append(mover.step(witness, swaps, np.array([best])))
            changed[:, changed[best]] = False
        pool.add_each(made)


def walk(prover: Prover, witness: Witness, steps: int) -> None:
    """Random moves from a witness; each stop is a new witness."""
    for _ in range(steps):
        if prover.deadline.passed():
            return
        swaps = prover.mover.swaps(witness)
        changes = prover.mover.replacements(witness)
        if len(swaps):
            made = [prover.mover.step(witness, swaps) for _ in range(FAN)]
            prover.pool.add_each(made)
            witness = made[-1]
        if len(changes):
            gone, new = changes[prover.mover.rng.integers(len(changes))]
            if gone < 0 or gone in witness.buckets:  # the step before may have moved the record
                changed = witness.moved(np.array([gone] if gone >= 0 else [], int), np.array([new] if new >= 0 else [], int))
                if prover.pool.add(changed):
                    witness = changed
        if not len(swaps) and not len(changes):
            return
