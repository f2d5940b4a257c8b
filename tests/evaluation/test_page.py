"""The study's page: the paper's numbers beside ours, one section after another, in words that fit what was studied."""

from __future__ import annotations

import html
import re
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from foregone.census.kinds import KINDS
from foregone.evaluation import page as page_module
from foregone.evaluation.deviations import deviations
from foregone.evaluation.experiments import NOTHING_TIED, STUDIED, TRACT, VACANT, Experiment
from foregone.evaluation.figures import THEMED, Bars, Boxes, Range
from foregone.evaluation.findings import MEANT, Findings, PaperNumbers, published
from foregone.evaluation.page import SECTIONS, Section, themed
from foregone.evaluation.sample import StudyOptions
from tests.country import command

PAPER = published(KINDS["household"])
WIDTHS = range(6, 11)
ASKED_FOR = ("likely", "register")  # sections that only `--likely` brings


def test_every_number_of_the_paper_says_where_it_stands() -> None:
    for name in MEANT:
        assert PAPER.get(name, "from"), name
    assert {name for name, value in PAPER.content.items() if isinstance(value, dict) and "from" in value} >= set(MEANT)


def test_the_numbers_of_the_paper_agree_with_each_other() -> None:
    """Its averages per block are its totals over 250 blocks, and, for the national median, over 232: the page says so."""
    for which, blocks in (("state-median", 250), ("national-median", 232)):
        for claims in ("singleton", "all"):
            total = PAPER.by_width(WIDTHS, "identified", "total", which, claims)
            mean = PAPER.by_width(WIDTHS, "identified", "per_block", which, claims)
            assert [round(n / blocks, 2) for n in total] == pytest.approx(mean, abs=0.0101)
    assert any("232" in note for note in PAPER.get("notes"))
    assert PAPER.by_width(WIDTHS, "ablation", "none") == PAPER.by_width(
        WIDTHS, "identified", "total", "national-median", "singleton"
    )
    values = PAPER.get("values")
    assert sum(values["mean"]) == pytest.approx(values["queries"], abs=0.02)
    assert [n / values["queries"] for n in values["mean"]] == pytest.approx(values["share"], abs=1e-4)
    assert [PAPER.get("ablation", name, "share") for name in ("1", "0")] == [values["share"][1], values["share"][0]]
    nine = dict(PAPER.get("combinations", "9"))
    names = PAPER.get("combinations", "10")[0][0].split()
    for name, share in PAPER.get("columns", "9").items():
        (left_out,) = (part for words, part in nine.items() if name not in words.split())
        assert share == pytest.approx(1 - left_out)
    for k in WIDTHS:
        for words, _ in PAPER.get("combinations", str(k)):
            assert len(words.split()) == k
            assert set(words.split()) <= set(names)


def test_what_sets_a_study_apart_is_said() -> None:
    same = PAPER.differences(StudyOptions(), False, 621)
    assert same == ["other blocks were drawn"]
    other = replace(StudyOptions(), per_state=2, min_columns=7, variant="official", units="all", rules="edit", time_limit=3.0)
    said = " ".join(PAPER.differences(other, True, 636))
    for words in ("generator", "2 blocks per state", "7 or more columns", "636 counts", "vacant", "edit rules", "3 seconds"):
        assert words in said
    assert PaperNumbers({}).differences(other, True, 636) == []


def test_what_explains_a_deviation_takes_some_of_it_away() -> None:
    """The nearest experiment is named if it is nearer by a tenth; what it has no number for counts as unchanged; below a limit all
    is well."""

    def tried(setting: str, ones: list[float | None], chance: float) -> Experiment:
        shares: dict[tuple[str, int | None], float | None] = {("without ones", k): n for k, n in zip(WIDTHS, ones, strict=True)}
        return Experiment(setting, "621", 30, {**shares, ("tract chance", 6): chance})

    studied = tried(STUDIED, [0.7, 0.7, 0.7, 0.7, 0.7], 0.01)
    empty = tried(TRACT, [0.4, None, None, None, None], 0.0)
    near = tried(NOTHING_TIED, [0.4, 0.3, 0.3, 0.3, 0.3], 0.3)
    for others, expected in (([empty, near], NOTHING_TIED), ([empty], TRACT), ([tried(VACANT, [0.69] * 5, 0.0)], None)):
        found = cast(Findings, SimpleNamespace(experiments=(studied, *others), paper=PAPER))
        (only,) = deviations(found)
        assert (only.measure, only.here) == ("without ones", (0.7,) * 5)
        assert (only.nearest and only.nearest[0]) == (expected and f"{expected}, read as 621")
    far = tried(STUDIED, [0.37, 0.3, 0.26, 0.25, 0.0], 0.05)
    (only,) = deviations(cast(Findings, SimpleNamespace(experiments=(far, empty), paper=PAPER)))
    assert (only.measure, only.nearest) == ("tract chance", (f"{TRACT}, read as 621", (0.0,)))


def test_pictures_tell_their_numbers_in_words() -> None:
    bars = Bars("b", "Title", ["6", "7"], [1.25, 0.5], [2.64, None], "columns", "households", 2, ranges=[Range("paper", 0, 1, 1)])
    assert bars.alt == "Title. households by columns. 6: 1.25, paper 2.64; 7: 0.50. Paper: 6 to 7, 7 in the whole country."
    boxes = Boxes("b", "Title", ["6", "7"], [[1, 2, 3, 4, 5], None], [("median", 2.0)], "columns", "chance, %")
    assert "7: no claims" in boxes.alt
    assert "median 2.0" in boxes.alt
    assert boxes.alt.endswith("Paper: median under 2.")


def test_drawings_take_the_colours_of_the_page() -> None:
    drawn = (
        f'<?xml version="1.0"?>\n<svg width="9pt" viewBox="0 0 9 9" version="1.1"><metadata>x</metadata>{" ".join(THEMED)}</svg>\n'
    )
    assert themed(drawn).startswith('<svg viewBox="0 0 9 9" aria-hidden="true">var(--')
    assert not re.search("#[0-9a-f]{6}|metadata", themed(drawn))


def text_of(page: str) -> str:
    return " ".join(
        html.unescape(re.sub(r"<[^>]+>", " ", re.sub(r"<style>.*?</style>|<svg.*?</svg>", "", page, flags=re.S))).split()
    )


@pytest.mark.slow
def test_all_of_the_paper_is_on_the_page(country: Path) -> None:
    page = (country / "study" / "index.html").read_text("utf-8")
    text = text_of(page)
    for which in ("state-median", "national-median"):
        for claims in ("singleton", "all"):
            assert " ".join(f"{n:,}" for n in PAPER.by_width(WIDTHS, "identified", "total", which, claims)) in text
            assert " ".join(f"{n:.2f}" for n in PAPER.by_width(WIDTHS, "identified", "per_block", which, claims)) in text
            named = re.search(f"{which.capitalize()} blocks|{which} blocks", text)
            assert named
    for name in ("none", "1", "0", "0,1"):
        row = [f"{100 * PAPER.get('ablation', name, 'share'):.2f}", *map(str, PAPER.by_width(WIDTHS, "ablation", name))]
        assert " ".join(row) in text
    for k in WIDTHS:
        for _, share in PAPER.get("combinations", str(k)):
            assert f"{100 * share:.2f}" in text
    alt = html.unescape(" ".join(re.findall(r'aria-label="([^"]*)"', page)))
    for told in (
        "paper 2.64",
        "paper 80",
        "paper 40",
        "3rd quartile under 10",
        "paper 37",
        "paper 90.9",
        "HHT2: ",
        "Paper: 2 to 20",
    ):
        assert told in alt, told
    assert "Its averages per block for the national median" in text
    assert "What compares, and what does not" in text
    assert "No question stayed undecided" in text
    assert [section.name for section in SECTIONS if section.name not in ASKED_FOR] == re.findall(r'<section id="([a-z]+)"', page)


@pytest.mark.slow
def test_a_study_of_persons_does_not_speak_of_households_or_a_paper(tmp_path: Path) -> None:
    command("census", "synth", "--subject", "person", "--out", tmp_path / "p.csv", "--states", 1, "--tracts", 1, "--blocks", 4)
    where = tmp_path / "study"
    command("census", "study", tmp_path / "p.csv", "--subject", "person", "--out", where, "--per-state", 1, "--workers", 1)
    text = text_of((where / "index.html").read_text("utf-8"))
    assert "household" not in text.lower()
    assert "paper" not in text.lower()
    assert "exactly m people" in text
    assert not re.search(r"\b1 columns|1 blocks are|fewer than 1", text)


@pytest.mark.slow
def test_a_section_can_be_added_and_left_out(country: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another section is a template and an entry in the list; one that has nothing to say is not there."""
    found: dict[str, Any] = {}
    real = page_module.page

    def remember(*given: Any) -> str:
        found["given"] = given
        return real(*given)

    monkeypatch.setattr("foregone.evaluation.page.page", remember)
    out = tmp_path / "study"
    command("census", "study", country / "units.parquet", "--out", out, "--per-state", 1, "--workers", 1, "--experiments", 2)
    template = page_module._template
    monkeypatch.setattr(page_module, "_template", lambda name: "<p>{{ rows.word }}</p>" if name == "more.html" else template(name))
    more = (Section("more", "More", lambda _: {"word": "something else"}), Section("none", "None", lambda _: None))
    monkeypatch.setattr(page_module, "SECTIONS", (*SECTIONS, *more))
    page = real(*found["given"])
    assert "<p>something else</p>" in page
    assert f"{len(SECTIONS) - len(ASKED_FOR) + 1}. More" in page
    assert 'id="none"' not in page
