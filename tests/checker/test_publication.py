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

from foregone import (
    ContradictionError,
    Domain,
    Figure,
    InputError,
    Knowledge,
    Measure,
    Policy,
    Predicate,
    Primary,
    Release,
    Statistic,
    check,
    protect,
)
from foregone.checker import read_content
from foregone.checker.read.policy import read_policy
from foregone.checker.verdicts.protection import check_protection
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


def judged(folder: Path) -> str:
    """What is wrong with the folder that is to be published."""
    document = json.loads((folder / "certificate.json").read_text("utf-8"))
    return "; ".join(check(folder / "release", document, protected=folder / "out").rejected)


def test_the_folder_is_accepted(folder: Path) -> None:
    assert judged(folder) == ""
    assert sorted(path.name for path in (folder / "out").iterdir()) == ["assumptions.txt", "domain.json", "statistics.csv"]


def replaced(file: str, old: str, new: str) -> Callable[[Path], object]:
    def change(out: Path) -> None:
        text = (out / file).read_text("utf-8")
        assert old in text
        (out / file).write_text(text.replace(old, new, 1), "utf-8")

    return change


def linked(out: Path) -> None:
    (out / "statistics.csv").rename(out.parent / "elsewhere.csv")
    (out / "statistics.csv").symlink_to(out.parent / "elsewhere.csv")


PLACES = "name,file,sheet,row,column,shown\n"
AF = "T.AF,T,A,F,,1,,withheld,[c]"
SECRETS: dict[str, tuple[Callable[[Path], object], str]] = {
    "the microdata": (lambda out: (out / "truth.csv").write_text("G,SEX\nA,F\n"), "truth.csv must not be published"),
    "the certificate": (lambda out: (out / "certificate.json").write_text("{}"), "certificate.json must not be published"),
    "a folder": (lambda out: (out / "old").mkdir(), "old must not be published"),
    "a hidden file": (lambda out: (out / ".truth").write_text("2"), ".truth must not be published"),
    "a withheld number": (replaced("statistics.csv", AF, "T.AF,T,A,F,2,,,,"), "should be withheld"),
    "a range of it": (replaced("statistics.csv", AF, "T.AF,T,A,F,,1,3,withheld,[c]"), "what is left of it"),
    "its count beside its status": (replaced("statistics.csv", AF, "T.AF,T,A,F,2,,,withheld,"), "expected either"),
    "a number in its name": (replaced("statistics.csv", "T.AF,", "T.AF is 2,"), "was expected"),
    "another number": (replaced("statistics.csv", "T.BF,T,B,F,19", "T.BF,T,B,F,20"), "what is left of it"),
    "a number less": (replaced("statistics.csv", "T.all,T,,,100,,,,\n", ""), "are left by"),
    "one more": (replaced("statistics.csv", "T.all,T,,,100,,,,\n", "T.all,T,,,100,,,,\nT.x,T,A,F,2,,,,\n"), "are left by"),
    "a column more": (replaced("statistics.csv", "name,", "name,truth,"), "expected columns"),
    "a word about a value": (replaced("domain.json", "clinic A", "clinic A, 2 women"), "columns differs"),
    "a word about a column": (replaced("domain.json", '"sex"', '"sex (2 women in A)"'), "labels differs"),
    "another noun": (replaced("domain.json", "patient", "record"), "record differs"),
    "another group": (replaced("domain.json", '"first"', '"two women"'), "groups differs"),
    "a key more": (replaced("domain.json", '"record"', '"truth": 2, "record"'), "expected an object"),
    "a rule": (lambda out: (out / "rules.csv").write_text("G,SEX\nA,F\n"), "a figure or a rule"),
    "a name of a rule": (lambda out: (out / "rules.csv").write_text("name,G,SEX\nA has 2 women,A,F\n"), "none of the release"),
    "an assumption": (lambda out: (out / "assumptions.txt").write_text("A has 2 women.\n"), "does not say"),
    "why it was done": (lambda out: (out / "protect.json").write_text("{}"), "protect.json must not be published"),
    "another mark": (replaced("statistics.csv", AF, AF.replace("[c]", "2")), "should be withheld"),
    "no mark": (replaced("statistics.csv", AF, AF.replace("[c]", "")), "should be withheld"),
    "a mark that means something else": (replaced("domain.json", '"1.."', '"1..3"'), "marks are not those"),
    "one more mark": (replaced("domain.json", '"[c]"', '"two women in A": "2", "[c]"'), "marks are not those"),
    "a mark in place of a number": (replaced("statistics.csv", "T.BF,T,B,F,19,,,,", "T.BF,T,B,F,,19,19,,[c]"), "should be shown"),
    "where numbers stand": (lambda out: (out / "places.csv").write_text(PLACES), "places.csv differs"),
    "a link": (linked, "statistics.csv is a link"),
    "numbers that are none": (replaced("domain.json", '"record"', '"numbers": {"SEX": ["2"]}, "record"'), "expected numbers"),
    "no numbers": (lambda out: (out / "statistics.csv").unlink(), "statistics.csv is missing"),
}


@pytest.mark.parametrize("secret", SECRETS)
def test_what_does_not_belong_there_is_found(folder: Path, secret: str) -> None:
    change, why = SECRETS[secret]
    change(folder / "out")
    assert why in judged(folder)


@pytest.mark.parametrize("end", ["\u2028", "\x0b", "\x1c", "\x85"])
def test_words_about_a_rule_do_not_hide_behind_an_end_of_line(tmp_path: Path, end: str) -> None:
    """Of the header `G,SEX<end>,name` the last column would not be seen by whoever takes <end> for the end of the line."""
    domain = Domain.of({"G": list("ABCDZ"), "SEX": ["F", "M"]})
    Release(domain, CLINICS.statistics, [Predicate.of({"G": "Z", "SEX": "F"})]).write(tmp_path / "release")
    (tmp_path / "policy.toml").write_text('primary = "1..3"\nknow = ["zeros-shown"]\n')
    names = {"--policy": "policy.toml", "--out": "out", "--proofs": "certificate.json"}
    options = [word for name, file in names.items() for word in (name, str(tmp_path / file))]
    assert runner.invoke(app, ["protect", str(tmp_path / "release"), *options]).exit_code == 0
    assert judged(tmp_path) == ""
    (tmp_path / "out" / "rules.csv").write_text(f"G,SEX{end},name\nZ,F,A has 2 women\n", "utf-8")
    assert "none of the release" in judged(tmp_path)


def test_the_folder_of_a_rejected_certificate_says_nothing(folder: Path) -> None:
    text = (folder / "certificate.json").read_text("utf-8")
    (folder / "certificate.json").write_text(text.replace('"lower_bound":4', '"lower_bound":3'))
    assert "the digest does not fit; the certificate was not accepted" in judged(folder)


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        ("T.AF,t.csv,,2,B,\n", ""),
        ("T.AF,t.csv,,2,B,2\n", "says what stood there"),
        ("T.AF,dir/t.csv,,2,B,\n", "no place of the original"),
        ("T.AF,t.csv,,2,B,\nT.AF,t.csv,,2,B,\n", "row 3"),  # twice, as if to say 2
        ("T.AF,t.csv,2 women,2,B,\n", "no place of the original"),
        ("\nT.AF,t.csv,,2,B,\n", "row 2"),
        ('"T.AF,t.csv,,2,B,\n', "not valid CSV"),
        ("x" * 200_000 + ",t.csv,,2,B,\n", "not valid CSV"),
    ],
)
def test_places_are_those_of_the_original_without_what_stood_there(folder: Path, rows: str, why: str) -> None:
    (folder / "release" / "places.csv").write_text(PLACES + "T.AF,dir/t.csv,,2,B,2\nT.BF,dir/t.csv,,3,B,19\n")
    (folder / "out" / "places.csv").write_text(PLACES + rows)
    assert judged(folder) == "" if not why else why in judged(folder)


def test_a_figure_that_is_withheld_is_still_the_same_figure(tmp_path: Path) -> None:
    """Nothing is known of its value, so another figure in its place would say as much."""
    domain = Domain.of({"A": ["1", "2"]}, numbers={"A": {"1": 1, "2": 2}})
    figures = [Figure.exact(Measure.SUM, "A", Predicate(), 3, "S.1"), Figure.exact(Measure.MEAN, "A", Predicate(), 1, "S.2")]
    release = Release(domain, [Statistic(Predicate(), 0, 5, "limit")], figures=figures)
    release.write(tmp_path / "release")
    found = protect(release, Policy(singled_out_columns=1, smallest_group=9), keep=["limit"], proofs=True)
    assert found.release is not None
    document = json.loads(json.dumps(found.certificate))
    assert document["taken"] == [0]
    write_protection(found, tmp_path / "out")
    assert check(tmp_path / "release", document, protected=tmp_path / "out").rejected == []
    text = (tmp_path / "out" / "statistics.csv").read_text("utf-8")
    assert "sum" in text
    (tmp_path / "out" / "statistics.csv").write_text(text.replace("sum", "mean"), "utf-8")
    assert "another figure" in check(tmp_path / "release", document, protected=tmp_path / "out").rejected[0]


def test_another_policy_than_the_one_asked_for(folder: Path) -> None:
    """The checker reads the file itself."""
    content = read_content(folder / "release")
    document = json.loads((folder / "certificate.json").read_text("utf-8"))
    case = check_protection(content, document).case
    assert case is not None
    assert read_policy(case.release.domain, folder / "policy.toml") == case.policy
    (folder / "other.toml").write_text('primary = "1..3"\nmin_width = 3\nknow = ["zeros-shown"]\n')
    assert read_policy(case.release.domain, folder / "other.toml") != case.policy


def test_options_for_certificates_only(folder: Path) -> None:
    release, proofs = str(folder / "release"), str(folder / "proofs.json")
    assert runner.invoke(app, ["audit", release, "--out", str(folder / "c.csv"), "--proofs", proofs]).exit_code == 0
    assert runner.invoke(app, ["check", release, proofs, "--protected", str(folder / "out")]).exit_code == 2
    assert runner.invoke(app, ["check", str(folder), str(folder), "--protected", str(folder / "out")]).exit_code == 2


POLICIES = [
    Policy(1, 2),
    Policy(2, 3),
    Policy(attribute=("SEX",)),
    Policy(2, 2, stars=2),
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
        "marks": data.draw(st.sampled_from(["one", "two"])),
    }
    if isinstance(asked["costs"], dict):
        known = {name for number in release.published for name in (number.label, number.table)}
        known |= {f"{column}={one} with {other}" for column, one, other in asked["merge"]}
        asked["costs"] = {name: cost for name, cost in asked["costs"].items() if name in known} or "one"
    try:
        found = protect(release, policy, keep=["limit"], proofs=True, **asked)
    except ContradictionError:  # with what the policy says is known nothing fits
        reject()
    except InputError as error:
        if not any(why in str(error) for why in ("it is not clear what a reader", "stay shown", "cannot be kept")):
            raise
        reject()
    assume(found.release is not None)
    with TemporaryDirectory() as place:
        release.write(Path(place) / "release")
        write_protection(found, Path(place) / "out")
        again = json.loads(json.dumps(found.certificate))
        for source in (release, Path(place) / "release"):
            result = check(source, again, protected=Path(place) / "out")
            assert (result.rejected, result.reason) == ([], "")
