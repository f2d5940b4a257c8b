"""The right subject is found for releases and for runs, however little these say about themselves."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from foregone import Domain, InputError
from foregone.batch.subject import ANY
from foregone.census.household.kind import household_domain
from foregone.census.household.sentences import BOOK
from foregone.census.subjects import census_subject, subject_of_release, subject_of_run

RUN = {"noun": "block", "options": {"variant": "621", "rules": "edit", "units": "households"}}


def test_releases_over_the_columns_of_the_study_are_about_households() -> None:
    found = subject_of_release(household_domain("621"))
    assert found.sentence is not None
    assert found.sentence({"TEN": "3"}) == "A household. The home is rented."
    assert {table.id for table in found.tables} >= {"P20", "H13B"}
    for other in (Domain.of({"SEX": ["F", "M"]}), household_domain("pac"), household_domain("official", "all")):
        assert subject_of_release(other) is ANY


@pytest.mark.parametrize("variant", list(BOOK.variants))
@pytest.mark.parametrize("units", ["households", "all"])
def test_runs_of_unit_files(variant: str, units: str) -> None:
    about = {"noun": "block", "options": {"variant": variant, "rules": "none", "units": units, "state": None}}
    found = subject_of_run(about, frozenset({"households", "records"}))
    assert found.domain == household_domain(variant, units)
    assert found.record == ("household" if units == "households" else "housing unit")
    assert (found.sentence is not None) == (variant != "pac" and units == "households")
    assert found.settings == (f"variant {variant}", "rules none", f"units {units}")
    assert dict(found.assumptions)["Rules"] == "none"
    assert found.republish is not None


def test_a_run_that_says_little_is_still_placed(tmp_path: Path) -> None:
    nothing = subject_of_run({}, frozenset())
    assert (nothing.record, nothing.counted, nothing.assumptions, nothing.republish) == ("record", "", ANY.assumptions, None)
    assert nothing.geography.region_of("010010001001000") == "01"
    counted = subject_of_run({"noun": "block"}, frozenset({"households"}))
    assert (counted.record, counted.counted, counted.domain) == ("record", "households", None)
    assert counted.republish is not None
    with pytest.raises(InputError, match="does not say which tables"):
        counted.republish(tmp_path, [])


def test_releases_named_like_blocks_have_places_and_no_words() -> None:
    found = subject_of_run({**RUN, "noun": "release"}, frozenset({"records"}))
    assert (found.sentence, found.domain, found.tables, found.republish) == (None, None, (), None)
    assert found.geography.describe("010030102001008") == "block 1008, tract 010200, Baldwin County, Alabama (01)"


def test_a_subject_can_be_sent_to_another_process() -> None:
    subject = census_subject("household", "621", "households", True)
    assert pickle.loads(pickle.dumps(subject)).settings == subject.settings
