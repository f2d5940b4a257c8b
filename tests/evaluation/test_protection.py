"""What could still be published about a sample of blocks: in files that do not depend on the number of workers, and on the page."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from foregone.evaluation.run import study
from foregone.evaluation.sample import StudyOptions
from tests.country import command


@pytest.mark.slow
def test_the_study_tells_what_could_still_be_published(tmp_path: Path) -> None:
    units = tmp_path / "units.csv"
    command("census", "synth", "--states", 1, "--tracts", 1, "--blocks", 8, "--out", units)
    for workers in (1, 2):
        study(units, tmp_path / f"study{workers}", StudyOptions(per_state=1, workers=workers, protect=True, experiments=0))
    one, two = tmp_path / "study1", tmp_path / "study2"
    for name in ("protection.csv", "protection_summary.csv", "index.html"):
        assert (one / name).read_bytes() == (two / name).read_bytes()
    tables, cases = (pd.read_csv(one / f"{name}.csv", keep_default_na=False) for name in ("protection", "protection_summary"))
    assert tables[tables.status == "withheld"].numbers.sum() == cases.cost[0] == cases.lower_bound[0]
    assert "tables have to be withheld" in (one / "index.html").read_text("utf-8")


@pytest.mark.slow
def test_unless_it_is_asked_for_the_page_says_how_to_get_it(tmp_path: Path) -> None:
    units = tmp_path / "units.csv"
    command("census", "synth", "--states", 1, "--tracts", 1, "--blocks", 8, "--out", units)
    study(units, tmp_path / "study", StudyOptions(per_state=1, experiments=0))
    assert "<code>--protect</code>" in (tmp_path / "study" / "index.html").read_text("utf-8")
    assert not (tmp_path / "study" / "protection.csv").exists()
