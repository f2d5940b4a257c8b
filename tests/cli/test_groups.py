"""Groups of values from the files to the exit status: what is published about a group is never passed over."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from foregone import InputError, Release
from tests.cli.commands import run

DOMAIN = {
    "columns": {"AGE": ["0-17", "18-24", "25-64", "65+"], "ILL": ["no", "yes"]},
    "groups": {"AGE": {"grown up": ["18-24", "25-64", "65+"]}},
    "record": "patient",
}
ROWS = ["AGE,ILL,count", ",,9", "0-17|18-24,yes,1", "25-64|65+,yes,3", "0-17|18-24,no,2"]


def folder(path: Path, rows: list[str] = ROWS, domain: object = DOMAIN) -> Path:
    path.mkdir()
    (path / "domain.json").write_text(json.dumps(domain))
    (path / "statistics.csv").write_text("\n".join(rows) + "\n")
    return path


def claims(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_a_published_one_over_a_group_does_not_pass(tmp_path: Path) -> None:
    """Once claims named single codes only, and the gate let this release through."""
    release = folder(tmp_path / "release")
    limits = tmp_path / "limits.toml"
    limits.write_text("[fail]\nfewest_columns = 1\n")
    page = tmp_path / "page.html"
    gate = ("report", release, "--out", page, "--thresholds", limits, "--explain", "0", "--gate")
    ran = run(*gate)
    assert ran.status == 1
    assert "fail" in ran.out
    assert "At least 1 of the 9 patients is singled out." in page.read_text()
    found = json.loads((tmp_path / "page.results.json").read_text())["found"]
    assert (found["singled_out_facts"], found["records_singled_out_at_least"], found["published_facts"] > 0) == (1, 1, True)
    blind = run(*gate, "--groups", "none")
    assert blind.status == 0
    assert "No patient is singled out by single values alone." in page.read_text()
    assert "none about groups of values" in page.read_text()
    by_default = run("report", release, "--out", page, "--explain", "0")
    assert by_default.status == 0
    assert "Outcome: fail: 1 fact with 2 columns or more that is printed, at least in part, identifies one " in by_default.out


def test_claims_files_tell_groups(tmp_path: Path) -> None:
    release, out = folder(tmp_path / "release"), tmp_path / "claims.csv"
    ran = run("audit", release, "--out", out)
    assert ran.status == 0
    assert "Exactly one patient has AGE: 0 to 17 or 18 to 24; ILL: yes. A table prints this" in ran.out
    assert "At least 1 of the 9 patients is singled out." in ran.out
    first = claims(out)[0]
    assert list(first) == ["AGE", "ILL", "count", "columns", "ground", "exact", "published", "printed", "attributes"]
    assert list(first.values()) == ["0-17|18-24", "yes", "1", "2", "published", "1", "true", "yes", "2"]
    none = run("audit", release, "--groups", "none", "--all", "--out", out)
    assert none.status == 0
    assert {row["AGE"] for row in claims(out)} == {""}
    assert all(row["exact"] == row["columns"] for row in claims(out))
    assert run("audit", release, "--groups", "some").status == 2


def test_declared_groups_are_read_used_and_written_back(tmp_path: Path) -> None:
    rows = ["AGE,ILL,count", ",,4", "0-17,,1", "18-24,,1"]
    release = folder(tmp_path / "release", rows)
    read = Release.read(release)
    for name in ("again", "again.json", "again.parquet"):
        read.write(tmp_path / name)
        assert Release.read(tmp_path / name) == read
    ran = run("audit", release, "--count", "3", "--out", tmp_path / "claims.csv")
    assert "grown up" not in ran.out  # one record aged 0-17 tells most
    assert [row["AGE"] for row in claims(tmp_path / "claims.csv")] == ["18-24|25-64|65+"]
    said = run("verify", release, "AGE=18-24|25-64|65+", "--count", "3")
    assert said.status == 0
    assert "AGE: grown up" in said.out


def test_check_complete_looks_for_groups(tmp_path: Path) -> None:
    release, proofs = folder(tmp_path / "release"), tmp_path / "proofs.json"
    assert run("audit", release, "--proofs", proofs).status == 0
    assert any(isinstance(value, list) for fact in json.loads(proofs.read_text())["facts"] for value in fact["claim"].values())
    assert "every certain claim is in the file" in run("check", release, proofs, "--complete").out
    assert run("audit", release, "--groups", "none", "--proofs", proofs).status == 0
    missed = run("check", release, proofs, "--complete")
    assert missed.status == 1
    assert "AGE=0-17|18-24" in missed.out
    assert "over single values" in run("check", release, proofs, "--complete", "--groups", "none").out


@pytest.mark.parametrize(
    ("groups", "words"),
    [
        ([], '"groups" is not an object'),
        ({"AGE": ["0-17"]}, "not an object"),
        ({"AGE": {"young": "0-17"}}, "not a list of codes"),
        ({"AGE": {"young": ["0-18"]}}, "'0-18' is not a value of AGE"),
        ({"AGE": {"young": []}}, "is empty"),
        ({"AGE": {"young": ["0-17", "0-17"]}}, "names a value twice"),
        ({"AGE": {" ": ["0-17"]}}, "has no name"),
        ({"SIZE": {"young": ["0-17"]}}, "'SIZE' is not a column"),
    ],
)
def test_wrong_groups_are_refused_in_one_line(tmp_path: Path, groups: object, words: str) -> None:
    release = folder(tmp_path / "release", domain={**DOMAIN, "groups": groups})
    with pytest.raises(InputError, match=r"group|column") as caught:
        Release.read(release)
    assert len(caught.value.problems) == 1
    assert words in str(caught.value)
    checked = run("check", release, release / "domain.json")
    assert checked.status == (1 if words == "has no name" else 2)  # names mean nothing to the checker
