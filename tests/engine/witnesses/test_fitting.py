"""Weights of buckets that keep all numbers on average."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from foregone import Domain, Predicate, Release, Statistic
from foregone.engine.system.linear import compile_release
from foregone.engine.witnesses import fitting
from foregone.engine.witnesses.fitting import NEARLY, fitted
from tests.engine.systems import dense
from tests.engine.witnesses.test_mending import STYLES, published


@pytest.mark.parametrize("style", STYLES)
def test_every_row_is_kept_or_nearly(style: str) -> None:
    for seed in range(5):
        system = compile_release(published(seed, STYLES[style], 40, (3, 4, 2, 3), exact=True))
        made = fitted(system, np.ones(system.buckets, dtype=bool))
        sums = dense(system) @ made
        assert (made >= 0).all()
        assert (sums > system.low - 2 * NEARLY).all()
        assert (sums < system.high + 2 * NEARLY).all()


def test_of_a_table_with_its_totals_the_weights_are_products() -> None:
    """Nothing but row and column totals is known: a cell has its share of both."""
    rows, columns = [6, 3, 1], [4, 4, 2]
    domain = Domain.of({"R": list("abc"), "C": list("xyz")})
    numbers = [Statistic.exact(Predicate.of({"R": code}), count) for code, count in zip("abc", rows, strict=True)]
    numbers += [Statistic.exact(Predicate.of({"C": code}), count) for code, count in zip("xyz", columns, strict=True)]
    system = compile_release(Release(domain, tuple(numbers)))
    made = fitted(system, np.ones(system.buckets, dtype=bool))[system.bucket_of]
    wanted = [rows[r] * columns[c] / 10 for r, c in system.records.tolist()]
    assert np.abs(made - wanted).max() < NEARLY


def test_impossible_buckets_have_none() -> None:
    system = compile_release(published(1, STYLES["exact"], 40, (3, 4, 2, 3), exact=True))
    possible = np.ones(system.buckets, dtype=bool)
    possible[::5] = False
    assert not fitted(system, possible)[~possible].any()


@pytest.mark.filterwarnings("error")
def test_a_row_of_which_nothing_is_possible_leaves_numbers_that_are_numbers() -> None:
    domain = Domain.of({"A": ["x", "y"]})
    system = compile_release(Release(domain, [Statistic.exact(Predicate.of({"A": v}), 10**12) for v in "xy"]))
    made = fitted(system, np.array([True, False]))
    assert made[1] == 0
    assert abs(made[0] / 10**12 - 1) < NEARLY


def test_of_many_buckets_those_with_next_to_nothing_are_left_out_and_rows_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fitting, "MANY", 20)
    monkeypatch.setattr(fitting, "SHOWN", 5)
    shed = 0
    for seed in range(5):
        system = compile_release(published(seed, STYLES["starred with zeros"], 40, (3, 4, 2, 3), exact=True))
        made = fitted(system, np.ones(system.buckets, dtype=bool))
        sums = dense(system) @ made
        assert (sums > system.low - 2 * NEARLY).all()
        assert (sums < system.high + 2 * NEARLY).all()
        shed += int((made == 0).sum())
    assert shed


def test_it_ends_when_rows_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows of other groups have nothing in this one, which is nothing that is missed."""
    swept, inner = list[int](), np.bincount

    def counted(*arguments: Any, **options: Any) -> Any:
        swept.append(1)
        return inner(*arguments, **options)

    system = compile_release(published(1, STYLES["exact"], 2_000, (3, 4, 2), exact=True))
    monkeypatch.setattr(np, "bincount", counted)
    made = fitted(system, np.ones(system.buckets, dtype=bool))
    groups = len(fitting._side_by_side(system))
    assert groups > 1
    assert len(swept) < groups * fitting.SWEEPS / 3
    assert (np.abs(dense(system) @ made - system.low) < 2 * NEARLY).all()
