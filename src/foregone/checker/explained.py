"""An explanation: statements about published numbers that break the policy by themselves, and what would take one of them away."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from foregone.checker import parse
from foregone.checker.asked import cuts
from foregone.checker.check import at_most, build, never_positive
from foregone.checker.cover import neg, scale
from foregone.checker.refusal import TERM, Refused
from foregone.checker.rows import Box, Form, Release, Statistic, box_of, keyed, nameable, release_of, whole
from foregone.checker.weaker import Case, Limits


class _Need(NamedTuple):
    """Limits of a count or of a sum, or a figure as it was published."""

    number: int
    about: Box
    low: int | None
    high: int | None


def clause_of(case: Case, attacker: str, entry: Any) -> frozenset[int]:
    """The actions of which one has to be taken, if the explanation holds."""
    keyed(entry, ("needs", "breach", "steps", "proofs"))
    needs, clause = list[_Need](), set[int]()
    for value in parse.entries(entry["needs"]):
        case.release.domain.work.spend(256 * (len(case.actions) + len(case.sums) + 1))
        need, hit = _summed(case, value) if isinstance(value, dict) and "sum" in value else _single(case, value)
        needs.append(need)
        clause |= hit
    part = _part(case, needs)
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


def _single(case: Case, value: Any) -> tuple[_Need, set[int]]:
    keyed(value, ("number",), ("low", "high"))
    i = whole(value["number"], 0)
    if i >= len(case.numbers):
        raise Refused(f"needs: there is no number {i}")
    number, touching = case.numbers[i], {a for a, action in enumerate(case.actions) if i in action.numbers}
    if number.figure:
        keyed(value, ("number",))
        return _Need(i, number.box, None, None), touching
    limits = end(value, "low"), end(value, "high")
    if not _implies(case.shown(i), limits):
        raise Refused(f"needs: what is shown of number {i} does not say so much")
    gone = {a for a in touching if case.actions[a].kind == "merge"}
    return _Need(i, number.box, *limits), gone | {a for a in touching if not _implies(case.after(i, case.actions[a]), limits)}


def _summed(case: Case, value: Any) -> tuple[_Need, set[int]]:
    """A sum is among those settled beforehand: it stays known as long as its parts are, and when they are merged, it is shown."""
    keyed(value, ("sum",), ("low", "high"))
    parts = tuple(whole(i, 0) for i in parse.entries(value["sum"]))
    made = next((found for found in case.sums if found.parts == parts), None)
    if made is None:
        raise Refused("needs: no merge shows this sum")
    limits, clause = (end(value, "low"), end(value, "high")), set[int]()
    if not _implies((case.total(made),) * 2, limits):
        raise Refused("needs: the sum does not say so much")
    for a, action in enumerate(case.actions):
        if action.kind == "merge":
            clause |= {a} if cuts(action.merged, made.whole) else set()
        elif action.numbers.intersection(parts) and not _implies(case.after_sum(made, action), limits):
            clause.add(a)
    return _Need(-1, made.whole, *limits), clause


def end(entry: Any, name: str) -> int | None:
    return whole(entry[name], 0) if name in entry else None


def _implies(known: Limits, needed: Limits) -> bool:
    low = needed[0] is None or (known[0] is not None and known[0] >= needed[0])
    return low and (needed[1] is None or (known[1] is not None and known[1] <= needed[1]))


def _part(case: Case, needs: Sequence[_Need]) -> Release:
    """The statements alone as a release. What a figure says may depend on the counts beside it, so it is translated anew."""
    counts = [need for need in needs if need.number < 0 or not case.numbers[need.number].figure]
    figures = [case.numbers[need.number].entry for need in needs if need.number >= 0 and case.numbers[need.number].figure]
    stated = tuple(Statistic(((1, need.about),), need.low, need.high) for need in counts)
    if not figures:
        return case.release._replace(statistics=stated, eithers=())
    there = {case.numbers[need.number].name for need in counts if need.number >= 0}
    bases = {entry.get("of", "") for entry in figures if entry["measure"] == "percent"} - {*there, ""}
    entries = []
    for need in counts:
        known = case.numbers[need.number].entry if need.number >= 0 else {}
        where = known.get("where", {}) if known else case.where(need.about)
        ends = {"low": need.low or 0} | ({} if need.high is None else {"high": need.high})
        entries.append({"where": where, "name": known.get("name", ""), **ends})
    hidden = [n.entry for n in case.numbers if not n.figure and n.name in bases]  # a percentage names the count that it is of
    entries += [{"where": entry.get("where", {}), "name": entry["name"], "status": "withheld"} for entry in hidden]
    case.release.domain.work.spend(8 * TERM * sum(map(len, case.release.domain.codes)))  # which are read anew
    made = release_of({**case.content, "statistics": [*entries, *figures]})
    case.release.domain.work.spend(made.domain.work.spent)
    return made._replace(domain=case.release.domain)


def _goals(case: Case, breach: Any) -> list[tuple[Form, int]]:
    """What has to be proved: forms that are at most a number. The breach itself must break the policy."""
    if isinstance(breach, dict) and "cell" in breach:
        keyed(breach, ("cell", "low"), ("high",))
        number, low, high = whole(breach["cell"], 0), whole(breach["low"], 0), end(breach, "high")
        if number not in case.primary or case.policy.wide_enough(case.true(number), low, high):
            raise Refused("breach: this does not break the policy")
        form = ((1, case.numbers[number].box),)
        return ([] if high is None else [(form, high)]) + ([(neg(form), -low)] if low else [])
    keyed(breach, ("claim", "count"), ("group", "everybody"))
    box, count = box_of(case.release.domain, breach["claim"]), whole(breach["count"], 1)
    boxes = [box]
    if not nameable(case.release._replace(named=case.named), box, case.groups):
        raise Refused("breach: a claim does not name such a group of codes")
    if "group" in breach:
        group = box_of(case.release.domain, breach["group"])
        more = dict(set(box) - set(group))
        attributes = {case.release.domain.columns[name] for name in case.policy.attribute}
        if not set(group) <= set(box) or len(more) != 1 or not all(c in attributes and not x & (x - 1) for c, x in more.items()):
            raise Refused("breach: the claim is not its group and one value of an attribute of the policy")
        boxes.append(group)
    else:  # a claim about everybody counts all its columns, any other those in which somebody may have another code
        boxes += [()] if "everybody" in breach else []
        if not case.policy.over(len(box) if "everybody" in breach else case.counting(box), count):
            raise Refused("breach: this does not break the policy, as far as the columns are shown to count")
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
