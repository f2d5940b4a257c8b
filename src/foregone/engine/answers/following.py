"""What follows about everybody in a group: a group that can have somebody in it, and in which every possible record has the same
value of a column. A certain zero is enough for that: if no old patient is without flu, every old patient has it.

A record is possible when it occurs in at least one dataset that fits. Whatever the domain and the rules alone say already (no man
is pregnant) is nothing that the published numbers tell, and does not count.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from foregone.engine.case import Case
from foregone.engine.claims.doubtful_buckets import bury
from foregone.model.domain import Domain
from foregone.model.families import Groups, families_of
from foregone.model.predicate import Predicate, within
from foregone.model.release import Release
from foregone.solvers.arrays import Bools, Ints

Box = dict[int, int]  # column -> codes as a bit mask

MOST_GROUPS = 20_000  # groups looked at around records that the rules explain
MOST_PARTS = 20_000  # boxes looked at to find a record that no rule forbids
MOST_TOLD = 1_000  # groups that are made as wide as can be before they are told


@dataclass(frozen=True, slots=True)
class Following:
    """Everybody in `group` has `code` in `column`, and somebody may be in it."""

    group: Predicate
    column: str
    code: str


@dataclass(frozen=True, slots=True)
class Followings:
    """Every value that follows, each from a group with few columns; `reason` says why some may be missing, if they may."""

    found: tuple[Following, ...]
    reason: str = ""


def following(
    case: Case, column: str, known: Sequence[str] | None = None, groups: Groups = Groups.PUBLISHED
) -> Followings:
    """The values of a column that follow from groups over the columns `known` (all others, unless told otherwise).

    The case must know a dataset. What it finds out on the way, datasets and buckets that are empty, stays in it.
    """
    return _FollowingSearch(case, column, known, groups).run()


class _Stuck(Exception):
    """A limit was reached before it was known."""


class _FollowingSearch:
    def __init__(self, case: Case, column: str, known: Sequence[str] | None, groups: Groups) -> None:
        self.case, self.prover, self.system = case, case.prover, case.system
        release = self.system.release
        self.domain, self.rules = release.domain, release.rule_masks
        self.column = self.domain.index[column]
        names = [name for name in (self.domain.names if known is None else known) if name != column]
        self.known = sorted(self.domain.index[name] for name in names)
        self.families = families_of(release.workload, groups)
        self.atoms = self.system.atoms.groups
        self.values = self.system.records[:, self.column]
        several = np.array([bool(codes & (codes - 1)) for codes in self.atoms[self.column]])
        self.open_value = several[self.values]  # a record that may have any of several codes
        self.keys = np.zeros(len(self.values), dtype=np.int64)  # the smallest group around each live record, as a number
        if self.known and len(self.values):
            self.keys = np.unique(self.system.records[:, self.known], axis=0, return_inverse=True)[1].reshape(-1)
        self.left, self.told = MOST_GROUPS, 0

    def run(self) -> Followings:
        if len(self.domain.columns[self.column].codes) < 2:
            return Followings(())
        if not len(self.system.records):
            return Followings(())
        told: dict[Following, None] = {}
        reason = self._settle()
        try:
            for box, value in self._pure():
                code = self.atoms[self.column][value]
                if any(self._covers(group, box) and group.code == self._code(code) for group in told):
                    continue
                wide = self._unexplained(box, code)
                if wide is not None:
                    told[Following(self._predicate(self._widest(wide, value)), self._name, self._code(code))] = None
        except _Stuck as stuck:
            reason = reason or str(stuck)
        return Followings(tuple(told), reason)

    @property
    def _name(self) -> str:
        return self.domain.columns[self.column].name

    def _code(self, code: int) -> str:
        return self.domain.columns[self.column].codes_of(code)[0]

    def _settle(self) -> str:
        """Find out, for every smallest group, whether records with different values are possible in it; why not, if not."""
        while True:
            asked = self._asked()[2]
            if not asked.any():
                return ""
            reason = self._bury(asked)
            if reason:
                return reason

    def _asked(self) -> tuple[Ints, Bools, Bools]:
        """For every smallest group a value that is possible in it (-1: none is known) and whether another is, too; and the live
        records of which it matters whether they are possible.
        """
        keys, bucket_of = self.keys, self.system.bucket_of
        seen = self.prover.pool.occupied[bucket_of]
        first = np.full(int(keys.max()) + 1, -1, dtype=np.int64)
        first[keys[seen]] = self.values[seen]
        different = np.zeros(len(first), dtype=bool)
        different[keys[seen & (self.open_value | (self.values != first[keys]))]] = True
        asked = ~seen & ~different[keys] & (self.values != first[keys]) & ~self.prover.known.empty[bucket_of]
        return first, different, asked

    def _bury(self, records: Bools) -> str:
        """Show that some records are impossible, or find a dataset with one of them."""
        doubt = np.zeros(self.system.buckets, dtype=bool)
        doubt[self.system.bucket_of[records]] = True
        known, pool = self.prover.known, self.prover.pool
        before = len(pool), int(known.empty.sum())
        reason = bury(self.prover, doubt)
        if (len(pool), int(known.empty.sum())) == before:
            return reason or "it could not be found out which records are possible"
        return ""

    def _pure(self) -> Iterator[tuple[Box, int]]:
        """The smallest groups that somebody may be in and in which only one value is possible, with the value."""
        first, different, asked = self._asked()
        doubtful = np.zeros(len(first), dtype=bool)
        doubtful[self.keys[asked]] = True
        _, examples = np.unique(self.keys, return_index=True)
        for key in np.flatnonzero((first >= 0) & ~different & ~doubtful).tolist():
            record = self.system.records[examples[key]]
            codes = {c: self.atoms[c][record[c]] for c in self.known}
            yield {c: mask & -mask for c, mask in codes.items()}, int(first[key])

    def _unexplained(self, box: Box, code: int) -> Box | None:
        """A group around a smallest one in which the value is the same, though domain and rules would allow another; None: none."""
        if self._allowed({**box, self.column: self.domain.columns[self.column].full & ~code}):
            return box
        todo, met = [box], {tuple(box.items())}
        while todo:
            group = todo.pop()
            for wider in self._wider(group):
                if tuple(wider.items()) in met:
                    continue
                met.add(tuple(wider.items()))
                self.left -= 1
                if self.left < 0:
                    raise _Stuck("there are too many groups to look at one by one")
                if not self._same(wider, self._value(code)):
                    continue
                if self._allowed({**wider, self.column: self.domain.columns[self.column].full & ~code}):
                    return wider
                todo.append(wider)
        return None

    def _value(self, code: int) -> int:
        return self.atoms[self.column].index(code)

    def _wider(self, box: Box) -> Iterator[Box]:
        """Groups that are wider in one column: another member of its family there, or the column not named."""
        for c, mask in box.items():
            full = self.domain.columns[c].full
            if mask == full:
                continue
            members = self.families.above(c, mask)
            if members is None:
                raise _Stuck("there are too many groups of values in one column")
            for member in (*members[1:], full):
                if member != mask:
                    yield {**box, c: member}

    def _same(self, box: Mapping[int, int], value: int) -> bool:
        """Has every possible record of a group this value? Found out, where it is not known yet."""
        inside = np.ones(len(self.system.records), dtype=bool)
        for c, mask in box.items():
            inside &= np.array([bool(group & mask) for group in self.atoms[c]])[self.system.records[:, c]]
        inside &= (self.values != value) | self.open_value
        while True:
            buckets = self.system.bucket_of[inside]
            if self.prover.pool.occupied[buckets].any():
                return False
            asked = inside & ~self.prover.known.empty[self.system.bucket_of]
            if not asked.any():
                return True
            reason = self._bury(asked)
            if reason:
                raise _Stuck(reason)

    def _widest(self, box: Box, value: int) -> Box:
        """The group without the columns that are not needed for it."""
        made = {c: mask for c, mask in box.items() if mask != self.domain.columns[c].full}
        self.told += 1
        for c in sorted(made, reverse=True) if self.told <= MOST_TOLD else ():
            rest = {d: mask for d, mask in made.items() if d != c}
            if self._same(rest, value):
                made = rest
        return made

    def _covers(self, told: Following, box: Box) -> bool:
        return within(box, told.group.masks(self.domain))

    def _predicate(self, box: Box) -> Predicate:
        columns = self.domain.columns
        return Predicate.of({columns[c].name: columns[c].codes_of(mask) for c, mask in box.items()})

    def _allowed(self, box: Box) -> bool:
        return allowed(self.domain, self.rules, box)


def allowed_record(release: Release, predicate: Predicate) -> tuple[str, ...] | None:
    """A record that matches and that no rule forbids, if there is one."""
    domain = release.domain
    part = _free(domain, release.rule_masks, predicate.masks(domain))
    if part is None:
        return None
    masks = [(column, part.get(c, column.full)) for c, column in enumerate(domain.columns)]
    return tuple(column.codes_of(mask & -mask)[0] for column, mask in masks)


def allowed(domain: Domain, rules: Sequence[Mapping[int, int]], box: Mapping[int, int]) -> bool:
    """Is there a record in a box that no rule forbids?"""
    return _free(domain, rules, box) is not None


def _free(domain: Domain, rules: Sequence[Mapping[int, int]], box: Mapping[int, int]) -> Box | None:
    """A part of a box in which no rule forbids anything, if there is one. Rule by rule, what lies outside it is cut into boxes."""
    todo, left = [(dict(box), 0)], MOST_PARTS
    while todo:
        part, first = todo.pop()
        left -= 1
        if left < 0:
            raise _Stuck("there are too many rules to say what they leave")
        hit = None
        for r in range(first, len(rules)):
            if all(part.get(c, domain.columns[c].full) & mask for c, mask in rules[r].items()):
                hit = r
                break
        if hit is None:
            return part
        for c, mask in rules[hit].items():
            mine = part.get(c, domain.columns[c].full)
            if mine & ~mask:
                todo.append(({**part, c: mine & ~mask}, hit + 1))
            part[c] = mine & mask
    return None
