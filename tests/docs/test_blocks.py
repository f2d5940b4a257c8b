"""Every block of code in the documentation runs and says what the page claims it says."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest

from foregone import Release, tabulate
from foregone.formats.folder import write_release
from foregone.formats.text import read_rows
from tests.docs.allowances import GIVEN, INSTEAD, NOT_RUN, NOT_RUN_BLOCKS
from tests.docs.blocks import SHELL, commands, problems
from tests.docs.pages import ROOT, Page, every_page

HERE = ROOT / "examples"
PAGES = [page for page in every_page() if page.path.suffix == ".md"]


def people_release() -> Release:
    header, rows = read_rows(HERE / "people.csv")
    return tabulate({name: [values[i] for _, values in rows] for i, name in enumerate(header)}, margins=["SEX,AGE", "AGE,TOWN"])


@pytest.mark.slow
@pytest.mark.parametrize("page", [page for page in PAGES if page.blocks], ids=lambda page: page.path.name)
def test_code_on_the_page_runs(page: Page, tmp_path: Path, country: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))  # as if activated
    for name in GIVEN.get(page.path.name, []):
        if name == "release":
            write_release(people_release(), tmp_path / "release")
        elif (country / name).is_dir():
            shutil.copytree(country / name, tmp_path / name)
        else:
            shutil.copy((HERE if (HERE / name).is_file() else country) / name, tmp_path / name)
    assert list(problems(page, tmp_path)) == []


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("```python\nimport foregone\nforegone.nothing\n```", "AttributeError"),
        ("```sh\nforegone audit no-such-folder\n```", "status 2"),
        ("```sh\nforegone --version --no-such-option\n```", "status"),
        ("```sh\nforegone --version  # exit status 1\n```", "status 0, not 1"),
        ("```console\n$ foregone --version\nforegone 99\n```", "something else"),
        ("```sh\nrm -r everything\n```", "not run by any test"),
        ("    indented code\n", "which language"),
    ],
)
def test_code_that_does_not_work_is_noticed(tmp_path: Path, text: str, problem: str) -> None:
    found = list(problems(Page(tmp_path / "planted.md", f"Words.\n\n{text}\n"), tmp_path))
    assert len(found) == 1
    assert "planted.md, line 3" in found[0]
    assert problem in found[0]


def test_code_that_works_passes(tmp_path: Path) -> None:
    text = "```console\n$ foregone --version\nforegone ...\n```\n\n```python\nx = 1\n```\n\n```python\nassert x == 1\n```\n"
    assert list(problems(Page(tmp_path / "good.md", text), tmp_path)) == []


def test_every_allowance_is_still_needed() -> None:
    written = [command.text for page in PAGES for block in page.blocks if block.language in SHELL for command in commands(block)]
    stale = [start for start in NOT_RUN if not any(text.startswith(start) for text in written)]
    stale += [text for text in INSTEAD if text not in written]
    stale += [line for line in NOT_RUN_BLOCKS if not any(line in block.text for page in PAGES for block in page.blocks)]
    stale += [name for name in GIVEN if name not in {page.path.name for page in PAGES}]
    assert stale == []
