"""The page of the bundled block and its stored explanations."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from foregone.census.demo import STORED, demo_release, stored_explanations
from foregone.cli.app import app
from foregone.pages.derivation import Derivation, derive
from foregone.pages.ranking import RankedFact
from tests.census.explanations import BUNDLED, FOLDER, better, confirm, explanations_text, told

SAMPLE = 2


DUE = "run `python -m tests.census.explanations`"


@pytest.mark.parametrize("name", BUNDLED)
def test_stored_explanations_are_those_of_the_facts_that_are_told(name: str) -> None:
    """In the order of the page and in today's layout; those that were too hard to explain are missing."""
    release, _ = BUNDLED[name]()
    stored = stored_explanations(release.fingerprint())
    facts = told(release)
    claims = [(fact.predicate.text(release.domain), fact.count) for fact in facts]
    assert {claim for claim in claims if claim[1] == 1} <= set(stored), DUE
    assert list(stored) == [claim for claim in claims if claim in stored], DUE
    assert (FOLDER / name).read_text("utf-8") == explanations_text(release, stored), DUE
    assert set(BUNDLED) == set(STORED)
    assert stored_explanations("another") == {}


def test_the_shortest_stored_explanations_come_out_the_same_today() -> None:
    """A sample of what takes minutes in all: a change to how explanations are found shows here first."""
    release, _ = demo_release()
    stored = stored_explanations(release.fingerprint())
    facts = [fact for fact in told(release) if (fact.predicate.text(release.domain), fact.count) in stored]

    def size(fact: RankedFact) -> int:
        return len(stored[fact.predicate.text(release.domain), fact.count].statistics)

    for fact in sorted(facts, key=size)[:SAMPLE]:
        assert derive(release, fact.telling, fact.count) == stored[fact.predicate.text(release.domain), fact.count], DUE


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


def test_an_explanation_that_is_easier_to_follow_is_kept() -> None:
    anchored, short, long = Derivation((1, 2, 3), anchor=1), Derivation((1, 2)), Derivation((4, 5, 6))
    assert better(anchored, short) is anchored
    assert better(long, short) is short
    assert better(short, None) is short
    assert better(None, long) is long
    assert better(Derivation((7, 8)), short) is short
    assert better(None, None) is None


@pytest.mark.slow
@pytest.mark.parametrize("name", BUNDLED)
def test_stored_explanations_are_enough(name: str) -> None:
    """Each anew, by a proof from these numbers alone, for what the page tells today."""
    release, _ = BUNDLED[name]()
    stored = stored_explanations(release.fingerprint())
    assert len(stored) >= 7
    for fact in told(release):
        derivation = stored.get((fact.predicate.text(release.domain), fact.count))
        if derivation is not None:
            confirm(release, fact.telling, fact.count, derivation)
