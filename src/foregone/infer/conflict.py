"""When nothing fits: a smallest set of statistics that cannot hold together."""

from __future__ import annotations

import numpy as np

from foregone.compile.system import compile_release
from foregone.domain import Domain
from foregone.errors import ContradictionError, TooLargeError
from foregone.infer.prover import Leaf, Prover
from foregone.predicate import Predicate
from foregone.release import Release, Statistic
from foregone.solvers.answer import Deadline, Undecided

TEST_SECONDS = 10.0
TEST_RECORDS = 200_000


def contradiction(release: Release, prover: Prover) -> ContradictionError:
    """Name a conflict: drop any one of its statistics and the rest fit."""
    conflict, smallest = smallest_conflict(release, _suspects(release, prover))
    shown = [f"{release.name_of(i)} = {release.statistics[i].range_text}" for i in conflict]
    if not conflict:
        text = "the rules alone leave no valid record"
    else:
        kind = "no dataset has all of these" if smallest else "no dataset has all of these (perhaps fewer already conflict)"
        text = f"the published numbers contradict each other; {kind}: {'; '.join(shown)}"
    return ContradictionError(f"{text}; check these numbers against their source", tuple(conflict), smallest)


def smallest_conflict(release: Release, suspects: list[int]) -> tuple[list[int], bool]:
    """An irreducible conflict among the suspects if they conflict, else among all statistics (QuickXplain, Junker 2004)."""
    unsure = False

    def clash(chosen: list[int]) -> bool:
        nonlocal unsure
        answer = fits(release, chosen)
        unsure |= answer is None
        return answer is False

    def explain(background: list[int], added: bool, rest: list[int]) -> list[int]:
        if added and clash(background):
            return []
        if len(rest) == 1:
            return rest
        half = len(rest) // 2
        left, right = rest[:half], rest[half:]
        second = explain(background + left, True, right)
        first = explain(background + second, bool(second), left)
        return first + second

    everything = list(range(len(release.statistics)))
    pool = suspects if suspects and clash(suspects) else everything
    if clash([]):
        return [], True
    found = sorted(explain([], False, pool))
    return found, not unsure and clash(found)


def fits(release: Release, chosen: list[int]) -> bool | None:
    """Does some dataset satisfy these statistics and all rules? None when that could not be decided.

    Columns that none of them mentions play no part. A dataset that fits can be thinned out until every record is
    needed for some lower limit, so it never needs more records than the lower limits add up to.
    """
    statistics = [release.statistics[i] for i in chosen]
    named = {name for s in statistics for name, _ in s.predicate.allowed} | {n for r in release.rules for n, _ in r.allowed}
    columns = [c for c in release.domain.columns if c.name in named] or [release.domain.columns[0]]
    enough = sum(s.low for s in statistics)
    cap = Statistic(Predicate(), 0, enough)
    capped = [Statistic(s.predicate, s.low, s.high) for s in statistics if s.low <= enough]
    try:
        reduced = Release(Domain(tuple(columns), release.domain.record), (*capped, cap), release.rules)
        system = compile_release(reduced, TEST_RECORDS)
    except TooLargeError:
        return None
    found = Prover(system, Deadline.after(TEST_SECONDS)).first_witness()
    return None if isinstance(found, Undecided) else found


def _suspects(release: Release, prover: Prover) -> list[int]:
    """Statistics that the proof of infeasibility uses, with the zeros over the columns they speak about."""
    system = prover.system
    proof = prover.refutation
    if not isinstance(proof, Leaf):
        return []
    used = np.flatnonzero(proof.certificate.multipliers)
    chosen = {int(system.low_source[i]) for i in used} | {int(system.high_source[i]) for i in used}
    columns = {c for i in chosen for c in release.masks[i]}
    zeros = {i for i, s in enumerate(release.statistics) if s.high == 0 and set(release.masks[i]) <= columns}
    return sorted(chosen | zeros)
