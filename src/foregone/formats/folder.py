"""Release folders: domain.json, statistics.csv, rules.csv, truth.csv; or one .json or .parquet file with the same."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from foregone.formats.text import csv_text, new_folder, raise_all, read_json, read_rows
from foregone.model.dataset import Dataset
from foregone.model.domain import Domain, unknown_column
from foregone.model.errors import InputError
from foregone.model.predicate import Predicate
from foregone.model.release import Release
from foregone.model.statement import Statistic

T = TypeVar("T")

NUMBERS = ("count", "low", "high")
WORDS = ("name", "table")


def read_release(path: str | Path) -> Release:
    """Read a release from a folder, or from a single file."""
    path = Path(path)
    if path.suffix == ".json" and path.is_file():
        from foregone.formats.single import read_json_release

        return read_json_release(path)
    if path.suffix == ".parquet" and path.is_file():
        from foregone.formats.single import read_parquet_release

        return read_parquet_release(path)
    if not path.exists():
        raise InputError(f"{path}: there is no such folder or file; a release is a folder with domain.json and statistics.csv")
    if not path.is_dir():
        raise InputError(f"{path}: not a release; expected a folder, a .json or a .parquet file")
    return Release(*read_parts(path, "statistics.csv", read_statistics))


def read_parts(
    path: Path, name: str, read: Callable[[Path, Domain], tuple[T, ...]]
) -> tuple[Domain, tuple[T, ...], tuple[Predicate, ...]]:
    """domain.json, a file of rows over the domain, and rules.csv if there is one; the problems of both at once."""
    domain = read_domain(path / "domain.json")
    problems: list[str] = []
    rows: tuple[T, ...] = ()
    rules: tuple[Predicate, ...] = ()
    try:
        rows = read(path / name, domain)
    except InputError as error:
        problems += error.problems
    try:
        if (path / "rules.csv").exists():
            rules = read_rules(path / "rules.csv", domain)
    except InputError as error:
        problems += error.problems
    if problems:  # each file has summed up its own
        raise InputError(problems)
    return domain, rows, rules


def read_domain(path: Path) -> Domain:
    return parse_domain(read_json(path), str(path))


def parse_domain(content: Any, source: str) -> Domain:
    """A domain from its JSON form; every problem names the source."""
    if not isinstance(content, dict) or not isinstance(content.get("columns"), dict):
        raise InputError(f'{source}: expected {{"columns": {{"SEX": ["F", "M"], ...}}}}; see the file formats page')
    problems = []
    for name, values in content["columns"].items():
        if not isinstance(values, list | dict):
            problems.append(f"{source}, column {name}: expected a list of codes or an object code -> label")
        elif not all(isinstance(value, str) for value in (*values, *(values.values() if isinstance(values, dict) else ()))):
            problems.append(f"{source}, column {name}: codes and labels must be strings; put numbers in quotes")
    labels, record = content.get("labels", {}), content.get("record", "record")
    if not isinstance(labels, dict) or not all(isinstance(v, str) for v in labels.values()):
        problems.append(f'{source}: "labels" should be an object column -> words')
    if not isinstance(record, str) or not record.strip():
        problems.append(f'{source}: "record" should be a noun such as "household"')
    raise_all(problems)
    try:
        return Domain.of(content["columns"], labels, record)
    except InputError as error:
        raise InputError([f"{source}: {problem}" for problem in error.problems]) from None


def domain_json(domain: Domain) -> dict[str, Any]:
    titles = {column.name: column.title for column in domain.columns if column.title}
    return {
        "record": domain.record,
        **({"labels": titles} if titles else {}),
        "columns": {
            column.name: dict(zip(column.codes, column.labels, strict=True)) if column.labels else list(column.codes)
            for column in domain.columns
        },
    }


def read_statistics(path: Path, domain: Domain) -> tuple[Statistic, ...]:
    header, rows = read_rows(path)
    problems = header_problems(path, header, domain, (*NUMBERS, *WORDS))
    if "count" not in header and not {"low", "high"} <= set(header):
        problems.append(f"{path}, row 1: neither a 'count' column nor 'low' and 'high' are there; add one of the two")
    raise_all(problems)
    statistics, lines = [], []
    for line, values in rows:
        row = dict(zip(header, values, strict=True))
        found: list[str] = []
        predicate = row_predicate(row, domain, found)
        low, high = _limits(row, found)
        problems += [f"{path}, row {line}{problem}" for problem in found]
        if not found:
            statistics.append(Statistic(predicate, low, high, row.get("name", ""), row.get("table", "")))
            lines.append(line)
    records = [s.high for s in statistics if not s.predicate.allowed and s.high is not None]
    if records:
        problems += [
            f"{path}, row {line}, column {'low' if row_has_range(s) else 'count'}: {s.low} is larger than the number of records,"
            f" {min(records)}; mend one of the two"
            for line, s in zip(lines, statistics, strict=True)
            if s.predicate.allowed and s.low > min(records)
        ]
    raise_all(problems)
    return tuple(statistics)


def row_has_range(statistic: Statistic) -> bool:
    return statistic.low != statistic.high


def read_rules(path: Path, domain: Domain) -> tuple[Predicate, ...]:
    header, rows = read_rows(path)
    problems = header_problems(path, header, domain, ("name",))
    raise_all(problems)
    rules = []
    for line, values in rows:
        found: list[str] = []
        predicate = row_predicate(dict(zip(header, values, strict=True)), domain, found)
        if not found and not predicate.allowed:
            found.append(": no column is filled in, which would forbid every record; fill in or remove the row")
        problems += [f"{path}, row {line}{problem}" for problem in found]
        rules.append(predicate)
    raise_all(problems)
    return tuple(rules)


def read_records(path: Path, domain: Domain) -> Dataset:
    """Microdata with exactly the domain's columns, in any order; other columns are an error."""
    header, rows = read_rows(path)
    problems = header_problems(path, header, domain, ())
    problems += [f"{path}, row 1: column {name} is missing; add it" for name in domain.names if name not in header]
    raise_all(problems)
    order = [header.index(name) for name in domain.names]
    records = []
    for line, values in rows:
        record = tuple(values[i] for i in order)
        problems += [
            f"{path}, row {line}, column {column.name}: {column.unknown(code)}"
            for column, code in zip(domain.columns, record, strict=True)
            if code not in column.index
        ]
        records.append(record)
    raise_all(problems)
    return Dataset.of(domain, records)


def read_truth(folder: str | Path, release: Release) -> Dataset | None:
    """The microdata beside a release, if they are there; they must match the release."""
    path = Path(folder) / "truth.csv"
    if not path.is_file():
        return None
    truth = read_records(path, release.domain)
    raise_all([f"{path}: {problem}; truth and release do not belong together" for problem in truth.broken(release)])
    return truth


def header_problems(path: Path, header: list[str], domain: Domain, extra: tuple[str, ...]) -> list[str]:
    known = (*domain.names, *extra)
    return [f"{path}, row 1: {unknown_column(name, known)}" for name in header if name not in known]


def row_predicate(row: dict[str, str], domain: Domain, problems: list[str]) -> Predicate:
    conditions = {}
    for column in domain.columns:
        value = row.get(column.name, "")
        if not value:
            continue
        # a code may itself be the whole text; otherwise '|' parts alternatives
        codes = [value] if value in column.index else [code.strip() for code in value.split("|")]
        unknown = [code for code in codes if code not in column.index]
        problems += [f", column {column.name}: {column.unknown(code)}" for code in unknown]
        if len(set(codes)) < len(codes):
            problems.append(f", column {column.name}: a value is named twice in {value!r}; name each once")
        if not unknown:
            conditions[column.name] = codes
    return Predicate.of(conditions)


def _limits(row: dict[str, str], problems: list[str]) -> tuple[int, int | None]:
    count, low, high = (row.get(name, "") for name in NUMBERS)
    if count and (low or high):
        problems.append(f": both count {count} and low/high {low or 'blank'}/{high or 'blank'} are given; keep one of the two")
        return 0, None
    if count:
        exact = whole_number("count", count, problems)
        return exact, exact
    if not low and not high:
        problems.append(": neither count nor low and high are filled in; give the published number or its range")
        return 0, None
    least = whole_number("low", low, problems) if low else 0
    most = whole_number("high", high, problems) if high else None
    if most is not None and least > most and not problems:
        problems.append(f": low {least} is above high {most}; swap or mend them")
    return least, most


def whole_number(name: str, text: str, problems: list[str]) -> int:
    whole, point, rest = text.partition(".")
    if whole.isascii() and whole.isdigit() and (not point or not rest.strip("0")):
        return int(whole)
    if text.lstrip("-").replace(".", "", 1).isdigit():
        why = "negative" if text.startswith("-") else "not a whole number"
        problems.append(f", column {name}: {text!r} is {why}; counts are whole numbers from 0 up")
    else:
        problems.append(f", column {name}: {text!r} is not a number; write a whole number, or a range in low and high")
    return 0


def write_release(release: Release, path: str | Path, truth: Dataset | None = None) -> None:
    """Write a release folder, or a single .json or .parquet file, whichever the name asks for."""
    path = Path(path)
    if path.suffix in (".json", ".parquet"):
        from foregone.formats.single import write_single

        write_single(release, path)
        return
    names = list(release.domain.names)
    with new_folder(path) as folder:
        text = json.dumps(domain_json(release.domain), indent=1, ensure_ascii=False) + "\n"
        (folder / "domain.json").write_text(text, "utf-8")
        (folder / "statistics.csv").write_text(statistics_csv(release), "utf-8")
        if release.rules:
            rows: list[list[object]] = [predicate_cells(rule, release.domain) for rule in release.rules]
            (folder / "rules.csv").write_text(csv_text(names, rows), "utf-8")
        if truth is not None:
            (folder / "truth.csv").write_text(dataset_csv(truth), "utf-8")


def statistics_csv(release: Release) -> str:
    exact = all(s.low == s.high for s in release.statistics)
    rows: list[list[object]] = []
    for s in release.statistics:
        if exact:
            numbers: list[object] = [s.low]
        elif s.low == s.high:
            numbers = [s.low, "", ""]
        else:
            numbers = ["", s.low, "" if s.high is None else s.high]
        rows.append([s.name, s.table, *predicate_cells(s.predicate, release.domain), *numbers])
    header = ["name", "table", *release.domain.names, *(["count"] if exact else NUMBERS)]
    return csv_text(header, rows)


def predicate_cells(predicate: Predicate, domain: Domain) -> list[object]:
    allowed = dict(predicate.allowed)
    return ["|".join(sorted(allowed[c.name], key=c.index.__getitem__)) if c.name in allowed else "" for c in domain.columns]


def dataset_csv(dataset: Dataset) -> str:
    return csv_text(list(dataset.domain.names), [list(record) for record in dataset.records])
