"""How many records are singled out at least, whichever of the datasets that fit is the true one; and what adds up."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from foregone.engine.bounds.prover import Prover
from foregone.engine.bounds.trees import AtMost, Exceeds, Lemma
from foregone.engine.system.linear import LinearSystem
from foregone.engine.system.witness import Witness
from foregone.solvers.arrays import Bools, Ints
from foregone.solvers.deadline import Deadline

MOST_WORK = 100_000_000  # buckets looked at while telling facts apart
SECONDS = 20.0  # for closing the gap between the two sides
MOST_TRIES = 1_000  # while looking for facts that another one is the sum of


def fewest_in(system: LinearSystem, sets: Sequence[Ints], witnesses: Sequence[Witness], lemmas: Sequence[Lemma]) -> tuple[int, int]:
    """The least number of records in the union of sets of buckets, each of which holds exactly one record in every dataset.

    From above: what a known dataset has. From below: sets that share no bucket hold different records. Where the two differ
    the prover is asked, as about any other count; a limit leaves both sides as they are.
    """
    low, high, union = without_proof(system, sets, witnesses)
    if low == high:
        return low, high
    prover = Prover(system, Deadline().sooner(SECONDS))
    prover.pool.add_each(witnesses)
    for lemma in lemmas:
        prover.known.learn(lemma)
    objective = -union.astype(np.int64)
    while low < high:
        match prover.at_most(objective, -high):
            case AtMost():
                return high, high
            case Exceeds(witness=witness):
                high = witness.value(union)
            case _:
                break
    return low, high


def without_proof(system: LinearSystem, sets: Sequence[Ints], witnesses: Sequence[Witness]) -> tuple[int, int, Bools]:
    """Both sides as far as known datasets and sets that share no bucket tell, and the union of the sets."""
    union = np.zeros(system.buckets, dtype=bool)
    for buckets in sets:
        union[buckets] = True
    if not sets:
        return 0, 0, union
    return _apart(system.buckets, sets), min(witness.value(union) for witness in witnesses), union


def _apart(buckets: int, sets: Sequence[Ints]) -> int:
    """So many of the sets share no bucket with each other: looked for from several of them in turn, smallest first."""
    ordered = sorted(sets, key=len)  # those that leave few possibilities are the least in each other's way
    best = 0
    for first in ordered[: max(1, MOST_WORK // max(1, len(ordered) * buckets))]:
        taken = np.zeros(buckets, dtype=bool)
        taken[first] = True
        chosen = 1
        for other in ordered:
            if not taken[other].any():
                taken[other] = True
                chosen += 1
        best = max(best, chosen)
    return best


def adds_up(whole: frozenset[int], parts: Sequence[frozenset[int]]) -> bool:
    """Is a set of buckets the sum of some others, which share none? Some sums may go unnoticed where there are many parts."""
    inside = sorted((part for part in parts if part < whole), key=len, reverse=True)
    holding: dict[int, list[frozenset[int]]] = {}
    for part in inside:
        for bucket in part:
            holding.setdefault(bucket, []).append(part)
    tries = 0

    def covered(rest: frozenset[int]) -> bool:
        nonlocal tries
        if not rest:
            return True
        tries += 1
        bucket = min(rest, key=lambda bucket: len(holding.get(bucket, ())))
        return tries <= MOST_TRIES and any(part <= rest and covered(rest - part) for part in holding.get(bucket, ()))

    return covered(whole)
