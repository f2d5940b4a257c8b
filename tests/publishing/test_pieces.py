"""The parts of publishing one by one: footnotes, numbers in texts, formulas, what gives a number back."""

from __future__ import annotations

import random
from decimal import Decimal

import pytest

from foregone.model.marks import Ranges
from foregone.publishing.footnotes import footnote, meaning_of, renewed
from foregone.publishing.formulas import area_of, read_formula
from foregone.publishing.gives_back import GivesBack, quotients
from foregone.publishing.secrets import Secrets

NEW = {"[c]": "[c] not shown; stands for at least 1"}


@pytest.mark.parametrize(
    "ranges", [((0, None),), ((1, None),), ((1, 4),), ((0, 0), (5, None)), ((2, 2),), ((0, 1), (3, 4), (7, None))]
)
@pytest.mark.parametrize("mark", ["*", "[c]", "\u2026", ".."])
def test_a_footnote_is_understood_as_it_was_meant(mark: str, ranges: Ranges) -> None:
    assert meaning_of(f"Source: clinic. {footnote(mark, ranges)}. More.", mark) == ranges
    assert meaning_of(footnote(mark, ranges), "x") is None


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("* fewer than 5", NEW["[c]"]),
        ("* Fewer than 5; - nil", f"{NEW['[c]']}; - nil"),
        ("Numbers under 10 have been suppressed (*).", f"{NEW['[c]']}."),
        ("Note: counts of 1 to 4 are replaced by an asterisk", NEW["[c]"]),
        ("Patients (* = 1 to 4), 2023", f"Patients ({NEW['[c]']}), 2023"),
        ("<5: small numbers", NEW["[c]"]),
    ],
)
def test_old_lines_are_replaced(before: str, after: str) -> None:
    assert renewed(before, ["*", "<5"], NEW) == after


@pytest.mark.parametrize("text", ["Source: clinic, 2023", "Ages 0 to 17", "*", "Table 2 * 3", "Children under 5"])
def test_other_lines_stay(text: str) -> None:
    assert renewed(text, ["*"], NEW) is None


def test_numbers_in_texts() -> None:
    secrets = Secrets.of(["4,711", "3", "2019", "33.5%"])
    assert secrets.cleaned("Of 4711 (or 4,711, 4 711, 4.711) in all", "[c]").text == "Of [c] (or [c], [c], [c]) in all"
    assert secrets.cleaned("ward 4711a, id 14711, 4711-4712, 47.11", "[c]").text == "ward 4711a, id 14711, 4711-4712, 47.11"
    assert secrets.cleaned("3 women in 2019, Table 3", "[c]").doubtful == ("3", "2019", "3")
    assert secrets.cleaned("that is 33,5 percent", "[c]").text == "that is [c] percent"
    assert secrets.holds("4 711")
    assert not secrets.holds("4712")
    assert not secrets.holds("")


def test_what_a_formula_reads() -> None:
    names = {"WOMEN": "Age!$C$3:$C$5", "FIVE": "5"}
    formula = read_formula("=SUM('My sheet'!B2:B4)+Women*FIVE-$A$1+B:B", "Age", names)
    assert formula.areas == (("My sheet", 2, 2, 4, 2), ("Age", 3, 3, 5, 3), ("Age", 1, 1, 1, 1), ("Age", 1, 2, 1_048_576, 2))
    assert not formula.unknown
    assert formula.constants == ("5",)
    assert read_formula('=INDIRECT("B2")', "Age", {}).unknown
    assert read_formula("=Table1[Sum]", "Age", {}).unknown
    assert read_formula("=[1]Sheet!B2", "Age", {}).outside
    assert area_of("3:4", "Age") == ("Age", 3, 1, 4, 16_384)
    assert area_of("Name", "Age") is None


@pytest.mark.parametrize("seed", range(40))
def test_rates_of_hidden_numbers_are_found(seed: int) -> None:
    """Whatever the scale and however it was rounded: a rate or a percentage with a withheld number in it is found."""
    chance = random.Random(seed)
    secret, shown = chance.randint(1, 5_000), chance.randint(1, 5_000)
    scale, decimals = chance.choice([100, 1_000, 100_000]), chance.randint(0, 3)
    rate = f"{scale * (secret / shown if chance.random() < 0.5 else shown / secret):.{decimals}f}"
    if float(rate) > 0:
        assert GivesBack([Decimal(secret)]).ratio(rate if "." in rate else f"{rate}.0", [Decimal(shown)]) or "." not in rate
    assert GivesBack([Decimal(secret)]).sum(str(secret + shown), [Decimal(shown)])
    assert GivesBack([Decimal(secret)]).sum(str(abs(secret - shown)), [Decimal(shown)])


def test_a_column_of_percentages_of_its_own_total() -> None:
    numbers = {(row, 2): Decimal(n) for row, n in enumerate([20, 30, 50, 100])}
    found = quotients({0: "20.0", 1: "30.0", 2: "50.0", 3: "100.0"}, numbers)
    assert any(way.above == way.below == 2 and way.row == 3 for way in found)
