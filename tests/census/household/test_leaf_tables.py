"""The block-level household tables: complete, each a partition of its universe, and true of the blocks they are made from."""

from __future__ import annotations

from collections import Counter
from itertools import product

import pytest

from foregone import Dataset, Domain, Predicate
from foregone.batch.subject import TableDefinition
from foregone.census.household.kind import household_domain, household_release
from foregone.census.household.sentences import BOOK
from foregone.census.synthetic.households import block

FAMILIES = {
    "P16": (23, 5), "P19": (1, 6), "P20": (1, 14), "P21": (1, 10), "H1": (1, 1), "H3": (1, 2), "H4": (23, 3), "H5": (1, 7),
    "H6": (1, 7), "H7": (1, 14), "H9": (1, 7), "H10": (1, 14), "H11": (1, 4), "H12": (10, 14), "H13": (10, 18), "H14": (1, 42),
    "H15": (1, 4),
}  # fmt: skip
UNIVERSES = {
    "units": {},
    "households": {"VACS": {"0"}},
    "vacant": {"VACS": set("1234567")},
}


def family(table: TableDefinition) -> str:
    return table.id if table.id in FAMILIES else table.id[:-1]


def test_domain() -> None:
    domain = household_domain()
    names = ("TEN", "VACS", "HHSIZE", "HHT", "HHT2", "THHSPAN", "THHLDRAGE", "THHRACE", "TP18", "TP65")
    assert domain.names == names
    assert [len(domain.column(name).codes) for name in names] == [4, 8, 7, 7, 12, 2, 9, 7, 2, 2]
    assert domain.size == 9_483_264
    assert domain.record == "household"
    assert all(column.labels and column.title for column in domain.columns)


def test_seventy_nine_tables_and_636_cells() -> None:
    assert len(BOOK.tables("official")) == 79
    assert len(BOOK.queries("official")) == 636
    assert len({table.id for table in BOOK.tables("official")}) == 79
    assert len({name for name, _, _ in BOOK.queries("official")}) == 636
    per_family = Counter(family(table) for table in BOOK.tables("official"))
    assert per_family == {name: number for name, (number, _) in FAMILIES.items()}
    for table in BOOK.tables("official"):
        assert sum(cell.kind != "total" for cell in table.cells) == FAMILIES[family(table)][1], table.id
        assert len({cell.line for cell in table.cells}) == len(table.cells)


@pytest.mark.parametrize("table", BOOK.tables("official"), ids=lambda table: table.id)
def test_leaves_partition_the_universe(table: TableDefinition) -> None:
    """Every valid household of the universe lies in exactly one leaf, every other in none; parts lie inside leaves."""
    domain = household_domain()
    involved = sorted({name for cell in table.cells for name, _ in cell.predicate.allowed} | set(UNIVERSES[table.universe]))
    small = Domain(tuple(domain.column(name) for name in involved or ["TEN"]))
    shared = [dict(cell.predicate.allowed) for cell in table.cells]
    common = {
        name: frozenset[str]().union(*(where[name] for where in shared))
        for name in involved
        if all(name in where for where in shared) and name in ("THHRACE", "THHSPAN") and table.id[-1] in "ABCDEFGHIJKLMNOPQRSTUV"
    }
    universe = {**{name: frozenset(codes) for name, codes in UNIVERSES[table.universe].items()}, **common}
    leaves = [cell for cell in table.cells if cell.kind == "leaf"]
    names = small.names
    for record in product(*(column.codes for column in small.columns)):
        row = dict(zip(names, record, strict=True))
        inside = all(row[name] in codes for name, codes in universe.items())

        def holds(predicate: Predicate, row: dict[str, str] = row) -> bool:
            return all(row[name] in codes for name, codes in predicate.allowed)

        matching = [leaf for leaf in leaves if holds(leaf.predicate)]
        if {"HHSIZE", "HHT"} <= set(row) and (row["HHSIZE"] == "1") != (row["HHT"] in "46"):
            assert len(matching) <= 1  # people who live alone are one person: no table has a line for anything else
            continue
        assert len(matching) == int(inside), (table.id, row)
        for cell in table.cells:
            if cell.kind == "part":
                assert not holds(cell.predicate) or matching


@pytest.mark.parametrize("table", BOOK.tables("official"), ids=lambda table: table.id)
def test_totals_are_sums_of_leaves(table: TableDefinition) -> None:
    """A total selects, for every leaf, all of it or nothing."""
    domain = household_domain()

    def masks(predicate: Predicate) -> dict[int, int]:
        return predicate.masks(domain)

    full = {i: column.full for i, column in enumerate(domain.columns)}
    for cell in table.cells:
        if cell.kind != "total":
            continue
        outer = masks(cell.predicate)
        for leaf in table.cells:
            if leaf.kind != "leaf":
                continue
            inner = masks(leaf.predicate)
            overlap = all(outer.get(c, full[c]) & inner.get(c, full[c]) for c in full)
            contained = all(inner.get(c, full[c]) & ~outer.get(c, full[c]) == 0 for c in full)
            assert overlap == contained, (table.id, cell.line, leaf.line)


@pytest.mark.parametrize(("households", "seed"), [(1, 0), (10, 1), (37, 2)])
def test_a_block_satisfies_its_release(households: int, seed: int) -> None:
    made = block(households, seed)
    release = household_release(made)
    assert len(release.statistics) == 636
    assert made.broken(release) == []
    by_name = {s.name: s for s in release.statistics}
    assert by_name["H1.1"].low == households
    assert by_name["H3.2"].low == households
    assert by_name["H3.3"].low == 0
    for table in BOOK.tables("official"):
        leaves = [f"{table.id}.{cell.line}" for cell in table.cells if cell.kind == "leaf"]
        total = {"units": households, "households": households, "vacant": 0}[table.universe]
        counted = sum(by_name[name].low for name in leaves)
        assert counted == total or (table.id not in FAMILIES and counted <= total)


def test_a_few_cells_by_hand() -> None:
    """Cells checked against the published table shells."""
    cells = {f"{table.id}.{cell.line}": dict(cell.predicate.allowed) for table in BOOK.tables("official") for cell in table.cells}
    assert cells["P16.3"] == {"VACS": {"0"}, "HHT": {"1"}}
    assert cells["P16.8"] == {"VACS": {"0"}, "HHT": {"4", "6"}}
    assert cells["P16B.3"] == {"VACS": {"0"}, "HHT": {"1"}, "THHRACE": {"2"}}
    assert cells["P16V.3"] == {"VACS": {"0"}, "HHT": {"1"}, "THHRACE": {"7"}, "THHSPAN": {"2"}}
    assert cells["H4.4"] == {"VACS": {"0"}, "TEN": {"3", "4"}}
    assert cells["H1.1"] == {}


def test_two_vacant_units() -> None:
    domain = household_domain()
    rows = [list(record) for record in block(3, 5).records]
    for row, code in zip(rows[:2], "16", strict=True):
        row[1] = code
    mixed = Dataset.of(domain, rows)
    counts = {s.name: s.low for s in household_release(mixed).statistics}
    assert (counts["H1.1"], counts["H3.2"], counts["H3.3"]) == (3, 1, 2)
    assert sum(counts[f"H5.{line}"] for line in range(2, 9)) == 2
