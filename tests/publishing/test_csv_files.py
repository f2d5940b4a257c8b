"""CSV files come back byte for byte, but for the cells that are not shown and the footnote."""

from __future__ import annotations

import csv
import io
import random
from pathlib import Path

import pytest

from foregone.publishing.csv_file import csv_with
from foregone.publishing.outcome import NotPublished
from tests.publishing.published import HEAD, ROWS, SECRET, holding, steward

NOTE = "[c] not shown; stands for at least 1"


def written(separator: str = ",", quoted: bool = False, end: str = "\n", last: bool = True, thousands: str = "") -> str:
    def cell(value: object) -> str:
        text = f"{value:,}".replace(",", thousands) if isinstance(value, int) and thousands else str(value)
        return f'"{text}"' if quoted else text

    every: list[list[object]] = [[*HEAD], *ROWS]
    lines = [separator.join(map(cell, row)) for row in every]
    return end.join(lines) + (end if last else "")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_nothing_but_the_cells_concerned_changes(tmp_path: Path, encoding: str, end: str) -> None:
    text = f"Patients, caf\u00e9 \u2013 by age and sex{end}{end}" + written(";", end=end).replace("Age", " Age ")
    path = tmp_path / "by_age.csv"
    path.write_bytes(text.encode(encoding))
    steward(tmp_path, [path])
    expected = text.replace("4711;3;", "[c];[c];").replace("2;4713;", "[c];[c];") + f'{end}"{NOTE}"{end}'
    assert (tmp_path / "files" / "by_age.csv").read_bytes() == expected.encode(encoding)
    assert [place for number in SECRET for place in holding(tmp_path / "files", number)] == []


def test_quotes_and_thousands_stay(tmp_path: Path) -> None:
    path = tmp_path / "by_age.csv"
    path.write_bytes(written(",", quoted=True, last=False, thousands=",").encode())
    steward(tmp_path, [path])
    expected = written(",", quoted=True, last=False, thousands=",").replace('"4,711","3"', '"[c]","[c]"')
    expected = expected.replace('"2","4,713"', '"[c]","[c]"') + f"\n\n{NOTE}"
    assert (tmp_path / "files" / "by_age.csv").read_bytes().decode() == expected


def test_the_old_line_is_replaced_and_does_not_contradict(tmp_path: Path) -> None:
    path = tmp_path / "by_age.csv"
    path.write_text(
        "Age,Male,Female,Total\n0-17,6,*,8\n18-24,*,5,6\n25+,20,30,50\nTotal,27,37,64\n* fewer than 5. Source: clinic,,,\n", "utf-8"
    )
    made = steward(tmp_path, [path], 'stars = "unknown"\n', ["*=1..4"])
    text = made.file("by_age.csv").read_text("utf-8")
    assert "fewer than 5" not in text
    assert text.endswith("* not shown; stands for at least 1. Source: clinic,,,\n")
    assert text.count("stands for") == 1


def test_decimal_commas_of_rates_and_percentages(tmp_path: Path) -> None:
    """A rate beside a population gives a count back, and is marked where the count is; elsewhere it stays as it was printed."""
    rows = [["Ort", "M\u00e4nner", "Frauen", "Insgesamt", "Einwohner", "Rate je 100.000"]]
    people = {"Nord": (4711, 3), "S\u00fcd": (2, 4713), "West": (4717, 4719)}
    where = {"Nord": 52_000, "S\u00fcd": 61_000, "West": 48_000}
    for town, (men, women) in people.items():
        rows.append(
            [town, str(men), str(women), str(men + women), str(where[town]), f"{men / where[town] * 100_000:.2f}".replace(".", ",")]
        )
    rows.append(["Insgesamt", "9430", "9435", "18865", "161000", "5857,14"])
    path = tmp_path / "orte.csv"
    path.write_bytes("\r\n".join(";".join(row) for row in rows).encode("cp1252"))
    made = steward(tmp_path, [path])
    again = list(csv.reader(io.StringIO(made.file("orte.csv").read_bytes().decode("cp1252")), delimiter=";"))
    rates = [row[5] for row in again[1:5]]
    assert rates[0] == rates[1] == "[c]", "men of both towns are not shown, and their rates would give them back"
    assert rates[2:] == [rows[3][5], "5857,14"], "what follows from numbers that are shown stays"
    assert [row[4] for row in again[1:5]] == ["52000", "61000", "48000", "161000"], "a population says nothing by itself"


def test_a_mark_that_the_encoding_does_not_have_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes("caf\xe9,1\n".encode("cp1252"))
    with pytest.raises(NotPublished, match="cannot be written in the encoding"):
        csv_with(path, {(1, 2): "\u2744"})


@pytest.mark.parametrize("seed", range(60))
def test_any_file_keeps_its_other_bytes(tmp_path: Path, seed: int) -> None:
    """Random files with quotes, separators and line breaks in cells: the reader of CSV sees the new cells and all the old ones."""
    chance = random.Random(seed)
    separator, end = chance.choice(",;\t|"), chance.choice(["\n", "\r\n"])
    letters = ["a", "7", " ", '"', separator, "\u00e9", "."] + (["\n"] if chance.random() < 0.3 else [])
    rows = [["".join(chance.choices(letters, k=chance.randint(0, 5))) for _ in range(3)] for _ in range(chance.randint(3, 8))]
    rows[0] = ["x", "y", "z"]
    out = io.StringIO()
    csv.writer(out, delimiter=separator, lineterminator=end, quoting=chance.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL])).writerows(
        rows
    )
    path = tmp_path / "t.csv"
    path.write_bytes(out.getvalue().encode())
    places = {(chance.randint(1, len(rows)), chance.randint(1, 3)): "[c]" for _ in range(3)}
    try:
        made = csv_with(path, places).decode()
    except NotPublished:
        pytest.fail("a file that the library wrote is written back")
    read = list(csv.reader(io.StringIO(made, newline=""), delimiter=separator))
    if list(csv.reader(io.StringIO(out.getvalue(), newline=""), delimiter=separator)) != rows:
        pytest.skip("the separator cannot be told from this file")
    for r, row in enumerate(rows, start=1):
        for c, cell in enumerate(row, start=1):
            now = read[r - 1][c - 1]
            assert now.strip() == "[c]" if (r, c) in places else now == cell
    assert csv_with(path, {}) == path.read_bytes()
