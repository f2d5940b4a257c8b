"""Files that other programs read too: PC-Axis by pyaxis, and SDMX-CSV, JSON-stat and long CSV of one table agree."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from foregone.formats.folder import read_release
from foregone.tables.importing import read_tables
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
