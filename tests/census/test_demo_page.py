"""The page of the bundled block and its stored explanations."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from foregone import audit
from foregone.census.demo import demo_release
from foregone.census.demo_page import stored_explanations
from foregone.cli.app import app
from foregone.model.subject import ANY
from foregone.pages.ranking import audited_release


def test_stored_explanations_cover_the_demo() -> None:
    release, _ = demo_release()
    stored = stored_explanations(release.fingerprint())
    listed = audited_release(audit(release), ANY).listed
    claims = {(f.predicate.text(release.domain), f.count) for f in listed}
    assert claims <= set(stored)
    assert stored_explanations("another") == {}


def test_demo_names_its_page_and_goes_on_without_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run = CliRunner().invoke(app, ["demo"])
    assert run.exit_code == 0, run.output
    assert str(tmp_path / "foregone-demo.html") in run.output
    assert "why?" in (tmp_path / "foregone-demo.html").read_text()
    refused = CliRunner().invoke(app, ["demo", "--page", str(tmp_path / "missing" / "page.html")])
    assert refused.exit_code == 0
    assert "was not written" in refused.output


def test_facts_that_read_alike_point_to_each_other(tmp_path: Path) -> None:
    CliRunner().invoke(app, ["demo", "--page", str(tmp_path / "demo.html")])
    text = (tmp_path / "demo.html").read_text()
    said = re.findall(r'class="said">(.*?)</span>\s*<span class="tags"><span class="tag strong">(.*?)</span>', text)
    repeated = len(said) - len(set(said))
    assert repeated > 0
    assert text.count("told by other columns") == repeated
