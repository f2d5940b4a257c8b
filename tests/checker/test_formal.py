"""The checker and the program of the theorems in formal/ give the same verdicts on genuine, damaged and forged proofs."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from foregone import audit
from foregone.census.demo import demo_release
from foregone.checker.check import at_most, build, check, fact_ok
from foregone.checker.complete import Witnesses, complete, consistent
from foregone.checker.parse import Bound, Columns, Fact, Leaf, Nothing, Prune, Step, Tree, fact_of, step_of, tree_of, witness_of
from foregone.checker.refusal import Refused
from foregone.checker.rows import Box, Domain, Form, Release, full, release_of
from foregone.questions.check import plain
from foregone.questions.proofs import proofs
from tests.checker.cases import Json
from tests.checker.forger import forgeries

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


def words() -> Any:
    found = importlib.util.spec_from_file_location("words", FORMAL / "words.py")
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


class File(NamedTuple):
    """A proofs file that could be read."""

    steps: list[Step]
    facts: list[Fact]
    witnesses: list[Any]
    contradiction: Tree | None


def read(domain: Domain, document: Json) -> File | None:
    """The file as both programs get it; None where it is refused before any proof is looked at."""
    domain.work.spent = 0
    try:
        return File(
            [step_of(domain, step) for step in document["steps"]],
            [fact_of(domain, fact) for fact in document["facts"]],
            [witness_of(domain, witness) for witness in document["witnesses"]],
            tree_of(domain, document["contradiction"]) if "contradiction" in document else None,
        )
    except (Refused, TypeError):
        return None


def python(release: Release, file: File) -> Verdict:
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
    return Verdict(True, facts, fits, no, all(fits) and complete(release.domain, claims, file.witnesses)[0] is True)


def formal(program: Path, folder: Path, release: Release, file: File) -> Verdict:
    made, width = words(), len(release.domain.codes)

    def box(sides: Box) -> list[int]:
        return [dict(sides).get(c, full(release.domain, c)) for c in range(width)]

    def form(terms: Form) -> list[tuple[int, list[int]]]:
        return [(weight, box(sides)) for weight, sides in terms]

    def tree(node: Tree) -> tuple[Any, ...]:
        match node:
            case Leaf(terms, over):
                return ("leaf", terms, over)
            case Nothing(terms):
                return ("nothing", terms)
            case _:
                return ("split", form(node.form), node.at, tree(node.below), tree(node.above))

    def step(entry: Step) -> tuple[Any, ...]:
        match entry:
            case Columns(c, sets):
                return ("columns", c, sets)
            case Prune(terms):
                return ("prune", terms)
            case Bound(about, bound, proof):
                return ("bound", form(about), bound, tree(proof))

    statistics = [(form(s.about), s.low, s.high) for s in release.statistics]
    facts = [(box(f.what), f.times, [box(q) for q in f.forms], tree(f.upper), tree(f.lower)) for f in file.facts]
    no = None if file.contradiction is None else tree(file.contradiction)
    texts = {
        "release": made.release_words([len(codes) for codes in release.domain.codes], statistics, [box(r) for r in release.rules]),
        "proof": made.proof_words([step(entry) for entry in file.steps], facts, no, width),
        "witnesses": made.witness_words(file.witnesses, width),
    }
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
    for seed in range(2000, 2008):
        for case, kind, document in forgeries(seed, number=60):
            if not kind.startswith("wrong "):
                yield f"seed {seed}, {kind}", case.rows, document


def test_the_two_programs_agree(program: Path, tmp_path: Path) -> None:
    compared = accepted = completed = 0
    for name, release, document in files():
        file = read(release.domain, document)
        if file is None:
            assert check(release, document, True).accepted < max(1, len(document["facts"])), name
            continue
        ours, theirs = python(release, file), formal(program, tmp_path, release, file)
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
