"""Certificates of protections that lie: each is sealed, and tells something that is not so."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from foregone import Domain, Figure, Measure, Policy, Predicate, Primary, Release, Statistic, audit, check, proofs, protect
from foregone.checker import digest
from foregone.checker.encode.asked import asked_of
from foregone.checker.verdicts.protection import FORMAT, VERSION

Json = dict[str, Any]


def release_of(columns: dict[str, list[str]], *rows: tuple[dict[str, str | list[str]], int]) -> Release:
    cells = [Statistic.exact(Predicate.of(where), count, f"T.{i}") for i, (where, count) in enumerate(rows)]
    return Release(Domain.of(columns), cells)


NOTHING: Json = {"by": "cell", "withhold": "no", "keep": [], "cost": "one", "round": [], "merge": [], "marks": "one", "mark": ""}


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
        "asked": NOTHING,
        "taken": [],
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


def records(*kinds: str) -> Json:
    """One dataset with these records, each written as its codes in a row."""
    return {"datasets": [[list(kind) for kind in kinds]]}


def test_an_attribute_of_a_group_is_told() -> None:
    """Both with A=1 have B=1, whatever is listed; in the other group B is open."""
    empty = [{"columns": "A", "sets": [["0"], ["1"]]}, {"columns": "B", "sets": [["0"], ["1"]]}, {"prune": [[2, 1], [5, 1]]}]
    for safe in (records("11", "11", "01", "01", "00"), {**records("11", "11", "01", "01", "00"), "empty": empty}):
        assert "B is unknown in the group A=1" in rejected(ALIKE, certificate(ALIKE, {"attribute": ["B"]}, safe=safe))
    known = certificate(ALIKE, {"attribute": ["B"], "attribute_from": []}, safe=records("11", "11", "01", "01", "00"))
    assert check(ALIKE, known).rejected == []  # nobody knows A of a person


def test_an_attribute_of_everybody_is_told() -> None:
    everybody = release_of({"A": ["0", "1"]}, ({}, 3), ({"A": "1"}, 3))
    assert "of everybody" in rejected(everybody, certificate(everybody, {"attribute": ["A"]}, safe=records("1", "1", "1")))
    some = release_of({"A": ["0", "1"]}, ({"A": "1"}, 3))
    assert check(some, certificate(some, {"attribute": ["A"]}, safe=records("1", "1", "1", "0"))).rejected == []


def test_a_claim_about_everybody_counts_all_its_columns() -> None:
    """One record, A=1 and B=1. Whoever proves of A alone that everybody has it would have B count alone."""
    release = release_of({"A": ["0", "1"], "B": ["0", "1"]}, ({"A": "0"}, 0), ({"B": "0"}, 0), ({"A": "1", "B": "1"}, 1))
    told = audited(release, lambda fact: [{**fact, "forms": [{"A": "1"}, {"B": "1"}]}])
    told["empty"] = [{"columns": "A", "sets": [["0"], ["1"]]}, {"prune": [[0, 1]]}]
    assert "2 columns tell 1 apart" in rejected(release, certificate(release, {"singled_out_columns": 2}, safe=told))
    assert check(release, certificate(release, {"singled_out_columns": 3}, safe=told)).rejected == []


def test_a_group_that_is_only_declared_can_tell_an_attribute() -> None:
    """No number and no rule tells a1 from a2, but the group of a2 and a3 does; of a3 there is nobody, and a2 is v by a rule."""
    domain = Domain.of({"A": ["a1", "a2", "a3", "a4"], "X": ["v", "w"]}, groups={"A": {"some": ["a2", "a3"]}})
    cells = [Statistic.exact(Predicate.of({"A": "a3"}), 0), Statistic(Predicate.of({"A": "a4", "X": "v"}), 0, 4)]
    release = Release(domain, [*cells, Statistic(Predicate(), 0, 4)], [Predicate.of({"A": ["a1", "a2"], "X": "w"})])
    safe: Json = {"datasets": [[["a1", "v"], ["a4", "w"], ["a4", "v"]]]}
    cut = [{"columns": "A", "sets": [["a1", "a2"], ["a3"], ["a4"]]}, {"columns": "X", "sets": [["v"], ["w"]]}]
    safe["empty"] = [*cut, {"prune": [[0, 1]]}, {"prune": [[6, 1]]}]
    document = certificate(release, {"attribute": ["X"]}, safe=safe)
    assert "unknown in the group A=a2|a3" in rejected(release, document)
    assert check(release, {**document, "groups": "none", "digest": digest({**document, "groups": "none"})}).rejected == []


SECRET = release_of({"A": ["a", "b"]}, ({"A": "a"}, 1))
ONE: Json = {"primary": "1..1", "min_width": 2}


@pytest.mark.parametrize(
    ("policy", "why"),
    [
        ({"primary": ["T.0"]}, "do not show that T.0 is unknown"),
        ({"primary": ["T.9"]}, "no number has"),
        ({"primary": []}, "expected something"),
        ({"primary": "3..1"}, "expected a range"),
        ({"primary": 3}, "expected a range"),
        ({"know": ["everything"]}, "know"),
        ({"know": ["primary<=3", "primary<=1"]}, "know"),
        ({"know": ["primary<=3"]}, "there are none"),
        ({"min_width": 5}, "there are none"),
        ({"smallest_group": 5}, "needs singled_out_columns"),
        ({"attribute": ["C"]}, "expected columns"),
        ({"attribute": ["A"], "attribute_from": ["C"]}, "expected columns"),
        ({"attribute_from": []}, "there are none"),
        ({"stars": 1}, "from 2 up"),
        ({"stars": "known"}, "from 2 up"),
        ({"stars": 10**90}, "up to 1,000"),
        ({"primary": "1..1", "min_width": 10**90}, "up to 1,000"),
        ({"primary": "1..1", "both_sides": 101}, "up to 100"),
        ({"singled_out_columns": 10**15}, "up to 999,999,999,999,999"),
        ({"largest_baseline": 1}, "expected an object"),
    ],
)
def test_what_a_policy_says_is_looked_at_or_refused(policy: Json, why: str) -> None:
    assert why in rejected(SECRET, certificate(SECRET, policy))


NOT_LINEAR: list[Json] = [{"singled_out_columns": 1}, {"attribute": ["A"]}, {"stars": 2}]
NOT_LINEAR += [{**ONE, "min_width": 3}, {**ONE, "both_sides": 9}]


@pytest.mark.parametrize("policy", NOT_LINEAR)
def test_the_linear_attacker_is_asked_about_primary_cells_only(policy: Json) -> None:
    safe = [[1, ["a"]]] if "primary" in policy else []
    assert "linear attacker" in rejected(SECRET, certificate(SECRET, policy, attacker="linear", safe=safe))


def test_what_is_known_of_a_primary_cell_stays_known() -> None:
    """It is 1, and whoever knows the policy knows that: no action on it changes that, and no direction."""
    known = {**ONE, "know": ["zeros-shown", "primary<=1"]}
    two = {"datasets": [[["a"]], [["a"], ["a"]]]}
    assert "says 1 to 1" in rejected(SECRET, certificate(SECRET, known, safe=two))
    assert "different actions" in rejected(SECRET, certificate(SECRET, known, safe=two, asked={**NOTHING, "round": [2]}, taken=[0]))
    assert check(SECRET, certificate(SECRET, ONE, safe=two)).rejected == []
    table = {**NOTHING, "by": "table", "withhold": "yes"}
    named = {"primary": ["T.0"], "know": ["primary<=1"]}
    assert "says 0 to 1" in rejected(SECRET, certificate(SECRET, named, safe=two, asked=table, taken=[0]))  # by its name
    linear: Json = {"attacker": "linear", "safe": [[1, ["a"]]]}
    assert check(SECRET, certificate(SECRET, ONE, **linear)).rejected == []
    assert "does not change" in rejected(SECRET, certificate(SECRET, ONE, attacker="linear", safe=[[1, ["b"]]]))
    false = {"primary": ["T.0"], "know": ["primary<=0"]}
    assert "larger" in rejected(SECRET, certificate(SECRET, false, safe={"datasets": [[]]}))


def test_zeros_that_stay_shown_are_not_withheld() -> None:
    release = release_of({"A": ["a", "b"]}, ({"A": "a"}, 1), ({"A": "b"}, 0))
    asked = {**NOTHING, "withhold": "yes"}
    for policy, actions in (({"stars": 2}, 1), ({"stars": 2, "know": ["zeros-shown"]}, 1), ({"attribute": ["A"]}, 2)):
        document = certificate(release, policy, asked=asked, taken=[actions])
        assert "different actions" in rejected(release, document)
        less = {**document, "taken": [actions - 1]}
        assert "different actions" not in "".join(check(release, {**less, "digest": digest(less)}).rejected)
    zero = {"primary": "0..0", "know": ["zeros-shown"]}
    assert "zeros are known to be shown" in rejected(release, certificate(release, zero))
    named = {"primary": ["T.1"], "know": ["zeros-shown"]}
    assert "zeros stay shown" in rejected(release, certificate(release, named))


def priced(release: Release, policy: Json, breach: Json, **changes: Any) -> Json:
    """A certificate that withholding the number 1 is needed, because of a breach."""
    needs = [{"number": i, "low": s.low, "high": s.high} for i, s in enumerate(release.statistics)]
    total, part = [0, 1], [2, 3]
    sides = [{"terms": [[total[side], 1], [part[1 - side], 1]], "over": 1} for side in (0, 1)]
    steps = [{"columns": "A", "sets": [["a"], ["b", "c"]]}]
    explanation = {"needs": needs, "breach": breach, "steps": steps, "proofs": sides[:1] if "group" in breach else sides}
    left = Release(release.domain, (release.statistics[0], Statistic(release.statistics[1].predicate, 1, None)))
    keep = [s.name for s in release.statistics if s.name != "T.1"]
    changes = {"covering": {"pay": [[0, 1]], "over": 1}, "safe": audited(left), "groups": "none", **changes}
    asked = {**NOTHING, "withhold": "yes", "keep": keep}
    return certificate(release, policy, asked=asked, taken=[0], lower_bound=1, explanations=[explanation], **changes)


def test_a_group_that_no_claim_names_breaks_nothing() -> None:
    """That one record is b or c is certain, but nobody calls b and c one thing: nothing has to be withheld."""
    release = release_of({"A": ["a", "b", "c"]}, ({}, 6), ({"A": "a"}, 5))
    policy = {"singled_out_columns": 1, "smallest_group": 2}
    breach = {"claim": {"A": ["b", "c"]}, "count": 1}
    assert "does not name" in rejected(release, priced(release, policy, breach))
    assert "does not name" in rejected(release, priced(release, policy, breach, groups="published"))
    named = release_of({"A": ["a", "b", "c"]}, ({}, 6), ({"A": "a"}, 5), ({"A": ["b", "c"]}, 1))
    assert "does not name" in rejected(named, priced(named, policy, breach))
    before = [[*[["a"]] * 5, ["b"]]]
    assert "safe:" in rejected(named, priced(named, policy, breach, groups="published", before=before))  # what is left is not safe


def test_an_attribute_is_one_value_that_somebody_has_and_no_rule_explains() -> None:
    domain = Domain.of({"A": ["a", "b", "c"]})
    cells = [Statistic.exact(Predicate(), 5, "T.0"), Statistic.exact(Predicate.of({"A": "b"}), 5, "T.1")]
    release = Release(domain, cells)
    proof = {"terms": [[0, 1], [3, 1]], "over": 1}
    steps = [{"columns": "A", "sets": [["a"], ["b"], ["c"]]}]
    breach: Json = {"group": {}, "column": "A", "code": "b", "allowed": ["c"]}
    needs = [{"number": 0, "high": 5}, {"number": 1, "low": 5}]
    found: Json = {"needs": needs, "breach": breach, "steps": steps, "proofs": [proof]}
    asked = {**NOTHING, "withhold": "yes", "keep": ["T.0"]}
    open_ = {"datasets": [[["b"]] * 5, [["a"], *[["b"]] * 4], [["c"], *[["b"]] * 4]]}
    rest: Json = {"asked": asked, "taken": [0], "lower_bound": 1, "covering": {"pay": [[0, 1]], "over": 1}, "safe": open_}

    def judged(some: Release, before: Any, **changes: Any) -> str:
        explanation = {**found, "breach": {**breach, **changes}}
        document = certificate(some, {"attribute": ["A"]}, explanations=[explanation], before=before, **rest)
        return "; ".join(check(some, json.loads(json.dumps(document))).rejected)

    everybody = [[["b"]] * 5]
    assert judged(release, everybody) == ""
    assert "explanation 1" in judged(release, everybody, code="a")
    assert "one of its codes" in judged(release, everybody, code=["b"])
    assert "one of its codes" in judged(release, everybody, column="B")
    assert "lies elsewhere" in judged(release, everybody, allowed=["b"])
    assert "expected an object" in judged(release, everybody, group=["A"])
    assert "may know" in judged(release, everybody, group={"A": "b"})
    assert "no listed dataset" in judged(release, [])
    assert "before: has 4" in judged(release, [[["b"]] * 4])
    ruled = Release(domain, cells, [Predicate.of({"A": "c"})])
    assert "a rule forbids" in judged(ruled, everybody)
    assert judged(ruled, everybody, allowed=["a"]) != ""  # one dataset for what is left has a record against the rule
    rest["safe"] = {"datasets": open_["datasets"][:2]}
    assert judged(ruled, everybody, allowed=["a"]) == ""


def test_a_bound_above_the_cost_is_not_taken_on_trust() -> None:
    assert "above the cost" in rejected(SECRET, certificate(SECRET, {"attribute": ["A"]}, lower_bound=9))
    assert "above the cost" in rejected(SECRET, certificate(SECRET, ONE, lower_bound=2))


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
    assert (document["taken"], document["lower_bound"]) == ([1], 1)
    dear = json.loads(json.dumps(protect(release, Policy(1, 6), costs={"T.0": 5, "T.1": 9}, proofs=True).certificate))
    assert (dear["taken"], dear["lower_bound"]) == ([0], 5)
    forged = {**document, **{key: dear[key] for key in ("taken", "lower_bound", "safe", "covering")}}
    assert "does not add up" in rejected(release, {**forged, "digest": digest(forged)})


COSTLY = release_of({"A": ["a", "b"], "B": ["a", "b"]}, ({}, 9), ({"A": "a"}, 1), ({"B": "a"}, 1), ({"A": "b"}, 8), ({"B": "b"}, 8))
LIES: dict[str, tuple[Callable[[Json], object], str]] = {
    "an explanation told twice": (
        lambda d: (d["explanations"].append(d["explanations"][0]), d.update(covering=_paid(d, 1))),
        "does not add up",
    ),
    "a payment made twice": (lambda d: d.update(covering={"pay": [[0, 1], [0, 1]], "over": 1}), "does not add up"),
    "a payment for nothing": (lambda d: d.update(covering={"pay": [[999, 1]], "over": 1}), "met or is not there"),
    "a negative payment": (lambda d: d.update(covering={"pay": [[0, -1]], "over": 1}), "whole number"),
    "huge numbers": (lambda d: d.update(lower_bound=10**101), "100 digits"),
    "a huge bound": (lambda d: d.update(lower_bound=10**100), "above the cost"),
    "a bound more": (lambda d: d.update(lower_bound=d["lower_bound"] + 1), "above the cost"),
    "a huge share": (lambda d: d.update(covering={"pay": [[0, 10**100]], "over": 1}), "does not add up"),
    "an action taken twice": (lambda d: d["taken"].append(d["taken"][0]), "different actions"),
    "an action that is not there": (lambda d: d["taken"].append(999), "different actions"),
    "actions": (lambda d: d.update(actions=[]), "expected an object"),
    "a cost": (lambda d: d.update(cost=1), "expected an object"),
    "very many bases": (lambda d: d["asked"].update(round=list(range(2, 200))), "too many"),
    "something that was kept": (lambda d: d["asked"]["keep"].append("T.0"), "safe"),
    "a primary cell that was kept": (lambda d: d["asked"]["keep"].append("T.1"), "cannot be kept"),
    "a cost that was asked": (
        lambda d: (d["asked"].update(cost=[["T.0", 7]]), d.update(lower_bound=9)),
        "does not add up",
    ),
    "a cost given twice": (lambda d: d["asked"].update(cost=[["T.1", 1], ["T.1", 1]]), "twice"),
    "no such cost": (lambda d: d["asked"].update(cost="none"), "list of pairs"),
    "by something else": (lambda d: d["asked"].update(by="row"), "cell or table"),
    "three marks": (lambda d: d["asked"].update(marks="three"), "one or two"),
    "a mark that is none": (lambda d: d["asked"].update(mark=3), "expected a text"),
    "a name that nothing has": (lambda d: d["asked"]["keep"].append("T.99"), "neither the name"),
    "a very long name": (lambda d: d["asked"]["keep"].append("*" * 20_000), "too many for"),
    "a merge of one value": (lambda d: d["asked"]["merge"].append(["A", "a", "a"]), "two of its codes"),
    "a sum that nobody shows": (lambda d: d["explanations"][0]["needs"].append({"sum": [1, 3], "low": 9}), "no merge shows"),
    "another release": (lambda d: d.update(release="0" * 64), "another release"),
    "an older version": (lambda d: d.update(version=2), "version 3"),
    "a version that is true": (lambda d: d.update(version=True), "version 3"),
    "a clause of the policy less": (lambda d: d["policy"].pop("primary"), "there are none"),
    "a weaker policy": (lambda d: d["policy"].update(primary="5..6"), "does not break the policy"),
    "a wider policy": (lambda d: d["policy"].update(min_width=9), "is unknown"),
    "an unsafe choice": (lambda d: d.update(taken=[], lower_bound=2), "safe"),
    "given that is not there": (lambda d: d["explanations"][0].update(given=[99]), "no such action"),
    "datasets that do not fit": (lambda d: d["explanations"][0].update(datasets=[[["a", "a"]]]), "explanation 1: has 1"),
    "a number less": (lambda d: d["explanations"][0]["needs"].pop(), "explanation 1"),
    "more of a number": (lambda d: d["explanations"][0]["needs"][0].update(low=10), "does not say so much"),
    "a wider breach": (lambda d: d["explanations"][0]["breach"].update(high=10**90), "does not break the policy"),
    "very many values missing": (
        lambda d: d["explanations"][0]["breach"].update(high=10**90, missing=list(range(5_000))),
        "does not break the policy",
    ),
    "a value that is missing": (lambda d: d["explanations"][0]["breach"].update(low=0, high=2, missing=[0]), "explanation 1"),
    "a value missing twice": (lambda d: d["explanations"][0]["breach"].update(missing=[1, 1]), "different values"),
    "a cell that is shown": (lambda d: d["explanations"][0]["breach"].update(cell=0), "does not break the policy"),
    "no such cell": (lambda d: d["explanations"][0]["breach"].update(cell=99), "expected a count"),
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


def test_what_was_asked_is_said_whole_and_in_plain_lines() -> None:
    """A pattern of `keep` may hold anything, as long as it fits some name; nothing of it is cut, or looks like another line."""
    keep = ["", "T*[!\x1b]", "U" * 9000, "a\nKept: nothing", "it's", "a\\", "\u202eKept", "\u6f22" * 60, "e\u0301"]
    keep += ["x" * 71 + " Kept: nothing"]
    asked = asked_of({**NOTHING, "by": "table", "withhold": "yes", "keep": keep, "cost": "size", "round": [5]})
    lines = asked.lines
    first = ["May be done: withhold tables", "May be done: round to a multiple of 5", "Cost: of a cell its count", "Kept: ''"]
    assert lines[:4] == first
    assert all(line.isprintable() and len(line) <= 72 for line in lines)
    assert sum(line.count("U") for line in lines) == 9000
    assert "Kept: nothing" not in lines
    begun = [line for line in lines if line.startswith("Kept: ")]
    assert len(begun) == len(keep)
    assert all(line.startswith(("May be done: ", "Cost: ", "Kept: ", "Marks: ", "    + ")) for line in lines)
    shown = [r"'T*[!\x1b]'", r"'a\nKept: nothing'", r"'it\'s'", r"'a\\'", r"'\u202eKept'", r"'e\u0301'"]
    assert {f"Kept: {text}" for text in shown} <= set(lines)
    assert [line.count("\u6f22") for line in lines if "\u6f22" in line] == [32, 28]  # each is two columns wide
    other = asked_of({**NOTHING, "cost": [["T", 2], ["", 10**99]], "merge": [["A", "a", "b"]], "mark": "*"}).lines
    assert other == [
        "May be done: merge 'A': 'a' with 'b'",
        "Cost: 1 a withheld cell",
        "Cost: 2 for 'T'",
        "Cost: " + "1" + "0" * 65,
        "    + " + "0" * 34 + " for ''",
        "Kept: nothing",
        "Marks: one, '*'",
    ]


def test_a_certificate_is_for_the_release_that_is_looked_at() -> None:
    """The fingerprint does not cover names; whatever depends on them is worked out from the release that is given."""
    document = json.loads(json.dumps(protect(COSTLY, Policy(primary=Primary(names=("T.1",))), proofs=True).certificate))
    assert check(COSTLY, document).rejected == []
    names = ["T.0", "T.2", "T.1", "T.3", "T.4"]
    swapped = Release(COSTLY.domain, [replace(s, name=name) for s, name in zip(COSTLY.statistics, names, strict=True)])
    assert swapped.fingerprint() == COSTLY.fingerprint()
    assert rejected(swapped, document)


def judged(release: Release, policy: Json, asked: Json, **changes: Any) -> str:
    document = certificate(release, policy, asked={**NOTHING, "withhold": "yes", **asked}, **changes)
    return "; ".join(check(release, json.loads(json.dumps(document))).rejected)


def test_what_holds_for_some_choices_raises_no_bound_for_others() -> None:
    """Whoever withholds T.1 has to withhold another one, as it could be worked out. Nobody has to withhold T.1."""
    release = release_of({"A": ["a", "b"]}, ({}, 3), ({"A": "a"}, 1), ({"A": "b"}, 2))
    needs = [{"number": 0, "low": 3, "high": 3}, {"number": 2, "low": 2, "high": 2}]
    sides = [{"terms": [[0, 1], [3, 1]], "over": 1}, {"terms": [[1, 1], [2, 1]], "over": 1}]
    steps = [{"columns": "A", "sets": [["a"], ["b"]]}]
    found: Json = {"needs": needs, "breach": {"cell": 1, "low": 1, "high": 1}, "steps": steps, "proofs": sides, "given": [1]}
    safe = {"datasets": [[["a"], ["b"], ["b"]], [["a"], ["a"], ["b"], ["b"]]]}
    rest: Json = {"taken": [0, 1], "safe": safe, "covering": {"pay": [[0, 1]], "over": 1}}
    assert judged(release, {"stars": 2}, {}, explanations=[found], **rest) == ""
    assert "does not add up" in judged(release, {"stars": 2}, {}, explanations=[found], lower_bound=1, **rest)
    shown = {key: value for key, value in found.items() if key != "given"}
    assert "does not break the policy" in judged(release, {"stars": 2}, {}, explanations=[shown], lower_bound=1, **rest)


NOT_ONE = Domain.of({"A": ["a", "b"]}, marks={"(2)": ((0, 0), (2, 2)), "[0]": ((0, 0), (2, None))})


def marked(mark: str, *more: Statistic) -> Release:
    high = 2 if mark == "(2)" else None
    return Release(NOT_ONE, [Statistic(Predicate.of({"A": "a"}), 0, high, "T.0", "T", mark=mark, gaps=((1, 1),)), *more])


def test_values_are_counted_and_not_the_span() -> None:
    """The cell is 0 or 2, which are two values."""
    release, two = marked("(2)"), {"datasets": [[], [["a"], ["a"]]]}
    asked = {"keep": ["T.0"]}
    assert judged(release, {"stars": 2}, asked, safe=two) == ""
    assert "is unknown" in judged(release, {"stars": 3}, asked, safe=two)
    assert "either-or" in judged(release, {"stars": 3}, asked, safe={"datasets": [*two["datasets"], [["a"]]]})


def test_a_value_that_is_missing_is_proved_to_be() -> None:
    release, up = marked("(2)"), {"terms": [[0, 1]], "over": 1}
    below, above = {"terms": [[3, 1], [4, 1]], "nothing": True}, {"terms": [[2, 1], [4, 1]], "nothing": True}
    proof = {"steps": [], "proof": {"either": 0, "left": below, "right": above}}
    found: Json = {"needs": [{"number": 0, "low": 0, "high": 2}], "steps": [{"columns": "A", "sets": [["a"], ["b"]]}]}
    found |= {"breach": {"cell": 0, "low": 0, "high": 2, "missing": [1]}, "proofs": [up, proof]}
    cut = {**proof, "steps": found["steps"]}

    def said(**changes: Any) -> str:
        return judged(release, {"stars": 3}, {"keep": ["T.0"]}, explanations=[{**found, **changes}], safe={})

    assert said(proofs=[up, cut]).startswith("safe: ")  # so it holds
    assert "explanation 1" in said(proofs=[up, {**cut, "proof": below}])
    assert "a proof is missing" in said(proofs=[up])
    assert "explanation 1" in said(proofs=[up, cut], breach={**found["breach"], "missing": [2]})
    assert "explanation 1" in said(proofs=[up, cut], needs=[{"number": 0, "high": 2}], breach={"cell": 0, "low": 0, "high": 1})


def test_the_gaps_of_a_mark_are_gone_with_its_table() -> None:
    """All that is known of the cell is that it is not 1, so it is 0. To withhold its table is enough, though its limits stay."""
    release = marked("[0]", Statistic.exact(Predicate(), 1, "N", "N"))
    steps = [{"columns": "A", "sets": [["a"], ["b"]]}]
    none = {"either": 0, "left": {"terms": [[4, 1]], "over": 1}, "right": {"terms": [[2, 1], [4, 1]], "nothing": True}}
    needs = [{"number": 0, "low": 0}, {"number": 1, "low": 1, "high": 1}]
    found: Json = {"needs": needs, "breach": {"cell": 0, "low": 0, "high": 0}, "steps": steps, "proofs": [none]}
    asked = {"by": "table", "cost": [["N", 5]]}
    safe = {"datasets": [[], [["a"], ["a"]]]}
    rest: Json = {"explanations": [found], "covering": {"pay": [[0, 1]], "over": 1}, "taken": [1], "safe": safe}
    assert judged(release, {"stars": 2}, asked, lower_bound=1, **rest) == ""
    rest["covering"] = {"pay": [[0, 5]], "over": 1}
    assert "does not add up" in judged(release, {"stars": 2}, asked, lower_bound=5, **rest)


def test_zeros_that_are_known_to_be_shown_are_known_whatever_the_mark_says_elsewhere() -> None:
    """U is gone with its zeros, so the one mark can stand for 0; in T a number is shown, and who is not shown there is not 0."""
    domain = Domain.of({"A": ["a", "b"], "B": ["x", "y"]})
    hidden = [Statistic(Predicate.of({"B": code}), 0, None, f"U.{code}", "U", withheld=True) for code in "xy"]
    cells = [Statistic.exact(Predicate.of({"A": code}), 1, f"T.{code}", "T") for code in "ab"]
    release = Release(domain, [*cells, *hidden])
    policy = {"primary": ["T.a"], "know": ["zeros-shown"]}
    safe: Json = {"datasets": [[["b", "x"]], [["a", "x"], ["b", "x"]]]}
    assert "says 1 to any number" in judged(release, policy, {"withhold": "no"}, safe=safe)
    twice = {"datasets": [safe["datasets"][1], [["a", "x"], *safe["datasets"][1]]]}
    assert judged(release, policy, {"withhold": "no"}, safe=twice) == ""


def test_a_withheld_table_takes_its_marks_along() -> None:
    """A mark of a table that is not there any more would still say what stands behind it."""
    star = Statistic(Predicate.of({"A": "a"}), 1, 2, "T.0", "T", mark="*")
    release = Release(Domain.of({"A": ["a", "b"]}, marks={"*": ((1, 2),)}), [star, Statistic(Predicate(), 0, 2, "N")])
    found = protect(release, Policy(stars=3), by="table", keep=["N"])
    assert found.release is not None
    assert [(s.low, s.high, s.mark, s.hidden) for s in found.release.statistics] == [(0, None, "", True), (0, 2, "", False)]
    assert not found.release.domain.marks
