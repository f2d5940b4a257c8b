"""Random examples vary from run to run at a desk, and are the same every time where CI is set, so that a run can be repeated."""

from __future__ import annotations

import os
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

    return make_country(tmp_path_factory.mktemp("country"))
