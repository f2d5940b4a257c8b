"""Was anything missed? The last part of the checker: standard library only, like the rest.

A claim about at least one record that is certain has the same count in every dataset that fits, so also in the few
datasets listed in the file. List every claim that has: each must be about the same possible records as a proved fact.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from foregone.checker.possible import Rejected, World, as_list, bits_of

Record = tuple[str, ...]

MAX_CLAIMS = 3_000_000


def nothing_missed(world: World, witnesses: Any, proved: dict[frozenset[int], int]) -> tuple[bool | None, str]:
    """True when every claim outside the proved facts is refuted by a listed dataset; else why not."""
    try:
        datasets = [_dataset(world, i, entry) for i, entry in enumerate(as_list(witnesses, "witnesses"), start=1)]
        if not datasets:
            raise Rejected("no witness is listed")
    except Rejected as error:
        return False, str(error)
    for seen, (claim, count) in enumerate(_agreed(datasets, world.release.domain.names)):
        if seen > MAX_CLAIMS:
            return None, f"more than {MAX_CLAIMS:,} claims agree in all witnesses, too many to confirm one by one"
        surely, perhaps = world.select(claim)
        if surely != perhaps or proved.get(frozenset(surely)) != count:
            named = ", ".join(f"{name}={code}" for name, code in claim.items())
            return False, f"'{named}' has count {count} in every witness, but is not proved"
    return True, ""


def _dataset(world: World, number: int, entry: Any) -> list[Record]:
    """A witness whose every count was recounted and found to match the release."""
    counts: dict[int, int] = defaultdict(int)
    records = []
    for codes in as_list(entry, "witness"):
        belongs = -1
        values = as_list(codes, "record")
        if len(values) != len(world.atoms):
            raise Rejected(f"witness {number}: a record does not have one code per column")
        for c, value in enumerate(values):
            belongs &= world.atom(c, value)
        for bit in bits_of(belongs & ((1 << len(world.scope)) - 1)):
            counts[bit] += 1
        records.append(tuple(values))
    for i, statistic in enumerate(world.release.statistics):
        if not statistic.holds(counts[i]):
            raise Rejected(f"witness {number} has {counts[i]} where statistic {i} says {statistic.range_text}")
    if any(counts[bit] for bit in range(world.count, len(world.scope))):
        raise Rejected(f"witness {number} breaks a rule")
    return records


def _agreed(datasets: list[list[Record]], names: tuple[str, ...]) -> Iterator[tuple[dict[str, str], int]]:
    """Every claim that occurs equally often, and at least once, in all datasets; grown column by column."""
    everything = [(w, record) for w, records in enumerate(datasets) for record in records]
    stack: list[tuple[int, dict[str, str], list[tuple[int, Record]]]] = [(0, {}, everything)]
    while stack:
        start, claim, entries = stack.pop()
        for c in range(start, len(names)):
            parts: dict[str, list[tuple[int, Record]]] = defaultdict(list)
            for entry in entries:
                parts[entry[1][c]].append(entry)
            for code, part in parts.items():
                counts = [0] * len(datasets)
                for w, _ in part:
                    counts[w] += 1
                if all(counts):
                    longer = {**claim, names[c]: code}
                    if len(set(counts)) == 1:
                        yield longer, counts[0]
                    stack.append((c + 1, longer, part))
