"""Forms of a claim, counted by formula and by table, against trying every subset of columns."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foregone import Predicate
from foregone.engine.claims import shorter_claims as forms
from foregone.engine.claims.shorter_claims import count_forms, forms_each, inside_any, maximal, minimal_forms
from foregone.model.audit import Fact
from foregone.model.audit import forms as list_forms


@st.composite
def blocked_masks(draw: st.DrawFn) -> tuple[int, list[int]]:
    width = draw(st.integers(1, 8))
    full = (1 << width) - 1
    return width, draw(st.lists(st.integers(0, full - 1), max_size=7))


def forms_by_trying(width: int, blocked: list[int]) -> list[int]:
    return [form for form in range(1 << width) if all(form & ~mask for mask in blocked)]


@pytest.mark.parametrize("table_width", [16, 0], ids=["table", "formula"])
@settings(max_examples=150, deadline=None)
@given(case=blocked_masks(), most=st.integers(1, 8))
def test_forms_equal_trying_all(table_width: int, case: tuple[int, list[int]], most: int) -> None:
    """Counted, and listed from the shortest ones."""
    width, blocked = case
    masks = np.array(blocked, dtype=np.int64)
    expected = forms_by_trying(width, blocked)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(forms, "TABLE_WIDTH", table_width)
        assert count_forms(width, masks) == [sum(f.bit_count() == size for f in expected) for size in range(width + 1)]
        counts, shortest = forms_each([(width, masks)])
    assert counts.tolist() == [[sum(f.bit_count() == size for f in expected) for size in range(width + 1)]]
    full = Predicate(tuple((str(bit), frozenset("x")) for bit in range(width)))
    short = tuple(Predicate(tuple(full.allowed[bit] for bit in range(width) if form >> bit & 1)) for form in shortest[0])
    listed = [
        sum(1 << int(name) for name, _ in form.allowed) for form in list_forms(Fact(full, 1, None, short, tuple(counts[0])), most)
    ]
    assert sorted(listed) == [form for form in expected if form and form.bit_count() <= most]
    assert len(set(listed)) == len(listed)


@settings(max_examples=150, deadline=None)
@given(blocked_masks())
def test_minimal_forms_equal_trying_all(case: tuple[int, list[int]]) -> None:
    width, blocked = case
    expected = forms_by_trying(width, blocked)
    least = [form for form in expected if not any(other != form and other & ~form == 0 for other in expected)]
    found = minimal_forms(width, np.array(blocked, dtype=np.int64))
    assert sorted(found) == sorted(least)
    assert [form.bit_count() for form in found] == sorted(form.bit_count() for form in found)


def test_wide_claims_are_counted_without_listing() -> None:
    """Forty columns, two blocked masks that share no column: 2^40 subsets, counted by formula."""
    low, high = (1 << 20) - 1, ((1 << 20) - 1) << 20
    counted = count_forms(40, np.array([low, high]))
    assert sum(counted) == 2**40 - 2 * 2**20 + 1
    assert counted[1] == 0
    assert counted[2] == 20 * 20
    counts, (pairs,) = forms_each([(40, np.array([low, high]))])
    assert counts.tolist() == [counted]
    assert len(set(pairs)) == len(pairs) == 400
    assert all((pair & low).bit_count() == (pair & high).bit_count() == 1 for pair in pairs)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(0, 255), max_size=10), st.lists(st.integers(0, 255), max_size=5))
def test_mask_helpers(masks: list[int], containers: list[int]) -> None:
    several = np.array(masks, dtype=np.int64)
    assert inside_any(several, np.array(containers, dtype=np.int64)).tolist() == [
        any(mask | c == c for c in containers) for mask in masks
    ]
    assert set(maximal(several)) == {m for m in masks if not any(m != o and m | o == o for o in masks)}


@settings(max_examples=100, deadline=None)
@given(
    drawn=st.lists(st.tuples(st.integers(1, 6), st.lists(st.integers(0, 63), max_size=5)), max_size=6),
    table=st.integers(0, 6),
    together=st.integers(0, 8),
)
def test_many_facts_at_once_are_counted_as_one_by_one(drawn: list[tuple[int, list[int]]], table: int, together: int) -> None:
    facts = [(width, np.array(sorted({m & ((1 << width) - 1) for m in masks}), dtype=np.int64)) for width, masks in drawn]
    alone = [count_forms(*fact) for fact in facts]
    least = [minimal_forms(*fact) for fact in facts]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(forms, "TABLE_WIDTH", table)
        patch.setattr(forms, "TOGETHER", together)
        counts, shortest = forms_each(facts)
    found = counts.tolist()
    assert [row[: len(one)] for row, one in zip(found, alone, strict=True)] == alone
    assert all(not any(row[len(one) :]) for row, one in zip(found, alone, strict=True))
    assert shortest == least
