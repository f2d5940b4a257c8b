"""What a study found, for its page: claims with many columns, and how surprising each one is."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from foregone.census.geography import BLOCKS, place_sql
from foregone.census.kinds import KINDS
from foregone.census.subjects import census_subject
from foregone.formats.database import database, quoted
from foregone.formats.strict_json import Kinds, read_object
from foregone.formats.text import is_there
from foregone.model.errors import InputError
from foregone.model.subject import Subject
from foregone.pages.collection import (
    CHOSEN_OF_EACH,
    CHOSEN_OF_PLACE,
    LARGEST_GROUP,
    Chances,
    Collection,
    LocatedFact,
    Place,
    over,
    ranked_fact,
)
from foregone.pages.thresholds import Thresholds

PRIOR = "tract"
ABOUT: Kinds = {
    "options": {"subject": str, "variant": str, "units": str, "min_columns": int},
    "input": {"sha256": str, "synthetic": bool, "name": str},
    "versions": {"foregone": str},
    "undecided": int,
}
WHOLE = "give the whole folder that `foregone census study` wrote"
AT_ONCE = 50  # claims fetched for each that is wanted: most are shorter forms of another


def is_study(path: Path) -> bool:
    return path.is_dir() and is_there(path / "study.json")


def collection_of_study(path: Path, thresholds: Thresholds, top: int) -> Collection:
    about = read_object(path / "study.json", ABOUT, WHOLE)
    options = about.get("options", {})
    kind = KINDS.get(options.get("subject", "household"))
    missing = [
        name
        for name in ("claims.parquet", "baseline.parquet", "blocks.csv", *([f"{kind.counted}.csv"] if kind else []))
        if not (path / name).is_file()
    ]
    if missing:
        raise InputError(f"{path}: {', '.join(missing)} is missing; {WHOLE}")
    if kind is None or not kind.book.knows(options.get("variant")) or not {options.get("units")} <= {*kind.records}:
        raise InputError(f"{path / 'study.json'}: does not say which tables and units; {WHOLE}")
    if "min_columns" not in options:
        raise InputError(f"{path / 'study.json'}: does not say which claims were looked at; {WHOLE}")
    subject = census_subject(kind.name, options["variant"], options["units"])
    domain = kind.domain(options["variant"], options["units"])
    blocks = _rows(path / "blocks.csv")
    sizes = {row["block"]: int(row[kind.counted]) for row in blocks}
    level = BLOCKS.level_of(sizes)
    with database() as base:
        claims, chances = (
            f"read_parquet('{quoted(str(path / name))}', file_row_number = true)" for name in ("claims.parquet", "baseline.parquet")
        )
        # the rows of baseline.parquet are those of claims.parquet, first with the tract as prior, then with the state
        base.execute(
            f"CREATE TABLE claims AS SELECT c.* EXCLUDE (file_row_number), b.probability FROM {claims} c JOIN"
            f" (SELECT * FROM {chances} WHERE prior = '{PRIOR}') b USING (file_row_number)"
        )

        def ask(query: str) -> list[tuple[Any, ...]]:
            return base.execute(query).fetchall()

        number = ask("SELECT count(*) FROM claims")[0][0]
        places = _places(ask, sizes, level)
        told = ", ".join(f"count({name})" for name in domain.names)
        identified = _identified(path, kind.counted)
        return Collection(
            kind="study",
            path=path,
            subject=subject,
            domain=domain,
            noun=BLOCKS.noun,
            releases=len(blocks),
            records=sum(int(row[kind.counted]) for row in blocks),
            singled_out=sum(max(by.values(), default=0) for by in identified.values()),
            with_any=ask("SELECT count(*) FROM (SELECT DISTINCT set, block FROM claims WHERE count = 1)")[0][0],
            claims=dict(ask("SELECT columns, count(*) FROM claims GROUP BY 1 ORDER BY 1")),
            singletons=dict(ask("SELECT columns, count(*) FROM claims WHERE count = 1 GROUP BY 1 ORDER BY 1")),
            singled_out_by={
                k: n
                for k in sorted({k for by in identified.values() for k in by})
                if (n := sum(by.get(k, 0) for by in identified.values()))
            },
            facts=number,
            stated="claims",
            undecided=int(about.get("undecided", 0)),
            failed=0,
            exposed=dict(zip(domain.names, ask(f"SELECT {told} FROM claims WHERE count = 1")[0], strict=True)),
            level=level,
            places=places,
            share_of="blocks in which somebody is singled out",
            found=tuple(_chosen(ask, domain.names, sizes, level, places, top)),
            over_fail=ask(f"SELECT count(*) FROM claims WHERE {over(thresholds.fail, 'columns', 'probability')}")[0][0],
            over_review=ask(f"SELECT count(*) FROM claims WHERE {over(thresholds.review, 'columns', 'probability')}")[0][0],
            rest=path / "claims.parquet",
            assumed=tuple(_assumed(about, subject, blocks)),
            fingerprint=str(about.get("input", {}).get("sha256", "")),
            about=about,
            chances=tuple(_chances(ask)),
            prior="the tract of the block",
            synthetic=bool(about.get("input", {}).get("synthetic")),
        )


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _identified(path: Path, counted: str) -> dict[str, dict[int, int]]:
    """For each set of blocks, records singled out by claims with so many columns."""
    made: dict[str, dict[int, int]] = {}
    for row in _rows(path / f"{counted}.csv"):
        if row["claims"] == "singleton":
            made.setdefault(row["set"], {})[int(row["columns"])] = int(row[counted])
    return made


def _places(ask: Any, sizes: dict[str, int], level: str) -> tuple[Place, ...]:
    having = {block for (block,) in ask("SELECT DISTINCT block FROM claims WHERE count = 1")}
    groups: dict[str, list[str]] = {}
    for block in sizes:
        groups.setdefault(BLOCKS.code_of(block, level), []).append(block)
    made = [
        Place(code, BLOCKS.name_of(code, level), sum(b in having for b in blocks), len(blocks)) for code, blocks in groups.items()
    ]
    return tuple(sorted(made, key=lambda place: (-place.share, place.code)))


def _chosen(
    ask: Any, names: tuple[str, ...], sizes: dict[str, int], level: str, places: tuple[Place, ...], top: int
) -> Iterator[LocatedFact]:
    """The most telling claims, each in its fullest form; some of every place, size of group and number of attributes."""
    fullest: dict[tuple[str, int], list[tuple[frozenset[tuple[str, str]], float, str]]] = {}  # by block and count
    columns = ", ".join(names)

    def take(condition: str, most: int) -> int:
        taken = 0
        query = (
            f"SELECT block, count, probability, ground, {columns} FROM claims WHERE {condition}"
            f" ORDER BY columns DESC, probability, block, {columns} LIMIT {most * AT_ONCE}"
        )
        for block, count, probability, ground, *values in ask(query):
            told = frozenset((name, value) for name, value in zip(names, values, strict=True) if value is not None)
            known = fullest.setdefault((block, count), [])
            if not any(told <= longer for longer, *_ in known):
                known.append((told, probability, ground))
                taken += 1
                if taken == most:
                    break
        return taken

    taken = 0
    groups = f"SELECT DISTINCT count, columns FROM claims WHERE count <= {LARGEST_GROUP} ORDER BY count, columns DESC"
    for count, width in ask(groups):
        taken += take(f"count = {count} AND columns = {width}", max(top - taken, CHOSEN_OF_EACH))
    for place in places:
        take(f"count = 1 AND {place_sql('block', level)} = '{place.code}'", CHOSEN_OF_PLACE)
    every = [(count, block, *one) for (block, count), known in fullest.items() for one in known]
    for count, block, told, probability, ground in sorted(every, key=lambda e: (e[0], -len(e[2]), e[3], e[1], sorted(e[2]))):
        yield LocatedFact(block, sizes.get(block), ranked_fact(dict(told), count, ground, probability))


def _chances(ask: Any) -> Iterator[Chances]:
    quantiles = ", ".join(f"quantile_cont(probability, {q})" for q in (0.25, 0.5, 0.75))
    measures = f"columns, count(*), min(probability), {quantiles}, max(probability)"
    yield from (Chances(*row) for row in ask(f"SELECT {measures} FROM claims WHERE count = 1 GROUP BY 1 ORDER BY 1"))


def _assumed(about: dict[str, Any], subject: Subject, blocks: list[dict[str, str]]) -> Iterator[tuple[str, str]]:
    options = about["options"]
    both = len(blocks) - len({row["block"] for row in blocks})
    twice = f"; {both:,} of them in both sets, counted twice" if both else ""
    yield "Blocks", f"{len(blocks):,} in two sets: of the median size of their state, and of the national median size{twice}"
    yield "Claims", f"with {options['min_columns']} or more attributes; shorter ones were not looked at"
    yield from subject.assumptions
    yield "Baseline", f"the chance that a claim holds among as many records drawn at random from the {PRIOR} of its block"
    undecided = int(about.get("undecided", 0))
    yield "Undecided", f"{undecided:,}: nobody knows whether they are certain" if undecided else "0: every statement was settled"
    yield "The study was made by", f"Foregone {about.get('versions', {}).get('foregone', '(unknown version)')}"
