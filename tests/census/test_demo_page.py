"""The page of the bundled block and its stored explanations."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from foregone import Dataset, Predicate, Release, audit
from foregone.census.demo import demo_release
from foregone.census.demo_page import stored_explanations
from foregone.census.textbook import textbook_release
from foregone.cli.app import app
from foregone.model.subject import ANY
from foregone.pages.derivation import confirm
from foregone.pages.ranking import audited_release


@pytest.mark.parametrize("bundled", [demo_release, textbook_release])
def test_stored_explanations_cover_the_demo(bundled: Callable[[], tuple[Release, Dataset]]) -> None:
    release, _ = bundled()
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


def test_the_textbook_page_counts_what_is_shown_once_and_explains_it(tmp_path: Path) -> None:
    run = CliRunner().invoke(app, ["demo", "--textbook", "--page", str(tmp_path / "seven.html")])
    assert "7 people, 21 published numbers and 7 withheld cells, " in run.output
    text = (tmp_path / "seven.html").read_text()
    assert "From the 21 published numbers alone (seven cells are withheld), anyone" in text
    assert "why?" in text
    assert "1 or 2 or 3" not in text
    assert "so their ages add up to" in text


@pytest.mark.slow
def test_stored_explanations_of_the_textbook_are_enough() -> None:
    """Each anew, by a proof from these numbers alone."""
    release, _ = textbook_release()
    for (claim, count), derivation in stored_explanations(release.fingerprint()).items():
        confirm(release, Predicate.parse(claim, release.domain), count, derivation)
