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

from foregone.checker import parse
from foregone.checker.asked import actions_of, asked_of, base_cost, kept_of, numbers_of
from foregone.checker.choice import no_cheaper
from foregone.checker.explained import clause_of, possible
from foregone.checker.policy import policy_of
from foregone.checker.printed import as_read, content_of, marking_of, primary_of
from foregone.checker.refusal import TERM, Refused, at
from foregone.checker.rows import Release, pairs, release_of, whole
from foregone.checker.seal import digest
from foregone.checker.verdict import Cell, keeps
from foregone.checker.weaker import Case, left_of, left_release, nameable_boxes, sums_of

FORMAT = "foregone-protection"
VERSION = 3
ABOUT = ("format", "version", "tool", "release", "digest")
KEYS = (*ABOUT, "attacker", "policy", "groups", "asked", "taken", "lower_bound", "explanations", "safe")


@dataclass
class Protected:
    """What was accepted, and what was rejected for which reason; `trusted` lists what a solver's word stands for."""

    accepted: int = 0
    rejected: list[str] = field(default_factory=list)
    trusted: list[str] = field(default_factory=list)
    case: Case | None = field(default=None, repr=False)  # what it is about, as far as it was understood
    taken: tuple[int, ...] = ()
    cost: int = 0


def check_protection(content: Any, document: Any) -> Protected:
    """Check a certificate against the release that was protected, which is given as plain data."""
    result = Protected()
    try:
        release = release_of(content)
        file = _opened(release, document)
        case = result.case = _case(content, release, file)
        with at("before"):
            before = possible(case, (), file.get("before", []))
        clauses = []
        for number, entry in enumerate(parse.entries(file["explanations"]), start=1):
            with at(f"explanation {number}"):
                clauses.append(clause_of(case, file["attacker"], entry, before))
            result.accepted += 1
        taken = [whole(a, 0) for a in parse.entries(file["taken"])]
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
                no_cheaper(costs, dict(enumerate(clauses)), bound - base, file["covering"], release.domain.work)
        with at("safe"):
            _safe(case, file["attacker"], taken, file["safe"])
        result.accepted += 1
    except Refused as error:
        result.rejected.append(str(error))
    return result


def _opened(release: Release, document: Any) -> Any:
    file = parse.plain(document, KEYS, ("primary", "original", "before", "covering"))
    if file["format"] != FORMAT or type(file["version"]) is not int or file["version"] != VERSION:
        raise Refused(f"not a protection certificate of version {VERSION}; write it anew with protect --proofs")
    if file["digest"] != digest(file):
        raise Refused("changed since it was written: the digest does not fit")
    if file["release"] != release.fingerprint:
        raise Refused("made for another release: the fingerprints differ; give the release that was protected")
    if file["attacker"] not in ("exact", "linear"):
        raise Refused("the attacker is exact or linear")
    if file["groups"] not in ("published", "none"):
        raise Refused("groups are published or none")
    return file


def _case(content: Any, release: Release, file: Any) -> Case:
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
    return Case(content, read, numbers, policy, primary, frozenset(kept), asked, marking, actions, sums, groups, named, alone)


def _safe(case: Case, attacker: str, taken: Sequence[int], evidence: Any) -> None:
    """What is left after the actions taken keeps the policy, or this raises."""
    if attacker == "linear":
        _direction(case, taken, evidence)
        return
    policy = case.policy
    cells = [Cell(number, policy.stars) for number in left_of(case, taken).values() if number.hidden and not number.figure]
    secret = [case.numbers[i] for i in sorted(case.primary)]
    cells = [*(cells if policy.stars else []), *(Cell(n, policy.width, n.low if policy.sides and n.low else None) for n in secret)]
    keeps(policy, left_release(case, taken), cells, evidence, case.groups)


def _direction(case: Case, taken: Sequence[int], entries: Any) -> None:
    """Changes to the records that no number shown exactly notices, but every primary cell."""
    moves = list[tuple[int, tuple[int, ...]]]()
    for change, record in pairs(entries):
        ((_, codes),) = parse.witness_of(case.release.domain, [record])
        moves.append((whole(change), codes))

    def changed(box: Any) -> int:
        case.release.domain.work.spend(8 * TERM * len(moves))
        return sum(change for change, codes in moves if all(side >> codes[c] & 1 for c, side in box))

    for number in sorted(case.primary):
        if not changed(case.numbers[number].box):
            raise Refused(f"{case.numbers[number].label} does not change")
    for left in left_of(case, taken).values():
        if left.exact and changed(left.box):
            raise Refused(f"{left.name or 'a number'} is shown and changes")
