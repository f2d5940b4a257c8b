"""When nothing fits: a smallest set of statistics that cannot hold together."""

from __future__ import annotations

import numpy as np

from foregone.engine.bounds.prover import Leaf, Prover
from foregone.model.errors import ContradictionError
from foregone.model.predicate import Predicate
from foregone.model.release import Release
from foregone.questions.quickxplain import irreducible, reduced
from foregone.solvers.answer import Undecided
from foregone.solvers.deadline import Deadline

MOST_SHOWN = 20  # numbers named in the message; all of them are in the error's `conflict`


def contradiction(release: Release, prover: Prover) -> ContradictionError:
    """Name a conflict: drop any one of its statistics and the rest fit."""
    conflict, smallest = smallest_conflict(release, _suspects(release, prover), prover.deadline)
    stated = release.everything
    shown = [f"{release.name_of(i)} = {stated[i].range_text}" for i in conflict[:MOST_SHOWN]]
    if len(conflict) > MOST_SHOWN:
        shown.append(f"and {len(conflict) - MOST_SHOWN:,} more")
    if not conflict:
        text = "the rules alone leave no valid record"
    else:
        kind = "no dataset has all of these" if smallest else "no dataset has all of these (perhaps fewer already conflict)"
        text = f"the published numbers contradict each other; {kind}: {'; '.join(shown)}"
    return ContradictionError(f"{text}; check these numbers against their source", tuple(conflict), smallest)


def smallest_conflict(release: Release, suspects: list[int], deadline: Deadline | None = None) -> tuple[list[int], bool]:
    """An irreducible conflict among the suspects if they conflict, else among all statistics; and whether it is sure."""

    def clash(chosen: list[int]) -> bool | None:
        answer = fits(release, chosen, deadline)
        return None if answer is None else not answer

    everything = list(range(len(release.everything)))
    return irreducible(suspects if suspects and clash(suspects) is True else everything, clash)


def fits(release: Release, chosen: list[int], deadline: Deadline | None = None) -> bool | None:
    """Does some dataset satisfy these statistics and all rules? None when that could not be decided."""
    prover = reduced(release, chosen, Predicate(), 0, deadline)
    found = Undecided("too large") if prover is None else prover.first_witness()
    return None if isinstance(found, Undecided) else found


def _suspects(release: Release, prover: Prover) -> list[int]:
    """Statistics that the proof of infeasibility uses, with the zeros over the columns they speak about."""
    system = prover.system
    proof = prover.refutation
    if not isinstance(proof, Leaf):
        return []
    used = np.flatnonzero(proof.certificate.multipliers)
    chosen = {int(system.low_source[i]) for i in used} | {int(system.high_source[i]) for i in used}
    columns = {c for i in chosen for c in release.columns_of(i)}
    zeros = {i for i, s in enumerate(release.statistics) if s.high == 0 and set(release.masks[i]) <= columns}
    return sorted(chosen | zeros)
