"""Proofs as VIPR certificates: another program accepts them, none that was tampered with; and they say what was published."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from foregone import Domain, Predicate, Release, Statistic, audit
from foregone.census.demo import demo_release, textbook_release
from foregone.checker import check, release_of
from foregone.checker.kernel import Fails, PlainRelease
from foregone.engine import proofs
from foregone.questions.check import plain
from foregone.vipr.export import exported
from tests.checker import test_either as either
from tests.checker.cases import fitting, odd_cycles, proofs_or_none, random_release
from tests.checker.documents import sealed, with_splits
from tests.cli.commands import run
from tests.vipr.reader import NotAccepted, Parsed, Row, accepted, read

Json = dict[str, Any]
PROVED = "0 to 0"


def texts(rows: PlainRelease, document: Json) -> dict[str, str]:
    """The certificates of a file that the checker accepts, as they are written."""
    result = check(rows, document)
    assert result.contradiction or not result.rejected
    return {name: "\n".join(made.lines()) + "\n" for name, made in exported(rows, document).certificates.items()}


def of(release: Release, document: Json | None = None) -> dict[str, str]:
    return texts(release_of(plain(release)), document or proofs(audit(release)))


DEMO, _ = demo_release()


@pytest.fixture(scope="module")
def block() -> str:
    found = of(DEMO)
    assert list(found) == ["facts.vipr"]
    return found["facts.vipr"]


def test_all_facts_of_the_bundled_block_in_one_small_file(block: str) -> None:
    assert accepted(block) == PROVED
    found = read(block)
    facts = sum(name.startswith("o") for name in found.names)
    assert facts == len(audit(DEMO).facts) == 55
    assert {found.names[i] for i in found.objective} == {f"{kind}{k}" for kind in "ou" for k in range(facts)}
    assert len(found.solutions) > 1
    assert len(block) < 600_000  # one file per fact and direction would be 17 times as much
    assert any(len(line.row) > 1 for line, _ in found.derived[:-1]), "that boxes are empty is derived"
    assert max(map(len, block.split("\n"))) < 40_000, "everything about a constraint is on its line"


def test_figures_and_either_ors() -> None:
    found = of(textbook_release()[0])
    assert {name: accepted(text) for name, text in found.items()} == {"facts.vipr": PROVED, "ceilings.vipr": PROVED}
    uses = [reason[0] for _, reason in read(found["facts.vipr"]).derived]
    assert uses.count("uns") > 0
    assert not any(line.name.startswith("e") for line in read(found["ceilings.vipr"]).constraints), "it would prove itself"


@pytest.mark.parametrize("chunk", range(4))
def test_random_releases(chunk: int) -> None:
    """Ranges, rules, groups, figures; plain proofs, and the same with a split in every one."""
    kinds = Counter[str]()
    for seed in range(40 * chunk, 40 * chunk + 40):
        release, _ = random_release(random.Random(seed))
        document = proofs_or_none(release)
        if document is None:
            continue
        for kind, one in (("plain", document), ("splits", with_splits(release, document))):
            for text in of(release, one).values():
                assert accepted(text) == PROVED, seed
                kinds[kind] += 1
                kinds["slack"] += "v0l" in text
        kinds["rules"] += bool(release.rules)
    assert kinds["plain"] > 20 < kinds["splits"]
    assert kinds["rules"]


def test_a_search_tree() -> None:
    release, _ = odd_cycles(2)
    text = of(release)["facts.vipr"]
    assert accepted(text) == PROVED
    assert "uns" in text or "rnd" in text


def test_a_split_by_a_form_that_boxes_do_not_tell() -> None:
    """Nothing cuts the boxes along AGE, and yet a tree is split by it: an unknown of its own stands for its value."""
    domain = Domain.of({"SEX": ["F", "M"], "AGE": ["1", "2"]})
    release = Release(domain, [Statistic.exact(Predicate(), 3, "N"), Statistic.exact(Predicate.of({"SEX": "F"}), 2, "F")])
    document = proofs(audit(release))
    document["steps"] = [step for step in document["steps"] if step.get("columns") != "AGE"]
    for fact in document["facts"]:
        fact["upper"] = {"split": [[1, {"AGE": "1"}]], "at": 0, "below": fact["upper"], "above": fact["upper"]}
    text = of(release, sealed(document))["facts.vipr"]
    assert accepted(text) == PROVED
    assert "v0" in read(text).names


def test_an_either_or() -> None:
    proof = {"either": 0, "left": either.LEFT, "right": either.RIGHT}
    found = of(either.RELEASE, either.document(proof))
    assert {name: accepted(text) for name, text in found.items()} == {"facts.vipr": PROVED, "ceilings.vipr": PROVED}


def test_an_either_or_without_a_limit_is_a_clear_no(tmp_path: Path) -> None:
    numbers = [Statistic(row.predicate, row.low, None, row.name) for row in either.RELEASE.statistics]
    release = Release(either.PEOPLE, numbers, alternatives=either.RELEASE.workload.alternatives)
    women = {"terms": [[3, 1]], "over": 1}
    fact = {"claim": {"SEX": "F"}, "count": 2, "ground": "search", "forms": [], "lower": women}
    left, nothing = {"terms": [[6, 1]], "over": 1}, {"terms": [[3, 1], [6, 1]], "nothing": True}
    document = either.document({"either": 0, "left": left, "right": nothing})
    with pytest.raises(Fails, match="no published numbers limit both of its sides"):
        exported(release_of(plain(release)), {**document, "facts": [{**fact, "upper": document["facts"][0]["upper"]}]})
    assert not list(tmp_path.iterdir())


def test_a_contradiction(tmp_path: Path) -> None:
    folder, file, out = tmp_path / "wrong", tmp_path / "wrong.json", tmp_path / "vipr"
    folder.mkdir()
    (folder / "domain.json").write_text('{"columns": {"SEX": ["F", "M"]}}')
    (folder / "statistics.csv").write_text("name,SEX,count\nN,,3\nw,F,2\nm,M,2\n")
    assert run("audit", folder, "--proofs", file).status == 2
    found = run("check", folder, file, "--export", "vipr", out)
    assert found.status == 1
    text = (out / "contradiction.vipr").read_text()
    assert accepted(text) == "infeasible"
    assert "proves that no dataset matches" in (out / "README.txt").read_text()
    with pytest.raises(NotAccepted):
        accepted(text.replace(" E 3 ", " E 4 "))


# ---------------------------------------------------------------- tampering


def mutants(text: str, rng: random.Random, number: int) -> list[str]:
    """One number of a derivation or of a solution changed, or a derivation left out: of the lines that something rests on."""
    lines = text.rstrip("\n").split("\n")
    begin = next(i for i, line in enumerate(lines) if line.startswith("DER "))
    made = list[str]()
    while len(made) < number:
        changed = list(lines)
        i = rng.randrange(begin + 1, len(lines))
        words = changed[i].split(" ")
        spots = [k for k, word in enumerate(words) if re.fullmatch(r"-?[0-9]+(/[0-9]+)?", word) and 2 <= k < len(words) - 1]
        k = rng.choice(spots)
        words[k] = str(Fraction(words[k]) + rng.choice([-1, 1]))
        changed[i] = " ".join(words)
        made.append("\n".join(changed) + "\n")
    return made


def small_mutants(seed: int) -> list[str]:
    release, _ = random_release(random.Random(seed))
    document = proofs_or_none(release)
    if document is None or not document["facts"]:
        return []
    found = of(release, with_splits(release, document)).values()
    return [mutant for text in found for mutant in mutants(text, random.Random(seed), 30)]


def weaker(some: list[str]) -> list[str]:
    """Those that are accepted all the same; they conclude nothing else."""
    found = list[str]()
    for mutant in some:
        try:
            assert accepted(mutant) == PROVED
            found.append(mutant)
        except NotAccepted:
            pass
    return found


@pytest.mark.slow
def test_mutants_of_the_bundled_block_are_rejected(block: str) -> None:
    """A change of one number is no proof, unless it only says less than what was proved; then what is concluded is the same."""
    assert len(weaker(mutants(block, random.Random(1), 12))) <= 1


def test_mutants_of_small_certificates_are_rejected() -> None:
    made = [mutant for seed in range(30) for mutant in small_mutants(seed)]
    assert len(made) > 400
    assert len(weaker(made)) < len(made) / 20


def test_a_wrong_fact_is_rejected() -> None:
    release, _ = random_release(random.Random(7))
    rows, document = release_of(plain(release)), proofs(audit(release))
    for fact in document["facts"]:
        fact["count"] += 1
    made = exported(rows, document).certificates["facts.vipr"]  # the checker would have refused it
    with pytest.raises(NotAccepted):
        accepted("\n".join(made.lines()))


def test_a_solution_that_fits_not_is_rejected(block: str) -> None:
    with pytest.raises(NotAccepted, match="a solution breaks"):
        accepted(re.sub(r"\nw0 (\d+) (\d+) 1 ", r"\nw0 \1 \2 2 ", block, count=1))


# ---------------------------------------------------------------- does the program say what was published?


def point(rows: PlainRelease, found: Parsed, made: Any, dataset: tuple[tuple[str, ...], ...], broken: dict[str, int]) -> Row:
    """A dataset as values of the unknowns, with the given ones for facts that it breaks."""
    values = Counter[int]()
    for record in dataset:
        values[made.model.unknowns.box_of((1, tuple(c[v] for c, v in zip(rows.domain.codes, record, strict=True))))] += 1
    placed: Row = {**values}
    return placed | {found.names.index(name): value for name, value in broken.items()}


def test_every_dataset_is_a_solution_and_a_broken_fact_would_be_seen() -> None:
    """For every dataset that fits there is a point, and it has an objective of at least 1 as soon as a claimed count is wrong."""
    tried = 0
    for seed in range(20):
        release, _ = random_release(random.Random(seed))
        document = proofs_or_none(release)
        if document is None or release.workload.alternatives or not document["facts"]:
            continue
        rows, fact, tried = release_of(plain(release)), document["facts"][0], tried + 1
        for wrong in (0, 1, -1):
            if fact["count"] + wrong < 0:
                continue
            made = exported(rows, {**document, "facts": [{**fact, "count": fact["count"] + wrong}]})
            found = read("\n".join(made.certificates["facts.vipr"].lines()))
            for dataset in fitting(release)[:30]:
                tries = {o + u: point(rows, found, made, dataset, {"o0": o, "u0": u}) for o, u in ((1, 1), (0, 0), (1, 0))}
                tries[-1] = point(rows, found, made, dataset, {"o0": 0, "u0": 1})
                holds = [abs(total) for total, values in tries.items() if all(line.holds(values) for line in found.constraints)]
                assert holds, "a dataset that fits has to be a solution"
                assert (max(holds) > 0) == (wrong != 0)
    assert tried > 10


# ---------------------------------------------------------------- the command


def test_the_command(tmp_path: Path) -> None:
    folder, file, out = tmp_path / "block", tmp_path / "proofs.json", tmp_path / "vipr"
    DEMO.write(folder)
    assert run("audit", folder, "--proofs", file).status == 0
    found = run("check", folder, file, "--export", "vipr", out)
    assert found.status == 0, found.err
    assert "facts.vipr" in found.out
    names = ["README.txt", "constraints.csv", "facts.csv", "facts.vipr", "unknowns.csv"]
    assert sorted(path.name for path in out.iterdir()) == names
    assert accepted((out / "facts.vipr").read_text()) == PROVED
    parsed = read((out / "facts.vipr").read_text())
    assert len((out / "unknowns.csv").read_text().splitlines()) == 1 + sum(name.startswith("x") for name in parsed.names)
    said = {line.split(",")[0] for line in (out / "constraints.csv").read_text().splitlines()[1:]}
    assert said == {line.name for line in parsed.constraints if line.name[0] in "sr"}
    again = run("check", folder, file, "--export", "vipr", out)
    assert again.status == 2
    assert "already exists" in again.err
    assert run("check", folder, file, "--export", "latin", tmp_path / "other").status == 2


def test_what_is_rejected_is_not_exported(tmp_path: Path) -> None:
    folder, file, out = tmp_path / "block", tmp_path / "proofs.json", tmp_path / "vipr"
    DEMO.write(folder)
    run("audit", folder, "--proofs", file)
    document = json.loads(file.read_text())
    document["facts"][0]["count"] += 1
    file.write_text(json.dumps(sealed(document)))
    assert run("check", folder, file, "--export", "vipr", out).status == 1
    assert not out.exists()


def test_other_files_are_a_clear_no(tmp_path: Path) -> None:
    folder, file = tmp_path / "release", tmp_path / "unique.json"
    Release(Domain.of({"SEX": ["F", "M"]}), [Statistic.exact(Predicate(), 2, "N")]).write(folder)
    assert run("unique", folder, "--proofs", file).status == 1
    found = run("check", folder, file, "--export", "vipr", tmp_path / "vipr")
    assert found.status == 2
    assert "--export: writes files of claims" in found.err
    assert run("check", tmp_path, tmp_path, "--export", "vipr", tmp_path / "vipr").status == 2
