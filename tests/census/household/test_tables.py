"""The table definitions: golden counts, and leaves that cover their universe exactly once."""

from __future__ import annotations

from collections import Counter
from itertools import product

import pytest
from typer.testing import CliRunner

from foregone.batch.subject import TableDefinition
from foregone.census.household.kind import HOUSEHOLDS, edit_rules, household_domain, row_class_rules
from foregone.census.household.sentences import BOOK
from foregone.census.tables import condition, describe_table
from foregone.cli.app import app
from foregone.model.domain import Domain
from foregone.model.errors import InputError
from foregone.model.predicate import Predicate

pytestmark = pytest.mark.slow
LEAVES = {
    "P16": 115, "P19": 6, "P20": 14, "P21": 10, "H1": 1, "H3": 2, "H4": 69, "H5": 7, "H6": 7, "H7": 14, "H9": 7, "H10": 14,
    "H11": 4, "H12": 140, "H13": 180, "H14": 42, "H15": 4,
}  # fmt: skip
ITERATIONS = {"P16": 22, "H4": 22, "H12": 9, "H13": 9}


def family(name: str) -> str:
    return name.rstrip("ABCDEFGHIJKLMNOPQRSTUV") if name[0] == "P" else "H" + name[1:].rstrip("ABCDEFGHIJKLMNOPQRSTUV")


def matches(predicate: Predicate, record: dict[str, str]) -> bool:
    return all(record[name] in codes for name, codes in predicate.allowed)


def valid_records(names: list[str], domain: Domain) -> list[dict[str, str]]:
    """Records over some columns that the edit rules on these columns allow (P19 counts on people alone being one person)."""
    rules = [rule for rule in edit_rules("all") if {name for name, _ in rule.allowed} <= {*names, "VACS"}]
    product_ = (dict(zip(names, codes, strict=True)) for codes in product(*(domain.column(name).codes for name in names)))
    return [r for r in product_ if not any(matches(rule, {"VACS": "0"} | r) for rule in rules)]


def test_cells_per_family() -> None:
    assert Counter(family(table) for _, table, _ in BOOK.queries("official")) == LEAVES
    assert Counter(family(table.id) for table in BOOK.tables("official")) == {name: 1 + ITERATIONS.get(name, 0) for name in LEAVES}
    assert sum(len(table.cells) for table in BOOK.tables("official")) == 873


def test_variants_change_only_what_they_say() -> None:
    without = {name: n for name, n in LEAVES.items() if name not in ("H1", "H3")} | {"H14": 30}
    assert Counter(family(table) for _, table, _ in BOOK.queries("621")) == without
    assert len(BOOK.queries("621")) == 621
    assert [name for name, *_ in BOOK.queries("pac")] == [name for name, *_ in BOOK.queries("official")]
    changed = [a for a, b in zip(BOOK.queries("pac"), BOOK.queries("official"), strict=True) if a != b]
    assert {table for _, table, _ in changed} == {"H15"}
    assert not any("PAC" in dict(p.allowed) for _, _, p in BOOK.queries("621"))
    renters = [dict(p.allowed)["TEN"] for _, _, p in BOOK.queries("renter-3") if "TEN" in dict(p.allowed)]
    assert {frozenset({"3"})} == {codes for codes in renters if codes & {"3", "4"}}
    with pytest.raises(InputError, match="not a variant"):
        BOOK.tables("other")


@pytest.mark.parametrize("variant", list(BOOK.variants))
@pytest.mark.parametrize("units", ["households", "all"])
def test_leaves_partition_their_universe(variant: str, units: str) -> None:
    domain = household_domain(variant, units)
    for table in BOOK.tables(variant):
        leaves = [cell.predicate for cell in table.cells if cell.kind == "leaf"]
        names = sorted({name for leaf in (*leaves, table.scope) for name, _ in leaf.allowed})
        for record in valid_records(names, domain):
            if variant == "renter-3" and record.get("TEN") == "4":
                continue  # in this coding homes without payment of rent are in no tenure table
            people = [code for name, code in record.items() if name not in ("VACS", "TP18", "TP65")]
            if record.get("VACS", "0") == "0" and "0" in people:
                continue  # 0 is the code of vacant units only
            assert sum(matches(leaf, record) for leaf in leaves) == matches(table.scope, record), (table.id, record)


@pytest.mark.parametrize("variant", list(BOOK.variants))
def test_totals_are_sums_of_leaves_and_parts_lie_inside_one(variant: str) -> None:
    domain = household_domain(variant)
    for table in BOOK.tables(variant):
        names = sorted({name for cell in table.cells for name, _ in cell.predicate.allowed})
        records = valid_records(names, domain)
        covered = {cell.line: frozenset(i for i, r in enumerate(records) if matches(cell.predicate, r)) for cell in table.cells}
        leaves = [covered[cell.line] for cell in table.cells if cell.kind == "leaf"]
        for cell in table.cells:
            if cell.kind == "total" and variant != "renter-3":
                assert covered[cell.line] == frozenset().union(*(leaf for leaf in leaves if leaf <= covered[cell.line])), cell
            if cell.kind == "part":
                assert sum(covered[cell.line] < leaf for leaf in leaves) == 1


def test_distinct_column_sets() -> None:
    """1, 6, 11, 8 and 2 different sets of 0 to 4 columns, whichever H14 is used."""

    def sets(variant: str) -> Counter[int]:
        queries = [predicate for _, table, predicate in BOOK.queries(variant) if table not in ("H1", "H3", "H5")]
        return Counter(len(columns) for columns in {frozenset(name for name, _ in p.allowed) - {"VACS"} for p in queries})

    assert sets("621") == sets("official")
    assert sets("official")[2] == 11
    assert sets("official")[3] == 8
    assert sets("official")[4] == 2


def test_p20_reads_like_the_paper() -> None:
    p20 = next(table for table in BOOK.tables("official") if table.id == "P20")
    assert [condition(c.predicate, p20, household_domain()) for c in p20.cells if c.kind != "total"][:7] == [
        "HHT2 = 1", "HHT2 = 2", "HHT2 = 3", "HHT2 = 4", "HHT2 = 5", "HHT2 = 5; THHLDRAGE = 7, 8 or 9", "HHT2 = 6",
    ]  # fmt: skip
    assert "THHLDRAGE = 7, 8 or 9" in describe_table(HOUSEHOLDS, "p20", "official")


def test_the_commands() -> None:
    run = CliRunner().invoke
    listed = run(app, ["census", "tables"])
    assert listed.exit_code == 0
    assert "79 tables, 873 lines, 636 leaves" in listed.output
    assert "77 tables" in run(app, ["census", "tables", "--variant", "621"]).output
    one = run(app, ["census", "tables", "--table", "H13B"])
    assert "THHRACE = 2" in one.output
    wrong = run(app, ["census", "tables", "--table", "H99"])
    assert wrong.exit_code == 2
    assert "'H99' is not a table" in wrong.output


def test_edit_rules_leave_the_known_number_of_households() -> None:
    """1,951 combinations obey the definitions and edit rules; the rule on the second person under 18 takes 7 more."""
    domain = household_domain()
    names = ["HHT", "HHT2", "HHSIZE", "TP18", "THHLDRAGE", "TP65"]
    records = [dict(zip(names, codes, strict=True)) for codes in product(*(domain.column(name).codes for name in names))]
    rules = [rule for rule in edit_rules() if "VACS" not in dict(rule.allowed)]
    second = Predicate.of({"HHSIZE": ["2"], "TP18": ["1"], "THHLDRAGE": ["6"], "TP65": ["1"]})
    assert second in rules
    assert sum(not any(matches(rule, r) for rule in rules) for r in records) == 1944
    assert sum(not any(matches(rule, r) for rule in rules if rule != second) for r in records) == 1951


def test_rules_over_all_units_never_touch_a_vacant_unit() -> None:
    domain = household_domain("official", "all")
    vacant = {column.name: "0" for column in domain.columns} | {"VACS": "3"}
    assert not any(matches(rule, vacant) for rule in (*edit_rules("all"), *row_class_rules("official")))
    assert any(matches(rule, vacant | {"TP18": "1"}) for rule in row_class_rules("official"))
    assert any(matches(rule, vacant | {"VACS": "0"}) for rule in row_class_rules("official"))


def test_a_table_is_a_table() -> None:
    assert all(isinstance(table, TableDefinition) and table.cells for table in BOOK.tables("621"))
