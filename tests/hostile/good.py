"""Files of every kind as they should be, to be damaged."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

from tests.cli.commands import STATISTICS, run, write_release
from tests.hostile.releases import (
    GOOD,
    PEOPLE,
    Make,
    counts_parquet,
    of_counts,
    of_folder,
    of_json,
    of_people,
    with_crosswalk,
    with_proofs,
    write,
)
from tests.hostile.tables import CSV, GOOD_STAT, HRC, PX, RDA, SDMX, TAB, sparse
from tests.hostile.workbooks import chart_parts, packed, parts, sheet

FILES = Path(__file__).parents[1] / "tables" / "files"
LAYOUT = """\
rule = "below:5"
record = "patient"
[tokens]
"*" = "1..4"
[[table]]
name = "t"
file = "t.csv"
header = "1"
body = "2-4"
labels = ["A"]
numbers = ["B", "C", "D"]
rows = ["Age"]
columns = ["Sex"]
totals = {"Age" = ["Total"], "Sex" = ["Total"]}
[variables."Sex"]
name = "Gender"
"""


def importing(content: dict[str, str | bytes], *more: object) -> Make:
    def make(folder: Path) -> list[object]:
        paths = [write(folder / name, part) for name, part in content.items()]
        return ["import", paths[0], *more, "--out", folder / "out"]

    return make


def with_layout(content: dict[str, str | bytes], layout: str) -> Make:
    def make(folder: Path) -> list[object]:
        paths = [write(folder / name, part) for name, part in content.items()]
        return ["import", paths[0], "--layout", write(folder / "layout.toml", layout), "--token", "*=1..4", "--out", folder / "out"]

    return make


def book(content: dict[str, str | bytes]) -> Make:
    def make(folder: Path) -> list[object]:
        return ["import", packed(folder / "t.xlsx", content), "--out", folder / "out"]

    return make


def single(suffix: str) -> Make:
    """A release in one file, as Foregone writes it."""

    def make(folder: Path) -> list[object]:
        from foregone import Release

        source = write(folder / "source.json", json.dumps(GOOD))
        Release.read(source).write(folder / f"r{suffix}")
        source.unlink()
        return ["bounds", folder / f"r{suffix}", "SEX=F"]

    return make


def copied(path: Path, layout: str) -> Make:
    content: dict[str, str | bytes] = {path.name: path.read_bytes()}
    content |= {other.name: other.read_bytes() for other in FILES.glob(f"{path.stem}.*") if other != path and path.suffix == ".tab"}
    return with_layout(content, layout) if layout else importing(content, "--token", "*=1..4")


def good(folder: Path) -> Iterator[tuple[str, Make]]:
    for path in sorted(FILES.iterdir()):
        if path.suffix in (".rda", ".hrc"):
            continue
        yield f"file {path.name}", copied(path, "")
        shutil.rmtree(folder / "imported", ignore_errors=True)
        if run("import", path, "--token", "*=1..4", "--out", folder / "imported").status == 0:
            yield f"layout of {path.name}", copied(path, (folder / "imported" / "layout.toml").read_text("utf-8"))
            yield f"release of {path.name}", of_imported(folder / "imported", folder / f"kept {path.name}")
    merged = '<mergeCells><mergeCell ref="B1:C1"/></mergeCells>'
    yield from {
        "workbook": book(parts()),
        "workbook with a merged area": book(parts(sheet1=sheet(after=merged, before='<dimension ref="A1:C3"/>'))),
        "workbook with a chart": book(chart_parts("<chartsheet/>")),
        "JSON-stat": importing({"t.json": json.dumps(GOOD_STAT)}),
        "sparse JSON-stat": importing({"t.json": json.dumps(sparse([3, 4, 5], {"1": 4, "7": 3, "59": 9}))}),
        "PC-Axis": importing({"t.px": PX}),
        "tau-Argus": importing({"t.tab": TAB, "t.rda": RDA, "town.hrc": HRC}),
        "SDMX": importing({"t.csv": SDMX}),
        "layout": with_layout({"t.csv": CSV}, LAYOUT),
        "release in a file": of_json(GOOD, "bounds", "SEX=F"),
        "release to check": of_json(GOOD, "check"),
        "release as JSON": single(".json"),
        "release as Parquet": single(".parquet"),
        "statistics": of_folder("statistics.csv", STATISTICS, "audit", "--time-limit", 2),
        "rules": of_folder("rules.csv", "SEX,AGE\nM,75-84\n", "audit", "--time-limit", 2),
        "truth": of_folder("truth.csv", "SEX,AGE,n\nF,65-74,1\nF,15-24,1\nM,15-24,3\n", "audit", "--time-limit", 2),
        "people": of_people(PEOPLE, "--mean", "AGE", "--percent", "SEX"),
        "crosswalk": with_crosswalk("column,old,new\nSEX,F,F\n"),
        "counts": of_counts("release,N,w.low,w.high\na,5,2,3\nb,4,0,\n"),
        "counts as Parquet": counts_parquet({"release": ["a", "b"], "N": [5, 4], "w": [2, 4]}),
    }.items()
    assert run("audit", write_release(folder / "proved"), "--proofs", folder / "proved.json").status == 0
    yield "proofs", with_proofs((folder / "proved.json").read_text())


def of_imported(source: Path, kept: Path) -> Make:
    shutil.copytree(source, kept)

    def make(folder: Path) -> list[object]:
        shutil.copytree(kept, folder / "release")
        return ["bounds", folder / "release", "--hidden", "--time-limit", 2, "--out", folder / "cells.csv"]

    return make
