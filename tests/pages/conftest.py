"""Browsers are started once, and pages written once, for all tests of the report."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from foregone.formats.folder import write_release
from tests.batch.handmade import write_run
from tests.country import command
from tests.pages.chromium import chromium
from tests.pages.firefox import Firefox, firefox
from tests.pages.samples import hostile_release, hostile_run, many_facts, town, wide


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with chromium(tmp_path_factory.mktemp("profile")) as driver:
        yield driver


@pytest.fixture(scope="session")
def other_browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Firefox]:
    with firefox(tmp_path_factory.mktemp("firefox")) as driver:
        yield driver


@pytest.fixture(scope="session")
def pages(tmp_path_factory: pytest.TempPathFactory, country: Path) -> Path:
    folder = tmp_path_factory.mktemp("pages")
    write_release(town(), folder / "town")
    write_release(hostile_release(), folder / "hostile")
    command("demo", "--page", folder / "demo.html")
    command("report", folder / "town", "--out", folder / "town.html")
    command("report", folder / "town", "--out", folder / "redacted.html", "--redact")
    titled = ("--title", "A town", "--subtitle", "For the board")
    command("report", folder / "town", "--out", folder / "titled.html", "--explain", 0, *titled)
    write_release(wide(), folder / "wide")
    command("report", folder / "wide", "--out", folder / "wide.html", "--explain", 2)
    command("audit", folder / "wide", "--hide", "AGE,TOWN.1", "--page", folder / "what-if.html")
    command("report", folder / "hostile", "--out", folder / "hostile.html")
    command("report", country / "RUN", "--out", folder / "run.html", "--source", country / "units.parquet", "--explain", 1)
    many = write_run(folder / "many-run", *many_facts(1000), noun="release", options={})
    command("report", many, "--out", folder / "many.html", "--top", 1000)
    command("report", hostile_run(folder / "hostile-run"), "--out", folder / "hostile-run.html")
    return folder
