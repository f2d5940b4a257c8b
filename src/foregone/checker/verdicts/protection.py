"""Is a protection as cheap as it says, and safe? Checked from the release and the certificate alone, in whole numbers.

What may be done and what it costs is worked out from what was asked. The lower half: every explanation lists statements about
published numbers and a proof that they break the policy by themselves. An action that leaves all of them true cannot be what
protects, so every protection takes one of the others; and a tree shows that no choice that does so for every explanation is
cheaper. The upper half: what is left after the actions taken is worked out anew, and listed datasets show that it keeps the policy.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from foregone.checker.encode.asked import actions_of, asked_of, base_cost, holds, kept_of, marking_of
from foregone.checker.encode.cell_blocks import block_actions, blocks_of
from foregone.checker.encode.marks import Number, as_read, content_of, numbers_of
from foregone.checker.encode.release import release_of
from foregone.checker.encode.weaker import CertifiedCase, left_of, left_release, nameable_boxes, sums_of
from foregone.checker.kernel import TERM, Box, Fails, PlainRelease, at_most, build
from foregone.checker.read.policy import PlainPolicy, policy_of
from foregone.checker.read.proofs import Sealed, each, opened, step_of, tree_of, witness_of
from foregone.checker.read.refusal import Refused, at, said
from foregone.checker.read.values import entries, keyed, pairs, whole
from foregone.checker.verdicts.choice import Clause, no_cheaper
from foregone.checker.verdicts.covers import covered
from foregone.checker.verdicts.explained import clause_of, possible
from foregone.checker.verdicts.policy import Cell, fitting, keeps

FORMAT, VERSION = "foregone-protection", 3
ABOUT = ("format", "version", "tool", "release", "digest")
KEYS = (*ABOUT, "attacker", "policy", "groups", "asked", "taken", "lower_bound", "explanations", "safe")
FURTHER = ("primary", "original", "before", "covering", "reader")
PROTECTION = Sealed(
    FORMAT, VERSION, "a protection certificate", " with protect --proofs", KEYS, FURTHER, "; give the release that was protected"
)


@dataclass
class Protected:
    """What was accepted, and what was rejected for which reason; `trusted` lists what a solver's word stands for."""

    accepted: int = 0
    rejected: list[str] = field(default_factory=list)
    trusted: list[str] = field(default_factory=list)
    case: CertifiedCase | None = field(default=None, repr=False)  # what it is about, as far as it was understood
    taken: tuple[int, ...] = ()
    cost: int = 0
    clauses: list[Clause] = field(default_factory=list, repr=False)  # what every protection has to meet


def check_protection(content: Any, document: Any) -> Protected:
    """Check a certificate against the release that was protected, which is given as plain data."""
    result = Protected()
    try:
        release = release_of(content)
        file = opened(release, document, PROTECTION)
        if file["attacker"] not in ("exact", "linear"):
            raise Refused("the attacker is exact or linear")
        if file["groups"] not in ("published", "none"):
            raise Refused("groups are published or none")
        case = result.case = _case(content, release, file)
        with at("before"):
            before = possible(case, (), file.get("before", []))
        for number, entry in enumerate(entries(file["explanations"]), start=1):
            with at(f"explanation {number}"):
                result.clauses.append(clause_of(case, file["attacker"], entry, before))
            result.accepted += 1
        taken = [whole(a, 0) for a in entries(file["taken"])]
        if len(set(taken)) < len(taken) or any(a >= len(case.actions) for a in taken):
            raise Refused("taken: expected different actions by their numbers")
        base = base_cost(case.numbers, case.primary, case.asked)
        result.taken, result.cost = tuple(taken), base + sum(case.actions[a].cost for a in taken)
        bound = whole(file["lower_bound"])
        if bound > result.cost:
            raise Refused("the lower bound is above the cost")
        if bound > base and "covering" not in file:
            result.trusted.append("that no cheaper choice meets all explanations: a solver says so")
        elif bound > base:
            with at("covering"):
                costs = [action.cost for action in case.actions]
                no_cheaper(costs, dict(enumerate(result.clauses)), bound - base, file["covering"], release.domain.work)
        with at("safe"):
            _safe(case, file["attacker"], taken, file["safe"])
        result.accepted += 1
        if "reader" in file:
            with at("reader"):
                result.trusted += covered(case, file, taken, _case)
            result.accepted += not result.trusted
    except Fails as error:
        result.rejected.append(said(error))
    return result


def _case(content: Any, release: PlainRelease, file: Any) -> CertifiedCase:
    """What follows from the release, the policy and what was asked: nothing of it is taken from the certificate."""
    linear = file["attacker"] == "linear"
    with at("policy"):
        policy = policy_of(release.domain, file["policy"])
        if policy.columns is None and not policy.attribute and policy.primary is None and not policy.stars:
            raise Refused("it forbids nothing")
        if linear and (policy.columns is not None or policy.attribute or policy.width > 2 or policy.sides or policy.stars):
            raise Refused("the linear attacker looks at primary cells and at nothing else of a policy")
    numbers = as_read(policy, numbers_of(content, release))
    if linear and any(number.figure for number in numbers):
        raise Refused("what the linear attacker makes of sums, means, medians and percentages is not judged by this checker")
    read = release_of(content_of(content, numbers))._replace(domain=release.domain, named=release.named)
    primary = primary_of(policy, read, numbers, file.get("primary", []), file.get("original", []))
    with at("asked"):
        asked = asked_of(file["asked"])
        kept = kept_of(release, numbers, asked.keep)
        if primary & kept:
            raise Refused(f"keep: {numbers[min(primary & kept)].label} is primary and cannot be kept")
        if asked.by == "table" and asked.merges and policy.zeros_shown:
            raise Refused("merge: not judged where tables are withheld and zeros are known to be shown")
        stays, goes = ({n.group for i, n in enumerate(numbers) if not n.figure and (i in kept) is side} for side in (True, False))
        if asked.by == "table" and policy.zeros_shown and stays & goes:  # the rest of such a table would be known not to be 0
            raise Refused("keep: where zeros are known to be shown, a table stays or goes as a whole")
        marking = marking_of(release, policy, numbers, kept, asked, linear)
        blocks = blocks_of(numbers, policy, kept, asked, marking, release.domain.work) if "reader" in file else None
        if blocks is not None:
            actions = block_actions(numbers, primary, asked, blocks)
        else:
            actions = actions_of(release, numbers, primary, asked, kept, marking)
    for number in (numbers[i] for i in sorted(primary)):
        if asked.by == "cell" and not number.hidden and number.low < marking.floor(number):
            raise Refused(f"{number.label} is primary and may be 0, and zeros stay shown")
        if policy.most is not None and number.low > policy.most:
            raise Refused("policy: a primary cell is larger than it is known to be")
        if policy.sides and not number.exact:
            raise Refused(f"both_sides: the true count of {number.label} is not known")
    merges = [action for action in actions if action.kind == "merge"]
    sums, named = sums_of(release, policy, numbers, primary, merges), nameable_boxes(release, merges)
    tables = Counter(number.group for number in numbers if not number.figure)
    alone = frozenset(i for i, number in enumerate(numbers) if not number.figure and tables[number.group] == 1)
    groups = file["groups"] == "published"
    return CertifiedCase(
        content, read, numbers, policy, primary, frozenset(kept), asked, marking, actions, sums, groups, named, alone, blocks
    )


def primary_of(policy: PlainPolicy, release: PlainRelease, numbers: Sequence[Number], proved: Any, listed: Any) -> frozenset[int]:
    """The counts that must stay unknown: those named; or those that certainly lie in a range. Of a count that is not shown exactly
    a proof shows that it does, or a listed dataset that it need not.
    """
    if policy.primary is None:
        return frozenset()
    if isinstance(policy.primary, frozenset):
        if not policy.primary <= set(release.names):
            raise Refused("primary: no number has one of these names")
        return frozenset(i for i, name in enumerate(release.names) if name in policy.primary)
    least, most = policy.primary
    counts = [(i, number) for i, number in enumerate(numbers) if not number.figure]
    found = {i for i, number in counts if number.low >= least and number.high is not None and number.high <= most}
    domain = release.domain
    for place, entry in enumerate(entries(proved), start=1):
        with at(f"primary {place}"):
            keyed(entry, ("number", "low", "high", "steps", "proofs"))
            i, low, high = (whole(entry[key], 0) for key in ("number", "low", "high"))
            if i >= len(counts) or low < least or high > most:
                raise Refused("this is no primary cell")
            state = build(release, each(domain, entry["steps"], step_of))
            trees, form = each(domain, entry["proofs"], tree_of), ((1, numbers[i].box),)
            goals = [(form, high), *([(((-1, numbers[i].box),), -low)] if low else [])]
            if len(trees) != len(goals):
                raise Refused("a proof is missing, or there is one too many")
            for (about, goal), tree in zip(goals, trees, strict=True):
                at_most(state, about, goal, tree)
            found.add(i)
    open_ = [(i, number) for i, number in counts if i not in found and (number.hidden or number.low != number.high)]
    if open_:
        witnesses = fitting(domain, listed, lambda: release, "original: ")
        for _, number in open_:
            if all(least <= count <= most for count in witnesses.counts(number.box)):
                raise Refused(f"it is not shown whether {number.label} is primary")
    return frozenset(found)


def _safe(case: CertifiedCase, attacker: str, taken: Sequence[int], evidence: Any) -> None:
    """What is left after the actions taken keeps the policy, or this raises."""
    if attacker == "linear":
        _direction(case, taken, evidence)
        return
    policy = case.policy
    cells = [Cell(number, policy.stars) for number in left_of(case, taken).values() if number.hidden and not number.figure]
    secret = [case.numbers[i] for i in sorted(case.primary)]
    cells = [*(cells if policy.stars else []), *(Cell(n, policy.width, n.low if policy.sides and n.low else None) for n in secret)]
    keeps(policy, left_release(case, taken), cells, evidence, case.groups)


def _direction(case: CertifiedCase, taken: Sequence[int], entries: Any) -> None:
    """Changes to the records that no number shown exactly notices, but every primary cell."""
    moves = list[tuple[int, tuple[int, ...]]]()
    for change, record in pairs(entries):
        ((_, codes),) = witness_of(case.release.domain, [record])
        moves.append((whole(change), codes))

    def changed(box: Box) -> int:
        case.release.domain.work.spend(8 * TERM * len(moves))
        return sum(change for change, codes in moves if holds(box, codes))

    for number in sorted(case.primary):
        if not changed(case.numbers[number].box):
            raise Refused(f"{case.numbers[number].label} does not change")
    for left in left_of(case, taken).values():
        if left.exact and changed(left.box):
            raise Refused(f"{left.name or 'a number'} is shown and changes")
