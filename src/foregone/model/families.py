"""What a claim may name in a column: single values, groups that the tables use or the domain declares, and what these share."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from foregone.model.groups import Groups as Groups
from foregone.model.kept import kept_with
from foregone.model.workload import Masks, Workload

MOST_MEMBERS = 4_096  # of a column's family that are listed


@dataclass(frozen=True, slots=True, eq=False)
class Families:
    """For each column the sets of codes, as bit masks, that its family is made from, single codes left out.

    The family of a column is every single code, each of these sets, and whatever some of them have in common. It can be
    very large, so it is never listed as a whole: `above` lists the few members around one of them. All codes together
    are no member: they mean that the column is not named.
    """

    sets: tuple[tuple[int, ...], ...]
    _above: dict[tuple[int, int], tuple[int, ...] | None] = field(default_factory=dict, repr=False)

    def above(self, column: int, member: int) -> tuple[int, ...] | None:
        """The members that contain this one, itself first; None when they are too many to be listed.

        >>> Families(((0b0011, 0b0111, 0b1110),)).above(0, 0b0010)
        (2, 3, 7, 14, 6)
        """
        key = column, member
        if key not in self._above:
            self._above[key] = _meets(member, [group for group in self.sets[column] if not member & ~group])
        return self._above[key]

    def members(self, column: int, codes: int) -> tuple[int, ...] | None:
        """The whole family of a column with so many codes; None when it is too large to be listed."""
        singles = [1 << code for code in range(codes)]
        shared = _meets(0, list(self.sets[column]))
        found = None if shared is None else tuple(dict.fromkeys([*singles, *(mask for mask in shared if mask)]))
        return None if found is None or len(found) > MOST_MEMBERS else found


def _meets(least: int, around: list[int]) -> tuple[int, ...] | None:
    """`least` and every intersection of sets around it."""
    found = {least: None, **dict.fromkeys(around)}
    todo = list(found)
    for mask in todo:  # grows
        for other in around:
            if mask & other not in found:
                found[mask & other] = None
                todo.append(mask & other)
                if len(found) > MOST_MEMBERS:
                    return None
    return tuple(found)


def families_of(workload: Workload, groups: Groups = Groups.PUBLISHED) -> Families:
    """Made when first needed and kept as long as the workload is."""
    return _families(workload, groups)


@kept_with
def _families(workload: Workload, groups: Groups) -> Families:
    columns = workload.domain.columns
    found: list[dict[int, None]] = [{} for _ in columns]
    for masks in nameable(workload) if groups == Groups.PUBLISHED else ():
        for c, mask in masks.items():
            found[c][mask] = None
    some = (
        tuple(mask for mask in sets if mask & (mask - 1) and mask != column.full)
        for sets, column in zip(found, columns, strict=True)
    )
    return Families(tuple(some))


def nameable(workload: Workload) -> Iterator[Masks]:
    """What claims may name: whatever the statistics are about, withheld ones too, and declared groups.

    Rules are not among them, nor what a figure is made of, such as the thresholds of a median.
    """
    yield from workload.masks
    yield from workload.figure_masks
    for terms in workload.sum_masks[: len(workload.sum_masks) - workload.said]:
        for _, masks in terms:
            yield masks
    for c, column in enumerate(workload.domain.columns):
        for _, codes in column.groups:
            yield {c: column.mask(codes)}
