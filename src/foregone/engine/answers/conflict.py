"""When nothing fits: a smallest set of statements that cannot hold together."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from foregone.engine.bounds.prover import Prover
from foregone.engine.bounds.trees import Form, Tree, leaves
from foregone.engine.explain.explorer import Explorer
from foregone.engine.explain.own_part import own_part
from foregone.engine.explain.part import part_prover, rows_cited
from foregone.engine.explain.subsets import Forced, Subsets
from foregone.engine.explain.switches import Question, Statements, members, switches_of
from foregone.engine.system.linear import MAX_RECORDS, LinearSystem, compile_release
from foregone.engine.writing.proofs import contradiction_proof
from foregone.formats.beside import places
from foregone.model.errors import ContradictionError, TooLargeError
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
    numbers, smallest, irreducible = _within_part(release, prover) or _within(release, prover)
    proof = contradiction_proof(prover) if prover.refutation is not None else None
    return ContradictionError(_lines(release, numbers, smallest, irreducible), tuple(numbers), smallest, irreducible, proof)


def fits(release: Release, chosen: Sequence[int], deadline: Deadline | None = None) -> bool | None:
    """Does some dataset satisfy these statements and all rules? None when that could not be decided."""
    prover = part_prover(release, chosen, Predicate(), 0, deadline)
    found = Undecided("too large") if prover is None else prover.first_witness()
    return None if isinstance(found, Undecided) else found


def _within(release: Release, prover: Prover) -> tuple[list[int], bool, bool]:
    """A conflict, as few of all statements as possible; whether it is proved that none is smaller, and that all are needed."""
    subsets = Subsets(switches_of(release, prover.system), Question(), prover.deadline)
    if not isinstance(subsets.verdict(subsets.everything), Forced):
        subsets.cores.append(subsets.everything)  # the prover knows better
    core, smallest, irreducible = _smallest(subsets)
    return [subsets.items.named[k] for k in members(core)], smallest, irreducible


def _within_part(release: Release, prover: Prover) -> tuple[list[int], bool, bool] | None:
    """A smallest conflict among the numbers about the place that contradicts itself; None where others have to be looked at, too.

    Some dataset fits all numbers about other places. So whatever contradicts itself does so among the numbers about this place and
    what is left of totals (`own_part`); and if a smallest set there needs no total, there is no smaller one anywhere.
    """
    cited = {} if prover.refutation is None else _cited(prover, prover.refutation)
    own = own_part(release, [predicate for i in cited for predicate in release.statements[i].predicates]) if cited else None
    if own is None:
        return None
    subsets = Subsets(switches_of(own.release, _compiled(own.release, prover.deadline)), Question(), prover.deadline)
    if not isinstance(subsets.verdict(subsets.everything), Forced):
        return None
    core, smallest, irreducible = _smallest(subsets)
    others = _compiled(release.only(set(range(len(release.statements))) - set(own.numbers)), prover.deadline)
    if core & own.left_of_totals or others is None or Prover(others, prover.deadline).first_witness() is not True:
        return None
    return [own.numbers[k] for k in members(core)], smallest, irreducible


def _cited(prover: Prover, proof: Tree) -> set[int]:
    """The statements whose limits a proof adds up, or the lemmas that it cites."""
    lemmas, waiting, seen = {lemma.form: lemma for lemma in prover.lemmas}, [proof], set[Form]()
    found: set[int] = set()
    while waiting:
        for leaf in leaves(waiting.pop()):
            found |= rows_cited(prover.system, leaf)
            new = {form for form, _ in leaf.certificate.further if form in lemmas} - seen
            waiting += [lemmas[form].proof for form in new]
            seen |= new
    return found


def _compiled(release: Release, deadline: Deadline) -> LinearSystem | None:
    with suppress(TooLargeError):
        return compile_release(release, MAX_RECORDS, deadline)
    return None


def _smallest(subsets: Subsets) -> tuple[Statements, bool, bool]:
    """A set that contradicts itself, as small as is found; whether none is smaller, and whether all of it is needed."""
    subsets.most_tests = subsets.tests + TESTS
    explorer = Explorer(subsets, range(len(subsets.items.named)))
    explorer.core_within(subsets.everything)
    core, smallest = explorer.smallest()
    return core, smallest, core not in explorer.unsure


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
