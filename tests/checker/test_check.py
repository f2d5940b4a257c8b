"""The checker accepts every proof the engine writes, and nothing else."""

from __future__ import annotations

import copy
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from foregone import Dataset, Domain, Predicate, Release, Statistic, Verdict, audit, check, checker, verify
from foregone.census.demo import demo_release
from foregone.checker import digest
from foregone.checker.read import proofs as parse_module
from foregone.checker.read import refusal
from foregone.cli.app import app
from foregone.engine import proofs
from foregone.engine.bounds import prover as prover_module
from foregone.engine.claims import doubtful_buckets
from tests import oracle
from tests.strategies import predicates, releases

Path_ = tuple[str | int, ...]


def toy() -> Release:
    """Three binary columns whose pairs leave integrality to decide, with a range and a rule."""
    domain = Domain.of({"A": ["0", "1"], "B": ["0", "1"], "C": ["0", "1"]})
    exact = [({}, 3), ({"A": "1"}, 1), ({"B": "1"}, 1), ({"C": "1"}, 2), ({"A": "1", "B": "1"}, 0)]
    statistics = [Statistic.exact(Predicate.of(where), count) for where, count in exact]
    statistics.append(Statistic(Predicate.of({"A": "1", "C": "1"}), 1, 2))
    return Release(domain, tuple(statistics), (Predicate.of({"B": "1", "C": "0"}),))


@pytest.fixture(scope="module")
def demo() -> tuple[Release, dict[str, Any]]:
    release, _ = demo_release()
    return release, json.loads(json.dumps(proofs(audit(release))))


@settings(max_examples=120, deadline=None)
@given(releases())
def test_every_proof_is_accepted_and_nothing_is_missed(pair: tuple[Release, Dataset]) -> None:
    release, _ = pair
    result = audit(release)
    document = json.loads(json.dumps(proofs(result)))
    checked = check(release, document, complete=True)
    assert checked.rejected == []
    assert checked.accepted == len(result.facts)
    assert checked.complete is True, checked.reason


def test_the_demo_block_is_proved_completely(demo: tuple[Release, dict[str, Any]]) -> None:
    release, document = demo
    checked = check(release, document, complete=True)
    assert (checked.rejected, checked.accepted, checked.complete) == ([], len(document["facts"]), True)
    assert len(json.dumps(document)) < 2_000_000


def test_the_file_is_as_the_schema_says(demo: tuple[Release, dict[str, Any]]) -> None:
    schema = json.loads((Path(__file__).parents[2] / "docs" / "proofs.schema.json").read_text("utf-8"))
    jsonschema.validate(demo[1], schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(changed(demo[1], ("facts", 0, "count"), "one"), schema)


def leaves(node: Any, path: Path_ = ()) -> Iterator[Path_]:
    if isinstance(node, dict):
        for key, value in node.items():
            yield from leaves(value, (*path, key))
    elif isinstance(node, list) and node:
        for i, value in enumerate(node):
            yield from leaves(value, (*path, i))
    else:
        yield path


def changed(document: dict[str, Any], path: Path_, value: Any) -> dict[str, Any]:
    made = copy.deepcopy(document)
    node: Any = made
    for step in path[:-1]:
        node = node[step]
    node[path[-1]] = value
    return made


def at(document: Any, path: Path_) -> Any:
    for step in path:
        document = document[step]
    return document


def other_values(value: Any) -> list[Any]:
    if isinstance(value, int):
        return [value + 1, value - 1, -value or 7, str(value), None, 10**30, 10**101, 1.5, float(value), True, False]
    return [value + "x" if isinstance(value, str) else "x", None, 5, [], {}]


def sealed(document: dict[str, Any]) -> dict[str, Any]:
    return {**document, "digest": digest(document)}


def test_any_change_of_any_field_is_rejected() -> None:
    release = toy()
    document = json.loads(json.dumps(proofs(audit(release))))
    assert check(release, document).rejected == []
    tried = 0
    for path in leaves(document):
        for value in other_values(at(document, path)):
            if value == at(document, path):
                continue
            tried += 1
            assert check(release, changed(document, path, value)).rejected, (path, value)
    assert tried > 200


@pytest.mark.slow
def test_a_forger_who_recomputes_the_digest_proves_nothing_false() -> None:
    release = toy()
    truth = oracle.verified_claims(release, 3)
    document = json.loads(json.dumps(proofs(audit(release))))
    for path in leaves(document):
        for value in other_values(at(document, path)):
            forged = sealed(changed(document, path, value))
            checked = check(release, forged, complete=True)
            if checked.rejected:
                continue
            for fact in forged["facts"]:
                claim = tuple((name, fact["claim"][name]) for name in release.domain.names if name in fact["claim"])
                assert not claim or (claim, fact["count"]) in truth, (path, value)
            if checked.complete:
                assert len(forged["facts"]) == len(document["facts"])


@pytest.mark.parametrize("field", ["count", "claim", "statistic", "coefficient", "fingerprint", "witness", "missing fact"])
def test_forgeries_are_rejected_with_the_reason(demo: tuple[Release, dict[str, Any]], field: str) -> None:
    release, document = demo
    forged = copy.deepcopy(document)
    fact = next(f for f in forged["facts"] if f["ground"] == "linear" and f["count"] == 1)
    complete = field in ("witness", "missing fact")
    match field:
        case "count":
            fact["count"] = 2
        case "claim":
            name = next(name for name in fact["claim"] if name != "VACS")
            codes = release.domain.column(name).codes
            fact["claim"][name] = next(code for code in codes if code != fact["claim"][name])
        case "statistic":
            fact["upper"]["terms"][0][0] += 1
        case "coefficient":
            fact["lower"]["terms"][0][1] += 1
        case "fingerprint":
            forged["release"] = "0" * 64
        case "witness":
            forged["witnesses"][0][0] = forged["witnesses"][0][1]
        case "missing fact":
            forged["facts"].remove(fact)
    checked = check(release, sealed(forged), complete=complete)
    assert (checked.complete is False and checked.reason) if complete else checked.rejected


def test_a_changed_release_rejects_the_whole_file(demo: tuple[Release, dict[str, Any]]) -> None:
    release, document = demo
    first = release.statistics[5]
    other = Statistic.exact(first.predicate, first.low + 1, first.name, first.table)
    statistics = (*release.statistics[:5], other, *release.statistics[6:])
    checked = check(Release(release.domain, statistics), document)
    assert checked.accepted == 0
    assert "fingerprint" in checked.rejected[0]


SEARCH = {
    # found by trying random releases: whole numbers leave one answer, fractions do not
    "three records": (
        "ABCD",
        3,
        {
            "A=1, B=0, C=1, D=1": 0,
            "A=0, B=0": 2,
            "A=0, B=1, C=0, D=0": 0,
            "B=0, C=1": 1,
            "A=0, B=1, C=0, D=1": 0,
            "A=0, C=1": 1,
        },
    ),
    "six records": (
        "ABCD",
        6,
        {
            "A=0, B=0, C=0, D=0": 0,
            "A=1, D=1": 1,
            "A=1, C=1": 2,
            "A=1, B=1, C=0, D=0": 2,
            "A=1, B=0": 1,
            "B=0, D=1": 1,
            "A=1, B=1, C=1, D=0": 1,
            "B=1, D=0": 4,
        },
    ),
}


@pytest.mark.parametrize("name", SEARCH)
def test_proofs_by_search_are_checked_and_pruned_trees_rejected(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # one tree about all buckets is harder than bounds for each, and derived rows would do without it: it is the tree that is wanted
    monkeypatch.setattr(doubtful_buckets, "shave", lambda *_: None)
    monkeypatch.setattr(doubtful_buckets, "NODES", None)
    monkeypatch.setattr(prover_module, "ROUNDS", 0)
    columns, records, numbers = SEARCH[name]
    domain = Domain.of({column: ["0", "1"] for column in columns})
    statistics = [Statistic.exact(Predicate.parse(text, domain), count) for text, count in numbers.items()]
    release = Release(domain, (Statistic.exact(Predicate(), records), *statistics))
    document = json.loads(json.dumps(proofs(audit(release))))
    assert "search" in [fact["ground"] for fact in document["facts"]]
    assert '"split"' in json.dumps(document)
    checked = check(release, document, complete=True)
    assert (checked.rejected, checked.complete) == ([], True)
    splits = [path for path in nodes(document) if "split" in at(document, path)]
    assert splits
    for path in splits:
        for side in ("below", "above"):
            pruned = sealed(changed(document, path, at(document, (*path, side))))
            assert check(release, pruned).rejected, "half a tree is no proof"


def nodes(node: Any, path: Path_ = ()) -> Iterator[Path_]:
    """Paths of all objects."""
    if isinstance(node, dict):
        yield path
    for step, value in node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ():
        yield from nodes(value, (*path, step))


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda children: st.lists(children, max_size=4) | st.dictionaries(st.text(max_size=6), children, max_size=4),
    max_leaves=15,
)
KEYS = ("steps", "facts", "witnesses")


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(st.fixed_dictionaries(dict.fromkeys(KEYS, json_values)), json_values)
def test_garbage_is_rejected_without_a_crash(parts: dict[str, Any], fact: Any) -> None:
    release = toy()
    head = {"format": "foregone-proofs", "version": 2, "tool": "", "release": release.fingerprint()}
    whole = {"claim": fact, "count": 1, "ground": "linear", "forms": [], "upper": fact, "lower": fact}
    for facts in (parts["facts"], [fact], [whole]):
        checked = check(release, sealed({**head, **parts, "facts": facts}), complete=True)
        assert checked.accepted == 0


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"\xff\xfe\x00", b"[" * 200_000, b'{"format": "foregone-proofs"}', b"[]", b"null", b'{"a": NaN}'],
    ids=["empty", "truncated", "binary", "deep", "no version", "list", "null", "nan"],
)
def test_broken_files_end_cleanly_on_the_command_line(tmp_path: Path, content: bytes) -> None:
    release, _ = demo_release()
    release.write(tmp_path / "release")
    (tmp_path / "proofs.json").write_bytes(content)
    ended = CliRunner().invoke(app, ["check", str(tmp_path / "release"), str(tmp_path / "proofs.json")])
    assert ended.exit_code in (1, 2)
    assert "Traceback" not in ended.output


def test_proofs_are_the_same_byte_for_byte() -> None:
    code = (
        "import json; from foregone import audit, proofs; from foregone.census.demo import demo_release;"
        "print(json.dumps(proofs(audit(demo_release()[0]))))"
    )
    texts = set()
    for seed in ("1", "2"):
        seeded = {**os.environ, "PYTHONHASHSEED": seed}
        texts.add(subprocess.run([sys.executable, "-c", code], env=seeded, capture_output=True, check=True).stdout)
    assert len(texts) == 1


def test_a_thousand_million_records() -> None:
    domain = Domain.of({"A": ["0", "1"], "B": ["0", "1"]})
    numbers = [Statistic.exact(Predicate(), 10**9), Statistic.exact(Predicate.of({"A": "0"}), 10**9 - 1)]
    release = Release(domain, numbers)
    document = json.loads(json.dumps(proofs(audit(release))))
    assert len(json.dumps(document)) < 5_000
    checked = check(release, document, complete=True)
    assert (checked.accepted, checked.rejected, checked.complete) == (2, [], True)
    document["witnesses"][0][0]["n"] += 1
    assert "witness 1" in check(release, sealed(document)).rejected[0]


def test_the_commands_write_and_check_proofs(tmp_path: Path) -> None:
    release, truth = demo_release()
    release.write(tmp_path / "release")
    run = CliRunner().invoke
    assert run(app, ["audit", str(tmp_path / "release"), "--proofs", str(tmp_path / "proofs.json")]).exit_code == 0
    ended = run(app, ["check", str(tmp_path / "release"), str(tmp_path / "proofs.json"), "--complete"])
    assert ended.exit_code == 0
    assert "0 rejected" in ended.output
    assert "Complete" in ended.output
    assert len(truth) == 10


def test_the_checker_runs_with_nothing_else_of_the_package(tmp_path: Path, demo: tuple[Release, dict[str, Any]]) -> None:
    release, document = demo
    release.write(tmp_path / "release")
    (tmp_path / "proofs.json").write_text(json.dumps(document))
    shutil.copytree(Path(checker.__file__).parent, tmp_path / "alone" / "foregone" / "checker")
    (tmp_path / "alone" / "foregone" / "__init__.py").touch()
    code = (
        "from pathlib import Path; from foregone.checker import check, read_json, read_release;"
        "print(check(read_release(Path('release')), read_json(Path('proofs.json')), True))"
    )
    alone = {"PYTHONPATH": str(tmp_path / "alone")}
    ran = subprocess.run([sys.executable, "-S", "-c", code], cwd=tmp_path, env=alone, capture_output=True, text=True, check=False)
    assert ran.stdout.startswith("Checked(accepted=55, rejected=[], complete=True"), ran.stderr


@pytest.mark.slow
@settings(max_examples=120, deadline=None)
@given(releases(), st.data())
def test_a_verified_claim_carries_its_own_proof(pair: tuple[Release, Dataset], data: st.DataObject) -> None:
    release, truth = pair
    predicate = data.draw(predicates(release.domain))
    finding = verify(release, predicate, truth.count(predicate))
    if finding.verdict == Verdict.VERIFIED:
        assert finding.proof is not None
        checked = check(release, json.loads(json.dumps(finding.proof)))
        assert (checked.accepted, checked.rejected) == (1, [])
        wrong = json.loads(json.dumps(finding.proof))
        wrong["facts"][0]["count"] += 1
        assert check(release, sealed(wrong)).rejected
    else:
        assert finding.proof is None


def pairs_release() -> Release:
    """Young and old by sex; the parts of the first row use it up, and the last is dead."""
    domain = Domain.of({"SEX": ["F", "M"], "AGE": ["young", "middle", "old"]})
    numbers = [({}, 3), ({"AGE": "young"}, 2), ({"AGE": "middle"}, 1), ({"AGE": "old"}, 0)]
    return Release(domain, [Statistic.exact(Predicate.of(where), count) for where, count in numbers])


@pytest.mark.parametrize(
    ("terms", "reason"),
    [
        ([[0, 1], [3, 1], [3, 1], [3, 1]], "named twice"),
        ([[0, 1], [3, 2]], "negative"),
        ([[0, 1], [3, 1], [7, 1], [7, 1]], "named twice"),
        ([[0, 1], [3, 1], [7, 3]], "prune"),
    ],
    ids=["repeated part", "part counted twice", "dead part repeated", "dead part counted three times"],
)
def test_parts_that_are_repeated_or_dead_empty_nothing(terms: list[list[int]], reason: str) -> None:
    """Version 1 took a part named twice for another statistic's bit, and then anything could be proved."""
    release = pairs_release()
    document = json.loads(json.dumps(proofs(audit(release), complete=False)))
    document["steps"].append({"prune": terms})
    document["facts"] = [
        {
            "claim": {"AGE": "old"},
            "count": 123456,
            "ground": "search",
            "forms": [],
            "upper": {"terms": [[5, 1]], "nothing": True},
            "lower": {"terms": [[3, 1]], "nothing": True},
        }
    ]
    checked = check(release, sealed(document), complete=True)
    assert checked.accepted == 0
    assert len(checked.rejected) == 1
    assert (reason in checked.rejected[0]) or reason == "prune"


def test_the_forgery_that_version_1_accepted_on_the_bundled_block(demo: tuple[Release, dict[str, Any]]) -> None:
    release, document = demo
    for parts in ([121, 122, 124, 126, 129, 131, 123, 123], [121, 122, 124, 126, 129, 131, 123]):
        forged = copy.deepcopy(document)
        terms = [[2 * 145, 1], *([2 * part + 1, 1] for part in parts)]
        nothing = {"terms": [[1, 1]], "nothing": True}
        forged["steps"].append({"prune": terms})
        fact = {"claim": {"TEN": "1"}, "count": 123456, "ground": "search", "forms": [], "upper": nothing, "lower": nothing}
        forged["facts"] = [fact]
        checked = check(release, sealed(forged))
        assert checked.accepted == 0
        assert checked.rejected


def contradictory() -> Release:
    domain = Domain.of({"SEX": ["F", "M"]})
    numbers: list[tuple[dict[str, list[str]], int]] = [({"SEX": ["F"]}, 2), ({"SEX": ["M"]}, 1), ({}, 4)]
    return Release(domain, [Statistic.exact(Predicate.of(where), count) for where, count in numbers])


def about(release: Release, **parts: Any) -> dict[str, Any]:
    head = {"format": "foregone-proofs", "version": 2, "tool": "hand", "release": release.fingerprint()}
    return sealed({**head, "steps": [], "facts": [], "witnesses": [], **parts})


def test_a_release_that_contradicts_itself_is_never_accepted() -> None:
    release = contradictory()
    anything = {"terms": [[0, 1], [2, 1], [5, 1]], "nothing": True}
    fact = {"claim": {"SEX": "F"}, "count": 7, "ground": "linear", "forms": [], "upper": anything, "lower": anything}
    columns = [{"columns": "SEX", "sets": ["F", "M"]}]
    silent = check(release, about(release, steps=columns, facts=[fact]))
    assert (silent.accepted, silent.contradiction) == (0, False)
    assert "nothing shows that the release does not contradict itself" in silent.rejected[0]
    shown = check(release, about(release, steps=columns, facts=[fact], contradiction=anything))
    assert (shown.accepted, shown.contradiction) == (0, True)
    assert "the release contradicts itself" in shown.rejected[0]
    false = {"terms": [[0, 1], [5, 1]], "nothing": True}
    assert not check(release, about(release, steps=columns, contradiction=false)).contradiction


@pytest.mark.parametrize("how", ["forms stripped", "closed claims shortened"])
def test_complete_means_closed_claims_and_all_their_forms(demo: tuple[Release, dict[str, Any]], how: str) -> None:
    release, document = demo
    made = copy.deepcopy(document)
    for fact in made["facts"]:
        if how == "forms stripped":
            fact["forms"] = []
        else:
            fact["claim"] = fact["forms"][0] or fact["claim"]
    checked = check(release, sealed(made), complete=True)
    assert checked.rejected == []
    assert checked.complete is False
    assert "not proved" in checked.reason


def test_complete_needs_the_form_that_names_nothing() -> None:
    """All records have the same two values, so to name one of them, both or none says the same."""
    domain = Domain.of({"A": ["0", "1"], "B": ["0", "1"]})
    numbers = [Statistic.exact(Predicate(), 2), Statistic.exact(Predicate.of({"A": "0", "B": "0"}), 2)]
    release = Release(domain, numbers)
    document = proofs(audit(release))
    assert [fact["forms"] for fact in document["facts"]] == [[{}]]
    assert check(release, document, complete=True).complete is True
    document["facts"][0]["forms"] = []
    checked = check(release, sealed(document), complete=True)
    assert (checked.rejected, checked.complete) == ([], False)


def deep(levels: int) -> dict[str, Any]:
    tree: dict[str, Any] = {"terms": [[0, 1]], "over": 1}
    for _ in range(levels):
        tree = {"split": [[1, {"A": "1"}]], "at": 0, "below": tree, "above": {"terms": [[0, 1]], "over": 1}}
    return tree


@pytest.mark.slow
@pytest.mark.parametrize(("levels", "accepted"), [(parse_module.DEEPEST, 1), (parse_module.DEEPEST + 1, 0), (100_000, 0)])
def test_deep_trees_are_followed_to_a_limit_and_refused_beyond(levels: int, accepted: int) -> None:
    release = toy()
    lower = {"terms": [[1, 1]], "over": 1}
    fact = {"claim": {}, "count": 3, "ground": "search", "forms": [], "upper": deep(levels), "lower": lower}
    witness = proofs(audit(release), complete=False)["witnesses"]
    document = {"steps": [], "facts": [fact], "witnesses": witness, "tool": "", "format": "foregone-proofs", "version": 2}
    document |= {"release": release.fingerprint(), "digest": ""}
    if levels < 1000:
        document = sealed(document)
    checked = check(release, document)
    assert checked.accepted == accepted
    assert bool(checked.rejected) != bool(accepted)


def test_a_cyclic_document_is_refused() -> None:
    document: dict[str, Any] = about(toy())
    document["facts"] = [document]
    assert "nested deeper" in check(toy(), document).rejected[0]


def test_numbers_of_boxes_are_looked_at_before_they_are_made() -> None:
    domain = Domain.of({name: [str(i) for i in range(3000)] for name in "ABCDEF"})
    release = Release(domain, [Statistic.exact(Predicate(), 1)])
    steps = [{"columns": name, "sets": list(domain.columns[0].codes)} for name in "ABCDEF"]
    checked = check(release, about(release, steps=steps))
    assert "step 2: more than 1,000,000 boxes" in checked.rejected[0]


def test_work_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    release = toy()
    long = [[-(10**90) - 7, {"A": "1"}]] * 500
    steps = [{"bound": long, "at_most": 0, "proof": {"terms": [], "over": 1}}] * 20
    monkeypatch.setattr(refusal, "MOST_WORK", 1 << 20)
    checked = check(release, about(release, steps=steps))
    assert "more work" in checked.rejected[0]


def small(facts: int = 1, forms: int = 0, witnesses: list[Any] | None = None, steps: list[Any] | None = None) -> list[Any]:
    """A release of one number, and proofs about it with as much of something as is asked for."""
    release = Release(Domain.of({"A": ["0", "1"]}), [Statistic.exact(Predicate(), 1)])
    upper, lower = ({"terms": [[row, 1], *([[2, 1]] if steps else [])], "over": 1} for row in (0, 1))
    fact = {"claim": {}, "count": 1, "ground": "linear", "forms": [{}] * forms, "upper": upper, "lower": lower}
    document = about(release, facts=[fact] * facts, witnesses=witnesses or [[["0"]]], steps=steps or [])
    return [release, document]


def test_long_sums_of_nothing_are_work_each_time_they_are_cited(monkeypatch: pytest.MonkeyPatch) -> None:
    nothing = {"bound": [[0, {}]] * 1000, "at_most": 0, "proof": {"terms": [], "over": 1}}
    assert check(*small(facts=10, steps=[nothing])).accepted == 10
    monkeypatch.setattr(refusal, "MOST_WORK", 100_000_000)
    assert check(*small(facts=10, steps=[nothing])).accepted == 10
    checked = check(*small(facts=1000, steps=[nothing]))
    assert "more work" in checked.rejected[-1]
    assert len(checked.rejected) <= 2


def test_facts_that_come_after_too_much_work_are_not_even_read(monkeypatch: pytest.MonkeyPatch) -> None:
    release, document = small()
    monkeypatch.setattr(refusal, "MOST_WORK", 10_000_000)
    checked = check(release, about(release, facts=[0] * 5000, witnesses=document["witnesses"]))
    assert len(checked.rejected) < 1000
    assert checked.rejected[-1] == "this takes more work than the checker does"
    assert checked.accepted == 0


def test_many_small_datasets_are_refused_before_they_are_made(monkeypatch: pytest.MonkeyPatch) -> None:
    refused = "there are more witnesses, or more records in them, than this checker reads"
    assert check(*small(witnesses=[[["0"]]] * 70_000)).rejected == [refused]  # a bit for each record of each: 600 MB
    monkeypatch.setattr("foregone.checker.kernel.MOST_BOXES", 100)
    assert check(*small(witnesses=[[]] * 101)).rejected == [refused]


def test_datasets_without_records_are_work_too(monkeypatch: pytest.MonkeyPatch) -> None:
    release = Release(Domain.of({"A": ["0", "1"]}), [Statistic(Predicate(), 0, 1)] * 100)
    monkeypatch.setattr(refusal, "MOST_WORK", 10_000_000)
    assert "more work" in check(release, about(release, witnesses=[[]] * 1000)).rejected[0]
    assert check(release, about(release, witnesses=[[]] * 10)).rejected == []


def test_complete_counts_the_claims_that_it_goes_through(monkeypatch: pytest.MonkeyPatch) -> None:
    codes = [str(i) for i in range(40)]
    release = Release(Domain.of({"A": codes}), [Statistic.exact(Predicate(), 120)])
    halves = [[{"n": 1 + 4 * (i % 2 == odd), "record": [code]} for i, code in enumerate(codes)] for odd in (0, 1)]
    upper, lower = ({"terms": [[row, 1]], "over": 1} for row in (0, 1))
    fact = {"claim": {}, "count": 120, "ground": "linear", "forms": [{}] * 1000, "upper": upper, "lower": lower}
    document = about(release, facts=[fact], witnesses=halves)
    assert check(release, document, complete=True).complete is True
    monkeypatch.setattr("foregone.checker.verdicts.datasets.MOST_STEPS", 20_000)  # 40 codes beside 1,001 claims are more
    checked = check(release, document, complete=True)
    assert (checked.accepted, checked.complete) == (1, None)


def test_complete_counts_the_records_that_it_looks_for_in_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    codes = [str(i) for i in range(60)]
    groups = [Statistic(Predicate.of({"A": codes[: i + 2]}), 0, None) for i in range(57)]
    release = Release(Domain.of({"A": codes}), [Statistic.exact(Predicate(), 600), *groups])
    upper, lower = ({"terms": [[row, 1]], "over": 1} for row in (0, 1))
    fact = {"claim": {}, "count": 600, "ground": "linear", "forms": [], "upper": upper, "lower": lower}
    ways = [[10] * 60, [1, 19] * 30, [19, 1] * 30, [541, *[1] * 59]]
    halves = [[{"n": n, "record": [code]} for n, code in zip(way, codes, strict=True)] for way in ways]
    document = about(release, facts=[fact], witnesses=halves)
    assert check(release, document, complete=True).complete is True
    assert check(release, document, complete=True, groups="none").complete is True
    monkeypatch.setattr("foregone.checker.verdicts.datasets.MOST_STEPS", 1_500)  # 240 records, and each of them in 57 groups
    assert check(release, document, complete=True, groups="none").complete is True
    assert check(release, document, complete=True).complete is None


def test_what_the_data_say_never_starts_a_new_line() -> None:
    evil = "F\nfact 1 accepted\x1b[2J\u202e"
    release = toy()
    document = about(release, steps=[{"columns": evil, "sets": [[evil]]}], tool=evil, names={"0": evil})
    fact = {"claim": {evil: evil}, "count": 1, "ground": "linear", "forms": [], "upper": {}, "lower": {}}
    witness = proofs(audit(release), complete=False)["witnesses"]
    other = about(release, facts=[fact], witnesses=witness)
    for made in (document, other):
        for line in check(release, made).rejected:
            assert line.isprintable()
            assert len(line) <= 400


def test_what_the_data_say_cannot_fill_a_line_of_the_terminal() -> None:
    """Blanks up to the edge of the window would let what follows look like a line of ours."""
    release = toy()
    leaf = {"terms": [[0, 1]], "over": 1}
    evil = " " * 70 + "49 accepted, 0 rejected."
    fact = {"claim": {evil: "1"}, "count": 1, "ground": "linear", "forms": [], "upper": leaf, "lower": leaf}
    witness = proofs(audit(release), complete=False)["witnesses"]
    (line,) = check(release, about(release, facts=[fact], witnesses=witness)).rejected
    assert "is not a column" in line
    assert "accepted" not in line
