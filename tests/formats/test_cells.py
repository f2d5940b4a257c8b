"""Nothing that we write is a formula to a spreadsheet, and everything comes back as it was."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foregone import Domain, Release, Statistic
from foregone.checker.read.files import cell
from foregone.formats.folder import read_truth, write_release
from foregone.formats.frames import dataset, tabulate_dataset
from foregone.formats.text import guarded, unguarded
from foregone.model.predicate import Predicate
from tests.cli.commands import run

TEXTS = st.text("'=+-@\t\r5.eE a", max_size=6) | st.from_regex(r"'{0,2}[+-]?[0-9.]{1,4}(e[+-]?[0-9])?", fullmatch=True)


@given(TEXTS)
def test_there_and_back(text: str) -> None:
    written = guarded(text)
    assert unguarded(written) == text
    if written[:1] in tuple("=+-@\t\r"):
        float(written)  # only a number may begin so


@given(TEXTS)
def test_the_checker_reads_the_same(text: str) -> None:
    """Its reading is its own, so the rule is written down twice."""
    assert cell(guarded(text)) == text.strip() or text != text.strip()


@pytest.mark.parametrize("text", ["-1", "+5", "-0.5", "1e5", "-1e-5", "5", "'s-Gravenhage", "a=b", "", "'"])
def test_what_stays_as_it_is(text: str) -> None:
    assert guarded(text) == text == unguarded(text)


FORMULAS = ["=1+1", "=cmd|'/c calc'!A0", "+cmd()", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "--1", "'=1", "-", "-1x"]


@pytest.mark.parametrize("text", FORMULAS)
def test_what_is_neutralised(text: str) -> None:
    assert guarded(text) == f"'{text}"


CODES = ["=cmd()", "@x", "-1", "+1", "'=x", "-1 to 4", "'s"]


def test_releases_and_claims(tmp_path: Path) -> None:
    people = {"=A()": CODES, "B": ["b"] * len(CODES)}
    truth = dataset(people)
    release = tabulate_dataset(truth, ["=A()"])
    named = Release(release.domain, (*release.statistics, Statistic.exact(Predicate.of({"B": "b"}), len(CODES), "=name", "@table")))
    write_release(named, tmp_path / "release", truth)
    assert Release.read(tmp_path / "release") == named
    assert read_truth(tmp_path / "release", named) == truth
    assert run("audit", tmp_path / "release", "--out", tmp_path / "claims.csv").status == 0
    assert run("audit", tmp_path / "release", "--proofs", tmp_path / "proofs.json").status == 0
    assert run("check", tmp_path / "release", tmp_path / "proofs.json", "--complete").status == 0, "the checker reads the same"
    for file in (tmp_path / "claims.csv", *(tmp_path / "release").glob("*.csv")):
        with file.open(newline="") as opened:
            cells = [cell for row in csv.reader(opened) for cell in row]
        assert not [cell for cell in cells if cell[:1] in tuple("=@\t\r") and cell]
        assert {cell for cell in cells if cell[:1] in tuple("+-") and cell} <= {"-1", "+1"}
    domain = json.loads((tmp_path / "release" / "domain.json").read_text("utf-8"))
    assert Domain.of(domain["columns"]) == release.domain, "JSON is not for spreadsheets"


def test_microdata_are_read_the_same_way(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("A\n'=x\n'=x\n's\n")
    assert run("tabulate", tmp_path / "people.csv", "--margins", "A", "--out", tmp_path / "r.json").status == 0
    assert json.loads((tmp_path / "r.json").read_text("utf-8"))["columns"]["A"] == ["'s", "=x"]
