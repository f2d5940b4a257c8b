"""Does a list of datasets, taken for all that is possible, keep a policy? And which of them can stay on such a list?

A *stable* list is one on which nobody's policy is broken: for every dataset on it, whoever takes exactly the list for possible
does not know what that dataset's policy forbids. (Policies differ only in their primary cells, which are those of the dataset.)
Two stable lists together are a stable list, so among some datasets there is one largest. See docs/protect.md, "Who reads it".
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import product
from math import prod

import numpy as np

from foregone.engine import allowed_record
from foregone.model.dataset import Dataset
from foregone.model.errors import TooLargeError
from foregone.model.families import Groups, families_of
from foregone.model.policy import Policy
from foregone.model.predicate import Predicate
from foregone.model.release import Release
from foregone.solvers.arrays import Bools, Ints

MOST_CLAIMS = 20_000_000  # claims times datasets


class ListedDatasets:
    """Datasets side by side, for one policy. `release` says what counts there are and, with the groups of its domain, what claims
    may name. With `everything` the list holds every dataset that is possible whatever is withheld: a column in which all records
    of all of these have what a claim says does not count. Without, every column counts.
    """

    def __init__(self, release: Release, policy: Policy, groups: Groups, datasets: Sequence[Dataset], everything: bool) -> None:
        self.policy, self.datasets = policy, datasets
        self.counts: Ints = np.array([d.counts(s.predicate for s in release.statistics) for d in datasets], dtype=np.int64).T
        exact = [i for i, s in enumerate(release.statistics) if not s.open]
        self._units = [self.counts[exact, y].tobytes() for y in range(len(datasets))]
        self._sizes: Ints = np.array([d.size for d in datasets], dtype=np.int64)
        self.release, self._groups = release, groups
        domain = release.domain
        places = {record: k for k, record in enumerate(sorted({r for d in datasets for r, _ in d.kinds}))}
        self._codes = [[column.index[code] for column, code in zip(domain.columns, record, strict=True)] for record in places]
        self._times: Ints = np.zeros((len(places), len(datasets)), dtype=np.int64)
        for y, dataset in enumerate(datasets):
            for record, times in dataset.kinds:
                self._times[places[record], y] = times
        self._claims: list[Predicate] = []
        self._boxes: Ints = np.zeros((0, len(datasets)), dtype=np.int64)
        self._named: Ints = np.zeros(0, dtype=np.int64)  # how many columns each claim names
        self._counting = self._named  # how many of them a policy counts
        if policy.about_claims:
            self._list_claims(everything)
        self._told = [self._groups_of(name) for name in policy.attribute]

    def largest_stable(
        self, some: Iterable[int], hidden: Collection[int], primary: Callable[[int], Iterable[int]]
    ) -> list[int]:
        """The largest stable list among some of the datasets, by their numbers. `hidden` are the counts that are not shown,
        `primary` those of a dataset that must not be known. Datasets with the same exact counts stay together: whoever publishes
        the counts need not know which of these is the true one.
        """
        left = list(some)
        while left:
            stay = self._stay(left, hidden, primary)
            if len(stay) == len(left):
                return left
            left = stay
        return []

    def too_certain(self, hidden: Collection[int], primary: Sequence[Iterable[int]]) -> list[Predicate]:
        """What would have to vary more for all of the datasets to be a stable list: cells, claims, and in groups other values."""
        policy, every = self.policy, list(range(len(self.datasets)))
        cells = {i for y in every for i in primary[y] if self._narrow(i, every) or self._one_sided(i, y, every)}
        cells |= {i for i in (hidden if policy.stars else ()) if self._values(i, every) < policy.stars}
        found = [self.release.statistics[i].predicate for i in sorted(cells)]
        found += [self._claims[k] for k in np.flatnonzero(self._forbidden(every)).tolist()]
        for name, groups in zip(policy.attribute, self._told, strict=True):
            for inside in self._telling(groups, every):
                column, met = self.release.domain.column(name), np.flatnonzero(inside & self._met(every))
                code = self._codes[int(met[0])][self.release.domain.index[name]]
                found.append(Predicate.of({name: [other for k, other in enumerate(column.codes) if k != code]}))
        return found

    def tells_attribute(self, some: Sequence[int]) -> bool:
        """Does a list of datasets tell somebody's attribute? That is to be judged of all that fit, too, as it can come with more.
        """
        return any(any(True for _ in self._telling(groups, some)) for groups in self._told)

    def _stay(self, left: list[int], hidden: Collection[int], primary: Callable[[int], Iterable[int]]) -> list[int]:
        """Those for which nothing is known too well, if these are all that is possible."""
        policy = self.policy
        if self._claimed(left) or any(self._values(i, left) < policy.stars for i in (hidden if policy.stars else ())):
            return []  # that is so on every shorter list, too
        for groups in self._told:
            for inside in self._telling(groups, left):  # on a shorter list as well, unless nobody can be in the group
                gone = {self._units[y] for y in left if self._times[inside, y].any()}
                left = [y for y in left if self._units[y] not in gone]
        known = {i: self._narrow(i, left) for y in left for i in primary(y)}
        return [y for y in left if not any(known[i] or self._one_sided(i, y, left) for i in primary(y))]

    def _values(self, cell: int, some: Sequence[int]) -> int:
        return len(np.unique(self.counts[cell, some]))

    def _narrow(self, cell: int, some: Sequence[int]) -> bool:
        return self._values(cell, some) < self.policy.min_width

    def _one_sided(self, cell: int, y: int, some: Sequence[int]) -> bool:
        counts = self.counts[cell, some]
        return bool(self.policy.both_sides) and not self.policy.reaches(
            int(self.counts[cell, y]), int(counts.min()), int(counts.max())
        )

    def _claimed(self, some: Sequence[int]) -> bool:
        """Is a claim certain that the policy forbids?"""
        return bool(self._forbidden(some).any())

    def _forbidden(self, some: Sequence[int]) -> Bools:
        """Which claims are certain and forbidden?"""
        counts = self._boxes[:, some]
        first = counts[:, 0]
        certain = (counts == first[:, None]).all(axis=1) & (first > 0) & (first < self.policy.smallest_group)
        everybody = (counts == self._sizes[some]).all(axis=1)
        columns = np.where(everybody, self._named, self._counting)
        forbidden: Bools = certain & (columns >= (self.policy.singled_out_columns or 1))
        return forbidden

    def _families(self) -> list[list[int]]:
        """For each column what a claim may name there, as bit masks; all codes together name nothing."""
        families = families_of(self.release.workload, self._groups)
        columns = self.release.domain.columns
        made = [families.members(c, len(column.codes)) for c, column in enumerate(columns)]
        if any(members is None for members in made):
            raise TooLargeError("more groups of values can be named than can be listed")
        return [[mask for mask in members or () if mask != column.full] for members, column in zip(made, columns, strict=True)]

    def _list_claims(self, everything: bool) -> None:
        columns = self.release.domain.columns
        families = self._families()
        if prod(1 + len(members) for members in families) * max(1, len(self.datasets)) > MOST_CLAIMS:
            raise TooLargeError("more claims can be made than can be listed")
        met = [0] * len(columns)
        for codes in self._codes:
            for c, code in enumerate(codes):
                met[c] |= 1 << code
        counts, named, counting = [], list[int](), list[int]()
        sides = [[column.full, *members] for column, members in zip(columns, families, strict=True)]
        for box in product(*sides):
            says = [c for c, mask in enumerate(box) if mask != columns[c].full]
            if says:
                counts.append(self._inside(box) @ self._times)
                self._claims.append(Predicate.of({columns[c].name: columns[c].codes_of(box[c]) for c in says}))
                named.append(len(says))
                literally = not everything or self._groups == Groups.NONE
                counting.append(len(says) if literally else sum(bool(met[c] & ~box[c]) for c in says))
        self._boxes, self._named, self._counting = np.array(counts), np.array(named), np.array(counting)

    def _inside(self, box: Sequence[int]) -> Ints:
        """Which kinds of record a box holds."""
        return np.array([all(box[c] >> code & 1 for c, code in enumerate(codes)) for codes in self._codes], dtype=np.int64)

    def _groups_of(self, name: str) -> list[tuple[Bools, list[Bools]]]:
        """Groups that may tell an attribute: which kinds of record are in the group, and which of these have each value. Groups in
        which domain and rules leave one value are left out.
        """
        domain, policy = self.release.domain, self.policy
        at = domain.index[name]
        known = [c for c, column in enumerate(domain.columns) if c != at]
        if policy.attribute_from is not None:
            known = [c for c in known if domain.columns[c].name in policy.attribute_from]
        families = self._families()
        if prod(1 + len(families[c]) for c in known) * max(1, len(self.datasets)) > MOST_CLAIMS:
            raise TooLargeError("more groups can be told apart than can be listed")
        made = []
        full = [column.full for column in domain.columns]
        for sides in product(*([full[c], *families[c]] for c in known)):
            box = [*full]
            for c, side in zip(known, sides, strict=True):
                box[c] = side
            inside = self._inside(box).astype(bool)
            named: dict[str, Sequence[str]] = {
                domain.columns[c].name: domain.columns[c].codes_of(box[c]) for c in known if box[c] != full[c]
            }
            valid = [code for code in domain.columns[at].codes if self._allowed({**named, name: [code]})]
            if len(valid) > 1:
                codes = np.array([codes[at] for codes in self._codes])
                made.append((inside, [inside & (codes == code) for code in range(len(domain.columns[at].codes))]))
        return made

    def _allowed(self, condition: dict[str, Sequence[str]]) -> bool:
        return allowed_record(self.release, Predicate.of(condition)) is not None

    def _met(self, some: Sequence[int]) -> Bools:
        """Which kinds of record are there in some of the datasets?"""
        return np.asarray(self._times[:, some].any(axis=1))

    def _telling(self, groups: Iterable[tuple[Bools, list[Bools]]], some: Sequence[int]) -> Iterator[Bools]:
        """The groups in which everybody has one value, by the kinds of record in them."""
        possible = self._met(some)
        for inside, values in groups:
            if sum(bool((value & possible).any()) for value in values) == 1:
                yield inside
