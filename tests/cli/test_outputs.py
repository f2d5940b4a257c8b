"""Results never destroy what was there: inputs, folders of others, devices; and a file that is replaced is named."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from tests.batch.handmade import summary_line, write_run
from tests.cli.commands import Ran, left_behind, run, write_release


@pytest.fixture
def release(tmp_path: Path) -> Path:
    return write_release(tmp_path / "release", truth="SEX,AGE\nF,65-74\nF,15-24\nM,15-24\nM,15-24\nM,25-34\n")


def refused(folder: Path, *arguments: object, words: str) -> Ran:
    """Nothing is written, nothing is changed, and one line says why."""
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    names = set(folder.rglob("*"))
    ran = run(*arguments)
    assert ran.status == 2, ran
    assert len(ran.problems) == 1, ran.err
    assert words in ran.err
    assert not left_behind(folder, names)
    assert before == {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    return ran


@pytest.mark.parametrize("name", ["domain.json", "statistics.csv", "truth.csv", "rules.csv", "claims.csv", "deep/claims.csv"])
@pytest.mark.parametrize("option", ["--out", "--proofs"])
def test_inside_the_release(tmp_path: Path, release: Path, name: str, option: str) -> None:
    (release / "deep").mkdir()
    refused(tmp_path, "audit", release, option, release / name, words="lies in the input")


@pytest.mark.parametrize("how", ["itself", "relative", "symlink", "hard link", "link to the folder"])
def test_the_input_by_any_name(tmp_path: Path, release: Path, how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    single = tmp_path / "release.json"
    assert run("tabulate", release / "truth.csv", "--margins", "SEX", "--out", single).status == 0
    other: Path | str = tmp_path / "other.json"
    if how == "itself":
        other = single
    elif how == "relative":
        monkeypatch.chdir(tmp_path / "release")
        other = "../release/../release.json"
    elif how == "symlink":
        Path(other).symlink_to(single)
    elif how == "hard link":
        os.link(single, other)
    else:
        (tmp_path / "elsewhere").symlink_to(tmp_path)
        other = tmp_path / "elsewhere" / "release.json"
    refused(tmp_path, "audit", single, "--out", other, words="is the input")
    refused(tmp_path, "audit", single, "--proofs", other, words="is the input")


def test_a_part_of_the_input_through_links(tmp_path: Path, release: Path) -> None:
    os.link(release / "statistics.csv", tmp_path / "hard.csv")
    (release / "rules.csv").symlink_to(tmp_path / "shared.csv")
    (tmp_path / "shared.csv").write_text("SEX,AGE\nM,75-84\n")
    refused(tmp_path, "audit", release, "--out", tmp_path / "hard.csv", words="is a part of the input")
    refused(tmp_path, "audit", release, "--out", tmp_path / "shared.csv", words="is a part of the input")


def test_one_file_for_two_results(tmp_path: Path, release: Path) -> None:
    refused(tmp_path, "audit", release, "--out", tmp_path / "a.json", "--proofs", tmp_path / "a.json", words="are both")
    (tmp_path / "b.json").symlink_to("a.json")
    refused(tmp_path, "audit", release, "--out", tmp_path / "b.json", "--proofs", tmp_path / "a.json", words="are both")


def test_microdata_and_priors_and_thresholds(tmp_path: Path, release: Path) -> None:
    prior = tmp_path / "page.html"
    prior.write_text("SEX,AGE\nF,65-74\n")
    refused(tmp_path, "report", release, "--out", prior, "--prior", prior, words="is the input")
    outcome = tmp_path / "x.results.json"
    assert run("tabulate", release / "truth.csv", "--margins", "SEX", "--out", outcome).status == 0
    refused(tmp_path, "report", outcome, "--out", tmp_path / "x.html", words="is the input")
    micro = tmp_path / "people.json"
    micro.write_text("SEX\nF\n")
    refused(tmp_path, "tabulate", micro, "--margins", "SEX", "--out", micro, words="is the input")
    refused(tmp_path, "generate", release, "--out", release, words="is the input")
    refused(tmp_path, "generate", release, "--out", release / "made", words="lies in the input")


def test_census_inputs(tmp_path: Path) -> None:
    units = tmp_path / "units.parquet"
    assert run("census", "synth", "--out", units, "--states", 1, "--tracts", 1, "--blocks", 2).status == 0
    refused(tmp_path, "census", "ingest", units, "--out", units, words="is the input")
    refused(tmp_path, "census", "release", units, "01", "--out", units, words="is the input")
    refused(tmp_path, "census", "release", units, "01", "--out", units, "--each", words="is the input")
    refused(tmp_path, "census", "study", units, "--out", units, words="is the input")
    refused(tmp_path, "run", units, "--out", units, words="this is a file")


def test_results_of_a_run_stay(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "RUN", {"01-00000": [summary_line("010010001001000", 4, [3, 2], [3, 2])]})
    for name in ("facts/01-00000.parquet", "summary/new.csv"):
        refused(tmp_path, "query", folder, "--by", "state", "--out", folder / name, words="lies in the input")
    assert run("query", folder, "--by", "state", "--out", folder / "states.csv").status == 0, "a run is a folder of ours"


@pytest.mark.parametrize("kind", ["pipe", "device", "folder", "nowhere", "dangling"])
def test_no_place_for_a_file(tmp_path: Path, release: Path, kind: str) -> None:
    out = tmp_path / "out.csv"
    if kind == "pipe":
        os.mkfifo(out)
    elif kind == "device":
        out.symlink_to("/dev/null")
    elif kind == "folder":
        out.mkdir()
    elif kind == "nowhere":
        out = tmp_path / "none" / "out.csv"
    else:
        out.symlink_to(tmp_path / "none" / "out.csv")
    words = {"pipe": "this is a pipe", "device": "or a device", "folder": "this is a folder"}.get(kind, "there is no such folder")
    refused(tmp_path, "audit", release, "--out", out, words=words)
    refused(tmp_path, "audit", release, "--proofs", out, words=words)
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


def test_a_file_that_is_replaced_is_named(tmp_path: Path, release: Path) -> None:
    out, proofs = tmp_path / "claims.csv", tmp_path / "proofs.json"
    assert run("audit", release, "--out", out, "--proofs", proofs).err == ""
    out.chmod(0o600)
    ran = run("audit", release, "--out", out, "--proofs", proofs)
    assert ran.status == 0
    assert ran.problems == [f"note: {path} was there already and has been replaced" for path in (out, proofs)]
    assert stat.S_IMODE(out.stat().st_mode) == 0o600, "what only I could read only I can read"
    assert run("bounds", release, "SEX=X").problems, "and a command that fails"
    assert "replaced" not in run("audit", release, "--out", out, "--max-records", 1).err


def test_a_link_stays_a_link(tmp_path: Path, release: Path) -> None:
    (tmp_path / "real.csv").write_text("old")
    (tmp_path / "link.csv").symlink_to("real.csv")
    assert run("audit", release, "--out", tmp_path / "link.csv").status == 0
    assert (tmp_path / "link.csv").is_symlink()
    assert (tmp_path / "real.csv").read_text().startswith("SEX,")


def test_long_names_leave_room_for_drafts(tmp_path: Path, release: Path) -> None:
    assert run("audit", release, "--out", tmp_path / f"{'a' * 250}.csv").status == 0
    ran = run("audit", release, "--out", tmp_path / f"{'a' * 300}.csv")
    assert (ran.status, len(ran.problems)) == (2, 1)
