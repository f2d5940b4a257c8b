"""What `foregone report` writes, and where."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from foregone import audit
from foregone.cli.app import app
from foregone.formats.folder import write_release
from tests.pages.samples import town


def test_command_writes_page_results_and_rest(tmp_path: Path) -> None:
    write_release(town(), tmp_path / "town")
    out = tmp_path / "report.html"
    run = CliRunner().invoke(app, ["report", str(tmp_path / "town"), "--out", str(out), "--top", "2", "--date", "2020-01-01"])
    assert run.exit_code == 0, run.output
    assert sorted(path.name for path in tmp_path.iterdir()) == ["report.claims.csv", "report.html", "report.results.json", "town"]
    assert len((tmp_path / "report.claims.csv").read_text().splitlines()) == len(audit(town())) + 1
    again = CliRunner().invoke(
        app, ["report", str(tmp_path / "town"), "--out", str(tmp_path / "b.html"), "--top", "2", "--date", "2020-01-01"]
    )
    assert again.exit_code == 0
    assert (tmp_path / "b.html").read_text().replace("b.claims", "report.claims") == out.read_text()


def test_redacted_command_leaves_no_claims_beside(tmp_path: Path) -> None:
    write_release(town(), tmp_path / "town")
    run = CliRunner().invoke(app, ["report", str(tmp_path / "town"), "--out", str(tmp_path / "r.html"), "--top", "1", "--redact"])
    assert run.exit_code == 0, run.output
    assert not (tmp_path / "r.claims.csv").exists()
    assert json.loads((tmp_path / "r.results.json").read_text())["release"]["fingerprint"] is None


def test_date_can_be_fixed_by_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_release(town(), tmp_path / "town")
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    CliRunner().invoke(app, ["report", str(tmp_path / "town"), "--out", str(tmp_path / "r.html"), "--explain", "0"])
    assert "1970-01-02" in (tmp_path / "r.html").read_text()
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "soon")
    run = CliRunner().invoke(app, ["report", str(tmp_path / "town"), "--out", str(tmp_path / "s.html")])
    assert run.exit_code == 2


def test_bad_places_are_refused_before_any_work(tmp_path: Path) -> None:
    write_release(town(), tmp_path / "town")
    for name in ("page.pdf", "missing/page.html"):
        run = CliRunner().invoke(app, ["report", str(tmp_path / "town"), "--out", str(tmp_path / name)])
        assert run.exit_code == 2
