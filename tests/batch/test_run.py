"""What a run finds is what single audits find, whoever does the work and however it is cut."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from foregone.batch.overview import closing
from foregone.batch.source import RunQuestions
from foregone.census.kinds import publisher
from foregone.census.sources import RunOptions
from foregone.census.unit_files.units import open_units
from foregone.evaluation.measure import identified, pack
from foregone.formats.text import read_rows
from foregone.model.errors import InputError
from foregone.model.families import Groups
from foregone.questions.ask import audit
from tests.batch.running import audited, finished, same, table
from tests.cli.commands import run, write_release

pytestmark = pytest.mark.slow


def test_the_same_whatever_the_number_of_workers(units: Path, undisturbed: Path, tmp_path: Path) -> None:
    assert len(finished(undisturbed)) >= 6
    audited(units, tmp_path / "one", workers=1)
    same(undisturbed, tmp_path / "one")


def test_facts_are_those_of_a_single_audit(units: Path, undisturbed: Path, tmp_path: Path) -> None:
    facts, summary = table(undisturbed, "facts"), table(undisturbed, "summary")
    assert (facts.state == facts.release.str[:2]).all()
    assert summary.release.is_unique
    for block in summary.release[::9]:
        assert run("census", "release", units, block, "--out", tmp_path / block).status == 0
        assert run("audit", tmp_path / block, "--out", tmp_path / f"{block}.csv").status == 0
        header, rows = read_rows(tmp_path / f"{block}.csv")
        mine = facts[facts.release == block][header].astype(object)
        told = mine.where(mine.notna(), "").to_numpy().tolist()
        assert [[str(v).lower() if isinstance(v, bool) else str(v) for v in row] for row in told] == [values for _, values in rows]


def test_summaries_by_listing_every_claim(units: Path, tmp_path: Path) -> None:
    """Of claims over single codes, which can be packed and listed."""
    audited(units, tmp_path / "codes", asked=RunQuestions(groups=Groups.NONE))
    summary = table(tmp_path / "codes", "summary").set_index("release")
    tables = publisher("household", "official", "households")
    with open_units(units, "official") as opened:
        records = opened.records(list(summary.index[::7]))
    for block, codes in records.items():
        result = audit(tables.release(codes), groups=Groups.NONE)
        claims, row = pack(result, 1), summary.loc[block]
        assert row.records == len(codes)
        assert row.live == result.kinds
        assert row.verified == len(claims.count)
        assert row.singletons == (claims.count == 1).sum()
        assert row.facts == len(result.claims)
        assert row.undecided == 0
        reached = identified(claims, codes, 1, 10, 1)
        for k in range(1, 11):
            assert row[f"verified_{k}"] == (claims.columns == k).sum()
            assert row[f"singletons_{k}"] == ((claims.columns == k) & (claims.count == 1)).sum()
            assert row[f"households_{k}"] == reached[k]
        assert row.households == claims.matches(codes)[claims.count == 1].any(axis=0).sum()


def test_limit_and_state(units: Path, undisturbed: Path, tmp_path: Path) -> None:
    everything = table(undisturbed, "summary")
    audited(units, tmp_path / "first", options=RunOptions(limit=7))
    assert table(tmp_path / "first", "summary").release.tolist() == everything.release.tolist()[:7]
    audited(units, tmp_path / "state", options=RunOptions(state="02", limit=5))
    assert table(tmp_path / "state", "summary").release.tolist() == everything[everything.state == "02"].release.tolist()[:5]
    assert [part[:2] for part in finished(tmp_path / "state")] == ["02"] * len(finished(tmp_path / "state"))
    with pytest.raises(InputError, match="no block with records in state 55"):
        audited(units, tmp_path / "none", options=RunOptions(state="55"))


def test_other_tables_and_all_units(units: Path, tmp_path: Path) -> None:
    for name, options in (("edit", RunOptions("621", "edit", limit=4)), ("all", RunOptions(units="all", limit=4))):
        ran = audited(units, tmp_path / name, options=options)
        assert ran.sound
        assert ran.totals["verified"] > 0


def test_the_command(raw: Path, tmp_path: Path) -> None:
    ran = run("run", raw, "--out", tmp_path / "run", "--limit", 6, "--workers", 1)
    assert (ran.status, ran.err) == (0, "")
    assert ran.out.startswith("6 blocks audited in ")
    assert "Undecided: 0. Failed: 0." in ran.out
    assert "synthetic" in ran.out
    about = json.loads((tmp_path / "run" / "run.json").read_text("utf-8"))
    assert about["complete"] is True
    assert about["options"]["limit"] == 6
    assert about["totals"]["releases"] == about["releases"] == 6
    assert about["totals"]["undecided"] == about["totals"]["failures"] == 0
    assert about["input"]["name"] == raw.name
    assert {"foregone", "python", "numpy", "pyarrow"} <= set(about["versions"])
    again = run("run", raw, "--out", tmp_path / "run", "--limit", 6, "--workers", 2)
    assert again.status == 0
    assert "(6 of them earlier)" in again.out


def test_another_run_is_not_continued(raw: Path, units: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    assert run("run", units, "--out", out, "--limit", 3, "--workers", 1).status == 0
    for more, words in (
        (["--limit", 4], "--limit was 3 and is now 4"),
        (["--limit", 3, "--variant", "621"], "--variant was official and is now 621"),
        (["--limit", 3, "--state", "02"], "--state was not given and is now 02"),
    ):
        ran = run("run", units, "--out", out, *more)
        assert ran.status == 2
        assert words in ran.err
        assert "choose another --out" in ran.err
    ran = run("run", raw, "--out", out, "--limit", 3)
    assert ran.status == 2
    assert "another input (units.parquet" in ran.err
    assert len(ran.problems) == 1
    about = json.loads((out / "run.json").read_text("utf-8"))
    (out / "run.json").write_text(json.dumps({**about, "parts": 7}), "utf-8")
    ran = run("run", units, "--out", out, "--limit", 3)
    assert ran.status == 2
    assert "was cut into 7 parts, and this build of Foregone makes 1" in ran.err


def test_bad_usage(units: Path, tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "diary.txt").write_text("private")
    release = write_release(tmp_path / "release")
    (tmp_path / "empty").mkdir()
    for arguments, words in (
        ((tmp_path / "nothing", "--out", tmp_path / "run"), "there is no such file or folder"),
        ((units, "--out", tmp_path / "full"), "holds no run"),
        ((units, "--out", units), "give the name of a folder"),
        ((units, "--out", tmp_path / "a" / "b"), "there is no such folder"),
        ((units, "--out", tmp_path / "run", "--shard", "3/2"), "write I/N"),
        ((units, "--out", tmp_path / "run", "--shard", "x"), "write I/N"),
        ((units, "--out", tmp_path / "run", "--state", "Ohio"), "two digits"),
        ((units, "--out", tmp_path / "run", "--scheduler", "tcp://a:1", "--workers", 2), "one of the two"),
        ((units, "--out", tmp_path / "run", "--scheduler", "nowhere"), "not an address"),
        ((release, "--out", tmp_path / "run"), "this is one release"),
        ((tmp_path / "empty", "--out", tmp_path / "run"), "holds no release"),
        ((tmp_path / "empty", "--out", tmp_path / "run", "--rules", "edit"), "applies to unit files"),
        ((tmp_path, "--out", tmp_path / "run"), "lies inside the input"),
    ):
        ran = run("run", *arguments)
        assert (ran.status, len(ran.problems)) == (2, 1), (arguments, ran.err)
        assert words in ran.err


def test_shards_share_a_folder(units: Path, undisturbed: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    parts = finished(undisturbed)
    for i in (3, 1):
        ran = audited(units, out, workers=1, shard=(i, 3))
        assert not ran.complete
    assert json.loads((out / "run.json").read_text("utf-8"))["complete"] is False
    assert 0 < len(finished(out)) < len(parts)
    before = len(table(out, "summary"))
    ran = audited(units, out, workers=1, shard=(2, 3))
    assert ran.complete
    assert f"({before} of them earlier or by other shards)" in closing(ran, out)
    same(undisturbed, out)
    mine, whole = (json.loads((path / "run.json").read_text("utf-8")) for path in (out, undisturbed))
    assert mine["complete"] is True
    assert {**mine["totals"], "seconds": 0} == {**whole["totals"], "seconds": 0}


def test_undecided_is_counted_and_can_be_done_again(units: Path, undisturbed: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    ran = audited(units, out, time_limit=0.0)
    assert ran.complete
    assert not ran.sound
    assert ran.totals["undecided"] > 0
    assert ran.totals["failures"] == 0
    audited(units, out)
    assert len(table(out, "facts")) < len(table(undisturbed, "facts")), "finished parts are not done again unasked"
    complete: list[bool] = []
    ran = audited(units, out, retry=True, during=lambda *_: complete.append(_about(out)["complete"]))
    assert not any(complete)
    assert _about(out)["complete"]
    assert ran.sound
    same(undisturbed, out)


def _about(out: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((out / "run.json").read_text("utf-8"))
    return content


def test_a_folder_of_releases(units: Path, undisturbed: Path, tmp_path: Path) -> None:
    folder, block = tmp_path / "releases", table(undisturbed, "summary").release[3]
    (folder / "north").mkdir(parents=True)
    assert run("census", "release", units, block, "--out", folder / "north" / block).status == 0
    assert run("census", "release", units, block, "--out", folder / "as.json").status == 0
    write_release(folder / "people")
    write_release(folder / "wrong", "name,SEX,AGE,count\nN,,,five\n,X,,1\n")
    write_release(folder / "contradiction", "name,SEX,AGE,count\nN,,,5\nwomen,F,,2\nmen,M,,2\n")
    write_release(folder / "clash", "state,count\n,5\n", {"columns": {"state": ["a", "b"]}})
    ran = run("run", folder, "--out", tmp_path / "run", "--workers", 2)
    assert ran.status == 3, ran.err
    assert "6 releases audited" in ran.out
    assert "Failed: 3" in ran.out
    failures = table(tmp_path / "run", "failures").set_index("release").reason
    assert sorted(failures.index) == ["clash", "contradiction", "wrong"]
    assert "statistics.csv, row 2, column count: 'five' is not a number" in failures["wrong"]
    assert "(and 1 more)" in failures["wrong"]
    assert "rename it" in failures["clash"]
    assert failures["contradiction"]
    facts = table(tmp_path / "run", "facts")
    expected = table(undisturbed, "facts")
    expected = expected[expected.release == block]
    assert set(facts[facts.release == f"north/{block}"].state) == {block[:2]}
    for name in (f"north/{block}", "as.json"):
        mine, theirs = (frame[list(expected.columns[2:])].astype(object) for frame in (facts[facts.release == name], expected))
        assert mine.fillna("").to_numpy().tolist() == theirs.fillna("").to_numpy().tolist()
    assert facts[facts.release == "people"].SEX.notna().any()


def test_a_table_of_releases(units: Path, undisturbed: Path, tmp_path: Path) -> None:
    made = run("census", "release", units, "01", "02", "--each", "--out", tmp_path / "table")
    assert made.status == 0, made.err
    ran = run("run", tmp_path / "table", "--out", tmp_path / "run", "--workers", 2)
    assert (ran.status, ran.err) == (0, "")
    facts, expected = table(tmp_path / "run", "facts"), table(undisturbed, "facts")
    pd.testing.assert_frame_equal(facts, expected)
    columns = [name for name in table(tmp_path / "run", "summary").columns if name != "seconds"]
    pd.testing.assert_frame_equal(table(tmp_path / "run", "summary")[columns], table(undisturbed, "summary")[columns])


def test_a_wrong_row_of_a_table_fails_alone(tmp_path: Path) -> None:
    folder = tmp_path / "table"
    write_release(folder, "unused", counts="release,N,women\ng,5,2\na,2,3\nb,4,1\n", predicates="name,SEX,AGE\nN,,\nwomen,F,\n")
    (folder / "statistics.csv").unlink()
    ran = run("run", folder, "--out", tmp_path / "run", "--workers", 1)
    assert ran.status == 3
    assert table(tmp_path / "run", "summary").release.tolist() == ["b", "g"]
    [reason] = table(tmp_path / "run", "failures").reason
    assert "counts.csv, release a: women: the count 3 is larger than the number of records, 2" in reason
