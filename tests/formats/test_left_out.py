"""left_out.csv: it comes back as it was written, and what stands beside a hidden count is found wherever it stands."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from foregone import Domain, Predicate, Release, Statistic
from foregone.formats.beside import (
    CODES,
    LEFT_OUT,
    OTHER,
    OUTSIDE,
    PLACES,
    SAME,
    AllLeftOut,
    LeftOut,
    hidden_names,
    left_out_of,
    left_out_text,
    places_text,
    read_left_out,
    standing_beside,
)
from foregone.tables.table import letters


def rate(place: str, text: str = "41.2", sheet: str = "") -> LeftOut:
    return LeftOut("data/t.csv", sheet, place, text, f"column {place[0]} (Rate: per 100,000 (crude)): {OTHER}")


def test_it_comes_back_as_it_was_written(tmp_path: Path) -> None:
    cells = (
        rate("E5", '=1+1, "two"'),
        LeftOut("b.xlsx", "June, 2023", "AA12", "-5", "row 12 (Mean): it does not count records"),
        LeftOut("b.xlsx", "", "", "and 1,200 more", "table b-2: the total does not add up; b.xlsx, row 3: 4"),
    )
    (tmp_path / LEFT_OUT).write_text(left_out_text(cells), "utf-8")
    assert read_left_out(tmp_path) == cells
    assert [cell.heading for cell in cells] == ["Rate: per 100,000 (crude)", "Mean", "table b-2"]
    assert [cell.why for cell in cells] == [
        OTHER,
        "it does not count records",
        "the total does not add up; b.xlsx, row 3: 4",
    ]
    assert [cell.source for cell in cells] == ["t.csv", "sheet June, 2023 of b.xlsx", "b.xlsx"]
    assert AllLeftOut(cells).number == 1202
    (tmp_path / LEFT_OUT).write_text("file,what\na,b\n", "utf-8")  # somebody else's
    assert read_left_out(tmp_path) == ()
    assert read_left_out(tmp_path / "nowhere") == ()


def test_withheld_marked_and_ranges_are_not_shown() -> None:
    domain = Domain.of({"SEX": ["F", "M"]}, marks={"*": ((1, 4),)})
    one = Predicate.of({"SEX": "F"})
    rows = [
        Statistic.exact(Predicate(), 9, "all"),
        Statistic(one, 0, None, "withheld", withheld=True),
        Statistic(one, 3, 7, "range"),
        Statistic(one, 1, 4, "marked", mark="*"),
        Statistic.exact(one, 4, "exact"),
    ]
    assert hidden_names(Release(domain, rows)) == {"withheld", "range", "marked"}


@pytest.mark.parametrize("seed", range(40))
def test_what_stands_beside_is_what_brute_force_finds(seed: int) -> None:
    draw = random.Random(seed)
    files, sheets, size = ("a.csv", "b.csv"), ("", "S"), 5
    every = [(f, s, r, c) for f in files for s in sheets for r in range(1, size) for c in range(1, size)]
    numbers = draw.sample(every, 12)
    places = [[f"n{i}", f, s, str(r), letters(c), ""] for i, (f, s, r, c) in enumerate(numbers)]
    hidden = frozenset(f"n{i}" for i in draw.sample(range(12), 4))
    at = {f"n{i}": place for i, place in enumerate(numbers)}
    cells, expected = [], []
    for f, s, r, c in draw.sample([place for place in every if place not in numbers], 15):
        line = draw.choice(["column", "row", "code", "same", "table", "outside"])
        reason = {
            "column": f"column {letters(c)} (Rate): {OTHER}",
            "row": f"row {r} (Mean): it does not count records",
            "code": f"column {letters(c)} (Code): {CODES}",
            "same": f"column {letters(c)} (Code): {SAME} column A (Town)",
            "table": "rows 1 to 9: no row of headings above columns of numbers was found",
            "outside": f"{OUTSIDE}: what it means is not used",
        }[line]
        cell = LeftOut(f, s, f"{letters(c)}{r}", "1", reason)
        cells.append(cell)
        for name in hidden:
            f2, s2, r2, c2 = at[name]
            if (f, s) == (f2, s2) and line not in ("code", "same") and (r == r2 or (line in ("row", "outside") and c == c2)):
                expected.append(cell)
                break
    assert standing_beside(cells, places, hidden) == tuple(expected)


def test_a_file_without_cells_has_nothing_beside() -> None:
    number = LeftOut("t.px", "", "7", "12", "table t: the total does not add up")
    assert (
        standing_beside([number], [["t.6", "t.px", "", "6", "", "."], ["t.7", "t.px", "", "7", "", "."]], frozenset(["t.7"])) == ()
    )


def test_the_warning_is_complete_or_says_how_many_more(tmp_path: Path) -> None:
    domain = Domain.of({"SEX": ["F", "M"]})
    names = [f"t.B{row}" for row in range(2, 32)]
    release = Release(domain, [Statistic(Predicate(), 1, 40, name) for name in names])
    cells = [rate(f"E{row}") for row in range(2, 32)]
    release.write(tmp_path / "r")
    (tmp_path / "r" / LEFT_OUT).write_text(left_out_text(cells), "utf-8")
    rows = [[name, "data/t.csv", "", name[3:], "B", "*"] for name in names]
    (tmp_path / "r" / PLACES).write_text(places_text(rows), "utf-8")
    found = left_out_of(tmp_path / "r", release)
    assert found.warning == (
        "30 numbers that were left out stand beside cells that are not shown (Rate: per 100,000 (crude) in t.csv: E2, E3, E4, E5,"
        " E6, E7, E8, E9, E10, E11, E12, E13 and 18 more; all in left_out.csv). A reader may work the count back from them."
    )
    assert found.bare_warning == "30 numbers that were left out stand beside cells that are not shown."
    one = left_out_of(tmp_path / "r", Release(domain, [Statistic(Predicate(), 1, 4, names[0])]))
    assert one.warning == (
        "1 number that was left out stands beside cells that are not shown (Rate: per 100,000 (crude) in t.csv: E2)."
        " A reader may work the count back from it."
    )
    assert one.said.startswith("30 numbers were left out. 1 of them stands beside")
    none = left_out_of(tmp_path / "r", Release(domain, [Statistic.exact(Predicate(), 3, names[0])]))
    assert (none.warning, none.said, len(none.cells)) == ("", "30 numbers were left out.", 30)
    assert left_out_of(tmp_path / "nowhere", release) == AllLeftOut()
