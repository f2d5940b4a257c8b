"""The checker reads releases by itself: the same release as the package reads, and stricter where anything is odd."""

from __future__ import annotations

import ast
import json
import os
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

import foregone.checker
from foregone import Dataset, Domain, Figure, Measure, Predicate, Release, Statistic, audit, check, proofs
from foregone.checker import PlainRelease as Rows
from foregone.checker import Refused, read_json, read_release, release_of
from foregone.checker.encode.release import families
from foregone.checker.read.values import bits
from foregone.checker.verdicts.explained import nameable
from foregone.cli.app import app
from foregone.engine import write_proofs
from foregone.questions.check import plain
from tests.strategies import measured_releases, releases


def test_the_checker_imports_the_standard_library_and_itself_alone() -> None:
    folder = Path(foregone.checker.__file__).parent
    for path in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            for name in names:
                own = name == "foregone.checker" or name.startswith("foregone.checker.")
                assert own or name.partition(".")[0] in sys.stdlib_module_names, (path.name, name)


@settings(max_examples=40, deadline=None)
@given(pair=st.one_of(releases(), measured_releases()))
def test_folders_json_and_memory_are_read_alike(tmp_path_factory: pytest.TempPathFactory, pair: tuple[Release, Dataset]) -> None:
    release, _ = pair
    folder = tmp_path_factory.mktemp("releases")
    release.write(folder / "release")
    release.write(folder / "release.json")
    read = [read_release(folder / "release"), read_release(folder / "release.json"), release_of(plain(release))]
    kept = [made._replace(domain=made.domain._replace(work=read[0].domain.work)) for made in read]
    assert kept[0] == kept[1] == kept[2]
    assert {made.fingerprint for made in read} == {release.fingerprint()}
    assert len(read[0].statistics) == release.workload.limited
    assert len(read[0].eithers) == len(release.workload.alternatives)
    for statistic, masks, low, high in zip(read[0].statistics, release.masks, release.low, release.high, strict=False):
        assert statistic == (((1, tuple(sorted(masks.items()))),), low, high)
    assert read[0].rules == tuple(tuple(sorted(masks.items())) for masks in release.rule_masks)


def test_cells_made_safe_for_spreadsheets_are_read_as_they_were(tmp_path: Path) -> None:
    codes = ["=1+1", "-1", "+5", "-1-1", "'=x", "''=x", "'s", "@me", "'-1", "-", "1e5", "plain"]
    domain = Domain.of({"=A": codes, "B": ["-x", "y"]})
    numbers = [Statistic.exact(Predicate.of({"=A": code, "B": "-x"}), i) for i, code in enumerate(codes)]
    numbers.append(Statistic(Predicate.of({"=A": codes[:3]}), 0, 100))
    release = Release(domain, [*numbers, Statistic.exact(Predicate(), 100)], [Predicate.of({"=A": ["=1+1", "plain"], "B": "y"})])
    release.write(tmp_path / "release")
    assert Release.read(tmp_path / "release") == release
    assert read_release(tmp_path / "release").fingerprint == release.fingerprint()


def test_a_weighted_sum_is_read_from_plain_data() -> None:
    content: dict[str, Any] = {"columns": {"SEX": ["F", "M"]}, "statistics": [{"where": {}, "count": 3}]}
    content["statistics"].append({"terms": [[2, {"SEX": "F"}], [-1, {}]], "low": None, "high": 5})
    made = release_of(content)
    assert made.statistics[1] == (((2, ((0, 1),)), (-1, ())), None, 5)
    del content["statistics"][1]["low"]  # nothing says that a sum is not negative
    assert release_of(content).statistics[1].low is None
    assert made.fingerprint != release_of({**content, "statistics": content["statistics"][:1]}).fingerprint


def test_a_set_of_codes_is_a_set() -> None:
    assert bits([3, 0, 3, 3]) == 0b1001


GOOD: dict[str, Any] = {
    "columns": {"SEX": ["F", "M"], "AGE": {"0": "young", "1": "old"}},
    "labels": {"SEX": "sex"},
    "record": "person",
    "statistics": [{"where": {"SEX": ["F"]}, "count": 1, "name": "women", "table": "T"}, {"low": 0, "high": None}],
    "rules": [{"AGE": ["0"], "SEX": ["M"]}],
}
BAD: dict[str, Any] = {
    "unknown key": {**GOOD, "rule": []},
    "unknown key of a statistic": {**GOOD, "statistics": [{"wher": {"SEX": ["F"]}, "count": 1}]},
    "unknown column": {**GOOD, "statistics": [{"where": {"SEXX": ["F"]}, "count": 1}]},
    "unknown code": {**GOOD, "statistics": [{"where": {"SEX": ["X"]}, "count": 1}]},
    "code twice": {**GOOD, "statistics": [{"where": {"SEX": ["F", "F"]}, "count": 1}]},
    "no code": {**GOOD, "statistics": [{"where": {"SEX": []}, "count": 1}]},
    "codes as a number": {**GOOD, "statistics": [{"where": {"SEX": 1}, "count": 1}]},
    "where as a list": {**GOOD, "statistics": [{"where": [], "count": 1}]},
    "true for a count": {**GOOD, "statistics": [{"count": True}]},
    "float": {**GOOD, "statistics": [{"count": 1.0}]},
    "negative": {**GOOD, "statistics": [{"count": -1}]},
    "text": {**GOOD, "statistics": [{"count": "1"}]},
    "null": {**GOOD, "statistics": [{"count": None}]},
    "no number": {**GOOD, "statistics": [{"where": {}}]},
    "count and low": {**GOOD, "statistics": [{"count": 1, "low": 1}]},
    "huge": {**GOOD, "statistics": [{"count": 10**101}]},
    "low that is null": {**GOOD, "statistics": [{"low": None, "high": 3}]},
    "where and terms": {**GOOD, "statistics": [{"where": {}, "terms": [], "count": 3}]},
    "weight that is no number": {**GOOD, "statistics": [{"terms": [["1", {}]], "count": 3}]},
    "statistics missing": {"columns": GOOD["columns"]},
    "statistics an object": {**GOOD, "statistics": {}},
    "rules an object": {**GOOD, "rules": {}},
    "rule with a text": {**GOOD, "rules": ["M"]},
    "no columns": {**GOOD, "columns": {}},
    "columns a list": {**GOOD, "columns": ["SEX"]},
    "codes listed twice": {**GOOD, "columns": {"SEX": ["F", "F"]}},
    "code with a bar": {**GOOD, "columns": {"SEX": ["F|M", "F"]}},
    "code with a blank": {**GOOD, "columns": {"SEX": [" F"]}},
    "code that is a number": {**GOOD, "columns": {"SEX": [1, 2]}},
    "reserved name": {**GOOD, "columns": {"count": ["F"]}},
    "empty column": {**GOOD, "columns": {"SEX": []}},
    "too many codes": {**GOOD, "columns": {"SEX": [str(i) for i in range(30_001)]}},
    "a list": [],
    "a text": "release",
}


def test_the_good_one_is_read() -> None:
    assert len(release_of(GOOD).statistics) == 2


@pytest.mark.parametrize("name", BAD)
def test_odd_json_is_refused(name: str, tmp_path: Path) -> None:
    path = tmp_path / "release.json"
    path.write_text(json.dumps(BAD[name]))
    with pytest.raises(Refused) as refused:
        read_release(path)
    assert str(path) in str(refused.value)
    assert str(refused.value).isprintable()


def folder(tmp_path: Path, **files: str) -> Path:
    made = tmp_path / "release"
    made.mkdir()
    texts = {"domain.json": '{"columns": {"SEX": ["F", "M"]}}', "statistics.csv": "name,SEX,count\nwomen,F,1\nmen,M,2\n"}
    texts |= {name.replace("_", "."): text for name, text in files.items()}
    for name, text in texts.items():
        (made / name).write_text(text)
    return made


@pytest.mark.parametrize(
    ("files", "reason"),
    [
        ({"statistics_csv": "SEX,SEX,count\nF,F,1\n"}, "row 1"),
        ({"statistics_csv": "SEKS,count\nF,1\n"}, "row 1"),
        ({"statistics_csv": "SEX,count\nF\n"}, "row 2"),
        ({"statistics_csv": "SEX,count\nX,1\n"}, "statistic 1"),
        ({"statistics_csv": "SEX,count\nF|F,1\n"}, "named twice"),
        ({"statistics_csv": "SEX,count\nF,-1\n"}, "row 2"),
        ({"statistics_csv": "SEX,count\nF,1.5\n"}, "row 2"),
        ({"statistics_csv": "SEX,count\nF," + "9" * 31 + "\n"}, "row 2"),
        ({"statistics_csv": "SEX,count\nF,\u0661\n"}, "row 2"),
        ({"statistics_csv": "SEX,count,low\nF,1,1\n"}, "either 'count'"),
        ({"statistics_csv": 'SEX,count\n"F,1\n'}, "not valid CSV"),
        ({"statistics_csv": "SEX,count\nF,\n"}, "either 'count'"),
        ({"domain_json": '{"columns": {"SEX": ["F", "M"]}, "columns": {"SEX": ["F"]}}'}, "twice"),
        ({"domain_json": '{"columns": {"SEX": ["F", "M"]}, "statistics": []}'}, "expected an object"),
        ({"domain_json": '{"columns": '}, "not JSON"),
        ({"domain_json": "[" * 100_000}, "not JSON"),
        ({"domain_json": "NaN"}, "NaN is not a number of JSON"),
        ({"rules_csv": "SEX,count\nF,1\n"}, "rules.csv, row 1"),
        ({"rules_csv": "SEX\nQ\n"}, "rule 1"),
    ],
)
def test_odd_folders_are_refused(files: dict[str, str], reason: str, tmp_path: Path) -> None:
    with pytest.raises(Refused, match=r".") as refused:
        read_release(folder(tmp_path, **files))
    assert reason in str(refused.value)


def test_counts_as_people_write_them(tmp_path: Path) -> None:
    text = "SEX,low,high,count\nF,1,,\nM,,3,\n F | M ,,,2.0\n"
    made = read_release(folder(tmp_path, statistics_csv=text))
    assert [(s.low, s.high) for s in made.statistics] == [(1, None), (0, 3), (2, 2)]
    assert made.statistics[2].about == ((1, ()),)


def test_links_pipes_and_parquet(tmp_path: Path) -> None:
    made = folder(tmp_path)
    assert read_release(made).rules == ()
    (made / "rules.csv").symlink_to("nowhere.csv")
    with pytest.raises(Refused, match=r"rules\.csv: there is no such file"):
        read_release(made)
    os.mkfifo(tmp_path / "pipe.json")
    with pytest.raises(Refused, match="there is no such file"):
        read_json(tmp_path / "pipe.json")
    with pytest.raises(Refused, match=r"Release\.read\(\.\.\.\)\.write"):
        read_release(tmp_path / "release.parquet")
    with pytest.raises(Refused, match=r"there is no such folder or \.json file"):
        read_release(tmp_path / ("x" * 5000))


def written(tmp_path: Path) -> tuple[Rows, Path, Path]:
    made = folder(tmp_path)
    write_proofs(audit(Release.read(made)), tmp_path / "proofs.json")
    return read_release(made), made, tmp_path / "proofs.json"


def run(*arguments: object) -> tuple[int, str]:
    ended = CliRunner().invoke(app, ["check", *map(str, arguments)])
    return ended.exit_code, ended.output


def test_exit_statuses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, made, proofs = written(tmp_path)
    assert run(made, proofs, "--complete")[0] == 0
    monkeypatch.setattr("foregone.checker.verdicts.datasets.MOST_STEPS", 0)
    status, text = run(made, proofs, "--complete")
    assert (status, "Not shown to be complete" in text) == (3, True)
    (made / "statistics.csv").write_text("name,SEX,count\nwomen,F,1\nmen,M,3\n")
    status, text = run(made, proofs)
    assert status == 1
    assert "fingerprints differ" in text
    (made / "statistics.csv").write_text("name,SEX,count\nwomen,F,one\n")
    assert run(made, proofs)[0] == 2
    assert run(made, tmp_path / "nothing.json")[0] == 2


def test_the_command_reads_with_the_checkers_own_eyes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, made, proofs = written(tmp_path)

    def blind(*_: Any) -> Any:
        raise AssertionError("the package's own reader was asked")

    monkeypatch.setattr("foregone.formats.folder.read_release", blind)
    monkeypatch.setattr("foregone.model.predicate.Predicate.masks", blind)
    assert run(made, proofs, "--complete")[0] == 0


def test_a_path_will_do_in_python(tmp_path: Path) -> None:
    _, made, proofs = written(tmp_path)
    assert check(made, json.loads(proofs.read_text()), complete=True).complete is True


def test_keys_given_twice_in_proofs_are_refused(tmp_path: Path) -> None:
    _, made, proofs = written(tmp_path)
    proofs.write_text('{"facts": [], ' + proofs.read_text()[1:])
    status, text = run(made, proofs)
    assert status == 2
    assert "twice" in text


def test_more_rows_than_are_kept_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for page in ("encode.release", "read.files"):
        monkeypatch.setattr(f"foregone.checker.{page}.MOST_ENTRIES", 10)
    (tmp_path / "domain.json").write_text('{"columns": {"SEX": ["F", "M"]}}')
    for number, read in ((10, True), (11, False), (1000, False)):
        (tmp_path / "statistics.csv").write_text("count\n" + "1\n" * number)
        if read:
            assert len(read_release(tmp_path).statistics) == number
        else:
            with pytest.raises(Refused, match="too many for this checker"):
                read_release(tmp_path)
    with pytest.raises(Refused, match="too many for this checker"):
        release_of({"columns": {"SEX": ["F"]}, "statistics": [], "rules": [{"SEX": "F"}] * 11})


def test_a_rule_that_names_no_column_is_a_mistake(tmp_path: Path) -> None:
    """As a rule it would make 0 records certain wherever a range allows them."""
    (tmp_path / "domain.json").write_text('{"columns": {"SEX": ["F", "M"]}}')
    (tmp_path / "statistics.csv").write_text("SEX,low,high\nF,0,4\n")
    (tmp_path / "rules.csv").write_text("name,SEX\nstray,\n")
    with pytest.raises(Refused, match="rule 1: names no column"):
        read_release(tmp_path)
    with pytest.raises(Refused, match="rule 2: names no column"):
        release_of({"columns": {"SEX": ["F"]}, "statistics": [], "rules": [{"SEX": "F"}, {}]})


def test_what_one_figure_says_is_no_count_that_another_one_is_taken_of(tmp_path: Path) -> None:
    """Nobody is 2, says a percentage; a mean of those who are 2, which is withheld, is still one of a number that no row shows."""
    where = Predicate.of({"X": "2"})
    figures = [Figure.exact(Measure.PERCENT, "", where, 0), Figure(Measure.MEAN, "X", where, None, Fraction(2), withheld=True)]
    release = Release(Domain.of({"X": ["1", "2"]}), [Statistic(Predicate(), 1, 3)], figures=figures)
    assert release_of(plain(release)).fingerprint == release.fingerprint()
    release.write(tmp_path / "release")
    result = check(tmp_path / "release", proofs(audit(release)), complete=True)
    assert (result.rejected, result.complete) == ([], True)


@pytest.mark.parametrize("code", ["1/2", "1,200", "one", "1e3", "1.", "\u0661"])
def test_a_code_that_only_looks_like_a_number_is_none(code: str) -> None:
    rows = [{"where": {}, "count": 2}, {"measure": "sum", "of": "X", "value": "3"}]
    content = {"columns": {"X": ["1", code]}, "statistics": rows}
    with pytest.raises(Refused, match="is not a number"):
        release_of(content)
    assert release_of({**content, "numbers": {"X": {code: "1/2"}}}).statistics[1][1:] == (5, 7)


def test_fractions_without_a_common_denominator_are_refused_before_they_are_multiplied() -> None:
    numbers = {str(i): f"1/{10**39 + i}" for i in range(400)}
    rows = [{"where": {}, "count": 2}, {"measure": "sum", "of": "X", "value": "3"}]
    with pytest.raises(Refused, match="common denominator"):
        release_of({"columns": {"X": list(numbers)}, "numbers": {"X": numbers}, "statistics": rows})


def test_medians_are_work(monkeypatch: pytest.MonkeyPatch) -> None:
    median = {"measure": "median", "of": "X", "value": "30"}
    content = {"columns": {"X": [str(i) for i in range(60)]}, "statistics": [{"where": {}, "low": 1}, *[median] * 40]}
    release_of(content)
    monkeypatch.setattr("foregone.checker.read.refusal.MOST_WORK", 4000 * 60 * 60 * 20)
    with pytest.raises(Refused, match="more work"):
        release_of(content)


def test_families_hold_groups_and_what_they_share(monkeypatch: pytest.MonkeyPatch) -> None:
    """Single codes are no groups, however many there are; groups are counted before they are compared."""
    codes = [str(i) for i in range(8)]
    single = [{"where": {"X": [code]}, "count": 1} for code in codes]
    groups = [{"where": {"X": codes[i : i + 5]}, "count": 5} for i in range(3)]
    release = release_of({"columns": {"X": codes}, "statistics": [*single, *groups]})
    expected = {0b11111, 0b111110, 0b1111100, 0b11110, 0b111100, 0b11100}
    assert families(release) == [sorted(expected)]
    every = range(1, 1 << len(codes))
    assert {mask for mask in every if nameable(release, ((0, mask),), True)} == expected | {1 << i for i in range(8)}
    assert not any(nameable(release, ((0, mask),), False) for mask in expected)
    monkeypatch.setattr("foregone.checker.encode.release.MOST_SETS", 4)
    assert families(release) is None
    assert families(release_of({"columns": {"X": codes}, "statistics": single})) == [[]]
    monkeypatch.setattr("foregone.checker.encode.release.MOST_SETS", 2)
    assert families(release) is None


@pytest.mark.parametrize("digits", ['"33.5"', "33.5", "33.50", "1e3", "0.12345678901234567890"])
def test_numbers_in_json_have_the_decimals_that_are_printed(digits: str, tmp_path: Path) -> None:
    """1e3 would become 1000.0, which says that the sum is known to a tenth; and 33.50 would become 33.5, which says less."""
    rows = f'[{{"where": {{}}, "count": 9}}, {{"where": {{}}, "measure": "sum", "of": "X", "value": {digits}}}]'
    file = tmp_path / "release.json"
    file.write_text(f'{{"columns": {{"X": ["1", "2.75"]}}, "statistics": {rows}}}')
    if digits.startswith('"'):
        assert read_release(file).statistics[1][1:] == (134, 134)  # in quarters
        return
    with pytest.raises(Refused, match="as it is printed; write it as a text"):
        read_release(file)
