"""Browsers are started once, and pages written once, for all tests of the report."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from foregone.census.layout import GEOGRAPHY
from foregone.cli.app import app
from foregone.files.folder import write_release
from tests.report.chromium import chromium
from tests.report.firefox import Firefox, firefox
from tests.report.samples import hostile_release, hostile_run, town


def command(*arguments: object) -> None:
    done = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert done.exit_code == 0, done.output


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with chromium(tmp_path_factory.mktemp("profile")) as driver:
        yield driver


@pytest.fixture(scope="session")
def other_browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Firefox]:
    with firefox(tmp_path_factory.mktemp("firefox")) as driver:
        yield driver


def shorten(units: Path, out: Path, most: int = 7) -> None:
    """Keep the first few rows of each block: facts about small blocks are quickly explained."""
    with units.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    seen: Counter[tuple[str, ...]] = Counter()
    with out.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        for row in rows:
            block = tuple(row[name] for name in GEOGRAPHY)
            seen[block] += 1
            if seen[block] <= most:
                writer.writerow(row)


@pytest.fixture(scope="session")
def country(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a small synthetic unit file, a run of it (RUN) and a study of it (STUDY)."""
    folder = tmp_path_factory.mktemp("country")
    command("census", "synth", "--out", folder / "whole.csv", "--states", 3, "--tracts", 1, "--blocks", 5)
    shorten(folder / "whole.csv", folder / "units.csv")
    command("census", "ingest", folder / "units.csv", "--out", folder / "units.parquet")
    command("run", folder / "units.parquet", "--out", folder / "RUN", "--workers", 1)
    command("census", "study", folder / "units.parquet", "--out", folder / "STUDY", "--per-state", 1, "--workers", 1)
    return folder


@pytest.fixture(scope="session")
def pages(tmp_path_factory: pytest.TempPathFactory, country: Path) -> Path:
    folder = tmp_path_factory.mktemp("pages")
    write_release(town(), folder / "town")
    write_release(hostile_release(), folder / "hostile")
    command("demo", "--page", folder / "demo.html")
    command("report", folder / "town", "--out", folder / "town.html")
    command("report", folder / "town", "--out", folder / "redacted.html", "--redact")
    command("report", folder / "hostile", "--out", folder / "hostile.html")
    command("report", country / "RUN", "--out", folder / "run.html", "--source", country / "units.parquet", "--explain", 1)
    command("report", country / "STUDY", "--out", folder / "study.html")
    command("report", hostile_run(folder / "hostile-run"), "--out", folder / "hostile-run.html")
    return folder
