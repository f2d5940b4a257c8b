"""Multipliers in fractions: they meet the buckets that a suggestion almost meets, and are believed only when checked."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import floor

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from foregone import Domain, Predicate, Release
from foregone.engine.bounds import certify as certify_page
from foregone.engine.bounds.certify import certify, made_of
from foregone.engine.system.linear import compile_release
from foregone.model.statement import Statement
from foregone.solvers.answer import NO_LIMIT
from foregone.solvers.exact import LARGEST, MOST_ROWS, exact_multipliers
from tests.engine.systems import dense

WEIGHTS = st.integers(-5, 5)
FRACTIONS = st.fractions(-3, 3, max_denominator=13)
NOISE = st.floats(-1e-10, 1e-10)


def sums(rows: list[list[int]], multipliers: list[Fraction]) -> list[Fraction]:
    return [sum((y * row[j] for y, row in zip(multipliers, rows, strict=True)), Fraction(0)) for j in range(len(rows[0]))]


@st.composite
def systems(draw: st.DrawFn) -> tuple[list[list[int]], list[Fraction]]:
    """Some rows over some buckets, and a multiplier for each."""
    buckets = draw(st.integers(1, 6))
    rows = draw(st.lists(st.lists(WEIGHTS, min_size=buckets, max_size=buckets), min_size=1, max_size=5))
    return rows, draw(st.lists(FRACTIONS, min_size=len(rows), max_size=len(rows)))


@settings(max_examples=300, deadline=None)
@given(systems(), st.data())
def test_buckets_that_are_almost_met_are_met_exactly(system: tuple[list[list[int]], list[Fraction]], data: st.DataObject) -> None:
    """An objective is whole, so of all buckets only those whose sum is whole can be met; others are left alone."""
    rows, true = system
    wanted = sums(rows, true)
    objective = np.array([int(n) if n.denominator == 1 else int(n) + 2 for n in wanted], dtype=np.int64)
    suggestion = np.array([float(y) + data.draw(NOISE) for y in true])
    found = exact_multipliers(np.array(rows, dtype=np.int64), objective, suggestion, False)
    assert found is not None
    whole, denominator = found
    assert denominator >= 1
    made = sums(rows, [Fraction(u, denominator) for u in whole])
    for n, have in zip(wanted, made, strict=True):
        if n.denominator == 1:
            assert have == n


@settings(max_examples=300, deadline=None)
@given(systems(), st.floats(1e-3, 1e3), st.data())
def test_a_direction_keeps_to_the_buckets_on_which_it_is_nothing(
    system: tuple[list[list[int]], list[Fraction]], length: float, data: st.DataObject
) -> None:
    """Of a contradiction only the direction counts: whatever its length, the largest multiplier becomes the unit."""
    rows, true = system
    assume(any(true))
    largest = max(map(abs, true))
    suggestion = np.array([length * (float(y) + data.draw(NOISE)) for y in true])
    found = exact_multipliers(np.array(rows, dtype=np.int64), np.zeros(len(rows[0]), dtype=np.int64), suggestion, True)
    assert found is not None
    whole, denominator = found
    assert denominator in map(abs, whole)
    assert abs(whole[int(np.argmax(np.abs(suggestion)))]) == denominator
    made = sums(rows, [Fraction(u, denominator) for u in whole])
    for n, have in zip(sums(rows, [y / largest for y in true]), made, strict=True):
        if n == 0:
            assert have == 0


def test_too_many_rows_and_too_large_numbers_are_left_alone() -> None:
    many = np.eye(MOST_ROWS + 1, dtype=np.int64)
    assert exact_multipliers(many, np.ones(MOST_ROWS + 1, dtype=np.int64), np.ones(MOST_ROWS + 1), False) is None
    assert exact_multipliers(many[:0], np.ones(1, dtype=np.int64), np.ones(0), False) is None
    primes = [2_147_483_647, 2_147_483_587, 2_147_483_579]  # the common denominator is their product
    rows = np.diag(primes).astype(np.int64)
    assert np.prod([float(p) for p in primes]) > LARGEST
    assert exact_multipliers(rows, np.ones(3, dtype=np.int64), 1 / np.array(primes, dtype=float), False) is None
    assert exact_multipliers(rows[:1, :1], np.ones(1, dtype=np.int64), np.array([1 / primes[0]]), False) == ([1], primes[0])


A, B = (Predicate.of({"A": code}) for code in "ab")
DOMAIN = Domain.of({"A": ["a", "b"]})


def test_an_unbounded_bucket_is_met_by_a_fraction_that_no_rounding_has(monkeypatch: pytest.MonkeyPatch) -> None:
    """5a - 3b <= 4 and 3b - a <= 7: nothing else bounds a and b. By 1/4 of both a <= 11/4, which no whole multiplier shows."""
    monkeypatch.setattr(certify_page, "DENOMINATORS", (1,))
    statements = [Statement(((5, A), (-3, B)), None, 4), Statement(((-1, A), (3, B)), None, 7)]
    system = compile_release(Release(DOMAIN, [], (), statements))
    assert not system.covered.any()
    matrix = dense(system)
    a = int(np.flatnonzero((matrix == 5).any(axis=0))[0])
    objective = (np.arange(system.buckets) == a).astype(np.int64)
    suggestion = np.array([0.25 + 1e-12 if {5, -3} <= set(row) or {-1, 3} <= set(row) else 0.0 for row in matrix.tolist()])
    found = certify(system, objective, suggestion, 2)
    assert found is not None
    assert (found.limit, found.denominator) == (2, 4)
    assert (made_of(system, found) >= found.denominator * objective).all()
    assert certify(system, objective, suggestion, 1) is None


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(WEIGHTS, WEIGHTS, st.integers(0, 12)), min_size=1, max_size=4), st.data())
def test_what_is_certified_holds_in_every_small_dataset(rows: list[tuple[int, int, int]], data: st.DataObject) -> None:
    """Numbers of records are open, nothing is rounded, and brute force goes through all datasets of up to 12 of each kind."""
    statements = [Statement(((v, A), (w, B)), None, most) for v, w, most in rows if v and w]
    assume(statements)
    system = compile_release(Release(DOMAIN, [], (), statements))
    matrix, low, high = dense(system).tolist(), system.low.tolist(), system.high.tolist()
    assume(system.buckets)
    true = [data.draw(FRACTIONS) if most != NO_LIMIT else Fraction(0) for most in high]
    objective = np.array([floor(n) for n in sums(matrix, true)], dtype=np.int64) + data.draw(st.sampled_from([-1, 0, 0, 0, 1]))
    suggestion = np.array([float(y) + data.draw(NOISE) for y in true])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(certify_page, "DENOMINATORS", ())
        found = [certify(system, objective, suggestion, target, scale=scale) for target in (5, 50) for scale in (False, True)]
    limits = [certificate.limit for certificate in found if certificate is not None]
    for counts in product(range(13), repeat=system.buckets) if limits else ():
        values = [sum(w * n for w, n in zip(row, counts, strict=True)) for row in matrix]
        ends = zip(values, low, high, strict=True)
        if all((least == -NO_LIMIT or v >= least) and (most == NO_LIMIT or v <= most) for v, least, most in ends):
            assert sum(w * n for w, n in zip(objective.tolist(), counts, strict=True)) <= min(limits)
