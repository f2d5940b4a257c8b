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
    assert "output_2_0: year in rows x sex (F/M) in columns x kind (G/N/R) in columns, 18 numbers" in said
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
    with pytest.raises(InputError, match="say --rule round:5"):
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
