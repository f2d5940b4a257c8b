"""Shapes that tables come in, with made-up numbers: each is read right, or asks, and every answer it prints leads on."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import openpyxl
import pytest

from foregone.model.errors import InputError
from foregone.tables.importing import Imported, NotImported, read_tables
from foregone.tables.layout_file import GivenLayout, read_layout, with_choice
from foregone.tables.reading.question import Reads, Speaks, TableQuestion
from foregone.tables.reading.sentences import choice_lines
from tests.cli.commands import run
from tests.tables.tabulated import became

WEEKS = [f"2021-{month:02d}-{day:02d}" for month in (1, 2, 3) for day in (3, 10, 17, 24)]
NEW = [0, 2, 5, 1, 4, 0, 7, 3, 2, 9, 4, 6]


def by_week(heads: str, *columns: list[int]) -> str:
    rows = (f"{week}," + ",".join(str(column[i]) for column in columns) for i, week in enumerate(WEEKS))
    return f"Week,{heads}\n" + "\n".join(rows) + "\n"


def running(numbers: list[int]) -> list[int]:
    return [sum(numbers[: i + 1]) for i in range(len(numbers))]


PX = 'STUB="region";\nHEADING="sex";\nVALUES("region")={};\nVALUES("sex")="men","women";\n{}DATA=\n{};\n'
TREE = '"Land","North","Ambridge","Darrington","South"'
NUMBERS = "17 25 11 15 4 9 7 6 6 10"

# what is written, and how many numbers and records it must become, with words that must be said about it
READ: dict[str, tuple[str, str, int, str, str]] = {
    "a running sum beside what is new": (
        "t.csv",
        by_week("all_cases,new_cases", running(NEW), NEW),
        12,
        "43 records",
        "column B (all_cases) is left out: it is the running sum of column C (new_cases)",
    ),
    "the only column of numbers, whatever it is called": (
        "t.csv",
        "sex,age,population\nM,0-17,31\nM,18+,72\nF,0-17,29\nF,18+,80\n",
        4,
        "212 records",
        "list of sex x age, 4 numbers",
    ),
    "a total in another language": (
        "t.csv",
        "Alter;Männer;Frauen;Insgesamt\n0-17;12;9;21\n18+;31;44;75\nZusammen;43;53;96\n",
        9,
        "96 records",
        "total row and column",
    ),
    "a total that only its numbers tell, in enough rows": (
        "t.csv",
        "Town,Borsetshire,Ambridge,Darrington\n" + "".join(f"w{i},{7 * i + 5},{4 * i + 2},{3 * i + 3}\n" for i in range(1, 7)),
        18,
        "177 records",
        "total column",
    ),
    "population as a total that adds up": (
        "t.csv",
        "sex,remanded,sentenced,total_population\nM,28,49,77\nF,3,8,11\n",
        6,
        "88 records",
        "total column",
    ),
    "codes of regions beside their names": (
        "t.csv",
        "Region,Region_Id,Sex,Patients\nNorth,4,M,12\nNorth,4,F,9\nSouth,7,M,3\nSouth,7,F,8\n",
        4,
        "32 records",
        "column B (Region_Id) is left out",
    ),
    "a year after row numbers": (
        "t.csv",
        ",year,sex,deaths\n1,2019,M,5\n2,2019,F,7\n3,2020,M,6\n4,2020,F,2\n",
        4,
        "20 records",
        "list of year x sex",
    ),
    "labels repeated under indented regions": (
        "t.csv",
        'Area,Total,Owned,Rented\n"  Land",50,33,17\n"    With garden",30,20,10\n"    Without",20,13,7\n'
        '"   North",35,25,10\n"    With garden",22,16,6\n"    Without",13,9,4\n'
        '"   South",15,8,7\n"    With garden",8,4,4\n"    Without",7,4,3\n',
        27,
        "50 records",
        "Land is made of the rows below it",
    ),
    "estimates and margins of error in a tree of headings": (
        "t.csv",
        "NAME,Estimate!!Total:,Margin of Error!!Total:,Estimate!!Total:!!Male,Margin of Error!!Total:!!Male,"
        "Estimate!!Total:!!Female,Margin of Error!!Total:!!Female\n"
        + "".join(f"Tract {i},{9 * i + 4},{i},{4 * i + 1},{i},{5 * i + 3},{i}\n" for i in range(1, 7)),
        18,
        "213 records",
        "it holds margins of error",
    ),
    "PC-Axis with a hierarchy": (
        "t.px",
        PX.format(
            TREE, 'HIERARCHIES("region")="Land","Land":"North","Land":"South","North":"Ambridge","North":"Darrington";\n', NUMBERS
        ),
        10,
        "42 records",
        "region x sex",
    ),
    "PC-Axis with places told apart by the length of their codes": (
        "t.px",
        PX.format(
            '"00 Land","01 North","0114 Ambridge","0115 Darrington","03 South"', 'ELIMINATION("region")="00 Land";\n', NUMBERS
        ),
        10,
        "42 records",
        "region x sex, totals",
    ),
    "PC-Axis that says it counts what is there": (
        "t.px",
        'STUB="year";\nHEADING="sex";\nVALUES("year")="2019","2020";\nVALUES("sex")="men","women";\n'
        'STOCKFA="S";\nDATA=\n3 4 5 6;\n',
        4,
        "18 records, the same ones counted again for each year",
        "year x sex",
    ),
    "school years and pupils": (
        "t.csv",
        "School year,Girls,Boys\n2019/20,31,29\n2020/21,33,30\n2021/22,30,35\nPupils on roll in October\n",
        6,
        "188 records, the same ones counted again for each School year",
        "School year in rows",
    ),
    "decimal commas beside counts": (
        "t.csv",
        "Stadt;Patienten;Alter im Mittel\nAmbridge;12;43,7\nDarrington;9;51,2\nFelpersham;17;38,9\n",
        3,
        "38 records",
        "column C (Alter im Mittel) is left out: it holds numbers that are not whole",
    ),
    "counts with their percentages in one cell": (
        "t.csv",
        "Smoker,Men,Women\nYes,12 (40.0),9 (25.7)\nNo,18 (60.0),26 (74.3)\nTotal,30 (100.0),35 (100.0)\n",
        10,
        "65 records",
        "Percentages are of the total for each Sex",
    ),
    "headings in several rows with numbers of columns below": (
        "t.csv",
        "Area,Total,Homes by age,,\n,,Before 1946,,After\n,,Stone,Brick,\n,,old,old,new\n1,2,3,4,5\n"
        + "".join(f"w{i},{6 * i + i * i},{2 * i},{4 * i},{i * i}\n" for i in range(1, 7)),
        24,
        "217 records",
        "total column",
    ),
    "a table that goes on below a blank line": (
        "t.csv",
        "Town,Male,Female,Total\nAmbridge,4,6,10\nDarrington,2,1,3\n\nFelpersham,7,9,16\nLoxley,3,3,6\n",
        12,
        "35 records",
        "t: Town in rows",
    ),
    "a table from right to left": (
        "t.csv",
        "Deaths in each year\nWomen,Men,,\n3,4,,2019\n5,1,,2020\n2,2,,2021\n7,3,,2022\n",
        8,
        "27 records",
        "Women/Men in columns",
    ),
}


def written(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, "utf-8")
    return path


@pytest.mark.parametrize("what", READ)
def test_a_shape_is_read(tmp_path: Path, what: str) -> None:
    name, text, numbers, records, said = READ[what]
    made = read_tables([written(tmp_path, name, text)])
    assert (len(made.release.published), made.records) == (numbers, records)
    assert said in " ".join(made.said)


# what is written; the readings in question; words of what follows from the first
ASKED: dict[str, tuple[str, str, list[tuple[Reads, Reads]], str]] = {
    "measures beside each other": (
        "t.csv",
        "Area,Cases,Hospitalised,Deaths\nA,52,9,2\nB,31,4,1\nC,77,12,5\n",
        [(Reads.MEASURES, Reads.ONE_VARIABLE)],
        "160 records",
    ),
    "measures of several places": (
        "t.csv",
        "age,NO_CASE_COUNT,NO_DEATH_COUNT,SO_CASE_COUNT,SO_DEATH_COUNT\n0-17,9,1,7,0\n18-64,31,4,28,6\n65+,22,8,19,7\n",
        [(Reads.MEASURES, Reads.ONE_VARIABLE)],
        "116 records",
    ),
    "first and second doses": (
        "t.csv",
        "Town,First dose,Second dose\nA,204,98\nB,58,41\nC,63,44\nD,89,55\nTotal,414,238\n",
        [(Reads.MEASURES, Reads.ONE_VARIABLE)],
        "414 records",
    ),
    "two counts of deaths that overlap": (
        "t.csv",
        by_week("Deaths within 28 days,Deaths attributable", NEW, [1, 2, 4, 1, 5, 0, 6, 4, 2, 8, 4, 7]),
        [(Reads.MEASURES, Reads.ONE_VARIABLE)],
        "43 records",
    ),
    "years without a word for what is counted": (
        "t.csv",
        "sex,2019,2020,2021\nF,12,9,31\nM,3,14,8\n",
        [(Reads.NEW, Reads.AGAIN)],
        "77 records",
    ),
    "cases that never fall": (
        "t.csv",
        by_week("cases", running([n + 1 for n in NEW])),
        [(Reads.NEW, Reads.AGAIN)],
        "records",
    ),
    "columns that nothing tells to exclude each other": (
        "t.csv",
        "Quarter found,Drugs,Tools,Weapons\nw1,35,6,12\nw2,46,3,15\nw3,39,41,14\n",
        [(Reads.MEASURES, Reads.ONE_VARIABLE)],
        "120 records",
    ),
    "numbers that are all multiples of five": (
        "t.csv",
        "Town,Male,Female\nA,15,20\nB,45,5\nC,30,35\nD,10,60\nE,25,40\n",
        [(Reads.ROUNDED, Reads.EXACT)],
        "265 to 305 records",
    ),
    "races and grades of the same pupils": (
        "t.csv",
        "District,Race A,Race B,Race C,Grade 1,Grade 2\n"
        + "".join(f"d{i},{i + 3},{2 * i},{i * i},{i * i + 1},{3 * i + 2}\n" for i in range(1, 7)),
        [(Reads.TWO_SETS, Reads.TWO_SETS)],
        "172 records",
    ),
    "conditions that somebody can have several of": (
        "t.csv",
        "condition,patients\nasthma,21\ndiabetes,34\nstroke,7\n",
        [(Reads.ROWS, Reads.ONE_VARIABLE)],
        "21 records",
    ),
    "whoever is counted in a city and elsewhere": (
        "t.csv",
        "sex,Deaths\nFemale,37\nMale,41\nCitywide,83\n",
        [(Reads.OPEN_TOTAL, Reads.VALUE)],
        "83 records",
    ),
    "a rate that happens to be whole": (
        "t.csv",
        "area,0-17,18-44,45-64,65+\nA,0,1.5,2.25,3.5\nB,0,2.5,2.75,4.5\nC,0,1.25,1.5,7.5\n",
        [(Reads.LEFT_OUT, Reads.COUNT_AMONG)],
        "",
    ),
    "several measures in a statistical file": (
        "t.px",
        'STUB="age";\nHEADING="what";\nVALUES("age")="0-17","18+";\nVALUES("what")="Arrived","Left";\n'
        'CONTVARIABLE="what";\nDATA=\n5 3 8 9;\n',
        [(Reads.ONE_MEASURE, Reads.LEFT_OUT)],
        "13 records",
    ),
    "numbers in thousands": (
        "t.csv",
        "Deaths (000's)\nYear,Men,Women\n2019,31,12.5\n2020,14,9.5\n",
        [(Reads.IN_UNITS, Reads.AS_SHOWN)],
        "65,900 to 68,100 records",
    ),
    "rows by two variables, one below the other, with one total": (
        "t.csv",
        "pupils,Excluded\nTotal,119\nGender_Female,53\nGender_Male,66\nMeals_Free,24\nMeals_Paid,95\n",
        [(Reads.TWO_VARIABLES, Reads.ONE_VARIABLE)],
        "119 records",
    ),
    "an area twice, as reported and as estimated": (
        "t.csv",
        "State,Area,Thefts\nA,Reported,93\nA,Estimated total,99\nB,Reported,41\nB,Estimated total,44\n",
        [(Reads.ROWS, Reads.ONE_VARIABLE)],
        "143 records",
    ),
}


def questions(path: Path, layout: GivenLayout | None = None) -> tuple[TableQuestion, ...]:
    with pytest.raises(NotImported) as caught:
        read_tables([path], layout=layout)
    return caught.value.questions


def still_asked(path: Path, layout: GivenLayout) -> tuple[TableQuestion, ...]:
    try:
        read_tables([path], layout=layout)
    except NotImported as error:
        return error.questions
    return ()


@pytest.mark.parametrize("what", ASKED)
def test_a_shape_is_asked_about(tmp_path: Path, what: str) -> None:
    name, text, kinds, records = ASKED[what]
    path = written(tmp_path, name, text)
    asked = questions(path)
    assert [question.kind for question in asked][: len(kinds)] == kinds
    layout = GivenLayout()
    for question in asked:
        layout = with_choice(layout, question.table, question.choices[0])
    if records:
        assert records in read_tables([path], layout=layout).records


@pytest.mark.parametrize("what", ASKED)
def test_every_line_that_is_printed_is_taken_and_leads_on(tmp_path: Path, what: str) -> None:
    """Whichever answer is pasted into the layout that a failed import leaves, that question is not asked again."""
    name, text, _, _ = ASKED[what]
    path = written(tmp_path, name, text)
    for i in range(2):
        out = tmp_path / f"r{i}"
        done = run("import", path, "--out", out)
        assert done.status == 2
        first = questions(path)[0]
        kept = out.with_name(f"{out.name}.layout.toml")
        lines = kept.read_text("utf-8").splitlines()
        pasted = choice_lines(first.choices[i])
        assert all(f"#{line}" in lines for line in pasted)
        begins = lines.index(f"#{pasted[0]}")  # the same line may stand below another answer
        for line in pasted:
            lines[lines.index(f"#{line}", begins)] = line
        kept.write_text("\n".join(lines), "utf-8")
        assert first not in still_asked(path, read_layout(kept))


def test_yes_answers_only_what_something_speaks_for(tmp_path: Path) -> None:
    doses = written(tmp_path, "t.csv", ASKED["first and second doses"][1])
    done = run("import", doses, "--out", tmp_path / "r", "--yes")
    assert done.status == 0
    assert "Answered: " in done.out
    assert "'Second dose' is never more than 'First dose' in 5 lines" in done.out
    years = written(tmp_path, "t.csv", ASKED["years without a word for what is counted"][1])
    assert run("import", years, "--out", tmp_path / "s", "--yes").status == 2


def test_three_questions_and_a_summary(tmp_path: Path) -> None:
    """One question for each file and kind; what is asked again is named."""
    for i in range(5):
        written(tmp_path, f"t{i}.csv", ASKED["measures beside each other"][1])
    done = run("import", *(tmp_path / f"t{i}.csv" for i in range(5)), "--out", tmp_path / "r")
    assert len(done.problems) == 4
    assert done.problems[-1] == "error: 2 more questions, all in the layout file"


def test_explain_shows_how_each_row_and_column_is_read(tmp_path: Path) -> None:
    path = written(tmp_path, "t.csv", READ["a running sum beside what is new"][1])
    done = run("import", path, "--explain")
    assert done.status == 0
    assert "rows 2-13: numbers" in done.out
    assert "columns C (new_cases): counts" in done.out
    assert "each Week counts new records: the words 'cases', 'new'" in done.out
    assert list(tmp_path.iterdir()) == [path]
    assert run("import", path).status == 2


def test_a_column_that_shows_nothing_but_a_token_is_one_of_numbers(tmp_path: Path) -> None:
    text = "Town,Male,Female,Other\nAmbridge,4,6,c\nDarrington,2,1,c\n"
    made = read_tables([written(tmp_path, "t.csv", text)], tokens=["c=0..3"])
    assert became(made.release)["Sex=Other, Town=Ambridge"] == "0 to 3"
    with pytest.raises(InputError, match="`tokens` 'x': is not used: it stands nowhere in these files"):
        read_tables([written(tmp_path, "t.csv", text)], tokens=["c=0..3", "x=0..3"])


REFUSED = {
    "an amount": (
        "t.csv",
        "Quarter,Gross Domestic Product\n2019Q1,310\n2019Q2,322\n",
        "it is an amount (gross domestic) and counts no records",
    ),
    "a total that fails in one row": (
        "t.csv",
        "Town,Male,Female,Total\n" + "".join(f"w{i},{i + 1},{2 * i},{3 * i + 1 - 2 * (i == 4)}\n" for i in range(1, 8)),
        "the total adds up in 6 of 7 lines, but not in row 5",
    ),
    "labels twice, and a gap": (
        "t.csv",
        "Year,Age,Deaths\n2019,0-17,3\n2019,18+,9\n2020,0-17,4\n2019,18+,8\n",
        "two cells have the same labels: t.csv, row 3, column C and t.csv, row 5, column C (and none has 2020, 18+)",
    ),
    "no headings": ("t.csv", "age,==1,31 (40.1),12 (30.0)\nage,==2,46 (59.9),28 (70.0)\n", "type a line of headings above"),
    "more in a part than in the whole": (
        "t.px",
        PX.format('"00 Land","01 North"', 'ELIMINATION("region")="00 Land";\n', "5 6 7 8"),
        "the file calls '00 Land' the total of region, but",
    ),
    "shares in a statistical file": (
        "t.json",
        '{"class": "dataset", "label": "Unemployment rate", "id": ["age"], "size": [2], "dimension": {"age": {"category": {"index":'
        ' ["0-17", "18+"]}}}, "value": [6, 7]}',
        "its numbers count no records ('Unemployment rate' says 'unemployment rate')",
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_a_shape_is_refused_with_place_reason_and_next_step(tmp_path: Path, what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    name, text, said = REFUSED[what]
    written(tmp_path, name, text)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(NotImported) as caught:
        read_tables([name])
    assert said in str(caught.value)
    assert name in caught.value.problems[0]


def test_dates_of_a_workbook_are_labels(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    rows: list[list[Any]] = [["Day", "Deaths"], [date(2021, 3, 1), 4], [date(2021, 3, 2), 6], [date(2021, 3, 3), 1]]
    for row in rows:
        book.worksheets[0].append(row)
    book.save(tmp_path / "t.xlsx")
    assert became(read_tables([tmp_path / "t.xlsx"]).release) == {
        "Day=2021-03-01": "4",
        "Day=2021-03-02": "6",
        "Day=2021-03-03": "1",
    }


def opendocument(path: Path, rows: list[list[str | int]]) -> Path:
    """A spreadsheet of OpenDocument, as small as it can be."""

    def cell(value: str | int) -> str:
        kind = f'office:value-type="float" office:value="{value}"' if isinstance(value, int) else 'office:value-type="string"'
        return f"<table:table-cell {kind}><text:p>{value}</text:p></table:table-cell>"

    lines = "".join(f"<table:table-row>{''.join(map(cell, row))}</table:table-row>" for row in rows)
    names = "".join(f' xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"' for name in ("office", "table", "text"))
    body = f'<office:body><office:spreadsheet><table:table table:name="S">{lines}</table:table></office:spreadsheet></office:body>'
    with ZipFile(path, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr(
            "content.xml", f'<?xml version="1.0" encoding="UTF-8"?><office:document-content{names}>{body}</office:document-content>'
        )
        archive.writestr(
            "META-INF/manifest.xml",
            '<?xml version="1.0"?><manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"/>',
        )
    return path


def test_opendocument_is_read(tmp_path: Path) -> None:
    made = read_tables([opendocument(tmp_path / "t.ods", [["Town", "Male", "Female"], ["Ambridge", 4, 6], ["Darrington", 2, 1]])])
    assert became(made.release)["Sex=Female, Town=Ambridge"] == "6"
    with pytest.raises(InputError, match="is not a workbook that can be read"):
        read_tables([written(tmp_path, "bad.ods", "no zip")])


def test_the_page_and_every_answer_say_how_many_records_were_understood(tmp_path: Path) -> None:
    path = written(tmp_path, "t.csv", READ["school years and pupils"][1])
    done = run("import", path, "--out", tmp_path / "r", "--record", "pupil")
    assert (
        "Together 188 pupils, the same ones counted again for each School year; if these numbers do not count pupils, stop here."
        in done.out
    )
    said = "the numbers count pupils, together 188 pupils, the same ones counted again for each School year\n"
    assert (tmp_path / "r" / "assumptions.txt").read_text() == said


def test_a_clue_is_data(tmp_path: Path) -> None:
    """What the workbench shows as buttons: readings, clues and settings, without a sentence."""
    (question,) = questions(written(tmp_path, "t.csv", ASKED["first and second doses"][1]))
    apart, together = question.choices
    assert [clue.kind for clue in apart.clues] == [Speaks.CONTAINED]
    assert apart.settings == {"measure": "First dose"}
    assert together.settings == {"exclusive": ["t columns"]}
    assert together.clues == ()
    assert question.sure is apart


def test_layout_of_a_release_is_taken_back(tmp_path: Path) -> None:
    """What was answered is in layout.toml of the release, too."""
    path = written(tmp_path, "t.csv", ASKED["columns that nothing tells to exclude each other"][1])
    layout = GivenLayout(tables={"t": {"exclusive": ["t columns"]}})
    made: Imported = read_tables([path], layout=layout)
    again: Mapping[str, Any] = read_layout(written(tmp_path, "layout.toml", made.layout)).tables["t"]
    assert again["exclusive"] == ["t columns"]
    assert became(read_tables([path], layout=read_layout(tmp_path / "layout.toml")).release) == became(made.release)


STATS = '''"Population by Age and Sex (Annual-Jun)"
" ","Male"," ","Female"," "
" ","0-14 Years","15 Years and Over","0-14 Years","15 Years and Over"
"2020",480,1980,455,2040
"2021",483,2001,458,2060
"2022",485,2010,460,2080
"Table information:"
"Units:"
"Number, Magnitude = Units"
'''
TOLD = '''"Sex"

"Population :","All usual residents"
"Units      :","Persons"
"date       :","2021"

"ward","mnemonic","Total","Female","Male"
"Abbey","E05000026","1310","655","655"
"Alibon","E05000027","1048","541","507"
"Becontree","E05000028","1256","640","616"
'''
LEVELS = """time_period,geographic_level,region_name,sex,pupils
202223,National,,Total,300
202223,National,,Female,141
202223,National,,Male,159
202223,Regional,North,Total,100
202223,Regional,North,Female,46
202223,Regional,North,Male,54
202223,Regional,South,Total,200
202223,Regional,South,Female,95
202223,Regional,South,Male,105
"""


def test_counts_that_look_like_years_are_counts(tmp_path: Path) -> None:
    imported = read_tables([written(tmp_path, "t.csv", STATS)])
    assert len(imported.release.statistics) == 12
    assert "14,992" in imported.records


def test_lines_that_tell_about_a_table_are_no_table(tmp_path: Path) -> None:
    imported = read_tables([written(tmp_path, "t.csv", TOLD)])
    assert len(imported.release.statistics) == 9
    assert "3,614" in imported.records


def test_variables_that_a_list_names_are_different_ones(tmp_path: Path) -> None:
    """Codes such as ==2 mean something else for each of them."""
    text = "variable,level,men,women\nbmi,==1,31,12\nbmi,==2,40,8\nsmoking,==1,60,11\nsmoking,==2,11,9\n"
    made = read_tables([written(tmp_path, "t.csv", text)])
    assert [*made.release.domain.names] == ["bmi", "Sex", "smoking"]
    assert made.records == "91 records"


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Region,Town,Male,Female\nNorth,Ambridge,,\nNorth,Darrington,3,4\nSouth,Felpersham,5,6\n", ("Region", "Town", "Sex")),
        ("Town,Male,Male,Female,Female\n,yes,no,yes,no\nAmbridge,,,,\nX,1,2,3,4\nY,5,6,7,8\n", ("Town", "Sex", "t columns")),
        ("sex,F,M\nage,,\n0-17,12,14\n18+,31,28\n", ("age", "sex")),
    ],
)
def test_a_row_without_numbers_is_no_row_of_names(tmp_path: Path, text: str, names: tuple[str, ...]) -> None:
    """Below names of all columns it is a row whose numbers are missing; below the name of the columns alone it names the rows."""
    assert read_tables([written(tmp_path, "t.csv", text)]).release.domain.names == names


def test_what_a_spreadsheet_hides_is_named(tmp_path: Path) -> None:
    """Whoever has the file has hidden rows and columns, and numbers under a format that shows something else."""
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    for row in (["Town", "Male", "Female"], ["A", 3, 14], ["B", 22, 4], ["C", 31, 2], ["D", 9, 8]):
        sheet.append(row)
    for cells in sheet["B2:C5"]:
        for cell in cells:
            cell.number_format = '[<5]"<5";0'
    sheet.row_dimensions[4].hidden = True
    sheet.column_dimensions["C"].hidden = True
    book.save(tmp_path / "t.xlsx")
    made = read_tables([tmp_path / "t.xlsx"])
    assert "hidden row 4 is read, too, hidden column C is read, too" in made.said[0]
    assert "B2, C3, C4 show '<5' over a number, and the number is read" in made.said[0]
    assert made.records == "93 records"


def test_sheets_of_the_same_shape_are_asked_about(tmp_path: Path) -> None:
    """A sheet for men and one for women count other people, even where stars let their numbers fit."""
    book = openpyxl.Workbook()
    for name, rows in {"Men": [["A", 3, 14], ["B", "*", 4]], "Women": [["A", 5, "*"], ["B", 20, 9]]}.items():
        sheet = book.create_sheet(name)
        for row in (["Town", "0-17", "18+"], *rows):
            sheet.append(row)
    del book["Sheet"]
    book.save(tmp_path / "t.xlsx")
    asked = questions(tmp_path / "t.xlsx")
    assert [question.kind for question in asked] == [(Reads.OTHER_RECORDS, Reads.LEFT_OUT)] * 2
    given = GivenLayout()
    for question in asked:
        given = with_choice(given, question.table, question.choices[0])
    made = read_tables([tmp_path / "t.xlsx"], layout=given, tokens=["*=1..30"])
    assert made.records == "57 to 115 records"
    assert "Sex" in made.release.domain.names
    (tmp_path / "l.toml").write_text(made.layout, "utf-8")
    assert read_tables([tmp_path / "t.xlsx"], layout=read_layout(tmp_path / "l.toml")).release.statistics == made.release.statistics


def test_some_values_of_a_statistical_file_are_taken(tmp_path: Path) -> None:
    """A total that misses its parts for one region: the line that leaves the region out is printed, and leads on."""
    text = PX.format('"North","South","West"', 'ELIMINATION("sex")="all";\n', "3 4 7 5 6 11 9 9 12").replace(
        '"men","women"', '"men","women","all"'
    )
    path = written(tmp_path, "t.px", text)
    with pytest.raises(NotImported) as caught:
        read_tables([path])
    assert "this is so for 'West' alone" in str(caught.value)
    assert 'only = {"region" = ["North", "South"]}' in str(caught.value)
    (tmp_path / "l.toml").write_text('[[table]]\nname = "t"\nonly = {"region" = ["North", "South"]}', "utf-8")
    made = read_tables([path], layout=read_layout(tmp_path / "l.toml"))
    assert made.records == "18 records"
    (tmp_path / "l.toml").write_text(made.layout, "utf-8")
    assert read_tables([path], layout=read_layout(tmp_path / "l.toml")).release.statistics == made.release.statistics


def test_levels_of_geography_count_the_same_people_again(tmp_path: Path) -> None:
    """A country beside its regions: asked, and either level alone is right."""
    path = written(tmp_path, "t.csv", LEVELS)
    (asked,) = questions(path)
    assert "geographic_level" in asked.place
    for level in ("National", "Regional"):
        (tmp_path / "l.toml").write_text(f'[[table]] name = "t" only = {{"geographic_level" = ["{level}"]}}', "utf-8")
        assert read_tables([path], layout=read_layout(tmp_path / "l.toml")).records == "300 records"
