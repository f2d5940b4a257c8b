"""Workflows take values and files and return values: nothing is printed, and nobody needs a command line."""

from __future__ import annotations

import ast
import dataclasses
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import foregone as fg
from foregone import workflows
from foregone.checker.verdicts.distance import Apart
from foregone.model.policy import Policies
from foregone.policy.judge import PolicyVerdict
from foregone.questions.ask import CellsEngine
from foregone.workflows.audit import audit_files, judge_audited, rows_of
from foregone.workflows.check import CertificateChecked, ClaimsChecked, check_file
from foregone.workflows.check_folder import check_folder
from foregone.workflows.join import join_files
from foregone.workflows.protect import ProtectionAsked, is_many, protect_files, write_protected
from foregone.workflows.what_if import Change, what_if

PEOPLE = {"SEX": ["F", "F", "M", "M", "M"], "AGE": ["1", "2", "2", "3", "3"]}
LIMIT = 10_000


@pytest.fixture
def release(tmp_path: Path) -> Path:
    fg.tabulate(PEOPLE, margins=["SEX,AGE", "AGE"]).write(tmp_path / "release")
    return tmp_path / "release"


@pytest.fixture(autouse=True)
def nothing_is_said(capfd: pytest.CaptureFixture[str]) -> Iterator[None]:
    yield
    said = capfd.readouterr()
    assert (said.out, said.err) == ("", "")


def test_no_workflow_knows_a_terminal() -> None:
    """No options, no colours, no exit statuses, no printing: whoever calls decides about these."""
    for path in Path(workflows.__path__[0]).glob("*.py"):
        tree = ast.parse(path.read_text("utf-8"))
        imported = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
        imported |= {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
        assert not [name for name in imported if name.split(".")[0] in ("typer", "rich", "click", "sys") or ".cli" in name], path
        called = {node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
        assert not called & {"print", "input", "exit"}, path
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef) and node.decorator_list:
                assert "frozen=True" in ast.unparse(node.decorator_list[0]), (path, node.name)


def test_an_audit_of_files_is_that_of_the_release(release: Path) -> None:
    found = audit_files(release, CellsEngine(), max_records=LIMIT)
    assert found.audit == fg.audit(release)
    assert found.truth is None
    assert found.singled_out is None
    assert found.marks is not None
    assert not found.marks.breaches
    assert not found.undecided
    assert rows_of(found.audit) == found.audit.rows()
    assert {row.columns for row in rows_of(found.audit, every=True, max_columns=1)} == {1}
    assert {row.count for row in rows_of(found.audit, count=1)} == {1}
    answer = judge_audited(found, fg.Policy(singled_out_columns=2))
    assert answer.judgement.verdict == PolicyVerdict.BROKEN
    assert not answer.assumed
    with pytest.raises(dataclasses.FrozenInstanceError):
        found.truth = None  # type: ignore[misc]


def test_a_contradiction_leaves_its_proof(tmp_path: Path) -> None:
    domain = fg.Domain.of({"SEX": ["F", "M"]})
    counts = [(fg.Predicate(), 3), (fg.Predicate.of({"SEX": "F"}), 2), (fg.Predicate.of({"SEX": "M"}), 2)]
    fg.Release(domain, [fg.Statistic.exact(what, count) for what, count in counts]).write(tmp_path / "wrong")
    proofs = tmp_path / "proof.json"
    with pytest.raises(fg.ContradictionError) as error:
        audit_files(tmp_path / "wrong", CellsEngine(), max_records=LIMIT, proofs=proofs)
    assert error.value.written == (proofs, proofs.stat().st_size)
    checked = check_file(tmp_path / "wrong", proofs)
    assert isinstance(checked, ClaimsChecked)
    assert checked.result.contradiction


def test_a_what_if_changes_nothing_on_disk(release: Path) -> None:
    before = {path: path.read_bytes() for path in release.iterdir()}
    made = what_if(release, Change(base=5), Policies(), max_records=LIMIT)
    assert made.found.before == fg.audit(release)
    assert made.found.after == fg.audit(made.changed)
    assert len(made.found.after.facts) < len(made.found.before.facts)
    assert [outcome.fail for outcome in made.outcomes()] == [PolicyVerdict.BROKEN, PolicyVerdict.KEPT]
    assert {path: path.read_bytes() for path in release.iterdir()} == before
    with pytest.raises(fg.InputError, match="`hide`: "):
        what_if(release, Change(("nothing",)), Policies(), max_records=LIMIT)


def test_what_is_protected_is_published_and_checked(release: Path, tmp_path: Path) -> None:
    assert not is_many(release)
    asked = ProtectionAsked(columns=2, proofs=True)
    found = protect_files(release, asked)
    assert isinstance(found, fg.Protection)
    same = fg.protect(release, fg.Policy(singled_out_columns=2, stars=2))
    assert (found.cost, found.lower_bound) == (same.cost, same.lower_bound)
    made = write_protected(found, release, tmp_path / "out")
    assert {path.name for path in made.folder.iterdir()} == {"domain.json", "statistics.csv"}
    assert {path.name for path in made.private.iterdir()} == {"protect.json", "protection.html", "certificate.json", "sources.json"}
    checked = check_file(release, made.private / "certificate.json", protected=made.folder)
    assert isinstance(checked, CertificateChecked)
    assert checked.rejected == ()
    assert checked.result.cost == found.cost
    with (made.folder / "statistics.csv").open("a") as file:
        file.write("\n")
    (made.folder / "notes.txt").write_text("somebody's")
    checked = check_file(release, made.private / "certificate.json", protected=made.folder)
    assert isinstance(checked, CertificateChecked)
    assert checked.rejected
    assert checked.case is None
    with pytest.raises(fg.InputError, match="use 1 to 2"):
        protect_files(release, ProtectionAsked(columns=3))
    with pytest.raises(fg.InputError, match="for many releases use `by` table"):
        protect_files(release.parent, ProtectionAsked())


def test_a_file_or_a_folder_of_proofs_is_checked(release: Path, tmp_path: Path) -> None:
    proofs = tmp_path / "proofs"
    proofs.mkdir()
    (proofs / "release.json").write_text(json.dumps(fg.proofs(fg.audit(release))))
    one = check_file(release, proofs / "release.json", complete=True, by="SEX")
    assert isinstance(one, ClaimsChecked)
    assert one.result.complete
    assert set(one.parts or ()) == {"F", "M"}
    assert one.result == fg.check(release, json.loads((proofs / "release.json").read_text()), complete=True)
    with pytest.raises(fg.InputError, match="`by`: there is no column SIX"):
        check_file(release, proofs / "release.json", by="SIX")
    every = check_folder(tmp_path, proofs)
    assert (every.files, every.rejected, every.wrong) == (1, 0, ())
    assert every.claims == one.result.accepted
    (proofs / "release.json").write_text("{}")
    every = check_folder(tmp_path, proofs)
    assert (every.files, every.rejected, len(every.wrong)) == (1, 1, 1)


def test_a_proof_about_two_datasets_is_told_apart(tmp_path: Path) -> None:
    from foregone.engine import distance_proof

    release = fg.tabulate(PEOPLE, margins=["SEX", "AGE"])
    release.write(tmp_path / "loose")
    answer = fg.unique(release)
    assert answer.second is not None
    document = distance_proof(release, answer.first, answer.second, answer.limit, 60.0, LIMIT)
    (tmp_path / "apart.json").write_text(json.dumps(document))
    found = check_file(tmp_path / "loose", tmp_path / "apart.json")
    assert isinstance(found, Apart)
    assert found.low == 2 * answer.distance
    assert fg.check(release, document).reason == found.text
    with pytest.raises(fg.InputError, match="are about a file of claims"):
        check_file(tmp_path / "loose", tmp_path / "apart.json", complete=True)


def test_releases_are_joined_with_what_they_assume(release: Path, tmp_path: Path) -> None:
    (release / "assumptions.txt").write_text("'*' stands for 1 to 4\n")
    fg.tabulate({name: [*codes, codes[0]] for name, codes in PEOPLE.items()}, margins=["SEX,AGE"]).write(tmp_path / "later")
    made = join_files([release, tmp_path / "later"], tmp_path / "both", "joined")
    assert made.names == ("release", "later")
    assert "release: '*' stands for 1 to 4" in made.assumptions
    assert made.told
    assert fg.Release.read(tmp_path / "both") == made.release
    read = {name: fg.Release.read(tmp_path / name) for name in made.names}
    assert made.release == fg.join(read, people="joined").release
    assert not join_files([release, tmp_path / "later"], tmp_path / "both.json").told
    with pytest.raises(fg.InputError, match="give them folders with different names"):
        join_files([release, release], tmp_path / "twice")
