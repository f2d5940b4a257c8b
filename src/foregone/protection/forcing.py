"""Do some numbers alone force a breach? Decided by a small system made of these numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from foregone.engine.bounds.prover import AtMost, Prover
from foregone.engine.system.linear import compile_release
from foregone.model.errors import TooLargeError, UndecidedError
from foregone.model.predicate import Predicate
from foregone.model.statement import LARGEST, Statistic
from foregone.protection.attack import Goal, Needed
from foregone.protection.problem import Problem, release_of
from foregone.solvers.answer import Undecided
from foregone.solvers.deadline import Deadline

TEST_SECONDS = 10.0
TEST_RECORDS = 200_000


def forced(problem: Problem, needed: Iterable[Needed], goals: Sequence[Goal], deadline: Deadline) -> bool | None:
    """Do these statements keep every goal in every dataset? None when that could not be decided."""
    parts = list(needed)
    prover = _prover(problem, parts, goals, deadline)
    if prover is None or prover.first_witness() is not True:  # statements of a release that something fits do not clash
        return None
    for predicate, low, high, missing in goals:
        whole, some = prover.system.footprint(predicate)
        questions = [] if high is None else [(some.astype(np.int64), high)]
        for objective, target in (*questions, (-whole.astype(np.int64), -low)):
            answer = prover.at_most(objective, target)
            if not isinstance(answer, AtMost):
                return None if isinstance(answer, Undecided) else False
        for value in missing:
            other = _prover(problem, parts, goals, deadline, Statistic(predicate, value, value))
            found = None if other is None else other.first_witness()
            if found is not False:
                return None if found is None or isinstance(found, Undecided) else False
    return True


def _prover(
    problem: Problem, needed: Iterable[Needed], goals: Sequence[Goal], deadline: Deadline, *more: Statistic
) -> Prover | None:
    """Without the number of records a dataset could grow without end, but it never needs to: thin it out until every record
    is one of those that matter to a goal or is needed for some lower limit.
    """
    release = release_of(problem, [(part.row, part.low, part.high) for part in needed])
    counts = (*release.statistics, *more)
    most = sum(s.low for s in counts) + sum((goal.low if goal.high is None else goal.high) + 1 for goal in goals)
    soon = deadline.sooner(TEST_SECONDS)
    try:
        if not release.workload.further and most <= LARGEST:
            counts = (*counts, Statistic(Predicate(), 0, most))
        return Prover(compile_release(release.changed(statistics=counts), TEST_RECORDS, soon), soon)
    except (TooLargeError, UndecidedError):
        return None
