"""The checker and the programs of the theorems in formal/ give the same verdicts on genuine, damaged and forged files.

Nothing of the checker is put together anew here: its own functions run as they always do, what they call is recorded, and the
extracted programs get the arguments of these very calls.
"""

from __future__ import annotations

import importlib
import json
import random
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple, TypeVar

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from foregone import Dataset, Domain, Policy, Predicate, Statistic, audit, protect, tabulate
from foregone import Release as PublishedRelease
from foregone.census.demo import demo_release, textbook_release
from foregone.checker import Checked, Refused, check, release_of
from foregone.checker import PlainRelease as Release
from foregone.checker.encode.pairs import Kind, pair_release
from foregone.checker.kernel import Leaf, Tree
from foregone.checker.read.refusal import CountedWork
from foregone.checker.verdicts import claims as checking
from foregone.checker.verdicts import distance, protection
from foregone.checker.verdicts.choice import Clause, no_cheaper
from foregone.engine import proofs
from foregone.questions.check import plain
from tests.checker.cases import Json
from tests.checker.coverings import Covering, changed
from tests.checker.forger import forgeries
from tests.checker.test_choice import two_parts
from tests.checker.test_distance import forgery, proof_of, sealed, two_by_two
from tests.engine.bounds.test_search import triangles
from tests.strategies import alternative_releases, measured_releases, releases, weighted_releases

pytestmark = pytest.mark.slow

T = TypeVar("T")

FORMAL = Path(__file__).parents[2] / "formal"
COVERINGS = Path(__file__).with_name("coverings.json")  # what `no_cheaper` was asked: by certificates, and with conditional clauses


@pytest.fixture(scope="session")
def program() -> Path:
    """The extracted checker, built where Coq and OCaml are installed."""
    if not (FORMAL / "build" / "check").exists():
        if not all(map(shutil.which, ("coqc", "ocamlopt", "make"))):
            pytest.skip("Coq and OCaml are not installed; the formal checker was not built")
        subprocess.run(["make", "-C", str(FORMAL)], check=True, capture_output=True)
    return FORMAL / "build" / "check"


@pytest.fixture(scope="session")
def translate() -> Any:
    """formal/translate.py, which stands beside the Coq files and not in the package."""
    sys.path.insert(0, str(FORMAL))
    try:
        return importlib.import_module("translate")
    finally:
        sys.path.remove(str(FORMAL))


class Call(NamedTuple):
    """A function of the checker, what it was given, and what it said; None where it refused."""

    name: str
    given: tuple[Any, ...]
    said: Any


def calls(module: ModuleType, names: tuple[str, ...], run: Callable[[], T], nested: bool = False) -> tuple[T, list[Call]]:
    """Run something, and list its calls of these functions of a module; calls inside of others are left out, unless `nested`."""
    made, depth = list[Call](), 0

    def spied(name: str, honest: Any) -> Any:
        def call(*given: Any) -> Any:
            nonlocal depth
            depth, said = depth + 1, None
            try:
                said = honest(*given)
                said = True if said is None else said  # what `at_most` and others mean by saying nothing
            finally:
                depth -= 1
                if nested or not depth:
                    made.append(Call(name, given, said))
            return said

        return call

    with pytest.MonkeyPatch.context() as patch:
        for name in names:
            patch.setattr(module, name, spied(name, getattr(module, name)))
        return run(), made


def ran(program: Path, folder: Path, texts: dict[str, str], *mode: str) -> list[list[str]]:
    """What the extracted program prints about some files, word by word."""
    for name, text in texts.items():
        (folder / name).write_text(text)
    done = subprocess.run([program, *mode, *(folder / name for name in texts)], capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    return [line.split() for line in done.stdout.splitlines()]


def files() -> Iterator[tuple[str, Release, Json]]:
    release, _ = demo_release()
    yield "the bundled block", release_of(plain(release)), proofs(audit(release))
    for rows in GROUPED:
        named = release_of({"columns": COLUMNS, "groups": {"A": {"first": ["0", "1"]}}, "statistics": rows})
        domain = Domain.of(COLUMNS, groups={"A": {"first": ["0", "1"]}})
        stated = [Statistic.exact(Predicate.of(row["where"]), row["count"]) for row in rows]
        for groups in ("published", "none"):
            yield f"groups {groups} of {rows}", named, proofs(audit(PublishedRelease(domain, stated), groups=groups))
    for name, hard in (("derived rows", triangles(4)), ("sums and either-ors", textbook_release()[0])):
        yield name, release_of(plain(hard)), proofs(audit(hard))
    for seed in (*range(2000, 2008), 2027, 2039):  # nothing fits the last two
        for case, kind, document in forgeries(seed, number=60):
            if not kind.startswith("wrong "):
                yield f"seed {seed}, {kind}", case.rows, document


COLUMNS = {"A": ["0", "1", "2", "3"], "B": ["x", "y"]}
GROUPED: list[list[Json]] = [
    [{"where": {}, "count": 5}, {"where": {"A": ["1", "2"], "B": ["x"]}, "count": 1}],
    [{"where": {}, "count": 3}, {"where": {"A": ["0", "1", "2"]}, "count": 3}, {"where": {"A": ["1", "2", "3"]}, "count": 2}],
]


CALLED = ("build", "at_most", "Witnesses", "consistent", "fact_ok", "complete")


def compared(program: Path, translate: Any, folder: Path, release: Release, document: Json) -> Checked | None:
    """Run `check`, and the extracted program on what it called; None where the file was refused before any proof was looked at."""
    said, made = calls(checking, CALLED, lambda: check(release, document, True))
    if not made:
        assert said.rejected
        assert not said.accepted
        return None
    by = {name: [call for call in made if call.name == name] for name in CALLED}
    ((_, (_, steps), state),) = by["build"]
    datasets = by["Witnesses"][0].given[1] if by["Witnesses"] else []
    facts, no = [call.given[1] for call in by["fact_ok"]], next((call.given[3] for call in by["at_most"]), None)
    groups = by["complete"][0].given[3] if by["complete"] else None
    lines = ran(program, folder, translate.words_of(release, translate.Parts(steps, facts, datasets, no), groups))
    told = {name: [line for line in lines if line[0] == name] for name in ("state", "fact", "witness", "contradiction", "complete")}
    if state is None:
        assert told["state"][0][1] == "rejected"
        assert said.rejected[0].startswith(f"step {int(told['state'][0][2]) + 1}: ")
    else:
        assert told["state"] == [["state", "accepted"]]
    assert [line[2] == "accepted" for line in told["fact"]] == [call.said is not None for call in by["fact_ok"]]
    assert sum(line[2] == "accepted" for line in told["fact"]) == said.accepted
    if by["consistent"]:
        assert [line[2] == "consistent" for line in told["witness"]] == [not wrong for wrong in by["consistent"][0].said]
        assert [line[2] == "consistent" for line in told["witness"]] == said.witnesses
    assert said.contradiction is (told["contradiction"] == [["contradiction", "accepted"]])
    if by["complete"]:
        assert told["complete"] == [["complete", "yes" if by["complete"][0].said[0] is True else "no"]]
    assert (said.complete is True) == (bool(by["complete"]) and told["complete"] == [["complete", "yes"]])
    return said


def test_groups_that_a_file_leaves_out_are_missed_by_both(program: Path, translate: Any, tmp_path: Path) -> None:
    found = []
    for name, release, document in files():
        if name.startswith("groups "):
            said = compared(program, translate, tmp_path, release, document)
            assert said is not None
            found.append((name.split()[1], said.complete))
    assert found == [("published", True), ("none", False)] * len(GROUPED)


def test_the_two_programs_agree(program: Path, translate: Any, tmp_path: Path) -> None:
    found = [compared(program, translate, tmp_path, release, document) for _, release, document in files()]
    read = [said for said in found if said is not None]
    assert len(read) > 150
    assert sum(said.accepted for said in read) > 100
    assert sum(said.complete is True for said in read) > 5
    assert sum(said.contradiction for said in read) > 1
    assert sum(any(line.startswith("step ") for line in said.rejected) for said in read) > 10


NO_TREE = Leaf([], 1)


def apart(program: Path, translate: Any, folder: Path, release: Release, document: Json) -> distance.Apart:
    """Run `check_distance`, and the extracted program on what it called: datasets, limits of kinds, release of pairs, limit."""
    names = ("_pair", "Witnesses", "build", "at_most", "_kinds", "pair_release")
    said, made = calls(distance, names, lambda: distance.check_distance(release, document), nested=True)
    by = {name: [call for call in made if call.name == name] for name in names}
    if not by["Witnesses"] or len(by["Witnesses"][0].given[1]) != 2:
        assert said.rejected
        return said
    pair, trees = by["_pair"][0].said, by["at_most"]
    texts = translate.words_of(
        release, translate.Parts([], [], by["Witnesses"][0].given[1], None), [[] for _ in release.domain.codes]
    )
    if not by["build"]:  # it was over with the two datasets
        parts = translate.DistanceParts([], [], pair_release(release, []), [], 0, NO_TREE)
        lines = ran(program, folder, _distance_files(translate, release, texts, parts), "distance")
        assert lines[0] == (["witnesses", "inconsistent"] if pair is None else ["witnesses", "apart", str(pair[0])])
        return said
    kinds = list[tuple[Kind, Tree, Tree]]()
    about_kinds = trees if not by["pair_release"] else trees[: 2 * len(by["pair_release"][0].given[1])]
    for lower, upper in zip(about_kinds[::2], [*about_kinds[1::2], None], strict=False):
        (_, ((_, box),), least, tree), (_, _, most, other) = lower.given, (None, None, 0, NO_TREE) if upper is None else upper.given
        kinds.append((Kind(box, -least, most), tree, other))
    limit = trees[len(about_kinds) :]
    pairs = by["pair_release"][0].said if by["pair_release"] else pair_release(release, [kind for kind, _, _ in kinds])
    about_pairs, twice, proof = [], 0, NO_TREE
    if len(by["build"]) == 2:
        about_pairs = by["build"][1].given[1]
    if limit:
        _, _, twice, proof = limit[0].given
    parts = translate.DistanceParts(by["build"][0].given[1], kinds, pairs, about_pairs, twice, proof)
    made_files = _distance_files(translate, release, texts, parts)
    lines = ran(program, folder, made_files, "distance")
    assert lines[0] == ["witnesses", "apart", str(pair[0])]
    refused = [call for call in (by["build"][0], *about_kinds) if call.said is None]
    twins = len({kind.box for kind, _, _ in kinds}) < len(kinds)
    if by["_kinds"][0].said is not None or refused or twins:  # and not because a kind could not be read
        assert lines[1] == ["kinds", "rejected" if by["_kinds"][0].said is None else "accepted"]
    if by["pair_release"]:
        del made_files["witnesses"]
        assert ran(program, folder, made_files, "pairs") == [line.split() for line in _as_words(translate, pairs).splitlines()]
    if len(by["build"]) == 2 and (by["build"][1].said is None or limit):
        assert lines[2] == ["limit", "accepted" if limit and limit[0].said is not None else "rejected"]
    assert (said.high is not None) == (lines[2] == ["limit", "accepted"])
    return said


def _distance_files(translate: Any, release: Release, texts: dict[str, str], parts: Any) -> dict[str, str]:
    return {"release": texts["release"], "distance": translate.distance_words_of(release, parts), "witnesses": texts["witnesses"]}


def _as_words(translate: Any, release: Release) -> str:
    return str(translate.words_of(release, translate.Parts([], [], [], None), [[] for _ in release.domain.codes])["release"])


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.one_of(releases(), weighted_releases(), measured_releases(), alternative_releases()), st.integers(0, 1 << 30))
def test_distances(program: Path, translate: Any, tmp_path: Path, pair: tuple[PublishedRelease, Dataset], seed: int) -> None:
    """Genuine proofs of how far apart two datasets are, and forged ones."""
    published, rng = pair[0], random.Random(seed)
    assume(published.size_range[1] is not None)
    try:
        document = proof_of(published)
    except AssertionError:  # only one dataset fits
        assume(False)
    release = release_of(plain(published))
    said = apart(program, translate, tmp_path, release, document)
    assert (said.rejected, said.low) == ([], said.high)
    for _ in range(4):
        forged = forgery(rng, published, document)
        if forged is not None:
            apart(program, translate, tmp_path, release, sealed(forged))


def test_distances_that_are_refused(program: Path, translate: Any, tmp_path: Path) -> None:
    """Every part of a file about distances is refused by both at least once."""
    published = two_by_two(3, 2)
    release, document = release_of(plain(published)), proof_of(published)
    assert apart(program, translate, tmp_path, release, document).high == document["limit"]["twice"]
    empty = {"terms": [], "over": 1}
    damaged: list[Json] = [
        {**document, "witnesses": [document["witnesses"][0], [["0", "0"]]]},
        {**document, "kinds": [{**document["kinds"][0], "upper": empty}]},
        {**document, "kinds": [{**document["kinds"][0], "lower": empty, "low": 1}]},
        {**document, "kinds": [*document["kinds"], document["kinds"][0]]},
        {**document, "steps": [{"prune": [[0, 1], [1, 1]]}]},
        {**document, "limit": {**document["limit"], "proof": empty}},
        {**document, "limit": {**document["limit"], "twice": document["limit"]["twice"] - 1}},
        {**document, "limit": {**document["limit"], "steps": [{"bound": [], "at_most": -1, "proof": empty}]}},
    ]
    for file in damaged:
        assert apart(program, translate, tmp_path, release, sealed(file)).rejected, file


@pytest.mark.parametrize("seed", range(20))
def test_releases_of_pairs(program: Path, translate: Any, tmp_path: Path, seed: int) -> None:
    """The same rows in the same order, whatever the release and the kinds."""
    rng = random.Random(seed)
    columns = {f"C{c}": [str(code) for code in range(rng.randint(1, 4))] for c in range(rng.randint(1, 3))}

    def where() -> Json:
        return {
            name: sorted(rng.sample(codes, rng.randint(1, len(codes)))) for name, codes in columns.items() if rng.random() < 0.6
        }

    def terms() -> list[Any]:
        return [[rng.choice([-2, -1, 1, 3]), where()] for _ in range(rng.randint(1, 3))]

    ends = [{"count": 3}, {"low": 1, "high": 4}, {"low": 2}]
    stated = [{"where": where(), **rng.choice(ends)} for _ in range(rng.randint(0, 4))]
    stated += [{"terms": terms(), "low": -3, "high": 5} for _ in range(rng.randint(0, 3))]
    ruled = [{"C0": rng.choice(columns["C0"])} for _ in range(rng.randint(0, 2))] if len(columns["C0"]) > 1 else []
    paired = [[{"terms": terms(), "high": 2}, {"terms": terms(), "low": 1}] for _ in range(rng.randint(0, 2))]
    release = release_of({"columns": columns, "statistics": stated, "rules": ruled, "alternatives": paired})
    records = {tuple(rng.randrange(len(codes)) for codes in columns.values()) for _ in range(rng.randint(0, 4))}
    kinds = []
    for record in sorted(records):
        low = rng.randint(0, 3)
        kinds.append(Kind(tuple((c, 1 << code) for c, code in enumerate(record)), low, low + rng.randint(0, 3)))
    pairs = pair_release(release, kinds)
    parts = translate.DistanceParts([], [(kind, NO_TREE, NO_TREE) for kind in kinds], pairs, [], 0, NO_TREE)
    texts = {"release": _as_words(translate, release), "distance": translate.distance_words_of(release, parts)}
    assert ran(program, tmp_path, texts, "pairs") == [line.split() for line in _as_words(translate, pairs).splitlines()]


def test_choices(program: Path, translate: Any, tmp_path: Path) -> None:
    """What certificates asked, random problems with conditional clauses, trees that were changed, actions that lost their cost."""
    problems = list[tuple[Any, dict[int, Clause], int, Any]]()
    for entry in json.loads(COVERINGS.read_text()):
        clauses = {k: Clause(frozenset(given), frozenset(items)) for k, given, items in entry["clauses"]}
        problems += [(entry["costs"], clauses, entry["bound"] + more, entry["tree"]) for more in (0, 1)]
    certificates = len(problems) // 2
    rng = random.Random(7)
    for _ in range(1_500):
        drawn = Covering.drawn(rng)
        bound = drawn.least() or rng.randint(0, 9)
        tree = drawn.tree(bound, rng)
        for _ in range(4):
            costs = drawn.costs if rng.random() < 0.95 else drawn.costs[:-1]
            problems.append((costs, drawn.clauses, bound + rng.choice([0, 0, 1]), tree))
            tree = changed(tree or {"pay": [], "over": 1}, drawn, rng)
        leaf = drawn.leaf(rng)
        problems += [(drawn.costs, drawn.clauses, drawn.shown(leaf) + more, leaf) for more in (0, 1)]
    problems = [problem for problem in problems if problem[3] is not None and not _malformed(problem[3])]
    lines = ran(program, tmp_path, {"choices": translate.choice_words_of(problems)}, "choices")
    ours = [_accepted(*problem) for problem in problems]
    assert [line[2] == "accepted" for line in lines] == ours
    assert ours[: 2 * certificates : 2] == [True] * certificates
    assert min(sum(ours), len(ours) - sum(ours)) > 1_000
    leaves = [
        (rest, leaf)
        for (costs, clauses, _, tree), ok in zip(problems, ours, strict=True)
        if ok
        for rest, leaf in Covering(costs, clauses).paying(tree)
    ]
    assert sum(rest.conditional(leaf) for rest, leaf in leaves) > 1_000
    assert sum(rest.above(leaf) for rest, leaf in leaves) > 1_000


def test_the_choice_of_a_certificate(program: Path, translate: Any, tmp_path: Path) -> None:
    """What `check_protection` asks about a certificate that was just made."""
    published = tabulate({"A": list("001122"), "B": list("010011"), "C": list("011010")}, margins=["A,B", "B,C", "A,C"])
    document = json.loads(json.dumps(protect(published, Policy(singled_out_columns=2), proofs=True).certificate))
    said, made = calls(protection, ("no_cheaper",), lambda: protection.check_protection(plain(published), document))
    assert said.rejected == []
    ((_, (*given, _), _),) = made
    costs, clauses, bound, tree = given
    problems = [(costs, clauses, bound + more, tree) for more in (0, 1)]
    lines = ran(program, tmp_path, {"choices": translate.choice_words_of(problems)}, "choices")
    assert [line[2] for line in lines] == ["accepted", "rejected"]


def test_bounds_of_parts_add_up_there_too(program: Path, translate: Any, tmp_path: Path) -> None:
    rng = random.Random(5)
    drawn = [found for _ in range(200) if (found := two_parts(rng)) is not None]
    problems = [
        (both.costs, both.clauses, sum(part["bound"] for part in parts) + more, {"apart": parts})
        for both, parts in drawn
        for more in (0, 1)
    ]
    lines = ran(program, tmp_path, {"choices": translate.choice_words_of(problems)}, "choices")
    assert [line[2] for line in lines] == ["accepted", "rejected"] * len(drawn)
    assert all(_accepted(*problem) == (i % 2 == 0) for i, problem in enumerate(problems))


def _malformed(tree: Any) -> bool:
    """A number that is refused when it is read: the words of formal/ have no negative clauses and no negative payments."""
    if "item" in tree:
        return _malformed(tree["taken"]) or _malformed(tree["left"])
    return any(number < 0 for _, number in tree.get("pay", []))


def _accepted(costs: Any, clauses: dict[int, Clause], bound: int, tree: Any) -> bool:
    try:
        no_cheaper(costs, clauses, bound, tree, CountedWork())
    except Refused:
        return False
    return True


def test_coq_itself_proves_what_is_certain_about_the_bundled_block(program: Path, translate: Any, tmp_path: Path) -> None:
    """The theorem that docs/proofs.md shows: no extraction, no OCaml, only Coq's kernel; and it fails for a false count."""
    published, _ = demo_release()
    release, document = release_of(plain(published)), proofs(audit(published))
    proved = _coq(program, tmp_path / "block.v", translate.theorem_of(release, translate.parts_of(release, document)))
    assert proved.returncode == 0, proved.stderr
    assert proved.stdout.split("\n")[:2] == ["Closed under the global context"] * 2
    document["facts"][0]["count"] += 1
    false = translate.theorem_of(release, translate.parts_of(release, document))
    assert _coq(program, tmp_path / "false.v", false).returncode != 0


def _coq(program: Path, file: Path, text: str) -> subprocess.CompletedProcess[str]:
    file.write_text(text)
    command = ["coqc", "-q", "-Q", str(program.parent), "Foregone", str(file)]
    return subprocess.run(command, capture_output=True, text=True, check=False)
