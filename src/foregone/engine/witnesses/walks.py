"""New witnesses from known ones: random walks, and moves that break a claim or fill a doubtful cell. No solver is asked."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from foregone.engine.bounds.prover import Prover

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

FAN = 4  # witnesses made at each stop of a walk: looking for moves costs more than making some of them
HUNTED = 2  # witnesses searched for useful moves in one round


def hunt(prover: Prover, doubt: Bools, sets: list[Ints]) -> None:
    """Look for moves that fill a doubtful cell or change the count of one of the sets: they cost no solver."""
    if not sets and not doubt.any():
        return
    member = np.zeros((prover.system.cells, len(sets)), dtype=np.int8)
    for column, cells in enumerate(sets):
        member[cells, column] = 1
    pool, mover = prover.pool, prover.mover
    for at in range(max(0, len(pool) - HUNTED), len(pool)):
        if prover.deadline.passed():
            return
        cells = pool.witnesses[at]
        swaps = mover.swaps(cells)
        old = member[cells[swaps.first]] + member[cells[swaps.second]]
        changed = old != member[swaps.new_first] + member[swaps.new_second]
        changed = np.concatenate([changed, (doubt[swaps.new_first] | doubt[swaps.new_second])[:, None]], axis=1)
        useful = np.flatnonzero(changed.any(axis=1))
        if not len(useful):
            continue
        made = [mover.step(cells, swaps, useful)]
        # moves done together may cancel out, so each set also gets one move of its own
        while changed.any():
            best = int(np.argmax(changed.sum(axis=1)))
            made.append(mover.step(cells, swaps, np.array([best])))
            changed[:, changed[best]] = False
        pool.add_each(made)


def walk(prover: Prover, cells: Ints, steps: int) -> None:
    """Random moves from a witness; each stop is a new witness."""
    for _ in range(steps):
        if prover.deadline.passed():
            return
        swaps = prover.mover.swaps(cells)
        changes = prover.mover.replacements(cells)
        if len(swaps):
            made = [np.sort(prover.mover.step(cells, swaps)) for _ in range(FAN)]
            prover.pool.add_each(made)
            cells = made[-1]
        if len(changes):
            old, new = changes[prover.mover.rng.integers(len(changes))]
            kept = np.delete(cells, old) if old >= 0 else cells
            cells = np.append(kept, new) if new >= 0 else kept
            prover.pool.add(cells)
        if not len(swaps) and not len(changes):
            return
