"""The five screens by way of requests: what is asked, answered, tried, protected and published, and what survives."""

from __future__ import annotations

import html
import io
import json
import os
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from time import monotonic, sleep

import pytest

from foregone import Release, tabulate
from foregone.formats.folder import write_release
from tests.workbench.serving import PATIENCE, SOURCE, Serving, serving, start

pytestmark = pytest.mark.slow
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
ASKS = "Ward,Flu,Cough,Fever\nNorth,12,7,9\nSouth,3,11,4\nEast,8,2,15\nWest,6,9,21\n"


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    with serving(tmp_path_factory.mktemp("bench")) as begun:
        yield begun


def idle(bench: Serving, patience: float = PATIENCE) -> None:
    """Wait until no work is under way."""
    begun = monotonic()
    sleep(0.2)
    while json.loads(bench.ask("/pulse", cookie=bench.cookie).text)["jobs"]:
        assert monotonic() - begun < patience
        sleep(0.1)


def title(text: str) -> str:
    return html.unescape(re.findall(r"<h1[^>]*>(.*?)</h1>", text, re.DOTALL)[0])


def commands(text: str) -> list[list[str]]:
    return [shlex.split(html.unescape(line)) for line in re.findall(r"<code>(foregone .*?)</code>", text)]


def run(words: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    program = [sys.executable, "-c", "from foregone.cli.app import main; main()", *words[1:]]
    return subprocess.run(
        program, cwd=folder, env={**os.environ, "PYTHONPATH": str(SOURCE)}, capture_output=True, text=True, timeout=120, check=False
    )


def test_the_example_is_that_of_the_readme() -> None:
    inside = SOURCE / "foregone" / "workbench" / "example"
    for path in inside.iterdir():
        assert path.read_bytes() == (EXAMPLES / path.name).read_bytes()


def test_a_newcomer_sees_a_lit_star_soon(tmp_path: Path) -> None:
    """Within five seconds; as other tests run beside this one, the time that all its processes worked is what is looked at."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with serving(tmp_path, opened=False) as bench:
        reply = bench.ask(f"/?token={bench.token}")
        bench.cookie = reply.headers["set-cookie"].partition(";")[0]
        text = bench.see("exposed")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert 'class="star lit"' in text
    assert (after.ru_utime + after.ru_stime) - (before.ru_utime + before.ru_stime) < 5


def test_reading_shows_the_sheet_with_every_number_in_its_place(bench: Serving) -> None:
    text = bench.see("read")
    assert "Table 1: Patients of Borchester clinic" in text
    assert "Together 91 patients" in text
    assert '<td class="count">21</td>' in text
    assert '<td class="total">91</td>' in text
    assert re.search(r'<td class="unused" title="[^"]*Residents[^"]*">1,082</td>', text)


def test_pierced_stars_are_lit_and_explained(bench: Serving) -> None:
    text = bench.see("exposed")
    assert len(re.findall(r'class="star lit"', text)) == 3
    assert "At least 1 of the 91 patients is singled out." in title(text)
    why = bench.ask("/why?cell=by_age.B5", cookie=bench.cookie)
    assert why.status == 200
    assert "is certainly 1" in why.text
    names = json.loads(html.unescape(re.findall(r'data-names="([^"]*)"', why.text)[0]))
    assert "by_age.D5" in names
    fact = bench.ask("/why?fact=0", cookie=bench.cookie)
    assert "Why" in fact.text
    assert "steps" in fact.text
    assert "is shown, so there is nothing to explain" in bench.ask("/why?cell=by_age.B4", cookie=bench.cookie).text


def test_toggles_undo_and_redo(bench: Serving) -> None:
    begun = json.loads(bench.ask("/pulse", cookie=bench.cookie).text)["version"]
    bench.see("try")
    for name in ("by_age.B4", "by_age.C5", "by_age.D4"):
        text = bench.post("/do/try", name=name, action="withhold", screen="try").text
    assert "1 of 2 facts about exactly one patient would vanish" in title(text)
    assert "3 numbers changed" in text
    assert "2 numbers changed" in bench.post("/do/undo", screen="try").text
    assert "3 numbers changed" in bench.post("/do/redo", screen="try").text
    rounded = bench.post("/do/try", name="by_age.D4", action="round:5", screen="try").text
    assert re.search(r"<s>8</s> 8–12", rounded)
    assert json.loads(bench.ask("/pulse", cookie=bench.cookie).text)["version"] > begun
    (same,) = commands(rounded)
    assert same[:3] == ["foregone", "audit", "workbench/release"]
    said = run(same, bench.here / "foregone-example")
    assert said.returncode == 0, said.stderr
    assert "by_age.D4 rounded to a multiple of 5" in said.stdout
    assert "nothing changed yet" in bench.post("/do/clear", screen="try").text


@pytest.mark.parametrize(
    ("form", "says"), [({"name": "by_age.B4", "action": "burn"}, "shown, withheld or rounded"), ({"action": "show"}, "")]
)
def test_what_cannot_be_tried_is_said(bench: Serving, form: dict[str, str], says: str) -> None:
    reply = bench.post("/do/try", screen="try", **form)
    assert says in reply.text
    assert reply.status == (422 if says else 200)


def test_protect_and_publish(tmp_path: Path) -> None:
    with serving(tmp_path) as bench:
        assert "5" in re.findall(r"break this rule in <b>(\d+)</b>", bench.see("protect"))
        bench.post("/do/pin", name="by_age.D8", screen="protect")
        assert "data-working" in bench.post("/begin/protect").text
        idle(bench)
        text = bench.see("protect")
        assert "7 cells withheld, and nothing less would do" in title(text)
        (same,) = commands(text)
        folder = tmp_path / "foregone-example"
        cells = json.loads((folder / "workbench/protected-private/protect.json").read_text())["withheld"]
        assert "by_age.D8" not in cells
        again = [*same[:-1], "elsewhere"]
        again[again.index("--proofs") + 1] = "certificate.json"
        said = run(again, folder)
        assert said.returncode == 0, said.stderr
        assert json.loads((folder / "elsewhere-private/protect.json").read_text())["withheld"] == cells
        checked = run(
            ["foregone", "check", "workbench/release", "workbench/certificate.json", "--protected", "workbench/protected"], folder
        )
        assert checked.returncode == 0, checked.stdout + checked.stderr
        assert bench.ask("/files.zip", cookie=bench.cookie).status == 404
        bench.post("/begin/publish")
        idle(bench)
        text = bench.see("publish")
        assert "3 files ready to publish" in title(text)
        assert "No patient is singled out" in text
        assert "workbench/protected-private/protect.json" in text
        archive = zipfile.ZipFile(io.BytesIO(bench.ask("/files.zip", cookie=bench.cookie).content))
        assert sorted(archive.namelist()) == ["by_age.csv", "by_town.csv", "smokers.csv"]
        published = archive.read("by_age.csv").decode()
        assert "18–24,*,*,6" in published
        assert archive.read("by_town.csv") == (EXAMPLES / "by_town.csv").read_bytes()
        assert bench.ask("/sign-off.html", cookie=bench.cookie).status == 200
        assert "needs a name" in bench.post("/do/sign", decision="accept", name="", date="2026-11-18", screen="publish").text
        signed = bench.post("/do/sign", decision="accept", name="A. Archer", date="2026-11-18", screen="publish").text
        assert "Accepted" in signed
        bench.post("/do/rule", by_stars="1", stars="3", screen="protect")
        assert "Nothing to publish yet" in title(bench.see("publish"))  # that was by another rule


def test_a_question_is_answered_by_a_click(tmp_path: Path) -> None:
    folder = tmp_path / "tables"
    folder.mkdir()
    (folder / "t.csv").write_text(ASKS)
    with serving(tmp_path, folder) as bench:
        text = bench.see("read")
        assert "1 question before it can be read" in title(text)
        assert "not read yet" in bench.see("exposed")
        answers = [html.unescape(answer) for answer in re.findall(r'name="answer" value="([^"]*)"', text)]
        assert len(answers) == 2
        chosen = next(answer for answer in answers if "exclusive" in json.loads(answer)["settings"])
        text = bench.post("/do/answer", answer=chosen, screen="read").text
        assert "12 numbers were read" in title(bench.see("read"))
        (same,) = commands(bench.see("read"))
        assert run([*same[:-1], "again"], folder).returncode == 0
        assert (folder / "again/statistics.csv").read_bytes() == (folder / "workbench/release/statistics.csv").read_bytes()
        bench.post("/do/unanswer", number="0", screen="read")
        assert "1 question" in title(bench.see("read"))
        assert bench.post("/do/answer", answer="nonsense", screen="read").status == 422


def test_a_sign_is_explained_by_a_click(tmp_path: Path) -> None:
    folder = tmp_path / "tables"
    folder.mkdir()
    shutil.copy(EXAMPLES / "by_age.csv", folder)
    with serving(tmp_path, folder) as bench:
        assert "not read yet" in title(bench.see("read"))
        assert bench.post("/do/token", token="*", least="4", most="1", screen="read").status == 422
        bench.post("/do/token", token="*", least="1", most="4", screen="read")
        assert "15 numbers were read" in title(bench.see("read"))
        (same,) = commands(bench.see("read"))
        assert run([*same[:-1], "again"], folder).returncode == 0
        bench.post("/do/token", token="*", least="", most="", screen="read")
        assert "not read yet" in title(bench.see("read"))


def test_a_file_that_is_dropped_is_read(tmp_path: Path) -> None:
    folder = tmp_path / "tables"
    folder.mkdir()
    with serving(tmp_path, folder) as bench:
        assert "drop a file here" in bench.see("read")
        assert bench.send("/upload", (EXAMPLES / "by_town.csv").read_bytes(), x_file_name="by%20town.csv").status == 200
        assert "12 numbers were read" in title(bench.see("read"))
        assert (folder / "by town.csv").read_bytes() == (EXAMPLES / "by_town.csv").read_bytes()
        assert bench.send("/upload", b"\x00\x01", x_file_name="broken.csv").status == 200
        assert "broken.csv" in bench.see("read")  # what is wrong is a sentence, and the file can be left out
        bench.post("/do/file", file="broken.csv", screen="read")
        assert "12 numbers were read" in title(bench.see("read"))


def test_a_folder_that_is_a_release_needs_no_import(tmp_path: Path) -> None:
    release: Release = tabulate({"SEX": ["F", "F", "M"], "AGE": ["1", "2", "2"]}, margins=["SEX", "AGE"])
    write_release(release, tmp_path / "release")
    with serving(tmp_path, "release") as bench:
        assert "nothing to import" in bench.see("read")
        assert "singled out" in title(bench.see("exposed"))
        assert bench.post("/do/try", name="SEX.2", action="withhold", screen="try").status == 200
        bench.post("/begin/protect")
        idle(bench)
        assert "cells withheld" in title(bench.see("protect"))
        assert "is all that may be published" in bench.see("publish")


def test_kill_it_and_start_again_and_nothing_is_lost(tmp_path: Path) -> None:
    bench = start(tmp_path)
    bench.open()
    bench.see("try")
    bench.post("/do/try", name="by_age.B4", action="withhold", screen="try")
    bench.post("/do/try", name="by_age.C5", action="withhold", screen="try")
    bench.post("/do/undo", screen="try")
    bench.post("/do/noun", record="pupil", screen="read")
    os.kill(bench.process.pid, signal.SIGKILL)
    bench.process.wait(20)
    with serving(tmp_path) as again:
        text = again.see("try")
        assert "1 number changed" in text
        assert "pupil" in text
        assert "2 numbers changed" in again.post("/do/redo", screen="try").text


def test_the_state_is_whole_at_every_moment(tmp_path: Path) -> None:
    with serving(tmp_path) as bench:
        path = tmp_path / "foregone-example/workbench/state.json"
        for turn in range(20):
            bench.post("/do/try", name=f"by_age.B{4 + turn % 4}", action=f"round:{2 + turn}", screen="read")
            assert json.loads(path.read_text())["version"] == turn + 1
        assert [entry.name for entry in path.parent.iterdir() if entry.name.startswith(".")] == []


def test_two_tabs_see_the_same(bench: Serving) -> None:
    def version() -> int:
        found: int = json.loads(bench.ask("/pulse", cookie=bench.cookie).text)["version"]
        return found

    before = version()
    assert f'data-version="{before}"' in bench.see("try")
    bench.post("/do/try", name="by_age.B6", action="withhold", screen="try")
    assert version() == before + 1
    assert "1 number changed" in bench.see("try")  # what the other tab fetches when it hears that
    bench.post("/do/clear", screen="try")


def test_a_folder_is_open_once(bench: Serving) -> None:
    second = run(["foregone", "serve", "--no-browser"], bench.here)
    assert second.returncode == 2
    assert "a workbench is open on this folder already" in second.stderr


def test_a_process_that_dies_is_replaced(tmp_path: Path) -> None:
    with serving(tmp_path) as bench:
        bench.see("exposed")
        children = Path(f"/proc/{bench.process.pid}/task/{bench.process.pid}/children").read_text().split()
        assert children
        for child in children:
            os.kill(int(child), signal.SIGKILL)
        sleep(0.3)
        bench.post("/do/try", name="by_age.B4", action="withhold", screen="try")  # may say that the process ended
        assert "1 number changed" in bench.see("try")


def test_long_work_can_be_stopped_and_the_best_is_kept(tmp_path: Path) -> None:
    with serving(tmp_path) as bench:
        bench.see("exposed")
        bench.post("/do/rule", by_columns="1", columns="1", by_stars="1", stars="3", screen="protect")
        bench.see("protect")
        bench.post("/begin/protect")
        begun = monotonic()
        while monotonic() - begun < PATIENCE:
            jobs = json.loads(bench.ask("/pulse", cookie=bench.cookie).text)["jobs"]
            if not jobs or "best so far" in jobs[0]["said"]:
                break
            sleep(0.1)
        assert bench.post("/stop").status == 200
        idle(bench)
        text = bench.see("protect")
        assert "cells withheld" in title(text), re.findall(r"Not done.*?</section>", text, re.DOTALL)
        record = json.loads((tmp_path / "foregone-example/workbench/protected-private/protect.json").read_text())
        assert record["after"] in (0, None)  # None: it was stopped before it was judged again, which is said
        assert record["lower_bound"] <= record["cost"]


def test_files_of_one_folder_can_be_given(tmp_path: Path) -> None:
    for name in ("by_age.csv", "by_town.csv"):
        shutil.copy(EXAMPLES / name, tmp_path)
    with serving(tmp_path, "by_town.csv") as bench:
        text = bench.see("read")
        assert "12 numbers were read" in title(text)
        assert "take in<span" in text  # the other one can be taken in


def test_wrong_beginnings_are_sentences(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "a.csv").write_text(ASKS)
    (tmp_path / "other/b.csv").write_text(ASKS)
    for given, says in (
        (["missing.csv"], "there is no such file"),
        (["a.csv", "other/b.csv"], "different folders"),
        (["--host", "0.0.0.0"], "refused"),
    ):
        ended = run(["foregone", "serve", *given, "--no-browser"], tmp_path)
        assert ended.returncode == 2
        assert says in ended.stderr
        assert "Traceback" not in ended.stderr
