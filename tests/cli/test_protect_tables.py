"""`foregone protect` on spreadsheets that were imported: how many columns, cells in words, and places that tell nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from foregone.cli.app import app

runner = CliRunner()
TABLE = "Town,Female,Male,Total\nAmbridge,1,5,6\nDarrington,17,18,35\nTotal,18,23,41\n"
LONELY = "Exactly one patient has Town: Ambridge; Sex: Female."


def ask(*words: object) -> Any:
    return runner.invoke(app, [str(word) for word in words])


@pytest.fixture
def clinic(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A release that was imported from a file in a folder with a telling name."""
    (tmp_path / "for internal use").mkdir()
    (tmp_path / "for internal use" / "towns.csv").write_text(TABLE)
    monkeypatch.chdir(tmp_path)
    made = ask("import", tmp_path / "for internal use" / "towns.csv", "--out", "clinic", "--record", "patient")
    assert made.exit_code == 0, made.output
    return tmp_path


def test_the_default_protects_a_two_way_table(clinic: Path) -> None:
    made = ask("protect", "clinic", "--out", "p 1", "--keep", "towns.D4")
    assert made.exit_code == 0, made.output
    told = " ".join(made.output.split())
    assert "no record is singled out by 2 columns or more; no hidden cell can be worked out." in told
    assert "The release breaks this policy: 1 violation." in told
    assert 'Print [c] in all 4 cells that are not shown, with one footnote: "[c] not shown; stands for at least 1".' in told
    assert "With fewer columns, no claim about exactly one patient is certain either." in told
    assert "For its page: foregone report 'p 1' --out 'p 1.html'" in told
    assert json.loads((clinic / "p 1-private" / "protect.json").read_text())["policy"]["singled_out_columns"] == 2
    assert {path.name for path in (clinic / "p 1").iterdir()} == {"domain.json", "statistics.csv", "places.csv"}
    assert ask("report", "p 1", "--out", "p 1.html").exit_code == 0
    assert LONELY not in ask("audit", "p 1").output
    assert "0 are exactly known" in ask("bounds", "p 1", "--hidden").output


def test_what_the_policy_does_not_forbid_is_said_with_the_line_that_does(clinic: Path) -> None:
    (clinic / "policy.toml").write_text("singled_out_columns = 3\n")
    first = ask("protect", "clinic", "--out", "p 1", "--keep", "towns.D4", "--policy", "policy.toml")
    assert first.exit_code == 0, first.output
    told = " ".join(first.output.split())
    assert "keeps this policy as it is. Nothing has to be withheld." in told
    assert f"Still certain, as the policy does not forbid it: 1 fact about exactly one patient with fewer columns. {LONELY}" in told
    assert "The release as it was is in p 1" in told
    assert "Next best" not in told
    assert "To forbid what is still certain: in policy.toml, singled_out_columns = 2" in told


@pytest.mark.parametrize(
    ("options", "wrong"),
    [
        (["--columns", 2, "--policy", "policy.toml"], "--columns and --policy: policy.toml says how many columns; leave out one"),
        (["--columns", 3], "--columns 3: a patient has 2 columns here; use 1 to 2"),
        (["--columns", 0], "greater than or equal to 1"),
        (["--marks", "three"], "Invalid value for '--marks'"),
        (["--mark", "5"], "--mark: '5' could be read as a number or not be seen"),
        (["--mark", "a\nb"], "could be read as a number or not be seen"),
        (["--page", "p/page.html"], "--page p/page.html: lies in p, which is published, and tells what is withheld"),
        (["--proofs", "p/proof.json"], "--proofs p/proof.json: lies in p, which is published, and tells what is withheld"),
    ],
)
def test_refused(clinic: Path, options: list[object], wrong: str) -> None:
    (clinic / "policy.toml").write_text("singled_out_columns = 2\n")
    result = ask("protect", "clinic", "--out", "p", *options)
    assert result.exit_code == 2
    assert wrong in " ".join(result.output.replace("│", " ").split())
    assert not (clinic / "p").exists()


def test_a_mark_that_says_a_number_is_not_printed_for_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`<5` in the place of 17 would be a lie."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "towns.csv").write_text(TABLE.replace("Ambridge,1,5", "Ambridge,<5,5"))
    assert ask("import", "towns.csv", "--out", "clinic", "--token", "<5=1..4").exit_code == 0
    made = ask("protect", "clinic", "--out", "p", "--proofs")
    assert "Print [c] in all" in " ".join(made.output.split())
    assert "<5" not in (tmp_path / "p" / "statistics.csv").read_text()
    assert ask("check", "clinic", "p-private/certificate.json", "--protected", "p").exit_code == 0


def test_a_reader_who_is_taken_to_know_less_is_named(clinic: Path) -> None:
    (clinic / "policy.toml").write_text('singled_out_columns = 2\nstars = "unknown"\nknow = []\n')
    made = ask("protect", "clinic", "--out", "p", "--policy", "policy.toml", "--proofs")
    told = " ".join(made.output.split())
    assert "For a reader who knows no more than the policy says, the protected release keeps the policy." in told
    assert "Whoever sees that zeros are shown may still work out hidden cells" in told
    assert "Checked again as a reader would" not in told
    checked = " ".join(ask("check", "clinic", "p-private/certificate.json").output.split())
    assert "keeps the policy for a reader who knows no more than the policy says" in checked


def test_cells_are_named_as_in_the_file_and_nothing_that_stood_there_is_written(clinic: Path) -> None:
    made = ask("protect", "clinic", "--out", "p", "--columns", 2, "--proofs", "proof.json")
    assert made.exit_code == 0, made.output
    withheld = json.loads((clinic / "p-private" / "protect.json").read_text())["withheld"]
    cells = ", ".join(name.removeprefix("towns.") for name in withheld)
    assert f"In your files: cells {cells} of towns.csv." in " ".join(made.output.split())
    lines = (clinic / "p" / "places.csv").read_text().splitlines()
    assert lines[:2] == ["name,file,sheet,row,column,shown", "towns.B2,towns.csv,,2,B,"]
    assert all(line.endswith(",") for line in lines[1:])
    assert "internal use" not in "".join(path.read_text() for path in (clinic / "p").iterdir())
    hidden = ask("bounds", "p", "--hidden").output
    assert f"{withheld[0]} is cell {withheld[0].removeprefix('towns.')} of towns.csv" in hidden
    checked = ask("check", "clinic", "proof.json", "--protected", "p")
    assert checked.exit_code == 0, checked.output
    assert "p holds exactly that" in checked.output


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("towns.B2,towns.csv,,2,B,", "towns.B2,towns.csv,,2,B,1"),  # what stood there
        ("towns.B2,towns.csv,,2,B,", "towns.B2,1 patient.csv,,2,B,"),
        ("towns.B2,towns.csv,,2,B,", "towns.B2,towns.csv,one,2,B,"),
        ("towns.B2,towns.csv,,2,B,", "towns.B2,towns.csv,,2,B,,1"),
        ("column,shown", "column,one"),
    ],
)
def test_places_that_tell_more_are_refused(clinic: Path, before: str, after: str) -> None:
    assert ask("protect", "clinic", "--out", "p", "--columns", 2, "--proofs", "proof.json").exit_code == 0
    path = clinic / "p" / "places.csv"
    assert before in path.read_text()
    path.write_text(path.read_text().replace(before, after))
    checked = ask("check", "clinic", "proof.json", "--protected", "p")
    assert checked.exit_code == 1, checked.output
    assert "places.csv" in checked.output
