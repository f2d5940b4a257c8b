"""A small synthetic country, its run and its study, for tests of what is done with results."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

from typer.testing import CliRunner

from foregone.census.geography import FIELDS
from foregone.cli.app import app


def command(*arguments: object) -> None:
    done = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert done.exit_code == 0, done.output


def make_country(folder: Path) -> Path:
    """Put a unit file (units.csv, units.parquet), a run of it (RUN) and a study of it (study) into the folder."""
    command("census", "synth", "--out", folder / "whole.csv", "--states", 3, "--tracts", 1, "--blocks", 5)
    shorten(folder / "whole.csv", folder / "units.csv")
    command("census", "ingest", folder / "units.csv", "--out", folder / "units.parquet")
    command("run", folder / "units.parquet", "--out", folder / "RUN", "--workers", 1)
    asked = ["--per-state", 1, "--workers", 1, "--experiments", 2]
    command("census", "study", folder / "units.parquet", "--out", folder / "study", *asked)
    return folder


def shorten(units: Path, out: Path, most: int = 7) -> None:
    """Keep the first few rows of each block: facts about small blocks are quickly explained."""
    with units.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    seen: Counter[tuple[str, ...]] = Counter()
    with out.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        for row in rows:
            block = tuple(row[name] for name in FIELDS)
            seen[block] += 1
            if seen[block] <= most:
                writer.writerow(row)
