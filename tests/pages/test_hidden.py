"""Cells that are not shown: the page says what they must be, and a limit can ask for a least width."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path

import pytest

from foregone import Domain, Policy, Predicate, Release, Statistic, audit, report
from foregone.batch.subject import ANY
from foregone.formats.policy import read_policy
from foregone.model.intervals import Interval
from foregone.model.policy import Policies, Primary
from foregone.pages.outcome import judged_outcome
from foregone.pages.ranking import audited_release
from foregone.pages.views import not_shown
from foregone.pages.views.not_shown import view_hidden
from foregone.policy.judge import Judged
from tests.cli.commands import run


def ward() -> Release:
    """Two withheld cells that a total gives away together, one of them also by itself; one cell published as 1 to 4."""
    domain = Domain.of({"WARD": ["east", "north", "west"], "SEX": ["F", "M"]}, record="patient")
    numbers: list[tuple[str, dict[str, str], int, int | None, bool]] = [
        ("all", {}, 20, 20, False),
        ("east", {"WARD": "east"}, 9, 9, False),
        ("east.F", {"WARD": "east", "SEX": "F"}, 0, None, True),
        ("east.M", {"WARD": "east", "SEX": "M"}, 6, 6, False),
        ("north", {"WARD": "north"}, 1, 4, False),
        ("west", {"WARD": "west"}, 8, 9, False),
    ]
    return Release(domain, [Statistic(Predicate.of(where), low, high, name, "", out) for name, where, low, high, out in numbers])


def test_the_page_says_what_each_must_be(tmp_path: Path) -> None:
    report(ward(), tmp_path / "page.html")
    text = unescape((tmp_path / "page.html").read_text("utf-8"))
    assert "1 of the 3 cells that are withheld or given as ranges is exactly known." in text
    section = text.split('<ul class="unseen">')[1].split("</ul>")[0]
    lines = [re.sub(r"<[^>]*>", " ", line).split() for line in section.split("</li>")[:-1]]
    assert [" ".join(line) for line in lines] == [
        "east.F WARD: east; SEX: F withheld, certainly 3 exactly known",
        "north WARD: north published 1 to 4, certainly 2 to 3",
        "west WARD: west published 8 to 9, certainly 8 to 9",
    ]
    assert section.count('<li class="exact">') == 1
    outcome = json.loads((tmp_path / "page.results.json").read_text("utf-8"))
    assert outcome["hidden"] == {"cells": 3, "known": 1, "smallest_width": 1, "undecided": 0}


def starred() -> Release:
    """A sheet with the sexes down and the ages across: one star that its row gives away, one that nothing does."""
    domain = Domain.of({"AGE": ["young", "old"], "SEX": ["F", "M"]}, record="patient")
    cells: list[tuple[str, dict[str, str], int, int, str]] = [
        ("t.B2", {"AGE": "young", "SEX": "F"}, 5, 5, ""),
        ("t.C2", {"AGE": "old", "SEX": "F"}, 1, 4, "*"),
        ("t.D2", {"SEX": "F"}, 6, 6, ""),
        ("t.B3", {"AGE": "young", "SEX": "M"}, 1, 4, "*"),
        ("t.C3", {"AGE": "old", "SEX": "M"}, 7, 7, ""),
    ]
    counts = [Statistic(Predicate.of(where), low, high, name, "t", mark=mark) for name, where, low, high, mark in cells]
    return Release(domain, counts)


def test_the_sheet_heads_the_page_with_what_can_be_worked_out_lit(tmp_path: Path) -> None:
    report(starred(), tmp_path / "page.html")
    text = unescape((tmp_path / "page.html").read_text("utf-8"))
    sheet = text.split('<section id="exposed"')[1].split("</section>")[0]
    headings = re.findall(r'<th scope="col"[^>]*>([^<]*)</th>', sheet)
    lines = [re.sub(r"<[^>]*>", " ", line).split() for line in sheet.split("<tbody>")[1].split("</tr>")[:-1]]
    assert headings == ["SEX", "young", "old", "Total"]  # as in the sheet, where sexes stand in rows
    assert lines == [["F", "5", "*", "→", "1", "6"], ["M", "*", "7"]]
    assert "t.C2: printed *, certainly 1; show why" in sheet
    data = json.loads(text.split('id="data">')[1].split("</script>")[0])
    (about,) = (number for number in data["numbers"].values() if number["name"] == "t.C2")
    assert about["says"] == "Printed *, certainly 1."
    assert f'id="fact-{about["fact"]}"' in text
    report(starred(), tmp_path / "hidden.html", redact=True)
    assert 'id="exposed"' not in (tmp_path / "hidden.html").read_text("utf-8")


def test_a_long_table_is_lit_in_part(tmp_path: Path) -> None:
    """Thousands of cells that can be worked out do not make a page that cannot be opened; all are listed."""
    codes = [f"w{i:03}" for i in range(120)]
    domain = Domain.of({"WARD": codes, "SEX": ["F", "M"]}, record="patient")
    counts = []
    for row, code in enumerate(codes, start=2):
        counts.append(Statistic(Predicate.of({"WARD": code, "SEX": "F"}), 5, 5, f"t.B{row}", "t"))
        counts.append(Statistic(Predicate.of({"WARD": code, "SEX": "M"}), 1, 4, f"t.C{row}", "t", mark="*"))
        counts.append(Statistic(Predicate.of({"WARD": code}), 7, 7, f"t.D{row}", "t"))
    report(Release(domain, counts), tmp_path / "page.html", explain=0)
    text = unescape((tmp_path / "page.html").read_text("utf-8"))
    sheet = text.split('<section id="exposed"')[1].split("</section>")[0]
    assert sheet.count('class="pierced"') == 40
    assert "80 more lines of this table not shown" in sheet
    assert text.count("printed *, is certainly 2") >= 120


def test_a_redacted_page_only_counts_them(tmp_path: Path) -> None:
    report(ward(), tmp_path / "page.html", redact=True)
    text = (tmp_path / "page.html").read_text("utf-8")
    assert "1 of the 3 cells" in text
    assert "certainly 3" not in text
    assert "east.F" not in text


def test_a_page_without_hidden_cells_has_no_such_section(tmp_path: Path) -> None:
    shown = Release(ward().domain, [s for s in ward().statistics if s.low == s.high])
    report(shown, tmp_path / "page.html")
    assert 'id="hidden"' not in (tmp_path / "page.html").read_text("utf-8")


def test_fifty_are_shown_and_the_others_counted(tmp_path: Path) -> None:
    domain = Domain.of({"WARD": [f"w{i}" for i in range(53)]})
    cells = [Statistic(Predicate.of({"WARD": f"w{i}"}), 0, None, f"cell{i}", "", True) for i in range(53)]
    report(Release(domain, [Statistic(Predicate(), 9, 9, "all"), *cells]), tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text("utf-8")
    assert text.count("withheld, certainly 0 to 9") == 50
    assert "3 more are not shown here" in text


def test_long_lists_are_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(not_shown, "CELLS_SHOWN", 1)
    audited = audited_release(audit(ward()), ANY)
    view = view_hidden(audited, redact=False)
    assert view is not None
    assert [cell.name for cell, _ in view.cells] == ["east.F"]
    assert view.left == 2


def cell(low: int, high: int | None, proved: bool = True) -> Interval:
    return Interval("x", "", Predicate(), 0, None, low, high, True, proved)


@pytest.mark.parametrize(
    ("found", "verdict"),
    [
        (cell(0, 3), "pass"),
        (cell(0, 2), "review"),
        (cell(1, 2), "fail"),
        (cell(3, 3), "fail"),
        (cell(3, None), "pass"),
        (cell(0, 9, proved=False), "review"),
        (cell(3, 3, proved=False), "fail"),
    ],
)
def test_a_policy_can_ask_for_a_least_width(found: Interval, verdict: str) -> None:
    """What the cell must be is given here, so that every answer occurs; all of 0 to 3 is possible."""
    domain = Domain.of({"A": ["a", "b"]})
    release = Release(domain, [Statistic(Predicate.of({"A": "a"}), 0, None, "x", "", True), Statistic(Predicate(), 0, 3, "all")])
    fail, review = (Policy(primary=Primary(names=("x",)), min_width=width) for width in (3, 4))
    outcome = judged_outcome(Judged(audit(release), cells=(found, cell(0, 3))), Policies(fail, review))
    assert outcome.verdict == verdict
    assert bool(outcome.reasons) == (verdict != "pass")


def test_the_gate_reads_it_from_the_file(tmp_path: Path) -> None:
    ward().write(tmp_path / "release")
    cases = {
        "two": ("min_width = 2", 1),
        "primary": ('primary = ["north"]', 0),
        "shown": ('primary = ["north", "east.M"]', 1),
        "small": ('primary = "5..7"', 1),
        "none": ("min_width = 2\nprimary = [\"west\"]", 0),
    }
    for name, (text, status) in cases.items():
        limits = tmp_path / f"{name}.toml"
        limits.write_text(f"{text}\nsingled_out_columns = 9\n")
        ran = run("report", tmp_path / "release", "--out", tmp_path / f"{name}.html", "--thresholds", limits, "--gate")
        assert ran.status == status, ran.out + ran.err
    assert read_policy(tmp_path / "two.toml").words[-1] == "no hidden cell can be worked out"
