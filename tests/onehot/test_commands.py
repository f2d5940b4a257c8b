"""The commands around the one-hot engine: what they print and the exit status they end with."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from typer.testing import CliRunner

from foregone.cli.app import app
from foregone.solvers.ip import registry
from tests.solvers.adapters import NAMES
from tests.solvers.problems import CASES, unbounded


@pytest.fixture
def folder(tmp_path: Path) -> str:
    CASES[0].release.write(tmp_path / "release")
    return str(tmp_path / "release")


def run(*words: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, list(words))
    return result.exit_code, result.output


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("form", [(), ("--big-m",)])
def test_audit_writes_the_same_claims_as_cells(name: str, form: tuple[str, ...], folder: str, tmp_path: Path) -> None:
    ours, theirs = tmp_path / "cells.csv", tmp_path / "onehot.csv"
    assert run("audit", folder, "--all", "--out", str(ours))[0] == 0
    more = ("--engine", "onehot", "--solver", name, "--solutions", "4", *form)
    status, text = run("audit", folder, "--all", "--out", str(theirs), *more)
    assert status == 0
    assert "3 claims are certain" in text
    assert "Undecided: 0." in text
    rows = [list(csv.DictReader(path.open())) for path in (ours, theirs)]
    assert {row.pop("ground") for row in rows[1]} == {"solver"}
    assert {row.pop("ground") for row in rows[0]} <= {"published", "linear"}
    assert rows[0] == rows[1]


@pytest.mark.parametrize("engine", ["cells", "onehot"])
def test_verify_and_its_mirror(engine: str, folder: str) -> None:
    assert run("verify", folder, "SEX=F", "--count", "2", "--engine", engine)[0] == 0
    status, text = run("verify", folder, "AGE=old", "--count", "2", "--engine", engine)
    assert status == 1
    assert "This dataset matches" in text
    status, text = run("verify", folder, "AGE=old", "--count", "2", "--possible", "--engine", engine)
    assert status == 0
    assert text.startswith("Possible")
    status, text = run("verify", folder, "SEX=F", "--count", "1", "--possible", "--engine", engine)
    assert status == 1
    assert text.startswith("Impossible")


def test_a_time_limit_of_nothing_is_undecided(folder: str) -> None:
    more = ("--engine", "onehot", "--time-limit", "0")
    assert run("verify", folder, "SEX=F", "--count", "2", *more)[0] == 3
    assert run("verify", folder, "SEX=F", "--count", "2", "--possible", *more)[0] == 3
    assert run("audit", folder, *more)[0] == 3


def test_options_of_the_other_engine_are_refused(folder: str) -> None:
    for extra in (("--solver", "cpsat"), ("--solutions", "3"), ("--big-m",)):
        status, text = run("audit", folder, *extra)
        assert status == 2
        assert f"{extra[0]} goes with --engine onehot" in text
    status, text = run("audit", folder, "--engine", "onehot", "--proofs", "proofs.json")
    assert status == 2
    assert "not a proof" in text
    assert run("verify", folder, "SEX=F", "--count", "2", "--possible", "--big-m", "--engine", "onehot")[0] == 2


def test_a_missing_solver_names_the_extra(folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry.SOLVERS, "scip", registry.Registered("foregone.solvers.ip.scip", "no_such_package", "scip"))
    status, text = run("audit", folder, "--engine", "onehot", "--solver", "scip")
    assert status == 2
    assert "pip install 'foregone[scip]'" in text
    status, text = run("solvers")
    assert status == 0
    assert "not installed; pip install 'foregone[scip]'" in text


def test_solvers_lists_all_of_them() -> None:
    status, text = run("solvers")
    assert status == 0
    assert [line.split()[0] for line in text.splitlines()] == list(registry.SOLVERS)
    assert "licence: free (MIT)" in text.splitlines()[0]


def test_an_unbounded_release_is_bad_input(tmp_path: Path) -> None:
    unbounded().write(tmp_path / "release")
    status, text = run("audit", str(tmp_path / "release"), "--engine", "onehot")
    assert status == 2
    assert "needs an upper limit" in text
    status, text = run("audit", str(tmp_path / "release"))
    assert status == 0
    assert "1 claim is certain" in text
