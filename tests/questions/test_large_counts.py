"""Counts of any size that a release may state, and counts that nobody can mean."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import foregone as fg
from foregone.model.statement import LARGEST

DOMAIN = fg.Domain.of({"SEX": ["F", "M"], "AGE": ["young", "old"]})


def release(*numbers: tuple[dict[str, str], int], statements: tuple[fg.Statement, ...] = ()) -> fg.Release:
    stated = [fg.Statistic.exact(fg.Predicate.of(condition), count) for condition, count in numbers]
    return fg.Release(DOMAIN, stated, statements=statements)


@pytest.mark.parametrize("bits", [30, 34, 40, 48, 53])
def test_large_counts_are_decided(bits: int) -> None:
    n = 2**bits - 1
    found = fg.audit(release(({}, n), ({"SEX": "M"}, 1), ({"AGE": "young"}, n - 1)))
    assert {(fact.predicate.text(), fact.count) for fact in found} == {
        ("SEX=F", n - 1),
        ("SEX=M", 1),
        ("AGE=young", n - 1),
        ("AGE=old", 1),
    }
    assert not found.open
    assert fg.check(found.release, fg.proofs(found), complete=True).complete


def test_a_large_total_of_something_is_decided() -> None:
    """A total of incomes: the numbers are large, the records few."""
    terms = ((3 * 10**9, fg.Predicate.of({"SEX": "F"})), (5 * 10**8, fg.Predicate.of({"SEX": "M"})))
    total = fg.Statement(terms, 65 * 10**8, 65 * 10**8)
    with pytest.raises(fg.InputError, match="weight"):
        release(({}, 3), statements=(total,))
    smaller = fg.Statement(tuple((weight // 5, predicate) for weight, predicate in terms), 13 * 10**8, 13 * 10**8)
    found = fg.audit(release(({}, 3), statements=(smaller,)))
    assert {(fact.predicate.text(), fact.count) for fact in found} == {("SEX=F", 2), ("SEX=M", 1)}


def test_proofs_are_complete_where_records_are_more_than_64_bits_count() -> None:
    found = fg.audit(release(({"SEX": "F"}, LARGEST), ({"SEX": "M"}, LARGEST)))
    assert fg.check(found.release, fg.proofs(found), complete=True).complete
    made = fg.generate(found.release, 2).datasets[0]
    assert made.size == 2 * LARGEST
    with pytest.raises(fg.TooLargeError):
        _ = made.records
    assert "9,223,372,036,854,775,808 records" in repr(made)


def test_what_no_release_can_state_is_not_called_impossible() -> None:
    unbounded = release(({"SEX": "F"}, 3))
    assert fg.possible(unbounded, {"SEX": "M"}, 2**40).witness is not None
    above = fg.possible(unbounded, {}, LARGEST + 5)
    assert above.witness is None
    assert not above.impossible
    assert "above" in above.reason
    assert fg.possible(unbounded, {"SEX": "F"}, LARGEST + 5).impossible


def test_a_conflict_between_large_counts_is_named() -> None:
    large = release(({"SEX": "F"}, LARGEST), ({"SEX": "M"}, LARGEST), ({"AGE": "old"}, LARGEST), ({"AGE": "young"}, 1))
    with pytest.raises(fg.ContradictionError) as caught:
        fg.audit(large)
    assert caught.value.conflict == (0, 1, 2, 3)


@pytest.mark.parametrize("count", [1.5, 3.0, "3", True, None])
def test_a_count_is_a_whole_number(count: Any) -> None:
    for question in (fg.verify, fg.possible):
        with pytest.raises(fg.InputError, match="whole number"):
            question(release(({"SEX": "F"}, 3)), {"SEX": "F"}, count)


def test_counts_of_numpy_are_whole_numbers() -> None:
    assert fg.verify(release(({"SEX": "F"}, 3)), {"SEX": "F"}, np.int64(3)).verdict == fg.Verdict.VERIFIED  # type: ignore[arg-type]


def test_more_time_is_a_remedy_only_where_time_ran_out() -> None:
    huge = release(({}, 2**60 + 1), ({"SEX": "F"}, 2**59 + 1))
    with pytest.raises(fg.UndecidedError, match="more time would not help"):
        fg.audit(huge)
    with pytest.raises(fg.UndecidedError, match="raise `time_limit`"):
        fg.audit(huge, time_limit=0)
