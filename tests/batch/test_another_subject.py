"""Runs, questions about them and their page work for a subject of which no package knows anything."""

from __future__ import annotations

from html import unescape
from pathlib import Path

import pytest

from foregone import InputError
from foregone.batch.overview import more_questions, overview
from foregone.batch.part import audit_part
from foregone.batch.query import answer, grouped
from foregone.batch.run import run
from foregone.batch.run_folder import open_run
from foregone.model.policy import OF_MANY, Policies
from foregone.pages.collection import collection_of_run
from foregone.pages.collection_page import render_collection
from foregone.pages.release_page import PageOptions
from foregone.workers.pool import LocalPool
from tests.batch.running import table
from tests.batch.wards import TOWNS, find_wards, open_wards


@pytest.fixture(scope="module")
def wards(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wards")
    (folder / "records").write_text("of patients")
    ran = run(folder / "records", folder / "RUN", {"hospital": "all"}, open_wards, lambda: LocalPool(audit_part, 1))
    assert ran.complete
    assert ran.sound
    return folder / "RUN"


def test_results_are_cut_by_region_and_count_in_the_subjects_words(wards: Path) -> None:
    summary = table(wards, "summary")
    assert summary["release"].tolist() == ["W101", "W102", "W201"]
    assert summary["state"].tolist() == ["W1", "W1", "W2"]
    assert summary["patients"].tolist() == [3, 2, 2]
    assert "households" not in summary


def test_questions_go_by_the_subjects_places(wards: Path) -> None:
    with open_run(wards, find_wards) as opened:
        found = answer(opened, grouped(opened, "town"))
        rows = [dict(zip(found.header, row, strict=True)) for row in found.rows]
        assert [(row["town"], row["name"], row["singled_out"]) for row in rows] == [("W1", "Ardmore", 5), ("W2", "Brewood", 2)]
        with pytest.raises(InputError, match=r"'county': use one of town, size, k"):
            grouped(opened, "county")
        said, asked = overview(opened), more_questions(opened)
    assert "3 wards, 7 patients." in said
    assert "7 patients (100.0 %) are singled out with certainty, in 3 of 3 wards." in said
    assert "out exactly one patient." in said
    assert "--by town, size or k;" in asked
    assert "wards of two towns" in said


def test_the_page_speaks_of_the_subject(wards: Path) -> None:
    collection = collection_of_run(wards, find_wards, Policies(OF_MANY), 10)
    assert collection.level == "town"
    assert [place.name for place in collection.places] == ["Ardmore", "Brewood"]
    text = unescape(render_collection(collection, {}, PageOptions("2020-01-01")).text)
    assert "7 of 7 patients are singled out." in text
    assert "A patient, AGE and SEX known." in text
    assert "Ward 01, town 1 · 3 patients there" in text
    assert "sex by age" in text
    assert not {word for word in ("household", "block", "tract", "census") if word in text.split("</style>")[1].split("<script")[0]}


def test_ids_of_another_form_lie_nowhere() -> None:
    assert (TOWNS.region_of("W1011"), TOWNS.describe("clinic"), TOWNS.code_of("W101", "release")) == ("", "clinic", "W101")
    assert TOWNS.level_of(["W101", "W102"]) == "town"
