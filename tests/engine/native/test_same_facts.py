"""The compiled loop tells what the Python engine tells, field by field."""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Iterator

import pytest

from foregone import Case, Domain, Predicate, Release, Statistic
from foregone.engine import audit
from foregone.engine.native.audit import Fell, audit_natively
from foregone.engine.native.library import Status
from foregone.model.audit import Audit
from foregone.model.families import Groups
from tests.engine.native.comparing import blocks, random_releases, told, with_ranges

MANY = bool(os.environ.get("FOREGONE_MANY"))  # 2,500 releases and 1,000 blocks instead of what `make test` compares
USUAL = {Status.NO_TOTAL}  # where nothing limits the number of records the Python engine does it


def compared(releases: list[Release], groups: Groups) -> Counter[Status]:
    """Compare the two loops on each release; what became of the releases in the compiled one."""
    found: Counter[Status] = Counter()
    for number, release in enumerate(releases):
        natively = audit_natively(release, groups)
        assert natively is not None
        found[natively.status if isinstance(natively, Fell) else Status.DONE] += 1
        if isinstance(natively, Audit):
            assert told(natively) == told(audit(Case(release), groups=groups)), f"release {number}"
    return found


@pytest.mark.parametrize("groups", list(Groups))
def test_small_releases(groups: Groups) -> None:
    found = compared(list(random_releases(25, 1)), groups)
    assert found[Status.DONE] >= 20
    assert set(found) <= {Status.DONE, *USUAL}


def ranged(releases: Iterator[Release], seed: int) -> list[Release]:
    rng = random.Random(seed)
    return [with_ranges(release, rng) for release in releases]


@pytest.mark.parametrize("groups", list(Groups))
def test_ranges(groups: Groups) -> None:
    found = compared(ranged(random_releases(30, 1), 1), groups)
    assert found[Status.DONE] >= 25
    assert set(found) <= {Status.DONE, *USUAL}


@pytest.mark.slow
@pytest.mark.parametrize("groups", list(Groups))
@pytest.mark.parametrize("seed", range(2, 12) if MANY else [2])
def test_more_ranges(seed: int, groups: Groups) -> None:
    found = compared(ranged(random_releases(250, seed), seed), groups)
    assert found[Status.DONE] >= 225
    assert found[Status.DONE] + found[Status.NO_TOTAL] >= 248


@pytest.mark.slow
def test_blocks_with_ranges() -> None:
    found = compared(ranged(blocks(100 if MANY else 20, (1, 15), 5), 5), Groups.PUBLISHED)
    assert set(found) <= {Status.DONE, Status.TOO_MANY_RECORDS, *USUAL}
    assert found[Status.DONE] >= 12


@pytest.mark.slow
@pytest.mark.parametrize("groups", list(Groups))
@pytest.mark.parametrize("seed", range(2, 12) if MANY else [2])
def test_more_small_releases(seed: int, groups: Groups) -> None:
    found = compared(list(random_releases(250, seed)), groups)
    assert found[Status.DONE] >= 200
    assert set(found) <= {Status.DONE, *USUAL}


def test_a_column_with_one_value_is_as_good_as_not_named() -> None:
    domain = Domain.of({"A": ["a"], "B": ["0", "1"]})
    stated = [Statistic.exact(Predicate(), 3, "N"), Statistic.exact(Predicate.of({"B": "0"}), 1, "b")]
    assert compared([Release(domain, stated)], Groups.PUBLISHED) == {Status.DONE: 1}


def test_blocks() -> None:
    assert compared(list(blocks(10, (1, 12), 1)), Groups.PUBLISHED) == {Status.DONE: 10}


@pytest.mark.slow
@pytest.mark.parametrize("groups", list(Groups))
def test_more_blocks(groups: Groups) -> None:
    number = 500 if MANY else 75
    assert compared(list(blocks(number, (1, 40), 2)), groups) == {Status.DONE: number}
    assert compared(list(blocks(2, (100, 120), 3)), groups) == {Status.DONE: 2}
