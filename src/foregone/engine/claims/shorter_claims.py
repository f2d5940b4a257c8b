"""The forms of a fact: subsets of its closed columns, as bit masks, and which of them say the same as all columns do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from math import comb

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

TABLE_WIDTH = 16  # up to this many columns, forms are looked up in a table of all subsets
TOGETHER = 1 << 22  # entries of such tables looked at in one go


def inside_any(masks: Ints, containers: Ints) -> Bools:
    """Which masks are subsets of at least one container."""
    if len(masks) * len(containers) <= 1 << 16:
        return np.asarray((masks[:, None] & ~containers == 0).any(axis=1))
    inside = np.zeros(len(masks), dtype=bool)
    for container in containers:
        inside |= masks & ~container == 0
    return inside


def maximal(masks: Ints) -> list[int]:
    """The masks that are not inside another one."""
    kept: list[int] = []
    for mask in sorted((int(m) for m in masks), key=lambda m: (-m.bit_count(), m)):
        if all(mask & ~other for other in kept):
            kept.append(mask)
    return kept


def count_forms(width: int, blocked: Ints) -> list[int]:
    """How many subsets of each size 0..width of the closed columns say the same as the closed claim.

    >>> count_forms(3, np.array([0b011, 0b100]))  # {a,c}, {b,c} and {a,b,c}
    [0, 0, 2, 1]
    """
    if width <= TABLE_WIDTH:
        forms = np.flatnonzero(_form_table(width, blocked))
        sizes = np.bitwise_count(forms)
        return [int(n) for n in np.bincount(sizes, minlength=width + 1)]
    total = [comb(width, size) for size in range(width + 1)]
    for mask, size, sign in _inclusion_exclusion(maximal(blocked)):
        del mask
        for k in range(size + 1):
            total[k] -= sign * comb(size, k)
    return total


def forms_each(facts: Sequence[tuple[int, Ints]]) -> tuple[Ints, list[list[int]]]:
    """For many facts, each given by its width and blocked masks: how many forms each has by number of columns (one row
    each, as wide as the widest), and its shortest forms.

    >>> forms_each([(3, np.array([0b011, 0b100])), (1, np.array([0]))])[1]
    [[5, 6], [1]]
    """
    widest = max((width for width, _ in facts), default=0)
    counts = np.zeros((len(facts), widest + 1), dtype=np.int64)
    if widest > TABLE_WIDTH:
        for row, fact in zip(counts, facts, strict=True):
            row[: fact[0] + 1] = count_forms(*fact)
        return counts, [minimal_forms(*fact) for fact in facts]
    shortest: list[list[int]] = []
    step = max(1, TOGETHER >> widest)
    for start in range(0, len(facts), step):
        some = facts[start : start + step]
        table = np.zeros((len(some), 1 << widest), dtype=bool)
        table[np.repeat(np.arange(len(some)), [len(blocked) for _, blocked in some]), np.concatenate([b for _, b in some])] = True
        close_downwards(table, widest)
        named, sizes = _subsets(widest)
        foreign = named & ~np.array([(1 << width) - 1 for width, _ in some])[:, None] != 0
        forms = ~table & ~foreign
        counts[start : start + step] = forms.astype(np.float32) @ sizes  # exact: at most 2^16 forms
        shortest += _shortest(forms, widest)
    return counts, shortest


def _shortest(forms: Bools, width: int) -> list[list[int]]:
    """In tables of forms, those from which no column can be taken."""
    least = forms.copy()
    for bit in range(width):
        least.reshape(len(forms), -1, 2, 1 << bit)[:, :, 1] &= ~forms.reshape(len(forms), -1, 2, 1 << bit)[:, :, 0]
    fact, form = least.nonzero()
    found: list[list[int]] = [[] for _ in forms]
    for i, mask in zip(fact.tolist(), form.tolist(), strict=True):
        found[i].append(mask)
    return [sorted(masks, key=lambda mask: (mask.bit_count(), mask)) for masks in found]


@cache
def _subsets(width: int) -> tuple[Ints, NDArray[np.float32]]:
    """All masks, and for each a row that has 1 at its size."""
    masks = np.arange(1 << width)
    return masks, np.eye(width + 1, dtype=np.float32)[np.bitwise_count(masks)]


def _inclusion_exclusion(tops: list[int]) -> Iterator[tuple[int, int, int]]:
    """Intersections of blocked masks with their signs, equal intersections taken together so that few remain."""
    terms: dict[int, int] = {}
    for top in tops:
        new = {top: 1}
        for mask, weight in terms.items():
            new[mask & top] = new.get(mask & top, 0) - weight
        for mask, weight in new.items():
            terms[mask] = terms.get(mask, 0) + weight
            if not terms[mask]:
                del terms[mask]
    for mask, weight in terms.items():
        yield mask, mask.bit_count(), weight


def _form_table(width: int, blocked: Ints) -> Bools:
    inside = np.zeros(1 << width, dtype=bool)
    inside[blocked] = True
    close_downwards(inside, width)
    return ~inside


def close_downwards(table: Bools, width: int) -> None:
    """In tables over all masks (along the last axis), mark every subset of a marked mask."""
    for bit in range(width):
        pairs = table.reshape(-1, 2, 1 << bit)
        pairs[:, 0] |= pairs[:, 1]


def minimal_forms(width: int, blocked: Ints) -> list[int]:
    """The shortest ways to say it: smallest sets of columns that leave every blocked mask (Berge's transversals)."""
    full = (1 << width) - 1
    found = [0]
    for top in maximal(blocked):
        outside = full & ~top
        hit = [form for form in found if form & outside]
        grown = {
            form | (1 << bit) for form in found if not form & outside for bit in range(width) if outside >> bit & 1
        }
        found = hit + [new for new in sorted(grown) if all(old & ~new for old in hit)]
        found = [form for form in found if not any(other != form and other & ~form == 0 for other in found)]
    return sorted(found, key=lambda form: (form.bit_count(), form))
