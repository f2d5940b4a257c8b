"""Datasets made by changing records one value at a time: they fit, and audits that rest on them equal brute force."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import combinations, product
from random import Random

import numpy as np
import pytest

from foregone import Domain, Predicate, Release, Statistic
from foregone.engine import start
from foregone.engine.bounds import prover
from foregone.engine.system.decode import dataset_of
from foregone.engine.system.linear import compile_release
from foregone.engine.witnesses.mending import VACANT, Changes, Mending, Wanted, mended, stirred
from foregone.engine.witnesses.moves import Mover
from foregone.solvers.deadline import Deadline
from tests import oracle
from tests.audited import compare

Style = Callable[[int, Random], tuple[int, int]]


def to_nearest(count: int, base: int) -> tuple[int, int]:
    shown = (count + base // 2) // base * base
    return max(0, shown - base // 2), shown + base // 2


STYLES: dict[str, Style] = {
    "rounded to 3": lambda count, _: to_nearest(count, 3),
    "rounded to 5": lambda count, _: to_nearest(count, 5),
    "randomly rounded": lambda count, random: (max(0, (shown := count - random.choice([0, count % 3])) - 2), shown + 2),
    "exact": lambda count, _: (count, count),
    "starred": lambda count, _: (1, 2) if 1 <= count <= 2 else (count, count),
    "starred with zeros": lambda count, _: (0, 2) if count <= 2 else (count, count),
}


def published(seed: int, style: Style, records: int, widths: tuple[int, ...], exact: bool) -> Release:
    """All two-way margins of random records in a style, and how many records there are, exactly or in the same style."""
    random = Random(seed)
    domain = Domain.of({f"C{c}": [str(v) for v in range(width)] for c, width in enumerate(widths)})
    rows = [tuple(str(random.randrange(width)) for width in widths) for _ in range(records)]
    numbers = [Statistic(Predicate(), *((records, records) if exact else style(records, random)))]
    for chosen in combinations(range(len(widths)), 2):
        counts = Counter(tuple(row[c] for c in chosen) for row in rows)
        for codes in product(*(domain.columns[c].codes for c in chosen)):
            predicate = Predicate.of({f"C{c}": code for c, code in zip(chosen, codes, strict=True)})
            numbers.append(Statistic(predicate, *style(counts[codes], random)))
    return Release(domain, tuple(numbers))


@pytest.mark.slow
@pytest.mark.parametrize("style", STYLES)
def test_audits_equal_brute_force(style: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Small releases go this way only when they are told to."""
    monkeypatch.setattr(prover, "QUICK", -1)
    monkeypatch.setattr(prover, "LOOSE", 0.0)
    facts = 0
    for seed in range(12):
        release = published(seed, STYLES[style], 2 + seed % 4, (2, 2, 3), exact=True)
        datasets = tuple(oracle.consistent_datasets(release, 5))
        facts += len(compare(release, datasets))
    assert facts or "rounded" in style, "where some counts are shown some claims must be certain"


@pytest.mark.parametrize("style", ["rounded to 3", "rounded to 5", "randomly rounded"])
def test_what_is_made_fits(style: str) -> None:
    release = published(1, STYLES[style], 30, (3, 4, 2, 5), exact=False)
    system = compile_release(release)
    mover, most = Mover(system), system.largest
    assert most is not None
    made = mended(Mending(mover, most, np.random.default_rng(0)), 8000, Deadline())
    assert made is not None
    others = stirred(mover, made, most, 3, np.random.default_rng(0))
    changes = Changes(mover, made, most, np.random.default_rng(0))
    assert len(changes.new)
    alone = [changes.made(np.array([i])) for i in range(len(changes.new))]
    together = changes.made(np.arange(len(changes.new)))
    for witness in (made, *others, *alone, together):
        assert oracle.fits(dataset_of(system, witness).records, release)
    assert len({witness.key for witness in (made, *others)}) == 4


def test_every_change_that_keeps_the_ranges_is_found() -> None:
    """All records that differ in one value, and dropping one, each tabulated from scratch."""
    release = published(2, STYLES["rounded to 3"], 8, (2, 3, 2), exact=False)
    prover = start(release).prover
    system, witness = prover.system, prover.pool.witnesses[0]
    assert system.largest is not None
    changes = Changes(prover.mover, witness, system.largest, prover.rng)
    found = {(old, new) for old, new in zip(changes.old.tolist(), changes.new.tolist(), strict=True) if old != VACANT}
    records = {bucket: tuple(system.records[prover.mover.first_record[bucket]].tolist()) for bucket in range(system.buckets)}
    expected = set()
    for old in witness.buckets.tolist():
        for new in [VACANT, *records]:
            near = new == VACANT or sum(a != b for a, b in zip(records[old], records[new], strict=True)) == 1
            moved = witness.moved(np.array([old]), np.array([new] if new != VACANT else [], dtype=np.int64))
            if near and oracle.fits(dataset_of(system, moved).records, release):
                expected.add((old, new))
    assert found == expected


def test_a_count_that_is_wanted() -> None:
    release = published(3, STYLES["rounded to 5"], 40, (4, 5, 4, 6), exact=False)
    prover = start(release).prover
    assert prover.room
    inside = prover.system.footprint(Predicate.of({"C0": "1", "C2": "0"}))[0]
    start_from = prover.pool.witnesses[0]
    count = start_from.value(inside)
    more = prover.mend(1000, Wanted(inside, least=count + 1), start_from)
    less = prover.mend(1000, Wanted(inside, most=count - 1), start_from)
    assert more is not None
    assert less is not None
    assert less.value(inside) < count < more.value(inside)
    assert prover.mend(50, Wanted(inside, least=1000), start_from) is None


def test_a_record_is_moved_to_where_one_is_wanted_however_far_that_is() -> None:
    release = published(3, STYLES["rounded to 5"], 40, (4, 5, 4, 6), exact=False)
    prover = start(release).prover
    system, witness = prover.system, prover.pool.witnesses[0]
    assert system.largest is not None
    kinds = system.records[prover.mover.first_record]
    distance = (kinds[:, None] != kinds[None, witness.buckets]).sum(axis=2).min(axis=1)
    far = distance == distance.max()
    assert distance.max() >= 2
    made = Mending(prover.mover, system.largest, np.random.default_rng(0), Wanted(far, least=1))
    made.begin(witness)
    made.approach()
    assert made.witness.value(far) == 1
    made.approach()
    assert made.witness.value(far) == 1, "one was wanted"
    found = prover.mend(1000, Wanted(far, least=1), witness)
    assert found is not None
    assert found.value(far) >= 1
