"""`bounds --hidden` and `--all`: files, sentences, exit statuses."""

from __future__ import annotations

import csv
import json
from itertools import count
from pathlib import Path

import pytest

from foregone.engine.bounds.prover import Prover
from foregone.solvers.answer import Undecided
from tests.cli.commands import left_behind, run, write_release

HIDDEN = """\
name,SEX,AGE,count,low,high,status
N,,,5,,,
women,F,,2,,,
old,,65-74|75-84,,0,4,
old women,F,65-74|75-84,,,,withheld
old men,M,65-74|75-84,1,,,
young women,F,15-24|25-34,,1,,
"""
TRUTH = "SEX,AGE\nF,15-24\nF,65-74\nM,75-84\nM,15-24\nM,25-34\n"


def test_hidden_cells_in_a_file(tmp_path: Path) -> None:
    release = write_release(tmp_path / "release", HIDDEN, truth=TRUTH)
    ran = run("bounds", release, "--hidden", "--out", tmp_path / "intervals.csv")
    assert ran.status == 0
    assert ran.out.splitlines()[0] == "Of 3 cells withheld or given as a range, 0 are exactly known. Undecided: 0."
    with (tmp_path / "intervals.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [list(row.values()) for row in rows] == [
        ["old", "", "0", "4", "1", "2", "false", "true", "2"],
        ["old women", "", "0", "", "0", "1", "false", "true", "1"],
        ["young women", "", "1", "", "1", "2", "false", "true", "1"],
    ]
    names = ["name", "table", "published_low", "published_high", "low", "high", "known", "proved", "truth"]
    assert list(rows[0]) == names


def test_all_cells_as_json_and_parquet(tmp_path: Path) -> None:
    release = write_release(tmp_path / "release", HIDDEN)
    assert run("bounds", release, "--all", "--out", tmp_path / "all.json").status == 0
    entries = json.loads((tmp_path / "all.json").read_text("utf-8"))
    assert [(e["name"], e["low"], e["high"], e["known"]) for e in entries][:3] == [
        ("N", 5, 5, True),
        ("women", 2, 2, True),
        ("old", 1, 2, False),
    ]
    assert len(entries) == 6
    pytest.importorskip("pyarrow")
    import pyarrow.parquet as parquet

    assert run("bounds", release, "--all", "--out", tmp_path / "all.parquet").status == 0
    assert parquet.read_table(tmp_path / "all.parquet").num_rows == 6


def test_without_a_file_they_are_printed(tmp_path: Path) -> None:
    ran = run("bounds", write_release(tmp_path / "release", HIDDEN), "--hidden")
    assert ran.out.splitlines()[:2] == [
        "old: published 0 to 4, certainly 1 to 2",
        "old women: withheld, certainly 0 to 1",
    ]


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ([], "give a claim"),
        (["SEX=F", "--hidden"], "give a claim"),
        (["--all", "--hidden"], "give a claim"),
        (["SEX=F", "--out", "x.csv"], "--out belongs to --hidden or --all"),
        (["--hidden", "--out", "x.xls"], "does not name a format"),
    ],
)
def test_wrong_usage(tmp_path: Path, arguments: list[str], problem: str) -> None:
    release = write_release(tmp_path / "release", HIDDEN)
    before = set(tmp_path.rglob("*"))
    ran = run("bounds", release, *arguments)
    assert ran.status == 2
    assert len(ran.problems) == 1
    assert problem in ran.err
    assert not left_behind(tmp_path, before)


def test_what_stays_open_is_said_and_exits_3(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    release = write_release(tmp_path / "release", HIDDEN)
    monkeypatch.setattr(Prover, "greatest", lambda *_: Undecided("the time limit was reached"))
    monkeypatch.setattr(Prover, "outer", lambda *_: None)
    ran = run("bounds", release, "--hidden", "--out", tmp_path / "intervals.csv")
    assert ran.status == 3
    assert "Undecided: 3 (the time limit was reached)." in ran.out
    assert "old,,0,4,1,4,false,false" in (tmp_path / "intervals.csv").read_text("utf-8")


def test_reading_counts_towards_the_time_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    release = write_release(tmp_path / "release", HIDDEN)
    clock = count(0, 100)
    monkeypatch.setattr("foregone.solvers.deadline.monotonic", lambda: float(next(clock)))
    for arguments in (["--hidden"], ["SEX=F"]):
        ran = run("bounds", release, *arguments, "--time-limit", 50)
        assert ran.status == 3
        assert "time limit was reached" in ran.err
    assert run("verify", release, "SEX=F", "--count", 2, "--time-limit", 50).status == 3
