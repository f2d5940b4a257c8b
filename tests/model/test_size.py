"""How many records there are, where no row says it: against all datasets that fit."""

from __future__ import annotations

from hypothesis import given, settings

from foregone import Dataset, Domain, Predicate, Release, Statistic, audit
from foregone.model.sentences import singled_out_sentence
from tests.oracle import count_range, endless
from tests.strategies import unbounded_releases

AGES = Domain.of({"SEX": ["F", "M"], "AGE": ["0-17", "18-24", "25+"]}, record="patient")


def cell(low: int, high: int | None = None, **allowed: str) -> Statistic:
    return Statistic(Predicate.of({name: codes.split("|") for name, codes in allowed.items()}), low, high or low)


def test_cells_that_hold_everybody_once_add_up_to_the_number_of_records() -> None:
    by_age = [cell(1, AGE="0-17"), cell(4, AGE="18-24"), cell(2, AGE="25+")]
    found = audit(Release(AGES, by_age))
    assert found.size == found.release.size == (7, 7)
    assert found.summary().startswith("7 patients, ")
    assert singled_out_sentence(found) == "At least 1 of the 7 patients is singled out."


def test_a_group_beside_its_parts_is_not_counted_twice() -> None:
    parts = [cell(1, AGE="0-17"), cell(4, AGE="18-24"), cell(5, AGE="0-17|18-24"), cell(2, AGE="25+")]
    assert Release(AGES, parts).size == (7, 7)
    hidden = [cell(1, 4, AGE="0-17"), cell(1, 4, AGE="18-24"), *parts[2:]]
    assert Release(AGES, hidden).size == (7, 7)


def test_cells_that_leave_somebody_out_give_no_upper_limit() -> None:
    assert Release(AGES, [cell(1, AGE="0-17"), cell(4, AGE="18-24")]).size == (5, None)
    overlapping = [cell(3, AGE="0-17|18-24"), cell(3, AGE="18-24|25+"), cell(2, SEX="F")]
    assert Release(AGES, overlapping).size == (3, None)


def test_the_audit_knows_a_number_that_no_table_alone_tells() -> None:
    found = audit(Release(AGES, [cell(2, SEX="F"), cell(1, SEX="M", AGE="0-17"), cell(3, SEX="M", AGE="18-24|25+")]))
    assert found.release.size[1] is None
    assert found.size == (6, 6)


@settings(max_examples=150, deadline=None)
@given(unbounded_releases())
def test_no_dataset_that_fits_is_smaller_or_larger(drawn: tuple[Release, Dataset]) -> None:
    release, truth = drawn
    range_ = count_range(release, Predicate(), len(truth) + 3)
    assert range_ is not None
    for low, high in (release.size, audit(release).size):
        assert low <= range_[0]
        assert range_[1] <= high if high is not None else True
        assert high is None or not endless(release, Predicate())
