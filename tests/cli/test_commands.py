"""What the commands say, write and return."""

from __future__ import annotations

import csv
import json
import re
from itertools import product
from pathlib import Path

import pytest

import foregone
from foregone import Dataset, Domain, Predicate, Release
from foregone.census.demo import demo_release, singled_out
from foregone.census.household.sentences import household
from foregone.loop import chosen_loop
from foregone.model.claims_table import COLUMNS, codes_of
from foregone.questions.ask import audit
from tests import oracle
from tests.cli.commands import run, run_process, write_release
from tests.oracle import fits
from tests.solvers.silence import silent_solver

FORCED = """\
name,A,B,C,count
N,,,,4
one,0,0,,1
two,,0,0,1
three,,0,,1
"""
BINARY = {"record": "person", "columns": {name: ["0", "1"] for name in "ABC"}}


@pytest.fixture
def release(tmp_path: Path) -> Path:
    """The paper's toy example: A=0, B=0, C=0 singles out one record."""
    return write_release(tmp_path / "release", FORCED, BINARY)


@pytest.fixture
def open_release(tmp_path: Path) -> Path:
    """Ranges whose verdicts need bounds, so that a silent solver leaves them open."""
    statistics = "V,count,low,high\n,11,,\na,,3,7\nb,,0,4\nc,,8,12\n"
    return write_release(tmp_path / "open", statistics, {"columns": {"V": ["a", "b", "c"]}})


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_version_and_help() -> None:
    assert run("--version").out == f"foregone {foregone.__version__}, {chosen_loop()}\n"
    ran = run("--help")
    assert ran.status == 0
    for command in ("demo", "audit", "verify", "bounds", "generate", "unique", "tabulate"):
        assert command in ran.out
        told = run(command, "--help")
        assert told.status == 0
        assert "Usage" in told.out
    told = run("audit", "--help")
    for option in ("out", "all", "min-columns", "max-columns", "count", "undecided", "time-limit", "engine", "solver"):
        assert f"--{option}" in re.sub(r"\x1b\[[0-9;]*m", "", told.out)


def test_version_as_a_process() -> None:
    ran = run_process("--version")
    assert (ran.status, ran.out, ran.err) == (0, f"foregone {foregone.__version__}, {chosen_loop()}\n", "")


def test_the_loop_is_named_and_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOREGONE_LOOP", "pure")
    assert run("--version").out == f"foregone {foregone.__version__}, pure loop (FOREGONE_LOOP asks for it)\n"
    monkeypatch.delenv("FOREGONE_LOOP")
    monkeypatch.setenv("FOREGONE_LOOP_LIBRARY", "no such library")
    assert "pure loop (none is compiled" in run("--version").out
    monkeypatch.setenv("FOREGONE_LOOP", "native")
    for arguments in (["--version"], ["demo"]):
        ran = run(*arguments)
        assert ran.status == 2
        assert ran.err.startswith("error: the environment variable FOREGONE_LOOP asks for the compiled loop, and there is none; ")
        assert ran.err.count("\n") == 1
    monkeypatch.setenv("FOREGONE_LOOP", "quick")
    assert "set it to pure or native" in run("--version").err


def test_unknown_command_and_option(release: Path) -> None:
    assert run("audti").status == 2
    assert run("audit", release, "--fast").status == 2
    assert run("audit").status == 2
    assert run("verify", release, "A=0").status == 2, "a claim needs a count"
    assert run("audit", release, "--engine", "magic").status == 2
    assert run("audit", release, "--solver", "magic").status == 2


# audit


def test_audit_summary_and_default_rows(tmp_path: Path, release: Path) -> None:
    out = tmp_path / "claims.csv"
    ran = run("audit", release, "--out", out)
    assert ran.status == 0
    assert ran.err == ""
    assert "4 people, 4 published numbers" in ran.out
    assert "5 claims are certain (2 facts); 4 of them (1 fact) single out exactly one person. Undecided: 0." in ran.out
    assert "Most telling: Exactly one person has A: 0; B: 0; C: 0." in ran.out
    assert f"2 claims written to {out}." in ran.out
    assert list(rows(out)[0]) == ["A", "B", "C", *COLUMNS]
    assert [list(row.values()) for row in rows(out)] == [
        ["0", "0", "0", "1", "3", "linear", "3", "true", "partly", "3"],
        ["", "1", "", "3", "1", "linear", "1", "false", "no", "1"],
    ]


def test_audit_all(tmp_path: Path, release: Path) -> None:
    out = tmp_path / "claims.csv"
    assert run("audit", release, "--all", "--out", out).status == 0
    found = {(row["A"], row["B"], row["C"]): (row["count"], row["columns"], row["ground"]) for row in rows(out)}
    assert len(found) == len(rows(out)) == 5
    assert found[("", "0", "")] == ("1", "1", "published")
    assert found[("0", "0", "")] == ("1", "2", "published")
    assert found[("", "0", "0")] == ("1", "2", "published")
    assert found[("0", "0", "0")][:2] == ("1", "3")
    assert found[("", "1", "")] == ("3", "1", "linear")


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--all"], {"b", "ab", "bc", "abc", "B"}),
        (["--all", "--count", "1"], {"b", "ab", "bc", "abc"}),
        (["--all", "--count", "3"], {"B"}),
        (["--all", "--count", "2"], set()),
        (["--all", "--min-columns", "2"], {"ab", "bc", "abc"}),
        (["--all", "--max-columns", "1"], {"b", "B"}),
        (["--all", "--min-columns", "2", "--max-columns", "2", "--count", "1"], {"ab", "bc"}),
        ([], {"abc", "B"}),
        (["--count", "3"], {"B"}),
        (["--min-columns", "3"], {"abc"}),
        (["--undecided"], set()),
    ],
)
def test_audit_filters(tmp_path: Path, release: Path, options: list[str], expected: set[str]) -> None:
    """Claims named by their columns; a capital letter stands for the value 1."""
    out = tmp_path / "claims.csv"
    ran = run("audit", release, "--out", out, *options)
    assert ran.status == 0
    assert "5 claims are certain" in ran.out, "the summary does not depend on filters"
    found = {"".join(c.lower() if row[c] == "0" else c for c in "ABC" if row[c]) for row in rows(out)}
    assert found == expected
    assert len(rows(out)) == len(expected)


@pytest.mark.parametrize("option", [["--count", "0"], ["--min-columns", "0"], ["--max-columns", "0"], ["--time-limit", "-1"]])
def test_audit_options_out_of_range(tmp_path: Path, release: Path, option: list[str]) -> None:
    ran = run("audit", release, "--out", tmp_path / "claims.csv", *option)
    assert ran.status == 2
    assert option[0] in ran.err
    assert not (tmp_path / "claims.csv").exists()


def test_audit_formats_agree(tmp_path: Path, release: Path) -> None:
    import pyarrow.parquet

    for ending in ("csv", "parquet", "json"):
        assert run("audit", release, "--all", "--out", tmp_path / f"claims.{ending}").status == 0
    from_csv = [
        ({c: row[c] for c in "ABC" if row[c]}, int(row["count"]), int(row["columns"]), row["ground"])
        for row in rows(tmp_path / "claims.csv")
    ]
    from_json = [
        (entry["where"], entry["count"], entry["columns"], entry["ground"])
        for entry in json.loads((tmp_path / "claims.json").read_text("utf-8"))
    ]
    table = pyarrow.parquet.read_table(tmp_path / "claims.parquet")
    assert table.column_names == ["A", "B", "C", *COLUMNS]
    from_parquet = [
        ({c: row[c] for c in "ABC" if row[c] is not None}, row["count"], row["columns"], row["ground"]) for row in table.to_pylist()
    ]
    assert from_csv == from_json == from_parquet
    assert len(from_csv) == 5


@pytest.mark.parametrize("ending", ["csv", "parquet", "json"])
def test_audit_with_nothing_certain_writes_an_empty_table(tmp_path: Path, ending: str) -> None:
    import pyarrow.parquet

    release = write_release(tmp_path / "release", "A,count\n,4\n", BINARY)
    out = tmp_path / f"claims.{ending}"
    ran = run("audit", release, "--out", out)
    assert ran.status == 0
    assert "0 claims are certain; 0 of them single out exactly one person. Undecided: 0." in ran.out
    if ending == "csv":
        assert out.read_text() == "A,B,C,count,columns,ground,exact,published,printed,attributes\n"
    elif ending == "json":
        assert json.loads(out.read_text()) == []
    else:
        table = pyarrow.parquet.read_table(out)
        assert (table.num_rows, table.column_names) == (0, ["A", "B", "C", *COLUMNS])


def test_audit_replaces_an_older_claims_file(tmp_path: Path, release: Path) -> None:
    out = tmp_path / "claims.csv"
    out.write_text("old")
    assert run("audit", release, "--out", out).status == 0
    assert out.read_text().startswith("A,B,C,count")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["claims.csv", "release"]


def test_audit_compares_with_the_truth(tmp_path: Path) -> None:
    truth = "C,B,A\n0,0,0\n1,1,1\n0,1,1\n1,1,0\n"
    release = write_release(tmp_path / "release", FORCED, BINARY, truth=truth)
    ran = run("audit", release)
    assert ran.status == 0
    assert "2 facts compared with the true records afterwards: every one is right." in ran.out


def test_audit_leaves_claims_open(tmp_path: Path, open_release: Path) -> None:
    """A solver that falls silent after the first witness: exit 3, and the open claims on request."""
    assert run("audit", open_release).out.count("Undecided: 0.") == 1
    out = tmp_path / "open.csv"
    with silent_solver(after=1):
        ran = run("audit", open_release, "--undecided", "--out", out)
    assert ran.status == 3
    assert "0 claims are certain" in ran.out
    assert re.search(r"Undecided: [1-9]", ran.out)
    assert "Undecided because the time limit was reached; raise --time-limit" in ran.out
    assert list(rows(out)[0]) == ["V", "count", "columns", "status", "exact", "published", "printed", "attributes"]
    assert {row["status"] for row in rows(out)} == {"undecided"}
    assert {(row["V"], row["count"]) for row in rows(out)} >= {("a", "3"), ("c", "8")}


def test_a_policy_is_not_said_to_be_kept_while_claims_are_open(tmp_path: Path, open_release: Path) -> None:
    policy = tmp_path / "policy.toml"
    policy.write_text("singled_out_columns = 1\n")
    with silent_solver(after=1):
        ran = run("audit", open_release, "--policy", policy)
    assert ran.status == 0  # what stayed open is about more records than the policy asks for, whether or not it is certain
    assert "The release keeps the policy (policy.toml): no record is singled out" in ran.out
    policy.write_text("singled_out_columns = 1\nsmallest_group = 5\n")
    with silent_solver(after=1):
        ran = run("audit", open_release, "--policy", policy)
    assert ran.status == 3
    assert "Whether the release keeps the policy (policy.toml) is undecided: no certain claim" in ran.out
    assert "Undecided: singled_out_columns could not be judged: the time limit was reached." in ran.out
    assert "The release keeps" not in ran.out


def test_no_time_at_all(release: Path, tmp_path: Path) -> None:
    for command in (
        ["audit", release],
        ["verify", release, "A=0", "--count", "1"],
        ["bounds", release, "A=0"],
        ["unique", release],
        ["generate", release, "--out", tmp_path / "made"],
    ):
        ran = run(*command, "--time-limit", "0")
        assert ran.status == 3, command
        assert "--time-limit" in ran.err
        assert len(ran.problems) == 1
    assert not (tmp_path / "made").exists()


# verify and bounds


def test_verify(release: Path) -> None:
    ran = run("verify", release, "A=0, B=0, C=0", "--count", "1")
    assert ran.status == 0
    assert ran.out == "Verified (linear): Exactly one person has A: 0; B: 0; C: 0.\n"
    assert run("verify", release, "B=0", "--count", "1").out.startswith("Verified (published)")
    assert run("verify", release, "A=1, B=0", "--count", "0").status == 0
    assert run("verify", release, "B=0|1", "--count", "4").status == 0
    assert run("verify", release, "", "--count", "4").out == "Verified (published): There are exactly four people.\n"


def test_verify_refuted_shows_a_witness(release: Path) -> None:
    ran = run("verify", release, "A=0", "--count", "2")
    assert ran.status == 1
    assert ran.err == ""
    lines = ran.out.splitlines()
    assert lines[0] == "Refuted: Exactly two people have A: 0."
    found = re.fullmatch(r"This dataset matches every published number and has (\d) instead:", lines[1])
    assert found
    assert lines[2] == "A,B,C"
    published = Release.read(release)
    records = tuple(tuple(line.split(",")) for line in lines[3:])
    assert fits(records, published)
    assert sum(record[0] == "0" for record in records) == int(found[1]) != 2


def test_verify_undecided(open_release: Path) -> None:
    with silent_solver(after=1):
        ran = run("verify", open_release, "V=a", "--count", "3")
    assert ran.status == 3
    assert ran.out == "Undecided (the time limit was reached): Exactly three records have V: a.\n"


def test_bounds(release: Path) -> None:
    ran = run("bounds", release, "A=0")
    assert (ran.status, ran.out) == (0, "1 to 4 people can have A: 0.\n")
    ran = run("bounds", release, "A=0, B=0")
    assert (ran.status, ran.out) == (0, "1 to 1: the number of people with A: 0; B: 0 is certain.\n")
    ran = run("bounds", release, "")
    assert (ran.status, ran.out) == (0, "4 to 4: the number of people with any values is certain.\n")


def test_bounds_undecided(open_release: Path) -> None:
    with silent_solver(after=1):
        ran = run("bounds", open_release, "V=a")
    assert ran.status == 3
    assert "undecided: the time limit was reached; datasets with 3 and with 3 such records are known" in ran.err


# generate and unique


def test_generate_all(tmp_path: Path, release: Path) -> None:
    published = Release.read(release)
    everything = {tuple(sorted(records)) for records in oracle.consistent_datasets(published, 4)}
    ran = run("generate", release, "-k", "100", "--out", tmp_path / "made")
    assert ran.status == 0
    assert ran.out.startswith(f"{len(everything)} different datasets that match the release written to ")
    assert ran.out.endswith("There are no more.\n")
    files = sorted((tmp_path / "made").iterdir())
    assert sorted(f.name for f in files) == sorted(f"dataset-{i + 1}.csv" for i in range(len(everything)))
    assert {tuple(sorted(tuple(row.values()) for row in rows(f))) for f in files} == everything
    assert set(rows(files[0])[0]) == {"A", "B", "C"}


def test_generate_some(tmp_path: Path, release: Path) -> None:
    ran = run("generate", release, "-k", "2", "--out", tmp_path / "made")
    assert ran.status == 0
    assert ran.out.endswith("There are more.\n")
    assert len(list((tmp_path / "made").iterdir())) == 2
    assert run("generate", release, "-k", "0", "--out", tmp_path / "none").status == 2
    (tmp_path / "empty").mkdir()
    assert run("generate", release, "-k", "1", "--out", tmp_path / "empty").status == 0, "an empty folder may be filled"


UNIQUE = "name,A,B,C,count\nN,,,,2\n1,0,0,0,1\n2,1,1,1,1\n"


def test_unique(tmp_path: Path) -> None:
    ran = run("unique", write_release(tmp_path / "release", UNIQUE, BINARY))
    assert ran.status == 0
    assert ran.out == "Unique: only one dataset of 2 people matches the release:\nA,B,C\n0,0,0\n1,1,1\n"
    proved = run("unique", tmp_path / "release", "--proofs", tmp_path / "unique.json")
    assert proved.status == 0
    assert f"A proof was written to {tmp_path / 'unique.json'}" in proved.out
    assert run("check", tmp_path / "release", tmp_path / "unique.json").out == "3 accepted, 0 rejected.\n"
    made = run("generate", tmp_path / "release", "--out", tmp_path / "made")
    assert made.out.startswith("1 different dataset that matches the release written to ")
    assert made.out.endswith("There are no more.\n")


def test_not_unique(release: Path) -> None:
    ran = run("unique", release)
    assert ran.status == 1
    found = re.search(r"Not unique: two datasets match the release and differ in (\d+) of 4 people\.", ran.out)
    assert found
    assert "No two matching datasets differ more." in ran.out
    published = Release.read(release)
    everything = [Dataset.of(published.domain, records) for records in oracle.consistent_datasets(published, 4)]
    assert int(found[1]) == max(a.distance(b) for a in everything for b in everything)
    parts = ran.out.split("dataset:\nA,B,C\n")
    shown = [tuple(tuple(line.split(",")) for line in part.splitlines()[:4]) for part in parts[1:]]
    assert len(shown) == 2
    assert all(fits(records, published) for records in shown)
    assert Dataset.of(published.domain, shown[0]).distance(Dataset.of(published.domain, shown[1])) == int(found[1])


# tabulate


def test_tabulate_and_audit(tmp_path: Path) -> None:
    microdata = tmp_path / "people.csv"
    microdata.write_text("SEX,AGE\nF,10\nF,9\nM,9\n")
    margins = ["--margins", "SEX,AGE", "--margins", "SEX"]
    ran = run("tabulate", microdata, *margins, "--out", tmp_path / "r", "--truth", "--record", "person")
    assert ran.status == 0
    assert ran.out == f"7 published numbers about 3 records written to {tmp_path / 'r'}.\n"
    published = Release.read(tmp_path / "r")
    assert published.domain == Domain.of({"SEX": ["F", "M"], "AGE": ["9", "10"]}, record="person")
    counts = {s.predicate: s.low for s in published.statistics}
    assert counts[Predicate()] == 3
    assert counts[Predicate.of({"SEX": "F"})] == 2
    assert counts[Predicate.of({"SEX": "M", "AGE": "10"})] == 0
    ran = run("audit", tmp_path / "r")
    assert ran.status == 0
    assert "every one is right" in ran.out


@pytest.mark.parametrize("name", ["r", "r.json", "r.parquet"])
def test_zeros_need_not_be_written(tmp_path: Path, name: str) -> None:
    microdata = tmp_path / "people.csv"
    microdata.write_text("SEX,AGE,JOB\nF,1,x\nF,2,y\nM,3,x\nM,3,z\n")
    files = []
    for i, option in enumerate(("--zeros", "--no-zeros")):
        folder = tmp_path / str(i)
        folder.mkdir()
        margins = ["--margins", "SEX,AGE", "--margins", "AGE,JOB"]
        assert run("tabulate", microdata, *margins, option, "--out", folder / name).status == 0
        assert run("audit", folder / name, "--all", "--out", folder / "claims.csv").status == 0
        files.append({tuple(row.values())[:-1] for row in rows(folder / "claims.csv")})
    assert files[0] == files[1] != set()
    assert len(Release.read(tmp_path / "0" / name).statistics) > len(Release.read(tmp_path / "1" / name).statistics)


# demo


def test_demo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # where it writes its page
    ran = run("demo", "--out", tmp_path / "block")
    assert ran.status == 0
    assert ran.err == ""
    release, truth = demo_release()
    result = audit(release)
    known = singled_out(result, truth)
    assert len(known) >= 3
    for fact in known:
        assert truth.count(fact.predicate) == 1
        assert household(dict(fact.predicate.allowed)) in ran.out
    for i in range(1, len(known) + 1):
        assert f"{i:>3}. Exactly one household is like this" in ran.out
    assert f"{len(known) + 1:>3}. Exactly" not in ran.out
    assert "every one is right" in ran.out
    again = run("audit", tmp_path / "block")
    assert again.status == 0
    assert "every one is right" in again.out


def test_every_household_singled_out_is_listed_in_the_demo() -> None:
    """A household is singled out when some certain claim with count 1 matches it; count them from the full list."""
    release, truth = demo_release()
    result = audit(release)
    rows_ = [row for row in result.rows() if row.count == 1]
    found = {
        i
        for i, record in enumerate(truth.records)
        for row in rows_
        if all(v is None or code in codes_of(v) for v, code in zip(row.values, record, strict=True))
    }
    assert len(singled_out(result, truth)) == len(found) == result.singled_out_in(truth)
    assert result.singled_out is not None
    assert result.singled_out[0] <= len(found)


# The same input gives the same output


@pytest.mark.slow
def test_two_processes_write_the_same_bytes(tmp_path: Path) -> None:
    columns = {"A": ["0", "1", "2"], "B": ["x", "y"], "C": ["p", "q", "r"], "D": ["0", "1"]}
    lines = ["name,A,B,C,D,count,low,high", "N,,,,,6,,"]
    counts = {"A": "321", "C": "222"}
    for column, numbers in counts.items():
        for code, number in zip(columns[column], numbers, strict=True):
            lines.append(",".join(["", *(code if c == column else "" for c in columns), number, "", ""]))
    for a, b in product("012", "xy"):
        lines.append(f",{a},{b},,,,{0 if b == 'y' else 1},{2 if a == '0' else 1}")
    release = write_release(tmp_path / "release", "\n".join(lines) + "\n", {"columns": columns}, rules="A,D\n2,1\n1,1\n")
    written = []
    for seed in ("1", "271828"):
        folder = tmp_path / seed
        folder.mkdir()
        for ending in ("csv", "json", "parquet"):
            options = ["--all"] if ending == "csv" else []
            ran = run_process("audit", release, *options, "--out", f"claims.{ending}", hash_seed=seed, cwd=folder)
            assert ran.status == 0, ran.err
        more = [
            run_process("generate", release, "-k", "5", "--out", "made", hash_seed=seed, cwd=folder),
            run_process("unique", release, hash_seed=seed, cwd=folder),
        ]
        files = {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}
        written.append((files, [(ran.status, ran.out) for ran in more]))
    assert len(written[0][0]) == 8
    assert len(written[0][0]["claims.csv"].splitlines()) > 3
    assert written[0] == written[1]
