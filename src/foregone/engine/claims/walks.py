"""New witnesses from known ones: random walks, and moves that break a claim or fill a doubtful bucket. No solver is asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from foregone.engine.bounds.prover import WISHES, Prover
from foregone.engine.system.witness import Witness
from foregone.engine.witnesses.mending import Changes, Wanted
from foregone.engine.witnesses.redrawing import SHARES
from foregone.solvers.arrays import Bools, Ints

FAN = 4  # witnesses made at each stop of a walk: looking for moves costs more than making some of them
TRIED = 1000  # changes of records tried for one more dataset, where ranges leave room
DIRECTED = (200, 1000)  # and for one with another count of a set, starting from one that has not, in the first try and the second
IN_VAIN = 16  # sets tried in vain, one after another, before all of them are left to bounds
SCATTERED = 4  # datasets made out of nothing at the beginning
BOTH = (-1, 1)  # ways that a count may go, where nothing else is known
DOUBTED = 3  # weight of a record in a doubtful bucket, against one in a set
HUNTED = 2  # witnesses searched for useful moves in one round


def hunt(prover: Prover, doubt: Bools, sets: list[Ints], doubts: list[Ints]) -> None:
    """Look for moves that fill a doubtful bucket or change the count of one of the sets: they cost no solver.

    `doubts` are sets of doubtful buckets, each of which would refute a claim.
    """
    if not sets and not doubt.any():
        return
    pool, mover, system = prover.pool, prover.mover, prover.system
    before = len(pool)
    member = np.zeros((system.buckets + 1, len(sets) + 1), dtype=np.int8)  # the last row is that of no bucket
    for column, buckets in enumerate(sets):
        member[buckets, column] = 1
    member[:-1, -1] = doubt  # no record of a witness lies there, so a change of this count fills one
    for at in range(max(0, len(pool) - HUNTED), len(pool)):
        if prover.deadline.passed():
            return
        witness = pool.witnesses[at]
        if prover.room:
            changes = Changes(mover, witness, prover.room, prover.rng)
            pool.add_each(_telling(member[changes.old] != member[changes.new], changes.made))
        swaps = mover.swaps(witness)
        old = member[swaps.buckets[swaps.first]] + member[swaps.buckets[swaps.second]]
        changed = old != member[swaps.new_first] + member[swaps.new_second]
        pool.add_each(_telling(changed, partial(mover.step, witness, swaps)))
    for _ in DIRECTED:  # a longer try costs less than one bound where very many records are possible
        if prover.room and len(pool) == before:
            _mend(prover, sets)
            _fill(prover, doubts)
    if len(pool) == before and prover.integer_solves:  # until relaxed bounds have left a question open, they cost less
        _redraw(prover, doubt, sets, doubts)


def _redraw(prover: Prover, doubt: Bools, sets: list[Ints], doubts: list[Ints]) -> None:
    """Draw some records anew, for more or fewer in the sets, at random, and for some in doubtful buckets."""
    before = len(prover.pool)
    if _direct(prover, sets, doubts):
        return
    for _ in range(prover.wishes):
        objective = prover.known.doubtful(doubt).astype(float)
        for buckets in sets:
            objective[buckets] += prover.rng.normal()
        for _ in prover.redraw(objective, len(SHARES)):
            pass
    prover.wishes = WISHES if len(prover.pool) > before else 1


def _direct(prover: Prover, sets: list[Ints], doubts: list[Ints]) -> bool:
    """A dataset with more or fewer records in each of the sets, at random, and some in doubtful buckets: it changes many counts.

    The more directions were in vain, the fewer sets the next one is about.
    """
    reaching, rng = prover.reaching, prover.rng
    settled = prover.pool.occupied | prover.known.empty
    left = [buckets[~settled[buckets]] for buckets in doubts]
    doubts = list({buckets.tobytes(): buckets for buckets in left if len(buckets)}.values())  # many claims, few doubts
    goals = len(sets) + len(doubts)
    while reaching is not None and goals and reaching.willing() and not prover.deadline.passed():
        chosen = rng.permutation(goals)[: max(1, goals >> reaching.in_vain)].tolist()
        objective = np.zeros(prover.system.buckets, dtype=np.int64)
        for goal in chosen:
            if goal >= len(sets):
                objective[doubts[goal - len(sets)]] = DOUBTED
        for goal in chosen:
            if goal < len(sets):
                objective[sets[goal]] += int(rng.choice(reaching.ways.get(sets[goal].tobytes(), BOTH)))
        if reaching.far(objective) is not None:
            return True
    return False


def scatter(prover: Prover) -> None:
    """Where ranges leave room: datasets made out of nothing, which have little in common."""
    for _ in range(SCATTERED if prover.room else 0):
        made = prover.mend(TRIED)
        if made is None:
            return
        prover.stir(made, 1)


def _mend(prover: Prover, sets: list[Ints]) -> None:
    """Where ranges leave room: for each of the sets a dataset with another count, from one that has the count they all have.

    A set that was tried in vain is tried once more, for longer, the next time. Too many in vain leave all of it to bounds.
    """
    pool, tried = prover.pool, prover.tried
    before = len(pool)
    for buckets in sets:
        if prover.in_vain == IN_VAIN or prover.deadline.passed():
            break
        wanted, key = prover.system.count_in(buckets).astype(bool), buckets.tobytes()
        counts = pool.counts(wanted)
        if min(counts) < max(counts) or tried.get(key, 0) == len(DIRECTED):
            continue
        steps = DIRECTED[tried.get(key, 0)]
        others = Wanted(wanted, least=counts[0] + 1), Wanted(wanted, most=counts[0] - 1)
        if any(prover.mend(steps, other, pool.witnesses[-1]) is not None for other in others):
            prover.in_vain = 0
        else:
            prover.in_vain += 1
            tried[key] = tried.get(key, 0) + 1
    for witness in pool.witnesses[before:]:
        prover.stir(witness, 1)


def _fill(prover: Prover, doubts: list[Ints]) -> None:
    """Where ranges leave room: for each set of doubtful buckets a dataset that fills one of them.

    Where very many records are possible this costs far less than a linear program over all of them.
    """
    pool, known, tried = prover.pool, prover.known, prover.tried
    before = len(pool)
    for buckets in doubts:
        if prover.in_vain == IN_VAIN or prover.deadline.passed():
            break
        wanted, key = np.zeros(prover.system.buckets, dtype=bool), b"doubt" + buckets.tobytes()
        wanted[buckets] = True
        if not wanted.any() or known.doubtful(wanted).sum() < len(buckets) or tried.get(key, 0) == len(DIRECTED):
            continue  # a dataset found since fills one of them
        steps = DIRECTED[tried.get(key, 0)]
        if prover.mend(steps, Wanted(wanted, least=1), pool.witnesses[-1]) is not None:
            prover.in_vain = 0
        else:
            prover.in_vain += 1
            tried[key] = tried.get(key, 0) + 1
    for witness in pool.witnesses[before:]:
        prover.stir(witness, 1)


def _telling(changed: Bools, made: Callable[[Ints], Witness]) -> Iterator[Witness]:
    """A dataset with all moves (rows) that change the count of some set (columns), and some with few of them."""
    useful = np.flatnonzero(changed.any(axis=1))
    if len(useful):
        yield made(useful)
    # moves done together may cancel out, so each set also gets one move of its own
    while changed.any():
        best = int(np.argmax(changed.sum(axis=1)))
        yield made(np.array([best]))
        changed[:, changed[best]] = False


def walk(prover: Prover, witness: Witness, steps: int) -> None:
    """Random moves from a witness; each stop is a new witness."""
    prover.stir(witness, FAN * steps)
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
