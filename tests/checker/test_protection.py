"""Certificates of protections that lie: each is sealed, and tells something that is not so."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from foregone import Domain, Figure, Measure, Policy, Predicate, Primary, Release, Statistic, audit, check, proofs, protect
from foregone.checker.asked import asked_of
from foregone.checker.protection import FORMAT, VERSION
from foregone.checker.seal import digest

Json = dict[str, Any]


def release_of(columns: dict[str, list[str]], *rows: tuple[dict[str, str | list[str]], int]) -> Release:
    cells = [Statistic.exact(Predicate.of(where), count, f"T.{i}") for i, (where, count) in enumerate(rows)]
    return Release(Domain.of(columns), cells)


NOTHING: Json = {"by": "cell", "withhold": "no", "keep": [], "cost": "one", "round": [], "merge": []}


def certificate(release: Release, policy: Json, **changes: Any) -> Json:
    """Nothing is done, and nothing has to be done; each primary cell costs 1."""
    made: Json = {
        "format": FORMAT,
        "version": VERSION,
        "tool": "",
        "release": release.fingerprint(),
        "attacker": "exact",
        "policy": policy,
        "groups": "published",
        "asked": NOTHING,
        "primary": [],
        "actions": [],
        "taken": [],
        "cost": len(changes.get("primary", [])),
        "lower_bound": 0,
        "explanations": [],
        "safe": {},
        **changes,
    }
    return {**made, "digest": digest(made)}


def rejected(release: Release, document: Json) -> str:
    judged = check(release, json.loads(json.dumps(document)))
    assert judged.rejected, "accepted"
    return judged.rejected[0]


def audited(release: Release, facts: Any = None) -> Json:
    made = json.loads(json.dumps(proofs(audit(release))))
    if facts is not None:
        made["facts"] = [fact for old in made["facts"] for fact in facts(old)]
        made["digest"] = digest(made)
        again = check(release, made, complete=True)
        assert (again.rejected, again.complete) == ([], True)  # a fine list of claims, written in another way
    return {"audit": made}


PAIR = release_of({"A": ["0", "1"], "B": ["0", "1"]}, ({}, 3), ({"A": "1"}, 1), ({"B": "1"}, 1), ({"A": "1", "B": "1"}, 1))
ALIKE = release_of({"A": ["0", "1"], "B": ["0", "1"]}, ({}, 5), ({"A": "1"}, 2), ({"A": "1", "B": "1"}, 2), ({"B": "1"}, 4))


def short_first(fact: Json) -> list[Json]:
    """A shortest form as the claim, and the claim as one of its forms."""
    claim, forms = fact["claim"], fact["forms"]
    return [{**fact, "claim": forms[0], "forms": [claim, *forms[1:]]}] if forms else [fact]


def one_by_one(fact: Json) -> list[Json]:
    """Every form as a fact of its own."""
    return [{**fact, "claim": claim, "forms": []} for claim in (fact["claim"], *fact["forms"])]


@pytest.mark.parametrize("way", [None, short_first, one_by_one])
def test_a_claim_with_many_columns_breaks_the_policy_wherever_it_stands(way: Any) -> None:
    document = certificate(PAIR, {"singled_out_columns": 2, "smallest_group": 2}, safe=audited(PAIR, way))
    assert "2 columns" in rejected(PAIR, document)
    kept = certificate(PAIR, {"singled_out_columns": 3, "smallest_group": 2}, safe=audited(PAIR, way))
    assert check(PAIR, kept).rejected == []


@pytest.mark.parametrize("way", [None, short_first, one_by_one])
def test_an_attribute_of_a_group_is_told_wherever_it_stands(way: Any) -> None:
    assert "B is told" in rejected(ALIKE, certificate(ALIKE, {"attribute": ["B"]}, safe=audited(ALIKE, way)))


def test_an_attribute_of_everybody_is_told() -> None:
    """All records are no claim, so no list has to have them."""
    everybody = release_of({"A": ["0", "1"]}, ({}, 3), ({"A": "1"}, 3))
    for way in (None, lambda fact: [{**fact, "forms": [form for form in fact["forms"] if form]}]):
        assert "A is told" in rejected(everybody, certificate(everybody, {"attribute": ["A"]}, safe=audited(everybody, way)))
    some = release_of({"A": ["0", "1"]}, ({"A": "1"}, 3))
    assert check(some, certificate(some, {"attribute": ["A"]}, safe=audited(some))).rejected == []


SECRET = release_of({"A": ["a", "b"]}, ({"A": "a"}, 1))
ONE: Json = {"primary": "1..1", "min_width": 2}


@pytest.mark.parametrize(
    ("policy", "why"),
    [
        ({"primary": ["T.0"]}, "not the cells"),
        ({"primary": ["T.9"]}, "no number has"),
        ({"primary": "3..1"}, "expected a range"),
        ({"primary": 3}, "expected a range"),
        ({"know": ["everything"]}, "know"),
        ({"know": ["primary<=3", "primary<=1"]}, "know"),
        ({"know": ["primary<=3"]}, "there are none"),
        ({"min_width": 5}, "there are none"),
        ({"smallest_group": 5}, "needs singled_out_columns"),
        ({"attribute": ["C"]}, "expected columns"),
    ],
)
def test_what_a_policy_says_is_looked_at_or_refused(policy: Json, why: str) -> None:
    assert why in rejected(SECRET, certificate(SECRET, policy))


NOT_LINEAR: list[Json] = [{"singled_out_columns": 1}, {"attribute": ["A"]}, {**ONE, "min_width": 3}, {**ONE, "both_sides": 9}]


@pytest.mark.parametrize("policy", NOT_LINEAR)
def test_the_linear_attacker_is_asked_about_primary_cells_only(policy: Json) -> None:
    primary, safe = ([0] if "primary" in policy else []), {"direction": [[1, ["a"]]] if "primary" in policy else []}
    assert "linear attacker" in rejected(SECRET, certificate(SECRET, policy, attacker="linear", primary=primary, safe=safe))


def test_what_is_known_of_a_primary_cell_stays_known() -> None:
    """It is 1, and whoever knows the policy knows that: no action on it changes that, and no direction."""
    known = {**ONE, "know": ["zeros-shown", "primary<=1"]}
    two = {"datasets": [[["a"]], [["a"], ["a"]]]}
    again = [{"kind": "round", "name": "again", "cost": 0, "numbers": [0], "base": 2}]
    assert rejected(SECRET, certificate(SECRET, known, primary=[0], safe=two))
    rounding = {**NOTHING, "round": [2]}
    both = {"asked": rounding, "actions": again, "taken": [0]}
    assert "0 follow" in rejected(SECRET, certificate(SECRET, known, primary=[0], safe=two, **both))
    linear = {"attacker": "linear", "primary": [0], "safe": {"direction": [[1, ["a"]]]}}
    assert "is shown and changes" in rejected(SECRET, certificate(SECRET, known, **linear))
    assert check(SECRET, certificate(SECRET, ONE, **linear)).rejected == []
    false = {"primary": ["T.0"], "know": ["primary<=0"]}
    assert "larger" in rejected(SECRET, certificate(SECRET, false, primary=[0], safe={"datasets": [[]]}))


def test_zeros_that_stay_shown_are_not_withheld() -> None:
    release = release_of({"A": ["a", "b"]}, ({"A": "a"}, 1), ({"A": "b"}, 0))
    action = [{"kind": "cell", "name": name, "cost": 1, "numbers": [i]} for i, name in enumerate(("T.0", "T.1"))]
    asked, policy = {**NOTHING, "withhold": "yes"}, {"singled_out_columns": 3, "know": ["zeros-shown"]}
    assert "1 follow" in rejected(release, certificate(release, policy, asked=asked, actions=action))
    zero = {"primary": "0..0", "know": ["zeros-shown"]}
    assert "zeros stay shown" in rejected(release, certificate(release, zero, primary=[1]))


def priced(release: Release, policy: Json, breach: Json, **changes: Any) -> Json:
    """A certificate that withholding the number 1 is needed, because of a breach."""
    needs = [{"number": i, "low": s.low, "high": s.high} for i, s in enumerate(release.statistics)]
    total, part = [0, 1], [2, 3]
    sides = [{"terms": [[total[side], 1], [part[1 - side], 1]], "over": 1} for side in (0, 1)]
    more = [{"terms": [[total[side], 1]], "over": 1} for side in (0, 1)] if "group" in breach else []
    steps = [{"columns": "A", "sets": [["a"], ["b", "c"]]}]
    explanation = {"needs": needs, "breach": breach, "steps": steps, "proofs": sides + more}
    action = {"kind": "cell", "name": "T.1", "cost": 1, "numbers": [1]}
    left = Release(release.domain, (release.statistics[0], Statistic(release.statistics[1].predicate, 0, None)))
    keep = [s.name for s in release.statistics if s.name != "T.1"]
    changes = {"covering": {"pay": [[0, 1]], "over": 1}, "safe": audited(left), "groups": "none", **changes}
    changes["asked"] = {**NOTHING, "withhold": "yes", "keep": keep}
    half = {"actions": [action], "taken": [0], "cost": 1, "lower_bound": 1, "explanations": [explanation]}
    return certificate(release, policy, **half, **changes)


def test_a_group_that_no_claim_names_breaks_nothing() -> None:
    """That one record is b or c is certain, but nobody calls b and c one thing: nothing has to be withheld."""
    release = release_of({"A": ["a", "b", "c"]}, ({}, 6), ({"A": "a"}, 5))
    policy = {"singled_out_columns": 1, "smallest_group": 2}
    breach = {"claim": {"A": ["b", "c"]}, "count": 1}
    assert "does not name" in rejected(release, priced(release, policy, breach))
    assert "does not name" in rejected(release, priced(release, policy, breach, groups="published"))
    named = release_of({"A": ["a", "b", "c"]}, ({}, 6), ({"A": "a"}, 5), ({"A": ["b", "c"]}, 1))
    assert "does not name" in rejected(named, priced(named, policy, breach))
    assert "does not name" not in rejected(named, priced(named, policy, breach, groups="published"))  # what is left is not safe


def test_an_attribute_is_one_value() -> None:
    release = release_of({"A": ["a", "b", "c"]}, ({}, 5), ({"A": ["b", "c"]}, 5), ({"A": "a"}, 0))
    breach = {"claim": {"A": ["b", "c"]}, "count": 5, "group": {}}
    assert "one value" in rejected(release, priced(release, {"attribute": ["A"]}, breach, groups="published"))
    crooked = {**breach, "group": ["A"]}
    assert "object" in rejected(release, priced(release, {"attribute": ["A"]}, crooked, groups="published"))


def test_a_bound_above_the_cost_is_not_taken_on_trust() -> None:
    assert "above the cost" in rejected(SECRET, certificate(SECRET, {"attribute": ["A"]}, lower_bound=9))


def test_a_policy_that_forbids_nothing_is_no_policy() -> None:
    assert "forbids nothing" in rejected(SECRET, certificate(SECRET, {}))
    assert "forbids nothing" in rejected(SECRET, certificate(SECRET, {"know": ["zeros-shown"]}))


def test_a_percentage_says_less_without_the_count_that_it_is_of() -> None:
    """Fifty percent of ten are five as long as the ten are shown. Whoever forgets them would call withholding them useless."""
    figure = Figure.exact(Measure.PERCENT, "T.0", Predicate.of({"A": "a"}), 50, "T.1")
    release = Release(SECRET.domain, (Statistic.exact(Predicate(), 10, "T.0"),), figures=(figure,))
    asked, policy = {**NOTHING, "withhold": "yes"}, {"singled_out_columns": 1, "smallest_group": 6}
    honest = protect(release, Policy(1, 6), proofs=True)
    document = json.loads(json.dumps(honest.certificate))
    assert (document["asked"], document["policy"]) == (asked, policy)
    assert check(release, document).rejected == []
    explanation = document["explanations"][0]
    assert [need["number"] for need in explanation["needs"]] == [0, 1]
    for needs in ([{"number": 1}], [{"number": 0, "low": 10}, {"number": 1}]):
        forged = {**document, "explanations": [{**explanation, "needs": needs}]}
        assert "explanation 1" in rejected(release, {**forged, "digest": digest(forged)})
    less = {**document, "explanations": [{**explanation, "needs": [{"number": 0, "low": 10, "high": 10}, {"number": 1, "low": 5}]}]}
    assert "expected an object" in rejected(release, {**less, "digest": digest(less)})


def test_a_figure_that_could_be_withheld_is_no_reason_to_withhold_more() -> None:
    figure = Figure.exact(Measure.PERCENT, "T.0", Predicate.of({"A": "a"}), 50, "T.1")
    release = Release(SECRET.domain, (Statistic.exact(Predicate(), 10, "T.0"),), figures=(figure,))
    document = json.loads(json.dumps(protect(release, Policy(1, 6), costs={"T.0": 5}, proofs=True).certificate))
    assert (document["taken"], document["cost"]) == ([1], 1)
    dear = json.loads(json.dumps(protect(release, Policy(1, 6), costs={"T.0": 5, "T.1": 9}, proofs=True).certificate))
    assert (dear["taken"], dear["cost"]) == ([0], 5)
    forged = {**document, **{key: dear[key] for key in ("taken", "cost", "lower_bound", "safe", "covering")}}
    assert "more is paid" in rejected(release, {**forged, "digest": digest(forged)})


COSTLY = release_of({"A": ["a", "b"], "B": ["a", "b"]}, ({}, 9), ({"A": "a"}, 1), ({"B": "a"}, 1), ({"A": "b"}, 8), ({"B": "b"}, 8))
LIES: dict[str, tuple[Callable[[Json], object], str]] = {
    "an explanation told twice": (
        lambda d: (d["explanations"].append(d["explanations"][0]), d.update(covering=_paid(d, 1), lower_bound=d["cost"])),
        "paid for an action",
    ),
    "a payment made twice": (lambda d: d.update(covering={"pay": [[0, 1], [0, 1]], "over": 1}), "paid for an action"),
    "a payment for nothing": (lambda d: d.update(covering={"pay": [[999, 1]], "over": 1}), "met or not there"),
    "a negative payment": (lambda d: d.update(covering={"pay": [[0, -1]], "over": 1}), "whole number"),
    "huge numbers": (lambda d: d.update(cost=10**101), "100 digits"),
    "a huge share": (lambda d: d.update(covering={"pay": [[0, 10**100]], "over": 1}), "paid for an action"),
    "an action taken twice": (lambda d: d["taken"].append(d["taken"][0]), "different actions"),
    "an action that is not there": (lambda d: d["taken"].append(999), "different actions"),
    "a cheaper action": (lambda d: d["actions"][0].update(cost=0), "follows"),
    "a dearer one": (lambda d: d["actions"][-1].update(cost=10**6), "follows"),
    "an action on other numbers": (lambda d: d["actions"][0].update(numbers=[0, 1]), "follows"),
    "an action on something else": (lambda d: d["actions"][0].update(numbers=["T.1", 0]), "whole number"),
    "very many bases": (lambda d: d["asked"].update(round=list(range(2, 200))), "too many"),
    "an action less": (lambda d: d["actions"].pop(), "follow"),
    "an action twice": (lambda d: d["actions"].append(d["actions"][0]), "follow"),
    "something that was kept": (lambda d: d["asked"]["keep"].append("T.3"), "follow"),
    "a primary cell that was kept": (lambda d: d["asked"]["keep"].append("T.1"), "cannot be kept"),
    "a cost that was asked": (lambda d: d["asked"].update(cost=[["T.3", 7]]), "follows"),
    "a cost of a primary cell": (lambda d: d["asked"].update(cost=[["T.1", 7]]), "the cost is not"),
    "a cost given twice": (lambda d: d["asked"].update(cost=[["T.1", 1], ["T.1", 1]]), "twice"),
    "no such cost": (lambda d: d["asked"].update(cost="none"), "list of pairs"),
    "by something else": (lambda d: d["asked"].update(by="row"), "cell or table"),
    "a name that nothing has": (lambda d: d["asked"]["keep"].append("T.99"), "neither the name"),
    "a merge of one value": (lambda d: d["asked"]["merge"].append(["A", "a", "a"]), "two of its codes"),
    "a sum that nobody shows": (lambda d: d["explanations"][0]["needs"].append({"sum": [1, 3], "low": 9}), "no merge shows"),
    "another release": (lambda d: d.update(release="0" * 64), "another release"),
    "an older version": (lambda d: d.update(version=1), "version 2"),
    "a version that is true": (lambda d: d.update(version=True), "version 2"),
    "a clause of the policy less": (lambda d: d["policy"].pop("primary"), "there are none"),
    "a weaker policy": (lambda d: d["policy"].update(primary="5..6"), "not the cells"),
    "a cost less": (lambda d: d.update(cost=d["cost"] - 1, lower_bound=d["cost"] - 1), "the cost is not"),
    "an unsafe choice": (lambda d: d.update(taken=[], cost=2, lower_bound=2), "safe"),
}


def _paid(document: Json, each: int) -> Json:
    return {"pay": [[s, each] for s in range(len(document["explanations"]))], "over": 1}


@pytest.mark.parametrize("lie", LIES)
def test_lies(lie: str) -> None:
    change, why = LIES[lie]
    document = json.loads(json.dumps(protect(COSTLY, Policy(primary=Primary(1, 3)), proofs=True).certificate))
    assert check(COSTLY, document).rejected == []
    change(document)
    assert why in rejected(COSTLY, {**document, "digest": digest(document)})


def test_a_bound_without_a_proof_is_said_to_be_one() -> None:
    document = json.loads(json.dumps(protect(COSTLY, Policy(primary=Primary(1, 3)), proofs=True).certificate))
    document.pop("covering")
    judged = check(COSTLY, {**document, "digest": digest(document)})
    assert judged.rejected == []
    assert "a solver says so" in judged.reason


def test_what_was_asked_is_said_in_one_plain_line() -> None:
    """A pattern of `keep` may hold anything, as long as it fits some name."""
    asked = asked_of({**NOTHING, "by": "table", "withhold": "yes", "keep": ["T*[!\x1b]", "U" * 9000], "cost": "size", "round": [5]})
    words = "withhold tables; round to a multiple of 5. A cell costs its count. Kept: T*[!?], UUU"
    assert asked.words.startswith(words)
    assert len(asked.words) <= 400
    assert "Kept: nothing" in asked_of({**NOTHING, "cost": [["T", 2]], "merge": [["A", "a", "b"]]}).words


def test_a_certificate_is_for_the_release_that_is_looked_at() -> None:
    """The fingerprint does not cover names; whatever depends on them is worked out from the release that is given."""
    document = json.loads(json.dumps(protect(COSTLY, Policy(primary=Primary(names=("T.1",))), proofs=True).certificate))
    assert check(COSTLY, document).rejected == []
    names = ["T.0", "T.2", "T.1", "T.3", "T.4"]
    swapped = Release(COSTLY.domain, [replace(s, name=name) for s, name in zip(COSTLY.statistics, names, strict=True)])
    assert swapped.fingerprint() == COSTLY.fingerprint()
    assert "not the cells" in rejected(swapped, document)
