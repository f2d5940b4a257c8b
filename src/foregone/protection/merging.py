"""Sums that stand in for counts when values of a column are merged.

A count that tells merged values apart is gone. Where counts of one table add up to a condition that some merges would leave,
their sum is shown instead, for as long as no merge cuts that condition too. Which sums there are is settled beforehand,
whatever is merged in the end: so one merge more never shows anything that one merge less had hidden.

`checker/encode/weaker.py` works this out again by itself, as the checker believes nothing that is said here: keep the two apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, islice
from math import prod

from foregone.model.domain import Domain

Masks = Mapping[int, int]  # of the columns that a condition looks at, the codes that it allows
Merge = tuple[int, int, int]  # a column and the positions of two codes

MOST_CHOICES = 1000  # of merges that sums are made for, small ones first


@dataclass(frozen=True, slots=True)
class TableSum:
    """Numbers of a table that split the records of a condition among themselves."""

    whole: tuple[tuple[int, int], ...]
    table: str
    parts: tuple[int, ...]


def cuts(merge: Merge, masks: Masks) -> bool:
    """Does a condition tell the two codes apart?"""
    column, one, other = merge
    mask = masks.get(column)
    return mask is not None and (mask >> one & 1) != (mask >> other & 1)


def blocks_of(merges: Iterable[Merge]) -> dict[int, list[int]]:
    """For each column, codes that are one from now on, as bit masks.

    >>> blocks_of([(0, 0, 1), (0, 2, 3), (0, 1, 2)])
    {0: [15]}
    """
    blocks: dict[int, list[int]] = {}
    for column, one, other in merges:
        joined, apart = 1 << one | 1 << other, []
        for block in blocks.get(column, []):
            if block & joined:
                joined |= block
            else:
                apart.append(block)
        blocks[column] = [*apart, joined]
    return blocks


def widened(mask: int, blocks: Iterable[int]) -> int:
    for block in blocks:
        if mask & block:
            mask |= block
    return mask


def sums_of(domain: Domain, merges: Sequence[Merge], counts: Sequence[tuple[int, str, Masks]]) -> list[TableSum]:
    """The sums that merges can make of counts, each with its number, its table and its condition; those of few parts first."""
    found: dict[TableSum, None] = {}
    choices = (chosen for size in range(1, len(merges) + 1) for chosen in combinations(merges, size))
    for chosen in [*islice(choices, MOST_CHOICES), tuple(merges)]:
        blocks = blocks_of(chosen)
        alike: dict[tuple[tuple[tuple[int, int], ...], str], dict[int, Masks]] = {}
        for number, table, masks in counts:
            if any(cuts(merge, masks) for merge in chosen):
                whole = tuple(sorted((c, widened(mask, blocks.get(c, ()))) for c, mask in masks.items()))
                alike.setdefault((whole, table), {})[number] = masks
        for (whole, table), parts in alike.items():
            if _adds_up(domain, dict(whole), list(parts.values())):
                found[TableSum(whole, table, tuple(parts))] = None
    return sorted(found, key=lambda made: (len(made.parts), made.parts))


def _adds_up(domain: Domain, whole: Masks, parts: Sequence[Masks]) -> bool:
    """Do the conditions split the records of the whole one? They lie inside it, so it is enough that no two overlap and that
    their sizes add up.
    """
    full = [column.full for column in domain.columns]

    def size(masks: Masks) -> int:
        return prod(masks.get(c, codes).bit_count() for c, codes in enumerate(full))

    apart = all(
        any(mask & other.get(c, full[c]) == 0 for c, mask in one.items()) for one, other in combinations(parts, 2)
    )
    return apart and sum(map(size, parts)) == size(whole)


def shown_sums(sums: Sequence[TableSum], merges: Sequence[Merge], gone: frozenset[int]) -> list[int]:
    """The sums that some merges leave and that do not follow from what else is shown; `gone` are the counts that they cut."""
    shown: list[int] = []
    for s, made in enumerate(sums):
        if any(cuts(merge, dict(made.whole)) for merge in merges):
            continue
        rest = gone.intersection(made.parts)
        for other in shown:
            if rest.issuperset(sums[other].parts):
                rest -= frozenset(sums[other].parts)
        if rest:
            shown.append(s)
    return shown
