"""Certificates of protections that lie: each is sealed, and tells something that is not so."""

from __future__ import annotations

import json
from typing import Any

import pytest

from foregone import Domain, Figure, Measure, Predicate, Release, Statistic, audit, check, proofs
from foregone.checker.protection import FORMAT, VERSION
from foregone.checker.seal import digest

Json = dict[str, Any]


def release_of(columns: dict[str, list[str]], *rows: tuple[dict[str, str | list[str]], int]) -> Release:
    cells = [Statistic.exact(Predicate.of(where), count, f"T.{i}") for i, (where, count) in enumerate(rows)]
    return Release(Domain.of(columns), cells)


def certificate(release: Release, policy: Json, **changes: Any) -> Json:
    """Nothing is done, and nothing has to be done."""
    made: Json = {
        "format": FORMAT,
        "version": VERSION,
        "tool": "",
        "release": release.fingerprint(),
        "attacker": "exact",
        "policy": policy,
        "groups": "published",
        "primary": [],
        "actions": [],
        "taken": [],
        "cost": 0,
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
    assert "anyway" in rejected(SECRET, certificate(SECRET, known, primary=[0], actions=again, taken=[0], safe=two))
    linear = {"attacker": "linear", "primary": [0], "safe": {"direction": [[1, ["a"]]]}}
    assert "is shown and changes" in rejected(SECRET, certificate(SECRET, known, **linear))
    assert check(SECRET, certificate(SECRET, ONE, **linear)).rejected == []
    false = {"primary": ["T.0"], "know": ["primary<=0"]}
    assert "larger" in rejected(SECRET, certificate(SECRET, false, primary=[0], safe={"datasets": [[]]}))


def test_zeros_that_stay_shown_are_not_withheld() -> None:
    release = release_of({"A": ["a", "b"]}, ({"A": "a"}, 1), ({"A": "b"}, 0))
    action = [{"kind": "cell", "name": "zero", "cost": 1, "numbers": [1]}]
    assert "zeros" in rejected(release, certificate(release, {"know": ["zeros-shown"]}, actions=action))


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
    changes = {"covering": {"pay": [[0, 1]], "over": 1}, "safe": audited(left), "groups": "none", **changes}
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
    release = release_of({"A": ["a", "b", "c"]}, ({}, 5), ({"A": "a"}, 0), ({"A": ["b", "c"]}, 5))
    breach = {"claim": {"A": ["b", "c"]}, "count": 5, "group": {}}
    assert "one value" in rejected(release, priced(release, {"attribute": ["A"]}, breach, groups="published"))
    crooked = {**breach, "group": ["A"]}
    assert "object" in rejected(release, priced(release, {"attribute": ["A"]}, crooked, groups="published"))


def test_a_bound_above_the_cost_is_not_taken_on_trust() -> None:
    assert "above the cost" in rejected(SECRET, certificate(SECRET, {}, lower_bound=9))


def test_figures_are_no_counts_even_where_they_say_no_more_than_one() -> None:
    """Fifty percent of ten are five as long as the ten are shown; a certificate that withholds them would know no difference."""
    figure = Figure.exact(Measure.PERCENT, "", Predicate.of({"A": "a"}), 50)
    release = Release(SECRET.domain, (Statistic.exact(Predicate(), 10),), figures=(figure,))
    assert "counts only" in rejected(release, certificate(release, {}))
