"""Write down why one choice of tables protects many releases, and why none is cheaper, for the checker.

Every release has a certificate of its own in it: that it is safe, and those explanations of it that the search used. That no choice
is cheaper is shown once, over the explanations of all of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from foregone.checker import digest
from foregone.checker.verdicts.many import FORMAT, VERSION
from foregone.engine import MAX_RECORDS
from foregone.model.errors import InputError
from foregone.model.release import Release
from foregone.protection.actions import Allowed
from foregone.protection.attack import BreachExplanation
from foregone.protection.certificate import certificate, check_possible
from foregone.protection.exact import ExactAttacker
from foregone.protection.problem import Needed, Problem
from foregone.protection.search import Found
from foregone.version import __version__

Json = dict[str, Any]


def check_certifiable(problems: Sequence[Problem]) -> None:
    """Refuse a certificate that could not be written, before any work is done."""
    for problem in problems:
        check_possible(problem, linear=False)
    if any(problem.primary for problem in problems):
        raise InputError("--proofs: a certificate of many releases cannot cover primary cells; leave them out of the policy")


def certificate_of_many(
    named: Sequence[tuple[str, Release]],
    problems: Sequence[Problem],
    allowed: Allowed,
    found: Found,
    explained: Mapping[int, Sequence[BreachExplanation]],
    tree: Json | None,
    names: Sequence[str],
    max_records: int = MAX_RECORDS,
) -> Json:
    """`problems` are those of the releases, each with its own actions alone; `names` are all tables, as `found` numbers them.
    `explained` has by the number of a release which of its explanations the search used.
    """
    order = [e for number in range(len(named)) for e in explained.get(number, ())]
    place = {id(e): k for k, e in enumerate(found.explanations)}
    listed = []
    for number, ((name, release), problem) in enumerate(zip(named, problems, strict=True)):
        own = {a: k for k, action in enumerate(problem.actions) for a in (names.index(action.name),)}
        taken = frozenset(own[a] for a in found.taken if a in own)
        told = [_own(problem, own, e) for e in explained.get(number, ())]
        alone = Found(0, problem.cost(taken), taken, told)
        made = certificate(problem, release, allowed, ExactAttacker(problem, max_records), alone, None, 0)
        listed.append({"name": name, "certificate": made})
    content: Json = {
        "format": FORMAT,
        "version": VERSION,
        "tool": f"foregone {__version__}",
        "withheld": [names[a] for a in sorted(found.taken)],
        "lower_bound": found.lower,
        "releases": listed,
        **({"covering": _renumbered(tree, {place[id(e)]: k for k, e in enumerate(order)})} if tree is not None else {}),
    }
    return {**content, "digest": digest(content)}


def _own(problem: Problem, own: Mapping[int, int], told: BreachExplanation) -> BreachExplanation:
    """An explanation with the actions and rows of the release by itself."""
    needed = []
    for part in told.needed:
        row = problem.rows[part.row.sources[0]]
        bare = part.row.count is not None and not part.row.count.gaps
        needed.append(Needed(row.bare if bare else row, part.low, part.high))
    clause, given = (frozenset(own[a] for a in some) for some in (told.clause, told.given))
    return replace(told, needed=tuple(needed), clause=clause, given=given)


def _renumbered(tree: Json, place: Mapping[int, int]) -> Json:
    """A tree about the explanations in another order."""
    if "item" in tree:
        return {"item": tree["item"], **{side: _renumbered(tree[side], place) for side in ("taken", "left")}}
    if "unmet" in tree:
        return {"unmet": place[tree["unmet"]]}
    return {"pay": sorted([place[k], paid] for k, paid in tree["pay"]), "over": tree["over"]}
