"""A release in one file: .json, or .parquet with the domain in its metadata."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from foregone.formats.folder import domain_json, parse_domain
from foregone.formats.text import raise_all, read_json, write_file, write_text
from foregone.model.errors import InputError
from foregone.model.predicate import Predicate
from foregone.model.release import Release
from foregone.model.statement import Statistic

KEY = b"foregone.release"


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
    domain = parse_domain(content, source)
    problems = [
        f"{source}: {key!r} should be a list of objects"
        for key in ("statistics", "rules")
        if not isinstance(content.get(key, []), list)
    ]
    raise_all(problems)
    statistics = []
    for i, entry in enumerate(content.get("statistics", [])):
        place = f"{source}, statistic {i + 1}"
        if not isinstance(entry, dict):
            problems.append(f"{place}: expected an object with 'where' and 'count' (or 'low' and 'high')")
            continue
        predicate = _where(entry.get("where", {}), place, problems)
        if "count" in entry and ("low" in entry or "high" in entry):
            problems.append(f"{place}: both count and low/high are given; keep one of the two")
            continue
        low: Any = entry.get("count", entry.get("low", 0))
        high: Any = entry.get("count", entry.get("high"))
        if "count" not in entry and "low" not in entry and "high" not in entry:
            problems.append(f"{place}: neither count nor low and high are given; give the published number or its range")
            continue
        statistics.append(Statistic(predicate, low, high, str(entry.get("name", "")), str(entry.get("table", ""))))
    rules = [_where(rule, f"{source}, rule {i + 1}", problems) for i, rule in enumerate(content.get("rules", []))]
    problems += [
        f"{source}, rule {i + 1}: names no column, which would forbid every record; fill it in or remove it"
        for i, rule in enumerate(content.get("rules", []))
        if rule == {}
    ]
    raise_all(problems)
    try:
        return Release(domain, tuple(statistics), tuple(rules))
    except InputError as error:
        raise InputError([f"{source}: {problem}" for problem in error.problems]) from None


def _where(content: Any, place: str, problems: list[str]) -> Predicate:
    ok = isinstance(content, dict) and all(
        isinstance(codes, list) and codes and all(isinstance(code, str) for code in codes) for codes in content.values()
    )
    if not ok:
        problems.append(f"{place}: 'where' should be an object column -> list of codes")
        return Predicate()
    return Predicate.of(content)


def read_json_release(path: Path) -> Release:
    return parse_release(read_json(path), str(path))


def read_parquet_release(path: Path) -> Release:
    parquet = parquet_module()
    try:
        metadata = parquet.read_schema(path).metadata or {}
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: cannot be read as Parquet ({str(error).splitlines()[0]}); check the file") from None
    if KEY not in metadata:
        raise InputError(f"{path}: holds no release; write one with Release.write or `foregone tabulate --out x.parquet`")
    return parse_release(json.loads(metadata[KEY]), str(path))


def write_single(release: Release, path: Path) -> None:
    content = release_json(release)
    if path.suffix == ".json":
        write_text(path, json.dumps(content, ensure_ascii=False) + "\n")
        return
    import pyarrow as pa

    parquet = parquet_module()
    columns: dict[str, list[Any]] = {name: [] for name in ("name", "table", *release.domain.names, "low", "high")}
    for s in release.statistics:
        allowed = dict(s.predicate.allowed)
        for name in release.domain.names:
            columns[name].append("|".join(sorted(allowed[name])) if name in allowed else None)
        for key, value in (("name", s.name), ("table", s.table), ("low", s.low), ("high", s.high)):
            columns[key].append(value)
    table = pa.table(columns).replace_schema_metadata({KEY: json.dumps(content).encode()})
    write_file(path, lambda draft: parquet.write_table(table, draft))


def parquet_module() -> Any:
    try:
        import pyarrow.parquet as parquet
    except ImportError:
        raise InputError("Parquet files need pyarrow; install it with: pip install 'foregone[parquet]'") from None
    return parquet
