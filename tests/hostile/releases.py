"""Hostile releases, records and proofs: what a command is given is made in a folder, and the command's words are returned."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tests.cli.commands import DOMAIN, STATISTICS, run, write_release
from tests.hostile.tables import BYTES, JSON_TEXTS, STRANGE, places, put

Make = Callable[[Path], list[object]]
"""Writes files into a folder and says which command to run on them."""

GOOD: dict[str, Any] = {
    "columns": {"SEX": {"F": "woman", "M": "man"}, "AGE": ["1", "2", "many"]},
    "labels": {"SEX": "sex"},
    "record": "person",
    "numbers": {"AGE": {"many": "3.5"}},
    "groups": {"AGE": {"some": ["1", "2"]}},
    "marks": {"*": "1..4"},
    "statistics": [
        {"name": "N", "table": "T", "count": 9},
        {"name": "w", "where": {"SEX": ["F"]}, "low": 2, "high": 5},
        {"name": "star", "where": {"SEX": ["M"], "AGE": ["1", "2"]}, "mark": "*"},
        {"name": "mean", "measure": "mean", "of": "AGE", "value": "2.0"},
        {"name": "share", "measure": "percent", "of": "N", "where": {"AGE": ["1"]}, "value": "33"},
        {"name": "gone", "where": {"AGE": ["2"]}, "status": "withheld"},
    ],
    "rules": [{"SEX": ["F"], "AGE": ["many"]}],
}
STATISTIC_ROWS = {
    "counts of all kinds": "SEX,count\n,9\nF,<5\nM,100+\n",
    "great counts": f"SEX,count\n,{2**62}\nF,{2**62 - 1}\n",
    "greater counts": f"SEX,count\n,{2**63}\n",
    "very long counts": f"SEX,count\n,{'9' * 5000}\n",
    "digits of others": "SEX,count\n,\u0669\n",
    "superscripts": "SEX,count\n,\u00b2\n",
    "ranges of nothing": "SEX,low,high\n,5,4\n",
    "less than nothing": "SEX,count\n,<0\n",
    "a plus alone": "SEX,count\n,+\n",
    "a long range": f"SEX,count\n,{'1-' * 500}1\n",
    "many groups": "AGE,count\n,9\n" + "15-24|25-34,1\n" * 2000,
    "values twice": "AGE,count\n,9\n15-24|15-24,1\n",
    "blank values": "AGE,count\n,9\n15-24||25-34,1\n",
    "a column twice": "AGE,AGE,count\n,,9\n",
    "columns of figures": "AGE,measure,of,value\n,mean,AGE,3\n",
    "a figure of nothing": "SEX,measure,of,value\n,percent,nobody,3\n",
    "a percent of itself": "name,SEX,measure,of,value\np,,percent,p,3\n",
    "long decimals": f"SEX,count,measure,of,value\n,9,,,\nF,,percent,,0.{'3' * 5000}\n",
    "quotients": "SEX,count,measure,of,low,high\n,9,,,,\nF,,percent,,1/3,1/0\n",
    "marks unknown": "SEX,count,mark\n,9,\nF,,*\n",
    "a status": "SEX,count,status\n,9,\nF,,gone\n",
    "nothing": "SEX,count\n",
    "wide": "SEX,count" + ",x" * 5000 + "\n",
    "a long cell": f"SEX,count\n,9\n{'F' * 140_000},1\n",
}
PEOPLE = "SEX,AGE\nF,1\nM,2\nF,3\n"
PEOPLE_FILES = {
    "great numbers": f"SEX,AGE\nF,{'9' * 400}\n",
    "many columns": ",".join(f"c{i}" for i in range(3000)) + "\n" + ",".join("1" for _ in range(3000)) + "\n",
    "a blank name": "SEX,\nF,1\n",
    "the same name": "SEX,SEX\nF,M\n",
    "names of files": "count,low\n1,2\n",
    "bars": "SEX,AGE\nF|M,1\n",
    "many values": "SEX,AGE\n" + "".join(f"F,{i}\n" for i in range(3000)),
    "blanks": "SEX,AGE\n F ,1\n",
    "no rows": "SEX,AGE\n",
    "formulas": "SEX,AGE\n=1+1,1\n",
    "half of a row": "SEX,AGE\nF\n",
    "a long cell": f"SEX,AGE\n{'F' * 140_000},1\n",
}


def write(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass"))
    return path


def words(folder: Path, release: Path, command: tuple[object, ...]) -> list[object]:
    """A command about a release; `check` gets a file of proofs that holds none, and reads the release nevertheless."""
    further = [write(folder / "none.json", "{}")] if command[0] == "check" else []
    return [command[0], release, *further, *command[1:]]


def of_json(content: Any, *command: object) -> Make:
    def make(folder: Path) -> list[object]:
        path = write(folder / "r.json", content if isinstance(content, str | bytes) else json.dumps(content))
        return words(folder, path, command)

    return make


def of_folder(name: str, content: str | bytes, *command: object) -> Make:
    def make(folder: Path) -> list[object]:
        release = write_release(folder / "release")
        write(release / name, content)
        return words(folder, release, command)

    return make


def with_proofs(content: str | bytes) -> Make:
    def make(folder: Path) -> list[object]:
        return ["check", write_release(folder / "release"), write(folder / "proofs.json", content), "--complete"]

    return make


def of_people(content: str | bytes, *more: str) -> Make:
    def make(folder: Path) -> list[object]:
        return ["tabulate", write(folder / "people.csv", content), "--margins", "SEX", *more, "--out", folder / "out"]

    return make


def with_crosswalk(content: str | bytes) -> Make:
    def make(folder: Path) -> list[object]:
        one, other = write_release(folder / "june"), write_release(folder / "july")
        return ["join", one, other, "--crosswalk", write(folder / "walk.csv", content), "--out", folder / "both"]

    return make


def of_counts(counts: str | bytes, name: str = "counts.csv", predicates: str | bytes = "name,SEX,AGE\nN,,\nw,F,\n") -> Make:
    def make(folder: Path) -> list[object]:
        many = folder / "many"
        many.mkdir()
        write(many / "domain.json", json.dumps(DOMAIN))
        write(many / "predicates.csv", predicates)
        write(many / name, counts)
        return ["run", many, "--workers", 1, "--out", folder / "run"]

    return make


def of_parquet(columns: dict[str, Any], metadata: bytes | None = None, cut: int | None = None) -> Make:
    def make(folder: Path) -> list[object]:
        import pyarrow as pa
        import pyarrow.parquet as parquet

        table = pa.table(columns)
        path = folder / "r.parquet"
        parquet.write_table(table if metadata is None else table.replace_schema_metadata({b"foregone.release": metadata}), path)
        if cut is not None:
            path.write_bytes(path.read_bytes()[:cut])
        return ["audit", path]

    return make


def counts_parquet(columns: dict[str, Any]) -> Make:
    def make(folder: Path) -> list[object]:
        import pyarrow as pa
        import pyarrow.parquet as parquet

        arguments = of_counts("", "counts.parquet")(folder)
        parquet.write_table(pa.table(columns), folder / "many" / "counts.parquet")
        return arguments

    return make


def repeated(value: Any) -> Any:
    """A column of ten million equal values, which take a few bytes in a file."""
    import pyarrow as pa

    return pa.nulls(10_000_000) if value is None else pa.repeat(value, 10_000_000)


def proofs_document(folder: Path) -> Any:
    """Genuine proofs, to be spoilt."""
    assert run("audit", write_release(folder / "made"), "--proofs", folder / "made.json").status == 0
    return json.loads((folder / "made.json").read_text())


def releases() -> Iterator[tuple[str, Make]]:
    for i, path in enumerate(places(GOOD)):
        for value in STRANGE[i % 2 :: 2] if len(path) < 3 else STRANGE[i % 5 :: 5]:
            yield f"release: {'.'.join(map(str, path))} is {value!r:.20}", of_json(put(GOOD, path, value), "bounds", "SEX=F")
    for i, path in enumerate(places(GOOD)):
        yield f"check: {'.'.join(map(str, path))} is strange", of_json(put(GOOD, path, STRANGE[i % len(STRANGE)]), "check")
    for what, text in JSON_TEXTS.items():
        yield f"release: {what}", of_json(text, "audit")
        yield f"check a release: {what}", of_json(text, "check")
        yield f"proofs: {what}", with_proofs(text)
    for what, rows in STATISTIC_ROWS.items():
        yield f"statistics: {what}", of_folder("statistics.csv", rows, "audit", "--time-limit", 2)
        yield f"check statistics: {what}", of_folder("statistics.csv", rows, "check")
    for i, (what, raw) in enumerate(BYTES.items()):
        for name in ("statistics.csv", "rules.csv", "truth.csv", "places.csv", "assumptions.txt", "domain.json")[i % 3 :: 3]:
            yield f"{name}: {what}", of_folder(name, raw, "audit", "--time-limit", 2)
        yield f"check: {what}", of_folder(("statistics.csv", "rules.csv", "domain.json")[i % 3], raw, "check")
    for what, raw in list(BYTES.items())[::3]:
        yield f"proofs: {what}", with_proofs(raw)
        yield f"people: {what}", of_people(raw)
        yield f"crosswalk: {what}", with_crosswalk(raw)
        yield f"counts: {what}", of_counts(raw)
        yield f"predicates: {what}", of_counts("release,N,w\na,5,2\n", predicates=raw)
        yield f"counts.parquet: {what}", of_counts(raw, "counts.parquet")
    for what, text in PEOPLE_FILES.items():
        yield f"people: {what}", of_people(text)
        yield f"people with means: {what}", of_people(text, "--mean", "AGE", "--percent", "SEX")
    for walk in (
        "column,old,new\nSEX,F,\n",
        "column,old,new\nHAT,F,M\n",
        "column,old,new\nSEX,F,F|F\n",
        "column,old\nSEX,F\n",
        "a,b,c\n",
    ):
        yield f"crosswalk: {walk!r}", with_crosswalk(walk)
    for row in (
        "a,-1,0",
        "a,1,2,3",
        "a,x,y",
        ",1,2",
        "a,1,2\na,1,2",
        f"a,{'9' * 50},1",
        "a,,",
        "a,5,<3",
        "a,1e3,2",
        "a,5+,2",
        "a,2,5",
    ):
        yield f"counts: {row!r}", of_counts(f"release,N,w\n{row}\n")
    good = {"release": ["a"], "N": [5], "w": [2]}
    for key in good:
        for column in ([None], [1.5], [True], ["x"], [b"x"], [[1]], [{"a": 1}], [-1], [2**63 - 1]):
            yield f"counts.parquet: {key} is {column}", counts_parquet({**good, key: column})
    said = json.dumps({**DOMAIN, "statistics": [{"name": "N", "count": 5}]}).encode()
    columns: dict[str, Any] = {"name": ["N"], "table": [""], "SEX": [None], "AGE": [None], "low": [5], "high": [5]}
    for key in columns:
        for column in ([None], [1.5], [True], ["x"], [b"x"], [[1]], [2**63 - 1]):
            yield f"parquet: {key} is {column}", of_parquet({**columns, key: column}, said)
    for i, meta in enumerate(
        [b"", b"{}", b"[]", b"\xff", b"null", b'{"columns": {}}', said[:-5], b"[" * 50_000, said.replace(b"5", b"5.0")]
    ):
        yield f"parquet: metadata {i}", of_parquet(columns, meta)
    for cut in (0, 1, 4, 8, 100, 400, 900):
        yield f"parquet: cut at {cut}", of_parquet(columns, said, cut)
    yield "parquet: no metadata", of_parquet(columns)
    many = {"release": repeated("a"), "N": repeated(5), "w": repeated(2)}
    yield "counts.parquet: many equal rows", counts_parquet(many)
    yield "parquet: many equal rows", of_parquet({name: repeated(column[0]) for name, column in columns.items()}, said)
    for name in ("F" * 70_000, "SEX=" * 500, "SEX=F, " * 500, "|" * 1000, "\u0000", "SEX=F\n"):
        yield f"claim: {name[:10]!r}", of_folder("statistics.csv", STATISTICS, "bounds", name)


def proofs(folder: Path) -> Iterator[tuple[str, Make]]:
    """Every place of genuine proofs with something strange in it."""
    document = proofs_document(folder)
    for i, path in enumerate(places(document)):
        value = STRANGE[i % len(STRANGE)]
        yield f"proofs: {'.'.join(map(str, path))} is {value!r:.20}", with_proofs(json.dumps(put(document, path, value)))
