"""Only some of the tables: of a release, of a run and of a study; and errors that stay short however much is wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

import foregone as fg
from foregone.census.household.sentences import BOOK
from foregone.model.errors import InputError
from tests.cli.commands import run


def test_tables_are_chosen_by_name_or_with_their_iterations() -> None:
    assert BOOK.choose("official", ["H3", "P16,H3"]) == "official:P16,H3"
    assert BOOK.choose("official", ["H13*"]).count(",") == 9
    assert {query.table for query in BOOK.queries("official:P16,H3")} == {"P16", "H3"}
    assert "Only the tables P16, H3." in BOOK.about("official:P16,H3")
    with pytest.raises(InputError, match="'P61', 'x1', 'x2', 'x3', 'x4' and 2 more are not tables of the variant official"):
        BOOK.choose("official", ["P61", "x1,x2,x3,x4,x5,x6"])


def test_a_release_of_some_tables(ingested: Path, tmp_path: Path, units: pd.DataFrame) -> None:
    block = units.block.iloc[0]
    whole, some = tmp_path / "whole", tmp_path / "some"
    assert run("census", "release", ingested, block, "--out", whole).status == 0
    assert run("census", "release", ingested, block, "--tables", "P20,H13*", "--out", some).status == 0
    everything, part = fg.Release.read(whole), fg.Release.read(some)
    wanted = [s for s in everything.statistics if s.table == "P20" or s.table.startswith("H13")]
    assert [s for s in part.statistics if s.table] == wanted


@pytest.mark.slow
def test_a_run_and_a_study_of_some_tables(ingested: Path, tmp_path: Path) -> None:
    done = run("run", ingested, "--out", tmp_path / "RUN", "--tables", "P16", "--limit", 3, "--workers", 1)
    assert done.status == 0, done.err
    assert json.loads((tmp_path / "RUN" / "run.json").read_text())["options"]["variant"] == "official:P16"
    assert run("report", tmp_path / "RUN", "--out", tmp_path / "run.html", "--source", ingested).status == 0
    assert "Only the tables P16." in (tmp_path / "run.html").read_text("utf-8")
    done = run("census", "study", ingested, "--out", tmp_path / "S", "--tables", "P16,P20", "--per-state", 1, "--workers", 1)
    assert done.status == 0, done.err
    assert "Only the tables P16, P20." in (tmp_path / "S" / "index.html").read_text("utf-8")


def test_errors_are_short_however_many_columns_are_wrong(ingested: Path, tmp_path: Path) -> None:
    each = tmp_path / "each"
    assert run("census", "release", ingested, "01", "--each", "--out", each).status == 0
    lines = (each / "predicates.csv").read_text("utf-8").splitlines()
    (each / "predicates.csv").write_text("\n".join(lines[:100]) + "\n", "utf-8")
    done = run("run", each, "--out", tmp_path / "RUN")
    assert (done.status, len(done.problems)) == (2, 1)
    assert "537 names are not columns: " in done.err
    assert len(done.err) < 500
    (each / "predicates.csv").write_text("\n".join([*lines, *(f"new{i}" + "," * lines[0].count(",") for i in range(200))]), "utf-8")
    done = run("run", each, "--out", tmp_path / "RUN")
    assert (done.status, len(done.problems)) == (2, 1)
    assert "there are no columns for 200 published numbers: new0, new1, " in done.err
    done = run("run", each, "--out", tmp_path / "RUN", "--tables", "P16")
    assert done.problems == [f"error: --tables: applies to unit files, and {each} is a folder; leave it out"]
