"""Buckets that no witness fills: show that they are empty, or find a witness that fills some of them.

Bounds come first, for many buckets at once where that is enough and then bucket by bucket: every bucket that is gone makes the next
bounds tighter. What bounds leave open goes to the integer solver for a witness, and to a search for a proof.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from foregone.engine.bounds.apart import ApartProver
from foregone.engine.bounds.prover import Prover
from foregone.engine.bounds.shaving import shave
from foregone.engine.bounds.trees import AtMost, Exceeds, Form, Lemma, TreeLeaf
from foregone.engine.claims.walks import walk
from foregone.engine.system.witness import Witness
from foregone.solvers.answer import Undecided
from foregone.solvers.arrays import Bools, Ints

AT_ONCE = True  # ask about all doubtful buckets at once before asking about each
AFTER = 2  # steps from each witness that a solver found
MANY = 20_000  # doubtful buckets, of which bounds are not asked all at once, nor one by one
NODES = 60  # of a tree about all buckets that are left, before each gets a tree of its own


def bury(prover: Prover, doubt: Bools, doubts: Iterable[Ints] = ()) -> str:
    """Settle doubtful buckets, or find a witness that fills some; why it stopped before either, if it did.

    Where there are very many of them, they are settled by `doubts`, sets of them that each would refute a claim.
    """
    known, pool = prover.known, prover.pool
    before = len(pool)
    if not known.doubtful(doubt).any():
        return ""
    if prover.apart is not None:
        return _by_parts(prover.apart, known.doubtful(doubt))
    if int(known.doubtful(doubt).sum()) > MANY:
        _by_sets(prover, doubts)
        if len(pool) > before or not known.doubtful(doubt).any():
            return ""
    if AT_ONCE:
        everything = known.doubtful(doubt).astype(np.int64)
        leaf, answer = known.settle(everything, 0)
        if leaf is not None:
            known.bury(leaf)
            return ""
        if _new(prover, prover.nearby(everything, 0, answer)):
            return ""
    shave(known, doubt)
    if len(pool) == before and prover.reaching is not None:
        _by_sets(prover, doubts)  # a program about all of them at once takes long where tables are dense
    if len(pool) > before:
        return ""
    return _search(prover, doubt)


def _by_parts(apart: ApartProver, doubt: Bools) -> str:
    """Empty the doubtful buckets of each independent part by itself; why not all were decided, if not."""
    found = ""
    for i in apart.touched(doubt):
        found = bury(apart.prover(i), doubt[apart.parts[i].buckets]) or found
    apart.gather()
    return found


def _by_sets(prover: Prover, doubts: Iterable[Ints]) -> None:
    """Empty one set of doubtful buckets after another, or find datasets that fill them; the largest sets come first."""
    known = prover.known
    for buckets in sorted({buckets.tobytes(): buckets for buckets in doubts}.values(), key=len, reverse=True):
        asked = prover.system.count_in(buckets)
        if prover.deadline.passed() or prover.pool.occupied[buckets].any() or known.empty[buckets].all():
            continue
        leaf, answer = known.settle(asked, 0)
        if leaf is not None:
            known.bury(leaf)
        else:
            _new(prover, prover.nearby(asked, 0, answer))


def _search(prover: Prover, doubt: Bools) -> str:
    """What bounds leave open: a tree about all buckets at once if it stays small, else one about each."""
    known, before = prover.known, len(prover.pool)
    left = known.doubtful(doubt)
    if not left.any():
        return ""
    prover.ruled_out = False
    leaf, answer = known.settle(left.astype(np.int64), 0)
    if leaf is None and _new(prover, prover.exceeding(left.astype(np.int64), 0, answer)):
        return ""
    hopeless = prover.ruled_out
    match prover.searched(left.astype(np.int64), 0, NODES):
        case AtMost(proof=proof):
            known.learn(Lemma(Form.count(np.flatnonzero(left)), 0, proof))
            return ""
        case Exceeds(witness=witness):
            walk(prover, witness, AFTER)
            return ""
    for bucket in np.flatnonzero(left).tolist():
        if known.empty[bucket]:
            continue
        match prover.at_most(prover.system.count_in(bucket), 0, expected=hopeless):
            case AtMost(proof=TreeLeaf() as leaf):
                known.bury(leaf)
            case AtMost(proof=proof):
                known.learn(Lemma(Form.count(np.array([bucket])), 0, proof))
            case Exceeds(witness=witness):
                walk(prover, witness, AFTER)
            case Undecided(reason=reason):
                return reason
        if len(prover.pool) > before:
            break
    return ""


def _new(prover: Prover, witness: Witness | None) -> bool:
    if witness is not None:
        walk(prover, witness, AFTER)
    return witness is not None
