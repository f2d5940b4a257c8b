"""Files made by hand to be believed though they are false, or to keep the checker busy for ever."""

from __future__ import annotations

import json
from time import process_time
from typing import Any

import pytest

from foregone import Domain, Policy, Predicate, Release, Statistic, protect
from foregone.checker import Refused, digest, release_of
from foregone.checker.encode.asked import Marking, actions_of, asked_of, kept_of
from foregone.checker.encode.marks import Number
from foregone.checker.encode.weaker import nameable_boxes
from foregone.checker.read import refusal
from foregone.checker.verdicts.protection import check_protection
from foregone.questions.check import plain

Json = dict[str, Any]

AT_MOST_THREE: Json = {"columns": {"A": ["a", "b"]}, "statistics": [{"where": {}, "low": 0, "high": 3}]}


def sealed(content: Json) -> Json:
    return {**content, "digest": digest(content)}  # which leaves an old one out


ASKED: Json = {"by": "cell", "withhold": "yes", "keep": [], "cost": "one", "round": [], "merge": [], "marks": "one", "mark": ""}
PLAIN = Marking("[c]", 1, False, True, {})


def numbers(count: int, name: str) -> tuple[Number, ...]:
    return tuple(Number({}, (), name, "", name, ((1, 1),), False, False) for _ in range(count))


def test_thousands_of_numbers_may_share_a_name() -> None:
    begin = process_time()
    release = release_of(AT_MOST_THREE)
    made = actions_of(release, (*numbers(1, "x (3)"), *numbers(20_000, "x")), frozenset(), asked_of(ASKED), set(), PLAIN)
    assert process_time() - begin < 30
    assert [action.name for action in made[:4]] == ["x (3)", "x", "x (2)", "x (4)"]
    assert len({action.name for action in made}) == len(made)


def test_a_pattern_full_of_brackets_is_refused() -> None:
    begin = process_time()
    with pytest.raises(Refused, match="more work"):
        kept_of(release_of(AT_MOST_THREE), numbers(50, "x"), ["[" * 10_000] * 10_000)
    assert process_time() - begin < 30


def test_merges_of_a_column_of_many_codes_need_little_memory() -> None:
    codes = [f"c{i}" for i in range(20_000)]
    release = release_of({"columns": {"A": codes}, "statistics": [{"where": {"A": codes[:3]}, "count": 1}]})
    asked = asked_of({**ASKED, "withhold": "no", "merge": [["A", codes[i], codes[i + 1]] for i in range(1, 50)]})
    boxes = nameable_boxes(release, actions_of(release, (), frozenset(), asked, set(), PLAIN))
    assert len(boxes) < 500
    assert ((0, 0b110),) in boxes
    assert ((0, (1 << 51) - 1),) in boxes  # what all merges make of the published group


def certificate(content: Json, policy: Json, **changes: Any) -> Json:
    made: Json = {"format": "foregone-protection", "version": 3, "tool": "", "release": release_of(content).fingerprint}
    made |= {"attacker": "exact", "policy": policy, "groups": "published", "asked": {**ASKED, "withhold": "no"}}
    made |= {"taken": [], "lower_bound": 0, "explanations": [], "safe": {}}
    return sealed({**made, **changes})


def test_zeros_shown_is_known_of_cells_that_were_withheld_before() -> None:
    """One record; a is primary, b was withheld before. Whoever knows that b is at least 1 knows that a is 0 or less than shown."""
    cells = [{"where": {}, "count": 2}, {"where": {"A": "a"}, "count": 1, "name": "T.a"}]
    before = {"where": {"A": "b"}, "status": "withheld", "name": "T.b"}
    datasets = {"datasets": [[["a"], ["a"]], [["a"], ["b"]]]}
    policy = {"primary": ["T.a"], "know": ["zeros-shown"]}

    def judged(*more: Json) -> list[str]:
        content = {**AT_MOST_THREE, "statistics": [*cells, *more]}
        return check_protection(content, certificate(content, policy, safe=datasets)).rejected

    assert "statistic 2" in judged(before)[0]  # in truth a is 1
    assert "statistic 2" in judged({**before, "low": 1})[0]
    other = {"where": {"A": ["a", "b"]}, "status": "withheld"}
    assert judged({**before, "name": "U.b"}, {**other, "name": "U.all"}) == []  # of a table that is gone zeros are gone, too


def test_a_direction_of_very_many_moves_is_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every number looks at every move: a small file would keep the checker busy for hours."""
    monkeypatch.setattr(refusal, "MOST_WORK", 10**10)
    cells = [{"where": {"A": "a"}, "count": 1}, *({"where": {"A": "b"}, "count": 5} for _ in range(1_000))]
    content, moves = {**AT_MOST_THREE, "statistics": cells}, [[1, ["a"]], *([[1, ["b"]], [-1, ["b"]]] * 5_000)]
    document = certificate(content, {"primary": "1..1"}, attacker="linear", safe=moves)
    assert "more work" in check_protection(content, document).rejected[0]
    few = certificate(content, {"primary": "1..1"}, attacker="linear", safe=moves[:3])
    assert check_protection(content, few).rejected == []


WIDE: Json = {"columns": {"A": ["0", "1"], "B": ["0", "1"], "C": ["x", "y"]}}
ONE_OF_THREE: list[Json] = [{"where": {}, "count": 3, "name": "T.n"}, {"where": {"A": "1", "B": "1"}, "count": 1, "name": "T.ab"}]
ALIKE: Json = {"where": {"C": "x"}, "count": 3, "name": "U.x"}
CLAIM: Json = {"claim": {"A": "1", "B": "1", "C": "x"}, "count": 1}


def overstated(claim: Json, more: Json, goals: int) -> tuple[Json, Json]:
    """Somebody is singled out by three columns, it says, so that one of the two numbers behind it has to go."""
    content = {**WIDE, "statistics": [*ONE_OF_THREE, ALIKE]}
    steps = [{"columns": name, "sets": [[code] for code in codes]} for name, codes in WIDE["columns"].items()]
    up, down = {"terms": [[2, 1]], "over": 1}, {"terms": [[0, 1], [3, 1], [5, 1]], "over": 1}  # n <= 3, ab >= 1, x >= 3
    needs = [{"number": 0, "high": 3}, {"number": 1, "low": 1, "high": 1}, {"number": 2, "low": 3}]
    found = {"needs": needs, "breach": claim, "steps": steps, "proofs": [up, down, *[up] * (goals - 2)]}
    changes = {"asked": ASKED, "taken": [1], "lower_bound": 1, "explanations": [found]}
    return content, certificate(content, {"singled_out_columns": 3}, **changes, covering={"pay": [[0, 1]], "over": 1}, **more)


def test_a_column_that_is_the_same_for_everybody_does_not_raise_the_bound() -> None:
    """All three have C=x, so C does not count, and nothing has to be withheld."""
    fits = [["1", "1", "x"], ["0", "0", "x"], ["0", "0", "x"]]
    given: list[Json] = [{}, {"before": []}, {"before": [fits]}]
    for more in given:
        result = check_protection(*overstated(CLAIM, more, 2))
        assert "does not break the policy, as far as" in result.rejected[0]
    outside = {"before": [[["1", "1", "x"], ["0", "0", "x"], ["0", "0", "y"]]]}  # which does not fit
    assert "before: has 2 where statistic 2" in check_protection(*overstated(CLAIM, outside, 2)).rejected[0]
    everybody = check_protection(*overstated({**CLAIM, "everybody": True}, {}, 4))  # one of three is not everybody
    assert everybody.rejected[0].startswith("explanation 1: the bound is 1/1") or "dominate" in everybody.rejected[0]


@pytest.mark.parametrize("known", [True, False])
def test_a_true_certificate_shows_that_columns_count(known: bool) -> None:
    """By a dataset with a record elsewhere, whether or not it is certain how many there are."""
    total = [Statistic.exact(Predicate(), 3, "T.n")] if known else []
    cells = [Statistic.exact(Predicate.of(where), 1, f"T.{i}") for i, where in enumerate([{"A": "1"}, {"A": "1", "B": "1"}])]
    release = Release(Domain.of({"A": ["0", "1"], "B": ["0", "1"]}), [*total, *cells])
    made = protect(release, Policy(singled_out_columns=2), proofs=True).certificate
    assert made is not None
    document: Json = json.loads(json.dumps(made))
    assert document["lower_bound"] > 0
    content = plain(release)
    assert check_protection(content, document).rejected == []
    without = sealed({key: value for key, value in document.items() if key not in ("before", "digest")})
    assert "as far as the columns" in check_protection(content, without).rejected[0]


# Certificates that would keep the checker busy: each ends soon, in a refusal


MANY = 400
BUSY: Json = {
    "columns": {"A": [f"c{i}" for i in range(MANY)], "B": ["x", "y"]},
    "statistics": [{"where": {"A": f"c{i}"}, "count": 5, "name": f"T{i}.1"} for i in range(MANY)],
}
EXPLAINED: Json = {"needs": [], "steps": [], "proofs": []}
FITS = [[{"n": 5, "record": [f"c{i}", "x"]} for i in range(MANY)]]


def refused_soon(content: Json, policy: Json, **changes: Any) -> str:
    document, begin = certificate(content, policy, **{"asked": ASKED, **changes}), process_time()
    result = check_protection(content, document)
    assert process_time() - begin < 60
    assert result.rejected
    return result.rejected[0]


def test_very_many_explanations_for_very_many_choices_are_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is left after all the actions given is worked out for each of them."""
    monkeypatch.setattr(refusal, "MOST_WORK", 10**10)
    breach = {"claim": {"A": "c0", "B": "x"}, "count": 1}
    some: Json = {**EXPLAINED, "breach": breach, "given": list(range(MANY)), "datasets": FITS}
    assert "explanation 1:" in refused_soon(BUSY, {"singled_out_columns": 2}, explanations=[some] * 300)
    broken: Json = {**EXPLAINED, "breach": {"cell": 0, "low": 5, "high": 5}, "given": list(range(MANY)), "datasets": FITS}
    broken |= {"needs": [{"number": 0, "low": 5, "high": 5}], "proofs": [{"terms": [[k, 1]], "over": 1} for k in (0, 1)]}
    broken["steps"] = [{"columns": "A", "sets": [["c0"], [f"c{i}" for i in range(1, MANY)]]}]
    assert "more work" in refused_soon(BUSY, {"stars": 2}, explanations=[broken] * 400)


def test_a_range_of_very_many_values_is_only_counted() -> None:
    for high, missing in ((10**90, []), (10**90, list(range(20_000))), (None, []), (10**99, [10**98])):
        ends = {} if high is None else {"high": high}
        found = {**EXPLAINED, "breach": {"cell": 0, "low": 0, "missing": missing, **ends}}
        assert "does not break" in refused_soon(BUSY, {"primary": ["T0.1"], "min_width": 1_000}, explanations=[found])
    wide = {"primary": ["T0.1"], "min_width": 1_000}
    assert "is unknown" in refused_soon(BUSY, wide, safe={"datasets": FITS})
    values = list(range(1, 20_000))
    needs = [{"number": i % MANY, "low": 5, "high": 5} for i in range(20_000)]
    proof = {"steps": [], "proof": {"terms": [], "nothing": True}}
    found = {**EXPLAINED, "needs": needs, "breach": {"cell": 0, "low": 0, "high": 20_000, "missing": values}}
    found["proofs"] = [{"terms": [[0, 1]], "over": 1}, *[proof] * len(values)]
    assert "explanation 1" in refused_soon(BUSY, {"primary": ["T0.1"], "min_width": 9}, explanations=[found])


def test_very_many_datasets_and_records_are_refused() -> None:
    many = {"datasets": [[["c0", "x"]]] * 70_000}
    assert "more witnesses" in refused_soon(BUSY, {"stars": 2}, safe=many)
    huge = [[{"n": 10**100, "record": ["c0", "x"]}]] * 100
    assert "safe: has" in refused_soon(BUSY, {"stars": 2}, safe={"datasets": huge})
    assert "explanation 1: has" in refused_soon(BUSY, {"stars": 2}, explanations=[{**EXPLAINED, "breach": {}, "datasets": huge}])


def test_very_many_groups_are_refused() -> None:
    """Every set of a dozen columns is a group that somebody may be in."""
    columns = {f"C{i}": ["0", "1", "2"] for i in range(12)}
    cells = [{"where": {name: code}, "low": 0, "high": 9} for name, codes in columns.items() for code in codes]
    content: Json = {"columns": {**columns, "X": ["v", "w"]}, "statistics": cells}
    cut = [{"columns": name, "sets": [[code] for code in codes]} for name, codes in columns.items()]
    assert "more groups" in refused_soon(content, {"attribute": ["X"]}, asked={**ASKED, "withhold": "no"}, safe={})
    assert "safe:" in refused_soon(content, {"attribute": ["X"]}, asked={**ASKED, "withhold": "no"}, safe={"empty": cut})


def test_deep_trees_are_refused() -> None:
    def deep(depth: int, leaf: Json) -> Json:
        tree = leaf
        for _ in range(depth):
            tree = {"item": 0, "taken": tree, "left": leaf}
        return tree

    paid = {"pay": [], "over": 1}
    datasets = {"datasets": [*FITS]}
    for depth, why in ((310, "bounded depth"), (500, "nested deeper")):
        document = {"covering": deep(depth, paid), "lower_bound": 1, "safe": datasets, "taken": [0]}
        assert why in refused_soon(BUSY, {"stars": 2}, **document)
