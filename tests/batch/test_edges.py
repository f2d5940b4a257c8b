"""Runs and questions about them when files are not what they should be, and what SQL can reach."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

from tests.batch.handmade import fact, summary_line, write_run
from tests.cli.commands import DOMAIN, Ran, left_behind, run

pytestmark = pytest.mark.slow

BLOCK = "010010001001000"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    facts = [fact(BLOCK, {"SEX": "=F()", "AGE": "-1"})]
    return write_run(tmp_path / "RUN", {"01-00000": [summary_line(BLOCK, 4, [3, 2], [3, 2])]}, {"01-00000": facts})


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    (tmp_path / "secret").mkdir()
    path = tmp_path / "secret" / "salaries.csv"
    path.write_text("name,salary\nme,1\n")
    return path


REACHING = (
    "SELECT * FROM read_csv('{secret}')",
    "SELECT * FROM '{secret}'",
    "SELECT * FROM read_text('{secret}')",
    "SELECT * FROM read_blob('{secret}')",
    "SELECT * FROM read_json('{secret}')",
    "SELECT * FROM sniff_csv('{secret}')",
    "SELECT * FROM glob('{folder}/*')",
    "SELECT * FROM glob('{run}/*')",
    "SELECT * FROM read_text('{run}/run.json')",
    "SELECT * FROM read_text('{run}/facts/../../secret/salaries.csv')",
    "SELECT * FROM read_text('{run}/facts/link.csv')",
    "SELECT * FROM read_parquet('{folder}/*.parquet')",
    "SELECT * FROM query('FROM read_text(''{secret}'')')",
    "SELECT * FROM query_table('{secret}')",
    "SELECT (SELECT count(*) FROM read_text('{secret}'))",
    "WITH x AS (FROM read_text('{secret}')) SELECT * FROM x",
    "SELECT * FROM 'http://localhost:1/x.csv'",
    "SELECT * FROM parquet_metadata('{folder}/x.parquet')",
    "SELECT * FROM duckdb_secrets()",
    "SELECT * FROM run",  # no variable of the program is a table
    "COPY facts TO '{folder}/stolen.csv'",
    "COPY (SELECT 1) TO '{folder}/stolen.csv'",
    "ATTACH '{folder}/stolen.duckdb'",
    "EXPORT DATABASE '{folder}/stolen'",
    "CREATE TABLE x AS FROM read_text('{secret}')",
    "INSTALL httpfs",
    "LOAD httpfs",
    "SET enable_external_access = true",
    "SET GLOBAL lock_configuration = false",
    "RESET allowed_directories",
    "PRAGMA database_list",
    "PRAGMA enable_profiling",
    "CALL pragma_version()",
    "SELECT 1; SET enable_external_access = true",
)


@pytest.mark.parametrize("sql", REACHING)
@pytest.mark.parametrize("out", ["", "rows.csv", "rows.parquet"])
def test_sql_reaches_nothing_but_the_run(tmp_path: Path, folder: Path, secret: Path, sql: str, out: str) -> None:
    (folder / "facts" / "link.csv").symlink_to(secret)
    before = set(tmp_path.rglob("*"))
    more = ["--out", tmp_path / out] if out else []
    ran = run("query", folder, "--sql", sql.format(secret=secret, folder=secret.parent, run=folder), *more)
    assert ran.status == 2, ran
    assert len(ran.problems) == 1
    assert "salary" not in ran.out + ran.err
    assert not left_behind(tmp_path, before)


def test_sql_reaches_the_run(folder: Path) -> None:
    ran = run("query", folder, "--sql", "SELECT f.release, s.records FROM facts f JOIN summary s USING (release)")
    assert ran.status == 0, ran.err
    assert BLOCK in ran.out
    big = "SELECT count(*) AS n FROM (SELECT * FROM facts, range(2000000) ORDER BY hash(range))"
    assert "2,000,000" in run("query", folder, "--sql", big).out, "sorting still may use the disk"


def test_rows_are_written_in_their_order(tmp_path: Path, folder: Path) -> None:
    sql = "SELECT 'x' || range AS x, range AS n FROM range(300000) ORDER BY hash(range), range"
    for name in ("rows.csv", "rows.parquet"):
        assert run("query", folder, "--sql", sql, "--out", tmp_path / name).status == 0
    with (tmp_path / "rows.csv").open(newline="") as file:
        written = [row[0] for row in csv.reader(file)][1:]
    assert written == parquet.read_table(tmp_path / "rows.parquet")["x"].to_pylist()


def test_a_run_behind_a_link(tmp_path: Path, folder: Path) -> None:
    (tmp_path / "link").symlink_to(folder)
    assert run("query", tmp_path / "link", "--sql", "SELECT count(*) FROM facts").status == 0
    assert run("query", tmp_path / "link", "--by", "state").status == 0


def test_rows_in_csv_are_no_formulas(tmp_path: Path, folder: Path) -> None:
    sql = """SELECT *, '+1' AS n, '''=x' AS q, 5 AS "=head", 'a"b' AS "d""q", NULL AS none, -2.5 AS f, [1] AS "list" FROM facts"""
    ran = run("query", folder, "--sql", sql, "--out", tmp_path / "rows.csv")
    assert ran.status == 0, ran.err
    with (tmp_path / "rows.csv").open(newline="") as file:
        header, row = csv.reader(file)
    assert dict(zip(header, row, strict=True)) == {
        "release": BLOCK, "state": "01", "SEX": "'=F()", "AGE": "-1", "count": "1", "columns": "2", "ground": "linear",
        "exact": "", "published": "", "printed": "", "attributes": "2",
        "n": "+1", "q": "''=x", "'=head": "5", 'd"q': 'a"b', "none": "", "f": "-2.5", "list": "[1]",
    }  # fmt: skip


def test_cells_on_the_terminal_stay_in_their_line(folder: Path) -> None:
    ran = run("query", folder, "--sql", "SELECT 'a' || chr(10) || 'b' || chr(27) AS \"x\ny\"")
    assert ran.status == 0, ran.err
    assert ran.out.splitlines() == ["x\\ny", "a\\nb\\x1b"]


@pytest.mark.parametrize(
    "content",
    ["[]", "null", "5", "{", "", '{"options": []}', '{"options": {"units": []}}', '{"input": {"name": 5}}', '{"noun": 5}',
     '{"parts": true}', '{"parts": "x"}', '{"versions": {"foregone": []}}', '{"settings": {"time_limit": "x"}}',
     '{"noun": "a", "noun": "b"}', '{"complete": 1}'],
)  # fmt: skip
def test_a_strange_run_json(tmp_path: Path, folder: Path, content: str) -> None:
    (folder / "run.json").write_text(content)
    source = table(tmp_path / "table", "release,N,women\na,2,1\n")
    before = set(tmp_path.rglob("*"))
    for arguments in (["query", folder], ["report", folder, "--out", tmp_path / "page.html"], ["run", source, "--out", folder]):
        ran = run(*arguments)
        assert ran.status == 2, ran
        assert "run.json" in ran.err
        assert "internal" not in ran.err
    assert not left_behind(tmp_path, before)


@pytest.mark.parametrize("kind", ["facts", "summary", "failures"])
@pytest.mark.parametrize("content", [None, pa.table({"x": [1]}), b"", b"PAR1 and more PAR1"])
def test_parts_that_are_no_parts(tmp_path: Path, folder: Path, kind: str, content: object) -> None:
    part = folder / kind / "01-00000.parquet"
    if content is None:
        part.unlink()
        part.symlink_to("nowhere")
    elif isinstance(content, bytes):
        part.write_bytes(content)
    else:
        parquet.write_table(content, part)
    for arguments in (["query", folder], ["query", folder, "--by", "k"], ["report", folder, "--out", tmp_path / "page.html"]):
        ran = run(*arguments)
        assert ran.status == 2, ran
        assert "internal" not in ran.err


def table(path: Path, counts: str | pa.Table) -> Path:
    path.mkdir()
    (path / "domain.json").write_text(json.dumps(DOMAIN))
    (path / "predicates.csv").write_text("name,SEX\nN,\nwomen,F\n")
    if isinstance(counts, str):
        (path / "counts.csv").write_text(counts)
    else:
        parquet.write_table(counts, path / "counts.parquet")
    return path


def refused(tmp_path: Path, *arguments: object, words: str) -> Ran:
    before = set(tmp_path.rglob("*"))
    ran = run(*arguments)
    assert ran.status == 2, ran
    assert words in ran.err
    assert "internal" not in ran.err
    assert not left_behind(tmp_path, before)
    return ran


@pytest.mark.parametrize(
    ("counts", "words"),
    [
        ("release,N,women\n", "has no rows"),
        (pa.table({"release": ["a"], "N": [1], "women": [1]}).slice(1), "has no rows"),
        (pa.table([["a"], [1], [1], [1]], names=["release", "N", "N", "women"]), "column 'N' appears twice"),
        (pa.table([["a"], ["a"], [1], [1]], names=["release", "release", "N", "women"]), "column 'release' appears twice"),
        (f"release,N,women\na,{'9' * 5000},1\n", "more than any table counts"),
        (pa.table({"release": ["a"], "N": pa.array([2**64 - 1], pa.uint64()), "women": [1]}), "is not a count"),
    ],
)
def test_strange_tables_of_counts(tmp_path: Path, counts: str | pa.Table, words: str) -> None:
    refused(tmp_path, "run", table(tmp_path / "table", counts), "--out", tmp_path / "RUN", words=words)


def test_links_in_a_folder_of_releases(tmp_path: Path) -> None:
    (tmp_path / "many" / "a").mkdir(parents=True)
    (tmp_path / "many" / "a" / "domain.json").symlink_to("nowhere")
    ran = run("run", tmp_path / "many", "--out", tmp_path / "RUN", "--workers", 1)
    assert ran.status == 3, "a release that cannot be read is a failure, and not left out"
    assert "Failed: 1." in ran.out
    (tmp_path / "loop").mkdir()
    (tmp_path / "loop" / "again").symlink_to(tmp_path / "loop")
    refused(tmp_path, "run", tmp_path / "loop", "--out", tmp_path / "RUN2", words="leads back")


@pytest.mark.slow
def test_a_scheduler_that_is_not_there_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr("foregone.workers.cluster.CONNECT", 1)
    source = table(tmp_path / "table", "release,N,women\na,2,1\n")
    for address in ("tcp://127.0.0.1:1", "tls://127.0.0.1:1", "nonsense"):
        refused(tmp_path, "run", source, "--out", tmp_path / "RUN", "--scheduler", address, words="--scheduler")
    assert run("run", source, "--out", tmp_path / "RUN", "--workers", 1).status == 0


def test_units_that_were_changed(tmp_path: Path) -> None:
    raw, units = tmp_path / "units.csv", tmp_path / "units.parquet"
    assert run("census", "synth", "--out", raw, "--states", 1, "--tracts", 1, "--blocks", 2).status == 0
    assert run("census", "ingest", raw, "--out", units).status == 0
    rows = parquet.read_table(units)
    at = rows.schema.get_field_index("TEN")
    meta = {"foregone": "units 1", "synthetic": "yes", "bad": "0"}
    changed = {
        "code": rows.set_column(at, "TEN", pa.array([9] * len(rows))).replace_schema_metadata(meta),
        "null": rows.set_column(at, "TEN", pa.array([None] * len(rows), pa.int8())).replace_schema_metadata(meta),
        "text": rows.set_column(at, "TEN", pa.array(["a"] * len(rows))).replace_schema_metadata(meta),
        "negative": rows.set_column(at, "TEN", pa.array([-1] * len(rows))).replace_schema_metadata(meta),
        "column": rows.drop_columns(["block"]).replace_schema_metadata(meta),
        "metadata": rows.replace_schema_metadata({**meta, "bad": "x"}),
    }
    for name, wrong in changed.items():
        parquet.write_table(wrong, tmp_path / f"{name}.parquet")
        told = "ingest the unit file again"
        refused(tmp_path, "census", "release", tmp_path / f"{name}.parquet", "01", "--out", tmp_path / "made", words=told)
