"""Every published variant of a unit file gives the same records; every kind of bad row is named by its line."""

from __future__ import annotations

import gzip
import zipfile
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pyarrow.parquet as parquet
import pytest
from typer.testing import CliRunner

from foregone.census.household.kind import ATTRIBUTES
from foregone.census.unit_files.ingest import ingest
from foregone.cli.app import app
from foregone.model.errors import InputError

pytestmark = pytest.mark.slow

OLD = {name: name[1:] for name in ("THHLDRAGE", "THHSPAN", "THHRACE", "TP18", "TP60", "TP65", "TP75")}


@pytest.fixture(scope="module")
def frame(units: pd.DataFrame) -> pd.DataFrame:
    return units.drop(columns="block").iloc[::3].reset_index(drop=True)


def read(path: Path, out: Path) -> pd.DataFrame:
    ingest(path, out)
    return pd.read_parquet(out)


def commented(text: str) -> str:
    lines = text.splitlines(keepends=True)
    return "".join(["# made for a test\n", "\n", lines[0], "# between\n", *lines[1:5], "# again, with, commas\n", *lines[5:]])


PLAIN: dict[str, Callable[[pd.DataFrame], str]] = {
    "comma": lambda f: f.to_csv(index=False),
    "pipe": lambda f: f.to_csv(index=False, sep="|"),
    "comments": lambda f: commented(f.to_csv(index=False)),
    "pipe with comments": lambda f: commented(f.to_csv(index=False, sep="|")),
    "geography last": lambda f: f[[*f.columns[7:], *f.columns[:7]]].to_csv(index=False),
    "reversed": lambda f: f[f.columns[::-1]].to_csv(index=False),
    "old names": lambda f: f.rename(columns=OLD).to_csv(index=False),
    "TABTRACT": lambda f: f.rename(columns={"TABTRACTCE": "TABTRACT", "TABBLKGRPCE": "TABBLKGRP"}).to_csv(index=False),
    "both spellings": lambda f: f.assign(TABTRACT="x", HHRACE="").to_csv(index=False),
    "no leading zeros": lambda f: f.replace(r"^0+(?=\d)", "", regex=True).to_csv(index=False),
    "more leading zeros": lambda f: f.assign(TEN="0" + f.TEN, HHSIZE="00" + f.HHSIZE).to_csv(index=False),
    "extra columns": lambda f: f.assign(TENSHORT="1", HH_STATUS="1", ZCTA5CE="99999", NOTE="a b").to_csv(index=False),
    "no schema columns": lambda f: f.drop(columns=["SCHEMA_TYPE_CODE", "SCHEMA_BUILD_ID"]).to_csv(index=False),
    "lower case": lambda f: f.rename(columns=str.lower).to_csv(index=False),
    "quoted": lambda f: f.to_csv(index=False, quoting=1),
    "windows line ends": lambda f: f.to_csv(index=False, lineterminator="\r\n"),
    "blanks around": lambda f: f.assign(TEN=" " + f.TEN + " ").to_csv(index=False),
    "byte order mark": lambda f: "\ufeff" + f.to_csv(index=False),
    "no last line end": lambda f: f.to_csv(index=False).rstrip("\n"),
    "without PAC": lambda f: f.drop(columns="PAC").to_csv(index=False),
    "PAC not supported": lambda f: f.assign(PAC="9").to_csv(index=False),
}


@pytest.fixture(scope="module")
def expected(frame: pd.DataFrame) -> pd.DataFrame:
    """The records by plain pandas: housing units only, sorted, codes as numbers."""
    made = frame[frame.RTYPE == "2"].copy()
    made["block"] = made.TABBLKST + made.TABBLKCOU + made.TABTRACTCE + made.TABBLK
    made["occupied"] = made.VACS == "0"
    made[list(ATTRIBUTES)] = made[list(ATTRIBUTES)].astype(int)
    return made[["block", "occupied", *ATTRIBUTES]].sort_values(["block", "occupied", *ATTRIBUTES], ignore_index=True)


def same(found: pd.DataFrame, expected: pd.DataFrame) -> bool:
    assert (found.state == found.block.str[:2]).all()
    assert (found.tract == found.block.str[:11]).all()
    assert found.block.is_monotonic_increasing
    mine = found[list(expected.columns)].astype(dict.fromkeys(ATTRIBUTES, int))
    ordered = mine.sort_values(["block", "occupied", *ATTRIBUTES], ignore_index=True)
    return ordered.astype(object).equals(expected.astype(object))


@pytest.mark.parametrize("variant", list(PLAIN))
def test_plain_variants(variant: str, frame: pd.DataFrame, expected: pd.DataFrame, tmp_path: Path) -> None:
    path = tmp_path / "units.csv"
    path.write_text(PLAIN[variant](frame), "utf-8", newline="")
    found = read(path, tmp_path / "out.parquet")
    assert same(found, expected)
    assert ("PAC" in found) == (variant != "without PAC")


@pytest.mark.parametrize("kind", ["gz", "zip"])
@pytest.mark.parametrize("text", ["comma", "pipe with comments"])
def test_compressed_variants(kind: str, text: str, frame: pd.DataFrame, expected: pd.DataFrame, tmp_path: Path) -> None:
    content = PLAIN[text](frame).encode()
    path = tmp_path / f"units.{kind}"
    if kind == "gz":
        path.write_bytes(gzip.compress(content))
    else:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("folder/units.csv", content)
            archive.writestr("readme.md", "nothing")
    assert same(read(path, tmp_path / "out.parquet"), expected)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["out.parquet", path.name]


def test_large_households_of_early_files_become_seven_or_more(frame: pd.DataFrame, tmp_path: Path) -> None:
    path = tmp_path / "units.csv"
    frame.assign(HHSIZE=frame.HHSIZE.replace("7", "11")).to_csv(path, index=False)
    assert read(path, tmp_path / "out.parquet").HHSIZE.max() == 7


def test_counts_and_the_synthetic_mark(raw: Path, units: pd.DataFrame, tmp_path: Path) -> None:
    found = ingest(raw, tmp_path / "out.parquet")
    assert found.records == ((units.RTYPE == "2") & (units.VACS == "0")).sum()
    assert found.vacant == (units.VACS != "0").sum()
    assert found.quarters == (units.RTYPE == "4").sum()
    assert (found.bad, found.synthetic) == (0, True)
    assert parquet.read_metadata(tmp_path / "out.parquet").metadata[b"synthetic"] == b"yes"
    real = tmp_path / "real.csv"
    units.drop(columns="block").assign(SCHEMA_BUILD_ID="1.1.0").to_csv(real, index=False)
    assert not ingest(real, tmp_path / "real.parquet").synthetic


HOUSEHOLD = {"RTYPE": "2", "VACS": "0", "TEN": "1", "HHSIZE": "2", "HHT": "1", "HHT2": "02"}
BAD: dict[str, tuple[dict[str, str], str]] = {
    "unknown tenure": ({"TEN": "9"}, "TEN is '9', expected 0 to 4"),
    "unknown race": ({"THHRACE": "08"}, "THHRACE is '08', expected 0 to 7"),
    "letters": ({"HHT": "x"}, "HHT is 'x', expected 0 to 7"),
    "a fraction": ({"HHT": "1.5"}, "HHT is '1.5', expected 0 to 7"),
    "a sign": ({"TEN": "+1"}, "TEN is '+1', expected 0 to 4"),
    "negative": ({"TP18": "-1"}, "TP18 is '-1', expected 0 to 1"),
    "empty": ({"THHLDRAGE": ""}, "THHLDRAGE is '', expected 0 to 9"),
    "row type": ({"RTYPE": "3"}, "RTYPE is '3', expected 2 (housing unit) or 4 (group quarters)"),
    "state": ({"TABBLKST": "03"}, "TABBLKST is '03', expected the two-digit code of a state"),
    "county": ({"TABBLKCOU": "000"}, "TABBLKCOU is '000', expected a code of 3 digits, not 0"),
    "long county": ({"TABBLKCOU": "1234"}, "TABBLKCOU is '1234', expected a code of 3 digits, not 0"),
    "tract": ({"TABTRACTCE": "abc"}, "TABTRACTCE is 'abc', expected a code of 6 digits, not 0"),
    "block": ({"TABBLK": "12345"}, "TABBLK is '12345', expected a block number of four digits"),
    "group": ({"TABBLKGRPCE": "9"}, "TABBLKGRPCE is '9', but block"),
    "neither occupied nor vacant": ({"HHSIZE": "0"}, "VACS is 0 (occupied) but HHSIZE is 0"),
    "both occupied and vacant": ({"VACS": "3"}, "VACS is 3 (vacant) but TEN is 1"),
}


@pytest.mark.parametrize("kind", list(BAD))
def test_bad_rows_stop_the_run_and_are_named(kind: str, frame: pd.DataFrame, tmp_path: Path) -> None:
    change, message = BAD[kind]
    at = int(frame.index[(frame.RTYPE == "2") & (frame.VACS == "0")][20])
    broken = frame.copy()
    for name, code in {**HOUSEHOLD, **change}.items():
        broken.loc[at, name] = code
    path = tmp_path / "units.csv"
    path.write_text("# a comment\n" + broken.to_csv(index=False), "utf-8")
    with pytest.raises(InputError) as caught:
        ingest(path, tmp_path / "out.parquet")
    assert caught.value.problems[0].startswith(f"{path}, row {at + 3}: {message}")
    assert "1 row is bad" in caught.value.problems[-1]
    assert len(caught.value.problems) == 2
    assert [p.name for p in tmp_path.iterdir()] == ["units.csv"]
    skipped = ingest(path, tmp_path / "out.parquet", skip_bad=True)
    assert skipped.bad == 1
    assert len(pd.read_parquet(tmp_path / "out.parquet")) == (frame.RTYPE == "2").sum() - 1


@pytest.mark.parametrize("sep", [",", "|"])
def test_short_and_long_rows(sep: str, frame: pd.DataFrame, tmp_path: Path) -> None:
    lines = frame.to_csv(index=False, sep=sep).splitlines()
    lines[4] = lines[4].rsplit(sep, 3)[0]
    lines[9] += f"{sep}1{sep}2"
    path = tmp_path / "units.csv"
    path.write_text("\n".join(lines) + "\n", "utf-8")
    with pytest.raises(InputError) as caught:
        ingest(path, tmp_path / "out.parquet")
    assert [p.split(": ", 1)[1].split(";")[0] for p in caught.value.problems[:2]] == [
        "24 fields, but the header has 27 columns",
        "29 fields, but the header has 27 columns",
    ]
    assert ", row 5:" in caught.value.problems[0]
    assert ", row 10:" in caught.value.problems[1]
    assert ingest(path, tmp_path / "out.parquet", skip_bad=True).bad == 2


def test_only_the_first_ten_bad_rows_are_spelled_out(frame: pd.DataFrame, tmp_path: Path) -> None:
    broken = frame.copy()
    broken.loc[broken.index[broken.VACS != "0"][:25], "VACS"] = "8"
    path = tmp_path / "units.csv"
    broken.to_csv(path, index=False)
    with pytest.raises(InputError) as caught:
        ingest(path, tmp_path / "out.parquet")
    assert len(caught.value.problems) == 11
    assert "25 rows are bad; the first 10 are above" in caught.value.problems[-1]


def test_group_quarters_need_no_attributes(frame: pd.DataFrame, tmp_path: Path) -> None:
    quarters = frame.copy()
    quarters.loc[0, list(frame.columns[9:])] = ""
    quarters.loc[0, "RTYPE"] = "4"
    quarters.to_csv(tmp_path / "units.csv", index=False)
    assert ingest(tmp_path / "units.csv", tmp_path / "out.parquet").quarters == (quarters.RTYPE == "4").sum()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("EPNUM,RTYPE,QAGE\n1,3,44\n", "TABBLKST, TABBLKCOU"),
        ("", "no header line"),
        ("# only a comment\n", "no header line"),
    ],
)
def test_other_files_are_refused(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "units.csv"
    path.write_text(text, "utf-8")
    with pytest.raises(InputError, match=message):
        ingest(path, tmp_path / "out.parquet")


def test_missing_files_broken_zips_and_wrong_endings(frame: pd.DataFrame, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no such file"):
        ingest(tmp_path / "none.csv", tmp_path / "out.parquet")
    (tmp_path / "bad.zip").write_bytes(b"PK\x03\x04 and nothing else")
    with pytest.raises(InputError, match="not a readable zip"):
        ingest(tmp_path / "bad.zip", tmp_path / "out.parquet")
    with zipfile.ZipFile(tmp_path / "two.zip", "w") as archive:
        archive.writestr("a.csv", "x")
        archive.writestr("b.csv", "x")
    with pytest.raises(InputError, match="holds 2 csv"):
        ingest(tmp_path / "two.zip", tmp_path / "out.parquet")
    with pytest.raises(InputError, match=r"not \.parquet"):
        ingest(tmp_path / "none.csv", tmp_path / "out.csv")
    frame[frame.RTYPE == "4"].to_csv(tmp_path / "quarters.csv", index=False)
    with pytest.raises(InputError, match="no occupied housing unit"):
        ingest(tmp_path / "quarters.csv", tmp_path / "out.parquet")
    (tmp_path / "cut.csv.gz").write_bytes(gzip.compress(frame.to_csv(index=False).encode())[:-2000])
    with pytest.raises(InputError, match="cannot be read"):
        ingest(tmp_path / "cut.csv.gz", tmp_path / "out.parquet")
    assert not (tmp_path / "out.parquet").exists()


def test_the_command(raw: Path, frame: pd.DataFrame, tmp_path: Path) -> None:
    run = CliRunner().invoke
    done = run(app, ["census", "ingest", str(raw), "--out", str(tmp_path / "units.parquet")])
    assert done.exit_code == 0, done.output
    assert "synthetic" in done.output
    broken = frame.copy()
    broken.loc[3, "RTYPE"] = "7"
    broken.to_csv(tmp_path / "bad.csv", index=False)
    command = ["census", "ingest", str(tmp_path / "bad.csv"), "--out", str(tmp_path / "bad.parquet")]
    stopped = run(app, command)
    assert stopped.exit_code == 2
    assert "row 5: RTYPE is '7'" in stopped.output
    assert "--skip-bad" in stopped.output
    skipped = run(app, [*command, "--skip-bad"])
    assert skipped.exit_code == 0
    assert "1 bad row" in skipped.output
