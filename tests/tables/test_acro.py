"""Folders of ACRO: what results.json lists is read, what is no table of counts is left out, and what was suppressed is hidden."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from foregone.model.errors import InputError
from foregone.tables.importing import read_tables
from foregone.tables.layout_file import read_layout
from tests.cli.commands import run

PLAIN = "year,G,N,R\n2010,78,8,4\n2011,98,5,5\n2012,90,6,6\n"
MARGINS = "sex,G,N,R,All\nF,142,5,9,156\nM,124,14,6,144\nAll,266,19,15,300\n"
TWO_LEVELS = "sex,F,F,F,M,M,M\nkind,G,N,R,G,N,R\nyear,,,,,,\n2010,35,2,4,43,6,0\n2011,60,2,3,38,3,2\n2012,47,1,2,43,5,4\n"
SUPPRESSED = "sex,G,N,R,All\nF,142,,,142\nM,124,14.0,,138\nAll,266,14.0,,280\n"
MEANS = "sex,inc\nF,49.2\nM,49.4\n"


def output(command: str, *independent: str, method: str = "crosstab", status: str = "pass", **properties: Any) -> dict[str, Any]:
    return {
        "uid": "x",
        "status": status,
        "type": "table",
        "properties": {"method": method, "mitigation": "none", **properties},
        "command": command,
        "fair": {"independent": list(independent)},
    }


def folder(path: Path, *outputs: tuple[dict[str, Any], str]) -> Path:
    path.mkdir()
    results = {}
    for i, (said, text) in enumerate(outputs):
        (path / f"output_{i}_0.csv").write_text(text, "utf-8")
        results[f"output_{i}"] = {**said, "files": [{"name": f"output_{i}_0.csv", "sdc": {"summary": {"suppressed": False}}}]}
    (path / "results.json").write_text(json.dumps({"version": "1.0.2", "results": results}), "utf-8")
    return path


def test_every_table_of_counts_is_read(tmp_path: Path) -> None:
    made = folder(
        tmp_path / "out",
        (output("a.crosstab(df.year, df.kind)", "year", "kind"), PLAIN),
        (output("a.crosstab(df.sex, df.kind, margins=True)", "sex", "kind", status="fail"), MARGINS),
        (output("a.crosstab(df.year, [df.sex, df.kind])", "year", "sex", "kind"), TWO_LEVELS),
        (output('a.pivot_table(df, index="sex", values="inc", aggfunc="mean")', "sex", method="pivot_table"), MEANS),
    )
    read = read_tables([made])
    assert read.records == "300 records"
    assert len(read.standing) == 9 + 12 + 18
    said = " ".join(read.said)
    assert "output_2: year in rows x sex (F/M) in columns x kind (G/N/R) in columns, 18 numbers" in said
    assert "output_1 has the status fail; it is read as if it were published" in said
    assert """output_3 is left out: its numbers are about values ("mean")""" in said
    assert {column.name for column in read.release.domain.columns} == {"year", "sex", "kind"}


def test_what_was_suppressed_is_hidden_and_totals_of_the_rest_are_left_out(tmp_path: Path) -> None:
    made = folder(
        tmp_path / "out",
        (output("a.crosstab(df.sex, df.kind, margins=True)", "sex", "kind", mitigation="suppress"), SUPPRESSED),
        (output("a.crosstab(df.year, df.kind)", "year", "kind", mitigation="suppress"), "year,G,N\n2010,78,\n2011,98,\n"),
    )
    read = read_tables([made])
    assert "its totals leave out what ACRO suppressed, and are left out" in " ".join(read.said)
    assert "6 numbers, 3 of them hidden" in " ".join(read.said)
    assert "kind (G/N) in columns, 4 numbers, 2 of them hidden" in " ".join(read.said)
    assert read.records == "280 or more records"


def test_true_totals_beside_suppressed_cells_are_kept(tmp_path: Path) -> None:
    text = "sex,G,N,All\nF,142,,156\nM,124,14,138\nAll,266,28,294\n"
    made = folder(tmp_path / "out", (output("crosstab(x, y, margins=True)", "sex", "kind", mitigation="suppress"), text))
    assert "total row and column, 9 numbers, 1 of them hidden" in " ".join(read_tables([made]).said)


def test_rounding_must_be_named(tmp_path: Path) -> None:
    said = output("a.crosstab(df.year, df.kind)", "year", "kind", mitigation="round", round_base=5)
    made = folder(tmp_path / "out", (said, "year,G,N\n2010,80.0,10.0\n2011,100.0,5.0\n"))
    with pytest.raises(InputError, match=r"say .*rule.* round:5"):
        read_tables([made])
    assert read_tables([made], rule="round:5").records


def test_the_layout_is_taken_back(tmp_path: Path) -> None:
    made = folder(
        tmp_path / "out",
        (output("a.crosstab(df.sex, df.kind, margins=True)", "sex", "kind", mitigation="suppress"), SUPPRESSED),
    )
    assert run("import", made, "--out", tmp_path / "release").status == 0
    again = read_tables([made], layout=read_layout(tmp_path / "release/layout.toml"))
    assert again.release == read_tables([made]).release


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "is a folder without results.json"),
        ("{", "cannot be read as JSON"),
        ("[]", "has no list of results"),
        ('{"results": {"a": {"type": "table", "files": [{"name": "../x.csv"}]}}}', "there is no such file beside it"),
        ('{"results": {"a": {"type": "regression", "files": []}}}', "none of its outputs is a table of counts"),
    ],
)
def test_other_folders_are_refused(tmp_path: Path, content: str | None, words: str) -> None:
    made = tmp_path / "out"
    made.mkdir()
    if content is not None:
        (made / "results.json").write_text(content, "utf-8")
    with pytest.raises(InputError, match=words):
        read_tables([made])


# ---------------------------------------------------------------- a project's outputs together

EVERYBODY = "sex,middle,old,young,All\nF,11,19,3,33\nM,4,16,7,27\nAll,15,35,10,60\n"
BY_TOWN = "sex,Ash,Birch,All\nF,12,21,33\nM,8,19,27\nAll,20,40,60\n"
ALL_BUT_ONE = "sex,middle,old,young,All\nF,11,18,3,32\nM,4,16,7,27\nAll,15,34,10,59\n"
BUT_ONE_BY_TOWN = "sex,Ash,Birch,All\nF,11,21,32\nM,8,19,27\nAll,19,40,59\n"


def project(path: Path, *commands: tuple[str, str, str]) -> Path:
    said = [f"acro.crosstab({frame}.sex, {frame}.{what}, margins=True)" for frame, what, _ in commands]
    outputs = [(output(line, "sex", what), text) for line, (_, what, text) in zip(said, commands, strict=True)]
    return folder(path, *outputs, (output('acro.crosstab(df.sex, df.age, aggfunc="mean")', "sex"), MEANS))


def test_outputs_about_some_of_the_people_are_compared_with_the_others(tmp_path: Path) -> None:
    """One person is in the first two outputs and not in the others: who she is follows from all of them together."""
    made = project(
        tmp_path / "outputs",
        ("df", "age", EVERYBODY),
        ("df", "town", BY_TOWN),
        ("kept", "age", ALL_BUT_ONE),
        ("kept", "town", BUT_ONE_BY_TOWN),
    )
    release = tmp_path / "release"
    found = run("import", made, "--out", release)
    assert found.status == 0, found.err
    assert "output_2, output_3 are about some of the 60 records of output_0, output_1, the same ones in each" in found.out
    told = json.loads(run("audit", release, "--count", 1, "--json").out)
    assert {"sex": "F", "age": "old", "town": "Ash", "IN output_2": "no"} in [claim["where"] for claim in told["claims"]]
    assert any("output_4 of outputs is not looked at" in sentence for sentence in told["assumptions"])


def test_the_page_names_the_outputs(tmp_path: Path) -> None:
    made = project(tmp_path / "outputs", ("df", "age", EVERYBODY), ("kept", "age", ALL_BUT_ONE))
    assert run("import", made, "--out", tmp_path / "release").status == 0
    assert run("report", tmp_path / "release", "--out", tmp_path / "page.html").status in (0, 3)
    page = (tmp_path / "page.html").read_text("utf-8")
    assert "output_0" in page
    assert "output_1 is about some of the 60 records of output_0" in page
    assert "output_2 of outputs is not looked at" in page


def test_equal_totals_of_other_data_are_other_people(tmp_path: Path) -> None:
    """Two outputs of 59 records each, made from different data frames, need not have left out the same person."""
    others = ("a", "age", ALL_BUT_ONE), ("b", "town", BUT_ONE_BY_TOWN)
    made = project(tmp_path / "outputs", ("df", "age", EVERYBODY), ("df", "town", BY_TOWN), *others)
    columns = [column.name for column in read_tables([made]).release.domain.columns]
    assert columns == ["sex", "age", "town", "IN output_2", "IN output_3"]


def test_a_suppressed_row_is_no_heading(tmp_path: Path) -> None:
    """ACRO blanks a whole row of small numbers; the line has nothing but its label then."""
    text = "town,middle,old,young\nAsh,10.0,,\nBirch,,,\nCedar,,24.0,\n"
    made = folder(tmp_path / "outputs", (output("acro.crosstab(df.town, df.age)", "town", "age", mitigation="suppress"), text))
    read = read_tables([made])
    assert [column.name for column in read.release.domain.columns] == ["town", "age"]
    assert len(read.standing) == 9
