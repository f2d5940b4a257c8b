"""Workbooks that openpyxl wrote: sheets, merged headings, number formats, dates, formulas."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from foregone.model.errors import InputError
from foregone.tables.importing import read_tables
from tests.tables.tabulated import became, crosstab

TOWNS: list[list[Any]] = [["Town", "Male", "Female", "Total"], ["Ambridge", 4, 6, 10], ["Darrington", 2, 1, 3], ["Total", 6, 7, 13]]
AGES: list[list[Any]] = [["Age", "Male", "Female", "Total"], ["0-44", 5, 3, 8], ["45+", 1, 4, 5], ["Total", 6, 7, 13]]
TOWNS_RELEASE = crosstab("Town", "Ambridge; Darrington; *", "Sex", "Male; Female; *", "4 6 10 / 2 1 3 / 6 7 13")
AGES_RELEASE = crosstab("Age", "0-44; 45+; *", "Sex", "Male; Female; *", "5 3 8 / 1 4 5 / 6 7 13")


def workbook(path: Path, *sheets: tuple[str, list[list[Any]]], merged: tuple[str, ...] = ()) -> Path:
    book = openpyxl.Workbook()
    book.remove(book.worksheets[0])
    for title, rows in sheets:
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
        for area in merged:
            sheet.merge_cells(area)
    book.save(path)
    return path


def test_a_table_on_each_sheet(tmp_path: Path) -> None:
    path = workbook(tmp_path / "book.xlsx", ("By town", TOWNS), ("By age", AGES), ("Empty", []))
    made = read_tables([path])
    assert became(made.release) == TOWNS_RELEASE | AGES_RELEASE
    assert made.standing[0].place.text == f"{path}, sheet By town, row 2, column B"
    assert made.standing[0].name == "book.By town.B2"


def test_merged_headings_over_two_levels(tmp_path: Path) -> None:
    rows: list[list[Any]] = [
        ["Patients by age, sex and smoking"],
        [],
        ["Age", "Male", None, "Female", None, "All"],
        [None, "Yes", "No", "Yes", "No", None],
        ["0-17", 1, 2, 3, 4, 10],
        ["18+", 5, 6, 7, 8, 26],
        ["All", 6, 8, 10, 12, 36],
    ]
    path = workbook(tmp_path / "m.xlsx", ("S", rows), merged=("A1:F1", "A3:A4", "B3:C3", "D3:E3", "F3:F4"))
    ages = "0-17; 18+; *"
    assert became(read_tables([path]).release) == (
        crosstab("Age", ages, "smoking", "Yes; No", "1 2 / 5 6 / 6 8", "Sex=Male")
        | crosstab("Age", ages, "smoking", "Yes; No", "3 4 / 7 8 / 10 12", "Sex=Female")
        | crosstab("Age", ages, "Sex", "*", "10 / 26 / 36")
    )


def test_a_heading_over_all_columns_names_their_variable(tmp_path: Path) -> None:
    rows = [["Town", "Gender", None, None], [None, "Male", "Female", "Total"], *TOWNS[1:]]
    path = workbook(tmp_path / "named.xlsx", ("S", rows), merged=("A1:A2", "B1:D1"))
    release = read_tables([path]).release
    assert release.domain.names == ("Town", "Gender")
    assert became(release) == {key.replace("Sex=", "Gender="): value for key, value in became(read_tables([path]).release).items()}


def test_a_table_that_begins_elsewhere(tmp_path: Path) -> None:
    path = workbook(tmp_path / "far.xlsx", ("S", [[], [], [None, "Report"], [], *([None, None, *row] for row in TOWNS)]))
    made = read_tables([path])
    assert became(made.release) == TOWNS_RELEASE
    assert made.standing[0].place.cell == "D6"


def test_floats_that_are_whole_and_years_as_headings(tmp_path: Path) -> None:
    rows: list[list[Any]] = [["Admissions", None, None], ["Town", 2021, 2022], ["Ambridge", 4.0, 6.0], ["Darrington", 2.0, 1.0]]
    path = workbook(tmp_path / "years.xlsx", ("S", rows))
    assert became(read_tables([path]).release) == crosstab(
        "Town", "Ambridge; Darrington", "years columns", "2021; 2022", "4 6 / 2 1"
    )


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        ([["Age", "Male"], [date(2024, 5, 9), 3], ["10-14", 4]], "row 2, column A: a date, 2024-05-09; a spreadsheet makes dates"),
        ([["Age", "Male"], ["0-9", "=1+2"], ["10-14", 4]], "row 2, column B: a formula without its result; open the file"),
        ([["Age", "Male", "Female"], ["0-9", "secret", 3], ["10-14", 4, 5], ["15+", 2, 1]], "row 2, column B: what 'secret' means"),
    ],
)
def test_what_a_sheet_cannot_say(tmp_path: Path, rows: list[list[Any]], problem: str) -> None:
    path = workbook(tmp_path / "bad.xlsx", ("June", rows))
    with pytest.raises(InputError) as caught:
        read_tables([path])
    assert caught.value.problems[0].startswith(f"{path}, sheet June, {problem}")


def test_a_workbook_that_is_none(tmp_path: Path) -> None:
    path = tmp_path / "no.xlsx"
    path.write_text("Town,Male\n")
    with pytest.raises(InputError, match="is not an Excel workbook"):
        read_tables([path])
    with pytest.raises(InputError, match="every sheet is empty"):
        read_tables([workbook(tmp_path / "empty.xlsx", ("S", []))])
