"""Closed sets grown column by column, against looking at every subset of columns."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foregone import Dataset, Release
from foregone.engine.bounds.prover import Prover
from foregone.engine.claims import closed_sets as module
from foregone.engine.claims.closed_sets import candidates, claimable, closed_sets
from foregone.engine.claims.items import BLANK, atom_items
from foregone.engine.claims.walks import walk
from foregone.engine.system.linear import compile_release
from foregone.model.errors import TooLargeError
from foregone.model.families import Groups
from tests.strategies import releases

Row = tuple[int, ...]


def closed_by_trying(values: list[Row], times: list[list[int]]) -> dict[Row, tuple[int, ...]]:
    """Closed form -> count in each witness, for every combination of values that occurs in all witnesses."""
    width = len(values[0])
    found: dict[Row, tuple[int, ...]] = {}
    for row in values:
        for size in range(width + 1):
            for columns in combinations(range(width), size):
                if any(row[c] == BLANK for c in columns):
                    continue
                chosen = [i for i, other in enumerate(values) if all(other[c] == row[c] for c in columns)]
                counts = tuple(sum(witness[i] for i in chosen) for witness in times)
                if min(counts) < 1:
                    continue
                closed = tuple(
                    values[chosen[0]][c] if len({values[i][c] for i in chosen}) == 1 else BLANK for c in range(width)
                )
                found[closed] = counts
    return found


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[Row], list[list[int]]]:
    width = draw(st.integers(1, 4))
    rows = draw(st.lists(st.tuples(*[st.integers(BLANK, 2)] * width), min_size=1, max_size=6))
    times = draw(st.lists(st.lists(st.integers(0, 2), min_size=len(rows), max_size=len(rows)), min_size=1, max_size=4))
    return rows, times


@settings(max_examples=250, deadline=None)
@given(tables(), st.sampled_from([1 << 16, 1]))
def testclosed_sets_equal_trying_all(table: tuple[list[Row], list[list[int]]], batch: int) -> None:
    rows, times = table
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "BATCH", batch)
        closed, counts = closed_sets(np.array(rows, dtype=np.int16), np.array(times))
    found = [tuple(int(v) for v in row) for row in closed]
    assert len(found) == len(set(found)), "a closed set is met twice"
    expected = closed_by_trying(rows, times)
    assert dict(zip(found, (tuple(int(n) for n in row) for row in counts), strict=True)) == expected


def test_several_batches_of_witnesses() -> None:
    """More witnesses than fit in one batch: a set missing in the very last one is dropped."""
    rows = np.array([[0, 0], [0, 1], [1, 0]], dtype=np.int16)
    times = np.array([[1, 1, 1]] * 40 + [[1, 0, 2]])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "BATCH", 1)
        closed, _ = closed_sets(rows, times)
    assert [0, 1] not in closed.tolist()
    assert [0, 0] in closed.tolist()


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(releases(), st.sampled_from(Groups))
def test_candidates_equal_trying_all(pair: tuple[Release, Dataset], groups: Groups) -> None:
    prover = Prover(compile_release(pair[0]))
    assert prover.first_witness() is True
    walk(prover, prover.pool.witnesses[0], 3)
    values = claimable(prover.system, atom_items(pair[0].workload, groups))
    seen = candidates(prover.pool, values)
    occupied = np.flatnonzero(prover.pool.occupied)
    rows = [tuple(int(v) for v in values[bucket]) for bucket in occupied]
    times = [[Counter(witness.spread().tolist())[bucket] for bucket in occupied] for witness in prover.pool]
    tried = closed_by_trying(rows, times) if rows else {}
    expected = {closed: counts[0] for closed, counts in tried.items() if len(set(counts)) == 1}
    assert {tuple(int(v) for v in row): int(n) for row, n in zip(seen.closed, seen.counts, strict=True)} == expected


def test_too_manyclosed_sets_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_SETS", 3)
    rows = np.array([[0, 0], [0, 1], [1, 0]], dtype=np.int16)
    with pytest.raises(TooLargeError, match="more than 3 closed"):
        closed_sets(rows, np.array([[1, 1, 1]]))
