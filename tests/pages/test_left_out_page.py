"""The page of an imported release: what was left out, and a warning where it stands beside a cell that is not shown."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest

from foregone import protect, report
from foregone.formats.beside import OTHER, AllLeftOut, LeftOut
from foregone.model.protection import protection_summary
from foregone.pages.views.not_shown import view_left_out
from tests.cli.commands import run
from tests.protection.test_small_cases import CLINICS, SHOWN

TABLE = """\
Town,Male,Female,Total,"Rate per 100,000"
Ambridge,17,22,39,3604.4
Darrington,*,31,33,3762.8
All towns,19,53,72,3101.0
"""


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("left_out")
    (folder / "by_town.csv").write_text(TABLE, "utf-8")
    assert run("import", folder / "by_town.csv", "--out", folder / "r", "--token", "*=1..4").status == 0
    return folder / "r"


def words(page: Path) -> str:
    text = page.read_text("utf-8").split("<body>")[1].split("<script")[0]
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", text)).split())


def test_the_page_warns_and_lists(release: Path, tmp_path: Path) -> None:
    done = run("report", release, "--out", tmp_path / "page.html")
    assert done.status == 0
    warning = (
        "1 number that was left out stands beside cells that are not shown (Rate per 100,000 in by_town.csv: E3)."
        " A reader may work the count back from it."
    )
    assert f"Warning: {warning}" in done.out
    text = words(tmp_path / "page.html")
    assert text.index(warning) < text.index("How much is known at once")  # at the top
    section = text.split("What was left out of your files")[1].split("What this rests on")[0]
    assert "3 numbers of the files are no part of the release" in section
    assert section.endswith(
        "Rate per 100,000 in by_town.csv: it does not count the same records"
        " ◆ E3 3762.8 (beside a cell that is not shown) E2 3604.4 E4 3101.0 "
    )
    report(release, tmp_path / "python.html")
    assert warning in words(tmp_path / "python.html")


def test_a_redacted_page_tells_only_how_many(release: Path, tmp_path: Path) -> None:
    assert run("report", release, "--out", tmp_path / "page.html", "--redact").status == 0
    text = (tmp_path / "page.html").read_text("utf-8")
    assert "1 number that was left out stands beside cells that are not shown." in text
    assert "3 numbers of the files are no part of the release" in text
    for secret in ("Rate per 100,000", "by_town", "3762.8", "E3"):
        assert secret not in text


def test_a_page_without_any_has_no_section(tmp_path: Path) -> None:
    report(CLINICS, tmp_path / "page.html")
    assert "left out of your files" not in (tmp_path / "page.html").read_text("utf-8")


def test_long_lists_say_how_many_more_and_where() -> None:
    cells = [LeftOut("t.csv", "", f"C{row}", "1.5", f"column C (Rate): {OTHER}") for row in range(1, 101)]
    cells += [LeftOut("t.csv", "", f"A{row}", "12", f"row {row} (Mean): it does not count records") for row in range(101, 161)]
    cells.append(LeftOut("t.csv", "", "", "and 7 more", f"column C (Rate): {OTHER}"))
    found = view_left_out(AllLeftOut(tuple(cells), (cells[99], cells[159])), redact=False)
    assert found is not None
    assert found.summary.startswith("167 numbers of the files")
    first, second = found.groups[:2]  # what stands beside a hidden count comes first, wherever it stands
    assert (first.heading, len(first.cells), first.left) == ("Rate", 60, 47)
    assert first.cells[:2] == (("C100", "1.5", True), ("C1", "1.5", False))
    assert (second.heading, second.cells) == ("Mean", (("A160", "12", True),))
    assert len(found.groups) == 40
    assert found.left + sum(len(group.cells) + group.left for group in found.groups) == 167
    assert view_left_out(AllLeftOut(), redact=False) is None


def test_cells_to_withhold_are_all_named_or_counted() -> None:
    from dataclasses import replace

    found = protect(CLINICS, SHOWN)
    names = tuple(f"t.B{row}" for row in range(2, 32))
    original = CLINICS.hide()
    original.places = {name: f"cell {name[2:]} of t.csv" for name in names}
    many = replace(found, withheld=names, original=original)
    lines = protection_summary(many).splitlines()
    cells = ", ".join(name[2:] for name in names[:12])
    assert f"In your files: cells {cells} of t.csv and 18 more, all in protect.json." in lines
    assert any(line.startswith("Withhold 30 cells") and line.endswith("t.B13 and 18 more, all in protect.json.") for line in lines)
    every = ", ".join(name[2:] for name in names)
    assert f"In your files: cells {every} of t.csv." in protection_summary(many, 100).splitlines()
