"""Bad input through the command line: exit 2, one line per problem that names the place, nothing left behind."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.cli.commands import DOMAIN, Ran, left_behind, run, run_process, write_release

Words = Sequence[str]


def refused(tmp_path: Path, arguments: Sequence[object], *lines: Words, run_: Callable[..., Ran] = run) -> Ran:
    """The command fails with exactly these problems, each a line that holds all of its words, and writes nothing."""
    before = set(tmp_path.rglob("*"))
    ran = run_(*arguments)
    assert ran.status == 2, ran
    assert len(ran.problems) == len(lines), ran.err
    for problem, words in zip(ran.problems, lines, strict=True):
        assert problem.startswith("error: ")
        for word in words:
            assert word in problem, f"{word!r} is not in {problem!r}"
    assert "Traceback" not in ran.err + ran.out
    assert not left_behind(tmp_path, before)
    return ran


def audit_refused(tmp_path: Path, *lines: Words, **files: str) -> Ran:
    release = write_release(tmp_path / "release", **files)
    return refused(tmp_path, ["audit", release, "--out", tmp_path / "claims.csv"], *lines)


# Files that cannot be read


def test_missing_release(tmp_path: Path) -> None:
    refused(tmp_path, ["audit", tmp_path / "nowhere"], ["nowhere: there is no such folder or file", "domain.json"])


@pytest.mark.parametrize("missing", ["domain.json", "statistics.csv"])
def test_missing_file(tmp_path: Path, missing: str) -> None:
    release = write_release(tmp_path / "release")
    (release / missing).unlink()
    refused(tmp_path, ["audit", release, "--out", tmp_path / "claims.csv"], [f"{missing}: there is no such file", "check the path"])


@pytest.mark.parametrize("name", ["domain.json", "statistics.csv", "rules.csv", "truth.csv"])
@pytest.mark.parametrize("content", [b"", b" \n\n", b"\xef\xbb\xbf"])
def test_empty_file(tmp_path: Path, name: str, content: bytes) -> None:
    release = write_release(tmp_path / "release")
    (release / name).write_bytes(content)
    refused(tmp_path, ["audit", release, "--out", tmp_path / "claims.csv"], [f"{name}: the file is empty"])


def test_folder_where_a_file_was_expected(tmp_path: Path) -> None:
    release = write_release(tmp_path / "release")
    (release / "statistics.csv").unlink()
    (release / "statistics.csv").mkdir()
    refused(tmp_path, ["audit", release], ["statistics.csv: this is a folder"])


def test_file_of_another_kind(tmp_path: Path) -> None:
    (tmp_path / "release.txt").write_text("hello")
    refused(tmp_path, ["audit", tmp_path / "release.txt"], ["release.txt: not a release"])


def test_bad_json(tmp_path: Path) -> None:
    audit_refused(tmp_path, ["domain.json, row 2, character 1", "not valid JSON"], domain='{"columns": \n}')


def test_json_that_is_not_a_domain(tmp_path: Path) -> None:
    audit_refused(tmp_path, ["domain.json: expected", '"columns"'], domain="[1, 2]")


def test_repeated_json_key(tmp_path: Path) -> None:
    audit_refused(tmp_path, ["domain.json: 'SEX' is given more than once"], domain='{"columns": {"SEX": ["F"], "SEX": ["M"]}}')


def test_deeply_nested_json(tmp_path: Path) -> None:
    audit_refused(tmp_path, ["domain.json: nested too deeply"], domain="[" * 100_000)


def test_codes_that_are_not_text(tmp_path: Path) -> None:
    audit_refused(
        tmp_path,
        ["domain.json, column SEX: codes and labels must be strings"],
        ["domain.json, column AGE: expected a list"],
        domain='{"columns": {"SEX": [1, 2], "AGE": 3}}',
    )


def test_domain_problems_all_at_once(tmp_path: Path) -> None:
    audit_refused(
        tmp_path,
        ["domain.json: column SEX: value 'F' is listed more than once"],
        ["domain.json: column AGE: the list of values is empty"],
        ["domain.json: 'SXE' is not a column", "did you mean 'SEX'?"],
        domain='{"columns": {"SEX": ["F", "F"], "AGE": []}, "labels": {"SXE": "sex"}}',
    )


@pytest.mark.parametrize("name", ["count", "low", "high", "name", "table", "columns", "ground", "status"])
def test_column_with_a_reserved_name(tmp_path: Path, name: str) -> None:
    audit_refused(tmp_path, ["domain.json: a column cannot be called", f"'{name}'"], domain=json.dumps({"columns": {name: ["1"]}}))


@pytest.mark.parametrize("name", ["domain.json", "statistics.csv", "rules.csv", "truth.csv"])
def test_not_utf8(tmp_path: Path, name: str) -> None:
    release = write_release(tmp_path / "release")
    (release / name).write_bytes("SEX\nF\nmañana\n".encode("latin-1"))
    refused(tmp_path, ["audit", release], [f"{name}, row 3: byte 0xf1 is not UTF-8", "save the file as UTF-8"])


def test_not_utf8_as_a_process(tmp_path: Path) -> None:
    release = write_release(tmp_path / "release")
    (release / "statistics.csv").write_bytes(b"SEX,count\nF,1\n\xff,2\n")
    arguments = ["audit", release, "--out", tmp_path / "claims.csv"]
    refused(tmp_path, arguments, ["statistics.csv, row 3: byte 0xff"], run_=run_process)


# Columns and values


def test_unknown_column(tmp_path: Path) -> None:
    words = ["statistics.csv, row 1: 'AGR' is not a column", "did you mean 'AGE'?"]
    audit_refused(tmp_path, words, statistics="SEX,AGR,count\n,,5\n")


def test_repeated_column(tmp_path: Path) -> None:
    audit_refused(tmp_path, ["statistics.csv, row 1: column 'SEX' appears twice"], statistics="SEX,SEX,count\n,,5\n")


def test_no_number_column(tmp_path: Path) -> None:
    audit_refused(tmp_path, ["statistics.csv, row 1: neither a 'count' column nor"], statistics="SEX,AGE\nF,15-24\n")


def test_value_outside_the_domain(tmp_path: Path) -> None:
    audit_refused(
        tmp_path,
        ["statistics.csv, row 3, column AGE: '65-75' is not a value of AGE", "15-24, 25-34", "did you mean '65-74'?"],
        statistics="SEX,AGE,count\n,,5\nF,65-75,1\n",
    )


def test_value_outside_the_domain_as_a_process(tmp_path: Path) -> None:
    release = write_release(tmp_path / "release", "SEX,AGE,count\n,,5\nX,,1\n")
    arguments = ["bounds", release, "SEX=F"]
    refused(tmp_path, arguments, ["statistics.csv, row 3, column SEX: 'X' is not a value of SEX (F, M)"], run_=run_process)


def test_value_named_twice(tmp_path: Path) -> None:
    audit_refused(
        tmp_path, ["statistics.csv, row 2, column SEX: a value is named twice in 'F|F'"], statistics="SEX,AGE,count\nF|F,,1\n,,5\n"
    )


# Numbers


@pytest.mark.parametrize(
    ("number", "words"),
    [
        ("-1", ["'-1' is negative"]),
        ("1.5", ["'1.5' is not a whole number"]),
        ("many", ["'many' is not a number"]),
        ("1e3", ["'1e3' is not a number"]),
        ("<x", ["'x' is not a number", "low and high"]),
        ("<0", ["'<0' leaves no count"]),
        ("4-1", ["low 4 is above high 1"]),
        ("1,08", ["'1,08' is not a number"]),
        ("٣", ["'٣' is not a"]),
        ("-", ["'-' is not a number"]),
    ],
)
def test_bad_count(tmp_path: Path, number: str, words: Words) -> None:
    audit_refused(tmp_path, ["statistics.csv, row 3, column count:", *words], statistics=f'SEX,AGE,count\n,,5\nF,,"{number}"\n')


def test_bad_limits(tmp_path: Path) -> None:
    audit_refused(
        tmp_path,
        ["statistics.csv, row 3, column low: '-2' is negative"],
        ["statistics.csv, row 4, column high: '2.5' is not a whole number"],
        ["statistics.csv, row 5: low 3 is above high 2"],
        statistics="SEX,low,high\n,5,5\nF,-2,3\nM,1,2.5\nF,3,2\n",
    )


def test_both_count_and_range(tmp_path: Path) -> None:
    audit_refused(
        tmp_path,
        ["statistics.csv, row 2: both count 5 and low/high 1/blank are given"],
        statistics="SEX,count,low,high\n,5,1,\nF,1,,\n",
    )


def test_neither_count_nor_range(tmp_path: Path) -> None:
    audit_refused(tmp_path, ["statistics.csv, row 3: neither count nor low and high"], statistics="SEX,count\n,5\nF,\n")


def test_count_larger_than_the_number_of_records(tmp_path: Path) -> None:
    audit_refused(
        tmp_path,
        ["statistics.csv, row 3, column count: 6 is larger than the number of records, 5"],
        ["statistics.csv, row 4, column low: 7 is larger than the number of records, 5"],
        statistics="SEX,count,low,high\n,5,,\nF,6,,\nM,,7,9\n",
    )


def test_number_of_records_unbounded(tmp_path: Path) -> None:
    """Nothing need bound the records; what is certain all the same is told."""
    ran = run("audit", write_release(tmp_path / "release", "SEX,count\nF,2\n"))
    assert (ran.status, ran.err) == (0, "")
    assert ran.out.startswith("At least 2 people")
    assert run("audit", write_release(tmp_path / "nothing", "SEX,count\n")).status == 0


# Rows


def test_ragged_row(tmp_path: Path) -> None:
    audit_refused(
        tmp_path,
        ["statistics.csv, row 3: 2 values, but the header has 3 columns"],
        ["statistics.csv, row 5: 4 values, but the header has 3 columns"],
        statistics="SEX,AGE,count\n,,5\nF,1\n\nF,,1,\n",
    )


def test_unclosed_quote(tmp_path: Path) -> None:
    audit_refused(tmp_path, ["statistics.csv, row 3: not valid CSV", "quotes"], statistics='SEX,AGE,count\n,,5\n"F,,1\n')


def test_rule_that_forbids_everything(tmp_path: Path) -> None:
    audit_refused(
        tmp_path,
        ["rules.csv, row 3: no column is filled in, which would forbid every record"],
        rules="SEX,AGE\nF,15-24\n,\n",
    )


def test_rules_with_a_number(tmp_path: Path) -> None:
    audit_refused(tmp_path, ["rules.csv, row 1: 'count' is not a column"], rules="SEX,count\nF,0\n")


def test_problems_of_all_files_at_once(tmp_path: Path) -> None:
    audit_refused(
        tmp_path,
        ["statistics.csv, row 3, column SEX: 'X' is not a value"],
        ["statistics.csv, row 3, column count: '-1' is negative"],
        ["statistics.csv, row 5, column count: '0.5'"],
        ["rules.csv, row 2, column AGE: '5' is not a value"],
        statistics="SEX,AGE,count\n,,5\nX,,-1\nF,,2\nM,,0.5\n",
        rules="AGE\n5\n",
    )


def test_very_many_problems_are_summed_up(tmp_path: Path) -> None:
    rows = "X,1\n" * 100
    ran = run("audit", write_release(tmp_path / "release", f"SEX,count\n,5\n{rows}"))
    assert ran.status == 2
    assert len(ran.problems) == 41
    assert ran.problems[-1] == "error: ... and 60 more problems like these"


# Truth


def test_truth_that_breaks_the_release(tmp_path: Path) -> None:
    audit_refused(
        tmp_path,
        ["truth.csv: N is published as 5 but the data have 1"],
        ["truth.csv: women is published as 2 but the data have 1"],
        ["truth.csv: old is published as 1 but the data have 0"],
        ["truth.csv: old women is published as 1 but the data have 0"],
        truth="SEX,AGE\nF,15-24\n",
    )


def test_truth_that_breaks_a_rule(tmp_path: Path) -> None:
    audit_refused(
        tmp_path,
        ["truth.csv: rule 1 (SEX=F, AGE=15-24) is broken by 1 of the records"],
        truth="SEX,AGE\nF,15-24\n",
        statistics="SEX,count\n,1\n",
        rules="SEX,AGE\nF,15-24\n",
    )


def test_truth_with_wrong_columns_and_values(tmp_path: Path) -> None:
    audit_refused(tmp_path, ["truth.csv, row 1: column AGE is missing"], truth="SEX\nF\n")
    shutil.rmtree(tmp_path / "release")
    audit_refused(tmp_path, ["truth.csv, row 2, column AGE: '7' is not a value of AGE"], truth="SEX,AGE\nF,7\n")


# Claim text


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("SEX", ["cannot read 'SEX'", "COLUMN=value"]),
        ("SEX=", ["cannot read 'SEX='"]),
        ("=F", ["cannot read '=F'"]),
        ("SEX=F,,AGE=15-24", ["'F,' is not a value of SEX"]),
        ("SEX=F|", ["'' is not a value of SEX"]),
        ("SEX=F AGE=15-24", ["'F AGE=15-24' is not a value of SEX"]),
        ("SXE=F", ["'SXE' is not a column", "did you mean 'SEX'?"]),
        ("AGE=15-25", ["'15-25' is not a value of AGE", "did you mean '15-24'?"]),
        ("SEX=F, SEX=M", ["column SEX appears twice", "'|'"]),
        ("SEX==F", ["'=F' is not a value of SEX"]),
    ],
)
@pytest.mark.parametrize("command", ["verify", "bounds"])
def test_malformed_claim(tmp_path: Path, text: str, words: Words, command: str) -> None:
    release = write_release(tmp_path / "release")
    more = ["--count", "1"] if command == "verify" else []
    refused(tmp_path, [command, release, text, *more], ["claim text:", *words])


def test_malformed_claim_all_at_once(tmp_path: Path) -> None:
    release = write_release(tmp_path / "release")
    refused(tmp_path, ["bounds", release, "SEX=X, AGE=9, HAT=1"], ["'X'"], ["'9'"], ["'HAT' is not a column"])


@pytest.mark.parametrize("count", ["-1", "1.5", "one"])
def test_malformed_claimed_count(tmp_path: Path, count: str) -> None:
    release = write_release(tmp_path / "release")
    ran = run("verify", release, "SEX=F", "--count", count)
    assert ran.status == 2
    assert "--count" in ran.err
    assert "Traceback" not in ran.err


# Where to write


@pytest.mark.parametrize("name", ["claims.xlsx", "claims", "claims.CSVX"])
def test_unknown_output_ending(tmp_path: Path, name: str) -> None:
    release = write_release(tmp_path / "release")
    refused(tmp_path, ["audit", release, "--out", tmp_path / name], [name, "use .csv, .parquet or .json"])


def test_output_folder_missing(tmp_path: Path) -> None:
    release = write_release(tmp_path / "release")
    out = tmp_path / "nowhere"
    microdata = tmp_path / "people.csv"
    microdata.write_text("SEX\nF\n")
    refused(tmp_path, ["audit", release, "--out", out / "claims.csv"], ["nowhere: there is no such folder"])
    refused(tmp_path, ["generate", release, "--out", out / "made"], ["nowhere: there is no such folder"])
    for name in ("made", "made.json", "made.parquet"):
        refused(
            tmp_path, ["tabulate", microdata, "--margins", "SEX", "--out", out / name], ["nowhere: there is no such folder"]
        )


def test_output_that_exists_already(tmp_path: Path) -> None:
    release = write_release(tmp_path / "release")
    microdata = tmp_path / "people.csv"
    microdata.write_text("SEX\nF\n")
    taken = tmp_path / "taken"
    taken.mkdir()
    (taken / "precious.txt").write_text("keep me")
    for arguments in (
        ["generate", release, "--out", taken],
        ["tabulate", microdata, "--margins", "SEX", "--out", taken],
        ["generate", release, "--out", microdata],
    ):
        refused(tmp_path, arguments, ["already exists"])
    assert (taken / "precious.txt").read_text() == "keep me"
    refused(tmp_path, ["generate", release, "--out", write_release(tmp_path / "another")], ["already exists"])
    assert microdata.read_text() == "SEX\nF\n"
    folder = tmp_path / "claims.csv"
    folder.mkdir()
    refused(tmp_path, ["audit", release, "--out", folder], ["claims.csv: this is a folder"])


# Microdata


@pytest.mark.parametrize(
    ("text", "margins", "words"),
    [
        ("SEX,AGE\nF,1\n", "SXE", ["margin 'SXE'", "did you mean 'SEX'?"]),
        ("SEX,AGE\nF,1\n", "SEX,SEX", ["margin 'SEX,SEX'", "twice"]),
        ("SEX,AGE\nF,1\n", "", ["margin ''"]),
        ("SEX,AGE\nF,\n", "SEX", ["column AGE, record 1: the value is missing"]),
        ("SEX,AGE\n", "SEX", ["no rows"]),
        ("SEX,AGE\nF\n", "SEX", ["people.csv, row 2: 1 values"]),
        ("SEX,SEX\nF,F\n", "SEX", ["people.csv, row 1: column 'SEX' appears twice"]),
        ("SEX,AGE\nF,a|b\n", "SEX", ["column AGE: value 'a|b'", "'|'"]),
        ("SEX,\nF,1\n", "SEX", ["column name ''"]),
    ],
)
def test_bad_microdata(tmp_path: Path, text: str, margins: str, words: Words) -> None:
    microdata = tmp_path / "people.csv"
    microdata.write_text(text)
    refused(tmp_path, ["tabulate", microdata, "--margins", margins, "--out", tmp_path / "release"], words)


@pytest.mark.parametrize("name", ["count", "name", "columns"])
@pytest.mark.parametrize("out", ["release", "release.json", "release.parquet"])
def test_microdata_with_a_reserved_column(tmp_path: Path, name: str, out: str) -> None:
    """A release that could not be read back is not written."""
    microdata = tmp_path / "people.csv"
    microdata.write_text(f"SEX,{name}\nF,1\n")
    refused(tmp_path, ["tabulate", microdata, "--margins", "SEX", "--out", tmp_path / out], [f"'{name}'", "rename"])


# Single files


def test_bad_single_json(tmp_path: Path) -> None:
    path = tmp_path / "release.json"
    statistics = [
        {"count": 5},
        {"where": {"SEX": ["F"]}, "count": 1, "low": 0},
        {"where": {"SEX": ["F"]}},
        {"where": {"SEX": "F"}, "count": 1},
        {"where": {"SEX": []}, "count": 1},
        3,
    ]
    path.write_text(json.dumps({**DOMAIN, "statistics": statistics}))
    refused(
        tmp_path,
        ["audit", path],
        ["release.json, statistic 2: both count 1 and low/high 0/blank"],
        ["release.json, statistic 3: neither count nor low and high"],
        ["release.json, statistic 4: 'where' should be"],
        ["release.json, statistic 5: 'where' should be"],
        ["release.json, statistic 6: expected an object"],
    )


@pytest.mark.parametrize(
    ("statistic", "words"),
    [
        ({"where": {"SEX": ["X"]}, "count": 1}, ["'X' is not a value of SEX"]),
        ({"where": {"SXE": ["F"]}, "count": 1}, ["'SXE' is not a column"]),
        ({"where": {"SEX": ["F"]}, "count": -1}, ["-1 is negative"]),
        ({"where": {"SEX": ["F"]}, "count": 1.5}, ["1.5", "not a whole number"]),
        ({"where": {"SEX": ["F"]}, "count": True}, ["not a whole number"]),
        ({"where": {"SEX": ["F"]}, "low": 0, "high": True}, ["not a whole number"]),
        ({"where": {"SEX": ["F"]}, "count": "1"}, ["not a whole number"]),
        ({"where": {"SEX": ["F"]}, "low": 2, "high": 1}, ["low 2 is above high 1"]),
        ({"where": {"SEX": ["F"]}, "count": 9}, ["9 is larger than the number of records, 5"]),
    ],
)
def test_bad_numbers_in_single_json(tmp_path: Path, statistic: object, words: Words) -> None:
    path = tmp_path / "release.json"
    path.write_text(json.dumps({**DOMAIN, "statistics": [{"count": 5}, statistic]}))
    refused(tmp_path, ["audit", path], ["release.json", *words])


@pytest.mark.parametrize(
    "content",
    [{"statistics": 3}, {"statistics": {"count": 5}}, {"statistics": [{"count": 5}], "rules": None}, {"statistics": None}],
)
def test_single_json_of_the_wrong_shape(tmp_path: Path, content: dict[str, object]) -> None:
    path = tmp_path / "release.json"
    path.write_text(json.dumps({**DOMAIN, **content}))
    refused(tmp_path, ["audit", path], ["release.json", "list"])


def test_rule_without_columns_in_single_json(tmp_path: Path) -> None:
    path = tmp_path / "release.json"
    path.write_text(json.dumps({**DOMAIN, "statistics": [{"count": 5}], "rules": [{}]}))
    refused(tmp_path, ["audit", path], ["release.json, rule 1", "forbid every record"])


def test_bad_parquet(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet

    path = tmp_path / "release.parquet"
    path.write_bytes(b"not parquet at all")
    refused(tmp_path, ["audit", path], ["release.parquet: cannot be read as Parquet"])
    pyarrow.parquet.write_table(pa.table({"SEX": ["F"]}), path)
    refused(tmp_path, ["audit", path], ["release.parquet: holds no release"])


# Contradictions and size


def test_contradiction(tmp_path: Path) -> None:
    ran = audit_refused(
        tmp_path,
        ["contradict each other", "no dataset has all of these 3", "no smaller set"],
        ["statistics.csv, row 2: N = 5"],
        ["statistics.csv, row 3: women = 2 (table sexes)"],
        ["statistics.csv, row 5: men = 2 (table sexes)"],
        statistics="name,table,SEX,AGE,count\nN,,,,5\nwomen,sexes,F,,2\nold,,,75-84,1\nmen,sexes,M,,2\n",
    )
    assert "old" not in ran.err


@pytest.mark.parametrize("command", [["bounds", "SEX=F"], ["verify", "SEX=F", "--count", "1"], ["unique"], ["generate"]])
def test_contradiction_in_every_command(tmp_path: Path, command: list[str]) -> None:
    release = write_release(tmp_path / "release", "name,SEX,count\nN,,5\nwomen,F,2\nmen,M,2\n")
    more: list[object] = ["--out", tmp_path / "made"] if command == ["generate"] else []
    said = [["contradict each other"], ["N = 5"], ["women = 2"], ["men = 2"]]
    refused(tmp_path, [command[0], release, *command[1:], *more], *said)


def test_a_contradiction_is_proved_to_the_checker(tmp_path: Path) -> None:
    release = write_release(tmp_path / "release", "name,SEX,count\nN,,5\nwomen,F,2\nmen,M,2\n")
    ran = run("audit", release, "--proofs", tmp_path / "why.json")
    assert ran.status == 2
    assert f"A proof that the release contradicts itself was written to {tmp_path / 'why.json'}" in ran.out
    checked = run("check", release, tmp_path / "why.json")
    assert checked.status == 1
    assert checked.out.startswith("The file proves that the release contradicts itself: no dataset fits it")
    other = write_release(tmp_path / "other", "name,SEX,count\nN,,4\nwomen,F,2\nmen,M,2\n")
    assert "made for another release" in run("check", other, tmp_path / "why.json").out


def test_too_many_possible_records(tmp_path: Path) -> None:
    release = write_release(tmp_path / "release")
    arguments = ["audit", release, "--out", tmp_path / "claims.csv", "--max-records", "2"]
    refused(tmp_path, arguments, ["possible records", "limit of 2", "AGE", "--max-records", "rules"])


def test_too_many_possible_records_as_a_process(tmp_path: Path) -> None:
    domain = {"columns": {f"C{i:02}": [str(v) for v in range(40)] for i in range(12)}}
    rows = [f"{','.join(str(v) if i == j else '' for j in range(12))},1" for i in range(12) for v in range(40)]
    header = ",".join(f"C{i:02}" for i in range(12))
    release = write_release(tmp_path / "release", "\n".join([f"{header},count", f"{',' * 12}40", *rows]) + "\n", domain)
    arguments = ["audit", release, "--out", tmp_path / "claims.csv", "--max-records", "100000"]
    refused(tmp_path, arguments, ["possible records", "limit of 100,000", "C00", "--max-records"], run_=run_process)
