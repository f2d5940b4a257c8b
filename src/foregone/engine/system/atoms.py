"""Step 0: values of a column that nothing tells apart, neither what is known of records nor what claims may name, are one atom."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from foregone.model.domain import Domain
from foregone.model.families import nameable
from foregone.model.workload import Masks, WeightedMasks, Workload

Box = Mapping[int, int]
"""Column position -> bit mask over the column's atoms, only where the column is restricted."""


@dataclass(frozen=True, slots=True)
class Atoms:
    """For each column, its values in groups; each group is a bit mask over the column's codes."""

    domain: Domain
    groups: tuple[tuple[int, ...], ...]
    _known: dict[tuple[int, int], int] = field(default_factory=dict, repr=False, compare=False)

    def widths(self) -> tuple[int, ...]:
        return tuple(len(groups) for groups in self.groups)

    def box(self, masks: Mapping[int, int]) -> Box:
        """Value masks as atom masks, for what the atoms were made by: it never cuts an atom, so nothing is rounded here."""
        known = self._known  # the same few masks return in hundreds of statistics
        for pair in masks.items():
            if pair not in known:
                column, mask = pair
                inside = [(a, group) for a, group in enumerate(self.groups[column]) if group & mask]
                assert sum(group for _, group in inside) == mask, "a set of values cuts an atom"
                known[pair] = sum(1 << a for a, _ in inside)
        return {pair[0]: known[pair] for pair in masks.items()}

    def single(self, column: int, atom: int) -> bool:
        """Does the atom hold exactly one value, so that a claim can name it?"""
        group = self.groups[column][atom]
        return group & (group - 1) == 0

    def code(self, column: int, atom: int) -> str:
        """The first value of an atom (the only one when it is `single`)."""
        group = self.groups[column][atom]
        return self.domain.columns[column].codes[(group & -group).bit_length() - 1]


def atomise(workload: Workload) -> Atoms:
    """Split every column's values by all that tells records apart, and by all that claims may name.

    The second is not part of the first: a mean that is withheld says nothing, and claims may name its group all the same.

    >>> from foregone import Domain, Predicate, Query, Workload
    >>> domain = Domain.of({"TEN": ["1", "2", "3", "4"]})
    >>> renters = Query("renters", "", Predicate.of({"TEN": ["3", "4"]}))
    >>> [bin(group) for group in atomise(Workload(domain, (renters,))).groups[0]]
    ['0b11', '0b1100']
    """
    named = masks_named((*tests_of(workload), *nameable(workload)), len(workload.domain.columns))
    groups = tuple(_split(len(column.codes), seen) for column, seen in zip(workload.domain.columns, named, strict=True))
    return Atoms(workload.domain, groups)


def masks_named(tests: Sequence[Masks], columns: int) -> list[list[int]]:
    """The different masks of each column, in the order in which they first occur.

    Most boxes share their masks with others, as one object; comparing long numbers again and again would take long.
    """
    seen: list[dict[int, int]] = [{} for _ in range(columns)]
    for masks in tests:
        for column, mask in masks.items():
            seen[column].setdefault(id(mask), mask)
    return [list(dict.fromkeys(some.values())) for some in seen]


def tests_of(workload: Workload) -> tuple[Masks, ...]:
    """Everything that tells records apart: the queries, what weighted sums count, and the rules, in this order."""
    return (*workload.masks, *map(dict, summed_boxes(workload)), *workload.rule_masks)


def weighted_sums(workload: Workload) -> tuple[WeightedMasks, ...]:
    """The weighted sums, then both sides of each either-or."""
    return (*workload.sum_masks, *(side for sides in workload.side_masks for side in sides))


def summed_boxes(workload: Workload) -> dict[tuple[tuple[int, int], ...], int]:
    """What weighted sums count, each box once, numbered from 0."""
    found: dict[tuple[tuple[int, int], ...], int] = {}
    for terms in weighted_sums(workload):
        for _, masks in terms:
            found.setdefault(tuple(masks.items()), len(found))
    return found


def _split(count: int, masks: Iterable[int]) -> tuple[int, ...]:
    """The codes 0..count-1 in classes that no mask cuts, in order of their first code.

    Classes are refined mask by mask, looking only at the codes that a mask names: the work is the sum of their numbers.
    """
    class_of = [0] * count
    sizes = [count]
    for mask in masks:
        inside: dict[int, list[int]] = {}
        for code in positions(mask):
            inside.setdefault(class_of[code], []).append(code)
        for known, codes in inside.items():
            if len(codes) < sizes[known]:
                for code in codes:
                    class_of[code] = len(sizes)
                sizes[known] -= len(codes)
                sizes.append(len(codes))
    groups: dict[int, int] = {}
    for code, known in enumerate(class_of):
        groups[known] = groups.get(known, 0) | 1 << code
    return tuple(groups.values())


def positions(mask: int) -> list[int]:
    """The bits that are set, lowest first."""
    if mask.bit_count() * 8 > mask.bit_length():
        return [i for i, bit in enumerate(reversed(f"{mask:b}")) if bit == "1"]
    found = []
    while mask:  # few bits in a long number: one at a time
        low = mask & -mask
        found.append(low.bit_length() - 1)
        mask ^= low
    return found
