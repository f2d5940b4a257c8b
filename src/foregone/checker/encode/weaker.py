"""What is left of a release after some actions. It is worked out here from the release itself, and from nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations, islice
from math import prod
from typing import Any, NamedTuple

from foregone.checker.encode.asked import Asked, Marking, PlainAction, cuts
from foregone.checker.encode.cell_blocks import CellBlocks
from foregone.checker.encode.marks import Number, content_of, number_of
from foregone.checker.encode.release import MOST_SETS, families, release_of
from foregone.checker.kernel import TERM, Box, PlainRelease, full
from foregone.checker.read.policy import PlainPolicy
from foregone.checker.read.refusal import Refused
from foregone.checker.read.values import where_of

Limits = tuple[int | None, int | None]
MOST_CHOICES = 1000  # of merges that sums are made for, small ones first


class Sum(NamedTuple):
    """Counts of a table that split the records of a condition among themselves; shown in their place when they are merged."""

    whole: Box
    table: str
    parts: tuple[int, ...]


class CertifiedCase(NamedTuple):
    """What a certificate is about: the release as plain data, as rows and as numbers that a reader knows, the policy, and what may
    be done.
    """

    content: Any
    release: PlainRelease
    numbers: tuple[Number, ...]
    policy: PlainPolicy
    primary: frozenset[int]
    kept: frozenset[int]
    asked: Asked
    marking: Marking
    actions: tuple[PlainAction, ...]
    sums: tuple[Sum, ...]
    groups: bool
    named: tuple[Box, ...]  # boxes whose groups of codes claims may name, whatever is shown
    alone: frozenset[int]  # counts that have a table to themselves
    blocks: CellBlocks | None = None  # in which cells are withheld, if they are not withheld one by one

    def shown(self, number: int) -> Number:
        """A number before any action: primary cells are withheld, and cells that were not shown before may have got the mark."""
        found = self.numbers[number]
        if found.figure or not (number in self.primary or found.hidden) or number in self.kept:
            return found
        if found.hidden and not self.marking.remarks:
            return found
        most = self.policy.most if number in self.primary else None
        return found._replace(ranges=((self.marking.floor(found), most),), hidden=True, mark=self.marking.mark)

    def after(self, number: int, action: PlainAction) -> Limits:
        """What is known of a count after an action that is no merge."""
        found = self.numbers[number]
        if action.kind == "cell":
            return self.marking.floor(found), None
        low, high = self.shown(number).low, self.shown(number).high
        if action.kind == "round" and low == high:
            multiple = (2 * low + action.base) // (2 * action.base) * action.base
            least = max(0, multiple - action.base // 2)
            return max(least, min(low, self.marking.least)), multiple + (action.base - 1) // 2
        named = number in self.primary and isinstance(self.policy.primary, frozenset)
        most = self.policy.most if named else None  # whoever knows the policy knows this of the cells that it names
        if action.kind == "table" and number in self.alone:  # a table of one number is that number
            return min(low, self.marking.least), most
        return 0, most

    def total(self, made: Sum) -> int:
        return sum(self.numbers[i].low for i in made.parts)

    def merges(self, taken: Iterable[int]) -> list[PlainAction]:
        return [self.actions[a] for a in sorted(taken) if self.actions[a].kind == "merge"]


def left_of(case: CertifiedCase, taken: Iterable[int]) -> dict[tuple[int, ...], Number]:
    """Every number that is published after some actions, by the numbers of the release that it is made of. A sum that stands in for
    merged counts is there as it is or not at all; a figure that is not shown is there without its value.
    """
    merges = case.merges(taken)
    gone = frozenset[int]().union(*(merge.numbers for merge in merges))
    hits = dict[int, list[PlainAction]]()
    for action in (case.actions[a] for a in sorted(taken) if case.actions[a].kind != "merge"):
        for i in action.numbers:
            hits.setdefault(i, []).append(action)
    looks = len(case.numbers) + sum(map(len, hits.values())) + len(case.sums) * (1 + len(merges))
    case.release.domain.work.spend(64 * TERM * looks)
    made, figures = dict[tuple[int, ...], Number](), dict[tuple[int, ...], Number]()
    for i in range(len(case.numbers)):
        if i in gone:
            continue
        number, hit = case.shown(i), hits.get(i, ())
        if number.figure:
            figures[i,] = _without_value(number) if hit else number
        elif not hit:
            made[i,] = number
        else:
            low, high = _around([(number.low, number.high), *(case.after(i, action) for action in hit)])
            new = high is None and (i in case.primary or not number.hidden)
            mark = case.marking.mark if new else number.mark
            tabled = any(action.kind == "table" for action in hit)  # and its mark is gone with the table
            hidden = number.hidden or high is None
            made[i,] = number._replace(ranges=((low, high),), hidden=hidden, mark="" if tabled else mark)
    for s in shown_sums(case.sums, merges, gone):
        found = case.sums[s]
        if not any(i in hits for i in found.parts):
            name = " + ".join(case.numbers[i].name for i in found.parts if case.numbers[i].name)
            entry = {"where": where_of(case.release.domain, found.whole), "name": name, "table": found.table}
            made[found.parts] = number_of(entry, found.whole, ((case.total(found), case.total(found)),))
    return made | figures


def _without_value(figure: Number) -> Number:
    bare = {key: value for key, value in figure.entry.items() if key not in ("value", "low", "high", "status")}
    return figure._replace(entry={**bare, "status": "withheld"}, hidden=True)


def _around(limits: Sequence[Limits]) -> tuple[int, int | None]:
    """The range around several."""
    highs = [high for _, high in limits if high is not None]
    return min(low or 0 for low, _ in limits), max(highs) if len(highs) == len(limits) else None


def left_release(case: CertifiedCase, taken: Iterable[int]) -> PlainRelease:
    """What is left after some actions as rows; claims may name what they could name before."""
    made = release_of(content_of(case.content, left_of(case, taken).values()))
    return made._replace(domain=case.release.domain, named=case.named)


def sums_of(
    release: PlainRelease, policy: PlainPolicy, numbers: Sequence[Number], primary: frozenset[int], merges: Sequence[PlainAction]
) -> tuple[Sum, ...]:
    """The sums that merges can make, settled before anything is done, those of few parts first; none would be primary."""
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
    made = sorted(found, key=lambda made: (len(made.parts), made.parts))
    return tuple(one for one in made if not _secret(policy, [numbers[i] for i in one.parts]))


def _secret(policy: PlainPolicy, parts: Sequence[Number]) -> bool:
    if isinstance(policy.primary, tuple):
        return policy.primary[0] <= sum(part.low for part in parts) <= policy.primary[1]
    return " + ".join(part.name for part in parts if part.name) in (policy.primary or ())


def _widened(box: Box, merges: Iterable[PlainAction]) -> Box:
    """A condition with every code that merges make one with its own."""
    sides = dict(box)
    for _ in (again := list(merges)):
        for merge in again:
            c, one, other = merge.merged
            pair = 1 << one | 1 << other
            if sides.get(c, 0) & pair:
                sides[c] |= pair
    return tuple(sorted(sides.items()))


def _bare(release: PlainRelease, box: Box) -> Box:
    """Without the columns that it says nothing of."""
    return tuple((c, side) for c, side in box if side != full(release.domain, c))


def _split(release: PlainRelease, whole: Box, parts: Sequence[Box]) -> bool:
    """Do conditions inside another one split its records? No two overlap, and their sizes add up."""
    domain = release.domain

    def size(box: Box) -> int:
        sides = dict(box)
        return prod(sides.get(c, full(domain, c)).bit_count() for c in range(len(domain.codes)))

    domain.work.spend(8 * TERM * len(parts) ** 2)
    apart = all(any(not side & dict(other).get(c, -1) for c, side in one) for one, other in combinations(parts, 2))
    return apart and sum(map(size, parts)) == size(whole)


def shown_sums(sums: Sequence[Sum], merges: Sequence[PlainAction], gone: frozenset[int]) -> list[int]:
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


def nameable_boxes(release: PlainRelease, merges: Sequence[PlainAction]) -> tuple[Box, ...]:
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
