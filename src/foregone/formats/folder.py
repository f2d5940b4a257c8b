"""Release folders: domain.json, statistics.csv, rules.csv, truth.csv; or one .json or .parquet file with the same."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeVar

from foregone.formats.beside import read_places
from foregone.formats.extras import parquet_module
from foregone.formats.outputs import check_outputs, write_folder
from foregone.formats.rows import (
    CELLS,
    COUNTS,
    MARK,
    MEASURES,
    STATUS,
    TIMES,
    WORDS,
    cells_of,
    read_records,
    read_rules,
    read_statistics,
)
from foregone.formats.text import csv_text, is_there, json_text, raise_all, read_json, regular_file, uncollected, unknown_keys
from foregone.model.claims_table import values_of
from foregone.model.dataset import LISTED, Dataset
from foregone.model.domain import MOST_COLUMNS, Domain
from foregone.model.errors import InputError, gathered, refuse
from foregone.model.figure import exact_number, number_text
from foregone.model.marks import Ranges, parse_ranges, ranges_text
from foregone.model.predicate import Predicate
from foregone.model.release import Release
from foregone.model.shown import shown

T = TypeVar("T")

KEYS = ("columns", "labels", "record", "numbers", "groups", "marks")  # of domain.json


def read_release(path: str | Path) -> Release:
    """Read a release from a folder, or from a single file."""
    with uncollected():
        release = _read_release(Path(path))
    release.source, release.places = Path(path), read_places(Path(path))
    return release


def _read_release(path: Path) -> Release:
    if not is_there(path):
        raise InputError(f"{path}: there is no such folder or file; a release is a folder with domain.json and statistics.csv")
    if path.is_dir():
        domain, rows, rules = read_parts(path, "statistics.csv", read_statistics)
        return Release.publishing(domain, rows, rules)
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
    problems: list[str] = []  # each file has summed up its own
    with gathered(problems):
        rows = read(path / name, domain)
    with gathered(problems):
        rules = read_rules(path / "rules.csv", domain) if is_there(path / "rules.csv") else ()
    refuse(problems)
    return domain, rows, rules


def read_domain(path: Path) -> Domain:
    return parse_domain(read_json(path), str(path))


def parse_domain(content: Any, source: str, beside: tuple[str, ...] = ()) -> Domain:
    """A domain from its JSON form, which may have further keys `beside`; every problem names the source."""
    if not isinstance(content, dict) or not isinstance(content.get("columns"), dict):
        raise InputError(f'{source}: expected {{"columns": {{"SEX": ["F", "M"], ...}}}}; see `foregone help release`')
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
    numbers = _numbers(content.get("numbers", {}), source, problems)
    groups = content.get("groups", {})
    problems += _group_problems(groups, source)
    marks = _marks(content.get("marks", {}), source, problems)
    raise_all(problems)
    try:
        return Domain.of(content["columns"], labels, record, numbers, groups, marks)
    except InputError as error:
        raise InputError([f"{source}: {problem}" for problem in error.problems]) from None


def _numbers(content: Any, source: str, problems: list[str]) -> dict[str, dict[str, Fraction]]:
    """What codes count as in sums, means and medians."""
    if not isinstance(content, dict) or not all(isinstance(codes, dict) for codes in content.values()):
        problems.append(f'{source}: "numbers" should be an object column -> code -> number')
        return {}
    made: dict[str, dict[str, Fraction]] = {}
    for name, codes in content.items():
        for code, number in codes.items():
            found = exact_number(str(number)) if isinstance(number, str) or type(number) is int else None
            if found is None:
                what = "has decimals; write it as text" if isinstance(number, float) else "is not a decimal number; correct it"
                problems.append(f'{source}, "numbers" of {name}: {shown(number)} {what}, such as "2.5"')
            else:
                made.setdefault(name, {})[code] = found
    return made


def _marks(content: Any, source: str, problems: list[str]) -> dict[str, Ranges]:
    """Which counts each text that is printed instead of a number can stand for."""
    expected = 'write the counts it can stand for, such as {"*": "1..4", "[c]": "0|5.."}'
    if not isinstance(content, dict):
        problems.append(f'{source}: "marks" is not an object; {expected}')
        return {}
    made: dict[str, Ranges] = {}
    for mark, text in content.items():
        ranges = parse_ranges(text) if isinstance(text, str) else None
        if ranges is None:
            problems.append(f'{source}, "marks": what {shown(mark)} means is {shown(text)}; {expected}')
        else:
            made[mark] = ranges
    return made


def _group_problems(groups: Any, source: str) -> list[str]:
    """Groups are objects column -> label -> list of codes."""
    expected = 'expected {"AGE": {"minors": ["0-4", "5-17"]}}: column, name of the group, list of its codes'
    if not isinstance(groups, dict):
        return [f'{source}: "groups" is not an object; {expected}']
    problems = []
    for name, named in groups.items():
        if not isinstance(named, dict):
            problems.append(f'{source}, "groups", column {name}: not an object; {expected}')
            continue
        problems += [
            f'{source}, "groups", column {name}, group {shown(label)}: not a list of codes; {expected}'
            for label, codes in named.items()
            if not isinstance(codes, list) or not all(isinstance(code, str) for code in codes)
        ]
    return problems


def domain_json(domain: Domain) -> dict[str, Any]:
    titles = {column.name: column.title for column in domain.columns if column.title}
    numbers = {
        column.name: {
            code: int(number) if number.denominator == 1 else number_text(number)
            for code, number in zip(column.codes, column.numbers, strict=True)
            if number is not None
        }
        for column in domain.columns
        if column.numbers
    }
    groups = {column.name: {label: list(codes) for label, codes in column.groups} for column in domain.columns if column.groups}
    return {
        "record": domain.record,
        **({"labels": titles} if titles else {}),
        **({"numbers": numbers} if numbers else {}),
        **({"groups": groups} if groups else {}),
        **({"marks": {mark: ranges_text(ranges) for mark, ranges in domain.marks}} if domain.marks else {}),
        "columns": {
            column.name: dict(zip(column.codes, column.labels, strict=True)) if column.labels else list(column.codes)
            for column in domain.columns
        },
    }


def read_truth(folder: str | Path, release: Release) -> Dataset | None:
    """The microdata beside a release, if they are there; they must match the release."""
    path = Path(folder) / "truth.csv"
    return read_true_records(path, release) if is_there(path) else None


def read_true_records(path: Path, release: Release) -> Dataset:
    """The microdata behind a release, from any file; they must match the release."""
    truth = read_records(path, release.domain)
    raise_all([f"{path}: {problem}; truth and release do not belong together" for problem in truth.broken(release)])
    return truth


def check_release_output(path: Path, inputs: Iterable[Path], truth: bool = False) -> None:
    """Refuse a place for a release before it is made."""
    single = path.suffix in (".json", ".parquet")
    if single and truth:
        raise InputError(f"{path}: a single file has no room for the truth; give a folder name, or leave out --truth")
    if path.suffix == ".parquet":
        parquet_module()
    check_outputs(inputs, {"--out": path} if single else {}, releases={} if single else {"--out": path})


def write_release(
    release: Release, path: str | Path, truth: Dataset | None = None, beside: Mapping[str, str] | None = None
) -> None:
    """Write a release folder, or a single .json or .parquet file, whichever the name asks for.

    `beside` are further texts by file name, which a folder has room for.
    """
    path = Path(path)
    if release.own:  # dropping them without a word would make another release of it
        what = f"this release has {len(release.own):,} weighted sums other than figures"
        raise InputError(f"{path}: {what}, which cannot be written to a file; pickle it")
    used = (*(MEASURES if release.figures else ()), *((MARK,) if any(s.mark or s.gaps for s in release.statistics) else ()))
    taken = [word for word in used if word in release.domain.index]
    if taken:
        raise InputError(f"{path}: a column is called {shown(taken[0])}, a name that files use themselves; rename it")
    meant = dict(release.domain.marks)
    unsaid = [f"{s.label} is {s.range_text}" for s in release.statistics if s.gaps and meant.get(s.mark) != s.ranges]
    if unsaid:
        raise InputError(f"{path}: {unsaid[0]}, which its mark does not mean; give it a mark that the domain says means this")
    if path.suffix in (".json", ".parquet"):
        from foregone.formats.single import write_single

        write_single(release, path)
        return
    true = {} if truth is None else {"truth.csv": dataset_csv(truth)}
    write_folder(path, {**release_texts(release), **true, **(beside or {})}, release=True)


def release_texts(release: Release) -> dict[str, str]:
    """The files of a release as texts, by their names."""
    return {**domain_texts(release.domain, release.rules), "statistics.csv": statistics_csv(release)}


def domain_texts(domain: Domain, rules: Sequence[Predicate]) -> dict[str, str]:
    """domain.json and, if there are rules, rules.csv."""
    made = {"domain.json": json_text(domain_json(domain))}
    return made | ({"rules.csv": csv_text(domain.names, (predicate_cells(rule, domain) for rule in rules))} if rules else {})


def statistics_csv(release: Release) -> str:
    """The counts, then the figures, with the columns that they need."""
    published = [(row.predicate, cells_of(row)) for row in release.published]
    needed = {word for i, word in enumerate(CELLS) if any(cells[i] for _, cells in published)} | {"count"}
    needed |= set(COUNTS) if needed & {"low", "high"} else set()
    after = [word for word in (*COUNTS, *MEASURES, STATUS, MARK) if word in needed]
    at = {word: i for i, word in enumerate(CELLS)}
    rows = (
        [*cells[: len(WORDS)], *predicate_cells(predicate, release.domain), *(cells[at[word]] for word in after)]
        for predicate, cells in published
    )
    return csv_text([*WORDS, *release.domain.names, *after], rows)


def predicate_cells(predicate: Predicate, domain: Domain) -> list[str]:
    return [value or "" for value in values_of(domain, predicate)]


def dataset_csv(dataset: Dataset) -> str:
    """A row per record; for a large dataset a row per kind of record, and `n`, how many there are of it."""
    names = dataset.domain.names
    if dataset.size <= LISTED or TIMES in names:
        return csv_text(names, dataset.records)
    return csv_text([*names, TIMES], ([*record, n] for record, n in dataset.kinds))
