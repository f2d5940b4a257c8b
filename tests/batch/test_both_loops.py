"""A run writes the same files with the compiled loop and without, and says which loop did what."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from io import BytesIO
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from foregone.batch.part import audit_part
from foregone.batch.part_files import FalseClaimError, PartJob
from foregone.batch.source import CountedReleases, RunQuestions
from foregone.census.kinds import publisher
from foregone.census.sources import BlockRecords, RunOptions
from foregone.census.unit_files.units import open_units
from foregone.engine import LoopResults
from foregone.engine.native.library import library
from foregone.formats.table import OPEN, Counts
from foregone.loop import CHOICE
from foregone.model.families import Groups
from tests.batch import faulty
from tests.batch.running import audited, same, table

PUBLISHED = ("household", "official", "households", False)


@pytest.fixture(autouse=True)
def native(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(CHOICE, raising=False)
    if library() is None:
        pytest.skip("the compiled loop is not built: run make")


@pytest.fixture
def job(units: Path) -> PartJob:
    """Some blocks as one part."""
    with open_units(units, "official") as opened:
        records = opened.records(opened.sizes()[0][:12])
    starts = np.cumsum([0, *map(len, records.values())])[:-1]
    return PartJob("01-00000", "01", BlockRecords(tuple(records), _names(), "households", PUBLISHED, _joined(records), starts))


def _names() -> tuple[str, ...]:
    return publisher(*PUBLISHED).domain.names


def _joined(records: dict[str, np.ndarray[tuple[int], np.dtype[np.int64]]]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.concatenate(list(records.values()))


def compared(job: PartJob, monkeypatch: pytest.MonkeyPatch) -> pd.DataFrame:
    """The summary of a part, the same from both loops as its other files are."""
    natively = audit_part(job)
    with monkeypatch.context() as patched:
        patched.setenv(CHOICE, "pure")
        pure = audit_part(job)
    assert (natively.facts, natively.failures, natively.totals) == (pure.facts, pure.failures, pure.totals)
    one, other = (pd.read_parquet(BytesIO(done.summary)) for done in (natively, pure))
    pd.testing.assert_frame_equal(one.drop(columns=["seconds", "loop"]), other.drop(columns=["seconds", "loop"]))
    assert set(other.loop) <= {"pure"}
    return one


@pytest.mark.parametrize("groups", list(Groups))
def test_blocks(job: PartJob, groups: Groups, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = PartJob(job.part, job.region, job.content, asked=RunQuestions(groups=groups))
    summary = compared(asked, monkeypatch)
    assert set(summary.loop) == {"native"}
    assert (summary.seconds > 0).all()


def test_with_a_time_limit_they_are_done_a_few_at_a_time(job: PartJob, monkeypatch: pytest.MonkeyPatch) -> None:
    beats: list[str] = []
    limited = PartJob(job.part, job.region, job.content, time_limit=10.0)
    done = audit_part(limited, beats.append)
    assert len(beats) == 4
    assert done.facts == audit_part(job).facts
    assert set(compared(limited, monkeypatch).loop) == {"native"}


def test_rows_of_a_table_and_what_the_loop_leaves_to_python(job: PartJob, monkeypatch: pytest.MonkeyPatch) -> None:
    """One row contradicts itself, and one is about very many records: they are done one by one and end up in their places."""
    tables = publisher(*PUBLISHED)
    rows = job.content.rows()
    assert rows is not None
    counts = rows.counts.copy()
    counts[4] += np.arange(len(counts[4])) % 2
    counts[7] *= 30_000
    content = CountedReleases(job.content.ids, _names(), "", tables.workload, Counts(job.content.ids, counts, counts), "table, ")
    summary = compared(PartJob("01-00000", "01", content), monkeypatch)
    found = dict(zip(summary.release, summary.loop, strict=True))
    assert job.content.ids[4] not in found
    assert found.pop(job.content.ids[7]) == "pure: very many records"
    assert set(found.values()) == {"native"}
    assert summary.release.tolist() == [name for i, name in enumerate(job.content.ids) if i != 4]


def test_rows_of_ranges(job: PartJob, monkeypatch: pytest.MonkeyPatch) -> None:
    """Small numbers as a mark, some unlimited, one that cannot be."""
    tables, rows = publisher(*PUBLISHED), job.content.rows()
    assert rows is not None
    low, high = rows.counts.copy(), rows.counts.copy()
    starred = (low > 0) & (low < 3) & (np.arange(low.shape[1]) % 3 == 0)
    low[starred], high[starred] = 1, 2
    low[:, 5::40], high[:, 5::40] = 0, OPEN
    low[3], high[3] = high[3] + 1, 0
    content = CountedReleases(job.content.ids, _names(), "", tables.workload, Counts(job.content.ids, low, high), "table, ")
    summary = compared(PartJob("01-00000", "01", content), monkeypatch)
    assert set(summary.loop) == {"native"}
    assert len(summary) == len(low) - 1


def test_a_false_claim_stops_everything(job: PartJob, monkeypatch: pytest.MonkeyPatch) -> None:
    line = LoopResults.line

    def wrong(self: LoopResults, name: str) -> object:
        return line(self, name) + 1 if name == "wrong" else line(self, name)

    monkeypatch.setattr(LoopResults, "line", wrong)
    with pytest.raises(FalseClaimError, match="the compiled loop holds a claim for certain that is false"):
        audit_part(job)


@pytest.mark.slow
def test_whole_runs(units: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CHOICE, "native")
    natively = audited(units, tmp_path / "native")
    monkeypatch.setenv(CHOICE, "pure")
    pure = audited(units, tmp_path / "pure")
    same(tmp_path / "native", tmp_path / "pure")
    without = [{name: n for name, n in ran.totals.items() if name not in ("seconds", "loops")} for ran in (natively, pure)]
    assert without[0] == without[1]
    for name, ran in (("native", natively), ("pure", pure)):
        about = json.loads((tmp_path / name / "run.json").read_text("utf-8"))
        assert about["loop"] == name
        assert about["totals"]["loops"] == {name: ran.totals["releases"]}


@pytest.mark.slow
def test_a_run_goes_on_with_the_other_loop(units: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Which loop finds the facts does not matter, so it is not part of what a run is."""
    monkeypatch.setenv(CHOICE, "pure")
    audited(units, tmp_path / "run", options=RunOptions(limit=5), shard=(1, 2))
    monkeypatch.setenv(CHOICE, "native")
    audited(units, tmp_path / "run", options=RunOptions(limit=5), shard=(2, 2))
    audited(units, tmp_path / "whole", options=RunOptions(limit=5))
    same(tmp_path / "run", tmp_path / "whole")
    assert set(table(tmp_path / "run", "summary").loop) <= {"native", "pure"}


@pytest.mark.slow
def test_a_worker_that_dies_inside_the_loop(units: Path, undisturbed: Path, tmp_path: Path) -> None:
    """The releases of its part are done one by one, and only the culprit fails."""
    bad = str(table(undisturbed, "summary").release[3])
    work: Callable[..., object] = partial(faulty.crashing_together, bad=bad)
    audited(units, tmp_path / "run", work=work)
    failures = table(tmp_path / "run", "failures")
    assert failures.release.tolist() == [bad]
    assert set(table(tmp_path / "run", "summary").release) == set(table(undisturbed, "summary").release) - {bad}
