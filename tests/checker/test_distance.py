"""How far apart two datasets can be: every proof is accepted, brute force agrees, and no forged limit is believed."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from foregone import Dataset, Domain, Predicate, Release, Statistic, Verdict, check, tabulate, unique
from foregone.checker import digest, release_of
from foregone.checker.encode import pairs
from foregone.checker.encode.pairs import Kind
from foregone.checker.verdicts import distance as checker
from foregone.engine import Case, distance_proof, proofs_of_bounds
from foregone.engine.writing.pair_release import KindRange, pair_release
from foregone.questions.check import plain
from tests import oracle
from tests.cli.commands import run
from tests.strategies import LARGEST, alternative_releases, measured_releases, releases, weighted_releases

Json = dict[str, Any]


def sealed(document: Json) -> Json:
    content = {key: value for key, value in document.items() if key != "digest"}
    return json.loads(json.dumps({**content, "digest": digest(content)}))  # type: ignore[no-any-return]


def truth_of(release: Release) -> list[Dataset]:
    return [Dataset.of(release.domain, records) for records in oracle.consistent_datasets(release, LARGEST)]


def proof_of(release: Release) -> Json:
    answer = unique(release)
    assert answer.verdict == Verdict.REFUTED
    assert answer.second is not None
    return sealed(distance_proof(release, answer.first, answer.second, answer.limit))


def judged(release: Release, document: Json) -> checker.Apart:
    return checker.check_distance(release_of(plain(release)), document)


def compare(release: Release) -> None:
    found = truth_of(release)
    assume(1 < len(found) <= 100)
    farthest = max(a.distance(b) for a, b in combinations(found, 2))
    document = proof_of(release)
    result = judged(release, document)
    assert not result.rejected
    assert (result.low, result.high) == (2 * farthest, 2 * farthest)
    for rng in map(random.Random, range(4)):
        forged = forgery(rng, release, document)
        if forged is not None:
            lie = judged(release, sealed(forged))
            assert lie.high is None or lie.high >= 2 * farthest, "a limit that is too low was believed"


@settings(max_examples=50, deadline=None)
@given(releases())
def test_the_limit_is_proved_and_forgeries_are_not(pair: tuple[Release, Dataset]) -> None:
    compare(pair[0])


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(st.one_of(weighted_releases(), measured_releases(), alternative_releases()))
def test_with_weighted_sums_and_either_ors(pair: tuple[Release, Dataset]) -> None:
    most = pair[0].size_range[1]
    assume(most is not None and most <= LARGEST)
    compare(pair[0])


def forgery(rng: random.Random, release: Release, document: Json) -> Json | None:
    """A file with a lower limit than the genuine one."""
    forged = copy.deepcopy(document)
    if rng.random() < 0.8:  # two datasets that do not give the lie away
        forged["witnesses"] = forged["witnesses"][:1] * 2
    made = rng.choice([lower, tampered, narrowed, narrowed, repeated])(rng, release, forged)
    return made if made is None or made["limit"]["twice"] < document["limit"]["twice"] else None


def lower(rng: random.Random, _release: Release, document: Json) -> Json:
    """The number alone."""
    document["limit"]["twice"] -= rng.choice([1, 2, document["limit"]["twice"]])
    return document


def tampered(rng: random.Random, release: Release, document: Json) -> Json:
    """The number, and something in the proof."""
    lists = list(terms(document["limit"]))
    some = rng.choice(lists) if lists else []
    if some:
        entry = rng.choice(some)
        entry[0 if rng.random() < 0.5 else 1] += rng.choice([-2, -1, 1, 2])
    return lower(rng, release, document)


def terms(node: Any) -> list[list[Any]]:
    if isinstance(node, list):
        return [found for entry in node for found in terms(entry)]
    if not isinstance(node, dict):
        return []
    return [node[key] for key in ("terms", "prune") if key in node] + [found for value in node.values() for found in terms(value)]


def narrowed(rng: random.Random, release: Release, document: Json) -> Json | None:
    """A genuine proof about pairs, from a range of a kind that is too narrow; the proofs of ranges stay, or become empty."""
    wide = [kind for kind in document["kinds"] if kind["low"] < kind["high"]]
    if not wide:
        return None
    for kind in wide if rng.random() < 0.5 else [rng.choice(wide)]:
        if rng.random() < 0.5:
            kind["low"] = kind["high"]
        else:
            kind["high"] = kind["low"]
        if rng.random() < 0.5:
            kind["lower"] = kind["upper"] = {"terms": [], "over": 1}
    return reproved(release, document)


def repeated(rng: random.Random, release: Release, document: Json) -> Json | None:
    """What two datasets share of a kind, counted twice."""
    if not document["kinds"]:
        return None
    document["kinds"].append(copy.deepcopy(rng.choice(document["kinds"])))
    return reproved(release, document)


def reproved(release: Release, document: Json) -> Json | None:
    """The greatest distance if the ranges of the file were true, with its proof."""
    kinds = [KindRange(tuple(kind["record"]), kind["low"], kind["high"]) for kind in document["kinds"]]
    made = pair_release(release, kinds)
    case = Case(made.release)
    prover = case.prover
    if prover.first_witness() is not True:
        return None
    objective = np.zeros(prover.system.buckets, dtype=np.int64)
    for weight, where in made.twice:
        objective += weight * prover.system.footprint(where)[0]
    greatest = prover.greatest(objective)
    assert isinstance(greatest, tuple)
    proved = prover.at_most(objective, greatest[0])
    assert hasattr(proved, "proof")
    steps, (tree,) = proofs_of_bounds(case, [proved.proof])
    document["limit"] = {"twice": greatest[0], "steps": steps, "proof": tree}
    return document


def two_by_two(zeros: int = 2, ones: int = 2) -> Release:
    """So many records with code 0 in either column, and with code 1."""
    domain = Domain.of({"A": ["0", "1"], "B": ["0", "1"]})
    counts = {"0": zeros, "1": ones}
    return Release(domain, [Statistic.exact(Predicate.of({name: code}), counts[code]) for name in "AB" for code in "01"])


PLANTS: dict[str, Callable[[pytest.MonkeyPatch], None]] = {
    "ranges are believed": lambda patch: patch.setattr(checker, "_kinds", believing(checker._kinds)),
    "a kind may be listed twice": lambda patch: patch.setattr(checker, "_kinds", forgetful(checker._kinds)),
}


def believing(honest: Any) -> Any:
    def kinds(release: Any, file: Any) -> Any:
        box = [tuple((c, 1 << release.domain.codes[c][code]) for c, code in enumerate(kind["record"])) for kind in file["kinds"]]
        made = [Kind(b, kind["low"], kind["high"]) for b, kind in zip(box, file["kinds"], strict=True)]
        if len({kind.box for kind in made}) < len(made):
            honest(release, file)
        return made

    return kinds


def forgetful(honest: Any) -> Any:
    def kinds(release: Any, file: Any) -> Any:
        different = {tuple(kind["record"]): kind for kind in file["kinds"]}
        found = {kind.box: kind for kind in honest(release, {**file, "kinds": list(different.values())})}
        boxes = [tuple((c, 1 << release.domain.codes[c][code]) for c, code in enumerate(k["record"])) for k in file["kinds"]]
        return [found[box] for box in boxes]

    return kinds


@pytest.mark.parametrize("plant", PLANTS)
def test_the_forger_finds_what_is_planted(monkeypatch: pytest.MonkeyPatch, plant: str) -> None:
    """Forgeries that are refused only because of one check get through without it."""
    release = two_by_two(3, 1)
    document = proof_of(release)
    assert document["limit"]["twice"] == 4
    made = [forgery(random.Random(seed), release, document) for seed in range(40)]
    forged = [sealed(one) for one in made if one is not None]
    assert not any(judged(release, one).high is not None for one in forged)
    PLANTS[plant](monkeypatch)
    assert any(judged(release, one).high is not None for one in forged)


@settings(max_examples=40, deadline=None)
@given(st.one_of(releases(), alternative_releases()))
def test_both_sides_make_the_same_rows(pair: tuple[Release, Dataset]) -> None:
    """The checker's release for pairs says what the engine's says, number by number."""
    release, truth = pair
    kinds = [KindRange(record, 0, n + 1) for record, n in truth.kinds]
    mine = release_of(plain(release))
    boxes = [tuple((c, 1 << mine.domain.codes[c][code]) for c, code in enumerate(kind.record)) for kind in kinds]
    theirs = pairs.pair_release(mine, [Kind(box, k.low, k.high) for box, k in zip(boxes, kinds, strict=True)])
    wanted = release_of(plain(pair_release(release, kinds).release))

    def named(rows: Any) -> list[Any]:
        """Boxes without columns that allow every code."""
        whole = {c: (1 << len(codes)) - 1 for c, codes in enumerate(rows.domain.codes)}
        about = [[(w, {c: m for c, m in box if m != whole[c]}) for w, box in s.about] for s in rows.statistics]
        ends = [(s.low, s.high) for s in rows.statistics]
        rules = [{c: m for c, m in box if m != whole[c]} for box in rows.rules]
        return [rows.domain.columns, rows.domain.codes, about, ends, rules, len(rows.eithers)]

    assert named(theirs) == named(wanted)


def test_a_release_may_have_a_column_of_that_name() -> None:
    domain = Domain.of({"DATASET": ["0", "1"], "B": ["first", "second"]})
    release = Release(domain, [Statistic.exact(Predicate.of({name: c}), 2) for name, column in
                               (("DATASET", "01"), ("B", ("first", "second"))) for c in column])  # fmt: skip
    result = judged(release, proof_of(release))
    assert (result.low, result.high, result.rejected) == (8, 8, [])


def test_files_that_are_not_what_they_say() -> None:
    release = two_by_two()
    document = proof_of(release)
    rows = release_of(plain(release))
    wrong: dict[str, Json] = {
        "changed since it was written": {**document, "tool": "another"},
        "another release": sealed({**document, "release": "0" * 64}),
        "version": sealed({**document, "version": 2}),
        "two datasets": sealed({**document, "witnesses": document["witnesses"][:1]}),
        "witness 1": sealed({**document, "witnesses": [[["0", "0"]], document["witnesses"][1]]}),
        "expected an object": sealed({**document, "limit": [4]}),
        "a reason, and no steps": sealed({**document, "limit": {"unknown": "no time"}}),
        "expected a whole number": sealed({**document, "limit": {**document["limit"], "twice": "8"}}),
        "allows more than": sealed({**document, "limit": {**document["limit"], "twice": 7}}),
    }
    for reason, file in wrong.items():
        result = checker.check_distance(rows, file)
        assert result.high is None
        assert result.text == ""
        assert reason in result.rejected[0], result.rejected
    open_ = checker.check_distance(rows, sealed({**document, "steps": [], "kinds": [], "limit": {"unknown": "no time"}}))
    assert (open_.rejected, open_.high) == ([], None)
    assert open_.text.endswith("No limit is proved; the reason given is 'no time'.")


def test_from_the_command_line(tmp_path: Path) -> None:
    release = tabulate({"A": list("0011"), "B": list("0101")}, margins=["A", "B"])
    release.write(tmp_path / "release")
    done = run("unique", tmp_path / "release", "--proofs", tmp_path / "apart.json")
    assert done.status == 1
    assert "A proof was written" in done.out
    checked = run("check", tmp_path / "release", tmp_path / "apart.json")
    assert checked.status == 0
    assert "2 accepted, 0 rejected." in checked.out
    assert "differ in 4 of 4 records; no two that fit differ in more." in checked.out
    document = json.loads((tmp_path / "apart.json").read_text("utf-8"))
    assert check(release, document).accepted == 2
    (tmp_path / "apart.json").write_text(json.dumps(sealed(lower(random.Random(0), release, document))), "utf-8")
    forged = run("check", tmp_path / "release", tmp_path / "apart.json")
    assert forged.status == 1
    assert "Rejected: limit: " in forged.out


def test_no_limit_is_said() -> None:
    """Nothing bounds the number of records: two datasets, and why there is no limit."""
    domain = Domain.of({"A": ["0", "1"]})
    release = Release(domain, [Statistic.exact(Predicate.of({"A": "0"}), 1)])
    result = judged(release, proof_of(release))
    assert not result.rejected
    assert result.high is None
    assert "nothing published limits the number of records" in result.text
