"""A protection in words: what the reader takes from it must be true."""

from __future__ import annotations

from dataclasses import replace

import pytest

from foregone import Domain, Policy, Predicate, Primary, Protection, Release, Statistic, protect
from foregone.model.protection import Alternative

DOMAIN = Domain.of({"G": ["A", "B"]})
RELEASE = Release(DOMAIN, [Statistic.exact(Predicate.of({"G": code}), 5, code) for code in ("A", "B")])


@pytest.fixture(scope="module")
def nothing_to_do() -> Protection:
    return protect(RELEASE, Policy(singled_out_columns=1))


def test_nothing_to_do_has_no_next_best(nothing_to_do: Protection) -> None:
    said = replace(nothing_to_do, alternatives=(Alternative((), 0), Alternative(("withhold A",), 1))).summary()
    assert "The release keeps this policy as it is." in said
    assert "Next best (cost 0)" not in said
    assert "Next best (cost 1): withhold A." in said


def test_a_policy_that_was_not_judged_is_not_said_to_be_kept(nothing_to_do: Protection) -> None:
    said = replace(nothing_to_do, before=None, after=None).summary()
    assert "was not found out in time" in said
    assert "is not confirmed" in said
    assert "keeps this policy" not in said


def test_kept_against_a_weak_attacker_is_no_more_than_that(nothing_to_do: Protection) -> None:
    assert "may still find out withheld cells" not in nothing_to_do.summary()
    assert "may still find out withheld cells" in replace(nothing_to_do, attacker="linear").summary()


def test_what_a_policy_asks_is_said_with_its_numbers() -> None:
    one, three = Policy(singled_out_columns=1), Policy(singled_out_columns=3, smallest_group=5)
    assert one.words == ("no record is singled out by any column",)
    assert three.words == ("no certain claim that names 3 columns or more is about fewer than 5 records",)
    wide = Policy(primary=Primary(1, 1), min_width=3, both_sides=20)
    reach = "from 20 percent below its count to 20 percent above"
    # a cell need not be shown to be primary: what is certain of it decides
    assert wide.words == (f"each cell that is certain to count 1 keeps at least 3 possible values, {reach}",)
    assert Policy(stars=2).words == ("no hidden cell can be worked out",)
    assert Policy(stars=3).words == ("each hidden cell keeps at least 3 possible values",)
    by_age = Policy(attribute=("DX",), attribute_from=("AGE",))
    assert by_age.words == ("nobody's value of DX follows from the group they are in by AGE",)
