"""Is a protection as cheap as it says, and safe? Checked from the release and the certificate alone, in whole numbers.

The lower half: every explanation lists statements about published numbers and a proof that they break the policy by themselves.
An action that leaves all of them true cannot be what protects, so every protection takes one of the others; and a tree
shows that no choice that does so for every explanation is cheaper. The upper half: what is left after the actions taken is
worked out anew, and listed datasets show that it keeps the policy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from foregone.checker import parse
from foregone.checker.check import at_most, build, check, never_positive
from foregone.checker.complete import Witnesses, consistent
from foregone.checker.cover import neg, scale
from foregone.checker.policy import Policy, broken_by_claims, policy_of
from foregone.checker.refusal import Refused, at
from foregone.checker.rows import Box, Form, Release, Statistic, box_of, keyed, nameable, pairs, whole
from foregone.checker.seal import digest

FORMAT = "foregone-protection"
VERSION = 1
KEYS = ("format", "version", "tool", "release", "attacker", "policy", "groups", "primary", "actions", "taken")
HALVES = ("cost", "lower_bound", "explanations", "safe", "digest")
DEEPEST = 300

Limits = tuple[int | None, int | None]


class Action(NamedTuple):
    kind: str
    cost: int
    numbers: frozenset[int]
    base: int


@dataclass
class Protected:
    """What was accepted, and what was rejected for which reason; `trusted` lists what a solver's word stands for."""

    accepted: int = 0
    rejected: list[str] = field(default_factory=list)
    trusted: list[str] = field(default_factory=list)


class Case(NamedTuple):
    """What a certificate is about: the release, the policy, the primary cells and what may be done."""

    release: Release
    policy: Policy
    primary: frozenset[int]
    actions: tuple[Action, ...]
    groups: bool

    def true(self, number: int) -> int:
        """The count of a primary cell."""
        _, low, high = self.release.statistics[number]
        if low is None or low != high:
            raise Refused(f"number {number} is primary, but has no exact count")
        return low

    def shown(self, number: int) -> Limits:
        """What is known of a number before any action."""
        statistic = self.release.statistics[number]
        if number not in self.primary:
            return statistic.low, statistic.high
        return int(self.policy.zeros_shown and self.true(number) >= 1), self.policy.most

    def after(self, number: int, action: Action) -> Limits:
        """What is known of a number after an action."""
        low, high = self.release.statistics[number].low or 0, self.release.statistics[number].high
        least = int(self.policy.zeros_shown and low >= 1)
        if action.kind == "cell":
            return least, None
        if action.kind == "round" and low == high and number not in self.primary:
            multiple = (2 * low + action.base) // (2 * action.base) * action.base
            return max(least, multiple - action.base // 2), multiple + (action.base - 1) // 2
        return 0, None

    def left(self, number: int, taken: Sequence[int]) -> Limits:
        """What is known of a number after several actions: the range around what each of them leaves."""
        low, high = self.shown(number)
        for a in taken:
            if number in self.actions[a].numbers:
                least, most = self.after(number, self.actions[a])
                low = None if low is None or least is None else min(low, least)
                high = None if high is None or most is None else max(high, most)
        return low, high


def check_protection(release: Release, document: Any) -> Protected:
    """Check a certificate against the release that was protected."""
    result = Protected()
    release.domain.work.spent = 0
    try:
        file = _opened(release, document)
        case = _case(release, file)
        clauses = []
        for number, entry in enumerate(parse.entries(file["explanations"]), start=1):
            with at(f"explanation {number}"):
                clauses.append(_explanation(case, file["attacker"], entry))
            result.accepted += 1
        taken = [whole(a, 0) for a in parse.entries(file["taken"])]
        if len(set(taken)) < len(taken) or any(a >= len(case.actions) for a in taken):
            raise Refused("taken: expected different actions by their numbers")
        cost, bound = whole(file["cost"]), whole(file["lower_bound"])
        base = cost - sum(case.actions[a].cost for a in taken)
        if base < 0 or (base > 0 and not case.primary):
            raise Refused("the cost is not that of the actions taken and of primary cells")
        if bound > cost:
            raise Refused("the lower bound is above the cost")
        _covering(case, clauses, file.get("covering"), bound - base, result)
        with at("safe"):
            _safe(case, file["attacker"], taken, file["safe"])
        result.accepted += 1
    except Refused as error:
        result.rejected.append(str(error))
    return result


def _opened(release: Release, document: Any) -> Any:
    file = parse.plain(document, (*KEYS, *HALVES), ("covering",))
    if file["format"] != FORMAT or file["version"] != VERSION:
        raise Refused(f"not a protection certificate of version {VERSION}; write it anew with protect --proofs")
    if file["digest"] != digest(file):
        raise Refused("changed since it was written: the digest does not fit")
    if file["release"] != release.fingerprint:
        raise Refused("made for another release: the fingerprints differ; give the release that was protected")
    if file["attacker"] not in ("exact", "linear"):
        raise Refused("the attacker is exact or linear")
    if release.eithers or len(release.names) < len(release.statistics):
        raise Refused("this checker judges protections of counts only")
    return file


def _case(release: Release, file: Any) -> Case:
    with at("policy"):
        policy = policy_of(release.domain, file["policy"])
        primary = policy.cells(release)
    if frozenset(whole(i, 0) for i in parse.entries(file["primary"])) != primary:
        raise Refused("primary: these are not the cells that the policy says")
    if file["attacker"] == "linear" and (policy.columns is not None or policy.attribute or policy.width > 2 or policy.sides):
        raise Refused("the linear attacker looks at primary cells and at nothing else of a policy")
    count = len(release.statistics)
    actions = []
    for number, entry in enumerate(parse.entries(file["actions"])):
        with at(f"action {number}"):
            keyed(entry, ("kind", "name", "cost", "numbers"), ("base",))
            numbers = frozenset(whole(i, 0) for i in parse.entries(entry["numbers"]))
            if entry["kind"] not in ("cell", "table", "round") or any(i >= count for i in numbers):
                raise Refused("expected a cell, a table or rounding, and numbers that there are")
            zeros = {i for i in numbers if policy.zeros_shown and release.statistics[i].high == 0 and entry["kind"] == "cell"}
            if zeros or (primary & numbers and entry["kind"] != "table"):
                raise Refused("primary cells are withheld anyway, and zeros that stay shown cannot be withheld")
            actions.append(Action(entry["kind"], whole(entry["cost"], 0), numbers, whole(entry.get("base", 2), 2)))
    if file["groups"] not in ("published", "none"):
        raise Refused("groups are published or none")
    case = Case(release, policy, primary, tuple(actions), file["groups"] == "published")
    if policy.most is not None and any(case.true(number) > policy.most for number in primary):
        raise Refused("policy: a primary cell is larger than it is known to be")
    return case


def _end(entry: Any, name: str) -> int | None:
    return whole(entry[name], 0) if name in entry else None


def _implies(known: Limits, needed: Limits) -> bool:
    low = needed[0] is None or (known[0] is not None and known[0] >= needed[0])
    return low and (needed[1] is None or (known[1] is not None and known[1] <= needed[1]))


def _explanation(case: Case, attacker: str, entry: Any) -> frozenset[int]:
    """The actions of which one has to be taken, if the explanation holds."""
    keyed(entry, ("needs", "breach", "steps", "proofs"))
    statistics, clause = list[Statistic](), set[int]()
    for need in parse.entries(entry["needs"]):
        keyed(need, ("number",), ("low", "high"))
        number = whole(need["number"], 0)
        if number >= len(case.release.statistics):
            raise Refused(f"needs: there is no number {number}")
        limits = _end(need, "low"), _end(need, "high")
        if not _implies(case.shown(number), limits):
            raise Refused(f"needs: what is shown of number {number} does not say so much")
        clause |= {a for a, x in enumerate(case.actions) if number in x.numbers and not _implies(case.after(number, x), limits)}
        statistics.append(Statistic(case.release.statistics[number].about, *limits))
    part = case.release._replace(statistics=tuple(statistics))
    steps = [parse.step_of(part.domain, step) for step in parse.entries(entry["steps"])]
    trees = [parse.tree_of(part.domain, tree) for tree in parse.entries(entry["proofs"])]
    goals = _goals(case, entry["breach"])
    if len(trees) != len(goals):
        raise Refused("a proof is missing, or there is one too many")
    if attacker == "linear":
        _combination(part, steps, goals, trees)
        return frozenset(clause)
    state = build(part, steps)
    for (form, goal), tree in zip(goals, trees, strict=True):
        at_most(state, form, goal, tree)
    return frozenset(clause)


def _goals(case: Case, breach: Any) -> list[tuple[Form, int]]:
    """What has to be proved: forms that are at most a number. The breach itself must break the policy."""
    if isinstance(breach, dict) and "cell" in breach:
        keyed(breach, ("cell", "low"), ("high",))
        number, low, high = whole(breach["cell"], 0), whole(breach["low"], 0), _end(breach, "high")
        if number not in case.primary or case.policy.wide_enough(case.true(number), low, high):
            raise Refused("breach: this does not break the policy")
        form = case.release.statistics[number].about
        return ([] if high is None else [(form, high)]) + ([(neg(form), -low)] if low else [])
    keyed(breach, ("claim", "count"), ("group",))
    box, count = box_of(case.release.domain, breach["claim"]), whole(breach["count"], 1)
    boxes = [box]
    if not nameable(case.release, box, case.groups):
        raise Refused("breach: a claim does not name such a group of codes")
    if "group" in breach:
        group = box_of(case.release.domain, breach["group"])
        more = dict(set(box) - set(group))
        attributes = {case.release.domain.columns[name] for name in case.policy.attribute}
        if not set(group) <= set(box) or len(more) != 1 or not all(c in attributes and not x & (x - 1) for c, x in more.items()):
            raise Refused("breach: the claim is not its group and one value of an attribute of the policy")
        boxes.append(group)
    elif not case.policy.over(len(box), count):
        raise Refused("breach: this does not break the policy")
    return [goal for some in boxes for goal in ((((1, some),), count), (((-1, some),), -count))]


def _combination(part: Release, steps: Sequence[parse.Step], goals: list[tuple[Form, int]], trees: Sequence[parse.Tree]) -> None:
    """For somebody who only adds and subtracts: one sum of numbers shown exactly equals the cell on every record there could be."""
    if not all(isinstance(step, parse.Columns) for step in steps):
        raise Refused("the linear attacker knows of no impossible records")
    bare = part._replace(rules=())
    state = build(bare, steps)
    for (form, goal), tree in zip(goals, trees, strict=True):
        if not isinstance(tree, parse.Leaf):
            raise Refused("the linear attacker makes no case distinctions")
        total = list[tuple[int, Box]]()
        for row, times in tree.terms:
            if row // 2 >= len(bare.statistics):
                raise Refused(f"there is no row {row}")
            statistic = bare.statistics[row // 2]
            if statistic.low != statistic.high:
                raise Refused("the linear attacker uses numbers shown exactly")
            total += scale(times if row % 2 == 0 else -times, statistic.about)
        rest = scale(tree.over, form) + neg(tuple(total))
        if not never_positive(state.cover, rest) or not never_positive(state.cover, neg(rest)):
            raise Refused("the sum is not the cell on every record")
        at_most(state, form, goal, tree)


def _covering(case: Case, clauses: list[frozenset[int]], tree: Any, bound: int, result: Protected) -> None:
    """No choice that meets every clause costs less than the bound."""
    if bound <= 0:
        return
    if tree is None:
        result.trusted.append("that no cheaper choice meets all explanations: a solver says so")
        return
    with at("covering"):
        _cheaper(case, dict(enumerate(clauses)), 0, bound, tree, 0)


def _cheaper(case: Case, sets: dict[int, frozenset[int]], spent: int, bound: int, tree: Any, depth: int) -> None:
    case.release.domain.work.spend(64 * (sum(map(len, sets.values())) + len(case.actions) + 1))
    if depth > DEEPEST or not isinstance(tree, dict):
        raise Refused("expected a tree of bounded depth")
    if "item" in tree:
        keyed(tree, ("item", "taken", "left"))
        item = whole(tree["item"], 0)
        if item >= len(case.actions):
            raise Refused(f"there is no action {item}")
        met = {s: items for s, items in sets.items() if item not in items}
        _cheaper(case, met, spent + case.actions[item].cost, bound, tree["taken"], depth + 1)
        _cheaper(case, {s: items - {item} for s, items in sets.items()}, spent, bound, tree["left"], depth + 1)
        return
    if "unmet" in tree:
        keyed(tree, ("unmet",))
        if sets.get(whole(tree["unmet"], 0)) != frozenset():
            raise Refused("this explanation can still be met")
        return
    keyed(tree, ("pay", "over"))
    over, total = whole(tree["over"], 1), 0
    spare = {a: over * action.cost for a, action in enumerate(case.actions)}
    for s, number in pairs(tree["pay"]):
        if whole(s, 0) not in sets:
            raise Refused("something is paid for an explanation that is met or not there")
        total += whole(number, 0)
        for item in sets[s]:
            spare[item] -= number
    if any(left < 0 for left in spare.values()):
        raise Refused("more is paid for an action than it costs")
    if spent + -(-total // over) < bound:
        raise Refused("what is paid does not add up to the bound")


def _safe(case: Case, attacker: str, taken: Sequence[int], evidence: Any) -> None:
    """What is left after the actions taken keeps the policy, or this raises."""
    keyed(evidence, (), ("datasets", "audit", "direction"))
    release = case.release
    limits = [case.left(i, taken) for i in range(len(release.statistics))]
    about = [statistic.about for statistic in release.statistics]
    if attacker == "linear":
        _direction(case, limits, evidence.get("direction"))
        return
    left = release._replace(statistics=tuple(Statistic(form, *limit) for form, limit in zip(about, limits, strict=True)))
    if case.primary:
        datasets = [parse.witness_of(release.domain, dataset) for dataset in parse.entries(evidence.get("datasets"))]
        witnesses = Witnesses(release.domain, datasets)
        wrong = next((reason for reason in consistent(left, witnesses) if reason), "")
        if wrong or not datasets:
            raise Refused(wrong or "no dataset is listed")
        for number in sorted(case.primary):
            counts = witnesses.counts(about[number][0][1])
            if not case.policy.wide_enough(case.true(number), min(counts), max(counts)):
                raise Refused(f"the listed datasets do not show that number {number} is unknown")
    if case.policy.columns is not None or case.policy.attribute:
        _audited(case, left, evidence.get("audit"))


def _audited(case: Case, left: Release, document: Any) -> None:
    """Every certain claim is in the list, and none of them breaks the policy."""
    file = parse.plain(document)
    result = check(left._replace(fingerprint=file["release"]), document, nothing_missed=True, groups=case.groups)
    if result.rejected or not result.complete:
        raise Refused(result.rejected[0] if result.rejected else f"not shown to be complete: {result.reason}")
    domain = left.domain
    facts = [parse.fact_of(domain, fact) for fact in file["facts"]]
    claims = [(box, fact.times) for fact in facts for box in (fact.what, *fact.forms)]
    totals = {sum(n for n, _ in parse.witness_of(domain, dataset)) for dataset in file["witnesses"]}
    broken = broken_by_claims(case.policy, domain, claims, totals, case.groups)
    if broken:
        raise Refused(f"what is left breaks the policy: {broken}")


def _direction(case: Case, limits: Sequence[Limits], entries: Any) -> None:
    """Changes to the records that no number shown exactly notices, but every primary cell."""
    moves = list[tuple[int, tuple[int, ...]]]()
    for change, record in pairs(entries):
        ((_, codes),) = parse.witness_of(case.release.domain, [record])
        moves.append((whole(change), codes))
    for number, statistic in enumerate(case.release.statistics):
        ((_, box),) = statistic.about
        total = sum(change for change, codes in moves if all(side >> codes[c] & 1 for c, side in box))
        low, high = limits[number]
        if number in case.primary and not total:
            raise Refused(f"number {number} does not change")
        if low == high and total:
            raise Refused(f"number {number} is shown and changes")
