"""`census variability`: real blocks with known answers, the files it writes, continuing, and what it refuses."""

from __future__ import annotations

import csv
import json
from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow.parquet as parquet
import pytest

from foregone.batch.overview import line
from foregone.batch.run import Tally
from foregone.census.kinds import KINDS, publisher
from foregone.census.priors import expected_matches
from foregone.census.unit_files.units import open_units
from foregone.checker import digest
from foregone.model.dataset import Dataset
from tests.cli.commands import run

pytestmark = pytest.mark.slow

REAL = Path(__file__).parents[3] / "examples" / "one-solution-blocks.csv.gz"
OPEN = {  # the real blocks that block tables alone do not determine, and in how many persons two datasets can differ
    "010730051031027": 2, "010730051033006": 4, "010730051033008": 4, "060375324001066": 10, "340170069001013": 7,
    "420599704002034": 2, "420599704002110": 2, "420599704003078": 2, "420599704003149": 2, "420599704004045": 2,
}  # fmt: skip


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A few blocks of a synthetic country of persons."""
    folder = tmp_path_factory.mktemp("persons")
    made = run("census", "synth", "--subject", "person", "--out", folder / "p.csv", "--states", 2, "--tracts", 1, "--blocks", 12)
    assert made.status == 0
    assert run("census", "ingest", folder / "p.csv", "--subject", "person", "--out", folder / "p.parquet").status == 0
    return folder / "p.parquet"


def test_real_blocks(tmp_path: Path) -> None:
    """712 blocks of the Census Bureau's extract: with tract tables all have one dataset, from block tables alone 702."""
    assert run("census", "variability", REAL, "--out", tmp_path / "alone", "--workers", 2).status == 0
    found = {row["block"]: row for row in rows(tmp_path / "alone" / "variability.csv")}
    assert Counter(row["unique"] for row in found.values()) == {"true": 702, "false": 10}
    assert {block for block, row in found.items() if row["unique"] == "false"} == set(OPEN)
    for block, apart in OPEN.items():
        persons = int(found[block]["persons"])
        assert float(found[block]["variability"]) == pytest.approx(apart / persons, abs=1e-6)
    bounded = run("census", "variability", REAL, "--tract-tables", "--out", tmp_path / "tract", "--workers", 2)
    assert bounded.status == 0
    assert {row["unique"] for row in rows(tmp_path / "tract" / "variability.csv")} == {"true"}
    assert "Determined: 712 of 712 blocks" in bounded.out


def test_what_is_written(small: Path, tmp_path: Path) -> None:
    done = run("census", "variability", small, "--out", tmp_path / "V", "--workers", 1)
    assert done.status == 0
    assert "synthetic" in done.out
    listed = rows(tmp_path / "V" / "variability.csv")
    assert list(listed[0]) == ["block", "persons", "unique", "variability", "low", "high"]
    kind, tables = KINDS["person"], publisher("person", "official", "persons")
    with open_units(small, "official", "", kind) as units:
        blocks, sizes = units.sizes()
        records = units.records(blocks)
    assert [(row["block"], int(row["persons"])) for row in listed] == list(zip(blocks, sizes.tolist(), strict=True))
    pairs: dict[str, dict[str, Counter[tuple[str, ...]]]] = {}
    for pair in rows(tmp_path / "V" / "pairs.csv"):
        parts = pairs.setdefault(pair["block"], {name: Counter() for name in ("both", "first", "second")})
        parts[pair["dataset"]][pair["SEX"], pair["AGE"], pair["RACE"], pair["HISPANIC"]] += int(pair["persons"])
    for row in listed:
        assert row["variability"] == (row["low"] if row["low"] == row["high"] else "")
        assert (row["unique"] == "true") == (row["block"] not in pairs)
        if row["block"] in pairs:
            parts = pairs[row["block"]]
            release = tables.release(records[row["block"]])
            for which in ("first", "second"):
                assert not Dataset.of_kinds(tables.domain, parts["both"] + parts[which]).broken(release)
            assert float(row["low"]) == pytest.approx(parts["first"].total() / int(row["persons"]), abs=1e-6)
    total = rows(tmp_path / "V" / "sizes.csv")[-1]
    assert (total["size"], int(total["blocks"]), int(total["persons"])) == ("all", len(blocks), sizes.sum())
    assert 0 < float(total["guessed_state"]) <= 1


def test_the_same_command_continues(small: Path, tmp_path: Path) -> None:
    command = "census", "variability", small, "--out", tmp_path / "V", "--workers", 1
    assert run(*command).status == 0
    before = (tmp_path / "V" / "variability.csv").read_bytes()
    parts = sorted((tmp_path / "V" / "run" / "summary").iterdir())
    parts[0].unlink()
    again = run(*command)
    assert again.status == 0
    assert (tmp_path / "V" / "variability.csv").read_bytes() == before
    other = run(*command, "--tract-tables")
    assert other.status == 2
    assert "--tract-tables was False and is now True" in other.err


def forged_high(out: Path, block: str) -> None:
    """A lower limit is refused, in the proof and in the table."""
    proof, table = out / "proofs" / f"{block}.json", out / "variability.csv"
    genuine, listed = proof.read_bytes(), table.read_text("utf-8")
    document = json.loads(genuine)
    document["limit"]["twice"] -= 2
    document = {key: value for key, value in document.items() if key != "digest"}
    proof.write_text(json.dumps({**document, "digest": digest(document)}), "utf-8")
    forged = run("check", out / "releases", out / "proofs")
    assert forged.status == 1
    assert f"Rejected: {block}.json: limit: " in forged.out
    proof.write_bytes(genuine)
    row = next(line for line in listed.splitlines() if line.startswith(block))
    for other in (",".join([*row.split(",")[:-1], "0.01"]), row.replace(",false,", ",true,"), ""):
        table.write_text(listed.replace(row + "\n", other + "\n" if other else ""), "utf-8")
        different = run("check", out / "releases", out / "proofs", "--table", table)
        assert different.status == 1
        assert f"Rejected: {table}" in different.out
    table.write_text(listed, "utf-8")
    assert "needs a folder of proofs" in run("check", out / "releases" / f"{block}.json", proof, "--table", table).err
    assert "none that can be compared" in run("check", out / "releases", out / "proofs", "--table", out / "pairs.csv").err


@pytest.mark.parametrize("known", [(), ("--tract-tables",)])
def test_proofs_of_every_block(small: Path, tmp_path: Path, known: tuple[str, ...]) -> None:
    """The checker confirms, from files alone, what the run says about each block; and nothing that was changed."""
    out = tmp_path / "V"
    command = "census", "variability", small, "--out", out, "--workers", 1, "--proofs", *known
    done = run(*command)
    assert done.status == 0
    assert "Proofs of 24 blocks written" in done.out
    answers = Counter(row["unique"] for row in rows(out / "variability.csv"))
    checked = run("check", out / "releases", out / "proofs", "--table", out / "variability.csv")
    assert checked.status == 0
    assert f"proved exactly by {answers['false']}, within limits by 0, only from below by 0." in checked.out
    assert "agrees with every proof" in checked.out
    assert f"{answers['true']} prove that only one dataset fits, {answers['false']} that two fit, 0 neither." in checked.out
    block = rows(out / "variability.csv")[0]["block"]
    assert run("check", out / "releases" / f"{block}.json", out / "proofs" / f"{block}.json").status == 0
    apart = next(row["block"] for row in rows(out / "variability.csv") if row["unique"] == "false")
    two = run("check", out / "releases" / f"{apart}.json", out / "proofs" / f"{apart}.json")
    assert two.status == 0
    assert "no two that fit differ in more." in two.out
    forged_high(out, apart)
    before = (out / "proofs" / f"{block}.json").read_bytes()
    (out / "proofs" / f"{block}.json").unlink()
    assert run(*command).status == 0
    assert (out / "proofs" / f"{block}.json").read_bytes() == before
    other = rows(out / "variability.csv")[1]["block"]
    (out / "releases" / f"{block}.json").unlink()
    changed = out / "releases" / f"{other}.json"
    changed.write_bytes(changed.read_bytes().replace(b'"count":1', b'"count":2'))
    broken = run("check", out / "releases", out / "proofs")
    assert broken.status == 1
    assert "24 files:" in broken.out
    assert "2 files rejected" in broken.out
    assert "--complete: checks one file at a time" in run("check", out / "releases", out / "proofs", "--complete").err
    assert "there is no .json file" in run("check", out / "releases", tmp_path).err


def test_proofs_of_whole_tracts(small: Path, tmp_path: Path) -> None:
    """The same blocks are determined by one proof about the whole tract as by taking it apart, and as many persons certain."""
    out = tmp_path / "W"
    command = "census", "variability", small, "--whole-tracts", "--out", out, "--workers", 1, "--proofs"
    done = run(*command)
    assert done.status == 0
    assert "note: no proofs are written for tracts with more than" in done.err
    assert "Proofs of 2 tracts written" in done.out
    answers = Counter(row["unique"] for row in rows(out / "blocks.csv"))
    check = "check", out / "releases", out / "proofs", "--by", "BLOCK"
    checked = run(*check, "--table", out / "blocks.csv")
    assert checked.status == 0
    assert f"By BLOCK: {answers['true']} determined, {answers['false']} not determined, 0 not shown to be either." in checked.out
    listed = (out / "blocks.csv").read_text("utf-8")
    row = listed.splitlines()[1]
    for other in (row.replace(",true,", ",undecided,").replace(",false,", ",true,"), row[: row.rindex(",")] + ",0"):
        (out / "blocks.csv").write_text(listed.replace(row, other), "utf-8")
        assert run(*check, "--table", out / "blocks.csv").status == 1
    tract = next((out / "proofs").glob("*.json"))
    one = run("check", out / "releases" / tract.name, tract, "--by", "BLOCK")
    assert one.status == 0
    assert "By BLOCK: " in one.out
    assert "there is no column PLACE" in run("check", out / "releases" / tract.name, tract, "--by", "PLACE").err
    document = json.loads(tract.read_bytes())
    document["facts"][0]["count"] += 1
    document = {key: value for key, value in document.items() if key != "digest"}
    tract.write_text(json.dumps({**document, "digest": digest(document)}), "utf-8")
    assert run(*check).status == 1


def test_tract_tables_only_ever_help(small: Path, tmp_path: Path) -> None:
    for name, flags in {"alone": (), "bounded": ("--tract-tables",)}.items():
        assert run("census", "variability", small, "--out", tmp_path / name, "--workers", 1, *flags).status == 0
    assert run("census", "variability", small, "--whole-tracts", "--out", tmp_path / "whole", "--workers", 1).status == 0
    alone, bounded = (rows(tmp_path / name / "variability.csv") for name in ("alone", "bounded"))
    whole, how = (rows(tmp_path / "whole" / f"{name}.csv") for name in ("blocks", "settled"))
    for one, two, three, four in zip(alone, bounded, whole, how, strict=True):
        assert one["block"] == two["block"] == three["block"] == four["block"]
        assert [one["unique"], two["unique"], three["unique"]] == sorted([one["unique"], two["unique"], three["unique"]])
        assert float(two["low"]) <= float(one["high"])
        assert int(four["certain_alone"]) <= int(three["certain"]) <= int(three["persons"])
        assert (three["unique"] == "true") == (three["certain"] == three["persons"])
    assert sum(int(row["blocks"]) for row in rows(tmp_path / "whole" / "tracts.csv")) == len(whole)


def test_a_tract_as_one_release_with_a_column_for_the_block(tmp_path: Path) -> None:
    """Taking a tract apart gives what one release about all of it gives: two blocks that settle each other."""
    persons = ("30,NYNNNN,Y", "30,NNNYNN,N", "40,NYNNNN,N", "40,NNNYNN,Y")
    lines = [f"01001000100100{block},M,{person}" for block in (0, 1) for person in persons]
    (tmp_path / "p.csv").write_text("\n".join(["block,sex,age,race,hispanic", *lines]) + "\n")
    tract = tmp_path / "p.csv", "01001000100", "--by-block", "--subject", "person"
    written = run("census", "release", *tract, "--out", tmp_path / "R", "--truth")
    assert "2,766 published numbers about 8 people in 2 blocks" in written.out
    assert run("unique", tmp_path / "R").status == 0
    assert run("census", "variability", tmp_path / "p.csv", "--whole-tracts", "--out", tmp_path / "V", "--workers", 1).status == 0
    assert [row["settled"] for row in rows(tmp_path / "V" / "settled.csv")] == ["bounded", "bounded"]
    one = run("census", "release", tmp_path / "p.csv", "010010001001000", "--subject", "person", "--out", tmp_path / "B")
    assert one.status == 0
    assert run("unique", tmp_path / "B").status == 1


def test_unique_as_columns_of_a_run(small: Path, tmp_path: Path) -> None:
    assert run("run", small, "--subject", "person", "--unique", "--farthest", "--out", tmp_path / "RUN", "--workers", 1,
               "--limit", 8).status == 0  # fmt: skip
    summary = parquet.read_table(tmp_path / "RUN" / "summary").to_pandas()
    assert set(summary["unique"]) <= {"true", "false"}
    assert (summary["persons"] <= summary["records"]).all()
    for row in summary.to_dict("records"):
        if row["unique"] == "true":
            assert row["variability"] == 0
        else:
            assert set(json.loads(row["detail"])) == {"both", "first", "second"}
    assert run("query", tmp_path / "RUN", "--by", "size").status == 0
    told = run("query", tmp_path / "RUN")
    one = sum(answer == "true" for answer in parquet.read_table(tmp_path / "RUN" / "summary")["unique"].to_pylist())
    assert f"Determined (only one dataset fits): {one} of 8 blocks. Not determined: {8 - one}. Undecided: 0." in told.out
    assert "determined" in run("query", tmp_path / "RUN", "--by", "size").out
    assert "determined" not in told.out.split("By number of attributes")[1]


def test_progress_speaks_of_what_is_asked() -> None:
    tally = Tally("block", 12, 1, 1.0)
    assert "verified" in line(tally)
    assert line(tally, claims=False) == "0 of 12 blocks · starting · 0 failed"


def test_what_is_refused(small: Path, tmp_path: Path) -> None:
    assert "PCT12" in run("census", "variability", "--help").out
    for arguments, words in {
        ("--tract-tables", "--whole-tracts"): "give one of the two",
        ("--tract-tables", "--subject", "household"): "there are no tract tables for a household",
    }.items():
        refused = run("census", "variability", small, "--out", tmp_path / "V", *arguments)
        assert (refused.status, len(refused.problems)) == (2, 1)
        assert words in refused.err
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "letter.txt").write_text("mine")
    assert "holds something else" in run("census", "variability", small, "--out", tmp_path / "full").err
    assert run("census", "variability", small, "--out", tmp_path / "V", "--workers", 1, "--limit", 2).status == 0
    assert "did not look for claims" in run("query", tmp_path / "V" / "run").err


def test_chances_of_guessing_by_drawing() -> None:
    chance = np.random.default_rng(0)
    for size, own, share in [(5, 2, 0.3), (12, 4, 0.5), (3, 3, 1.0), (40, 1, 0.02)]:
        drawn = np.minimum(own, chance.binomial(size, share, 200_000)).mean()
        assert expected_matches(np.array([own]), np.array([size]), np.array([share]))[0] == pytest.approx(drawn, abs=0.02)
