"""Every format that is written back: no withheld number anywhere in its bytes, and a reader understands what is protected."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from foregone.formats.folder import read_release
from foregone.questions.ask import intervals
from foregone.tables.importing import read_tables
from tests.publishing import workbooks
from tests.publishing.published import HEAD, ROWS, Steward, holding, steward

PX = """\
CHARSET="ANSI";
CODEPAGE="utf-8";
TITLE="Patients by age and sex, {women} women";
CONTENTS="Patients";
UNITS="persons";
STUB="Age";
HEADING="Sex";
VALUES("Age")={ages};
VALUES("Sex")="Male","Female","Total";
NOTE="Numbers fewer than 5 are confidential.";
DATA=
{data};
"""


def rows_of(men: list[int], women: list[int]) -> list[list[object]]:
    """A table by age and sex with totals."""
    ages = ["0-17", "18-64", "65-79", "80+"][: len(men)]
    made: list[list[object]] = [[age, m, w, m + w] for age, m, w in zip(ages, men, women, strict=True)]
    return [*made, ["Total", sum(men), sum(women), sum(men) + sum(women)]]


def _headed(head: list[str], rows: list[list[object]]) -> list[list[object]]:
    return [[*head], *rows]


def as_csv(folder: Path, rows: list[list[object]]) -> Path:
    path = folder / "people.csv"
    path.write_text("\n".join(";".join(map(str, row)) for row in _headed(HEAD, rows)), "utf-8")
    return path


def as_list(folder: Path, rows: list[list[object]]) -> Path:
    """One row for each number, as statistics packages write it."""
    path = folder / "people.csv"
    cells = [[row[0], sex, number] for row in rows for sex, number in zip(HEAD[1:], row[1:], strict=True)]
    path.write_text("\n".join(",".join(map(str, cell)) for cell in _headed(["Age", "Sex", "Patients"], cells)) + "\n", "utf-8")
    return path


def as_pandas(folder: Path, rows: list[list[object]]) -> Path:
    path = folder / "people.xlsx"
    pd.DataFrame(rows, columns=HEAD).set_index("Age").to_excel(path, sheet_name="Patients")
    return path


def as_xlsx(folder: Path, rows: list[list[object]]) -> Path:
    path = folder / "people.xlsx"
    book = workbooks.plain()
    for r, row in enumerate(rows, start=3):
        for c, value in enumerate(row, start=1):
            book["Age"].cell(r, c).value = value
    book.save(path)
    return path


def as_px(folder: Path, rows: list[list[object]]) -> Path:
    path = folder / "people.px"
    ages = ",".join(f'"{row[0]}"' for row in rows)
    path.write_text(PX.format(ages=ages, women=rows[-1][2], data="\n".join(" ".join(map(str, row[1:])) for row in rows)), "utf-8")
    return path


def as_jsonstat(folder: Path, rows: list[list[object]]) -> Path:
    path = folder / "people.json"
    dimension = {"Age": {"category": {"index": [row[0] for row in rows]}}, "Sex": {"category": {"index": HEAD[1:]}}}
    values = [number for row in rows for number in row[1:]]
    content = {"version": "2.0", "class": "dataset", "label": "Patients", "id": ["Age", "Sex"], "size": [len(rows), 3]}
    path.write_text(json.dumps({**content, "dimension": dimension, "value": values}), "utf-8")
    return path


FORMATS: dict[str, Callable[[Path, list[list[object]]], Path]] = {
    "csv": as_csv,
    "list": as_list,
    "pandas": as_pandas,
    "xlsx": as_xlsx,
    "px": as_px,
    "jsonstat": as_jsonstat,
}


def withheld_numbers(made: Steward) -> list[int]:
    counts = {s.name: s.low for s in made.original.statistics}
    return [counts[name] for name in made.withheld]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", FORMATS)
def test_no_withheld_number_is_anywhere_in_the_bytes(tmp_path: Path, name: str, seed: int) -> None:
    """Random tables with small numbers among large ones, which stand nowhere else; whatever is withheld is looked for."""
    chance = random.Random(seed)
    large = chance.sample(range(100_003, 900_000), 8)
    men, women = large[:4], large[4:]
    men[chance.randrange(4)] = chance.randint(1, 4)
    women[chance.randrange(4)] = chance.randint(1, 4)
    made = steward(tmp_path, [FORMATS[name](tmp_path, rows_of(men, women))])
    secret = [number for number in withheld_numbers(made) if number > 9]
    assert len(made.withheld) >= 4
    assert secret
    for number in secret:
        assert holding(made.made.folder, str(number)) == [], f"{number} is in the files"
        assert holding(made.protected, str(number)) == [], f"{number} is in the folder"


@pytest.mark.parametrize("name", FORMATS)
def test_a_reader_of_the_files_knows_what_is_published_and_no_more(tmp_path: Path, name: str) -> None:
    """Read without anything of ours but what the file itself says of its mark; then as much as can be is worked out."""
    made = steward(tmp_path, [FORMATS[name](tmp_path, [list(row) for row in ROWS])])
    file = made.made.folder / made.made.files[0].name
    sign = ".." if name == "px" else "[c]"
    read = read_tables([file], tokens=[f"{sign}=1.."], record="patient").release
    released = read_release(made.protected)
    assert [s.predicate for s in read.statistics] == [s.predicate for s in released.statistics]
    assert [(s.low, s.high) for s in read.statistics] == [(s.low, s.high) for s in released.statistics]
    worked_out = {str(i.predicate): (i.low, i.high) for i in intervals(read)}
    assert len(worked_out) == 4
    assert all(low != high for low, high in worked_out.values())


def test_pc_axis_keeps_everything_else(tmp_path: Path) -> None:
    path = as_px(tmp_path, [list(row) for row in ROWS])
    text = path.read_text("utf-8")
    made = steward(tmp_path, [path])
    expected = text.replace("4711 3 ", '".." ".." ').replace("2 4713 ", '".." ".." ')
    expected = expected.replace("Numbers fewer than 5 are confidential.", ".. not shown; stands for at least 1.")
    expected = expected.replace("DATA=", 'DATASYMBOL2="not shown; stands for at least 1";\nDATA=')
    assert made.file("people.px").read_text("utf-8") == expected


def test_pc_axis_uses_the_symbol_that_the_file_has(tmp_path: Path) -> None:
    path = as_px(tmp_path, [list(row) for row in ROWS])
    text = path.read_text("utf-8").replace("DATA=", 'DATASYMBOL4="Confidential";\nDATA=')
    path.write_text(text, "utf-8")
    made = steward(tmp_path, [path]).file("people.px").read_text("utf-8")
    assert '"....". ' not in made
    assert made.count('"...."') == 4
    assert 'DATASYMBOL4="not shown; stands for at least 1"' in made
    assert "Confidential" not in made


def test_jsonstat_with_a_status_of_its_own(tmp_path: Path) -> None:
    path = as_jsonstat(tmp_path, [list(row) for row in ROWS])
    content = json.loads(path.read_text("utf-8"))
    content |= {"status": {"11": "p"}, "note": ["c: numbers fewer than 5 are suppressed"]}
    path.write_text(json.dumps(content, indent=2), "utf-8")
    before = json.loads(path.read_text("utf-8"))
    now = json.loads(steward(tmp_path, [path]).file("people.json").read_text("utf-8"))
    assert now["value"][:5] == [None, None, 4714, None, None]
    assert now["value"][5:] == before["value"][5:]
    assert now["status"] == {"0": "[c]", "1": "[c]", "3": "[c]", "4": "[c]", "11": "p"}
    assert now["note"] == ["[c] not shown; stands for at least 1"]
    assert {key: now[key] for key in ("id", "size", "dimension", "label")} == {
        key: before[key] for key in ("id", "size", "dimension", "label")
    }


def test_other_measures_in_one_file(tmp_path: Path) -> None:
    """A JSON-stat file with counts and rates: the rate of a count that is not shown goes, too."""
    ages = [str(row[0]) for row in ROWS]
    dimension = {
        "Age": {"category": {"index": ages}},
        "Sex": {"category": {"index": HEAD[1:]}},
        "Measure": {"category": {"index": ["Number", "Rate"], "unit": {"Rate": {"label": "per 100,000"}}}},
    }
    counts = [int(str(number)) for row in ROWS for number in row[1:]]
    values = [number for count in counts for number in (count, round(count / 7, 2))]
    content = {
        "version": "2.0",
        "class": "dataset",
        "id": ["Age", "Sex", "Measure"],
        "size": [4, 3, 2],
        "role": {"metric": ["Measure"]},
    }
    path = tmp_path / "people.json"
    path.write_text(json.dumps({**content, "dimension": dimension, "value": values}), "utf-8")
    (tmp_path / "layout.toml").write_text('[[table]]\nname = "people"\nmeasure = "Number"\n', "utf-8")
    made = steward(tmp_path, [path])
    now = json.loads(made.file("people.json").read_text("utf-8"))["value"]
    assert now[:4] == [None] * 4
    assert now[4:6] == values[4:6]


@pytest.mark.skipif(shutil.which("Rscript") is None, reason="R is not installed")
@pytest.mark.parametrize("call", ["write.csv(t, f)", "write.csv2(t, f)", "write.table(t, f, sep='\\t', col.names=NA, quote=FALSE)"])
def test_tables_that_r_wrote(tmp_path: Path, call: str) -> None:
    path = tmp_path / "people.csv"
    numbers = ",".join(str(row[c]) for c in (1, 2, 3) for row in ROWS)
    names = ",".join(f"'{row[0]}'" for row in ROWS)
    script = f"f <- '{path}'; t <- matrix(c({numbers}), 4, dimnames=list(c({names}), c('Male','Female','Total'))); {call}"
    subprocess.run(["Rscript", "-e", script], check=True, capture_output=True, timeout=60)
    before = path.read_bytes()
    made = steward(tmp_path, [path])
    after = made.file("people.csv").read_bytes()
    assert after.startswith(before.replace(b"4711", b"[c]").split(b"[c]")[0])
    assert after.count(b"[c]") == 5
    assert all(holding(made.made.folder, str(number)) == [] for number in withheld_numbers(made) if number > 9)
