"""Synthetic blocks obey the edit rules of the real file, vary, and repeat."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from foregone.census.demo import demo_release
from foregone.census.household.kind import household_domain, household_release
from foregone.census.synthetic.households import block

Row = dict[str, int]

# Rules that hold of every row by definition or as edit rules, over the ten columns; numbers follow the file's documentation.
RULES: dict[str, Callable[[Row], bool]] = {
    "1 occupied": lambda r: r["VACS"] == 0 and 1 <= r["TEN"] <= 4 and 1 <= r["HHSIZE"] <= 7 and 1 <= r["THHLDRAGE"] <= 9,
    "3 one person": lambda r: (r["HHSIZE"] == 1) == (r["HHT"] in (4, 6)) == (r["HHT2"] in (5, 9)),
    "3 man alone": lambda r: (r["HHT"] == 4) == (r["HHT2"] == 9),
    "3 woman alone": lambda r: (r["HHT"] == 6) == (r["HHT2"] == 5),
    "4 married": lambda r: (r["HHT"] == 1) == (r["HHT2"] in (1, 2)) and (r["HHT"] != 1 or r["HHSIZE"] >= 2),
    "5 married with own child": lambda r: r["HHT2"] != 1 or r["HHSIZE"] >= 3,
    "5 cohabiting with own child": lambda r: r["HHT2"] != 3 or (r["HHSIZE"] >= 3 and r["HHT"] in (2, 3)),
    "6 cohabiting without own child": lambda r: (
        r["HHT2"] != 4 or (r["HHT"] in (2, 3) and r["HHSIZE"] >= 3) or (r["HHT"] in (5, 7) and r["HHSIZE"] >= 2)
    ),
    "7 man without partner, relatives": lambda r: r["HHT2"] not in (10, 11) or (r["HHT"] == 2 and r["HHSIZE"] >= 2),
    "7 woman without partner, relatives": lambda r: r["HHT2"] not in (6, 7) or (r["HHT"] == 3 and r["HHSIZE"] >= 2),
    "7 man without partner, others": lambda r: r["HHT2"] != 12 or (r["HHT"] == 5 and r["HHSIZE"] >= 2),
    "7 woman without partner, others": lambda r: r["HHT2"] != 8 or (r["HHT"] == 7 and r["HHSIZE"] >= 2),
    "8 own children are under 18": lambda r: r["HHT2"] not in (1, 3, 6, 10) or r["TP18"] == 1,
    "12 householder of 65 or over": lambda r: r["THHLDRAGE"] < 7 or r["TP65"] == 1,
    "13 alone, age decides": lambda r: r["HHSIZE"] != 1 or (r["TP65"] == 1) == (r["THHLDRAGE"] >= 7),
    "14 alone and under 18": lambda r: not (r["HHSIZE"] == 1 and r["TP18"] == 1) or r["THHLDRAGE"] == 1,
    "15 parent and child": lambda r: not (r["HHSIZE"] == 2 and r["HHT2"] in (6, 10)) or (r["TP65"] == 1) == (r["THHLDRAGE"] >= 7),
    "16 two people, one under 18": lambda r: (
        not (r["HHSIZE"] == 2 and r["TP18"] == 1 and r["THHLDRAGE"] >= 6) or (r["TP65"] == 1) == (r["THHLDRAGE"] >= 7)
    ),
    "19 mothers of young children": lambda r: not (r["HHT"] == 3 and r["HHT2"] in (3, 6)) or r["THHLDRAGE"] <= 7,
}


def households(count: int, seed: int) -> list[Row]:
    names = household_domain().names
    return [dict(zip(names, map(int, record), strict=True)) for record in block(count, seed).records]


@pytest.fixture(scope="module")
def many() -> list[Row]:
    return [row for seed in range(60) for row in households(100, seed)]


@pytest.mark.parametrize("rule", RULES)
def test_every_household_obeys(rule: str, many: list[Row]) -> None:
    assert [row for row in many if not RULES[rule](row)] == []


@pytest.mark.parametrize("rule", RULES)
def test_every_rule_can_be_broken(rule: str, many: list[Row]) -> None:
    """A rule that no change to a household can break would test nothing."""
    domain = household_domain()
    changed = (
        {**row, column.name: int(code)} for row in many[:400] for column in domain.columns for code in column.codes if code != "0"
    )
    assert any(not RULES[rule](row) for row in changed)


def test_rules_leave_the_documented_number_of_kinds() -> None:
    """Rules 3 to 8, 12 to 15 and 19 leave about two thousand of 21,168 combinations of the six tied columns."""
    from itertools import product

    names = ("HHT", "HHT2", "HHSIZE", "TP18", "THHLDRAGE", "TP65")
    ranges = (range(1, 8), range(1, 13), range(1, 8), range(2), range(1, 10), range(2))
    kept = 0
    total = 0
    for values in product(*ranges):
        row = {"VACS": 0, "TEN": 1, **dict(zip(names, values, strict=True))}
        total += 1
        kept += all(rule(row) for name, rule in RULES.items() if not name.startswith("16"))
    assert total == 21_168
    assert kept == 1_951


def test_blocks_vary_and_repeat() -> None:
    assert block(10, 3) == block(10, 3)
    assert len({block(10, seed).records for seed in range(20)}) == 20
    assert all(len(block(size, 0)) == size for size in (0, 1, 7, 320))


def test_every_code_occurs(many: list[Row]) -> None:
    domain = household_domain()
    for column in domain.columns:
        seen = {str(row[column.name]) for row in many}
        rare = {"5"} if column.name == "THHRACE" else set()  # one in a thousand nationwide
        assert seen | rare == ({"0"} if column.name == "VACS" else set(column.codes)), column.name


def test_the_bundled_block_is_one_of_them() -> None:
    release, truth = demo_release()
    assert len(truth) == 10
    assert release == household_release(truth)
    names = truth.domain.names
    for record in truth.records:
        row = dict(zip(names, map(int, record), strict=True))
        assert all(rule(row) for rule in RULES.values())
