"""Rows whose indentation says what they are parts of, and formats that hold several tables: read right, or refused in a line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import openpyxl
import pytest
from openpyxl.styles import Alignment

from foregone.model.errors import InputError
from foregone.tables.importing import read_tables
from foregone.tables.layout_file import read_layout
from tests.cli.commands import run
from tests.tables.tabulated import Expected, became, crosstab

REGIONS = """\
Area,Male,Female,Total
North,30,40,70
  Ambridge,10,15,25
  Penny Hassett,20,25,45
{0}Ridge,12,10,22
{0}Foot,8,15,23
South,5,6,11
"""
AREAS = "Ambridge|Ridge|Foot; Ambridge; Ridge|Foot; Ridge; Foot; South"


def written(folder: Path, text: str, name: str = "t.csv") -> Path:
    (folder / name).write_text(text, "utf-8")
    return folder / name


def regions(*lines: str) -> Expected:
    return crosstab("Area", AREAS, "Sex", "Male; Female; *", " / ".join(("30 40 70", "10 15 25", "20 25 45", *lines)))


@pytest.mark.parametrize("blank", ["    ", "\t\t\t", "\u00a0\u00a0\u00a0"])
@pytest.mark.parametrize("total", ["", "Total,35,46,81\n", "   Total,35,46,81\n"])
def test_indented_rows_are_parts_of_the_row_above(tmp_path: Path, blank: str, total: str) -> None:
    made = read_tables([written(tmp_path, REGIONS.format(blank) + total)])
    expected = regions("12 10 22", "8 15 23", "5 6 11")
    assert became(made.release) == expected | (crosstab("Area", "*", "Sex", "Male; Female; *", "35 46 81") if total else {})
    assert made.release.domain.column("Area").codes == ("Ambridge", "Ridge", "Foot", "South")
    assert "North, Penny Hassett are made of the rows below them." in made.said[0]


@pytest.mark.parametrize("marks", ["..", ". . ", "– ", "-", "· ", "•\u00a0", "> ", "\u00a0\u00a0– "])
def test_dots_and_dashes_before_labels_are_indentation(tmp_path: Path, marks: str) -> None:
    text = (
        REGIONS.replace("  A", f"{marks}A").replace("  P", f"{marks}P").format(marks + marks) + "Total,35,46,81\n- not available\n"
    )
    made = read_tables([written(tmp_path, text)])
    total = crosstab("Area", "*", "Sex", "Male; Female; *", "35 46 81")
    assert became(made.release) == regions("12 10 22", "8 15 23", "5 6 11") | total
    assert "signs before labels are read as indentation" in made.said[0]


def test_signs_stay_where_they_are_no_indentation(tmp_path: Path) -> None:
    """Bullets before every label, and numbers with a sign: the file's text is kept character for character."""
    bullets = read_tables([written(tmp_path, "Area,Male,Female\n- North,3,4\n- South,5,7\n")]).release
    assert bullets.domain.column("Area").codes == ("- North", "- South")
    signed = read_tables([written(tmp_path, "Score,Male,Female\n0,3,4\n-5,5,7\n.5,1,2\n")]).release
    assert signed.domain.column("Score").codes[-2:] == ("-5", ".5")


def test_the_layout_says_so_and_is_taken_back(tmp_path: Path) -> None:
    path = written(tmp_path, REGIONS.format("    "))
    made = read_tables([path])
    groups = 'groups = {"Area" = {"North" = ["Ambridge", "Penny Hassett"], "Penny Hassett" = ["Ridge", "Foot"]}}'
    assert groups in made.layout
    again = read_tables([path], layout=read_layout(written(tmp_path, made.layout, "layout.toml")))
    assert became(again.release) == became(made.release)
    flat = '[[table]]\nname = "t"\ngroups = {"Area" = {}}\n'
    release = read_tables([path], layout=read_layout(written(tmp_path, flat, "flat.toml"))).release
    assert len(release.domain.column("Area").codes) == 6
    with pytest.raises(InputError, match=r"groups: .* was found; write groups"):
        read_layout(written(tmp_path, flat.replace("{}", "[1]"), "wrong.toml"))
    typo = read_layout(written(tmp_path, flat.replace("{}", '{"North" = ["Ambrige"]}'), "typo.toml"))
    with pytest.raises(InputError, match=r"groups: 'Ambrige' is not a label of Area .* did you mean 'Ambridge'"):
        read_tables([path], layout=typo)


def test_indented_rows_that_do_not_add_up_are_not_taken(tmp_path: Path) -> None:
    text = REGIONS.format("    ").replace("Ambridge,10,15,25", "Ambridge,11,15,26")
    done = run("import", written(tmp_path, text), "--out", tmp_path / "r")
    assert (done.status, len(done.problems)) == (2, 2)
    assert "the rows indented below 'North' do not add up to it; " in done.err
    assert "row 2, column B: 30 is shown as the total of 11 + 20" in done.err
    assert 'say so in a layout file: groups = {"Area" = {}}' in done.err


def test_blanks_that_mean_nothing(tmp_path: Path) -> None:
    """Labels that are moved to the right, or spans that say by themselves what they hold."""
    towns = "Town,Male,Female\nTotal,6,7\n  Ambridge,4,6\n  Darrington,2,1\n"
    expected = crosstab("Town", "*; Ambridge; Darrington", "Sex", "Male; Female", "6 7 / 4 6 / 2 1")
    assert became(read_tables([written(tmp_path, towns)]).release) == expected
    ages = "Age,Male,Female\n  0-9,4,6\n    10-19,2,1\n20+,3,3\n"
    expected = crosstab("Age", "0-9; 10-19; 20+", "Sex", "Male; Female", "4 6 / 2 1 / 3 3")
    assert became(read_tables([written(tmp_path, ages)]).release) == expected


def test_a_workbook_indents_by_its_format(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    sheet = book.worksheets[0]
    rows: list[tuple[int, list[Any]]] = [
        (0, ["Area", "Male", "Female", "Total"]),
        (0, ["North", 30, 40, 70]),
        (1, ["Ambridge", 10, 15, 25]),
        (1, ["Penny Hassett", 20, 25, 45]),
        (2, ["Ridge", 12, 10, 22]),
        (2, ["Foot", 8, 15, 23]),
        (0, ["South", 5, 6, 11]),
    ]
    for row, (depth, cells) in enumerate(rows, start=1):
        sheet.append(cells)
        sheet.cell(row, 1).alignment = Alignment(indent=depth)
    book.save(tmp_path / "t.xlsx")
    assert became(read_tables([tmp_path / "t.xlsx"]).release) == regions("12 10 22", "8 15 23", "5 6 11")


HEADED = "Patients,Ill,Well\nSex,,\n Male,3,5\n Female,4,6\nAge,,\n Young,{},7\n Old,5,4\n"


def test_headings_over_rows_of_two_variables_are_a_question(tmp_path: Path) -> None:
    path = written(tmp_path, HEADED.format(2))
    done = run("import", path, "--out", tmp_path / "r")
    assert (done.status, len(done.problems)) == (2, 1)
    assert "two readings fit: 'Sex', 'Age' are values of several variables that count the same people; take the rows" in done.err
    assert 'body = "3-4" rows = ["Sex"] or [[table]] name = "t" sections = "" exclusive = ["Patients"]' in done.err
    layout = written(tmp_path, '[[table]]\nname = "t"\nsections = ""\nexclusive = ["Patients"]\n', "layout.toml")
    one = crosstab("Patients", "Male; Female; Young; Old", "t columns", "Ill; Well", "3 5 / 4 6 / 2 7 / 5 4")
    assert became(read_tables([path], layout=read_layout(layout)).release) == one
    # some ages may not be known: numbers that differ do not make one variable of two
    assert "are values of several variables" in run("import", written(tmp_path, HEADED.format(9)), "--out", tmp_path / "r").err
    towns = HEADED.replace("Sex", "North").replace("Age", "South").replace("Female", "Penny").replace("Male", "Ambridge")
    differ = crosstab("Patients", "Ambridge; Penny; Young; Old", "t columns", "Ill; Well", "3 5 / 4 6 / 9 7 / 5 4")
    assert became(read_tables([written(tmp_path, towns.format(9))]).release) == differ


def test_two_variables_below_each_other_as_two_tables_of_a_layout(tmp_path: Path) -> None:
    for rows in (
        "Sex,,\nMale,3,5\nFemale,4,6\nAge,,\n0-17,2,7\n18+,5,4\n",
        "Male,3,5\nFemale,4,6\n0-17,2,7\n18+,5,4\nTotal,7,11\n",
    ):
        path = written(tmp_path, "Patients,Ill,Well\n" + rows)
        done = run("import", path, "--out", tmp_path / "r")
        assert done.status == 2
        assert "variables that count the same people" in done.problems[0]
        bodies = ("3-4", "6-7") if rows.startswith("Sex") else ("2-3", "4-5")
        each = [
            f'[[table]]\nname = "{name}"\nheader = "1"\nbody = "{body}"\n'
            f'labels = ["A"]\nnumbers = ["B", "C"]\nrows = ["{variable}"]\n'
            for name, body, variable in zip(("t", "t-2"), bodies, ("Sex", "Age"), strict=True)
        ]
        state = '[variables."t columns"]\nsame = ["t-2 columns"]\n'
        layout = read_layout(written(tmp_path, "".join(each) + state, "layout.toml"))
        sex = crosstab("Sex", "Male; Female", "t columns", "Ill; Well", "3 5 / 4 6")
        age = crosstab("Age", "0-17; 18+", "t columns", "Ill; Well", "2 7 / 5 4")
        assert became(read_tables([path], layout=layout).release) == sex | age


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        (
            "c.json",
            '{"class": "collection", "version": "2.0", "link": {"item": [{"class": "dataset", "href": "https://example.org/a"}]}}',
            "dataset 1 of the collection is not in the file, only its address 'https://example.org/a'; nothing is loaded from"
            " elsewhere: save that dataset as a file, and give it instead",
        ),
        (
            "e.json",
            '{"class": "collection", "version": "2.0", "link": {"item": []}}',
            "is a JSON-stat collection without datasets; save the table itself",
        ),
        (
            "k.px",
            'STUB="age";\nHEADING="sex";\nVALUES("age")="0-17","18+";\nVALUES("sex")="F","M";\nKEYS("age")=VALUES;\n'
            'DATA=\n"18+",3,4\n"65+",1,2;\n',
            "row 2 of DATA: '65+' is not a value of age; expected 1 keys and 2 numbers; save it again",
        ),
        (
            "twice.px",
            'STUB="age";\nHEADING="sex";\nVALUES("age")="0-17","18+";\nVALUES("sex")="F","M";\nKEYS("age")=VALUES;\n'
            'DATA=\n"18+",3,4\n"18+",1,2;\n',
            "row 2 of DATA: 18+ stands there twice; save the table again",
        ),
        (
            "measures.px",
            'STUB="age";\nHEADING="unit";\nVALUES("age")="0-17","18+";\nVALUES("unit")="number","per cent";\nDATA=\n5 50\n5 50;\n',
            "two readings fit: several things are measured, and 'number' counts records; or leave this"
            ' table out. Say which in the layout file: [[table]] name = "measures" measure = "number" or [[table]] name ='
            ' "measures"'
            " leave_out = true",
        ),
    ],
)
def test_formats_that_are_refused_in_a_line(tmp_path: Path, name: str, text: str, problem: str) -> None:
    path = written(tmp_path, text, name)
    done = run("import", path, "--out", tmp_path / "r")
    about = ", table measures, variable unit" if name == "measures.px" else ""
    assert (done.status, done.problems) == (2, [f"error: {path}{about}: {problem}"])
