"""Bounds that one relaxation gives, made exact. They hold whether or not some dataset is known, and whether or not one exists."""

from __future__ import annotations

from math import floor

from foregone.engine.bounds.certify import certify
from foregone.engine.bounds.prover import Prover
from foregone.engine.witnesses.rounding import rounded, whole
from foregone.solvers.answer import Feasible
from foregone.solvers.arrays import Ints

NEARLY = 1e-6  # a relaxed value so little below a whole number is tried as that number


def outer(prover: Prover, objective: Ints) -> int | None:
    """A number that the objective exceeds in no dataset that fits, proved exactly; None when none was found.

    A relaxed point that is whole is a dataset, and is kept. Of independent parts each has a limit of its own, and these add up.
    """
    if prover.apart is not None:
        found = [outer(prover.apart.prover(i), objective[prover.apart.parts[i].buckets]) for i in prover.apart.touched(objective)]
        return None if None in found else sum(limit or 0 for limit in found)
    answer = prover.relaxation.maximise(objective.astype(float), deadline=prover.deadline)
    if not isinstance(answer, Feasible):
        return None
    if whole(answer):
        prover.pool.add(rounded(answer))
    target = floor(answer.value + NEARLY)
    certificate = certify(prover.system, objective, answer.multipliers[: prover.system.rows], target)
    return None if certificate is None else certificate.limit
