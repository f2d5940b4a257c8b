"""`--json`: every command prints exactly one object, which the published schema describes; and no command can be forgotten."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from foregone.cli.answers import FORMAT, VERSION
from foregone.cli.catalog import CENSUS, COMMANDS
from foregone.cli.help import commands
from tests.cli.commands import Ran, run, run_process

SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "answers.schema.json").read_text("utf-8"))
PEOPLE = "SEX,AGE\nF,young\nF,old\nM,old\nM,old\n"

# what is run to see the answer of each command, and its exit status; in this order, in one folder
EXAMPLES = {
    "demo": [("demo --page demo.html", 0)],
    "help": [("help policy", 0), ("help", 0), ("help nothing-like-that", 2)],
    "tabulate": [
        ("tabulate people.csv --margins SEX,AGE --out made", 0),
        ("tabulate people.csv --margins SEX --margins AGE --out sums", 0),
    ],
    "import": [("import by_sex.csv --out imported --yes", 0), ("import nothing.csv --out never", 2)],
    "join": [("join made sums --people same --out both", 0)],
    "rules": [("rules", 0), ("rules round:5", 0)],
    "audit": [
        ("audit made --proofs proofs.json", 0),
        ("audit made --all --policy policy.toml", 1),
        ("audit sums --undecided", 0),
        ("audit made --hide SEX --round 5", 2),
        ("audit made --round 5", 0),
        ("audit nowhere", 2),
    ],
    "report": [("report made --out report.html --explain-seconds 0", 0), ("report made --out report.html --gate policy.toml", 1)],
    "explain": [("explain made SEX=M --count 2", 0)],
    "verify": [
        ("verify made SEX=F,AGE=old --count 1", 0),
        ("verify sums SEX=F,AGE=old --count 1", 1),
        ("verify sums SEX=F,AGE=old --count 1 --possible", 0),
        ("verify sums SEX=F,AGE=old --count 4 --possible", 1),
    ],
    "bounds": [("bounds sums SEX=F,AGE=old", 0), ("bounds sums --all", 0), ("bounds sums", 2)],
    "unique": [("unique made", 0), ("unique sums --proofs unique.json", 1)],
    "generate": [("generate sums -k 3 --out datasets", 0)],
    "likely": [("likely sums", 0), ("likely sums SEX=F,AGE=old --count 1", 0)],
    "link": [("link made register.csv --on SEX --assume both --out matches.csv", 0)],
    "protect": [("protect made --out protected --columns 2 --proofs certificate.json", 0)],
    "check": [
        ("check made proofs.json --complete --export vipr certificates", 0),
        ("check sums unique.json", 0),
        ("check made certificate.json", 0),
        ("check sums proofs.json", 1),
    ],
    "census synth": [("census synth --out units.csv --states 1 --tracts 1 --blocks 2", 0)],
    "census ingest": [("census ingest units.csv --out units.parquet", 0)],
    "census tables": [("census tables --table P20", 0)],
    "census release": [("census release units.parquet 01 --each --out blocks.parquet", 0)],
    "census study": [("census study units.parquet --out STUDY --per-state 1", 0)],
    "census variability": [("census variability persons.csv --out VARIABILITY --workers 1", 0)],
    "run": [("run units.parquet --out RUN --workers 1", 0)],
    "query": [("query RUN", 0), ("query RUN --by state", 0), ("query RUN --by state --out states.csv", 0)],
    "solvers": [("solvers", 0)],
}
# commands that have no example here and are asked for one wrong option instead
WITHOUT = {"census", "publish", "review", "serve"}


def answer(found: Ran) -> dict[str, Any]:
    """The object on standard output, which is all that is there."""
    content = json.loads(found.out)
    assert isinstance(content, dict)
    jsonschema.validate(content, SCHEMA)
    assert (content["format"], content["version"], content["exit"]) == (FORMAT, VERSION, found.status)
    return content


def test_no_command_is_forgotten() -> None:
    """A new command needs a line in EXAMPLES and a part of docs/answers.schema.json, made of what it tells."""
    assert set(commands()) - WITHOUT == set(EXAMPLES)
    described = {part["if"]["properties"]["command"]["const"] for part in SCHEMA["allOf"]}
    assert described == set(EXAMPLES)


@pytest.mark.parametrize("command", [name for name in commands() if name != "census"])
def test_wrong_usage_is_an_answer_too(command: str) -> None:
    sections = {**COMMANDS, **{f"census {title}": entries for title, entries in CENSUS.items()}}
    entry = next(entry for entries in sections.values() for entry in entries if entry.name == command.split()[-1])
    found = run(*command.split(), "--json", "--no-such-option")
    assert found.status == 2
    if entry.answers:
        told = answer(found)
        assert told["command"] == command
        assert told["errors"]
        assert "--no-such-option" in found.err
    else:
        assert found.out == ""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("answers")
    (place / "people.csv").write_text(PEOPLE)
    (place / "register.csv").write_text("name,SEX\nAda,F\nBob,M\n")
    (place / "by_sex.csv").write_text("SEX,patients\nF,2\nM,2\nTotal,4\n")
    (place / "policy.toml").write_text("singled_out_columns = 1\n")
    return place


@pytest.mark.slow
def test_every_command_answers_in_json(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With and without --json the exit status is the same; the lines are what is said without."""
    monkeypatch.chdir(folder)
    small = ("--states", 1, "--tracts", 1, "--blocks", 2)
    assert run("census", "synth", "--out", "persons.csv", "--subject", "person", *small).status == 0
    for command, examples in EXAMPLES.items():
        for text, status in examples:
            found = run(*shlex.split(text), "--json")
            assert found.status == status, (text, found.err)
            told = answer(found)
            assert told["command"] == command
            assert bool(told["errors"]) == (status == 2)
            assert told["lines"] or status == 2, text


def test_what_is_said_is_in_the_lines(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    run("tabulate", "people.csv", "--margins", "SEX,AGE", "--out", "table")
    plain, told = run("audit", "table"), answer(run("audit", "table", "--json"))
    assert told["lines"] == plain.out.splitlines()
    assert told["facts"] == len(told["claims"]) > 0


def test_as_a_process_of_its_own(folder: Path) -> None:
    found = run_process("verify", folder / "nowhere", "SEX=é", "--count", 1, "--json")
    told = answer(found)
    assert found.status == 2
    assert found.err.splitlines() == [f"error: {line}" for line in told["errors"]]


def test_version_and_help(folder: Path) -> None:
    del folder
    assert answer(run("--version", "--json"))["loop"]
    assert run("audit", "--json", "--help").out.startswith("Usage:")


def test_the_schema_refuses_something() -> None:
    told = answer(run("solvers", "--json"))
    for wrong in ({**told, "format": "x"}, {**told, "solvers": 5}, {key: value for key, value in told.items() if key != "exit"}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(wrong, SCHEMA)
