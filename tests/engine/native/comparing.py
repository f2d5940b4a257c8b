"""Releases to audit with both loops, and what of two audits has to be the same."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import product

from foregone import Domain, Predicate, Release, Statistic
from foregone.census.household.kind import household_release
from foregone.census.synthetic.households import block
from foregone.model.audit import Audit


def told(audit: Audit) -> list[object]:
    """Everything that an audit says, the fields that comparing two audits leaves out as well."""
    about = audit.kinds, audit.cells, audit.method, audit.counted, audit.reason, audit.open
    return [about, *((fact, fact.idle) for fact in audit)]


def blocks(number: int, households: tuple[int, int], seed: int) -> Iterator[Release]:
    """Synthetic census blocks, each with a random number of households within the limits."""
    rng = random.Random(seed)
    for _ in range(number):
        yield household_release(block(rng.randint(*households), rng.randrange(1 << 30)))


def random_releases(number: int, seed: int) -> Iterator[Release]:
    """Small releases: tables over some columns, with groups of values, with or without their zeros, with a few numbers left out,
    with rules now and then, some of them without a total, and mostly of records of which several are the same."""
    rng = random.Random(seed)
    made = 0
    while made < number:
        release = _random_release(rng)
        if release is not None:
            made += 1
            yield release


def with_ranges(release: Release, rng: random.Random) -> Release:
    """The release as somebody else might publish it: small numbers as marks, rounded, withheld, or known from one side."""
    base, below = rng.choice([2, 3, 5, 10]), rng.choice([2, 3, 5])
    marked, rounded, withheld = rng.choice([(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.4, 0.3, 0.1), (0.1, 0.1, 0.02), (0.0, 0.0, 0.3)])
    stated = []
    for one in release.statistics:
        low, high = one.low, one.high
        if rng.random() < marked and 0 < one.low < below:
            low, high = rng.choice([(1, below - 1), (1, below - 1), (0, below - 1)])
        elif rng.random() < rounded:
            middle = base * ((2 * one.low + base) // (2 * base))
            low, high = max(0, middle - base // 2), middle + (base - 1) // 2
        if rng.random() < withheld:
            low, high = rng.choice([(0, None), (0, None), (low, None), (0, high)])
        stated.append(Statistic(one.predicate, low, high, one.name, one.table))
    return Release(release.domain, stated, release.rules)


def _random_release(rng: random.Random) -> Release | None:
    columns = rng.randint(2, 6)
    domain = {f"C{i}": [str(j) for j in range(rng.randint(2, 5))] for i in range(columns)}
    names = list(domain)
    alike = rng.choice([0, 0.3, 0.7])
    records: list[tuple[str, ...]] = []
    for _ in range(rng.randint(1, 25)):
        new = tuple(rng.choice(domain[name]) for name in names)
        records.append(rng.choice(records) if records and rng.random() < alike else new)
    stated: list[Statistic] = []
    if rng.random() < 0.95:
        stated.append(Statistic.exact(Predicate(), len(records), "N", "N"))
    for table in range(rng.randint(1, 6)):
        over = rng.sample(range(columns), rng.randint(1, min(3, columns)))
        zeros = rng.random() < 0.7
        for cell in product(*(_sides(domain[names[i]], rng) for i in over)):
            count = sum(all(record[i] in side for i, side in zip(over, cell, strict=True)) for record in records)
            if (count or zeros) and rng.random() > 0.05:
                predicate = Predicate.of({names[i]: list(side) for i, side in zip(over, cell, strict=True)})
                stated.append(Statistic.exact(predicate, count, f"s{len(stated)}", f"t{table}"))
    rules = [rule for rule in _rules(domain, rng) if not any(_matches(record, rule, names) for record in records)]
    return Release(Domain.of(domain), stated, rules) if stated else None


def _sides(codes: list[str], rng: random.Random) -> list[tuple[str, ...]]:
    """Single values, or two groups."""
    if len(codes) < 3 or rng.random() > 0.35:
        return [(code,) for code in codes]
    shuffled = rng.sample(codes, len(codes))
    cut = rng.randint(1, len(codes) - 1)
    return [tuple(sorted(shuffled[:cut])), tuple(sorted(shuffled[cut:]))]


def _rules(domain: dict[str, list[str]], rng: random.Random) -> list[Predicate]:
    return [
        Predicate.of({name: rng.choice(domain[name]) for name in rng.sample(list(domain), 2)})
        for _ in range(rng.choice([0, 0, 1, 4]))
    ]


def _matches(record: tuple[str, ...], rule: Predicate, names: list[str]) -> bool:
    return all(record[names.index(name)] in codes for name, codes in rule.allowed)
