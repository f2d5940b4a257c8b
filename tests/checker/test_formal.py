"""The checker and the program of the theorems in formal/ give the same verdicts on genuine, damaged and forged proofs."""

from __future__ import annotations

import importlib
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from foregone import Domain, Predicate, Statistic, audit
from foregone import Release as PublishedRelease
from foregone.census.demo import demo_release
from foregone.census.textbook import textbook_release
from foregone.checker.check import at_most, build, check, fact_ok
from foregone.checker.complete import Witnesses, complete, consistent
from foregone.checker.refusal import Refused
from foregone.checker.rows import Release, families, release_of
from foregone.questions.check import plain
from foregone.questions.proofs import proofs
from tests.checker.cases import Json
from tests.checker.forger import forgeries
from tests.engine.bounds.test_search import triangles

pytestmark = pytest.mark.slow

FORMAL = Path(__file__).parents[2] / "formal"


class Verdict(NamedTuple):
    """What both programs say about a file."""

    state: bool
    facts: list[bool]
    witnesses: list[bool]
    contradiction: bool | None
    complete: bool


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


def read(translate: Any, release: Release, document: Json) -> Any:
    """The file as both programs get it; None where it is refused before any proof is looked at."""
    release.domain.work.spent = 0
    try:
        return translate.parts_of(release, document)
    except (Refused, TypeError):
        return None


def python(release: Release, file: Any) -> Verdict:
    fits = [not reason for reason in consistent(release, Witnesses(release.domain, file.witnesses))]
    try:
        state = build(release, file.steps)
    except Refused:
        return Verdict(False, [False] * len(file.facts), fits, None if file.contradiction is None else False, False)
    claims, facts, no = [], [], None
    for fact in file.facts:
        try:
            claims += fact_ok(state, fact)
            facts.append(True)
        except Refused:
            facts.append(False)
    if file.contradiction is not None:
        try:
            at_most(state, (), -1, file.contradiction)
            no = True
        except Refused:
            no = False
    whole = all(fits) and complete(release.domain, claims, file.witnesses, families(release) or ())[0] is True
    return Verdict(True, facts, fits, no, whole)


def formal(program: Path, folder: Path, texts: dict[str, str]) -> Verdict:
    for name, text in texts.items():
        (folder / name).write_text(text)
    ran = subprocess.run([program, *(folder / name for name in texts)], capture_output=True, text=True, check=False)
    assert ran.returncode in (0, 1), ran.stderr
    said = [line.split() for line in ran.stdout.splitlines()]
    return Verdict(
        ["state", "accepted"] in said,
        [line[2] == "accepted" for line in said if line[0] == "fact"],
        [line[2] == "consistent" for line in said if line[0] == "witness"],
        {"absent": None, "accepted": True, "rejected": False}[next(line[1] for line in said if line[0] == "contradiction")],
        ["complete", "yes"] in said,
    )


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
    for seed in range(2000, 2008):
        for case, kind, document in forgeries(seed, number=60):
            if not kind.startswith("wrong "):
                yield f"seed {seed}, {kind}", case.rows, document


COLUMNS = {"A": ["0", "1", "2", "3"], "B": ["x", "y"]}
GROUPED: list[list[Json]] = [
    [{"where": {}, "count": 5}, {"where": {"A": ["1", "2"], "B": ["x"]}, "count": 1}],
    [{"where": {}, "count": 3}, {"where": {"A": ["0", "1", "2"]}, "count": 3}, {"where": {"A": ["1", "2", "3"]}, "count": 2}],
]


def test_groups_that_a_file_leaves_out_are_missed_by_both(program: Path, translate: Any, tmp_path: Path) -> None:
    found = []
    for name, release, document in files():
        if name.startswith("groups "):
            file = translate.parts_of(release, document)
            ours, theirs = python(release, file), formal(program, tmp_path, translate.words_of(release, file))
            assert ours == theirs, name
            found.append((name.split()[1], ours.complete))
    assert found == [("published", True), ("none", False)] * len(GROUPED)


def test_the_two_programs_agree(program: Path, translate: Any, tmp_path: Path) -> None:
    compared = accepted = completed = 0
    for name, release, document in files():
        file = read(translate, release, document)
        if file is None:
            assert check(release, document, True).accepted < max(1, len(document["facts"])), name
            continue
        ours, theirs = python(release, file), formal(program, tmp_path, translate.words_of(release, file))
        assert ours == theirs, name
        compared += 1
        accepted += sum(ours.facts)
        completed += ours.complete
        # and what the checker says in the end is what these verdicts come to
        said = check(release, document, True)
        if ours.state and ours.contradiction is None and any(ours.witnesses):
            assert (said.facts, said.witnesses, said.complete is True) == (ours.facts, ours.witnesses, ours.complete), name
        else:
            assert said.accepted == 0, name
            assert said.contradiction is (ours.contradiction is True), name
    assert compared > 150
    assert accepted > 100
    assert completed > 5


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
