"""The first part of a proof: the steps that lead from all records of the domain to those that the engine keeps.

They say nothing new: published zeros and rules, dead values first, and then column by column; and, as soon as all their
columns are joined, containers whose parts use up all their records.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations
from math import prod
from typing import Any

import numpy as np

from foregone.engine.system.linear import LinearSystem
from foregone.model.release import Release

FEW = 6  # columns of which all orders are compared,
MUCH = 10**9  # where all boxes, times those that are empty, are as many

Masks = Mapping[int, int]
Step = dict[str, Any]


def high_row(statement: int) -> int:
    """The number of the row that says: at most so many. Weighted sums are numbered after the statistics."""
    return 2 * statement


def low_row(statement: int) -> int:
    """The number of the row that says: at least so many."""
    return 2 * statement + 1


def first_derived(release: Release) -> int:
    """The number of the first row that is neither a statement's nor a rule's."""
    return 2 * (release.workload.limited + len(release.rules))


def cover_steps(system: LinearSystem) -> list[Step]:
    release = system.release
    empty = {high_row(k): masks for k, masks in enumerate(release.masks) if release.high[k] == 0}
    empty |= {2 * (release.workload.limited + r): masks for r, masks in enumerate(release.rule_masks)}
    alive = [column.full for column in release.domain.columns]
    steps = list(_dead_values(system, empty, alive))
    return steps if not all(alive) else steps + list(_joins(system, empty, alive))


def _dead_values(system: LinearSystem, empty: Mapping[int, Masks], alive: list[int]) -> Iterator[Step]:
    """Values that no record has, because an empty box restricts nothing else among the values still alive; updates `alive`."""
    while True:
        found: dict[int, dict[int, int]] = {}
        for row, masks in empty.items():
            seen = {c: mask & alive[c] for c, mask in masks.items()}
            limits = [c for c, mask in seen.items() if mask != alive[c]]
            if not limits:  # an empty box that holds everything
                yield {"prune": [[row, 1]]}
                alive[:] = [0] * len(alive)
                return
            if len(limits) == 1 and seen[limits[0]]:
                found.setdefault(limits[0], {})[row] = seen[limits[0]]
        if not found:
            return
        for c, rows in sorted(found.items()):
            dead = 0
            for mask in rows.values():
                dead |= mask
            kept = [alive[c] & ~dead] if alive[c] & ~dead else []
            yield _columns(system, c, [group for group in system.atoms.groups[c] if group & dead] + kept)
            yield {"prune": [[row, 1] for row in sorted(rows)]}
            alive[c] &= ~dead
            if not alive[c]:
                return


def _joins(system: LinearSystem, empty: Mapping[int, Masks], alive: list[int]) -> Iterator[Step]:
    """One column after another, with what is known to be empty as soon as all its columns are there."""
    release = system.release
    zeros = {row: scope for row, masks in empty.items() if (scope := _scope(masks, alive)) is not None}
    used_up = []
    for exclusion in system.exclusions:
        scopes = [_scope(release.masks[k], alive) or set() for k in (exclusion.container, *exclusion.parts)]
        terms = [[high_row(exclusion.container), 1], *([low_row(part), 1] for part in exclusion.parts)]
        used_up.append((set[int]().union(*scopes), terms))
    atoms = [[group for group in groups if group & alive[c]] for c, groups in enumerate(system.atoms.groups)]
    known = {c for c, groups in enumerate(atoms) if len(groups) <= 1}
    for column in _order(system, [len(groups) for groups in atoms], known, [*zeros.values(), *(scope for scope, _ in used_up)]):
        known.add(column)
        yield _columns(system, column, atoms[column])
        closed = [[row, 1] for row, scope in zeros.items() if column in scope and scope <= known]
        if closed:
            yield {"prune": closed}
        for scope, terms in used_up:
            if column in scope and scope <= known:
                yield {"prune": terms}


def _order(system: LinearSystem, widths: list[int], known: set[int], scopes: list[set[int]]) -> list[int]:
    """In which order columns are joined: next the one that adds fewest values for each empty box that can be used then.

    Where that leads through very many boxes, and the columns are few, all orders are compared.
    """
    left, seen, found = [c for c in range(len(widths)) if c not in known], set(known), list[int]()
    while left:
        ready = {c: sum(c in scope and scope <= seen | {c} for scope in scopes) for c in left}
        column = min(left, key=lambda c: (widths[c] / (1 + ready[c]), c))
        left.remove(column)
        seen.add(column)
        found.append(column)
    if len(found) > FEW or prod(widths) * len(scopes) < MUCH:
        return found
    cheapest: dict[frozenset[int], tuple[int, tuple[int, ...]]] = {frozenset(): (0, ())}
    for size in range(1, len(found) + 1):
        for some in map(frozenset, combinations(sorted(found), size)):
            ways = ((c, cheapest[some - {c}]) for c in sorted(some))
            cheapest[some] = min((cost + _boxes(system, some - {c}) * widths[c], (*order, c)) for c, (cost, order) in ways)
    return list(cheapest[frozenset(found)][1])


def _boxes(system: LinearSystem, columns: frozenset[int]) -> int:
    """About how many boxes are left when these columns are joined: as many as possible records differ in them."""
    return len(np.unique(system.records[:, sorted(columns)], axis=0)) if columns else 1


def _scope(masks: Masks, alive: list[int]) -> set[int] | None:
    """The columns that a box restricts among values still alive; None when nothing is left of it."""
    if not all(mask & alive[c] for c, mask in masks.items()):
        return None
    return {c for c, mask in masks.items() if mask & alive[c] != alive[c]}


def _columns(system: LinearSystem, c: int, sets: list[int]) -> Step:
    column = system.release.domain.columns[c]
    return {"columns": column.name, "sets": [list(column.codes_of(mask)) for mask in sets]}
