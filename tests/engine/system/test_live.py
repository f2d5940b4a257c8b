"""Live records joined column by column, against the full product."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foregone import Dataset, Domain, Predicate, Release, Statistic, TooLargeError, audit
from foregone.engine import Atoms
from foregone.engine.system import zeros as zeros_module
from foregone.engine.system.blueprint import draw
from foregone.engine.system.linear import compile_release
from foregone.engine.system.live import live_records
from foregone.engine.system.zeros import Zeros, find_zeros
from tests import oracle
from tests.audited import listed
from tests.strategies import LARGEST, domains, predicates, releases

Record = tuple[str, ...]
WAYS = {"tables": (1 << 20, 1 << 13), "boxes": (1, 1 << 13), "supports": (1, 0), "tables and supports": (1 << 20, 0)}


def spelled_out(atoms: Atoms, records: np.ndarray) -> list[Record]:
    """Records of atoms as records of codes."""
    columns = atoms.domain.columns
    found: list[Record] = []
    for row in records.tolist():
        found += product(*(columns[c].codes_of(atoms.groups[c][atom]) for c, atom in enumerate(row)))
    return found


def zeros_of(release: Release) -> tuple[Atoms, Zeros]:
    plan = draw(release.workload)
    return plan.atoms, find_zeros(plan, *plan.numbers(release))


@pytest.mark.parametrize("way", WAYS)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_live_records_equal_the_filtered_product(way: str, data: st.DataObject) -> None:
    """With nothing but zeros and rules published, exactly the records outside them are live."""
    domain = data.draw(domains())
    empty = data.draw(st.lists(predicates(domain, 1), max_size=6))
    rules = data.draw(st.lists(predicates(domain, 1), max_size=3))
    statistics = [Statistic(Predicate(), 0, 9), *(Statistic.exact(predicate, 0) for predicate in empty)]
    release = Release(domain, tuple(statistics), tuple(rules))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(zeros_module, "GRID_LIMIT", WAYS[way][0])
        patch.setattr(zeros_module, "IMPLIED_LIMIT", WAYS[way][1])
        atoms, zeros = zeros_of(release)
        records = live_records(atoms, zeros, 1000)
    found = spelled_out(atoms, records)
    names = domain.names
    expected = [
        r for r in product(*(c.codes for c in domain.columns)) if not any(oracle.matches(r, p, names) for p in (*empty, *rules))
    ]
    assert sorted(found) == sorted(expected)


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
@settings(max_examples=35, deadline=None)
@given(pair=releases())
def test_no_possible_record_is_lost(way: str, pair: tuple[Release, Dataset]) -> None:
    """Implied zeros may only drop records that no consistent dataset has; published zeros are always dropped."""
    release, _ = pair
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(zeros_module, "GRID_LIMIT", WAYS[way][0])
        patch.setattr(zeros_module, "IMPLIED_LIMIT", WAYS[way][1])
        system = compile_release(release)
        claims = listed(release)
    live = spelled_out(system.atoms, system.records)
    assert len(live) == len(set(live))
    possible = {record for records in oracle.consistent_datasets(release, LARGEST) for record in records}
    assert possible <= set(live)
    names = release.domain.names
    for record in live:
        assert not any(oracle.matches(record, s.predicate, names) for s in release.statistics if s.high == 0)
        assert not any(oracle.matches(record, rule, names) for rule in release.rules)
    assert claims == oracle.verified_claims(release, LARGEST)


@pytest.mark.parametrize("limits", [(1 << 20, 1 << 13), (1 << 20, 0), (1, 0)], ids=["grid", "support", "nothing but supports"])
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_zeros_of_complete_tables_need_not_be_published(limits: tuple[int, int], data: st.DataObject) -> None:
    """A complete table adds up to the number of records, so its zeros follow from its other cells."""
    domain = data.draw(domains())
    everything = list(product(*(column.codes for column in domain.columns)))
    truth = Dataset.of(domain, data.draw(st.lists(st.sampled_from(everything), min_size=1, max_size=4)))
    margins = data.draw(st.lists(st.sets(st.sampled_from(domain.names), min_size=1, max_size=3), min_size=1, max_size=3))
    statistics = [Statistic.exact(Predicate(), len(truth))]
    for names in margins:
        for codes in product(*(domain.column(name).codes for name in sorted(names))):
            predicate = Predicate.of(dict(zip(sorted(names), codes, strict=True)))
            statistics.append(Statistic.exact(predicate, truth.count(predicate)))
    complete = Release(domain, tuple(statistics))
    thinned = Release(domain, tuple(s for s in statistics if s.low))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(zeros_module, "GRID_LIMIT", limits[0])
        patch.setattr(zeros_module, "IMPLIED_LIMIT", limits[1])
        systems = [compile_release(complete), compile_release(thinned)]
        live = [set(spelled_out(system.atoms, system.records)) for system in systems]
        assert live[0] == live[1]
        assert listed(complete) == listed(thinned)


def test_counts_that_leave_no_room_empty_the_rest() -> None:
    """Two women and two records in all: there are no men; one old woman and one old person: no old men."""
    domain = Domain.of({"SEX": ["F", "M"], "AGE": ["young", "old"]})
    women = [Statistic.exact(Predicate(), 2), Statistic.exact(Predicate.of({"SEX": "F"}), 2)]
    system = compile_release(Release(domain, tuple(women)))
    assert {record[0] for record in spelled_out(system.atoms, system.records)} == {"F"}
    old = [
        Statistic.exact(Predicate(), 3),
        Statistic.exact(Predicate.of({"AGE": "old"}), 1),
        Statistic.exact(Predicate.of({"SEX": "F", "AGE": "old"}), 1),
    ]
    system = compile_release(Release(domain, tuple(old)))
    assert set(spelled_out(system.atoms, system.records)) == {("F", "old"), ("F", "young"), ("M", "young")}


def test_overlapping_parts_do_not_use_up_a_container() -> None:
    """Three parts of one record each that overlap may be one record: nothing is emptied."""
    domain = Domain.of({"A": ["0", "1", "2", "3"]})
    parts = [Statistic.exact(Predicate.of({"A": codes}), 1) for codes in (["0", "1"], ["1", "2"], ["0", "2"])]
    release = Release(domain, (Statistic(Predicate(), 3, 3), *parts[:2], Statistic.exact(Predicate.of({"A": ["0", "2"]}), 2)))
    assert len(compile_release(release).records) == 4
    assert listed(release) == oracle.verified_claims(release, 3)


def test_the_full_product_is_never_listed() -> None:
    """A domain of 10^15 records whose zeros leave ten."""
    domain = Domain.of({f"C{i:02}": [str(v) for v in range(10)] for i in range(15)})
    statistics = [Statistic.exact(Predicate(), 3)]
    for i in range(14):
        for v in range(10):
            others = [str(w) for w in range(10) if w != v]
            statistics.append(Statistic.exact(Predicate.of({f"C{i:02}": str(v), f"C{i + 1:02}": others}), 0))
    assert domain.size == 10**15
    system = compile_release(Release(domain, tuple(statistics)), max_records=100)
    assert sorted(map(tuple, system.records.tolist())) == [(v,) * 15 for v in range(10)]


def test_too_many_live_records_are_refused_before_they_are_made() -> None:
    domain = Domain.of({f"C{i:02}": [str(v) for v in range(10)] for i in range(15)})
    statistics = [Statistic.exact(Predicate(), 10)]
    statistics += [Statistic.exact(Predicate.of({f"C{i:02}": str(v)}), 1) for i in range(15) for v in range(10)]
    with pytest.raises(TooLargeError) as caught:
        audit(Release(domain, tuple(statistics)), max_records=5000)
    text = str(caught.value)
    assert "limit of 5,000" in text
    assert "C00, C01" in text
    assert "max_records" in text
