"""A release in one file: .json, or .parquet with the domain in its metadata."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from foregone.formats.extras import open_parquet, parquet_module, reading_parquet
from foregone.formats.folder import domain_json, parse_domain
from foregone.formats.outputs import write_file, write_text
from foregone.formats.rows import CELLS, COUNTS, MARK, MEASURES, STATUS, cells_of, published, raise_misfits
from foregone.formats.text import parse_json, raise_all, read_json, unknown_keys
from foregone.model.domain import Domain
from foregone.model.errors import InputError
from foregone.model.figure import Figure
from foregone.model.predicate import Predicate
from foregone.model.release import Release
from foregone.model.shown import listed, shown
from foregone.model.statement import Statistic

KEY = b"foregone.release"
ENTRY = ("where", *CELLS)  # what a statistic can say
AGAIN = "rows and metadata must agree, so change a release with Foregone, not in the file"


def release_json(release: Release) -> dict[str, Any]:
    def where(predicate: Predicate) -> dict[str, list[str]]:
        return {name: release.domain.column(name).ordered(codes) for name, codes in predicate.allowed}

    def entry(s: Statistic | Figure) -> dict[str, Any]:
        given: dict[str, Any] = {word: cell for word, cell in zip(CELLS, cells_of(s), strict=True) if cell}
        if isinstance(s, Statistic):  # counts are numbers; the others stay texts, which say how many decimals they have
            given |= {word: int(given[word]) for word in COUNTS if word in given}
            given |= {"high": None} if s.high is None and not s.withheld and not s.gaps else {}
        return {"where": where(s.predicate), **given}

    return {
        **domain_json(release.domain),
        "statistics": [entry(s) for s in release.published],
        "rules": [where(rule) for rule in release.rules],
    }


def parse_release(content: Any, source: str) -> Release:
    domain = parse_domain(content, source, ("statistics", "rules"))
    problems = [
        f"{source}: {key!r} should be a list of objects"
        for key in ("statistics", "rules")
        if not isinstance(content.get(key, []), list)
    ]
    raise_all(problems)
    listed, forbidden = content.get("statistics", []), content.get("rules", [])
    places = [f"{source}, statistic {i}" for i in range(1, len(listed) + 1)]
    made = [(place, _statistic(domain, entry, place, problems)) for place, entry in zip(places, listed, strict=True)]
    rules = [_where(rule, f"{source}, rule {i}", problems) for i, rule in enumerate(forbidden, 1)]
    problems += [
        f"{source}, rule {i}: names no column, which would forbid every record; fill it in or remove it"
        for i, rule in enumerate(forbidden, 1)
        if rule == {}
    ]
    raise_all(problems)
    rows = [(place, row) for place, row in made if row is not None]
    raise_misfits(domain, rows)
    try:
        return Release.publishing(domain, (row for _, row in rows), rules)
    except InputError as error:
        raise_all([f"{source}: {problem}" for problem in error.problems])
        raise


def _statistic(domain: Domain, entry: Any, place: str, problems: list[str]) -> Statistic | Figure | None:
    """A published number; None where something is wrong with it."""
    if not isinstance(entry, dict):
        problems.append(f"{place}: expected an object with 'where' and 'count' (or 'low' and 'high')")
        return None
    wrong = unknown_keys(entry, ENTRY, place)
    predicate = _where(entry.get("where", {}), place, wrong)
    cells = [_cell(entry, word, place, wrong) for word in CELLS]
    if not wrong:
        found: list[str] = []
        made = published(domain, predicate, cells, found)
        wrong = [f"{place}{problem}" for problem in found]
        if made is not None and not wrong:
            return made
    problems += wrong
    return None


def _cell(entry: dict[str, Any], word: str, place: str, problems: list[str]) -> str:
    """A value as it would stand in a cell. Counts are numbers, or texts where they are no plain number; words are texts."""
    value = entry.get(word)
    if word not in entry or (value is None and word == "high"):
        return ""
    if word in COUNTS and entry.get("measure", "") in ("", "count"):
        printed = isinstance(value, str) and word == "count" and not value.isdigit()
        if not printed and (type(value) is not int or value < 0):
            why = "negative" if isinstance(value, int | float) and value < 0 else "not a whole number"
            problems.append(f"{place}: the {word} {shown(value)} is {why}; counts are whole numbers from 0 up")
    elif isinstance(value, float):  # 0.50 and 0.5 are the same float, but were not rounded in the same way
        problems.append(f'{place}: {word!r} is {shown(value)}, whose decimals are lost; write it as text as it was printed: "0.50"')
    elif not isinstance(value, str) and not (type(value) is int and word in ("low", "high", "value")):
        problems.append(f"{place}: {word!r} is {shown(value)}, expected text; put it in quotes")
    return str(value).strip()


def _where(content: Any, place: str, problems: list[str]) -> Predicate:
    ok = isinstance(content, dict) and all(
        isinstance(codes, list) and codes and all(isinstance(code, str) for code in codes) for codes in content.values()
    )
    if not ok:
        problems.append(f"{place}: 'where' should be an object column -> list of codes")
        return Predicate()
    problems += [
        f"{place}, column {name}: a value is named twice; name each once"
        for name, codes in content.items()
        if len(set(codes)) < len(codes)
    ]
    return Predicate.of(content)


def read_json_release(path: Path) -> Release:
    return parse_release(read_json(path), str(path))


def read_parquet_release(path: Path) -> Release:
    """The release in the metadata, if the rows say the same: somebody may have changed one of the two."""
    file = open_parquet(path)
    metadata = file.schema_arrow.metadata or {}
    if KEY not in metadata:
        raise InputError(f"{path}: holds no release; write one with Release.write or `foregone tabulate --out x.parquet`")
    place = f"{path}, metadata"
    try:
        text = metadata[KEY].decode()
    except UnicodeDecodeError:
        raise InputError(f"{place}: not UTF-8; {AGAIN}") from None
    release = parse_release(parse_json(text, place), place)
    expected = _columns(release)
    if file.schema_arrow.names != list(expected):
        raise InputError(f"{path}: its columns are {listed(file.schema_arrow.names)}, not those of its release; {AGAIN}")
    rows = file.metadata.num_rows
    if rows != len(release.published):  # before they are read: a few bytes can stand for a thousand million rows
        raise InputError(f"{path}: has {rows:,} rows, and its metadata {len(release.published):,} statistics; {AGAIN}")
    with reading_parquet(path):
        columns = file.read().to_pydict()
    problems = []
    for name, wanted in expected.items():
        problems += [
            f"{path}, row {i}, column {name}: is {shown(there)}, and {shown(value)} in its metadata; {AGAIN}"
            for i, (there, value) in enumerate(zip(columns[name], wanted, strict=True), 1)
            if there != value or isinstance(there, bool)
        ]
    raise_all(problems)
    return release


def write_single(release: Release, path: Path) -> None:
    content = release_json(release)
    if path.suffix == ".json":
        write_text(path, json.dumps(content, ensure_ascii=False) + "\n")
        return
    import pyarrow as pa

    parquet = parquet_module()
    columns = _columns(release)
    table = pa.table(columns).replace_schema_metadata({KEY: json.dumps(content).encode()})
    write_file(path, lambda draft: parquet.write_table(table, draft))


def _columns(release: Release) -> dict[str, list[Any]]:
    """The statistics as the columns of a table; limits of figures, which need not be whole, stand in columns of their own."""
    columns: dict[str, list[Any]] = {name: [] for name in ("name", "table", *release.domain.names, "low", "high")}
    for s in release.published:
        allowed = dict(s.predicate.allowed)
        for name in release.domain.names:
            columns[name].append("|".join(sorted(allowed[name])) if name in allowed else None)
        limits = (s.low, s.high) if isinstance(s, Statistic) else (None, None)
        for key, value in zip(("name", "table", "low", "high"), (s.name, s.table, *limits), strict=True):
            columns[key].append(value)
    if release.figures or any(s.hidden or s.gaps for s in release.statistics):
        cells = [dict(zip(CELLS, cells_of(s), strict=True)) for s in release.published]
        for word in (*MEASURES, STATUS, MARK):
            columns[word] = [cell[word] or None for cell in cells]
        for end in ("low", "high"):
            columns[f"figure_{end}"] = [cell[end] if cell["measure"] and cell[end] else None for cell in cells]
    return columns
