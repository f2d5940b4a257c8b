"""Does a release keep a policy? Shown by datasets that are listed and by what is proved to be empty, from the definitions alone.

Cells: enough of their values occur in the datasets. Claims: every certain claim is listed with a proof, and none breaks the policy.
Attributes: in every group that somebody can be in, datasets have records with different values, unless domain and rules allow only
one. Codes that nothing which is published tells apart can be exchanged in every dataset, so they are looked at as one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import reduce
from itertools import product
from operator import or_
from typing import Any, NamedTuple

from foregone.checker.encode.marks import Number
from foregone.checker.encode.release import families
from foregone.checker.kernel import TERM, Box, Claim, Cover, PlainDomain, PlainRelease, Record, build, full
from foregone.checker.read.policy import PlainPolicy
from foregone.checker.read.proofs import each, fact_of, step_of, witness_of
from foregone.checker.read.refusal import Refused
from foregone.checker.read.values import keyed, words_of
from foregone.checker.verdicts.claims import check
from foregone.checker.verdicts.datasets import Witnesses, consistent

MOST_GROUPS = 200_000  # looked at one by one
MOST_PARTS = 20_000  # boxes that rules are cut into


class Cell(NamedTuple):
    """A count with the number of different values that it keeps; of a primary one the true count is known, if that matters."""

    number: Number
    values: int
    true: int | None = None


def fitting(domain: PlainDomain, listed: Any, release: Callable[[], PlainRelease], place: str = "") -> Witnesses:
    """Datasets of a file that all fit a release, or this raises. What they have to fit is worked out only if there are some."""
    datasets = each(domain, listed, witness_of)
    witnesses = Witnesses(domain, datasets)
    wrong = next((reason for reason in consistent(release(), witnesses) if reason), "") if datasets else ""
    if wrong:
        raise Refused(f"{place}{wrong}")
    return witnesses


def keeps(policy: PlainPolicy, release: PlainRelease, cells: Sequence[Cell], evidence: Any, groups: bool) -> None:
    """The release, as a reader sees it, keeps the policy, or this raises. `cells` are the counts that must stay unknown."""
    keyed(evidence, (), ("datasets", "audit", "empty"))
    domain = release.domain
    witnesses = fitting(domain, evidence.get("datasets", []), lambda: release)
    for cell in cells:
        counts = set(witnesses.counts(cell.number.box))
        reaches = cell.true is None or (bool(counts) and policy.reaches(cell.true, min(counts), max(counts)))
        if len(counts) < cell.values or not reaches:
            raise Refused(f"the listed datasets do not show that {cell.number.label} is unknown")
    cover = build(release, each(domain, evidence.get("empty", []), step_of)).cover
    if policy.columns is not None:
        _audited(policy, release, evidence.get("audit"), witnesses.datasets, cover, groups)
    for name in policy.attribute:
        _Attribute(policy, release, name, groups, witnesses, cover).check()


def _audited(
    policy: PlainPolicy, release: PlainRelease, document: Any, datasets: Sequence[Sequence[Record]], cover: Cover, groups: bool
) -> None:
    """Every certain claim is in the list, and none of them breaks the policy. `datasets` are others that fit."""
    result = check(release, document, nothing_missed=True, groups=groups)
    if result.rejected or not result.complete:
        raise Refused(result.rejected[0] if result.rejected else f"not shown to be complete: {result.reason}")
    domain = release.domain
    facts = [fact_of(domain, fact) for fact in document["facts"]]
    claims = [(box, fact.times) for fact in facts for box in (fact.what, *fact.forms)]
    fitting = Witnesses(domain, [*datasets, *(witness_of(domain, dataset) for dataset in document["witnesses"])])
    broken = broken_by_claims(policy, claims, [reduce(or_, side, 0) for side in cover.sides], fitting, groups)
    if broken:
        raise Refused(f"what is left breaks the policy: {broken}")


def broken_by_claims(policy: PlainPolicy, claims: Sequence[Claim], alive: Sequence[int], fitting: Witnesses, groups: bool) -> str:
    """How certain claims break a policy, if they do. `claims` are listed so that every certain claim lies between two of them with
    its count; `alive` are, for each column, the codes that are not proved to be impossible; `fitting` are datasets that fit.

    A claim inside another one names all of its columns, so if any claim has too many columns, a listed one has. A column does not
    count when all codes that are possible are among those that the claim says: then it says nothing there. But all columns count of
    a claim about everybody, so of one that nobody is shown to be outside of; and of every claim over single codes (no `groups`).
    """
    about_all = {count for box, count in claims if groups and not box}  # the claim that names nothing
    everyone = dict(enumerate(alive)) if groups else {}
    for box, count in claims:
        if count in about_all:  # as many as there are: all of them
            for c, codes in box:
                everyone[c] = everyone.get(c, -1) & codes
    sizes = fitting.counts(())
    for box, count in claims:
        counting = sum(everyone.get(c, -1) & ~codes != 0 for c, codes in box)
        if counting < len(box) and policy.over(len(box), count) and fitting.counts(box) == sizes:
            counting = len(box)
        if policy.over(counting, count):
            return f"{counting} columns tell {count} apart"
    return ""


class _Attribute:
    """One attribute. Records and groups are written with classes of codes that nothing tells apart."""

    def __init__(
        self, policy: PlainPolicy, release: PlainRelease, name: str, groups: bool, witnesses: Witnesses, cover: Cover
    ) -> None:
        self.release, self.domain, self.name = release, release.domain, name
        self.c = self.domain.columns[name]
        around = policy.attribute_from
        known = self.domain.columns.values() if around is None else (self.domain.columns[column] for column in around)
        self.known = sorted(set(known) - {self.c})
        self.classes = [_classes(release, c) for c in range(len(self.domain.codes))]
        named = families(release) if groups else [[] for _ in self.classes]
        if named is None:
            raise Refused("more groups of codes can be named than this checker looks at")
        self.named, self.left = named, MOST_GROUPS
        both = zip(self.classes, named, strict=True)
        self.kinds = [[_kinds(release, codes, sides) for codes in classes] for classes, sides in both]
        self.seen = list(self._seen(witnesses))
        self.alive = sorted(set(self._alive(cover)))

    def check(self) -> None:
        if len(self.domain.codes[self.c]) < 2:
            return
        values = dict[tuple[int, ...], set[int]]()
        for group, value in self.seen:
            values.setdefault(group, set()).add(value)
        for group, value in self.alive:
            found = values.get(group, set())
            if any(self.classes[self.c][v] & (self.classes[self.c][v] - 1) for v in found) or len(found) > 1:
                continue
            for box in self._boxes(group):
                if not self._explained(box, found | {value}):
                    raise Refused(f"it is not shown that {self.name} is unknown in the group {self._words(box)}")
                self._wider(box, value)

    def _seen(self, witnesses: Witnesses) -> Iterator[tuple[tuple[int, ...], int]]:
        """Groups that records of datasets are in, as small as can be, and their values."""
        place = [{code: k for k, codes in enumerate(classes) for code in _codes(codes)} for classes in self.classes]
        for i in range(witnesses.records.count):
            codes = [side[i].bit_length() - 1 for side in witnesses.records.sides]
            yield tuple(place[c][codes[c]] for c in self.known), place[self.c][codes[self.c]]

    def _alive(self, cover: Cover) -> Iterator[tuple[tuple[int, ...], int]]:
        """Every group and value that a record may have which is not proved to be impossible."""
        columns = [*self.known, self.c]
        for i in range(cover.count):
            sides = [[k for k, codes in enumerate(self.classes[c]) if codes & cover.sides[c][i]] for c in columns]
            for *group, value in product(*sides):
                self._spend()
                yield tuple(group), value

    def _boxes(self, group: Sequence[int]) -> Iterator[dict[int, int]]:
        """Single codes of the classes: of each class one of every kind of code that groups which can be named tell apart."""
        for codes in product(*(self.kinds[c][k] for c, k in zip(self.known, group, strict=True))):
            self._spend()
            yield dict(zip(self.known, codes, strict=True))

    def _explained(self, box: Mapping[int, int], values: set[int]) -> bool:
        """Do domain and rules alone leave one value, and no other than these, in a group?"""
        if len(values) != 1:
            return False
        (value,) = values
        codes = self.classes[self.c][value]
        others = full(self.domain, self.c) & ~codes
        return not codes & (codes - 1) and not (others and self._allowed({**box, self.c: others}))

    def _wider(self, box: dict[int, int], value: int) -> None:
        """Around a group in which rules leave one value: no wider group may have that value only, where rules allow another."""
        todo, met = [box], {tuple(box.items())}
        codes = self.classes[self.c][value]
        while todo:
            group = todo.pop()
            for wider in self._above(group):
                key = tuple(wider.items())
                if key in met:
                    continue
                met.add(key)
                self._spend()
                if any(v != value and self._inside(g, wider) for g, v in self.seen):
                    continue
                if self._allowed({**wider, self.c: full(self.domain, self.c) & ~codes}):
                    raise Refused(f"it is not shown that {self.name} is unknown in the group {self._words(wider)}")
                todo.append(wider)

    def _above(self, box: dict[int, int]) -> Iterator[dict[int, int]]:
        """The group with one column widened to another of the sets of codes that can be named around it, or not named."""
        for c, side in box.items():
            whole = full(self.domain, c)
            for wider in (*(codes for codes in self.named[c] if not side & ~codes), whole):
                if wider != side:
                    yield {**box, c: wider}

    def _inside(self, group: Sequence[int], box: Mapping[int, int]) -> bool:
        return all(box[c] & self.classes[c][k] for c, k in zip(self.known, group, strict=True))

    def _allowed(self, box: Mapping[int, int]) -> bool:
        """Is there a record in a box that no rule forbids? Rule by rule, what lies outside it is cut into boxes."""
        rules, todo, left = self.release.rules, [(dict(box), 0)], MOST_PARTS
        while todo:
            part, first = todo.pop()
            left -= 1
            if left < 0:
                raise Refused("there are more rules than this checker looks at")
            self.domain.work.spend(TERM * (1 + len(rules)))
            left_over = range(first, len(rules))
            hit = next((r for r in left_over if all(part.get(c, full(self.domain, c)) & codes for c, codes in rules[r])), None)
            if hit is None:
                return True
            for c, codes in rules[hit]:
                mine = part.get(c, full(self.domain, c))
                if mine & ~codes:
                    todo.append(({**part, c: mine & ~codes}, hit + 1))
                part[c] = mine & codes
        return False

    def _words(self, box: Mapping[int, int]) -> str:
        said = tuple((c, side) for c, side in box.items() if side != full(self.domain, c))
        return words_of(self.domain, said) or "of everybody"

    def _spend(self) -> None:
        self.left -= 1
        self.domain.work.spend(4 * TERM)
        if self.left < 0:
            raise Refused("there are more groups than this checker looks at")


def _classes(release: PlainRelease, c: int) -> list[int]:
    """The codes of a column, those together that no number and no rule tells apart."""
    boxes: list[Box] = [*release.rules, *(box for row in release.statistics for _, box in row.about)]
    boxes += [box for sides in release.eithers for side in sides for _, box in side.about]
    return sorted(_cut(release, full(release.domain, c), {side for box in boxes for at, side in box if at == c}))


def _kinds(release: PlainRelease, codes: int, named: Sequence[int]) -> list[int]:
    """The first code of every part into which sets cut a class."""
    return [part & -part for part in _cut(release, codes, named if codes & (codes - 1) else ())]


def _cut(release: PlainRelease, codes: int, sets: Iterable[int]) -> list[int]:
    """The parts into which sets cut some codes."""
    parts = [codes]
    for side in sets:
        release.domain.work.spend(TERM * len(parts))
        parts = [piece for part in parts for piece in (part & side, part & ~side) if piece]
    return parts


def _codes(codes: int) -> Iterator[int]:
    while codes:
        yield (codes & -codes).bit_length() - 1
        codes &= codes - 1
