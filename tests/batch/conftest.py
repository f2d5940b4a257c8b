"""A country of small blocks, and what an undisturbed run finds in it."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from foregone.census.synthetic.country import write_country
from foregone.census.unit_files.ingest import ingest
from tests.batch.running import SECONDS, audited


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts of a fraction of a second, so that a small country has several."""
    monkeypatch.setattr("foregone.batch.plan.SECONDS", SECONDS)


@pytest.fixture(scope="session")
def raw(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two states, a few dozen blocks of at most 25 households each."""
    path = tmp_path_factory.mktemp("country") / "units.csv"
    write_country(path, states=2, tracts=2, blocks=10, seed=2)
    frame = pd.read_csv(path, dtype=str)
    block = frame.TABBLKST + frame.TABBLKCOU + frame.TABTRACTCE + frame.TABBLK
    frame[block.map(block.value_counts()) <= 25].to_csv(path, index=False)
    return path


@pytest.fixture(scope="session")
def units(raw: Path) -> Path:
    path = raw.with_name("units.parquet")
    ingest(raw, path)
    return path


@pytest.fixture(scope="session")
def undisturbed(units: Path) -> Path:
    """The run that all others are compared with."""
    out = units.with_name("undisturbed")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("foregone.batch.plan.SECONDS", SECONDS)
        ran = audited(units, out, workers=2)
    assert ran.complete
    assert ran.sound
    return out
