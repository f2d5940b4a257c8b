"""`foregone protect` as a person meets it: exit statuses, files, and what check says of the certificate."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from foregone import Release
from foregone.checker import digest
from foregone.cli.app import app
from tests.country import command
from tests.protection.test_small_cases import CLINICS

runner = CliRunner()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    CLINICS.write(tmp_path / "release")
    (tmp_path / "policy.toml").write_text('primary = "1..3"\nknow = ["zeros-shown"]\n')
    return tmp_path


def protect(folder: Path, *options: str) -> Any:
    return runner.invoke(app, ["protect", str(folder / "release"), "--policy", str(folder / "policy.toml"), *options])


def test_proved_smallest(folder: Path) -> None:
    out, proofs, page = folder / "out", folder / "certificate.json", folder / "page.html"
    result = protect(folder, "--out", str(out), "--proofs", str(proofs), "--page", str(page))
    assert result.exit_code == 0, result.output
    assert "nothing cheaper is enough (proved)" in result.output
    assert json.loads((folder / "out-private" / "protect.json").read_text("utf-8"))["cost"] == 4
    assert sorted(path.name for path in out.iterdir()) == ["domain.json", "statistics.csv"]  # nothing tells how it was chosen
    assert (folder / "out-private").stat().st_mode & 0o777 == 0o700
    assert page.is_file()
    checked = runner.invoke(app, ["check", str(folder / "release"), str(proofs)])
    assert checked.exit_code == 0, checked.output
    assert "No choice costs less." in checked.output
    assert 'Policy: {"primary": "1..3"' in checked.output
    lines = ["May be done: withhold cells", "Cost: 1 a withheld cell", "Kept: nothing", "Marks: one"]
    assert all(f"  {line}\n" in checked.output for line in lines)
    assert "So 14 actions (cell) and their costs follow; 0 numbers stay as they are." in checked.output
    policy = ["--policy", str(folder / "policy.toml")]
    assert runner.invoke(app, ["audit", str(out), *policy]).exit_code == 0
    broken = runner.invoke(app, ["audit", str(folder / "release"), *policy])
    assert broken.exit_code == 1
    assert "T.AF is a primary cell and is shown" in broken.output


def test_no_allowed_set_is_enough(folder: Path) -> None:
    result = protect(folder, "--out", str(folder / "out"), "--keep", "T.A*", "--keep", "T.[B-Z]*", "--keep", "T.all")
    assert result.exit_code == 2  # T.A* would keep the primary cell
    result = protect(folder, "--out", str(folder / "out"), "--keep", "T.AM", "--keep", "T.A")
    assert result.exit_code == 1
    assert "No allowed choice is enough" in result.output
    assert not (folder / "out").exists()


def test_stopped_early(folder: Path) -> None:
    result = protect(folder, "--out", str(folder / "out"), "--time-limit", "0.0001")
    assert result.exit_code == 3, result.output


def test_bad_input(folder: Path) -> None:
    assert protect(folder, "--out", str(folder / "out.json")).exit_code == 2
    assert protect(folder, "--out", str(folder / "out"), "--know", "everything").exit_code == 2
    assert protect(folder, "--out", str(folder / "out"), "--merge", "SEX").exit_code == 2
    (folder / "policy.toml").write_text('primary = "0..3"\nknow = ["zeros-shown"]\n')
    assert protect(folder, "--out", str(folder / "out")).exit_code == 2


def many(folder: Path) -> Any:
    """Two releases, of which one table has to be withheld."""
    (folder / "many").mkdir()
    CLINICS.write(folder / "many" / "one")
    first, *others = CLINICS.statistics
    Release(CLINICS.domain, [first, *others]).write(folder / "many" / "two")
    (folder / "policy.toml").write_text("singled_out_columns = 1\nsmallest_group = 3\n")
    options = ["--by", "table", "--policy", str(folder / "policy.toml"), "--out", str(folder / "out")]
    return runner.invoke(app, ["protect", str(folder / "many"), *options])


def test_a_table_for_many_releases(folder: Path) -> None:
    result = many(folder)
    assert result.exit_code == 0, result.output
    assert "no cheaper choice is enough for all of them (proved)" in result.output
    assert json.loads((folder / "out" / "protect.json").read_text("utf-8"))["withheld"] == ["T"]


def test_a_bound_for_many_releases_that_only_a_solver_vouches_for_is_undecided(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("foregone.protection.many.bound_proof", lambda *_: None)
    result = many(folder)
    assert result.exit_code == 3, result.output
    assert "no cheaper choice is enough for all of them (reported by a solver, not proved)" in result.output


@pytest.mark.slow
def test_a_run_is_protected_as_its_input_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Raw or ingested, and as a run: the same blocks, the same choice."""
    monkeypatch.delenv("FOREGONE_LOOP", raising=False)
    command("census", "synth", "--states", 1, "--tracts", 1, "--blocks", 5, "--out", tmp_path / "units.csv")
    command("census", "ingest", tmp_path / "units.csv", "--out", tmp_path / "units.parquet")
    command("run", tmp_path / "units.csv", "--out", tmp_path / "RUN", "--limit", 2, "--workers", 1)
    (tmp_path / "policy.toml").write_text("singled_out_columns = 9\n")
    made = []
    for source, limit in (("units.csv", ["--limit", "2"]), ("units.parquet", ["--limit", "2"]), ("RUN", [])):
        out = tmp_path / f"{source}.out"
        asked = ["--by", "table", "--groups", "none", "--policy", str(tmp_path / "policy.toml"), "--workers", "1"]
        asked += ["--keep", "H*", "--keep", "P1?"]  # with few tables to choose from it takes a second
        result = runner.invoke(app, ["protect", str(tmp_path / source), *asked, *limit, "--out", str(out)])
        assert result.exit_code == 0, result.output
        made.append((out / "protect.json").read_text("utf-8"))
    assert made[0] == made[1] == made[2]
    assert json.loads(made[0])["releases"] == 2
    (tmp_path / "units.csv").unlink()
    gone = runner.invoke(app, ["protect", str(tmp_path / "RUN"), "--by", "table", "--out", str(tmp_path / "out")])
    assert gone.exit_code == 2
    assert "is not there any more" in gone.output


FORGERIES: dict[str, Callable[[dict[str, Any]], object]] = {
    "a bound that nothing pays for": lambda file: file["covering"].update(pay=[], over=1) if "pay" in file["covering"] else None,
    "a lower bound above the cost of what is paid": lambda file: file.update(lower_bound=9),
    "an explanation without its proof": lambda file: file["explanations"][0].update(proofs=[]),
    "an explanation that needs less than it says": lambda file: file["explanations"][0]["needs"].pop(),
    "a need beyond what is shown": lambda file: file["explanations"][0]["needs"][0].update(low=1000, high=1000),
    "a number that is not shown": lambda file: file["explanations"].append(
        {
            "needs": [{"number": 0, "low": 2, "high": 2}],
            "breach": {"cell": 0, "low": 2, "high": 2},
            "steps": [{"columns": "G", "sets": [["A"], ["B", "C", "D"]]}, {"columns": "SEX", "sets": [["F"], ["M"]]}],
            "proofs": [{"terms": [[0, 1]], "over": 1}, {"terms": [[1, 1]], "over": 1}],
        }
    ),
    "an action that is left out": lambda file: file.update(taken=file["taken"][1:]),
    "no datasets": lambda file: file["safe"].update(datasets=file["safe"]["datasets"][:1]),
    "another primary cell": lambda file: file.update(primary=[{"number": 1, "low": 1, "high": 3, "steps": [], "proofs": []}]),
}


@pytest.mark.parametrize("name", FORGERIES)
def test_forged_certificates_are_rejected(folder: Path, name: str) -> None:
    proofs = folder / "certificate.json"
    assert protect(folder, "--out", str(folder / "out"), "--proofs", str(proofs)).exit_code == 0
    file = json.loads(proofs.read_text("utf-8"))
    before = json.dumps(file)
    FORGERIES[name](file)
    assert json.dumps(file) != before  # a forgery that changes nothing would show nothing
    file["digest"] = digest(file)
    proofs.write_text(json.dumps(file))
    result = runner.invoke(app, ["check", str(folder / "release"), str(proofs)])
    assert result.exit_code == 1, result.output
    assert "Rejected" in result.output


def test_a_bound_without_a_proof_is_undecided(folder: Path) -> None:
    proofs = folder / "certificate.json"
    assert protect(folder, "--out", str(folder / "out"), "--proofs", str(proofs)).exit_code == 0
    file = json.loads(proofs.read_text("utf-8"))
    file.pop("covering")
    proofs.write_text(json.dumps({**file, "digest": digest(file)}))
    result = runner.invoke(app, ["check", str(folder / "release"), str(proofs)])
    assert result.exit_code == 3, result.output
    assert "Not shown: that no cheaper choice meets all explanations" in result.output
    assert "No choice costs less." not in result.output
