"""When nothing fits: a smallest set of statements that cannot hold together."""

from __future__ import annotations

from collections.abc import Sequence

from foregone.engine.bounds.prover import Prover
from foregone.engine.explain.explorer import Explorer
from foregone.engine.explain.part import part_prover
from foregone.engine.explain.question import Question
from foregone.engine.explain.subsets import Forced, Subsets, members, switches_of
from foregone.engine.writing.proofs import contradiction_proof
from foregone.formats.places import places
from foregone.model.errors import ContradictionError
from foregone.model.figure import Figure
from foregone.model.predicate import Predicate
from foregone.model.release import Release
from foregone.model.sentences import said
from foregone.solvers.answer import Undecided
from foregone.solvers.deadline import Deadline

MOST_SHOWN = 20  # numbers named in the message; all of them are in the error's `conflict`
TESTS = 400  # sets of statements that are tested to find a smallest one


def contradiction(release: Release, prover: Prover) -> ContradictionError:
    """Name a conflict: as few statements as possible that no dataset fits. The prover has shown that there is one."""
    explorer = _explorer(release, prover)
    explorer.core_within(explorer.subsets.everything)
    conflict, smallest = explorer.smallest()
    numbers, irreducible = [explorer.subsets.items.named[k] for k in members(conflict)], conflict not in explorer.unsure
    proof = contradiction_proof(prover) if prover.refutation is not None else None
    return ContradictionError(_lines(release, numbers, smallest, irreducible), tuple(numbers), smallest, irreducible, proof)


def fits(release: Release, chosen: Sequence[int], deadline: Deadline | None = None) -> bool | None:
    """Does some dataset satisfy these statements and all rules? None when that could not be decided."""
    prover = part_prover(release, chosen, Predicate(), 0, deadline)
    found = Undecided("too large") if prover is None else prover.first_witness()
    return None if isinstance(found, Undecided) else found


def _explorer(release: Release, prover: Prover) -> Explorer:
    subsets = Subsets(switches_of(release, prover.system), Question(), prover.deadline)
    if not isinstance(subsets.verdict(subsets.everything), Forced):
        subsets.cores.append(subsets.everything)  # the prover knows better
    subsets.most_tests = subsets.tests + TESTS
    return Explorer(subsets, range(len(subsets.items.named)))


def _lines(release: Release, numbers: list[int], smallest: bool, irreducible: bool) -> list[str]:
    if not numbers:
        return ["the rules alone leave no valid record; check the rules"]
    count = len(numbers)
    if smallest:
        kind = f"no dataset has all of these {count}, and no smaller set of numbers contradicts itself"
    elif irreducible:
        kind = f"no dataset has all of these {count}, and each of them is needed for that, though a smaller set may exist"
    else:
        kind = f"no dataset has all of these {count} (perhaps fewer already conflict)"
    if count == 1:
        kind = "no dataset has this one"
    where = places(release)
    stated = release.statements
    lines = [f"the published numbers contradict each other; {kind}; check them against their source:"]
    for i in numbers[:MOST_SHOWN]:
        table = f" (table {stated[i].table})" if stated[i].table else ""
        printed = stated[i].printed
        says = said(release, i) if isinstance(printed, Figure) else f"{printed.label} = {printed.range_text}"
        lines.append(f"{where(i)}{says}{table}")
    if count > MOST_SHOWN:
        lines.append(f"and {count - MOST_SHOWN:,} more")
    return lines
