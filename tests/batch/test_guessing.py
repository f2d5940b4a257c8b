"""What guessers would get of the facts of a run, against the definition: records of the tract, or a table for all."""

from __future__ import annotations

from fractions import Fraction
from math import comb
from pathlib import Path

import pyarrow.parquet as parquet
import pytest

import foregone as fg
from foregone.batch.run_folder import open_run
from foregone.census.kinds import publisher
from foregone.census.subjects import subject_of_run
from foregone.census.unit_files.units import open_units
from foregone.model.errors import InputError
from foregone.model.policy import Policies
from foregone.pages.collection import collection_of_run
from tests.country import command

LIMIT = 12


@pytest.fixture(scope="module")
def units(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("country") / "units.csv"
    command("census", "synth", "--out", path, "--states", 1, "--tracts", 2, "--blocks", 8)
    return path


def _rows(run: Path, kind: str) -> list[dict[str, object]]:
    return [row for part in sorted((run / kind).glob("*.parquet")) for row in parquet.read_table(part).to_pylist()]


@pytest.mark.slow
def test_the_tract_is_what_a_run_guesses_from(units: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    fg.run(units, run, limit=LIMIT, workers=1, prior_table="tract")
    tables = publisher("household", "official", "households")
    with open_units(units, "official") as opened:
        blocks, _ = opened.sizes()
        records = opened.records(blocks)
    names, seen, missed = tables.workload.domain.names, 0, set()
    sizes = {row["release"]: row["records"] for row in _rows(run, "summary")}
    for row in _rows(run, "facts"):
        here = [r for block in blocks if block[:11] == str(row["release"])[:11] for r in tables.dataset(records[block]).records]
        asked = [name for name in names if row[name] is not None]
        own = [tuple(record[names.index(name)] for name in asked) for record in here]
        match = [all(v in str(row[n]).split("|") for n, v in zip(asked, values, strict=True)) for values in own]
        share, size, count = Fraction(sum(match), len(own)), sizes[row["release"]], row["count"]
        assert isinstance(size, int)
        assert isinstance(count, int)
        assert row["guess"] == float(share)
        assert row["chance"] == float(comb(size, count) * share**count * (1 - share) ** (size - count))
        if asked:
            often = {values: own.count(values) for values in set(own)}
            top = {values for values, times in often.items() if times == max(often.values())}
            assert row["modal"] == any(yes for yes, values in zip(match, own, strict=True) if values in top)
        if count == 1 and row["modal"] is False:
            missed.add((row["release"], *(row[name] for name in names)))
        seen += 1
        if seen >= 150:
            break
    assert seen > 50
    assert missed


def test_a_file_is_a_table_for_all_releases(tmp_path: Path) -> None:
    people = {"SEX": ["F", "F", "M", "M", "F"], "TOWN": ["a", "b", "a", "a", "c"]}
    (tmp_path / "releases").mkdir()
    for name in ("one", "two"):
        fg.tabulate(people, margins=["SEX,TOWN"]).write(tmp_path / "releases" / name)
    (tmp_path / "table.csv").write_text("SEX,weight\nF,0.25\nM,0.75\n")
    fg.run(tmp_path / "releases", tmp_path / "run", workers=1, prior_table=tmp_path / "table.csv")
    [fact] = [r for r in _rows(tmp_path / "run", "facts") if r["release"] == "one" and (r["SEX"], r["TOWN"]) == ("F", "b")]
    share = Fraction(1, 4) / 3
    assert (fact["guess"], fact["modal"]) == (float(share), None)  # the table lacks TOWN, which is uniform
    assert fact["chance"] == float(5 * share * (1 - share) ** 4)
    with open_run(tmp_path / "run", subject_of_run) as opened:
        assert (opened.names, opened.guessed) == (("SEX", "TOWN"), "table.csv")
    page = collection_of_run(tmp_path / "run", subject_of_run, Policies(), 5)
    assert "guessing from table.csv" in page.guessed
    assert page.least_chance is not None
    with pytest.raises(InputError, match=r"prior.table. was table\.csv"):
        fg.run(tmp_path / "releases", tmp_path / "run", workers=1)
    with pytest.raises(InputError, match="is no file"):
        fg.run(tmp_path / "releases", tmp_path / "other", workers=1, prior_table="tract")
