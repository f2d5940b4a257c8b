"""The package for R: it installs from its folder, its own tests pass and R's check is clean. Skipped where R is not there."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from foregone.version import __version__

ROOT = Path(__file__).parents[2]
R = shutil.which("R")
pytestmark = [pytest.mark.slow, pytest.mark.skipif(not R, reason="R is not installed (Debian: apt-get install r-base-core)")]


def call(folder: Path, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    given = {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT / "src"), "_R_CHECK_FORCE_SUGGESTS_": "false", **more}
    return subprocess.run([R or "", *words], cwd=folder, env=given, capture_output=True, text=True, timeout=500, check=False)


def has(folder: Path, *packages: str) -> bool:
    wanted = ", ".join(f"requireNamespace('{name}', quietly = TRUE)" for name in packages)
    return call(folder, "--slave", "-e", f"quit(status = !all({wanted}))").returncode == 0


def test_its_own_tests_pass(tmp_path: Path, r_package: Path) -> None:
    done = call(tmp_path, "--slave", "-f", str(ROOT / "r" / "tests" / "answers.R"), R_LIBS=str(r_package))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "all is well" in done.stdout


def test_the_check_of_r_is_clean(tmp_path: Path, r_package: Path) -> None:
    """With the vignette where knitr can build it."""
    del r_package
    vignette = has(tmp_path, "knitr", "markdown")
    built = call(tmp_path, "CMD", "build", *([] if vignette else ["--no-build-vignettes"]), str(ROOT / "r"))
    assert built.returncode == 0, built.stderr
    (archive,) = tmp_path.glob("*.tar.gz")
    done = call(tmp_path, "CMD", "check", "--no-manual", *([] if vignette else ["--ignore-vignettes"]), archive.name)
    assert done.returncode == 0, done.stdout
    clean = r"Status: OK$" if vignette else r"Status: (OK|1 NOTE)$"  # that knitr is not there is noted
    assert re.search(clean, done.stdout, re.MULTILINE), done.stdout


def test_it_has_the_version_of_the_command() -> None:
    assert f"Version: {__version__}\n" in (ROOT / "r" / "DESCRIPTION").read_text("utf-8")


def test_every_function_has_a_page() -> None:
    exported = re.findall(r"export\((\w+)\)", (ROOT / "r" / "NAMESPACE").read_text("utf-8"))
    pages = "".join(path.read_text("utf-8") for path in (ROOT / "r" / "man").glob("*.Rd"))
    assert len(exported) > 8
    assert [name for name in exported if f"\\alias{{{name}}}" not in pages] == []
