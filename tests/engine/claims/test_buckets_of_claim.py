"""Claims against live records, and the forms of claims: by tables of levels, by listed levels, and by trying everything."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foregone import Dataset, Release
from foregone.engine.bounds.prover import Prover
from foregone.engine.claims import buckets_of_claim as module
from foregone.engine.claims.buckets_of_claim import Extents
from foregone.engine.claims.closed_sets import candidates, claimable
from foregone.engine.claims.items import BLANK, LayerItems, atom_items, items_of
from foregone.engine.claims.shorter_claims import Forms
from foregone.engine.claims.walks import walk
from foregone.engine.system.linear import compile_release
from foregone.model.families import Families, Groups, count_forms, list_forms
from tests.strategies import grouped_releases

Box = dict[int, int]


@st.composite
def families(draw: st.DrawFn) -> tuple[list[int], list[list[int]]]:
    """One to three columns, each with its number of values and some groups of them."""
    widths = draw(st.lists(st.integers(1, 5), min_size=1, max_size=3))
    return widths, [draw(st.lists(st.integers(1, (1 << width) - 2), max_size=4)) if width > 2 else [] for width in widths]


def members(width: int, groups: list[int]) -> set[int]:
    found = {1 << value for value in range(width)} | set(groups)
    while new := {a & b for a in found for b in found} - found - {0}:
        found |= new
    return found


def inside(record: tuple[int, ...], box: Box) -> bool:
    return all(mask >> record[c] & 1 for c, mask in box.items())


@st.composite
def claims(draw: st.DrawFn) -> tuple[list[int], list[list[int]], LayerItems, Box, list[tuple[int, ...]]]:
    """A family, a box of it that says something, and other records that are possible."""
    widths, groups = draw(families())
    items = items_of(widths, [range(width) for width in widths], groups)
    sides = [draw(st.sampled_from([0, *sorted(members(width, some))])) for width, some in zip(widths, groups, strict=True)]
    box = {c: mask for c, mask in enumerate(sides) if mask}
    others = [record for record in product(*map(range, widths)) if not inside(record, box)]
    possible = draw(st.lists(st.sampled_from(others), max_size=6)) if others else []
    return widths, groups, items, box, possible


@settings(max_examples=400, deadline=None)
@given(claims(), st.integers(1, 3))
def test_forms_equal_trying_all(
    case: tuple[list[int], list[list[int]], LayerItems, Box, list[tuple[int, ...]]], most: int
) -> None:
    """Shortest forms, and all forms counted both ways and listed."""
    widths, groups, items, box, possible = case
    closed = items.closed([box.get(c, 0) for c in range(len(widths))])
    assert items.box(closed.tolist()) == box
    sides = [[None, *(m for m in members(w, g) if not box[c] & ~m)] if c in box else [None] for c, (w, g) in
             enumerate(zip(widths, groups, strict=True))]  # fmt: skip
    every = [{c: m for c, m in enumerate(form) if m is not None} for form in product(*sides)]
    same = [form for form in every if not any(inside(record, form) for record in possible)]
    shortest = [form for form in same if not any(other != form and holds(other, form) for other in same)]
    forms = Forms(items, closed)
    blocked = [sum(1 << layer for layer in forms.layers if held(items, closed, layer, record)) for record in possible]
    found = [forms.box(form) for form in forms.shortest(blocked)]
    assert sorted(map(str, found)) == sorted(map(str, shortest))
    assert [len(form) for form in found] == sorted(len(form) for form in found)
    family = Families(tuple(tuple(m for m in some if m & (m - 1)) for some in groups))
    counts = tuple(sum(len(form) == size for form in same) for size in range(len(box) + 1))
    assert count_forms(box, found, family) == counts
    assert count_forms(box, [*found, *found], family, [forms.box(mask) for mask in blocked]) == counts
    listed = list(list_forms(box, found, family, most))
    assert sorted(map(str, listed)) == sorted(str(form) for form in same if 0 < len(form) <= most)


def holds(outer: Box, inner: Box) -> bool:
    return all(c in inner and not inner[c] & ~mask for c, mask in outer.items())


def held(items: LayerItems, closed: np.ndarray, layer: int, record: tuple[int, ...]) -> bool:
    return bool(items.sets[layer][closed[layer]] >> record[items.columns[layer]] & 1)


def test_wide_claims_are_counted_without_listing() -> None:
    """Forty columns, two blocked sets that share no column: 2^40 forms, counted by the two sets, not by the 400 shortest forms."""
    box = dict.fromkeys(range(40), 1)
    blocked = [dict.fromkeys(range(20), 1), dict.fromkeys(range(20, 40), 1)]
    pairs = [{a: 1, b: 1} for a in range(20) for b in range(20, 40)]
    counted = count_forms(box, pairs, Families(((),) * 40), blocked)
    assert counted is not None
    assert sum(counted) == 2**40 - 2 * 2**20 + 1
    assert counted[1] == 0
    assert counted[2] == 20 * 20


def test_families_that_overlap_without_end_are_not_listed() -> None:
    """All but one of forty values, for each of them: a family of 2^40 members, of which forty are items."""
    groups = [((1 << 40) - 1) ^ 1 << value for value in range(40)]
    family = Families((tuple(groups),))
    assert family.above(0, 1) is None
    assert family.members(0, 40) is None
    assert count_forms({0: 1}, [{0: 1}], family) is None
    items = items_of([40], [range(40)], [groups])
    assert len(items) <= 41
    assert items.box(items.closed([0b111]).tolist()) == {0: 0b111}


@settings(max_examples=200, deadline=None)
@given(families())
def test_items_make_up_the_family_and_nothing_else(case: tuple[list[int], list[list[int]]]) -> None:
    widths, groups = case
    items = items_of(widths, [range(width) for width in widths], groups)
    for c, (width, some) in enumerate(zip(widths, groups, strict=True)):
        named = [mask for layer in range(*items.spans[c]) for mask in items.sets[layer]]
        found = {mask for size in range(1, 4) for chosen in combinations(named, size) if (mask := meet(chosen))}
        assert found == members(width, some)
        for layer in range(*items.spans[c]):
            for value in range(width):
                number = items.holds[layer][value]
                assert [i for i, mask in enumerate(items.sets[layer]) if mask >> value & 1] == ([] if number == BLANK else [number])


def meet(masks: tuple[int, ...]) -> int:
    found = -1
    for mask in masks:
        found &= mask
    return found


@pytest.mark.parametrize("table", [module.TABLE, 1], ids=["tables", "listed"])
@settings(max_examples=80, deadline=None)
@given(pair=grouped_releases(), together=st.sampled_from([1, 1 << 22]))
def test_extents_equal_looking_at_every_record(pair: tuple[Release, Dataset], together: int, table: int) -> None:
    """Buckets that match, buckets in doubt and blocked sets, from the definitions."""
    prover = Prover(compile_release(pair[0]))
    assert prover.first_witness() is True
    walk(prover, prover.pool.witnesses[0], 2)
    system, occupied = prover.system, prover.pool.occupied
    items = atom_items(pair[0].workload, Groups.PUBLISHED)
    seen = candidates(prover.pool, claimable(system, items))
    dead = np.zeros(system.buckets, dtype=bool)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "TABLE", table)
        patch.setattr(module, "TOGETHER", together)
        extents = Extents(system, items)
        compared = extents.compare(seen.closed, occupied, dead)
        again = extents.compare(seen.closed, occupied, dead)
        blocked = extents.blocked(seen.closed, occupied)
    for row, extent, same, tops in zip(seen.closed, compared, again, blocked, strict=True):
        layers = np.flatnonzero(row != BLANK).tolist()
        full = sum(1 << layer for layer in layers)
        had = [
            sum(1 << layer for layer in layers if items.holds[layer][record[items.columns[layer]]] == row[layer])
            for record in system.records
        ]
        buckets: list[list[int]] = [[] for _ in range(system.buckets)]
        for bucket, mask in zip(system.bucket_of.tolist(), had, strict=True):
            buckets[bucket].append(mask)
        other = {mask for bucket, masks in enumerate(buckets) if occupied[bucket] for mask in masks if mask != full}
        assert set(tops) == {mask for mask in other if not any(mask != top and not mask & ~top for top in other)}
        whole = [bucket for bucket, masks in enumerate(buckets) if set(masks) == {full}]
        cut = [bucket for bucket, masks in enumerate(buckets) if full in masks and set(masks) != {full}]
        telling = [
            bucket
            for bucket, masks in enumerate(buckets)
            if any(mask != full and all(mask & ~top for top in other) for mask in masks)
        ]
        assert extent.inner.tolist() == whole
        told = {*cut, *telling}
        assert extent.doubt.tolist() == [b for b in range(system.buckets) if b in told and not occupied[b]]
        assert extent.refuted == any(occupied[bucket] for bucket in cut)
        assert (same.inner.tolist(), same.doubt.tolist()) == (extent.inner.tolist(), extent.doubt.tolist())
