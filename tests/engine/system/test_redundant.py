"""A column that says what another one says, as codes beside words do: nothing more is possible, and no other fact is found."""

from __future__ import annotations

import random
from collections import Counter
from itertools import combinations, product

import pytest

from foregone import Domain, Predicate, Release, Statistic
from foregone.engine import start
from foregone.engine.claims.audit_loop import Facts, find_facts
from foregone.model.families import Groups

NAMES = ("Year", "A", "B", "C")


def tables(seed: int, codes: str) -> Release:
    """All pairs of columns of some records; `Year Code` is in tables of its own, beside `Year` in each, or nowhere."""
    rng = random.Random(seed)
    rows = [tuple(str(min(w - 1, int(w * abs(rng.gauss(0.5, 0.3))))) for w in (4, 3, 3, 2)) for _ in range(15)]
    names = NAMES if codes == "none" else (*NAMES, "Year Code")
    rows = [(*row, f"c{row[0]}")[: len(names)] for row in rows]
    domain = Domain.of({name: sorted({row[c] for row in rows}) for c, name in enumerate(names)})
    numbers = [Statistic.exact(Predicate(), len(rows))]
    for chosen in combinations(range(len(names) if codes == "own tables" else len(NAMES)), 2):
        counts = Counter(tuple(row[c] for c in chosen) for row in rows)
        for values in product(*(domain.columns[c].codes for c in chosen)):
            said = {names[c]: value for c, value in zip(chosen, values, strict=True)}
            if codes == "beside" and "Year" in said:
                said["Year Code"] = f"c{said['Year']}"
            numbers.append(Statistic.exact(Predicate.of(said), counts[values]))
    return Release(domain, tuple(numbers))


def told(found: Facts) -> set[tuple[frozenset[tuple[int, ...]], int]]:
    """The certain facts by the possible records that they count, told by the first columns."""
    system = found.case.system
    kinds = [tuple(record) for record in system.records[:, : len(NAMES)].tolist()]
    of = dict(zip(system.bucket_of.tolist(), kinds, strict=True))
    return {(frozenset(of[b] for b in fact.extent.inner.tolist() if not found.dead[b]), fact.count) for fact in found.facts}


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("codes", ["own tables", "beside"])
def test_columns_that_determine_each_other_are_one(seed: int, codes: str) -> None:
    plain, double = (find_facts(start(tables(seed, how)), groups=Groups.NONE) for how in ("none", codes))
    assert plain.case.system.buckets == double.case.system.buckets
    assert told(plain) == told(double)
