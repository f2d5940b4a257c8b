"""What lies beyond certain in the study: claims judged by the true records, and registers whose coverage is known."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from foregone.census.kinds import KINDS, publisher
from foregone.census.unit_files.units import open_units
from foregone.evaluation import beyond as looked
from foregone.evaluation import tables
from foregone.evaluation.beyond import BeyondResult, JudgedClaim, beyond, beyond_tasks
from foregone.evaluation.run import study
from foregone.evaluation.sample import StudyOptions
from tests.evaluation.test_study import undrawn

OPTIONS = StudyOptions(per_state=1, likely=True)


def one(share: float, true: bool, record: bool = False) -> JudgedClaim:
    return JudgedClaim("uniform", record, share, true)


def test_bins_and_ranks_by_hand() -> None:
    found = [
        BeyondResult("a", True, (one(0.3, True), one(0.4, False), one(1.0, True), one(1.0, True, True), one(0.5, False, True)), ()),
        BeyondResult("b", True, tuple([one(0.5, i < 5, True) for i in range(10)]), ()),
    ]
    made = tables.calibration(found)
    assert tables.column(made, "claims", prior="uniform") == [0, 2, 0, 0, 0, 0]  # what is certain is not asked
    assert tables.column(made, "true", prior="uniform")[1] == 0.5
    assert tables.column(made, "mean_share", prior="uniform")[1] == 0.35
    order = tables.ranking(found)
    assert tables.column(order, "k", prior="uniform") == [10]
    assert tables.column(order, "right", prior="uniform") == [round((1 + 9 * 5 / 11) / 10, 6)]  # ties count as on average


@pytest.mark.slow
def test_a_block_is_judged_by_its_records(ingested: Path) -> None:
    kind = KINDS["household"]
    with open_units(ingested, OPTIONS.variant, OPTIONS.units, kind) as units:
        ids, sizes = units.sizes()
        block = min((size, block) for block, size in zip(ids, sizes.tolist(), strict=True) if size >= 5)[1]
        records = units.records([block])
        [task] = beyond_tasks(units, records, OPTIONS)
        asked = "SELECT count(*), count(*) FILTER (tract = ?) FROM units WHERE state = ?"
        [(here, tract)] = units.base.execute(asked, [block[:11], block[:2]]).fetchall()
    assert int(task.numbers.sum()) == here - tract  # the rest of the state, without the tract
    found = beyond(task)
    assert found == beyond(task)
    assert found.counted
    assert {judged.weighing for judged in found.judged} == set(looked.WEIGHINGS)
    assert all(judged.true for judged in found.judged if judged.share == 1 and judged.weighing != looked.WITNESSES)
    truth = publisher("household", OPTIONS.variant, OPTIONS.units, True).dataset(task.codes)
    whole = [made for made in found.covered if made.coverage == 1 and not made.outsiders]
    assert {made.people for made in whole} == {len(truth)}
    assert all(not made.wrongly and not made.falsely for made in found.covered if not made.outsiders)  # the assumption is right
    assert all(made.matched <= made.people and made.learnt <= made.people for made in found.covered)


@pytest.mark.slow
def test_the_study_writes_what_it_found(ingested: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("foregone.evaluation.figures.draw_figures", undrawn)
    monkeypatch.setattr(looked, "PRIORS", ("uniform", "state"))  # fewer, as it takes its time
    monkeypatch.setattr(looked, "DATASETS", 10)
    monkeypatch.setattr(looked, "OUTSIDERS", (0.0,))
    found = study(ingested, tmp_path / "study", OPTIONS)
    assert found.beyond is not None
    for name in ("calibration", "ranking", "register"):
        header, rows = tables.beyond_tables(found.beyond)[name]
        with (tmp_path / "study" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
            assert next(csv.reader(file)) == header
            assert sum(1 for _ in file) == len(rows)
    page = (tmp_path / "study" / "index.html").read_text("utf-8")
    assert "Beyond certain: are shares to be relied on?" in page
    assert "Singled out is not named" in page
