"""Random examples vary from run to run at a desk, and are the same every time where CI is set, so that a run can be repeated."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("repeatable", derandomize=True)
if os.environ.get("CI"):
    settings.load_profile("repeatable")
os.environ.pop("COLUMNS", None)  # set by whoever runs the tests on several cores; it would break lines
os.environ.setdefault("FOREGONE_LOOP", "pure")  # tests look into the Python engine; tests/engine/native compares the two
os.environ["FOREGONE_PROGRESS"] = "none"  # what a command says does not depend on how long it takes here


@pytest.fixture(scope="session")
def country(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small synthetic country with its run and its study; it takes a few seconds, so it is made once."""
    from tests.country import make_country

    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("FOREGONE_LOOP", raising=False)  # the compiled loop, where there is one: the files are the same
        return make_country(tmp_path_factory.mktemp("country"))


@pytest.fixture(scope="session")
def r_package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library of R with the package in it."""
    library, r = tmp_path_factory.mktemp("library"), shutil.which("R")
    if r is None or subprocess.run([r, "--slave", "-e", "quit(status = !requireNamespace('jsonlite', quietly = TRUE))"]).returncode:
        pytest.skip("R or its package jsonlite is not installed (Debian: apt-get install r-base-core r-cran-jsonlite)")
    source = Path(__file__).parents[1] / "r"
    done = subprocess.run([r, "CMD", "INSTALL", f"--library={library}", str(source)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return library
