"""The layout file: whatever it says is followed or refused, nothing is passed over."""

from __future__ import annotations

from pathlib import Path

import pytest

from foregone.model.errors import InputError
from foregone.tables.importing import read_tables
from foregone.tables.layout_file import read_layout
from tests.cli.commands import run
from tests.tables.tabulated import FILES, Expected, answers, became, crosstab, listed
from tests.tables.test_files import CASES

SMOKERS = "Age,Smoker,Ratio,Non-smoker,Total\n0-24,3,30,7,10\n25+,4,20,16,20\nAll ages,7,23,23,30\n"


def read(folder: Path, text: str, layout: str, name: str = "t.csv") -> Expected:
    (folder / name).write_text(text, "utf-8")
    (folder / "layout.toml").write_text(layout, "utf-8")
    return became(read_tables([folder / name], layout=read_layout(folder / "layout.toml")).release)


def _without_remarks(layout: str) -> list[str]:
    return [line.partition("#")[0].rstrip() for line in layout.splitlines() if not line.startswith("#")]


@pytest.mark.parametrize("what", CASES)
def test_every_layout_is_taken_back(tmp_path: Path, what: str) -> None:
    names, tokens, expected = CASES[what]
    files = [FILES / name for name in names]
    made = read_tables(files, tokens=tokens, layout=answers(*names))
    (tmp_path / "layout.toml").write_text(made.layout, "utf-8")
    again = read_tables(files, layout=read_layout(tmp_path / "layout.toml"))
    assert became(again.release) == expected
    assert _without_remarks(again.layout) == _without_remarks(made.layout)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('groups = {"Tovn" = {"A" = ["B"]}}', "layout, table county, groups: there is no variable 'Tovn' in it (Town)"),
        ('groups = {"Town" = {"A" = ["Ambridge"]}}', "layout, table county, groups: 'A' is not a label of Town"),
        ('totals = {"Sex" = ["Total"]}', "layout, table county, totals: there is no variable 'Sex' in it (Town)"),
        ('totals = {"Town" = ["Countie"]}', "layout, table county, totals: 'Countie' is not a label of Town"),
        ('percent_within = ["Age"]', "layout, table county, percent_within: there is no variable 'Age' in it (Town)"),
        ('rows = ["Town", "Sex"]', "layout, table county, rows: 2 names for 1 variables ("),
        ('columns = ["Sex"]', "layout, table county, columns: 1 names for 0 variables"),
        ('leave_out = "yes"', "layout.toml, table county, leave_out: 'yes' was found; write true or false"),
        ("labels = []", "layout, table county, labels: nothing is named; name a column"),
        ('labels = ["B"]', "layout, table county: a column cannot be in labels and in numbers; correct the layout"),
        ('body = "2-99"', "county.csv has 5 rows and 2 columns; correct the layout"),
        ('file = "other.csv"', "county.csv, but the layout says 'other.csv'"),
    ],
)
def test_a_name_that_nothing_bears_is_an_error(tmp_path: Path, text: str, problem: str) -> None:
    layout = tmp_path / "layout.toml"
    layout.write_text(f'[[table]]\nname = "county"\n{text}\n', "utf-8")
    done = run("import", FILES / "county.csv", "--out", tmp_path / "r", "--layout", layout)
    assert (done.status, len(done.problems)) == (2, 1), done.err
    assert problem in done.err


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('[variables."Twon"]\nsame = []', "layout, variables: no table has a variable 'Twon' (Town); did you mean 'Town'?"),
        ('[variables."Town"]\nsame = ["City"]', "layout, variables.Town, same: no table has a variable 'City' (Town)"),
        ('[variables."Town"]\nsame = "City"', "layout.toml, variables.Town, same: 'City' is not a list of names"),
        ('[variables."Town"]\ngroups = ["City"]', "layout.toml, variables.Town, groups: ['City'] was found"),
    ],
)
def test_variables_that_are_not_there(tmp_path: Path, text: str, problem: str) -> None:
    layout = tmp_path / "layout.toml"
    layout.write_text(text + "\n", "utf-8")
    done = run("import", FILES / "county.csv", "--out", tmp_path / "r", "--layout", layout)
    assert (done.status, len(done.problems)) == (2, 1), done.err
    assert problem in done.err


def test_a_single_key_is_followed(tmp_path: Path) -> None:
    """What a layout file says about rows or columns holds, also where it says nothing else."""
    rows = read(tmp_path, SMOKERS, '[[table]]\nname = "t"\nbody = "2-3"\npercents = ["C"]\n')
    assert "t columns=Smoker" not in rows
    assert rows["Age=0-24"] == "10"
    counted = read(tmp_path, SMOKERS, '[[table]]\nname = "t"\nnumbers = ["B", "D"]\n')
    assert counted == crosstab("Age", "0-24; 25+; *", "t columns", "Smoker; Non-smoker", "3 7 / 4 16 / 7 23")


def test_percentages_that_only_the_layout_knows(tmp_path: Path) -> None:
    found = read(tmp_path, SMOKERS.replace("Ratio", ""), '[[table]]\nname = "t"\nnumbers = ["B", "D", "E"]\npercents = ["C"]\n')
    percents = {key: value for key, value in found.items() if key.startswith("percent")}
    assert percents == listed(
        """
        percent of t.E2: Age=0-24, t columns=Smoker: 30
        percent of t.E3: Age=25+, t columns=Smoker: 20
        percent of t.E4: t columns=Smoker: 23
        """
    )


def test_a_table_that_is_not_found_must_be_described_whole(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="to describe it give header, labels, numbers, too"):
        read(tmp_path, SMOKERS, '[[table]]\nname = "t-2"\nbody = "2-3"\n')


def test_groups_for_a_format_that_has_none(tmp_path: Path) -> None:
    px = 'STUB="area";\nVALUES("area")="North","A","B","South";\nDATA=\n7 3 4 5;\n'
    found = read(tmp_path, px, '[[table]]\nname = "t"\ngroups = {"area" = {"North" = ["A", "B"]}}\n', "t.px")
    assert found == listed("area=A|B: 7\narea=A: 3\narea=B: 4\narea=South: 5")
    with pytest.raises(InputError, match="table t, body: a PC-Axis file says this itself; remove the key"):
        read(tmp_path, px, '[[table]]\nname = "t"\nbody = "2"\n', "t.px")


MEASURES = "Borough,Cases,Hospitalised,Deaths\nA,100,20,3\nB,150,30,6\nC,80,11,2\n"


def test_the_line_that_a_question_prints_can_be_pasted_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(MEASURES, "utf-8")
    asked = run("import", tmp_path / "t.csv", "--out", tmp_path / "R")
    printed = asked.err.partition("Say which in the layout file: ")[2].splitlines()[0]
    one, other = printed.split(" or [[table]]")
    for line, numbers in ((one, 3), (f"[[table]]{other}", 9)):
        assert len(read(tmp_path, MEASURES, line)) == numbers, line


def test_what_is_said_of_a_table_twice_adds_up(tmp_path: Path) -> None:
    once = '[[table]] name = "t" measure = "Cases" rows = ["a measure = b"]\n'
    said = read(tmp_path, MEASURES, once + '[[table]] name = "t" columns = []\n')
    assert said == read(tmp_path, MEASURES, '[[table]]\nname = "t"\nmeasure = "Cases"\nrows = ["a measure = b"]\ncolumns = []\n')
    assert len(said) == 3


def test_rows_and_columns_of_a_table_that_is_asked_about_are_explained(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(MEASURES, "utf-8")
    told = run("import", "--explain", tmp_path / "t.csv")
    assert told.status == 2
    assert "rows 1: headings" in told.out
    assert "columns B (Cases), C (Hospitalised), D (Deaths): numbers" in told.out
