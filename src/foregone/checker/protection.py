"""Is a protection as cheap as it says, and safe? Checked from the release and the certificate alone, in whole numbers.

What may be done and what it costs is worked out from what was asked. The lower half: every explanation lists statements about
published numbers and a proof that they break the policy by themselves. An action that leaves all of them true cannot be what
protects, so every protection takes one of the others; and a tree shows that no choice that does so for every explanation is
cheaper. The upper half: what is left after the actions taken is worked out anew, and listed datasets show that it keeps the policy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from foregone.checker import parse
from foregone.checker.asked import Action, Number, actions_of, asked_of, base_cost, numbers_of
from foregone.checker.check import check
from foregone.checker.choice import Clause, no_cheaper
from foregone.checker.complete import Witnesses, consistent
from foregone.checker.explained import clause_of
from foregone.checker.policy import broken_by_claims, policy_of
from foregone.checker.refusal import TERM, Refused, at
from foregone.checker.rows import Release, keyed, pairs, release_of, whole
from foregone.checker.seal import digest
from foregone.checker.weaker import Case, left_of, left_release, nameable_boxes, sums_of

FORMAT = "foregone-protection"
VERSION = 2
KEYS = ("format", "version", "tool", "release", "attacker", "policy", "groups", "asked", "primary", "actions", "taken")
HALVES = ("cost", "lower_bound", "explanations", "safe", "digest")


@dataclass
class Protected:
    """What was accepted, and what was rejected for which reason; `trusted` lists what a solver's word stands for."""

    accepted: int = 0
    rejected: list[str] = field(default_factory=list)
    trusted: list[str] = field(default_factory=list)
    case: Case | None = field(default=None, repr=False)  # what it is about, as far as it was understood
    taken: tuple[int, ...] = ()


def check_protection(content: Any, document: Any) -> Protected:
    """Check a certificate against the release that was protected, which is given as plain data."""
    result = Protected()
    try:
        release = release_of(content)
        file = _opened(release, document)
        case = _case(content, release, file)
        case = result.case = case._replace(seen=_seen(case, file.get("before", [])))
        clauses = []
        for number, entry in enumerate(parse.entries(file["explanations"]), start=1):
            with at(f"explanation {number}"):
                clauses.append(clause_of(case, file["attacker"], entry))
            result.accepted += 1
        taken = [whole(a, 0) for a in parse.entries(file["taken"])]
        if len(set(taken)) < len(taken) or any(a >= len(case.actions) for a in taken):
            raise Refused("taken: expected different actions by their numbers")
        result.taken = tuple(taken)
        cost, bound = whole(file["cost"]), whole(file["lower_bound"])
        base = base_cost(case.numbers, case.primary, case.asked)
        if cost != base + sum(case.actions[a].cost for a in taken):
            raise Refused("the cost is not that of the actions taken and of primary cells")
        if bound > cost:
            raise Refused("the lower bound is above the cost")
        if bound > base and "covering" not in file:
            result.trusted.append("that no cheaper choice meets all explanations: a solver says so")
        elif bound > base:
            with at("covering"):
                costs = [action.cost for action in case.actions]
                met = {k: Clause(frozenset(), items) for k, items in enumerate(clauses)}
                no_cheaper(costs, met, bound - base, file["covering"], release.domain.work)
        with at("safe"):
            _safe(case, file["attacker"], taken, file["safe"])
        result.accepted += 1
    except Refused as error:
        result.rejected.append(str(error))
    return result


def _opened(release: Release, document: Any) -> Any:
    file = parse.plain(document, (*KEYS, *HALVES), ("before", "covering"))
    if file["format"] != FORMAT or type(file["version"]) is not int or file["version"] != VERSION:
        raise Refused(f"not a protection certificate of version {VERSION}; write it anew with protect --proofs")
    if file["digest"] != digest(file):
        raise Refused("changed since it was written: the digest does not fit")
    if file["release"] != release.fingerprint:
        raise Refused("made for another release: the fingerprints differ; give the release that was protected")
    if file["attacker"] not in ("exact", "linear"):
        raise Refused("the attacker is exact or linear")
    return file


def _case(content: Any, release: Release, file: Any) -> Case:
    with at("policy"):
        policy = policy_of(release.domain, file["policy"])
        primary = policy.cells(release)
        if policy.columns is None and not policy.attribute and policy.primary is None:
            raise Refused("it forbids nothing")
    if frozenset(whole(i, 0) for i in parse.entries(file["primary"])) != primary:
        raise Refused("primary: these are not the cells that the policy says")
    if file["attacker"] == "linear" and (policy.columns is not None or policy.attribute or policy.width > 2 or policy.sides):
        raise Refused("the linear attacker looks at primary cells and at nothing else of a policy")
    if file["groups"] not in ("published", "none"):
        raise Refused("groups are published or none")
    numbers = numbers_of(content, release)
    if file["attacker"] == "linear" and any(number.figure for number in numbers):
        raise Refused("what the linear attacker makes of sums, means, medians and percentages is not judged by this checker")
    with at("asked"):
        asked = asked_of(file["asked"])
        actions = actions_of(release, numbers, primary, asked)
    _compared(actions, file["actions"])
    merges = [action for action in actions if action.kind == "merge"]
    sums, named = sums_of(release, numbers, primary, merges), nameable_boxes(release, merges)
    case = Case(content, release, numbers, policy, primary, asked, actions, sums, file["groups"] == "published", named)
    if policy.most is not None and any(case.true(number) > policy.most for number in primary):
        raise Refused("policy: a primary cell is larger than it is known to be")
    if policy.zeros_shown and any(case.true(number) == 0 for number in primary):
        raise Refused("policy: a primary cell is 0, and zeros stay shown")
    if policy.zeros_shown:
        _known_before(numbers)
    return case


def _seen(case: Case, listed: Any) -> tuple[int, ...]:
    """Of each column the codes of records of datasets that fit before anything is done, and so after anything that is done. A
    column in which every possible record has what a claim says does not count, unless it is not certain how many records there are.
    """
    domain = case.release.domain
    with at("before"):
        datasets = [parse.witness_of(domain, dataset) for dataset in parse.entries(listed)]
        wrong = next((reason for reason in consistent(left_release(case, ()), Witnesses(domain, datasets)) if reason), "")
        if wrong:
            raise Refused(wrong)
    if len({sum(n for n, _ in dataset) for dataset in datasets}) > 1:
        return tuple(-1 for _ in domain.codes)
    found = [bytearray(len(codes) // 8 + 1) for codes in domain.codes]
    for _, record in (record for dataset in datasets for record in dataset):
        for mask, code in zip(found, record, strict=True):
            mask[code >> 3] |= 1 << (code & 7)
    return tuple(int.from_bytes(mask, "little") for mask in found)


def _known_before(numbers: Sequence[Number]) -> None:
    """Where zeros are shown, a cell that was withheld before is known to be at least 1, and has to say so. Of a table of several
    cells that are all withheld zeros are gone, too."""
    tables = dict[str, list[bool]]()
    for number in numbers:
        if not number.figure:
            tables.setdefault(number.group, []).append(number.hidden)
    for number in numbers:
        gone = len(tables.get(number.group, [])) > 1 and all(tables[number.group])
        if number.hidden and not number.figure and not number.low and not gone:
            raise Refused(f"{number.label} was withheld before, and zeros are shown: give it a low of 1")


def _compared(actions: Sequence[Action], listed: Any) -> None:
    """The list in the certificate is for readers; it has to be the one that follows from what was asked."""
    given = parse.entries(listed)
    if len(given) != len(actions):
        raise Refused(f"actions: {len(given):,} are listed, and {len(actions):,} follow from what was asked")
    for a, (action, entry) in enumerate(zip(actions, given, strict=True)):
        with at(f"action {a}"):
            keyed(entry, ("kind", "name", "cost", "numbers"), ("base",))
            numbers = sorted(whole(i, 0) for i in parse.entries(entry["numbers"]))
            said = entry["kind"], entry["name"], entry["cost"], numbers, entry.get("base", 0)
            if said != (action.kind, action.name, action.cost, sorted(action.numbers), action.base):
                raise Refused(f"from what was asked follows {action.kind} {action.name!r} at a cost of {action.cost}, not this")


def _safe(case: Case, attacker: str, taken: Sequence[int], evidence: Any) -> None:
    """What is left after the actions taken keeps the policy, or this raises."""
    keyed(evidence, (), ("datasets", "audit", "direction"))
    if attacker == "linear":
        _direction(case, taken, evidence.get("direction"))
        return
    left, domain = left_release(case, taken), case.release.domain
    if case.primary:
        datasets = [parse.witness_of(domain, dataset) for dataset in parse.entries(evidence.get("datasets"))]
        witnesses = Witnesses(domain, datasets)
        wrong = next((reason for reason in consistent(left, witnesses) if reason), "")
        if wrong or not datasets:
            raise Refused(wrong or "no dataset is listed")
        for number in sorted(case.primary):
            counts = witnesses.counts(case.numbers[number].box)
            if not case.policy.wide_enough(case.true(number), min(counts), max(counts)):
                raise Refused(f"the listed datasets do not show that {case.numbers[number].label} is unknown")
    if case.policy.columns is not None or case.policy.attribute:
        _audited(case, left, evidence.get("audit"))


def _audited(case: Case, left: Release, document: Any) -> None:
    """Every certain claim is in the list, and none of them breaks the policy."""
    result = check(left, document, nothing_missed=True, groups=case.groups)
    if result.rejected or not result.complete:
        raise Refused(result.rejected[0] if result.rejected else f"not shown to be complete: {result.reason}")
    domain = left.domain
    facts = [parse.fact_of(domain, fact) for fact in document["facts"]]
    claims = [(box, fact.times) for fact in facts for box in (fact.what, *fact.forms)]
    totals = {sum(n for n, _ in parse.witness_of(domain, dataset)) for dataset in document["witnesses"]}
    broken = broken_by_claims(case.policy, domain, claims, totals, case.groups)
    if broken:
        raise Refused(f"what is left breaks the policy: {broken}")


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
    for left in left_of(case, taken)[0]:
        if left.low == left.high and changed(left.box):
            raise Refused(f"{left.name or 'a number'} is shown and changes")
