"""What a claim may name in a column, and every way of saying a fact with it.

In a column a claim may name single values, groups that the tables use or the domain declares, and what these share: its family.
A fact can be said by every claim between one of its shortest forms and its fullest one; they are counted and listed here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from foregone.model.kept import kept_with

if TYPE_CHECKING:  # commands that only offer the choice of `Groups` load nothing else
    from foregone.model.workload import Masks, Workload

Box = Mapping[int, int]
"""Column position -> bit mask of allowed values, only where a column is named."""

MOST_MEMBERS = 4_096  # of a column's family that are listed
MOST_STATES = 100_000  # different sets of shortest forms met while counting


class Groups(StrEnum):
    """Which groups of values claims may name beside single values."""

    PUBLISHED = "published"  # those that the tables use, those that the domain declares, and what they share
    NONE = "none"  # single values only, as in the paper


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
    for stated, terms in zip(workload.sums, workload.sum_masks, strict=True):
        if stated.source is None:
            yield from (masks for _, masks in terms)
    for c, column in enumerate(workload.domain.columns):
        for _, codes in column.groups:
            yield {c: column.mask(codes)}


def count_forms(
    full: Box, shortest: Sequence[Box], families: Families, blocked: Sequence[Box] | None = None
) -> tuple[int, ...] | None:
    """How many forms there are with each number of columns, from none up; None when they are too many to be counted.

    A form allows in each column a member of the family that holds what the fullest form allows, or anything, and lies
    inside some shortest form; or, what is the same, holds none of the `blocked` boxes, the smallest ones around the fullest form
    and another possible record. Columns are taken one by one; all that matters of those taken is which of these boxes are
    still in question, so the shorter of the two lists is used.

    >>> count_forms({0: 1, 1: 1}, [{0: 1}], Families(((0b011, 0b111), ())))  # first column 1, second column 1 or anything
    (0, 1, 1)
    >>> count_forms({0: 1, 1: 1}, [{0: 3}], Families(((0b011, 0b111), ())))  # first column 1 or the smaller group
    (0, 2, 2)
    >>> count_forms({0: 1, 1: 1}, [{0: 3}], Families(((0b011, 0b111), ())), [{0: 7, 1: 1}])
    (0, 2, 2)
    """
    around = {column: families.above(column, mask) for column, mask in full.items()}
    if any(members is None for members in around.values()):
        return None
    avoid = blocked is not None and len(blocked) < len(shortest)
    boxes = blocked if avoid and blocked is not None else shortest
    # numbers by size are digits of one long number: naming a column moves them by one place
    place = 1 + sum(len(members or ()).bit_length() + 1 for members in around.values())
    if len(shortest) == 1:  # the usual case: the columns do not depend on each other
        total = 1
        for column, members in around.items():
            side = shortest[0].get(column)
            named = len(members or ()) if side is None else sum(not member & ~side for member in members or ())
            total *= (side is None) + (named << place)
        return _digits(total, place, len(full))
    states = {(1 << len(boxes)) - 1: 1}
    for column, members in around.items():
        new: dict[int, int] = {}
        for kept, (blank, named) in _choices(members or (), [box.get(column) for box in boxes], avoid).items():
            for state, numbers in states.items():
                left = state & kept
                if left or avoid:
                    new[left] = new.get(left, 0) + blank * numbers + (named * numbers << place)
        states = new
        if len(states) > MOST_STATES:
            return None
    return _digits(states.get(0, 0) if avoid else sum(states.values()), place, len(full))


def _digits(number: int, place: int, last: int) -> tuple[int, ...]:
    return tuple(number >> place * size & (1 << place) - 1 for size in range(last + 1))


def _choices(members: Sequence[int], sides: Sequence[int | None], avoid: bool) -> dict[int, tuple[int, int]]:
    """Which boxes a choice in a column leaves in question -> how many such choices name nothing, and something."""
    # those that it holds: naming nothing, it holds them all; or those that it may lie inside of: they name nothing either
    anything = (1 << len(sides)) - 1 if avoid else sum(1 << i for i, side in enumerate(sides) if side is None)
    found = {anything: (1, 0)}
    for member in members:
        left = 0 if avoid else anything
        for i, side in enumerate(sides):
            if side is not None and not (side & ~member if avoid else member & ~side):
                left |= 1 << i
        blank, named = found.get(left, (0, 0))
        found[left] = blank, named + 1
    return found


def list_forms(full: Box, shortest: Sequence[Box], families: Families, most: int) -> Iterator[dict[int, int]]:
    """Every form with one to `most` columns, each once."""
    columns = list(full)

    def chosen(at: int, left: list[Box], said: dict[int, int]) -> Iterator[dict[int, int]]:
        if at == len(columns):
            if said:
                yield dict(said)
            return
        column = columns[at]
        without = [form for form in left if column not in form]
        if without:
            yield from chosen(at + 1, without, said)
        for member in (families.above(column, full[column]) or ()) if len(said) < most else ():
            fitting = [form for form in left if not member & ~form.get(column, member)]
            if fitting:
                yield from chosen(at + 1, fitting, {**said, column: member})

    yield from chosen(0, list(shortest), {})
