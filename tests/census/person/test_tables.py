"""The person tables: how many cells, which partition their universe, and counts against counting by hand."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from foregone.batch.subject import TableDefinition
from foregone.census.person.kind import PERSONS
from foregone.census.person.tables import (
    BOOK,
    CLASSES,
    SHAPE,
    YEARS,
    RaceGroup,
    capacity,
    class_codes,
    person_domain,
    table_parts,
    years_of,
)
from foregone.census.tables import describe_table, list_tables
from foregone.model.dataset import Dataset

ROWS = [("F", "0", "White", "N"), ("M", "85+", "White+Black+AIAN", "Y"), ("F", "22-24", "Other", "Y"), ("M", "19", "Asian", "N")]


def test_775_numbers_of_18_tables() -> None:
    queries = BOOK.queries("official")
    assert len(queries) == 775
    assert len({query.name for query in queries}) == 775
    cells = Counter(query.table for query in queries)
    assert [cells[name] for name in ("P1", "P6", "P7", "P8", "P9", "P12", "P14")] == [1, 6, 12, 63, 64, 46, 42]
    assert sum(n for table, n in cells.items() if table.startswith("P12")) == 460
    assert [len(column.codes) for column in person_domain().columns] == [2, 38, 63, 2]


@pytest.mark.parametrize("table", BOOK.tables("official"), ids=lambda table: table.id)
def test_leaves_partition_the_universe(table: TableDefinition) -> None:
    """Everybody a table is about counts in one leaf of it; overlapping and summed lines are marked as such."""
    domain = person_domain()
    leaves = [cell.predicate.masks(domain) for cell in table.cells if cell.kind == "leaf"]
    if not leaves:
        assert table.id in ("P6", "P7")
        return
    kinds = np.indices([len(column.codes) for column in domain.columns]).reshape(4, -1)

    def matching(masks: dict[int, int]) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        made = np.ones(kinds.shape[1], dtype=bool)
        for column, mask in masks.items():
            allowed = np.array([bool(mask >> i & 1) for i in range(len(domain.columns[column].codes))])
            made &= allowed[kinds[column]]
        return made

    scope = table.scope.masks(domain)
    assert np.array_equal(np.sum([matching(leaf) for leaf in leaves], axis=0), matching(scope))


def test_counts_of_a_few_persons() -> None:
    block = Dataset.of(person_domain(), ROWS)
    named = {query.name: block.count(query.predicate) for query in BOOK.queries("official")}
    assert (named["P1.1"], named["P6.2"], named["P6.3"], named["P7.11"]) == (4, 2, 1, 1)
    assert (named["P9.2"], named["P11.2"], named["P12H.25"]) == (2, 2, 1)
    assert (named["P12.27"], named["P12A.27"], named["P12G.25"], named["P14.24"], named["P14.2"]) == (1, 1, 1, 1, 1)


def test_words_about_tables() -> None:
    assert "775 leaves" in list_tables(PERSONS, "official")
    assert "RACE = White+Black to White+Black+AIAN+Asian+NHPI+Other" in describe_table(PERSONS, "P12G", "official")


def test_tract_tables_cover_years_and_classes() -> None:
    assert len(table_parts()) * 2 * YEARS == 3296
    assert sum(len(codes) for codes in class_codes()) == 63
    assert sorted(year for years in years_of() for year in range(YEARS)[years]) == list(range(YEARS))


def test_capacities_by_hand() -> None:
    """One year has a White man who is not Hispanic, another a Black man who is: nobody can be White and Hispanic."""
    tract = np.zeros(SHAPE, dtype=np.int64)
    tract[0, 60, 0, 0] = tract[0, 61, 1, 1] = 1
    group = person_domain().column("AGE").index["60-61"]
    of = {(r, o): capacity(tract, 0, group, RaceGroup(frozenset([(r, o)]))) for r in range(2) for o in range(2)}
    assert of == {(0, 0): 1, (0, 1): 0, (1, 0): 0, (1, 1): 1}
    assert capacity(tract, 0, group, RaceGroup(frozenset((r, o) for r in range(CLASSES) for o in range(2)))) == 2
