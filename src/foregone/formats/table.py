"""Many releases in one folder: the predicates once (domain.json, predicates.csv, rules.csv), the counts as a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from foregone.formats.extras import open_parquet, parquet_module, reading_parquet
from foregone.formats.folder import domain_texts, predicate_cells, read_parts
from foregone.formats.outputs import fill, new_folder
from foregone.formats.rows import WORDS, Conditions, between, header_problems, printed_count, whole_number
from foregone.formats.text import csv_text, is_there, raise_all, read_rows, regular_file
from foregone.model.domain import MOST_LINES, Domain, unknown_columns
from foregone.model.errors import InputError
from foregone.model.release import Release
from foregone.model.shown import listed, shown
from foregone.model.statement import LARGEST
from foregone.model.workload import Query, Workload

RELEASE = "release"  # the column of a table of counts with the name of each release
Ints = NDArray[np.int64]
ROWS_A_BYTE = 100  # different names take more room than this; a few bytes can stand for a thousand million equal ones
MOST_NAMED = 1_000  # rows that something is wrong with
OPEN = -1  # a `high` without upper limit


def read_workload(path: Path) -> Workload:
    return Workload(*read_parts(path, "predicates.csv", read_predicates))


def read_predicates(path: Path, domain: Domain) -> tuple[Query, ...]:
    """What predicates.csv counts: rows as in statistics.csv, without numbers. A row's name is that of its column in the counts."""
    header, rows = read_rows(path)
    problems = header_problems(path, header, domain, WORDS)
    if "name" not in header:
        problems.append(f"{path}, row 1: there is no column 'name'; counts are found by it, so name every row")
    raise_all(problems)
    conditions = Conditions(header, domain)
    name, table = header.index("name"), header.index("table") if "table" in header else len(header)
    queries = []
    for line, values in rows:
        found: list[str] = []
        predicate = conditions.predicate(values, found)
        problems += [f"{path}, row {line}{problem}" for problem in found]
        queries.append(Query(values[name], [*values, ""][table], predicate))
    problems += name_problems(str(path), zip((line for line, _ in rows), (query.name for query in queries), strict=True))
    raise_all(problems)
    return tuple(queries)


def name_problems(source: str, names: Iterable[tuple[int, str]]) -> list[str]:
    """Names that cannot tell the columns of counts apart."""
    problems, seen = [], {RELEASE: 0}
    for line, name in names:
        place = f"{source}, row {line}, column name"
        if not name:
            problems.append(f"{place}: blank; counts are found by it, so fill it in")
        elif name == RELEASE:
            problems.append(f"{place}: {shown(name)} is the column with the names of releases; choose another name")
        elif name in seen:
            problems.append(f"{place}: {shown(name)} is also the name of row {seen[name]}; give each row its own")
        else:
            for other in (name, f"{name}.low", f"{name}.high"):
                seen.setdefault(other, line)
    return problems


def workload_texts(workload: Workload) -> dict[str, str]:
    """domain.json, predicates.csv and, if there are rules, rules.csv, by their names."""
    domain = workload.domain
    rows = ([q.name, q.table, *predicate_cells(q.predicate, domain)] for q in workload.queries)
    return {**domain_texts(domain, workload.rules), "predicates.csv": csv_text([*WORDS, *domain.names], rows)}


@dataclass(frozen=True, slots=True)
class Counts:
    """Numbers of some releases of one workload, a row each: `high` is `low` where counts are exact, OPEN where unlimited."""

    ids: tuple[str, ...]
    low: Ints
    high: Ints

    def release(self, index: int, workload: Workload) -> Release:
        low, high = self.low[index].tolist(), self.high[index].tolist()
        return workload.release(low, [None if number == OPEN else number for number in high])


def count_columns(file: Path, header: Sequence[str], workload: Workload) -> list[tuple[str, str]]:
    """For each query the columns with its least and its greatest value: twice the same where counts are exact."""
    names = [query.name for query in workload.queries]
    known = {RELEASE, *names, *(f"{name}.{end}" for name in names for end in ("low", "high"))}
    strange = unknown_columns([name for name in header if name not in known], [RELEASE, *names])
    problems = [f"{file}, row 1: {problem}" for problem in strange]
    problems += [f"{file}, row 1: column {shown(name)} appears twice; keep one" for name, n in Counter(header).items() if n > 1]
    given, chosen = set(header), []
    if RELEASE not in given:
        problems.append(f"{file}, row 1: there is no column {RELEASE!r}; add it, with a name for each row")
    absent = []
    for name in names:
        ends = f"{name}.low", f"{name}.high"
        if name in given and given & set(ends):
            problems.append(f"{file}, row 1: both {name} and a range of it are given; keep one of the two")
        elif name not in given and not set(ends) <= given:
            absent.append(name)
        chosen.append((name, name) if name in given else ends)
    if len(absent) > MOST_LINES:
        problems.append(f"{file}, row 1: there are no columns for {len(absent):,} published numbers: {listed(absent)}; add them")
    else:
        problems += [
            f"{file}, row 1: there is no column {name}, nor {name}.low and {name}.high; add what was published" for name in absent
        ]
    raise_all(problems)
    return chosen


class CsvCounts:
    """A small table, held in memory; rows may be in any order."""

    def __init__(self, file: Path, workload: Workload) -> None:
        header, rows = read_rows(file)
        columns = count_columns(file, header, workload)
        at = {name: i for i, name in enumerate(header)}
        ends = [(at[low], at[high], low, high) for low, high in columns]
        self.whole = workload.whole
        problems: list[str] = []
        seen: dict[str, int] = {}
        made = []
        for line, values in rows:
            release = values[at[RELEASE]]
            if not release:
                problems.append(f"{file}, row {line}, column {RELEASE}: blank; give every row a name")
            elif release in seen:
                problems.append(f"{file}, row {line}, column {RELEASE}: {shown(release)} is also row {seen[release]}; list it once")
            seen[release] = line
            found: list[str] = []
            numbers = [_ends(values[low], values[high], name, other, found) for low, high, name, other in ends]
            problems += [f"{file}, row {line}{problem}" for problem in found]
            made.append((release, numbers))
        raise_all(problems)
        made.sort(key=lambda row: row[0])
        self.ids = [release for release, _ in made]
        self.numbers = np.array([row for _, row in made], dtype=np.int64).reshape(len(made), len(columns), 2)

    def sizes(self) -> Ints:
        return np.asarray(self.numbers[:, list(self.whole), 0].max(axis=1, initial=0))

    def read(self, first: int, last: int) -> Counts:
        some = self.numbers[first:last]
        return Counts(tuple(self.ids[first:last]), some[:, :, 0], some[:, :, 1])


def _ends(low: str, high: str, name: str, other: str, problems: list[str]) -> tuple[int, int]:
    if name == other:
        if not low:
            problems.append(f", column {name}: blank; give the published number, or its range in {name}.low and {name}.high")
            return 0, 0
        least, most = printed_count(name, low, problems)
    else:
        least, most = whole_number(name, low, problems) if low else 0, whole_number(other, high, problems) if high else None
        between(least, most, f", column {name}", problems)
    return least, OPEN if most is None else most


class ParquetCounts:
    """A table of any size, read in pieces; rows are in the order of their names."""

    def __init__(self, file: Path, workload: Workload) -> None:
        self.file = open_parquet(file)
        self.path, self.whole = file, workload.whole
        rows, size = self.file.metadata.num_rows, regular_file(file)
        if rows > ROWS_A_BYTE * size:
            why = f"{rows:,} rows in {size:,} bytes, so most of them are the same"
            raise_all([f"{file}: has {why}; a table has one row for each release, with a name of its own"])
        schema = self.file.schema_arrow
        self.columns = count_columns(file, schema.names, workload)
        self.wanted = list(dict.fromkeys(name for pair in self.columns for name in pair))
        self._check_types(schema)
        self.ids = self._read_ids()
        self._check_values()
        rows = [self.file.metadata.row_group(i).num_rows for i in range(self.file.metadata.num_row_groups)]
        self.starts = np.concatenate([[0], np.cumsum(rows)]).astype(np.int64)
        self._check_rows(len(self.ids), int(self.starts[-1]))

    def _check_rows(self, found: int, wanted: int) -> None:
        if found != wanted:
            raise_all([f"{self.path}: says that it has {wanted:,} rows, and {found:,} were found; write the table again"])

    def _check_types(self, schema: Any) -> None:
        import pyarrow.types as types

        problems = [] if types.is_string(schema.field(RELEASE).type) or types.is_large_string(schema.field(RELEASE).type) else [
            f"{self.path}, column {RELEASE}: is {schema.field(RELEASE).type}, expected text; convert it, with leading zeros kept"
        ]
        problems += [
            f"{self.path}, column {name}: is {schema.field(name).type}, expected whole numbers; convert it"
            for name in self.wanted
            if not types.is_integer(schema.field(name).type)
        ]
        raise_all(problems)

    def _read_ids(self) -> Any:
        import pyarrow as pa
        import pyarrow.compute as pc

        with reading_parquet(self.path):
            ids = self.file.read([RELEASE])[RELEASE].combine_chunks().cast(pa.large_string())
            ids.validate(full=True)  # are they text?
        wrong = pc.or_kleene(pc.is_null(ids), pc.equal(ids, ""))
        problems = [f"{self.path}, row {i + 1}, column {RELEASE}: blank; give every row a name" for i in _nonzero(wrong)]
        if not problems and len(ids) > 1:
            disorder = pc.less_equal(ids[1:], ids[:-1])
            problems = [
                f"{self.path}, row {i + 2}, column {RELEASE}: {shown(ids[i + 1].as_py())} comes after {shown(ids[i].as_py())};"
                " list each release once and sort the table by release"
                for i in _nonzero(disorder)
            ]
        raise_all(problems)
        return _Texts(ids)

    def _check_values(self) -> None:
        """By the statistics of the file where it has them, so that a large table is not read twice."""
        meta = self.file.metadata
        position = {meta.row_group(0).column(j).path_in_schema: j for j in range(meta.num_columns)} if meta.num_row_groups else {}
        absent = [name for name in self.wanted if position and name not in position]  # what a file says of itself can differ
        problems = [f"{self.path}, column {name}: is in its head, but has no rows; write the table again" for name in absent]
        raise_all(problems)
        for pair in self.columns:
            for name in dict.fromkeys(pair):
                blank_allowed = pair[0] != pair[1]
                pieces = [meta.row_group(i).column(position[name]).statistics for i in range(meta.num_row_groups)]
                if all(
                    piece is not None
                    and piece.has_null_count
                    and (blank_allowed or not piece.null_count)
                    and (not piece.num_values or (piece.has_min_max and piece.min >= 0 and piece.max <= LARGEST))
                    for piece in pieces
                ):
                    continue
                problems += self._wrong(name, blank_allowed)
        raise_all(problems)

    def _wrong(self, name: str, blank_allowed: bool) -> list[str]:
        found = []
        with reading_parquet(self.path):
            values = self.file.read([name])[name].to_pylist()
        for i, value in enumerate(values, start=1):
            if value is None and not blank_allowed:
                found.append(f"{self.path}, row {i}, column {name}: blank; give the published number, or ranges for all rows")
            elif value is not None and not 0 <= value <= LARGEST:
                found.append(f"{self.path}, row {i}, column {name}: {value} is not a count; counts are whole numbers from 0 up")
        return found

    def sizes(self) -> Ints:
        names = [self.columns[i][0] for i in self.whole]
        if not names:
            return np.zeros(len(self.ids), dtype=np.int64)
        with reading_parquet(self.path):
            table = self.file.read(list(dict.fromkeys(names)))
            self._check_rows(table.num_rows, len(self.ids))
            return np.asarray(np.max([_numbers(table[name], 0) for name in names], axis=0), dtype=np.int64)

    def read(self, first: int, last: int) -> Counts:
        a, b = int(np.searchsorted(self.starts, first, side="right")) - 1, int(np.searchsorted(self.starts, last, side="left"))
        with reading_parquet(self.path):
            table = self.file.read_row_groups(list(range(a, b)), self.wanted).slice(first - int(self.starts[a]), last - first)
            self._check_rows(table.num_rows, last - first)
            low = np.stack([_numbers(table[name], 0) for name, _ in self.columns], axis=1)
            high = np.stack([_numbers(table[name], OPEN) for _, name in self.columns], axis=1)
        return Counts(tuple(self.ids[first:last]), low, high)


class _Texts(Sequence[str]):
    """Names in Arrow's memory: a few bytes each however many there are."""

    def __init__(self, array: Any) -> None:
        self.array = array

    def __len__(self) -> int:
        return len(self.array)

    def __iter__(self) -> Iterator[str]:
        for first in range(0, len(self), 10_000):
            yield from self[first : first + 10_000]

    def __getitem__(self, index: Any) -> Any:
        return self.array[index].to_pylist() if isinstance(index, slice) else self.array[index].as_py()


def _nonzero(mask: Any) -> list[int]:
    import pyarrow.compute as pc

    return list(pc.indices_nonzero(mask).slice(0, MOST_NAMED).to_pylist())


def _numbers(column: Any, blank: int) -> Ints:
    import pyarrow as pa
    import pyarrow.compute as pc

    return np.asarray(pc.fill_null(column.cast(pa.int64()), blank).to_numpy(), dtype=np.int64)


class ReleaseTable:
    """A folder with a workload and the counts of many releases, in the order of their names."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.workload = read_workload(path)
        files = [path / name for name in ("counts.parquet", "counts.csv") if is_there(path / name)]
        if len(files) != 1:
            raise InputError(f"{path}: expected one of counts.parquet and counts.csv, found {'both' if files else 'neither'}")
        self.file = files[0]
        kind = CsvCounts if self.file.suffix == ".csv" else ParquetCounts
        self._counts: CsvCounts | ParquetCounts = kind(self.file, self.workload)
        self.ids: Sequence[str] = self._counts.ids

    def __len__(self) -> int:
        return len(self.ids)

    def sizes(self) -> Ints:
        """The number of records of each release as far as it is published, otherwise 0."""
        return self._counts.sizes()

    def counts(self, first: int, last: int) -> Counts:
        """The releases first, ..., last - 1."""
        return self._counts.read(first, last)

    def releases(self) -> Iterator[tuple[str, Release]]:
        """Every release with its name, a few in memory at a time."""
        for first in range(0, len(self), 1000):
            some = self.counts(first, min(first + 1000, len(self)))
            for i, name in enumerate(some.ids):
                yield name, some.release(i, self.workload)


def write_table(path: Path, workload: Workload, releases: Iterable[tuple[str, Sequence[int]]]) -> int:
    """Write exact counts of many releases as a folder with counts.parquet, in the order of their names; how many there were."""
    import pyarrow as pa

    parquet = parquet_module()
    names = [query.name for query in workload.queries]
    raise_all(name_problems("the workload", enumerate(names, start=1)))
    written, rows = 0, _in_order(releases)
    schema = pa.schema([(RELEASE, pa.string()), *((name, pa.int64()) for name in names)])
    with new_folder(path) as folder:
        fill(folder, workload_texts(workload))
        with parquet.ParquetWriter(folder / "counts.parquet", schema, compression="zstd") as out:
            while batch := list(islice(rows, 1000)):
                out.write_table(pa.table(list(zip(*batch, strict=True)), schema=schema))
                written += len(batch)
    return written


def _in_order(releases: Iterable[tuple[str, Sequence[int]]]) -> Iterator[tuple[str | int, ...]]:
    """The name and the counts of each release, as long as names ascend."""
    last = ""
    for name, counts in releases:
        if name <= last:
            raise InputError(f"release {shown(name)} comes after {shown(last)}; give each its own name, in their order")
        yield name, *map(int, counts)
        last = name
