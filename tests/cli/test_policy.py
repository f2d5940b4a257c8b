"""What a steward sees first: marks that can be worked out, then who is singled out, and what could not be judged."""

from __future__ import annotations

import csv
import json
from html import unescape
from pathlib import Path

import pytest

from foregone import Domain, Predicate, Release, Statistic
from foregone.formats.folder import write_release
from foregone.pages.views import not_shown
from tests.cli.commands import run

DOMAIN = Domain.of({"AGE": ["old", "young"], "SEX": ["F", "M"]}, record="patient", marks={"*": ((1, 4),)})


def clinic(stars: bool = True) -> Release:
    """Five old and two young patients; the star for one young woman is pierced by the total, and one old man is printed."""
    hidden = {("young", "F")} if stars else set()
    counts = {("old", "F"): 4, ("old", "M"): 1, ("young", "F"): 1, ("young", "M"): 1}
    cells = [
        Statistic(Predicate.of({"AGE": age, "SEX": sex}), 1, 4, f"t.{age}.{sex}", "t", mark="*")
        if (age, sex) in hidden
        else Statistic.exact(Predicate.of({"AGE": age, "SEX": sex}), n, f"t.{age}.{sex}", "t")
        for (age, sex), n in counts.items()
    ]
    return Release(DOMAIN, [*cells, Statistic.exact(Predicate(), 7, "t.all", "t")])


@pytest.fixture
def release(tmp_path: Path) -> Path:
    write_release(clinic(), tmp_path / "clinic")
    return tmp_path / "clinic"


def test_marks_that_are_pierced_head_the_audit(release: Path, tmp_path: Path) -> None:
    lines = run("audit", release).out.splitlines()
    assert lines[:3] == [
        "1 hidden cell can be worked out:",
        "  t.young.F, printed *, is certainly 1.",
        "7 patients, 5 published numbers, 4 kinds of patient still possible.",
    ]
    write_release(clinic(stars=False), tmp_path / "shown")
    assert run("audit", tmp_path / "shown").out.startswith("7 patients")


def test_what_is_printed_is_listed_apart_from_what_follows(release: Path, tmp_path: Path) -> None:
    (tmp_path / "policy.toml").write_text("singled_out_columns = 2\nstars = \"unknown\"\n")
    ran = run("audit", release, "--policy", tmp_path / "policy.toml")
    assert ran.status == 1
    told = ran.out[ran.out.index("Hidden, but known exactly") :].splitlines()
    assert told == [
        "Hidden, but known exactly: 1 cell told above",
        "Facts about too few records:",
        "  Exactly one patient has AGE: young; SEX: F.",
        "Facts about too few records that are printed, at least in part:",
        "  Exactly one patient has AGE: old; SEX: M.",
        "  Exactly one patient has AGE: young; SEX: M.",
        "The release breaks the policy (policy.toml) in 4 ways: no record is singled out by 2 columns or more;"
        " no hidden cell can be worked out.",
    ]


def test_the_page_begins_with_it(release: Path, tmp_path: Path) -> None:
    ran = run("report", release, "--out", tmp_path / "page.html", "--explain", 0, "--gate")
    assert ran.status == 1
    assert "Outcome: fail: 1 hidden cell can be worked out (default limit" in ran.out
    assert ": t.young.F, printed *, is certainly 1." in ran.out
    text = unescape((tmp_path / "page.html").read_text("utf-8"))
    first = text.split("<main")[1].split('aria-label="Pictures"')[0]
    assert "Hidden, but known exactly" in first
    assert "t.young.F, printed *, is certainly 1." in first
    assert text.index("Hidden, but known exactly") < text.index("Facts about too few records") < text.index("Pictures")
    hidden = run("report", release, "--out", tmp_path / "page.html", "--explain", 0, "--redact")
    assert "t.young.F" not in hidden.out
    assert "t.young.F" not in (tmp_path / "page.html").read_text("utf-8")


def test_long_lists_say_where_the_rest_is(release: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(not_shown, "BREACHES_SHOWN", 1)
    monkeypatch.setattr("foregone.cli.audit.LISTED", 1)
    run("report", release, "--out", tmp_path / "page.html", "--explain", 0)
    assert "And 1 more, all in <code>page.breaches.csv</code>" in (tmp_path / "page.html").read_text("utf-8")
    with (tmp_path / "page.breaches.csv").open(newline="") as file:
        assert [row["what"] for row in csv.DictReader(file)] == [
            "t.young.F, printed *, is certainly 1",
            "Exactly one patient has AGE: young; SEX: F",
            "Exactly one patient has AGE: old; SEX: M",
            "Exactly one patient has AGE: young; SEX: M",
        ]
    (tmp_path / "policy.toml").write_text("singled_out_columns = 2\n")
    out = run("audit", release, "--policy", tmp_path / "policy.toml").out
    assert "and 1 more, all on the page of foregone report" in out


@pytest.mark.parametrize(
    ("text", "key"),
    [("both_sides = 20\nprimary = [\"t.old.F\"]\nknow = []\n", "both_sides"), ("largest_baseline = 0.5\n", "largest_baseline")],
)
def test_what_cannot_be_judged_is_undecided_everywhere(tmp_path: Path, text: str, key: str) -> None:
    cells = [Statistic(Predicate.of({"AGE": age, "SEX": "F"}), 1, 4, f"t.{age}.F", "t", mark="*") for age in ("old", "young")]
    write_release(Release(DOMAIN, [*cells, Statistic.exact(Predicate(), 7, "t.all", "t")]), tmp_path / "clinic")
    (tmp_path / "policy.toml").write_text(text)
    ran = run("audit", tmp_path / "clinic", "--policy", tmp_path / "policy.toml")
    assert ran.status == 3
    assert f"Undecided: {key} could not be judged: " in ran.out
    page = run("report", tmp_path / "clinic", "--out", tmp_path / "p.html", "--gate", tmp_path / "policy.toml", "--explain", 0)
    assert page.status == 3
    assert f"{key} could not be judged" in page.out
    content = json.loads((tmp_path / "p.results.json").read_text())
    assert content["verdict"] == "review"
    assert content["policies"]["fail"]["verdict"] == "undecided"
    assert [doubt["key"] for doubt in content["not_judged"]] == [key]


def test_a_what_if_is_judged_too(release: Path, tmp_path: Path) -> None:
    (tmp_path / "policy.toml").write_text("stars = \"unknown\"\n")
    kept = run("audit", release, "--hide", "t", "--policy", tmp_path / "policy.toml")
    assert kept.status == 0
    assert "Outcome before: fail: 1 hidden cell can be worked out (limit set by " in kept.out
    assert run("audit", release, "--hide", "t.old.F", "--policy", tmp_path / "policy.toml").status == 0
    assert run("audit", release, "--hide", "t.young.F", "--policy", tmp_path / "policy.toml").status == 1
