"""The folder that gets published is looked at: it holds what the certificate leaves, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, reject, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from foregone import Domain, InputError, Knowledge, Policy, Predicate, Primary, Release, check, protect
from foregone.cli.app import app
from foregone.formats.protection import write_protection
from tests.protection.measured import measured
from tests.protection.test_small_cases import CLINICS

Json = dict[str, Any]
runner = CliRunner()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A release with words about its columns, its protection and the certificate."""
    groups = {"G": {"first": ["A", "B"]}}
    domain = Domain.of({"G": {g: f"clinic {g}" for g in "ABCD"}, "SEX": ["F", "M"]}, {"SEX": "sex"}, "patient", {}, groups)
    Release(domain, CLINICS.statistics).write(tmp_path / "release")
    (tmp_path / "release" / "assumptions.txt").write_text("Nobody moved.\n")
    (tmp_path / "policy.toml").write_text('primary = "1..3"\nknow = ["zeros-shown"]\n')
    names = {"--policy": "policy.toml", "--out": "out", "--proofs": "certificate.json"}
    options = [word for name, file in names.items() for word in (name, str(tmp_path / file))]
    made = runner.invoke(app, ["protect", str(tmp_path / "release"), *options])
    assert made.exit_code == 0, made.output
    return tmp_path


def judged(folder: Path, *options: str) -> Any:
    words = ["check", str(folder / "release"), str(folder / "certificate.json"), "--protected", str(folder / "out"), *options]
    return runner.invoke(app, words)


def test_the_folder_is_accepted(folder: Path) -> None:
    result = judged(folder, "--policy", str(folder / "policy.toml"))
    assert result.exit_code == 0, result.output
    assert "out holds exactly that" in " ".join(result.output.split())


def replaced(file: str, old: str, new: str) -> Callable[[Path], object]:
    def change(out: Path) -> None:
        text = (out / file).read_text("utf-8")
        assert old in text
        (out / file).write_text(text.replace(old, new, 1), "utf-8")

    return change


def recorded(**changes: Any) -> Callable[[Path], object]:
    def change(out: Path) -> None:
        record = json.loads((out / "protect.json").read_text("utf-8"))
        (out / "protect.json").write_text(json.dumps({**record, **changes}))

    return change


def linked(out: Path) -> None:
    (out / "statistics.csv").rename(out.parent / "elsewhere.csv")
    (out / "statistics.csv").symlink_to(out.parent / "elsewhere.csv")


SECRETS: dict[str, tuple[Callable[[Path], object], str]] = {
    "the microdata": (lambda out: (out / "truth.csv").write_text("G,SEX\nA,F\n"), "truth.csv must not be published"),
    "the certificate": (lambda out: (out / "certificate.json").write_text("{}"), "certificate.json must not be published"),
    "a folder": (lambda out: (out / "old").mkdir(), "old must not be published"),
    "a hidden file": (lambda out: (out / ".truth").write_text("2"), ".truth must not be published"),
    "a withheld number": (replaced("statistics.csv", "T.AF,T,A,F,,1,,withheld", "T.AF,T,A,F,2,,,"), "should be withheld"),
    "a range of it": (replaced("statistics.csv", "T.AF,T,A,F,,1,,withheld", "T.AF,T,A,F,,1,3,withheld"), "what is left of it"),
    "its count beside its status": (replaced("statistics.csv", "A,F,,1,,withheld", "A,F,2,,,withheld"), "expected either"),
    "a number in its name": (replaced("statistics.csv", "T.AF,", "T.AF is 2,"), "was expected"),
    "another number": (replaced("statistics.csv", "T.BF,T,B,F,19", "T.BF,T,B,F,20"), "what is left of it"),
    "a number less": (replaced("statistics.csv", "T.all,T,,,100,,,\n", ""), "are left by"),
    "one more": (replaced("statistics.csv", "T.all,T,,,100,,,\n", "T.all,T,,,100,,,\nT.x,T,A,F,2,,,\n"), "are left by"),
    "a column more": (replaced("statistics.csv", "name,", "name,truth,"), "expected columns"),
    "a word about a value": (replaced("domain.json", "clinic A", "clinic A, 2 women"), "columns differs"),
    "a word about a column": (replaced("domain.json", '"sex"', '"sex (2 women in A)"'), "labels differs"),
    "another noun": (replaced("domain.json", "patient", "record"), "record differs"),
    "another group": (replaced("domain.json", '"first"', '"two women"'), "groups differs"),
    "a key more": (replaced("domain.json", '"record"', '"truth": 2, "record"'), "expected an object"),
    "a rule": (lambda out: (out / "rules.csv").write_text("G,SEX\nA,F\n"), "a figure or a rule"),
    "a name of a rule": (lambda out: (out / "rules.csv").write_text("name,G,SEX\nA has 2 women,A,F\n"), "none of the release"),
    "an assumption": (lambda out: (out / "assumptions.txt").write_text("A has 2 women.\n"), "assumptions.txt differs"),
    "no assumption": (lambda out: (out / "assumptions.txt").unlink(), "assumptions.txt differs"),
    "a record that says more": (recorded(truth={"T.AF": 2}), "expected an object"),
    "another cost": (recorded(cost=3), "cost is not what follows"),
    "another bound": (recorded(lower_bound=0), "lower_bound is not what follows"),
    "not the smallest": (recorded(optimal=1), "optimal is not what follows"),
    "names that are not withheld": (recorded(withheld=["T.AF"]), "withheld is not what follows"),
    "another attacker": (recorded(attacker="linear"), "attacker is not what follows"),
    "another policy": (recorded(policy={"primary": "1..2"}), "policy is not that of"),
    "a breach": (recorded(after=1), "after is not what follows"),
    "no record": (lambda out: (out / "protect.json").unlink(), "protect.json is missing"),
    "a link": (linked, "statistics.csv is a link"),
    "numbers that are none": (replaced("domain.json", '"record"', '"numbers": {"SEX": ["2"]}, "record"'), "expected numbers"),
    "no numbers": (lambda out: (out / "statistics.csv").unlink(), "statistics.csv is missing"),
}


@pytest.mark.parametrize("secret", SECRETS)
def test_what_does_not_belong_there_is_found(folder: Path, secret: str) -> None:
    change, why = SECRETS[secret]
    change(folder / "out")
    result = judged(folder)
    assert result.exit_code == 1, result.output
    assert why in " ".join(result.output.split())


@pytest.mark.parametrize("end", ["\u2028", "\x0b", "\x1c", "\x85"])
def test_words_about_a_rule_do_not_hide_behind_an_end_of_line(tmp_path: Path, end: str) -> None:
    """Of the header `G,SEX<end>,name` the last column would not be seen by whoever takes <end> for the end of the line."""
    domain = Domain.of({"G": list("ABCDZ"), "SEX": ["F", "M"]})
    Release(domain, CLINICS.statistics, [Predicate.of({"G": "Z", "SEX": "F"})]).write(tmp_path / "release")
    (tmp_path / "policy.toml").write_text('primary = "1..3"\nknow = ["zeros-shown"]\n')
    names = {"--policy": "policy.toml", "--out": "out", "--proofs": "certificate.json"}
    options = [word for name, file in names.items() for word in (name, str(tmp_path / file))]
    assert runner.invoke(app, ["protect", str(tmp_path / "release"), *options]).exit_code == 0
    assert judged(tmp_path).exit_code == 0
    (tmp_path / "out" / "rules.csv").write_text(f"G,SEX{end},name\nZ,F,A has 2 women\n", "utf-8")
    result = judged(tmp_path)
    assert result.exit_code == 1, result.output
    assert "none of the release" in " ".join(result.output.split())


def test_the_folder_of_a_rejected_certificate_says_nothing(folder: Path) -> None:
    text = (folder / "certificate.json").read_text("utf-8")
    (folder / "certificate.json").write_text(text.replace('"cost":4', '"cost":5'))
    result = judged(folder)
    assert result.exit_code == 1
    assert "holds exactly that" not in result.output


def test_another_policy_than_the_one_asked_for(folder: Path) -> None:
    (folder / "other.toml").write_text('primary = "1..3"\nmin_width = 3\nknow = ["zeros-shown"]\n')
    assert judged(folder, "--policy", str(folder / "other.toml")).exit_code == 1
    (folder / "less.toml").write_text('primary = "1..3"\n')  # what is known besides may have come from --know; it is printed
    assert judged(folder, "--policy", str(folder / "less.toml")).exit_code == 0


def test_options_for_certificates_only(folder: Path) -> None:
    release, proofs = str(folder / "release"), str(folder / "proofs.json")
    assert runner.invoke(app, ["audit", release, "--out", str(folder / "c.csv"), "--proofs", proofs]).exit_code == 0
    assert runner.invoke(app, ["check", release, proofs, "--protected", str(folder / "out")]).exit_code == 2
    assert runner.invoke(app, ["check", str(folder), str(folder), "--protected", str(folder / "out")]).exit_code == 2
    assert runner.invoke(app, ["check", release, str(folder / "certificate.json"), "--protected", "nowhere"]).exit_code == 1


POLICIES = [
    Policy(1, 2),
    Policy(2, 3),
    Policy(attribute=("SEX",)),
    Policy(primary=Primary(1, 1)),
    Policy(primary=Primary(1, 2), min_width=3, know=Knowledge(zeros_shown=True)),
]


@pytest.mark.slow
@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(measured(), st.sampled_from(POLICIES), st.data())
def test_whatever_protect_writes_is_accepted(release: Release, policy: Policy, data: st.DataObject) -> None:
    """Cells and tables, rounding and merging, costs and names of all kinds; the folder as it is read back."""
    pairs = [("AGE", one, other) for one, other in pairwise(("1", "2", "4"))]
    asked: Json = {
        "by": data.draw(st.sampled_from(["cell", "table"])),
        "round_to": data.draw(st.sampled_from([(), (3,), (2, 5)])),
        "merge": data.draw(st.lists(st.sampled_from(pairs), max_size=2, unique=True)),
        "costs": data.draw(st.sampled_from(["one", "size", {"T.1": 2, "U2": 5, "AGE=1 with 2": 3, "T": 4}])),
        "withhold": data.draw(st.booleans()),
        "groups": data.draw(st.sampled_from(["published", "none"])),
    }
    try:
        found = protect(release, policy, keep=["limit"], proofs=True, **asked)
    except InputError as error:
        if "tells more about cells that are withheld already" not in str(error):  # the one thing that has no certificate
            raise
        reject()
    assume(found.release is not None)
    with TemporaryDirectory() as place:
        release.write(Path(place) / "release")
        write_protection(found, Path(place) / "out")
        again = json.loads(json.dumps(found.certificate))
        for source in (release, Path(place) / "release"):
            result = check(source, again, protected=Path(place) / "out")
            assert result.rejected == []
            # explanations that hold for some choices only are left out of certificates; then the bound has no proof, which is said
            assert result.reason in ("", "that no cheaper choice meets all explanations: a solver says so")
