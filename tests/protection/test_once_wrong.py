"""Small cases that were protected wrongly once: each says what has to be true of them."""

from __future__ import annotations

import json
from dataclasses import replace
from random import Random

import pytest

from foregone import (
    Domain,
    InputError,
    Knowledge,
    Policy,
    Predicate,
    Primary,
    Protection,
    Release,
    Statistic,
    audit,
    check,
    protect,
)
from foregone.policy.judge import Judged, judge
from foregone.policy.reader import as_read
from tests.policy.brute import breaks
from tests.protection.test_small_cases import CLINICS, counts

PATIENTS = Domain.of({"AGE": ["old", "young"], "DX": ["flu", "none"]}, record="patient")


def verdict(release: Release, policy: Policy) -> str:
    """As `audit --policy` finds it."""
    return str(judge(policy, Judged(audit(as_read(release, policy)))).verdict)


def proved(release: Release, policy: Policy, **asked: object) -> Protection:
    """A protection whose certificate is accepted, and that an audit with the same policy keeps."""
    found = protect(release, policy, proofs=True, **asked)  # type: ignore[arg-type]
    judged = check(release, json.loads(json.dumps(found.certificate)))
    assert (judged.rejected, judged.reason) == ([], "")
    assert found.release is not None
    assert (found.after, found.optimal, found.proved) == (0, True, True)
    assert verdict(found.release, policy) == "kept"
    assert (found.before == 0) == (verdict(release, policy) == "kept")
    return found


def test_a_zero_tells_what_everybody_has() -> None:
    """No old patient without flu, and there is an old one: all old ones have it, so the zero goes."""
    cells = [Statistic.exact(Predicate.of({"AGE": "old", "DX": dx}), n, f"T.{dx}") for dx, n in (("flu", 3), ("none", 0))]
    some = Statistic(Predicate.of({"AGE": "old"}), 1, None, "old")
    release = Release(PATIENTS, [*cells, some, Statistic(Predicate(), 0, 4, "limit")])
    policy = Policy(attribute=("DX",))
    found = proved(release, policy, keep=["limit"])
    assert found.before == 1
    assert found.withheld == ("T.none",)
    assert found.release is not None
    assert not breaks(found.release, policy, 4)
    # whoever shows zeros cannot protect it: the number of old patients and that of old ones with flu do not help
    zeros = Policy(attribute=("DX",), know=Knowledge(zeros_shown=True))
    assert protect(release, zeros, keep=["limit"]).impossible != ""


def test_a_zero_withheld_can_make_another_one_tell() -> None:
    """Nobody is young, and nobody is young without flu. Whoever withholds the first zero alone says: young people have flu."""
    wheres = {"Y": {"AGE": "young"}, "YN": {"AGE": "young", "DX": "none"}}
    young = [Statistic.exact(Predicate.of(where), 0, name) for name, where in wheres.items()]
    release = Release(PATIENTS, [*young, Statistic(Predicate(), 0, 4, "limit")])
    policy = Policy(attribute=("DX",), primary=Primary(names=("Y",)))
    found = proved(release, policy, keep=["limit"])
    assert found.withheld == ("Y", "YN")
    assert proved(release, Policy(attribute=("DX",)), keep=["limit"]).withheld == ()


NOTHING_SHOWN = Statistic(Predicate.of({"AGE": "old"}), 0, None, "b", withheld=True)
A_STAR = Statistic(Predicate.of({"AGE": "old"}), 1, 4, "b", mark="*")


@pytest.mark.parametrize("hidden", [NOTHING_SHOWN, A_STAR])
def test_a_cell_that_is_not_shown_can_be_primary(hidden: Statistic) -> None:
    """All 5 and one part 4: the other is 1, though nothing is printed there, or a star."""
    cells = [Statistic.exact(Predicate(), 5, "all"), Statistic.exact(Predicate.of({"AGE": "young"}), 4, "a"), hidden]
    release = Release(PATIENTS, cells)
    policy = Policy(primary=Primary(1, 3))
    assert verdict(release, policy) == "broken"
    assert proved(release, policy).cost == 1
    assert proved(release, policy, keep=["all"]).withheld == ("a", "b")
    assert proved(release, Policy(stars=2), keep=["all"]).withheld == ("a",)  # the other was not shown before


def test_zeros_stay_shown_under_a_range_that_is_withheld() -> None:
    """One or two women of three patients: withheld, that is still at least one, and what may be 0 is not withheld at all."""
    domain = Domain.of({"SEX": ["F", "M"]})
    cells = [Statistic(Predicate.of({"SEX": sex}), low, 3, f"T.{sex}", "T") for sex, low in (("F", 1), ("M", 0))]
    release = Release(domain, [*cells, Statistic.exact(Predicate(), 3, "T.all", "T")])
    policy = Policy(primary=Primary(names=("T.F",)), know=Knowledge(zeros_shown=True))
    found = proved(release, policy)
    assert found.withheld == ("T.F",)
    assert found.release is not None
    assert [(s.low, s.high) for s in found.release.statistics] == [(1, None), (0, 3), (3, 3)]
    with pytest.raises(InputError, match="may be 0, and zeros stay shown"):
        protect(release, Policy(primary=Primary(names=("T.M",)), know=Knowledge(zeros_shown=True)))
    with pytest.raises(InputError, match="may be 0, and zeros stay shown"):  # by table it is withheld by itself, too
        protect(release, Policy(primary=Primary(names=("T.M",)), know=Knowledge(zeros_shown=True)), by="table")


def test_zeros_stay_shown_beside_a_table_of_which_nothing_is_shown() -> None:
    """Of two old patients one has flu and one has not, as no cell that is not shown is 0. That the one mark stands for 0 as well,
    in a table of which nothing is shown, changes nothing.
    """
    dx = [Statistic(Predicate.of({"AGE": "old", "DX": dx}), 0, None, f"T.{dx}", "T", withheld=True) for dx in ("flu", "none")]
    gone = [Statistic(Predicate.of({"DX": dx}), 0, None, f"U.{dx}", "U", withheld=True) for dx in ("flu", "none")]
    release = Release(PATIENTS, [Statistic.exact(Predicate.of({"AGE": "old"}), 2, "T.old", "T"), *dx, *gone])
    policy = Policy(stars=2, know=Knowledge(zeros_shown=True))
    assert verdict(release, policy) == "broken"
    found = protect(release, policy)
    assert (found.before, found.after, found.withheld) == (2, 0, ("T.old",))
    assert found.release is not None
    assert verdict(found.release, policy) == "kept"
    assert [s.low for s in found.release.statistics] == [1, 1, 1, 0, 0]


def test_a_table_stays_or_goes_as_a_whole_where_zeros_are_shown() -> None:
    """Withheld but for its total, a table would still tell that none of its other cells is 0."""
    policy = Policy(primary=Primary(1, 3), know=Knowledge(zeros_shown=True))
    with pytest.raises(InputError, match="a table stays or goes as a whole, and of 'T' only some cells would be kept"):
        protect(CLINICS, policy, by="table", keep=["T.all"])
    assert proved(CLINICS, replace(policy, know=None), by="table", keep=["T.all"]).after == 0


def test_a_proof_may_use_that_a_count_is_not_negative() -> None:
    """The number of records is 2 to 4 once it is rounded; with one a0 at most three are a1."""
    domain = Domain.of({"A": ["a0", "a1"]})
    cells = [Statistic.exact(Predicate.of({"A": code}), n, f"T.{code}", "T") for code, n in (("a1", 2), ("a0", 1))]
    release = Release(domain, [*cells, Statistic.exact(Predicate(), 3, "U.all", "U"), Statistic(Predicate(), 0, 4, "limit")])
    policy = Policy(primary=Primary(names=("T.a1",)), min_width=3, stars=2)
    found = proved(release, policy, by="table", keep=["limit"], round_to=[3], merge=[("A", "a0", "a1")], groups="none")
    assert found.rounded == ("U",)


def test_gaps_are_no_values() -> None:
    """None or two of two records are old, printed as a mark that says so: two values, though they are two apart."""
    mark = Statistic(Predicate.of({"AGE": "old"}), 0, 2, "old", "T", mark="~", gaps=((1, 1),))
    release = Release(PATIENTS, [mark, Statistic(Predicate(), 0, 2, "all", "T")])
    policy = Policy(primary=Primary(names=("old",)), min_width=3)
    assert verdict(release, policy) == "broken"
    assert proved(release, policy, keep=["all"]).before == 1  # the one mark for anything at all is enough
    assert protect(release, policy, keep=["all"], marks="two").impossible != ""
    assert proved(release, Policy(stars=2), keep=["all"], marks="two").before == 0


def test_a_mark_for_all_but_a_few_counts_is_not_nothing() -> None:
    """A mark for 0 or from 2 up has no limits but a gap. Three of four people are young and have flu, so no old one is without."""
    old = Statistic(Predicate.of({"AGE": "old", "DX": "none"}), 0, None, "o", "T", mark="#", gaps=((1, 1),))
    young = Statistic.exact(Predicate.of({"AGE": "young", "DX": "flu"}), 3, "y", "T")
    release, policy = Release(PATIENTS, [old, young, Statistic(Predicate(), 0, 4, "limit", "T")]), Policy(attribute=("DX",))
    assert verdict(release, policy) == "broken"
    assert proved(release, policy, keep=["limit"], marks="two").withheld == ("y",)
    assert proved(release, policy, keep=["limit"], marks="one").withheld == ()  # the one mark for anything at all is enough


def test_what_is_asked_twice_counts_once() -> None:
    policy = Policy(primary=Primary(1, 3), know=Knowledge(zeros_shown=True))
    once = proved(CLINICS, policy, withhold=False, round_to=[10])
    assert proved(CLINICS, policy, withhold=False, round_to=[10, 10]).done == once.done
    merged = proved(CLINICS, policy, withhold=False, merge=[("G", "A", "B")])
    for again in [("G", "A", "B"), ("G", "B", "A")]:
        assert proved(CLINICS, policy, withhold=False, merge=[("G", "A", "B"), again]).done == merged.done
    with pytest.raises(InputError, match="is one value; give two values of G"):
        protect(CLINICS, policy, withhold=False, merge=[("G", "A", "A")])


def test_a_reader_knows_that_zeros_are_shown() -> None:
    """Zeros stay shown unless a policy lets them go, so a cell that is not shown is at least 1, and this is what is judged."""
    # of two in A one is a woman and one a man: whoever knows that none of the two cells is 0 knows both
    two = counts({"A": (1, 1), "B": (5, 6)})
    nothing, zeros = (Policy(primary=Primary(1, 1), know=know) for know in (Knowledge(), Knowledge(zeros_shown=True)))
    less, more = proved(two, nothing), proved(two, Policy(primary=Primary(1, 1)))
    assert less.release is not None
    assert more.release is not None
    assert (verdict(less.release, zeros), verdict(more.release, zeros)) == ("broken", "kept")
    assert (less.cost, more.cost) == (4, 6)
    rng = Random(7)
    for _ in range(5):
        release = counts({group: (rng.randint(0, 4), rng.randint(0, 4)) for group in "AB"})
        for policy in (Policy(primary=Primary(1, 2)), Policy(singled_out_columns=2, stars=2)):
            found = protect(release, policy)
            assert found.release is not None
            assert {s.name for s in found.release.statistics if s.high == 0} == {s.name for s in release.statistics if s.high == 0}
            assert all(s.low >= 1 for s in found.release.statistics if s.hidden)
            assert verdict(found.release, replace(policy, know=Knowledge(zeros_shown=True))) == "kept"
            assert protect(release, replace(policy, know=Knowledge())).lower_bound <= found.lower_bound


def test_totals_stay_where_as_few_other_cells_do() -> None:
    policy = Policy(primary=Primary(1, 3))
    found = proved(CLINICS, policy)
    assert found.cost == 4
    assert not {"T.A", "T.B", "T.C", "T.D", "T.F", "T.M", "T.all"} & set(found.withheld)
    rng = Random(3)
    for _ in range(4):
        release = counts({group: (rng.randint(1, 9), rng.randint(1, 9)) for group in "ABCDE"})
        least = protect(release, Policy(primary=Primary(1, 2)))
        dear = {s.name: 100 for s in release.statistics if len(s.predicate) < 2 and s.low > 2}
        without = protect(release, Policy(primary=Primary(1, 2)), costs=dear)
        gone = set(dear).intersection(least.withheld)
        assert not gone or (without.cost or 0) > (least.cost or 0)


def test_a_rounded_cell_is_cheaper_than_a_withheld_one() -> None:
    policy = Policy(primary=Primary(1, 3), know=Knowledge(zeros_shown=True))
    found = proved(CLINICS, policy, round_to=[10])
    assert (found.withheld, len(found.rounded), found.cost) == (("T.AF",), 3, 5)
    assert proved(CLINICS, policy).cost == 4
    with pytest.raises(InputError, match=r"'T\.X' is neither a number, a table nor a merge here"):
        protect(CLINICS, policy, costs={"T.X": 3})


def test_a_primary_zero_reaches_far_enough_to_both_sides() -> None:
    """Half of nothing is nothing: no dataset has to be listed in which the cell is 0, and the certificate is accepted."""
    two, none = Predicate.of({"B": "b1"}), Predicate.of({"A": "a1"})
    cells = [Statistic.exact(two, 2, "T1.0", "T1"), Statistic.exact(none, 0, "T1.1", "T1")]
    domain = Domain.of({"A": ["a0", "a1"], "B": ["b0", "b1"]})
    release = Release(domain, [*cells, Statistic(Predicate(), 0, 5, "limit", "limit")])
    policy = Policy(primary=Primary(0, 1), both_sides=50, stars=2)
    found = protect(release, policy, by="table", keep=["limit"], groups="none", proofs=True)
    assert (found.cost, found.after) == (1, 0)
    assert check(release, found.certificate).rejected == []


@pytest.mark.parametrize("by", ["cell", "table"])
def test_what_is_told_on_the_way_counts_primary_cells_where_no_others_are_withheld(by: str) -> None:
    told: list[tuple[int, int | None]] = []
    cells = [Statistic.exact(Predicate.of({"AGE": age}), n, f"T.{age}") for age, n in (("old", 1), ("young", 5))]
    found = protect(Release(PATIENTS, cells), Policy(primary=Primary(1, 3)), by=by, watch=lambda *ends: told.append(ends))
    assert found.cost == found.lower_bound
    assert told[-1] == (found.lower_bound, found.cost)
