"""What every withheld cell must be, all at once: against brute force, against one question at a time, and on large tables."""

from __future__ import annotations

import pickle
from time import process_time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foregone import ContradictionError, Dataset, Domain, Intervals, Predicate, Release, Statistic, bounds, intervals
from foregone.engine.bounds.prover import Prover
from foregone.engine.system.linear import compile_release
from foregone.engine.system.settled import settle
from foregone.engine.witnesses.pool import Pool
from foregone.solvers.answer import Undecided
from tests import oracle
from tests.strategies import (
    FAR,
    LARGEST,
    alternative_releases,
    measured_releases,
    releases,
    unbounded_releases,
    weighted_releases,
)
from tests.suppressed import suppressed_table


@settings(max_examples=60, deadline=None)
@given(st.one_of(releases(), weighted_releases(), alternative_releases(), measured_releases()))
def test_every_interval_is_what_brute_force_finds(made: tuple[Release, Dataset]) -> None:
    release, truth = made
    for interval in intervals(release, hidden=False, truth=truth):
        assert (interval.low, interval.high) == oracle.count_range(release, interval.predicate, LARGEST)
        assert interval.proved
        assert interval.truth is not None
        assert interval.low <= interval.truth <= (interval.high or 0)


@settings(max_examples=40, deadline=None)
@given(unbounded_releases())
def test_an_interval_without_end_is_found(made: tuple[Release, Dataset]) -> None:
    release, _ = made
    for interval in intervals(release, hidden=False):
        ranged = oracle.count_range(release, interval.predicate, FAR)
        assert ranged is not None
        assert interval.low == ranged[0]
        assert interval.high == (None if oracle.endless(release, interval.predicate) else ranged[1])


@settings(max_examples=40, deadline=None)
@given(releases())
def test_what_is_not_proved_still_holds(made: tuple[Release, Dataset]) -> None:
    release, _ = made
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Prover, "greatest", lambda *_: Undecided("the time limit was reached"))
        found = intervals(release)
    for interval in found:
        ranged = oracle.count_range(release, interval.predicate, LARGEST)
        assert ranged is not None
        least, most = ranged
        assert interval.published_low <= interval.low <= least
        assert interval.high is not None
        assert most <= interval.high <= (interval.high if interval.published_high is None else interval.published_high)
        assert not interval.proved or (interval.low, interval.high) == ranged


def test_without_any_dataset_bounds_are_given_and_not_called_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Prover, "first_witness", lambda *_: Undecided("the time limit was reached"))
    monkeypatch.setattr(Pool, "add_each", lambda *_: 0)
    found = intervals(suppressed_table((3, 3), 4, 40))
    assert len(found) == 4
    assert not any(interval.proved for interval in found)
    assert all(interval.high is not None for interval in found)  # the totals bound them all the same
    everything = intervals(suppressed_table((3, 3), 4, 40), hidden=False)
    assert not any(interval.proved for interval in everything)  # not even what is published: perhaps nothing fits
    assert "no dataset that fits was found" in everything.summary()


def test_a_settled_table_leaves_its_hidden_cells() -> None:
    system = compile_release(suppressed_table((8, 6, 3), 12, 900))
    settled = settle(system)
    assert settled is not None
    assert 0 < settled.rest.buckets <= 12
    assert settled.rest.rows < 60
    prover = Prover(settled.rest)
    assert prover.first_witness() is True
    assert system.consistent([settled.back(witness) for witness in prover.pool]) == [True] * len(prover.pool)


def test_the_same_as_one_question_at_a_time() -> None:
    release = suppressed_table((5, 4, 3), 16, 200, seed=2, most=9)
    found = intervals(release)
    assert [(i.low, i.high) for i in found] == [bounds(release, i.predicate) for i in found]
    assert any(i.known for i in found)
    assert not all(i.known for i in found)


def test_contradictions_are_named() -> None:
    domain = Domain.of({"A": ["0", "1"]})
    parts = [Statistic(Predicate.of({"A": code}), 0, 2, f"part {code}") for code in "01"]
    with pytest.raises(ContradictionError, match="part 0"):
        intervals(Release(domain, [Statistic.exact(Predicate(), 5), *parts]))
    twice = [Statistic.exact(Predicate(), 5, "five"), Statistic.exact(Predicate.of({"A": "0"}), 2, "two"), *parts[1:]]
    with pytest.raises(ContradictionError, match="five"):
        intervals(Release(domain, twice))


def test_the_answer_is_a_plain_value() -> None:
    release = suppressed_table((3, 3), 4, 40)
    found = intervals(release)
    assert pickle.loads(pickle.dumps(found)) == found
    assert list(found.table.columns) == ["name", "table", "published_low", "published_high", "low", "high", "known", "proved"]
    assert found.to_arrow().num_rows == len(found) == 4
    assert "Of 4 cells withheld or given as a range, " in repr(found)
    assert "<table" in found._repr_html_()
    name = found.intervals[0].name
    assert found[name] is found.intervals[0]
    with pytest.raises(KeyError):
        found["no such cell"]
    nothing = intervals(Release(release.domain, [s for s in release.statistics if s.low == s.high]))
    assert "none of them withheld" in nothing.summary()
    assert list(nothing.table.columns) == list(found.table.columns)
    assert isinstance(nothing, Intervals)


def test_numbers_beyond_64_bits_do_not_wrap() -> None:
    """Sums of fixed cells that no machine word holds: the whole system is asked instead, and nothing wrong is said."""
    huge = 1 << 61
    domain = Domain.of({"A": [str(i) for i in range(8)]})
    cells = [Statistic.exact(Predicate.of({"A": str(i)}), huge, f"c{i}") for i in range(6)]
    open_ = [Statistic(Predicate.of({"A": str(i)}), 0, 5, f"c{i}") for i in (6, 7)]
    both = Statistic.exact(Predicate.of({"A": ["6", "7"]}), 7, "both")
    found = intervals(Release(domain, [*cells, *open_, both, Statistic(Predicate(), 0, None, "all")]))
    for name in ("c6", "c7"):
        assert (found[name].low, found[name].high) in {(2, 5), (0, 5)}
        assert not found[name].proved or found[name].low == 2


def test_a_large_table_takes_moments() -> None:
    """40 x 20 x 4 cells with all totals; the limit leaves room for a busy machine."""
    release = suppressed_table((40, 20, 4), 34, 231_080)
    begin = process_time()
    found = intervals(release)
    assert process_time() - begin < 30
    assert len(found) == 34
    assert all(interval.proved for interval in found)
    hidden = np.array([interval.width for interval in found if not interval.known])
    assert len(hidden)
    assert (hidden > 1).all()
