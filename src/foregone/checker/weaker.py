"""What is left of a release after some actions. It is worked out here from the release itself, and from nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations, islice
from math import prod
from typing import Any, NamedTuple

from foregone.checker.asked import Action, Asked, Number, cuts
from foregone.checker.policy import Policy
from foregone.checker.refusal import TERM, Refused
from foregone.checker.rows import MOST_SETS, Box, Release, families, full, release_of

Limits = tuple[int | None, int | None]
MOST_CHOICES = 1000  # of merges that sums are made for, small ones first


class Sum(NamedTuple):
    """Counts of a table that split the records of a condition among themselves; shown in their place when they are merged."""

    whole: Box
    table: str
    parts: tuple[int, ...]


class Case(NamedTuple):
    """What a certificate is about: the release as plain data and as rows, the policy, and what may be done."""

    content: Any
    release: Release
    numbers: tuple[Number, ...]
    policy: Policy
    primary: frozenset[int]
    asked: Asked
    actions: tuple[Action, ...]
    sums: tuple[Sum, ...]
    groups: bool
    named: tuple[Box, ...]  # boxes whose groups of codes claims may name, whatever is shown
    seen: tuple[int, ...] = ()  # of each column the codes that records are shown to be able to have, whatever is done

    def true(self, number: int) -> int:
        """The count of a primary cell."""
        found = self.numbers[number]
        if not found.exact or found.low is None:
            raise Refused(f"{found.label} is primary, but has no exact count")
        return found.low

    def shown(self, number: int) -> Limits:
        """What is known of a count before any action."""
        found = self.numbers[number]
        if number not in self.primary:
            return found.low, found.high
        return int(self.policy.zeros_shown and self.true(number) >= 1), self.policy.most

    def after(self, number: int, action: Action) -> Limits:
        """What is known of a count after an action that is no merge."""
        low, high = self.numbers[number].low or 0, self.numbers[number].high
        least = int(self.policy.zeros_shown and low >= 1)
        if action.kind == "cell":
            return least, None
        if action.kind == "round" and low == high and number not in self.primary:
            multiple = (2 * low + action.base) // (2 * action.base) * action.base
            return max(least, multiple - action.base // 2), multiple + (action.base - 1) // 2
        return 0, None

    def total(self, made: Sum) -> int:
        return sum(self.numbers[i].low or 0 for i in made.parts)

    def after_sum(self, made: Sum, action: Action) -> Limits:
        """What is known of a sum after an action that is no merge: it is not shown when a part of it is not shown as it was."""
        return int(self.policy.zeros_shown and action.kind != "table" and self.total(made) >= 1), None

    def where(self, box: Box) -> dict[str, list[str]]:
        """A box as plain data."""
        names, codes = list(self.release.domain.columns), self.release.domain.codes
        return {names[c]: [code for code, i in codes[c].items() if side >> i & 1] for c, side in box}

    def counting(self, box: Box) -> int:
        """How many columns of a claim count, whatever is done: those in which a record may have another code."""
        return sum(self.seen[c] & ~codes != 0 for c, codes in box) if self.groups else len(box)

    def merges(self, taken: Iterable[int]) -> list[Action]:
        return [self.actions[a] for a in sorted(taken) if self.actions[a].kind == "merge"]


class Left(NamedTuple):
    """A count after some actions; `numbers` are those that it is made of."""

    numbers: tuple[int, ...]
    box: Box
    table: str
    name: str
    low: int
    high: int | None
    hidden: bool


def left_of(case: Case, taken: Sequence[int]) -> tuple[list[Left], list[int]]:
    """The counts that are left, and the figures that are still shown."""
    merges = case.merges(taken)
    gone = frozenset[int]().union(*(merge.numbers for merge in merges))
    others = [case.actions[a] for a in taken if case.actions[a].kind != "merge"]
    made = list[Left]()
    for i, number in enumerate(case.numbers):
        if i not in gone and not number.figure:
            hit = [case.after(i, action) for action in others if i in action.numbers]
            low, high = _around([case.shown(i), *hit])
            hidden = i in case.primary or number.hidden or (bool(hit) and high is None)
            made.append(Left((i,), number.box, number.table, number.name, low, high, hidden))
    for s in shown_sums(case.sums, merges, gone):
        found = case.sums[s]
        hit = [case.after_sum(found, action) for action in others if action.numbers.intersection(found.parts)]
        low, high = _around([(case.total(found),) * 2, *hit])
        name = " + ".join(case.numbers[i].name for i in found.parts if case.numbers[i].name)
        made.append(Left(found.parts, found.whole, found.table, name, low, high, bool(hit)))
    touched = gone.union(*(action.numbers for action in others))
    return made, [i for i, number in enumerate(case.numbers) if number.figure and i not in touched]


def _around(limits: Sequence[Limits]) -> tuple[int, int | None]:
    """The range around several."""
    highs = [high for _, high in limits if high is not None]
    return min(low or 0 for low, _ in limits), max(highs) if len(highs) == len(limits) else None


def left_content(case: Case, taken: Sequence[int]) -> dict[str, Any]:
    """What may be published after some actions, as plain data. A figure that is not shown stays as a row, unless a merge cut it."""
    counts, shown = left_of(case, taken)
    gone = frozenset[int]().union(*(merge.numbers for merge in case.merges(taken)))
    entries = [_entry(case, left) for left in counts]
    for i, number in enumerate(case.numbers):
        if number.figure and i not in gone:
            bare = {key: value for key, value in number.entry.items() if key not in ("value", "low", "high", "status")}
            entries.append(number.entry if i in shown else {**bare, "status": "withheld"})
    return {**case.content, "statistics": entries}


def _entry(case: Case, left: Left) -> dict[str, Any]:
    alone = len(left.numbers) == 1
    where = case.numbers[left.numbers[0]].entry.get("where", {}) if alone else case.where(left.box)
    ends = {"low": left.low} | ({} if left.high is None else {"high": left.high})
    status = {"status": "withheld"} if left.hidden else {}
    return {"where": where, "name": left.name, "table": left.table, **ends, **status}


def left_release(case: Case, taken: Sequence[int]) -> Release:
    """The same as rows; claims may name what they could name before."""
    made = release_of(left_content(case, taken))
    return made._replace(domain=case.release.domain, named=case.named)


def sums_of(release: Release, numbers: Sequence[Number], primary: frozenset[int], merges: Sequence[Action]) -> tuple[Sum, ...]:
    """The sums that merges can make, settled before anything is done; those of few parts first."""
    found = dict[Sum, None]()
    every = (chosen for size in range(1, len(merges) + 1) for chosen in combinations(merges, size))
    for chosen in [*islice(every, MOST_CHOICES), tuple(merges)] if merges else []:
        release.domain.work.spend(TERM * len(numbers) * len(chosen))
        alike = dict[tuple[Box, str], list[int]]()
        for i, number in enumerate(numbers):
            if number.exact and i not in primary and any(cuts(merge.merged, number.box) for merge in chosen):
                alike.setdefault((_widened(number.box, chosen), number.table), []).append(i)
        for (wide, table), parts in alike.items():  # all look at the same columns, even if merges leave nothing to tell apart there
            whole = _bare(release, wide)
            if _split(release, whole, [numbers[i].box for i in parts]):
                found[Sum(whole, table, tuple(parts))] = None
    return tuple(sorted(found, key=lambda made: (len(made.parts), made.parts)))


def _widened(box: Box, merges: Iterable[Action]) -> Box:
    """A condition with every code that merges make one with its own."""
    sides = dict(box)
    for _ in (again := list(merges)):
        for merge in again:
            c, one, other = merge.merged
            pair = 1 << one | 1 << other
            if sides.get(c, 0) & pair:
                sides[c] |= pair
    return tuple(sorted(sides.items()))


def _bare(release: Release, box: Box) -> Box:
    """Without the columns that it says nothing of."""
    return tuple((c, side) for c, side in box if side != full(release.domain, c))


def _split(release: Release, whole: Box, parts: Sequence[Box]) -> bool:
    """Do conditions inside another one split its records? No two overlap, and their sizes add up."""
    domain = release.domain

    def size(box: Box) -> int:
        sides = dict(box)
        return prod(sides.get(c, full(domain, c)).bit_count() for c in range(len(domain.codes)))

    domain.work.spend(8 * TERM * len(parts) ** 2)
    apart = all(any(not side & dict(other).get(c, -1) for c, side in one) for one, other in combinations(parts, 2))
    return apart and sum(map(size, parts)) == size(whole)


def shown_sums(sums: Sequence[Sum], merges: Sequence[Action], gone: frozenset[int]) -> list[int]:
    """The sums that some merges leave and that do not follow from what else is shown."""
    shown = list[int]()
    for s, made in enumerate(sums):
        if any(cuts(merge.merged, made.whole) for merge in merges):
            continue
        rest = gone.intersection(made.parts)
        for other in shown:
            if rest.issuperset(sums[other].parts):
                rest -= frozenset(sums[other].parts)
        if rest:
            shown.append(s)
    return shown


def nameable_boxes(release: Release, merges: Sequence[Action]) -> tuple[Box, ...]:
    """The boxes whose groups claims may name: those of the release, and what each merge, and all together, make of them."""
    if not merges:
        return release.named
    family = families(release)
    if family is None:
        raise Refused(f"more than {MOST_SETS:,} groups of codes can be named, too many for this checker")
    made = list(release.named)
    for chosen in [*([merge] for merge in merges), list(merges)]:
        for c in {merge.merged[0] for merge in chosen}:
            merged = {code for merge in chosen if merge.merged[0] == c for code in merge.merged[1:]}
            sides = (*family[c], *(1 << code for code in merged))  # other single codes stay as they are
            release.domain.work.spend(TERM * len(sides) * len(chosen) ** 2)
            wide = [(side, _widened(((c, side),), chosen)) for side in sides]
            made += [_bare(release, box) for side, box in wide if box != ((c, side),)]
    return tuple(made)
