"""The R blocks of docs/r.md in R itself, where it is installed; those that need a package, where that is installed too."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from foregone.census.demo import demo_release
from foregone.formats.folder import write_release
from tests.docs.pages import DOCS, Page

RSCRIPT = shutil.which("Rscript")
PACKAGES = {"arrow": ("arrow", "dplyr"), "duckdb": ("duckdb",), "reticulate": ("reticulate",)}
pytestmark = [pytest.mark.slow, pytest.mark.skipif(not RSCRIPT, reason="R is not installed (Debian: apt-get install r-base-core)")]


def run_r(script: str, folder: Path) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    given = {**os.environ, "PATH": path, "RETICULATE_PYTHON": sys.executable}
    return subprocess.run([RSCRIPT or "", "-e", script], cwd=folder, env=given, capture_output=True, text=True, timeout=120)


def blocks(kind: str) -> list[str]:
    """The blocks of one kind; `base` is everything that needs R alone."""
    return [b.text for b in Page.read(DOCS / "r.md").blocks if b.language == "r" and (b.words.partition(" ")[2] or "base") == kind]


def test_blocks_for_base_r_run(tmp_path: Path) -> None:
    done = run_r("\n".join(blocks("base")), tmp_path)
    assert done.returncode == 0, done.stderr
    assert "HHT2" in done.stdout
    assert "refuted" in done.stderr
    assert (tmp_path / "mine.csv").is_file()


def test_blocks_for_the_package_run(tmp_path: Path, r_package: Path) -> None:
    script = f".libPaths(c({str(r_package)!r}, .libPaths()))\n" + "\n".join(blocks("package"))
    done = run_r(script, tmp_path)
    assert done.returncode == 0, done.stderr
    assert "refuted" in done.stdout


def defined() -> str:
    """The function that starts Foregone, which other blocks of the page use."""
    return blocks("base")[0].splitlines()[0]


def test_a_block_that_fails_is_noticed(tmp_path: Path) -> None:
    assert run_r(defined() + '\nstopifnot(foregone("--version") == 0)', tmp_path).returncode == 0
    assert run_r(defined() + '\nstopifnot(foregone("--version") == 5)', tmp_path).returncode != 0


def test_block_that_asks_a_run(country: Path) -> None:
    done = run_r("\n".join([defined(), *blocks("run"), "print(states$state)"]), country)
    assert done.returncode == 0, done.stderr
    assert '"01" "02"' in done.stdout


@pytest.mark.parametrize("kind", PACKAGES)
def test_blocks_that_need_a_package_run(kind: str, country: Path, tmp_path: Path) -> None:
    wanted = ", ".join(f"requireNamespace('{name}', quietly = TRUE)" for name in PACKAGES[kind])
    if run_r(f"quit(status = !all({wanted}))", tmp_path).returncode:
        pytest.skip(f"R has no package {' or '.join(PACKAGES[kind])}")
    write_release(demo_release()[0], tmp_path / "block")
    shutil.copytree(country / "RUN", tmp_path / "RUN")
    done = run_r("\n".join([defined(), *blocks(kind)]), tmp_path)
    assert done.returncode == 0, done.stderr
