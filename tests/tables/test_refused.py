"""Files that cannot be read without a guess: each is refused in a line that says what to do, none is read wrong."""

from __future__ import annotations

from pathlib import Path

import openpyxl
import pytest

from tests.cli.commands import run

REFUSED = {
    "a footnote mark": (
        "Age,Male,Female\n0-17,5*,2\n18+,5,6\n",
        "row 2, column B: '5*' may be 5 with a footnote mark, or something else",
    ),
    "marks in brackets alone": (
        "Age,Male,Female\n0-17,5 (a),2\n18+,5 (b),6\n",
        "row 2, column B: '5 (a)' may be 5 with a footnote mark",
    ),
    "revised numbers alone": (
        "Age,Male,Female\n0-17,5r,2\n18+,5p,6\n",
        "column B (Male) holds numbers and would have to hold labels",
    ),
    "no labels of rows": ("Male,Female\n1,2\n", "column A (Male) holds numbers and would have to hold labels of rows"),
    "two variables in a column": (
        "Who,n\nMale,5\nFemale,6\n0-17,4\n18+,7\n",
        "are values of several variables that count the same people",
    ),
    "two variables, one total": (
        "Who,n\nMale,5\nFemale,6\n0-17,4\n18+,7\nTotal,11\n",
        "are values of several variables that count the same",
    ),
    "several measures": (
        "Town,Measure,Value\nA,Count,5\nA,Percent,50\nB,Count,5\nB,Percent,50\n",
        "several things are measured, and 'Count' counts records (or another: 'Percent')",
    ),
    "a heading twice": (
        "Age,Male,Male\n0-17,1,2\n18+,5,6\n",
        "two columns have the same heading, 'Male'; give them different ones",
    ),
    "less than nothing": ("Age,Male,Female\n0-17,-1,2\n18+,5,6\n", "row 2, column B: a number is less than 0, and no count is"),
    "a spreadsheet's error": ("Age,Male,Female\n0-17,#REF!,2\n18+,5,6\n", "row 2, column B: #REF! is an error of the spreadsheet"),
    "numbers that may be labels": (
        "ID,Ward,Male,Female\n1,7,1,2\n2,8,5,6\n",
        "two readings fit: column B (Ward) holds labels; or it counts",
    ),
    "a single number": ("Patients\n17\n", "t.csv: no table was found in it"),
    "a total of either": (
        "Region,Town,Cases\nNorth,A,0\n,B,0\nSouth,C,3\n,Total,3\n",
        "two readings fit: 'Total' (",
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_cannot_be_read_is_refused(tmp_path: Path, what: str) -> None:
    text, problem = REFUSED[what]
    (tmp_path / "t.csv").write_text(text, "utf-8")
    done = run("import", tmp_path / "t.csv", "--out", tmp_path / "r")
    assert done.status == 2
    assert problem in done.err
    assert not (tmp_path / "r").exists()


@pytest.mark.parametrize(("outside", "regions"), [("", {"South"}), ("5", set())])
def test_a_layout_says_whose_total_it_is(tmp_path: Path, outside: str, regions: set[str]) -> None:
    (tmp_path / "t.csv").write_text(REFUSED["a total of either"][0], "utf-8")
    (tmp_path / "layout.toml").write_text(f'[[table]]\nname = "t"\noutside = "{outside}"\n')
    assert run("import", tmp_path / "t.csv", "--out", tmp_path / "r", "--layout", tmp_path / "layout.toml").status == 0
    last = (tmp_path / "r" / "statistics.csv").read_text().splitlines()[-1]
    assert set(last.split(",")[2:3]) - {""} == regions


@pytest.mark.parametrize(
    ("name", "raw", "problem"),
    [
        ("t.xlsx", b"\xd0\xcf\x11\xe0" + b"x" * 600, "has a password, or is an old .xls under another name"),
        ("t.xlsx", b"<html><table></table></html>", "is not an Excel workbook"),
        ("t.csv", b"PK\x03\x04\x00\x00\x00\x00\x00\x00\x01", "is not a text file; save the table as CSV or .xlsx"),
    ],
)
def test_files_that_are_something_else(tmp_path: Path, name: str, raw: bytes, problem: str) -> None:
    (tmp_path / name).write_bytes(raw)
    done = run("import", tmp_path / name, "--out", tmp_path / "r")
    assert (done.status, len(done.problems)) == (2, 1)
    assert problem in done.err


def test_a_table_that_no_person_reads_is_refused_before_it_takes_long(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("area,n\n" + "".join(f"area {i},{i % 7}\n" for i in range(130_000)))
    done = run("import", tmp_path / "t.csv", "--out", tmp_path / "r")
    assert (done.status, len(done.problems)) == (2, 1)
    assert "t.csv: 260,002 cells are more than the 250,000 that are read as a table for people" in done.err


def test_utf_16_without_its_mark(tmp_path: Path) -> None:
    for i, encoding in enumerate(("utf-16-le", "utf-16-be")):
        (tmp_path / "t.csv").write_bytes("Age,Male,Female\n0-17,1,2\n18+,5,6\n".encode(encoding))
        assert "(UTF-16)" in run("import", tmp_path / "t.csv", "--out", tmp_path / f"r{i}").out


def test_a_date_beside_the_table_does_no_harm(tmp_path: Path) -> None:
    from datetime import date

    for heading, status in (("Male", 0), (date(2023, 5, 9), 2)):
        book = openpyxl.Workbook()
        for row in (["Printed on", date(2023, 1, 1)], [], ["Age", heading, "Female"], ["0-17", 1, 2], ["18+", 3, 4]):
            book.worksheets[0].append(row)
        book.save(tmp_path / "t.xlsx")
        done = run("import", tmp_path / "t.xlsx", "--out", tmp_path / "r")
        assert done.status == status
    assert "row 3, column B: a date, 2023-05-09; a spreadsheet makes dates of labels such as 5-9" in done.err


@pytest.mark.parametrize(
    ("columns", "first"),
    [
        ('labels = ["A", "B"]\nnumbers = ["C", "D"]', "1,7,Male,1"),
        ('numbers = ["B", "C", "D"]\nexclusive = ["t columns"]', "1,Ward,7"),
    ],
)
def test_a_layout_says_what_numbers_are(tmp_path: Path, columns: str, first: str) -> None:
    (tmp_path / "t.csv").write_text(REFUSED["numbers that may be labels"][0], "utf-8")
    (tmp_path / "layout.toml").write_text(f'[[table]]\nname = "t"\n{columns}\n')
    assert run("import", tmp_path / "t.csv", "--out", tmp_path / "r", "--layout", tmp_path / "layout.toml").status == 0
    assert (tmp_path / "r" / "statistics.csv").read_text().splitlines()[1].endswith(first)


def test_a_star_for_the_grand_total_is_told_apart_from_small_numbers(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("Ward,Male,Female,All\nNorth,11,9,20\nSouth,*,8,*\nTotal,*,17,*\n", "utf-8")
    done = run("import", tmp_path / "t.csv", "--out", tmp_path / "r", "--token", "*=1..4")
    assert done.status == 2
    assert done.err.count("\n") == 1
    assert "row 4, column D: '*' was read as 1 to 4, but it is the number of all records" in done.err
    assert "row 2, column B counts 11, and 4 more are larger" in done.err
    assert run("import", tmp_path / "t.csv", "--out", tmp_path / "r", "--token", "*=0..").status == 0
