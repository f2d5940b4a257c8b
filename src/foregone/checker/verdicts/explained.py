"""An explanation: statements about published numbers that break the policy by themselves, and what would take one of them away."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import and_, or_
from typing import Any, NamedTuple

from foregone.checker import kernel
from foregone.checker.encode.asked import cuts, holds
from foregone.checker.encode.marks import Number, content_of, number_of
from foregone.checker.encode.release import release_of
from foregone.checker.encode.weaker import CertifiedCase, Limits, left_release
from foregone.checker.kernel import TERM, Box, Form, PlainRelease, PlainStatistic, at_most, build, full, neg, never_positive, scale
from foregone.checker.read.proofs import each, step_of, tree_of, witness_of
from foregone.checker.read.refusal import Refused
from foregone.checker.read.values import box_of, entries, keyed, where_of, whole
from foregone.checker.verdicts.choice import Clause
from foregone.checker.verdicts.datasets import Witnesses
from foregone.checker.verdicts.policy import fitting


class _Need(NamedTuple):
    """Limits of a count or of a sum, or a figure as it was published; `gaps`: the counts that a mark cannot stand for, too."""

    number: int
    about: Box
    low: int | None
    high: int | None
    gaps: bool = False


class _Goal(NamedTuple):
    """The form is at most `most`, where the count of a box, if one is given, has this value."""

    form: Form
    most: int
    where: tuple[Box, int] | None = None


class Possible(NamedTuple):
    """Datasets that fit whatever is done, and what their records are like."""

    witnesses: Witnesses
    seen: tuple[int, ...]  # of each column the codes that they have

    def more(self, other: Possible) -> Possible:
        """Of each column the codes of both."""
        return Possible(other.witnesses, tuple(a | b for a, b in zip(self.seen, other.seen, strict=True)))


def possible(case: CertifiedCase, given: Sequence[int], listed: Any) -> Possible:
    """Datasets that fit what is left after some actions, and so what is left after more; or this raises."""
    witnesses = fitting(case.release.domain, listed, lambda: left_release(case, given))
    return Possible(witnesses, tuple(reduce(or_, set(side), 0) for side in witnesses.records.sides))


def clause_of(case: CertifiedCase, attacker: str, entry: Any, before: Possible) -> Clause:
    """Whoever takes all actions of one set has to take one of another, if the explanation holds."""
    keyed(entry, ("needs", "breach", "steps", "proofs"), ("given", "datasets"))
    given = [whole(a, 0) for a in entries(entry.get("given", []))]
    if any(a >= len(case.actions) for a in given):
        raise Refused("given: there is no such action")
    seen = before.more(possible(case, given, entry["datasets"])) if "datasets" in entry else before
    needs, items = list[_Need](), set[int]()
    for value in entries(entry["needs"]):
        case.release.domain.work.spend(256 * (len(case.actions) + len(case.sums) + 1))
        need, hit = _summed(case, value) if isinstance(value, dict) and "sum" in value else _single(case, value)
        needs.append(need)
        items |= hit
    goals, ended = _goals(case, entry["breach"], frozenset(given), (before, seen))
    written = entries(entry["proofs"])
    if len(written) != len(goals):
        raise Refused("a proof is missing, or there is one too many")
    part = _part(case, needs)
    steps = each(part.domain, entry["steps"], step_of)
    plain = [tree_of(part.domain, tree) for tree, goal in zip(written, goals, strict=True) if goal.where is None]
    forms = [(goal.form, goal.most) for goal in goals if goal.where is None]
    if attacker == "linear":
        if len(plain) < len(goals):
            raise Refused("the linear attacker knows no values that are missing")
        if any(need.number >= 0 and case.shown(need.number).hidden for need in needs):
            raise Refused("the linear attacker uses numbers that are shown")
        _combination(part, steps, forms, plain)
        return Clause(frozenset(given), frozenset(items | ended))
    state = build(part, steps)
    for (form, most), tree in zip(forms, plain, strict=True):
        at_most(state, form, most, tree)
    for goal, value in zip(goals, written, strict=True):
        if goal.where is not None:
            _impossible(case, needs, goal.where, value)
    return Clause(frozenset(given), frozenset(items | ended))


def _impossible(case: CertifiedCase, needs: Sequence[_Need], where: tuple[Box, int], proof: Any) -> None:
    """With one more number nothing fits: the count of a box is not this value."""
    keyed(proof, ("steps", "proof"))
    part = _part(case, needs, where)
    state = build(part, each(part.domain, proof["steps"], step_of))
    at_most(state, (), -1, tree_of(part.domain, proof["proof"]))


def _single(case: CertifiedCase, value: Any) -> tuple[_Need, set[int]]:
    keyed(value, ("number",), ("low", "high", "bare"))
    i = whole(value["number"], 0)
    if i >= len(case.numbers):
        raise Refused(f"needs: there is no number {i}")
    number, touching = case.numbers[i], {a for a, action in enumerate(case.actions) if i in action.numbers}
    if number.figure:
        keyed(value, ("number",))
        return _Need(i, number.box, None, None), touching
    limits = end(value, "low"), end(value, "high")
    if not _implies((case.shown(i).low, case.shown(i).high), limits):
        raise Refused(f"needs: what is shown of number {i} does not say so much")
    gaps = "bare" not in value and _tells_gaps(case.shown(i), limits)
    gone = {a for a in touching if case.actions[a].kind == "merge" or gaps}
    return _Need(i, number.box, *limits, gaps), gone | {a for a in touching if not _implies(case.after(i, case.actions[a]), limits)}


def _summed(case: CertifiedCase, value: Any) -> tuple[_Need, set[int]]:
    """A sum is among those settled beforehand: it stays known as long as its parts are, and when they are merged, it is shown."""
    keyed(value, ("sum",), ("low", "high"))
    parts = tuple(whole(i, 0) for i in entries(value["sum"]))
    made = next((found for found in case.sums if found.parts == parts), None)
    if made is None:
        raise Refused("needs: no merge shows this sum")
    limits, clause = (end(value, "low"), end(value, "high")), set[int]()
    if not _implies((case.total(made),) * 2, limits):
        raise Refused("needs: the sum does not say so much")
    for a, action in enumerate(case.actions):
        if action.kind == "merge":
            clause |= {a} if cuts(action.merged, made.whole) else set()
        elif action.numbers.intersection(parts) and not _implies((0, None), limits):  # then the sum is not shown
            clause.add(a)
    return _Need(-1, made.whole, *limits), clause


def end(entry: Any, name: str) -> int | None:
    return whole(entry[name], 0) if name in entry else None


def _tells_gaps(number: Number, needed: Limits) -> bool:
    """Is so much needed that the gaps of a mark are, too? Nobody knows them once something was done to the number."""
    return len(number.ranges) > 1 and (number.low, number.high) == (needed[0] or 0, needed[1])


def _implies(known: Limits, needed: Limits) -> bool:
    low = needed[0] is None or (known[0] is not None and known[0] >= needed[0])
    return low and (needed[1] is None or (known[1] is not None and known[1] <= needed[1]))


def _part(case: CertifiedCase, needs: Sequence[_Need], more: tuple[Box, int] | None = None) -> PlainRelease:
    """The statements alone as a release, and perhaps the count of one more box. What a figure says may depend on the counts beside
    it, so it is translated anew. The gaps of a count hold as long as it is needed as it is.
    """
    domain = case.release.domain
    domain.work.spend(8 * TERM * len(needs))
    counts, figures = list[Number](), list[Number]()
    for need in needs:
        known = case.numbers[need.number] if need.number >= 0 else _unnamed(case, need.about)
        ranges = case.shown(need.number).ranges if need.gaps else ((need.low or 0, need.high),)
        (figures if known.figure else counts).append(known if known.figure else known._replace(ranges=ranges, hidden=False))
    percentages = [figure.entry for figure in figures if figure.entry["measure"] == "percent"]
    bases = {entry.get("of", "") for entry in percentages} - {"", *(n.name for n in counts)}  # each names the count that it is of
    counts += [n._replace(ranges=((0, None),), hidden=True) for n in case.numbers if not n.figure and n.name in bases]
    counts += [_unnamed(case, more[0])._replace(ranges=((more[1], more[1]),))] if more is not None else []
    if not figures and all(len(number.ranges) == 1 for number in counts):
        rows = tuple(PlainStatistic(((1, number.box),), number.low, number.high) for number in counts)
        return case.release._replace(statistics=rows, eithers=())
    domain.work.spend(8 * TERM * sum(map(len, domain.codes)))  # which are read anew
    made = release_of(content_of(case.content, [*counts, *figures]))
    domain.work.spend(made.domain.work.spent)
    return made._replace(domain=domain)


def _unnamed(case: CertifiedCase, box: Box) -> Number:
    return number_of({"where": where_of(case.release.domain, box)}, box, ((0, None),))


def nameable(release: PlainRelease, box: Box, groups: bool) -> bool:
    """May a claim name these codes? Single ones it may; several, if they are what some groups of the release have in common."""
    for c, codes in box:
        if codes & (codes - 1):
            release.domain.work.spend(TERM * len(release.named))
            around = [side for named in release.named for at, side in named if at == c and not codes & ~side] if groups else []
            if not around or reduce(and_, around) != codes:
                return False
    return True


def _goals(
    case: CertifiedCase, breach: Any, given: frozenset[int], seen: tuple[Possible, Possible]
) -> tuple[list[_Goal], frozenset[int]]:
    """What has to be proved, and actions after which there is nothing to ask. The breach itself must break the policy."""
    if isinstance(breach, dict) and "cell" in breach:
        return _cell(case, breach, given)
    if isinstance(breach, dict) and "group" in breach:
        return _group(case, breach, seen), frozenset()
    keyed(breach, ("claim", "count"), ("everybody",))
    box, count = box_of(case.release.domain, breach["claim"]), whole(breach["count"], 1)
    if not nameable(case.release._replace(named=case.named), box, case.groups):
        raise Refused("breach: a claim does not name such a group of codes")
    # a claim about everybody counts all its columns, any other those in which somebody may have another code
    codes = seen[1].seen
    counting = sum(codes[c] & ~side != 0 for c, side in box) if case.groups and "everybody" not in breach else len(box)
    if not case.policy.over(counting, count):
        raise Refused("breach: this does not break the policy, as far as the columns are shown to count")
    boxes = [box, *([()] if "everybody" in breach else [])]
    return [_Goal(form, most) for some in boxes for form, most in ((((1, some),), count), (((-1, some),), -count))], frozenset()


def _cell(case: CertifiedCase, breach: Any, given: frozenset[int]) -> tuple[list[_Goal], frozenset[int]]:
    """Too few values are possible for a cell that is primary, or not shown, before anything is done or after the actions given."""
    keyed(breach, ("cell", "low"), ("high", "missing"))
    number, low, high = whole(breach["cell"], 0), whole(breach["low"], 0), end(breach, "high")
    missing = [whole(value, 0) for value in entries(breach.get("missing", []))]
    if number >= len(case.numbers) or case.numbers[number].figure or len(set(missing)) < len(missing):
        raise Refused("breach: expected a count and different values that it does not have")
    between = [value for value in missing if high is not None and low <= value <= high]
    values = None if high is None else high - low + 1 - len(between)
    policy, found = case.policy, case.numbers[number]
    narrow = number in case.primary and values is not None and values < policy.width
    if number in case.primary and policy.sides and not narrow:
        narrow = found.exact and not policy.reaches(found.low, low, high)
    ended = frozenset[int]()
    if not narrow:
        hiding = {a for a in given if number in case.actions[a].numbers and case.actions[a].kind in ("cell", "table")}
        asked = case.shown(number).hidden or hiding
        if not asked or values is None or values >= policy.stars:
            raise Refused("breach: this does not break the policy")
        ended = frozenset(a for a, action in enumerate(case.actions) if action.kind == "merge" and number in action.numbers)
    form = ((1, found.box),)
    goals = ([] if high is None else [_Goal(form, high)]) + ([_Goal(neg(form), -low)] if low else [])
    return goals + [_Goal((), -1, (found.box, value)) for value in between], ended


def _group(case: CertifiedCase, breach: Any, seen: tuple[Possible, Possible]) -> list[_Goal]:
    """Nobody in a group has another value of an attribute, somebody can be in it, and neither domain nor rules say so already."""
    keyed(breach, ("group", "column", "code", "allowed"))
    domain, name = case.release.domain, breach["column"]
    group = box_of(domain, breach["group"])
    if name not in case.policy.attribute or breach["code"] not in list(domain.codes[domain.columns[name]]):
        raise Refused("breach: expected an attribute of the policy and one of its codes")
    c, around = domain.columns[name], case.policy.attribute_from
    known = set(domain.columns.values()) if around is None else {domain.columns[column] for column in around}
    if not {at for at, _ in group} <= known - {c} or not nameable(case.release._replace(named=case.named), group, case.groups):
        raise Refused("breach: this is not what somebody may know of a person")
    others = full(domain, c) & ~(1 << domain.codes[c][breach["code"]])
    rest = tuple(sorted((*group, (c, others))))
    ((_, record),) = witness_of(domain, [breach["allowed"]])
    if not others or not holds(rest, record):
        raise Refused("breach: the record that is allowed lies elsewhere")
    if any(holds(rule, record) for rule in case.release.rules):
        raise Refused("breach: a rule forbids the record that is allowed")
    if not any(any(one.witnesses.counts(group)) for one in seen):
        raise Refused("breach: no listed dataset has anybody in the group")
    return [_Goal(((1, rest),), 0)]


def _combination(
    part: PlainRelease, steps: Sequence[kernel.Step], goals: list[tuple[Form, int]], trees: Sequence[kernel.Tree]
) -> None:
    """For somebody who only adds and subtracts: one sum of numbers shown exactly equals the cell on every record there could be."""
    if not all(isinstance(step, kernel.Columns) for step in steps):
        raise Refused("the linear attacker knows of no impossible records")
    bare = part._replace(rules=())
    state = build(bare, steps)
    for (form, most), tree in zip(goals, trees, strict=True):
        if not isinstance(tree, kernel.Leaf):
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
        at_most(state, form, most, tree)
