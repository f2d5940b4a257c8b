"""Questions about a run, on results small enough to add up by hand."""

from __future__ import annotations

import csv
from pathlib import Path

import pyarrow.parquet as parquet
import pytest
from typer.testing import CliRunner, Result

from foregone.batch.overview import run_totals
from foregone.batch.query import answer, grouped
from foregone.batch.run_folder import open_run
from foregone.census.subjects import subject_of_run
from foregone.cli.app import app
from foregone.model.policy import Policies
from foregone.pages.collection import collection_of_run
from tests.batch.handmade import fact, summary_line, write_run

ALA = "010010001001000"


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """Two states; Alabama has two tracts. Five of ten households are singled out, one block failed."""
    parts = {
        "01-00000": [
            summary_line(ALA, 4, [3, 2], [3, 2]),
            summary_line("010010002001000", 2, [0, 0], [0, 0]),
        ],
        "02-00000": [summary_line("020010001001000", 4, [1, 1], [1, 2], undecided=7)],
    }
    facts = {
        "01-00000": [fact(ALA, {"SEX": "F", "AGE": "old"}), fact(ALA, {"AGE": "old"}, 2)],
        "02-00000": [fact("020010001001000", {"SEX": "M", "HOME": "here"})],
    }
    failures = [{"release": "010010002001001", "state": "01", "reason": "memory ran out"}]
    return write_run(
        tmp_path / "RUN", parts, facts, failures, synthetic=True, versions={"foregone": "9"}, input={"name": "u", "sha256": "abc"}
    )


def ask(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["query", *map(str, arguments)])


def rows_of(run: Path, by: str, columns: int | None = None) -> list[dict[str, object]]:
    with open_run(run, subject_of_run) as opened:
        found = answer(opened, grouped(opened, by, columns))
    return [dict(zip(found.header, row, strict=True)) for row in found.rows]


def test_by_state(run: Path) -> None:
    first, second = rows_of(run, "state")
    assert first == {
        "state": "01", "name": "Alabama", "releases": 2, "records": 6, "singled_out": 3, "share": 0.5, "releases_with_any": 1,
        "facts_about_one": 1, "facts": 2, "singletons": 5, "verified": 10, "undecided": 0,
    }  # fmt: skip
    assert (second["state"], second["name"], second["singled_out"], second["undecided"]) == ("02", "Alaska", 2, 7)


def test_by_county_tract_and_size(run: Path) -> None:
    assert [row["county"] for row in rows_of(run, "county")] == ["01001", "02001"]
    assert [(row["tract"], row["singled_out"]) for row in rows_of(run, "tract")] == [
        ("01001000100", 3),
        ("01001000200", 0),
        ("02001000100", 2),
    ]
    assert [(row["size"], row["releases"], row["records"]) for row in rows_of(run, "size")] == [("2 to 4", 3, 10)]


def test_by_number_of_attributes(run: Path) -> None:
    keys = ("k", "singled_out", "facts_about_one", "facts", "releases_with_any")
    assert [tuple(row[key] for key in keys) for row in rows_of(run, "k")] == [(1, 4, 2, 3, 2), (2, 4, 2, 2, 2)]
    assert [row["singled_out"] for row in rows_of(run, "state", 2)] == [2, 2]


def test_attributes_are_counted_as_on_the_page(tmp_path: Path) -> None:
    """A value that goes without saying is a column of the claim and no attribute: query, overview and page say the same number."""
    told = {"households_told_1": 3, "households_told_2": 1}
    lines = [summary_line(ALA, 4, [3, 3], [3, 3], **told)]
    facts = [{**fact(ALA, {"SEX": "F", "AGE": "old"}), "attributes": 1}, {**fact(ALA, {"SEX": "M", "AGE": "old"}), "attributes": 2}]
    run = write_run(tmp_path / "RUN", {"01-00000": lines}, {"01-00000": facts})
    assert [(row["singled_out"], row["facts"]) for row in rows_of(run, "k")] == [(3, 2), (1, 1)]
    page = collection_of_run(run, subject_of_run, Policies(), 5)
    assert page.singled_out_by == {1: 3, 2: 1}
    assert page.facts_of_one_by == {1: 1, 2: 1}


def test_sizes_are_in_order(tmp_path: Path) -> None:
    sizes = [1, 3, 7, 15, 30, 99, 150, 499, 999, 5000]
    lines = [summary_line(f"01001000100{i:04d}", size, [1], [1]) for i, size in enumerate(sizes)]
    found = rows_of(write_run(tmp_path / "RUN", {"01-00000": lines}), "size")
    assert [row["size"] for row in found] == [
        "1", "2 to 4", "5 to 9", "10 to 19", "20 to 49", "50 to 99", "100 to 199", "200 to 499", "500 to 999", "1000 or more",
    ]  # fmt: skip
    assert [row["records"] for row in found] == sizes


def test_totals_and_overview(run: Path) -> None:
    with open_run(run, subject_of_run) as opened:
        found = run_totals(opened)
    assert (found.releases, found.records, found.singled_out, found.with_any, found.failed, found.widest) == (3, 10, 5, 2, 1, 2)
    said = ask(run)
    assert said.exit_code == 0, said.output
    for words in (
        "3 blocks, 10 households",
        "5 households (50.0 %)",
        "nobody in them is real",
        "Failed: 1",
        "memory ran out",
        "foregone 9",
    ):
        assert words in said.output


def test_attributes_of_different_releases_are_joined_by_name(run: Path) -> None:
    said = ask(
        run, "--sql", "SELECT release, SEX, AGE, HOME FROM facts WHERE count = 1 ORDER BY release", "--out", run.parent / "f.csv"
    )
    assert said.exit_code == 0, said.output
    with (run.parent / "f.csv").open() as file:
        assert list(csv.reader(file)) == [
            ["release", "SEX", "AGE", "HOME"],
            [ALA, "F", "old", ""],
            ["020010001001000", "M", "", "here"],
        ]


def test_export_to_parquet(run: Path) -> None:
    assert ask(run, "--by", "state", "--out", run.parent / "s.parquet").exit_code == 0
    assert parquet.read_table(run.parent / "s.parquet").column("singled_out").to_pylist() == [3, 2]


def test_parts_without_a_summary_are_not_read_and_an_unfinished_run_says_so(run: Path) -> None:
    (run / "summary" / "02-00000.parquet").unlink()
    (run / "run.json").write_text('{"noun": "block", "parts": 2, "complete": false}')
    said = ask(run, "--sql", "SELECT count(*) AS n FROM facts")
    assert said.exit_code == 0
    assert "not finished (1 of 2 parts)" in said.stderr
    assert said.stdout.split() == ["n", "2"]
    assert "not finished" in ask(run).stdout


def test_other_releases_count_claims(tmp_path: Path) -> None:
    lines = [summary_line("clinic-1", 30, [1, 4]), summary_line("clinic-2", 50, [0, 0])]
    facts = {"all-00000": [fact("clinic-1", {"SEX": "F"}), fact("clinic-1", {"SEX": "M", "AGE": "old"})]}
    run = write_run(tmp_path / "RUN", {"all-00000": lines}, facts, noun="release", options={})
    assert [row["facts_about_one"] for row in rows_of(run, "k")] == [2, 1]
    assert rows_of(run, "size")[0]["singletons"] == 5
    assert "singled_out" not in rows_of(run, "size")[0]
    assert "in 1 of 2 releases" in ask(run).stdout
    said = ask(run, "--by", "tract")
    assert said.exit_code == 2
    assert "not census blocks" in said.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--sql", "SELEC 1"], "syntax error"),
        (["--sql", "SELECT nothing FROM facts"], "nothing"),
        (["--sql", "SELECT 1; SELECT 2"], "one SELECT"),
        (["--sql", "COPY facts TO 'stolen.csv'"], "one SELECT"),
        (["--sql", "DROP VIEW facts"], "one SELECT"),
        (["--sql", "SELECT 1", "--by", "state"], "give only one"),
        (["--by", "state", "--columns", "9"], "1 to 2 attributes"),
        (["--columns", "2"], "--by"),
        (["--out", "x.csv"], "--by or --sql"),
        (["--by", "state", "--out", "x.txt"], ".csv or .parquet"),
        (["--sql", "SELECT nothing FROM facts", "--out", "x.csv"], "nothing"),
    ],
)
def test_mistakes_are_one_line(run: Path, arguments: list[str], words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(run.parent)
    said = ask(run, *arguments)
    assert said.exit_code == 2
    assert said.stderr.count("\n") == 1
    assert words in said.stderr
    assert sorted(path.name for path in run.parent.iterdir()) == ["RUN"]


def test_folders_that_are_no_runs(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "begun" / "summary").mkdir(parents=True)
    for name, words in (("nowhere", "no such folder"), ("empty", "is not a run"), ("begun", "no part of this run is finished")):
        said = ask(tmp_path / name)
        assert said.exit_code == 2
        assert words in said.stderr


def test_a_broken_file_is_named(run: Path) -> None:
    (run / "summary" / "02-00000.parquet").write_bytes(b"nonsense")
    said = ask(run)
    assert said.exit_code == 2
    assert "cannot be read" in said.stderr


def test_long_answers_are_cut(run: Path) -> None:
    said = ask(run, "--sql", "SELECT * FROM range(100)")
    assert "only the first 60 rows" in said.stdout
    assert "59" in said.stdout.split()
    assert "60" not in said.stdout.split("...")[0].split()


def test_a_comment_at_the_end_of_a_query(run: Path) -> None:
    assert ask(run, "--sql", "SELECT 1 AS one -- the rest", "--out", run.parent / "one.csv").exit_code == 0
