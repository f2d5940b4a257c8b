"""Which counts a percentage can be of: compared with trying every count."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest

from foregone.tables.reading.percents import bases
from foregone.tables.table import Axis, CellPlace, Table, TableCell
from foregone.tables.values import Meaning, parse_tokens

MEANING = Meaning(None, tuple(parse_tokens(["few=1..4", "some=6..9"])))
COUNTS = {"0": [0], "3": [3], "8": [8], "few": [1, 2, 3, 4], "some": [6, 7, 8, 9]}


def of_total(counts: list[str], percents: list[str]) -> bool:
    """Are percentages taken to be of the total, of which these are the counts? For two towns and the total; blank: not shown."""
    labels, place = (("Ambridge",), ("Darrington",), (None,)), CellPlace("t.csv", 2, 2)
    entries = [TableCell(label, text, place) for label, text in zip(labels, counts, strict=True) if text]
    entries += [TableCell(label, text, place, percent=True) for label, text in zip(labels, percents, strict=True) if text]
    axis = Axis("Town", ("Ambridge", "Darrington"), ("Total",))
    return bases(Table("t", "t.csv", "", "list", (axis,), tuple(entries)), MEANING) == [(0,)]


def fits(part: str, whole: str, percent: str) -> bool:
    return of_total([part, "5", whole], [percent, "", ""])


@pytest.mark.parametrize(("part", "whole"), [*product(("0", "3", "few"), ("8", "some"))])
def test_a_percentage_is_neither_more_nor_less_than_its_counts_allow(part: str, whole: str) -> None:
    shares = [Fraction(100 * p, w) for p, w in product(COUNTS[part], COUNTS[whole])]
    half = Fraction(1, 2)
    for percent in range(101):
        least, most = percent - half, percent + half
        assert fits(part, whole, f"{percent}%") == (min(shares) <= most and max(shares) >= least), percent
        if any(least <= share <= most for share in shares):
            assert fits(part, whole, f"{percent}%")


def test_nothing_is_a_percentage_of_nobody() -> None:
    assert not fits("0", "0", "10%")


@pytest.mark.parametrize(
    ("percents", "expected"),
    [("33% 67%", True), ("33% 66%", True), ("34% 67%", True), ("33% 65%", False), ("34% 68%", False), ("60% 60%", False)],
)
def test_percentages_alone_add_up_to_100(percents: str, expected: bool) -> None:
    assert of_total(["", "", ""], [*percents.split(), ""]) == expected


def test_a_total_is_all_of_itself() -> None:
    assert of_total(["3", "5", "8"], ["38%", "63%", "100%"])
    assert not of_total(["3", "5", "8"], ["38%", "63%", "90%"])
