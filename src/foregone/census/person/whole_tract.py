"""All blocks of a tract at once: the tract tables as exact sums over its blocks, the strongest reading of what is published.

As one release this is 775 numbers for every block, nearly all zero, and the tract's own. It is taken apart without losing anything:

- a block that its own tables determine is known; what is left of the tract's numbers is about the other blocks;
- what is left bounds every other block, by sex, age, class of race and origin (of a class, those who are not Hispanic are
  published, so the others are known by subtraction); that may determine more blocks, and so on;
- the blocks that remain are asked about together, over the kinds of person that are still possible in each.

Years of age play no part: the tract's numbers for the years of a group only matter as their sum, because for each class and
origin the persons of all blocks can share out its years in any way.
"""

from __future__ import annotations

from time import monotonic

import numpy as np

from foregone.batch.plan import Ints
from foregone.census.person.tables import CLASSES, RaceGroup, groups, table_parts, years_of
from foregone.census.person.tract_bounds import Limit, bounded, histogram
from foregone.census.records import Publisher, SettledTract
from foregone.model.claim import Verdict
from foregone.model.dataset import Dataset
from foregone.model.domain import Domain
from foregone.model.errors import UndecidedError
from foregone.model.families import Groups
from foregone.model.predicate import Predicate
from foregone.model.release import Release
from foregone.model.statement import Statistic
from foregone.questions.ask import audit, unique

COLUMN = "PERSON"  # of the joint release: a block and a kind of person
FARTHEST = 20.0  # seconds for a block on its own


def settle_tract(tables: Publisher, records: dict[str, Ints], time_limit: float | None = None) -> SettledTract:
    """`records` are the packed persons of every block of a tract; they are only used to make its tables."""
    until = None if time_limit is None else monotonic() + time_limit
    releases = {block: tables.release(codes) for block, codes in records.items()}
    every = np.concatenate(list(records.values()))
    left = histogram(tables.dataset(every))
    sizes = {block: histogram(tables.dataset(codes)).sum(axis=(2, 3)) for block, codes in records.items()}  # P12 and P14 say so
    how: dict[str, str] = {}
    alone: dict[str, int] = {}
    for block, release in releases.items():
        only = _only_dataset(release)
        if only is None:
            alone[block] = certain_persons(release)
        else:
            how[block], alone[block] = "alone", len(records[block])
            left -= histogram(only)
    changed = True
    while changed:
        changed = False
        for block in [block for block in releases if block not in how]:
            only = _only_dataset(bounded(releases[block], _limits(sizes[block], left)))
            if only is not None:
                how[block], changed = "bounded", True
                left -= histogram(only)
    certain = {block: len(records[block]) for block in how}
    open_ = [block for block in releases if block not in how]
    size = (0, 0, 0)
    if open_:
        joint, places = joint_release(tables, {block: releases[block] for block in open_}, left)
        size = len(open_), len(places), len(joint.statistics)
        spent = None if until is None else max(0.0, until - monotonic())
        facts = audit(joint, time_limit=spent, groups=Groups.NONE)
        told = {code: fact.count for fact in facts for code in dict(fact.predicate.allowed)[COLUMN] if fact.count}
        for block in open_:
            certain[block] = sum(told.get(code, 0) for code, (place, _) in places.items() if place == block)
            how[block] = "joint" if certain[block] == len(records[block]) else "undecided" if facts.open else "open"
    return SettledTract(
        tuple(releases),
        tuple(len(codes) for codes in records.values()),
        tuple(how[block] for block in releases),
        tuple(alone[block] for block in releases),
        tuple(certain[block] for block in releases),
        size,
    )


def _only_dataset(release: Release) -> Dataset | None:
    """The one dataset that fits; None where there are more, or where it takes too long to tell."""
    try:
        found = unique(release, time_limit=FARTHEST)
    except UndecidedError:
        return None
    return found.first if found.verdict is Verdict.VERIFIED else None


def certain_persons(release: Release) -> int:
    """Persons whose kind, with every column, has the same number in all datasets."""
    return sum(fact.count for fact in audit(release, groups=Groups.NONE) if len(fact.predicate) == len(release.domain.columns))


def _limits(sizes: Ints, left: Ints) -> list[Limit]:
    """What is left of the tract, where it is less than the persons of that sex and age in the block."""
    return [
        (sex, age, RaceGroup(frozenset([(race, origin)])), int(left[sex, age, race, origin]))
        for sex, age in groups(sizes)
        for race, origin in np.ndindex(CLASSES, 2)
        if left[sex, age, race, origin] < sizes[sex, age]
    ]


def joint_release(tables: Publisher, releases: dict[str, Release], left: Ints) -> tuple[Release, dict[str, tuple[str, int]]]:
    """Some blocks and what is left of their tract, over the kinds of person that zeros leave possible in each block.

    Beside it, the block and the kind that each code stands for.
    """
    domain = tables.domain
    widths = tuple(len(column.codes) for column in domain.columns)
    kinds = np.indices(widths).reshape(len(widths), -1)  # column, kind
    member = np.ones((kinds.shape[1], len(tables.queries)), dtype=bool)
    for column, table in enumerate(tables.member):
        member &= table[kinds[column]]
    sex, age, race, origin = kinds
    cell = np.ravel_multi_index((sex, age, np.minimum(race, CLASSES - 1), origin), (2, len(years_of()), CLASSES, 2))
    there = left.reshape(-1)
    places: dict[str, tuple[str, int]] = {}
    stated: list[Statistic] = []
    by_cell: dict[int, list[str]] = {}
    for block, release in releases.items():
        low = np.array(release.low)
        possible = np.flatnonzero(~member[:, low == 0].any(axis=1) & (there[cell] > 0))
        codes = {int(kind): f"{block} {kind}" for kind in possible}
        places |= {code: (block, kind) for kind, code in codes.items()}
        for kind, code in codes.items():
            by_cell.setdefault(int(cell[kind]), []).append(code)
        rows: set[frozenset[str]] = set()
        for query in np.flatnonzero(low).tolist():
            matching = frozenset(codes[int(kind)] for kind in possible[member[possible, query]])
            if matching not in rows:
                rows.add(matching)
                stated.append(_exact(matching, int(low[query]), f"{block} {tables.queries[query].name}"))
    stated += [_exact(frozenset(codes), int(there[at]), f"tract {at}") for at, codes in sorted(by_cell.items())]
    return Release(Domain.of({COLUMN: list(places)}, record=domain.record), stated), places


def _exact(codes: frozenset[str], count: int, name: str) -> Statistic:
    return Statistic.exact(Predicate.of({COLUMN: sorted(codes)}), count, name)


def tract_statistics(persons: Dataset) -> list[Statistic]:
    """The tract tables as sums over all blocks, with the years of each group of ages added up: nothing else matters there."""
    counts = histogram(persons)
    sexes, ages = (persons.domain.column(name).codes for name in ("SEX", "AGE"))
    made = []
    for table, part in table_parts().items():
        for sex, age in np.ndindex(*counts.shape[:2]):
            (predicate,) = part.predicate(sex, age)
            count = sum(int(counts[sex, age, race, origin]) for race, origin in part.members)
            made.append(Statistic.exact(predicate, count, f"{table}.{sexes[sex]}.{ages[age]}", table))
    return made
