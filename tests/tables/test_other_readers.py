"""Files that other programs read too: PC-Axis by pyaxis, and SDMX-CSV, JSON-stat and long CSV of one table agree."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from foregone.formats.folder import read_release
from foregone.model.errors import InputError
from foregone.tables.importing import NotImported, read_tables
from tests.cli.commands import run
from tests.tables.tabulated import became

PX = """\
CHARSET="ANSI";
AXIS-VERSION="2010";
LANGUAGE="en";
TITLE="Patients by town, sex and age";
UNITS="persons";
DECIMALS=0;
STUB="town","sex";
HEADING="age";
VALUES("town")="Ambridge","Darrington";
VALUES("sex")="F","M";
VALUES("age")="0-17","18-64","65+";
DATA=
3 14 5
4 11 6
0 7 2
1 9 8;
"""
NUMBERS = [3, 14, 5, 4, 11, 6, 0, 7, 2, 1, 9, 8]
CELLS = [(town, sex, age) for town in ("Ambridge", "Darrington") for sex in "FM" for age in ("0-17", "18-64", "65+")]


def test_pc_axis_as_pyaxis_reads_it(tmp_path: Path) -> None:
    pyaxis = pytest.importorskip("pyaxis.pyaxis")
    path = tmp_path / "t.px"
    path.write_text(PX, "latin-1")
    theirs = pyaxis.parse(str(path), encoding="latin-1")["DATA"]
    expected = {f"age={row.age}, sex={row.sex}, town={row.town}": str(row.DATA) for row in theirs.itertuples()}
    assert len(expected) == 12
    assert became(read_tables([path]).release) == expected


def test_one_table_in_four_formats(tmp_path: Path) -> None:
    (tmp_path / "px.px").write_text(PX, "latin-1")
    lines = [f"{town},{sex},{age},{n}" for (town, sex, age), n in zip(CELLS, NUMBERS, strict=True)]
    (tmp_path / "long.csv").write_text("town,sex,age,n\n" + "\n".join(lines) + "\n")
    (tmp_path / "sdmx.csv").write_text("DATAFLOW,town,sex,age,OBS_VALUE\n" + "\n".join(f"A:B(1.0),{line}" for line in lines) + "\n")
    dimensions = {"town": ["Ambridge", "Darrington"], "sex": ["F", "M"], "age": ["0-17", "18-64", "65+"]}
    content = {
        "version": "2.0",
        "class": "dataset",
        "id": list(dimensions),
        "size": [2, 2, 3],
        "dimension": {name: {"category": {"index": codes}} for name, codes in dimensions.items()},
        "value": NUMBERS,
    }
    (tmp_path / "stat.json").write_text(json.dumps(content))
    expected = {f"age={age}, sex={sex}, town={town}": str(n) for (town, sex, age), n in zip(CELLS, NUMBERS, strict=True)}
    for name in ("px.px", "long.csv", "sdmx.csv", "stat.json"):
        assert became(read_tables([tmp_path / name]).release) == expected, name
    together = tmp_path / "together"
    assert run("import", *(tmp_path / name for name in ("px.px", "long.csv", "stat.json")), "--out", together).status == 0
    assert became(read_release(together)) == expected


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("t.px", PX.replace("3 14 5\n", "3 14\n"), "has 11 numbers for 12 cells"),
        ("t.px", PX.replace('VALUES("sex")="F","M";\n', ""), 'has no VALUES("sex")'),
        ("t.px", PX[: PX.index("DATA")], "has no DATA"),
        ("t.px", "nonsense", "row 1: 'nonsense' is not a PC-Axis keyword"),
        ("t.json", "{}", "is not a JSON-stat dataset"),
        ("t.json", '{"id": ["a"], "size": [1], "dimension": {}, "value": []}', "dimension 'a' has no category"),
        ("t.tab", '"a",1\n', "there is no such file; tau-Argus describes the columns of t.tab there"),
        ("t.xls", "", "is not a workbook that can be read"),
        ("t.csv", "", "the file is empty"),
        ("t.csv", "kind,n\nm,3\nM,4\n", "the labels 'm' and 'M' of kind differ in case or dash alone; rename one"),
        ("t.csv", 'a,b\n"x,1\n', "row 2: not valid CSV"),
    ],
)
def test_bad_files_of_each_format(tmp_path: Path, name: str, text: str, problem: str) -> None:
    (tmp_path / name).write_text(text)
    done = run("import", tmp_path / name, "--out", tmp_path / "r")
    assert (done.status, len(done.problems)) == (2, 1), done.err
    assert problem in done.err
    assert str(tmp_path / name)[:-3] in done.err


REGIONS = (
    'STUB="region";\nHEADING="sex";\nVALUES("region")="Land","North","Ambridge","Darrington","South","Felpersham","Loxley";\n'
    'CODES("region")="L","N1","a","d","S1","f","x";\nVALUES("sex")="men","women";\nDOMAIN("region")="Places 2020";\n'
    'CONTENTS="Population";\nDATA=\n17 25 11 15 4 9 7 6 6 10 2 3 4 7;\n'
)
VALUESET = "[Descr]\nName=Places\nType=V\n[Aggreg]\n1=counties.agg\n[Domain]\n1=Places 2020\n[Valuecode]\n1=a\n2=d\n"
COUNTIES = (
    "[Aggreg]\nName=counties\nValueset=Places\n1=N1\n2=S1\n3=L\n[Aggtext]\n1=North\n2=South\n3=Land\n"
    "[N1]\n1=a\n2=d\n[S1]\n1=f\n2=x\n[L]\n1=a\n2=d\n3=f\n4=x\n"
)


@pytest.mark.parametrize(
    ("beside", "records"),
    [
        ({}, ""),  # then it is asked what is made of what
        ({"places.vs": VALUESET}, ""),
        ({"counties.agg": COUNTIES}, ""),
        ({"places.vs": VALUESET.replace("Places 2020", "Other places"), "counties.agg": COUNTIES}, ""),
        ({"places.vs": VALUESET, "counties.agg": COUNTIES}, "42 records"),
        ({"Places.VS": VALUESET.replace("Name=Places\n", ""), "c.AGG": COUNTIES.replace("3=L\n", "")}, "Land is asked"),
    ],
)
def test_value_sets_and_aggregations_beside_a_px_file(tmp_path: Path, beside: dict[str, str], records: str) -> None:
    for name, text in {"t.px": REGIONS, **beside}.items():
        (tmp_path / name).write_text(text, "cp1252")
    if records == "42 records":
        assert read_tables([tmp_path / "t.px"]).records == records
        return
    with pytest.raises(NotImported) as raised:
        read_tables([tmp_path / "t.px"])
    sums = [clue for choice in raised.value.questions[0].choices for clue in choice.clues]
    assert len(sums) == (1 if records else 3)  # Land alone, or the counties, too


def test_an_aggregation_that_does_not_add_up_is_not_believed(tmp_path: Path) -> None:
    files = {"t.px": REGIONS, "places.vs": VALUESET, "counties.agg": COUNTIES.replace("[N1]\n1=a\n2=d", "[N1]\n1=a\n2=f\n3=x")}
    for name, text in files.items():
        (tmp_path / name).write_text(text, "cp1252")
    with pytest.raises(InputError, match="do not add up"):
        read_tables([tmp_path / "t.px"])


def test_what_is_no_file_beside_a_table_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "t.px").write_text(REGIONS, "utf-8")
    (tmp_path / "folder.vs").mkdir()
    (tmp_path / "gone.agg").symlink_to(tmp_path / "nowhere")
    (tmp_path / "places.vs").symlink_to(tmp_path / "nowhere either")
    with pytest.raises(NotImported, match="two readings fit"):  # as where there is nothing beside it
        read_tables([tmp_path / "t.px"])


def test_value_sets_are_not_read_by_themselves(tmp_path: Path) -> None:
    (tmp_path / "places.vs").write_text(VALUESET, "utf-8")
    with pytest.raises(InputError, match="with it in the same folder"):
        read_tables([tmp_path / "places.vs"])


def test_numbers_of_a_px_file_that_are_not_whole(tmp_path: Path) -> None:
    """There are no columns to leave out, but values."""
    (tmp_path / "t.px").write_text(PX.replace("3 14 5\n", "3 14.5 5\n"), "latin-1")
    with pytest.raises(InputError, match="take other values of a variable with only"):
        read_tables([tmp_path / "t.px"])
