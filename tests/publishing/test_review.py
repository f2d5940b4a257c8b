"""The sheet that is signed: what it says, its fingerprint, and what was decided; and how the commands end."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from foregone.model.review import Decision
from foregone.publishing import writers
from foregone.publishing.csv_file import csv_with
from foregone.workflows.protect import ProtectionAsked
from foregone.workflows.review import record_decision, review, sheet_page
from tests.cli.commands import run
from tests.publishing.published import SECRET, Steward, steward
from tests.publishing.test_formats import as_csv, rows_of

ROWS = rows_of([4711, 2, 4717], [3, 4713, 4719])
TITLES = ["What was asked", "What holds", "By which proof", "What is assumed", "What is not covered"]


@pytest.fixture
def made(tmp_path: Path) -> Steward:
    return steward(tmp_path, [as_csv(tmp_path, ROWS)], asked=ProtectionAsked(proofs=True))


def test_everything_a_reviewer_needs(made: Steward, tmp_path: Path) -> None:
    sheet = review(made.protected, made.private / "certificate.json", tmp_path / "policy.toml", date="2026-11-18")
    assert sheet.verdict == "kept"
    assert [section.title for section in sheet.sections] == TITLES
    said = {section.title: " ".join(section.lines) for section in sheet.sections}
    assert "certain to count 1 to 4" in said["What was asked"]
    assert "proved to be the least" in said["What holds"]
    assert "rejects 0" in said["By which proof"]
    assert "nothing else" in said["By which proof"]
    assert "stands for at least 1" in said["What is assumed"]
    assert "knows that the least was withheld" in said["What is not covered"]
    names = dict(sheet.files)
    assert {
        "protected/statistics.csv",
        "protected-private/protect.json",
        "files/people.csv",
        "policy.toml",
        "source people.csv",
    } <= names.keys()
    assert all(re.fullmatch("[0-9a-f]{64}", digest) for digest in names.values())
    page = sheet_page(sheet)
    assert all(digest in page for digest in names.values())
    assert "Signature" in page
    assert sheet.fingerprint in page
    assert not any(number in page.replace("</", "") for number in SECRET), "the sheet tells no withheld number"


def test_a_decision_is_recorded_and_part_of_the_fingerprint(made: Steward) -> None:
    plain = review(made.protected, date="2026-11-18")
    decided = review(made.protected, decision=Decision(True, "A. Reviewer", "2026-11-18", "as agreed"), date="2026-11-18")
    other = review(made.protected, decision=Decision(False, "A. Reviewer", "2026-11-18", "as agreed"), date="2026-11-18")
    assert len({plain.fingerprint, decided.fingerprint, other.fingerprint}) == 3
    path = record_decision(decided, made.protected)
    assert path == made.private / "review.json"
    again = review(made.protected, date="2026-11-18")
    assert again.decision == decided.decision
    assert again.fingerprint == decided.fingerprint
    assert "as agreed" in sheet_page(again)
    # what was signed is what is there: any change asks for another decision
    (made.protected / "domain.json").write_text((made.protected / "domain.json").read_text("utf-8") + "\n", "utf-8")
    changed = review(made.protected, date="2026-11-18")
    assert changed.decision is None
    assert "decide again" in changed.sections[0].lines[0]
    record_decision(other, made.protected)
    assert [one["decision"]["accepted"] for one in json.loads(path.read_text("utf-8"))["decisions"]] == [True, False]


def test_a_release_that_breaks_its_policy_and_a_forged_certificate(made: Steward, tmp_path: Path) -> None:
    assert review(tmp_path / "release", policy=tmp_path / "policy.toml").verdict == "broken"
    forged = json.loads((made.private / "certificate.json").read_text("utf-8"))
    forged["explanations"] = []
    (tmp_path / "forged.json").write_text(json.dumps(forged), "utf-8")
    sheet = review(made.protected, tmp_path / "forged.json", tmp_path / "policy.toml")
    assert sheet.verdict == "broken"
    assert "rejected" in sheet.headline


def test_the_commands(made: Steward, tmp_path: Path) -> None:
    done = run("review", made.protected, "--out", tmp_path / "sheet.html", "--json")
    assert done.status == 0
    answer = json.loads(done.out)
    assert answer["verdict"] == "kept"
    assert answer["release"] == "protected"
    assert len(answer["fingerprint"]) == 64
    assert run("review", made.protected, "--accept").status == 2
    signed = run("review", made.protected, "--reject", "--name", "B", "--reason", "no")
    assert signed.status == 0
    assert "Rejected by B" in signed.out
    assert run("review", tmp_path / "release", "--policy", tmp_path / "policy.toml", "--json").status == 1
    again = run("publish", made.protected, "--files", tmp_path / "again", "--json")
    assert again.status == 0
    assert json.loads(again.out)["files"][0]["file"] == "people.csv"
    assert run("publish", made.protected, "--files", tmp_path / "again").status == 2, "a folder that is there is not replaced"


def test_sources_that_are_missing_or_have_changed(made: Steward, tmp_path: Path) -> None:
    source = tmp_path / "people.csv"
    text = source.read_text("utf-8")
    source.write_text(text.replace("4719", "4718"), "utf-8")
    changed = run("publish", made.protected, "--files", tmp_path / "later")
    assert changed.status == 2
    assert "has changed since" in changed.err
    source.unlink()
    gone = run("publish", made.protected, "--files", tmp_path / "later")
    assert gone.status == 2
    assert "is not there any more" in gone.err
    assert not (tmp_path / "later").exists()
    source.write_text(text, "utf-8")
    (made.private / "layout.toml").unlink()
    assert run("publish", made.protected, "--files", tmp_path / "later").status == 2
    (made.private / "sources.json").unlink()
    assert "sources.json: is not there" in run("publish", made.protected, "--files", tmp_path / "later").err


def test_protect_writes_the_files_at_once(tmp_path: Path) -> None:
    path = as_csv(tmp_path, ROWS)
    (tmp_path / "policy.toml").write_text('primary = "1..4"\n', "utf-8")
    run("import", path, "--out", tmp_path / "release", "--record", "patient")
    options = ("--policy", tmp_path / "policy.toml", "--out", tmp_path / "out", "--files", tmp_path / "files")
    done = run("protect", tmp_path / "release", *options)
    assert done.status == 0
    assert "says what the protected release says" in done.out
    assert (tmp_path / "files" / "people.csv").read_text("utf-8").count("[c]") == 5
    over = run("protect", tmp_path / "release", "--out", tmp_path / "other", "--files", tmp_path / "release")
    assert over.status == 2
    assert not (tmp_path / "other").exists(), "refused before any work is done"


def test_what_is_not_in_the_files_is_not_written(made: Steward, tmp_path: Path) -> None:
    """A protected release that says something else than the files: nothing is written."""
    path = made.protected / "statistics.csv"
    lines = path.read_text("utf-8").replace(",9430,", ",9431,")
    assert lines != path.read_text("utf-8")
    path.write_text(lines, "utf-8")
    done = run("publish", made.protected, "--files", tmp_path / "later")
    assert done.status == 2
    assert "people.B5: is 9430 in the files, and 9431 in the protected release" in done.err
    assert not (tmp_path / "later").exists()


def test_what_is_written_is_read_again(made: Steward, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A writer that forgets a cell, a footnote that says something else, a line that contradicts: each stops the publication."""
    right = csv_with

    def forgetful(path: Path, cells: Mapping[tuple[int, int], str], notes: Sequence[str] = (), apart: bool = True) -> bytes:
        return right(path, dict(list(cells.items())[1:]), notes, apart)

    def wrong_note(path: Path, cells: Mapping[tuple[int, int], str], notes: Sequence[str] = (), apart: bool = True) -> bytes:
        return right(path, cells, [note.replace("at least 1", "1 to 4") for note in notes], apart)

    def two_notes(path: Path, cells: Mapping[tuple[int, int], str], notes: Sequence[str] = (), apart: bool = True) -> bytes:
        return right(path, cells, [*notes, "[c] fewer than 5"], apart)

    for writer, words in ((forgetful, "which is withheld"), (wrong_note, "not explained by one"), (two_notes, "contradicts")):
        monkeypatch.setattr(writers, "csv_with", writer)
        done = run("publish", made.protected, "--files", tmp_path / "later")
        assert done.status == 2
        assert words in done.err
        assert not (tmp_path / "later").exists()
