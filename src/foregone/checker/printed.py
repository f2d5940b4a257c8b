"""What a reader makes of what is printed: the numbers with what the policy says is known, which of them are primary, and marks.

A mark tells a reader more than that a number is not shown: what its footnote says, and, where two marks are used, that a cell with
the one is none of those that would have got the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

from foregone.checker import parse
from foregone.checker.asked import Asked, Marking, Number, Ranges
from foregone.checker.check import at_most, build
from foregone.checker.complete import Witnesses, consistent
from foregone.checker.policy import Policy
from foregone.checker.refusal import TERM, Refused, at
from foregone.checker.rows import Release, keyed, whole

MARK = "[c]"  # where the tables have no mark of their own


def as_read(policy: Policy, numbers: Sequence[Number]) -> tuple[Number, ...]:
    """With what a policy says is known of counts that are not shown. Where zeros are shown such a count is at least 1; of a table
    of several counts of which none is shown zeros are gone, too. How large a primary cell is at most is known of those that are
    named.
    """
    if policy.known is None:
        return tuple(numbers)
    seen, made = _with_zeros_shown(policy, numbers), []
    for number in numbers:
        ranges = number.ranges
        if number.hidden and not number.figure:
            if number.group in seen:
                ranges = without(ranges, 0, 0)
                if not ranges:
                    raise Refused(f"{number.label} is 0, and zeros are known to be shown")
            if policy.most is not None and isinstance(policy.primary, frozenset) and number.name in policy.primary:
                ranges = without(ranges, policy.most + 1, None)
        made.append(number._replace(ranges=ranges) if ranges else number)  # a mark that can stand for nothing else stays
    return tuple(made)


def _with_zeros_shown(policy: Policy, numbers: Iterable[Number]) -> dict[str, int]:
    """Tables in which a count that is not shown is known not to be 0, and so is at least 1."""
    tables = dict[str, list[bool]]()
    for number in numbers:
        if policy.zeros_shown and not number.figure:
            tables.setdefault(number.group, []).append(number.hidden)
    return {table: 1 for table, hidden in tables.items() if len(hidden) == 1 or not all(hidden)}


def content_of(content: Any, numbers: Iterable[Number]) -> dict[str, Any]:
    """Some numbers as plain data that says what they can be and nothing of marks: gaps become either-ors."""
    entries, alternatives = list[Any](), list[Any]()
    for number in numbers:
        if number.figure:
            entries.append(number.entry)
            continue
        where, high = number.entry.get("where", {}), number.high
        ends = {"low": number.low} | ({} if high is None else {"high": high})
        status = {"status": "withheld"} if number.hidden else {}
        entries.append({"where": where, "name": number.name, "table": number.table, **ends, **status})
        for (_, last), (first, _) in pairwise(number.ranges):
            terms = [[1, where]]
            alternatives.append([{"terms": terms, "high": last}, {"terms": terms, "low": first}])
    rest = {key: value for key, value in content.items() if key != "marks"}
    return {**rest, "statistics": entries, **({"alternatives": alternatives} if alternatives else {})}


def primary_of(policy: Policy, release: Release, numbers: Sequence[Number], proved: Any, listed: Any) -> frozenset[int]:
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
    for place, entry in enumerate(parse.entries(proved), start=1):
        with at(f"primary {place}"):
            keyed(entry, ("number", "low", "high", "steps", "proofs"))
            i, low, high = (whole(entry[key], 0) for key in ("number", "low", "high"))
            if i >= len(counts) or low < least or high > most:
                raise Refused("this is no primary cell")
            state = build(release, [parse.step_of(domain, step) for step in parse.entries(entry["steps"])])
            trees, form = [parse.tree_of(domain, tree) for tree in parse.entries(entry["proofs"])], ((1, numbers[i].box),)
            goals = [(form, high), *([(((-1, numbers[i].box),), -low)] if low else [])]
            if len(trees) != len(goals):
                raise Refused("a proof is missing, or there is one too many")
            for (about, goal), tree in zip(goals, trees, strict=True):
                at_most(state, about, goal, tree)
            found.add(i)
    open_ = [(i, number) for i, number in counts if i not in found and (number.hidden or number.low != number.high)]
    if open_:
        witnesses = Witnesses(domain, [parse.witness_of(domain, dataset) for dataset in parse.entries(listed)])
        wrong = next((reason for reason in consistent(release, witnesses) if reason), "")
        if wrong:
            raise Refused(f"original: {wrong}")
        for _, number in open_:
            if all(least <= count <= most for count in witnesses.counts(number.box)):
                raise Refused(f"it is not shown whether {number.label} is primary")
    return frozenset(found)


def marking_of(release: Release, policy: Policy, numbers: Sequence[Number], kept: set[int], asked: Asked, linear: bool) -> Marking:
    """How a protection is printed, and what a reader concludes from it."""
    if asked.by == "table":
        return Marking("", int(policy.zeros_shown), True, False, {})
    counts = [number for number in numbers if not number.figure]
    old = [number for i, number in enumerate(counts) if number.hidden and i not in kept]
    texts = list(dict.fromkeys(number.mark for number in old if number.mark))
    one = asked.marks == "one"
    reusable = len(texts) == 1 and one and not any(letter.isdigit() for letter in texts[0])  # "<5" in the place of 7 would be a lie
    text = asked.mark or (texts[0] if reusable else MARK)
    if not one and text in texts:
        raise Refused(f"marks: {text[:40]!r} is the mark of cells that were not shown before")
    zeros = _zeros_may_go(policy, counts)
    told = policy.known is None and not linear and not zeros  # nobody says what is known: then zeros are seen to be shown
    least = int(policy.zeros_shown or told)
    if one:  # one mark says one thing of old cells and of new ones
        return Marking(text, min([least, *(number.low for number in old)]), zeros, True, _with_zeros_shown(policy, counts))
    return Marking(text, least, zeros, False, _excluded(release, counts, least))


def _zeros_may_go(policy: Policy, counts: Iterable[Number]) -> bool:
    """May cells of 0 be withheld? A zero can tell what everybody has, and primary cells may be 0."""
    if policy.zeros_shown:
        return False
    if isinstance(policy.primary, tuple):
        return bool(policy.attribute) or policy.primary[0] == 0
    names = policy.primary or ()
    return bool(policy.attribute) or any(number.high == 0 and number.name in names for number in counts)


def _excluded(release: Release, counts: Sequence[Number], least: int) -> dict[str, int]:
    """For tables in which every count in an old mark's range carries that mark: a new mark there stands for no such count."""
    tables = dict[str, list[Number]]()
    for number in counts:
        tables.setdefault(number.group, []).append(number)
    found = dict[str, int]()
    for table, cells in tables.items():
        left: Ranges = ((least, None),)
        for mark in dict.fromkeys(number.mark for number in cells if number.mark):
            meant = {part for number in cells if number.mark == mark for part in number.ranges}
            others = {part for number in cells if number.mark != mark for part in number.ranges}
            release.domain.work.spend(TERM * len(meant) * (1 + len(others)))
            if not any(_meet(one, other) for one in meant for other in others):
                for low, high in meant:
                    left = without(left, low, high)
        if len(left) != 1 or left[0][1] is not None:
            raise Refused(f"marks: in table {table[:40]!r} a new mark would stand for a few counts only")
        if left[0][0] > least:
            found[table] = left[0][0]
    return found


def _meet(one: tuple[int, int | None], other: tuple[int, int | None]) -> bool:
    return (other[1] is None or one[0] <= other[1]) and (one[1] is None or other[0] <= one[1])


def without(ranges: Ranges, low: int, high: int | None) -> Ranges:
    """Ranges less the counts from `low` to `high`."""
    left = list[tuple[int, int | None]]()
    for first, last in ranges:
        if first < low:
            left.append((first, low - 1 if last is None else min(last, low - 1)))
        if high is not None and (last is None or last > high):
            left.append((max(first, high + 1), last))
    return tuple(left)
