"""A release in one file: .json, or .parquet with the domain in its metadata."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from foregone.formats.folder import domain_json, parse_domain
from foregone.formats.outputs import write_file, write_text
from foregone.formats.rows import NUMBERS, WORDS
from foregone.formats.strict_json import parse_json, read_json, unknown_keys
from foregone.formats.text import raise_all, regular_file
from foregone.model.errors import InputError
from foregone.model.predicate import Predicate
from foregone.model.release import Release
from foregone.model.shown import listed, shown
from foregone.model.statement import Statistic

KEY = b"foregone.release"
ENTRY = (*WORDS, "where", *NUMBERS)  # what a statistic can say
AGAIN = "rows and metadata must agree, so change a release with Foregone, not in the file"


def release_json(release: Release) -> dict[str, Any]:
    def where(predicate: Predicate) -> dict[str, list[str]]:
        return {name: sorted(codes, key=release.domain.column(name).index.__getitem__) for name, codes in predicate.allowed}

    def entry(s: Statistic) -> dict[str, Any]:
        words = {key: value for key, value in (("name", s.name), ("table", s.table)) if value}
        numbers = {"count": s.low} if s.low == s.high else {"low": s.low, "high": s.high}
        return {**words, "where": where(s.predicate), **numbers}

    return {
        **domain_json(release.domain),
        "statistics": [entry(s) for s in release.statistics],
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
    published, forbidden = content.get("statistics", []), content.get("rules", [])
    statistics = [_statistic(entry, f"{source}, statistic {i}", problems) for i, entry in enumerate(published, 1)]
    rules = [_where(rule, f"{source}, rule {i}", problems) for i, rule in enumerate(forbidden, 1)]
    problems += [
        f"{source}, rule {i}: names no column, which would forbid every record; fill it in or remove it"
        for i, rule in enumerate(forbidden, 1)
        if rule == {}
    ]
    raise_all(problems)
    try:
        return Release(domain, statistics, rules)
    except InputError as error:
        raise_all([f"{source}: {problem}" for problem in error.problems])
        raise


def _statistic(entry: Any, place: str, problems: list[str]) -> Statistic:
    """A published number; where something is wrong with it a blank one, which is never used."""
    blank = Statistic.exact(Predicate(), 0)
    if not isinstance(entry, dict):
        problems.append(f"{place}: expected an object with 'where' and 'count' (or 'low' and 'high')")
        return blank
    problems += unknown_keys(entry, ENTRY, place)
    predicate = _where(entry.get("where", {}), place, problems)
    words = entry.get("name", ""), entry.get("table", "")
    problems += [
        f"{place}: {key!r} is {shown(word)}, expected text; put it in quotes"
        for key, word in zip(WORDS, words, strict=True)
        if not isinstance(word, str)
    ]
    if "count" in entry and ("low" in entry or "high" in entry):
        problems.append(f"{place}: both count and low/high are given; keep one of the two")
        return blank
    if "count" not in entry and "low" not in entry and "high" not in entry:
        problems.append(f"{place}: neither count nor low and high are given; give the published number or its range")
        return blank
    if "count" in entry and entry["count"] is None:
        problems.append(f"{place}: the count is null; give the published number, or its range in low and high")
        return blank
    low, high = (entry["count"], entry["count"]) if "count" in entry else (entry.get("low", 0), entry.get("high"))
    return Statistic(predicate, low, high, *words)


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
    import pyarrow as pa

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
    try:
        columns = file.read().to_pydict()
    except (OSError, ValueError, pa.ArrowException) as error:
        raise InputError(f"{path}: cannot be read as Parquet ({first_line(error)}); check the file") from None
    problems = []
    for name, wanted in expected.items():
        if len(columns[name]) != len(wanted):
            raise InputError(f"{path}: has {len(columns[name]):,} rows, and its metadata {len(wanted):,} statistics; {AGAIN}")
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
    """The statistics as the columns of a table."""
    columns: dict[str, list[Any]] = {name: [] for name in ("name", "table", *release.domain.names, "low", "high")}
    for s in release.statistics:
        allowed = dict(s.predicate.allowed)
        for name in release.domain.names:
            columns[name].append("|".join(sorted(allowed[name])) if name in allowed else None)
        for key, value in (("name", s.name), ("table", s.table), ("low", s.low), ("high", s.high)):
            columns[key].append(value)
    return columns


def open_parquet(path: Path) -> Any:
    """A Parquet file that can be read, at least its head."""
    parquet = parquet_module()
    import pyarrow as pa

    regular_file(path)
    try:
        file = parquet.ParquetFile(path, memory_map=True)
        file.schema_arrow  # noqa: B018 - a schema that is nonsense is found out here
    except (OSError, ValueError, pa.ArrowException) as error:
        raise InputError(f"{path}: cannot be read as Parquet ({first_line(error)}); check the file") from None
    return file


def first_line(error: Exception) -> str:
    return str(error).partition("\n")[0] or type(error).__name__


def parquet_module() -> Any:
    try:
        import pyarrow.parquet as parquet
    except ImportError:
        raise InputError("Parquet files need pyarrow; install it with: pip install 'foregone[parquet]'") from None
    return parquet
