"""Release folders: domain.json, statistics.csv, rules.csv, truth.csv; or one .json or .parquet file with the same."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

from foregone.formats.outputs import check_outputs, new_folder
from foregone.formats.rows import NUMBERS, TIMES, read_records, read_rules, read_statistics
from foregone.formats.strict_json import read_json, unknown_keys
from foregone.formats.text import csv_text, is_there, raise_all, regular_file, uncollected
from foregone.model.dataset import LISTED, Dataset
from foregone.model.domain import MOST_COLUMNS, Domain
from foregone.model.errors import InputError
from foregone.model.predicate import Predicate
from foregone.model.release import Release

T = TypeVar("T")

KEYS = ("columns", "labels", "record")  # of domain.json


def read_release(path: str | Path) -> Release:
    """Read a release from a folder, or from a single file."""
    with uncollected():
        release = _read_release(Path(path))
    release.source = Path(path)
    return release


def _read_release(path: Path) -> Release:
    if not is_there(path):
        raise InputError(f"{path}: there is no such folder or file; a release is a folder with domain.json and statistics.csv")
    if path.is_dir():
        return Release(*read_parts(path, "statistics.csv", read_statistics))
    regular_file(path)
    from foregone.formats.single import read_json_release, read_parquet_release

    if path.suffix == ".json":
        return read_json_release(path)
    if path.suffix == ".parquet":
        return read_parquet_release(path)
    raise InputError(f"{path}: not a release; expected a folder, a .json or a .parquet file")


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
        if is_there(path / "rules.csv"):
            rules = read_rules(path / "rules.csv", domain)
    except InputError as error:
        problems += error.problems
    if problems:  # each file has summed up its own
        raise InputError(problems)
    return domain, rows, rules


def read_domain(path: Path) -> Domain:
    return parse_domain(read_json(path), str(path))


def parse_domain(content: Any, source: str, beside: tuple[str, ...] = ()) -> Domain:
    """A domain from its JSON form, which may have further keys `beside`; every problem names the source."""
    if not isinstance(content, dict) or not isinstance(content.get("columns"), dict):
        raise InputError(f'{source}: expected {{"columns": {{"SEX": ["F", "M"], ...}}}}; see the file formats page')
    problems = unknown_keys(content, (*KEYS, *beside), source)
    if len(content["columns"]) > MOST_COLUMNS:
        number = len(content["columns"])
        raise InputError(f"{source}: {number:,} columns are more than the {MOST_COLUMNS:,} that can be read; leave some out")
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


def read_truth(folder: str | Path, release: Release) -> Dataset | None:
    """The microdata beside a release, if they are there; they must match the release."""
    path = Path(folder) / "truth.csv"
    if not is_there(path):
        return None
    truth = read_records(path, release.domain)
    raise_all([f"{path}: {problem}; truth and release do not belong together" for problem in truth.broken(release)])
    return truth


def check_release_output(path: Path, inputs: Iterable[Path], truth: bool = False) -> None:
    """Refuse a place for a release before it is made."""
    single = path.suffix in (".json", ".parquet")
    if single and truth:
        raise InputError(f"{path}: a single file has no room for the truth; give a folder name, or leave out --truth")
    if path.suffix == ".parquet":
        from foregone.formats.single import parquet_module

        parquet_module()
    check_outputs(inputs, {"--out": path} if single else {}, {} if single else {"--out": path})


def write_release(release: Release, path: str | Path, truth: Dataset | None = None) -> None:
    """Write a release folder, or a single .json or .parquet file, whichever the name asks for."""
    path = Path(path)
    if release.statements:  # dropping them without a word would make another release of it
        raise InputError(f"{path}: no file holds weighted sums, and this release has {len(release.statements):,}; pickle it")
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
    """A row per record; for a large dataset a row per kind of record, and `n`, how many there are of it."""
    names = list(dataset.domain.names)
    if dataset.size <= LISTED or TIMES in names:
        return csv_text(names, [list(record) for record in dataset.records])
    return csv_text([*names, TIMES], [[*record, n] for record, n in dataset.kinds])
