"""`check` on folders and tables: what it prints is proved, or it says so and exits with 3; forged tables are refused."""

from __future__ import annotations

import csv
import json
import random
from collections.abc import Iterator
from pathlib import Path
from time import process_time
from typing import Any

import pytest

from foregone import Domain, Predicate, Release, Statistic, tabulate
from foregone.checker import check, digest, release_of
from foregone.checker.read.proofs import FORMAT as PROOFS
from foregone.checker.verdicts.determined import ONE, SEVERAL, UNTOLD, parts_left
from foregone.checker.verdicts.distance import FORMAT as DISTANCE
from foregone.engine import distance_proof
from foregone.questions.ask import proof_of_kinds, unique, uniqueness_proof
from foregone.questions.check import plain
from tests.cli.commands import run

Json = dict[str, Any]

AT_MOST_THREE: Json = {"columns": {"A": ["a", "b"]}, "statistics": [{"where": {}, "low": 0, "high": 3}]}


def sealed(content: Json) -> Json:
    return {**content, "digest": digest(content)}  # which leaves an old one out


def distance(content: Json, datasets: Any, limit: Json, **more: Any) -> Json:
    made = {"format": DISTANCE, "version": 1, "tool": "", "release": release_of(content).fingerprint, "steps": [], "kinds": []}
    return sealed({**made, "witnesses": datasets, "limit": limit, **more})


def facts(content: Json, datasets: Any, *claims: Json) -> Json:
    made = {"format": PROOFS, "version": 2, "tool": "", "release": release_of(content).fingerprint, "steps": []}
    return sealed({**made, "facts": list(claims), "witnesses": datasets})


@pytest.fixture
def folders(tmp_path: Path) -> Path:
    """A release named 1 whose two listed datasets differ in all records, with no limit."""
    for name in ("releases", "proofs"):
        (tmp_path / name).mkdir()
    (tmp_path / "releases" / "1.json").write_text(json.dumps(AT_MOST_THREE))
    put(tmp_path, distance(AT_MOST_THREE, [[["a"]], [["b"]]], {"unknown": "no time"}))
    return tmp_path


def put(folder: Path, document: Json) -> None:
    (folder / "proofs" / "1.json").write_text(json.dumps(document))


HEADER = "block,persons,unique,variability,low,high"


def compared(folder: Path, *rows: str, header: str = HEADER) -> Any:
    (folder / "table.csv").write_text("\n".join([header, *rows, ""]))
    return run("check", folder / "releases", folder / "proofs", "--table", folder / "table.csv")


def test_a_table_in_which_a_block_stands_twice_is_rejected(folders: Path) -> None:
    assert compared(folders, "1,1,false,,1,1").status == 3  # there is no limit
    twice = compared(folders, "1,1,true,0,0,0", "1,1,false,,1,1")
    assert twice.status == 1
    assert "two rows" in twice.out


def test_what_of_a_table_has_no_proof_is_said(folders: Path) -> None:
    said = compared(folders, "1,1,false,,1,0.5", "2,1,true,0,0,0")
    assert said.status == 3
    numbers = "persons in 1 row; variability in 1 row; low in 1 row; high in 1 row"  # nothing says how many records there are
    assert f"Without a proof: 1 row; {numbers}." in " ".join(said.out.split())
    put(folders, facts(AT_MOST_THREE, [[["a"]], [["b"]]]))  # two datasets, and nothing about how far apart they are
    assert f"Without a proof: {numbers}." in " ".join(compared(folders, "1,1,false,,0.25,0.5").out.split())


def test_two_empty_datasets_have_no_share(folders: Path) -> None:
    put(folders, distance(AT_MOST_THREE, [[], []], {"unknown": "no time"}))
    assert compared(folders, "1,0,undecided,,0,1").status == 3
    assert "undecided" in compared(folders, "1,0,true,0,0,0").out


def test_a_distance_without_a_limit_is_undecided(folders: Path) -> None:
    """Also where it is said that two datasets that are the same are listed."""
    for datasets in ([[["a"]], [["b"]]], [[["a"]], [["a"]]]):
        put(folders, distance(AT_MOST_THREE, datasets, {"unknown": "no time"}))
        one = run("check", folders / "releases" / "1.json", folders / "proofs" / "1.json")
        many = run("check", folders / "releases", folders / "proofs")
        assert (one.status, many.status) == (3, 3)
        assert "No limit is proved; the reason given is 'no time'." in one.out
        assert "without a limit: 1 (no time)" in many.out


def test_options_that_a_file_cannot_answer_are_refused(folders: Path) -> None:
    one = "check", folders / "releases" / "1.json", folders / "proofs" / "1.json"
    for option in (["--complete"], ["--by", "A"]):
        refused = run(*one, *option)
        assert refused.status == 2
        assert "leave them out" in refused.err
    many = run("check", folders / "releases", folders / "proofs", "--by", "A")
    assert many.status == 1
    assert "leave out --by" in many.out


@pytest.mark.parametrize(
    ("header", "reason"),
    [
        (f"{HEADER},risk", "column 'risk' is none that can be compared"),
        (f"{HEADER},high", "column 'high' is there twice"),
        (f"{HEADER},households", "column 'households' is none that can be compared"),
        (HEADER.replace(",high", ""), "column high is missing"),
        (HEADER.replace(",variability", ""), "column variability is missing"),
        (HEADER.replace(",persons", ""), "column persons is missing"),
        (HEADER.replace("block,", ""), "column block is missing"),
        (HEADER.replace("unique", "certain"), "column 'certain' is none that can be compared"),
        ("", "column block is missing"),
    ],
)
def test_a_table_has_the_columns_that_are_compared(folders: Path, header: str, reason: str) -> None:
    row = ",".join(["1"] * (header.count(",") + 1))
    result = compared(folders, *([row] if header else []), header=header)
    assert result.status == 2
    assert f"table.csv, row 1: {reason}; expected block,persons,unique,variability,low,high" in " ".join(result.err.split())


def test_a_row_has_a_field_for_every_column(folders: Path) -> None:
    for row in ("1,1,false,,1", "1,1,false,,1,1,0"):
        result = compared(folders, row)
        assert result.status == 2
        assert "table.csv, row 2: " in result.err


@pytest.mark.parametrize("number", ["1e999999999", "1e400", "nan", "inf", "", "1/3", "\u0661", "-1", "0x1", "1_0"])
def test_a_number_of_a_table_is_a_plain_decimal(folders: Path, number: str) -> None:
    result = compared(folders, f"1,1,false,,{number},1")
    assert result.status == 2
    assert "cannot be compared" in result.err


def test_parts_of_many_datasets_are_told_apart_in_one_go() -> None:
    """By code and dataset this would be billions of steps; and the answers are right."""
    codes = [f"c{i}" for i in range(8_000)]
    content: Json = {"columns": {"B": codes, "A": ["a", "b"]}, "statistics": []}
    content["statistics"] = [{"where": {"B": "c0"}, "count": 1}, {"where": {"B": "c2"}, "count": 0}]
    content["statistics"] += [{"where": {"B": "c0", "A": "a"}, "count": 1}]
    claim = {"claim": {"B": "c0", "A": "a"}, "count": 1, "ground": "published", "forms": []}
    claim |= {"upper": {"terms": [[4, 1]], "over": 1}, "lower": {"terms": [[5, 1]], "over": 1}}
    rest = [[code, "a"] for code in codes[3:]]
    steps = [{"columns": "B", "sets": [["c0"], codes[1:]]}, {"columns": "A", "sets": [["a"], ["b"]]}]
    document = facts(content, [[["c0", "a"], *rest], [["c0", "a"], ["c1", "a"], *rest]], claim)
    document = sealed({**document, "steps": steps})
    release, begin = release_of(content), process_time()
    found = parts_left(release, document, check(release, document), "B")
    assert process_time() - begin < 30
    assert [(found[code].left, found[code].told) for code in codes[:4]] == [(ONE, 1), (SEVERAL, 0), (ONE, 0), (UNTOLD, 0)]


def squares() -> Iterator[tuple[str, Release]]:
    """Two by two tables of which only the margins are known: some are determined, some are not."""
    domain = Domain.of({"A": ["0", "1"], "B": ["0", "1"]})
    for name, rows in {"one": (3, 0), "several": (2, 2), "more": (1, 4)}.items():
        total = Statistic.exact(Predicate.of({}), sum(rows))
        yield name, Release(domain, [total, *(Statistic.exact(Predicate.of({c: str(i)}), rows[i]) for c in "AB" for i in (0, 1))])


@pytest.fixture
def genuine(tmp_path: Path) -> Path:
    """Releases, proofs and a table of them in which everything is proved."""
    for folder in ("releases", "proofs"):
        (tmp_path / folder).mkdir()
    rows = [HEADER.split(",")]
    for name, release in squares():
        found = unique(release)
        (tmp_path / "releases" / f"{name}.json").write_text(json.dumps(plain(release)))
        if found.second is None:
            made, share = uniqueness_proof(release), 0.0
        else:
            made, share = distance_proof(release, found.first, found.second, found.limit), float(found.limit) / found.first.size
        assert made is not None
        (tmp_path / "proofs" / f"{name}.json").write_text(json.dumps(made))
        rows.append([name, str(found.first.size), str(found.second is None).lower(), *[str(round(share, 6))] * 3])
    write(tmp_path / "table.csv", rows)
    return tmp_path


def write(path: Path, rows: list[list[str]]) -> None:
    with path.open("w", newline="") as file:
        csv.writer(file).writerows(rows)


def others(text: str, rng: random.Random) -> list[str]:
    """Things that a forger might write in the place of something true."""
    near = [str(round(float(text) + step, 6)) for step in (1e-6, -1e-6, 0.1, 1)] if text[:1].isdigit() else []
    said = ["true", "false", "undecided", "", "0", "1", "0.0", "0.5", *near]
    return [other for other in rng.sample(said, len(said)) if other != text and not _as_good(text, other)]


def _as_good(text: str, other: str) -> bool:
    return all(part[:1].isdigit() for part in (text, other)) and abs(float(text) - float(other)) < 5e-7


def test_every_column_of_a_table_is_compared(genuine: Path) -> None:
    """A true table, one field changed: never accepted, whatever the column."""
    command = "check", genuine / "releases", genuine / "proofs", "--table", genuine / "table.csv"
    said = run(*command)
    assert (said.status, said.out.splitlines()[-1].endswith("agrees with every proof.")) == (0, True), said.out
    with (genuine / "table.csv").open(newline="") as file:
        header, *rows = list(csv.reader(file))
    rng = random.Random(1)
    for column in range(1, len(header)):
        for row in range(len(rows)):
            for other in others(rows[row][column], rng):
                forged = [list(fields) for fields in rows]
                forged[row][column] = other
                write(genuine / "table.csv", [header, *forged])
                assert run(*command).status in (1, 2), (header[column], rows[row], other)
    for row in range(len(rows)):  # a row less, a row more, another name
        for forged in (rows[:row] + rows[row + 1 :], [*rows, rows[row]], [*rows[:row], ["2", *rows[row][1:]], *rows[row + 1 :]]):
            write(genuine / "table.csv", [header, *forged])
            assert run(*command).status == 1
    write(genuine / "table.csv", [header, *rows, ["2", "1", "true", "0", "0", "0"]])
    assert run(*command).status == 3  # nothing is known about the last row
    write(genuine / "table.csv", [[*header, "high"], *([*fields, fields[-1]] for fields in rows)])
    assert run(*command).status == 2
    for column in range(len(header)):
        write(genuine / "table.csv", [fields[:column] + fields[column + 1 :] for fields in [header, *rows]])
        assert run(*command).status == 2


PARTS = {"A": list("aaabbc"), "B": list("uvvuvv"), "C": list("xyxyyx")}


def test_every_column_of_a_table_of_parts_is_compared(tmp_path: Path) -> None:
    release = tabulate(PARTS, margins=["A", "A,B", "A,C"])
    for folder in ("releases", "proofs"):
        (tmp_path / folder).mkdir()
    (tmp_path / "releases" / "1.json").write_text(json.dumps(plain(release)))
    document: Json = proof_of_kinds(release)
    proof, table = tmp_path / "proofs" / "1.json", tmp_path / "table.csv"
    proof.write_text(json.dumps(document))
    command = "check", tmp_path / "releases", tmp_path / "proofs", "--by", "A", "--table", table
    header, rows = (
        ["block", "persons", "unique", "certain"],
        [["a", "3", "false", "0"], ["b", "2", "true", "2"], ["c", "1", "true", "1"]],
    )
    write(table, [header, *rows])
    said = run(*command)
    assert said.status == 0, said.out
    rng = random.Random(2)
    for column in range(1, len(header)):
        for row in range(len(rows)):
            for other in others(rows[row][column], rng):
                forged = [list(fields) for fields in rows]
                forged[row][column] = other
                write(table, [header, *forged])
                assert run(*command).status in (1, 2), (header[column], rows[row], other)
    for unknown in ("settled", "certain_alone"):
        write(table, [[*header, unknown], *([*fields, "0"] for fields in rows)])
        refused = run(*command)
        assert refused.status == 2
        assert f"column '{unknown}' is none that can be compared" in " ".join(refused.err.split())
    # without the dataset that shows that no more is certain, the number of certain records has no proof
    write(table, [header, *rows])
    proof.write_text(json.dumps(sealed({**document, "witnesses": document["witnesses"][:1]})))
    open_ = run(*command)
    assert open_.status == 1  # a is no longer shown not to be determined
    write(table, [header, [*rows[0][:2], "undecided", "0"], *rows[1:]])
    open_ = run(*command)
    assert open_.status == 3
    assert "Without a proof: certain in 1 row." in " ".join(open_.out.split())
    alone = run("check", tmp_path / "releases" / "1.json", proof, "--by", "A")
    assert alone.status == 3
    assert "1 not shown to be either" in alone.out
