"""Small synthetic files that the census tests share."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from foregone.census.synthetic.country import write_country
from foregone.census.unit_files.ingest import ingest


@pytest.fixture(scope="session")
def raw(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three small states as a raw unit file."""
    path = tmp_path_factory.mktemp("units") / "units.csv"
    write_country(path, states=3, tracts=2, blocks=30, seed=4)
    return path


@pytest.fixture(scope="session")
def ingested(raw: Path) -> Path:
    path = raw.with_name("units.parquet")
    ingest(raw, path)
    return path


@pytest.fixture(scope="session")
def units(raw: Path) -> pd.DataFrame:
    """The raw file as plain text columns, with the 15-digit block code."""
    frame = pd.read_csv(raw, dtype=str)
    frame["block"] = frame.TABBLKST + frame.TABBLKCOU + frame.TABTRACTCE + frame.TABBLK
    return frame
