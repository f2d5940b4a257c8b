"""From a raw file to Parquet, out of core: every row is checked; what is no record (group quarters among units) is dropped.

A raw file has commas or pipes, is plain, gz or zip, and has its columns in any order and in several spellings.
"""

from __future__ import annotations

import gzip
import shutil
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from foregone.batch.query import place_sql
from foregone.census.geography import BLOCKS, code_sql
from foregone.census.household.kind import HOUSEHOLDS
from foregone.census.records import FileFormat, FileLayout, RecordKind
from foregone.census.unit_files.rows import BAD, RowChecks
from foregone.formats.extras import database, quoted
from foregone.formats.outputs import check_outputs, write_file
from foregone.formats.text import regular_file
from foregone.model.errors import InputError
from foregone.model.shown import listed, shown

if TYPE_CHECKING:
    import duckdb

SHOWN = 10  # bad rows that are spelled out
HEADER_LIMIT = 1 << 20  # characters looked at to find the header


@dataclass(frozen=True, slots=True)
class Source:
    """Where the rows are and how to read them: `columns` maps the names we use to positions."""

    name: str
    path: Path
    compression: str
    delimiter: str
    width: int
    header: str
    columns: dict[str, int]


@contextmanager
def open_source(path: Path, scratch: Path, form: FileFormat) -> Iterator[Source]:
    """Look at the header; a zip is unpacked into `scratch`, everything else is read where it is."""
    regular_file(path, "give a unit file (csv, gz or zip) or an ingested .parquet")
    try:
        with path.open("rb") as raw:
            magic = raw.read(4)
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}); check its permissions") from None
    plain, compression = path, "none"
    if magic[:2] == b"PK":
        plain = scratch / "units.csv"
        _unzip(path, plain)
    elif magic[:2] == b"\x1f\x8b":
        compression = "gzip"
    try:
        yield _look(path, plain, compression, form)
    finally:
        if plain != path:
            plain.unlink(missing_ok=True)


def _unzip(path: Path, target: Path) -> None:
    try:
        with zipfile.ZipFile(path) as archive:
            members = [name for name in archive.namelist() if name.lower().endswith((".csv", ".txt"))]
            if len(members) != 1:
                raise InputError(f"{path}: holds {len(members)} csv or txt files, expected one; unpack it and name the unit file")
            with archive.open(members[0]) as packed, target.open("wb") as out:
                shutil.copyfileobj(packed, out, 1 << 20)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, zlib.error) as error:
        raise InputError(f"{path}: not a readable zip file ({error}); fetch it again") from None


def _look(path: Path, plain: Path, compression: str, form: FileFormat) -> Source:
    try:
        with _opened(plain, compression) as raw:
            head = raw.read(HEADER_LIMIT).decode("utf-8-sig", errors="replace")
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"{path}: cannot be read ({error}); fetch it again") from None
    lines = enumerate(head.splitlines(), start=1)
    row, line = next(((row, line) for row, line in lines if line.strip() and not line.startswith("#")), (0, ""))
    if not row:
        raise InputError(f"{path}: no header line was found; a unit file starts with its column names")
    delimiter = "|" if line.count("|") > line.count(",") else ","
    names = [name.strip().strip('"').upper() for name in line.split(delimiter)]
    chosen = [_columns(names, layout) for layout in form.layouts]
    columns, missing = min(chosen, key=lambda pair: (bool(pair[1]), -len(pair[0])))  # a layout that fits, else the nearest
    if missing:
        raise InputError(
            f"{path}, row {row}: {', '.join(missing)} {'is' if len(missing) == 1 else 'are'} not among the columns"
            f" ({listed(names)}); {form.missing}"
        )
    return Source(str(path), plain, compression, delimiter, len(names), line.rstrip(), columns)


def _columns(names: list[str], layout: FileLayout) -> tuple[dict[str, int], list[str]]:
    """Where the columns of a layout are, and which ones there are not."""
    found = {name: i for i, name in reversed(list(enumerate(names)))}
    for old, name in (layout.spellings or {}).items():
        if name not in found and old in found:
            found[name] = found[old]
    missing = [name for name in layout.required if name not in found]
    return {name: found[name] for name in (*layout.required, *layout.optional) if name in found}, missing


def _opened(path: Path, compression: str) -> BinaryIO:
    return gzip.open(path, "rb") if compression == "gzip" else path.open("rb")  # type: ignore[return-value]


@dataclass(frozen=True, slots=True)
class Ingested:
    """How many rows of each kind a file had; `problems` are its first bad rows, one line each.

    `records` are the households or persons; of a unit file there are vacant units and group quarters besides.
    """

    records: int
    vacant: int
    quarters: int
    bad: int
    synthetic: bool
    problems: tuple[str, ...] = ()


def ingest(path: Path, out: Path, skip_bad: bool = False, kind: RecordKind = HOUSEHOLDS) -> Ingested:
    """Read a file in any published variant and write the records of the study, sorted by block."""
    if out.suffix != ".parquet":
        raise InputError(f"{out}: the ending {shown(out.suffix)} is not .parquet; ingested records are a Parquet file")
    check_outputs([path], {"--out": out})
    found: list[Ingested] = []

    def write(draft: Path) -> None:
        with open_source(path, draft.parent, kind.file) as source, database(draft.parent) as base:
            found.append(_ingest(kind, base, source, draft, skip_bad))

    write_file(out, write)
    return found[0]


def _ingest(kind: RecordKind, base: duckdb.DuckDBPyConnection, source: Source, draft: Path, skip_bad: bool) -> Ingested:
    import duckdb

    checks = kind.file.checks(source.columns)
    base.execute("SET preserve_insertion_order = false")
    try:
        base.execute(f"CREATE TABLE staged AS {checks.staged(_rows(source, checks))}")
        short = _count(base, "SELECT count(DISTINCT line) FROM reject_errors")
        # a reader that loses rows in silence would make every count wrong, so the lines are counted a second way
        lost = _count(base, f"SELECT count(*) FROM ({_text(source)})") - _count(base, "SELECT count(*) FROM staged") - short
    except duckdb.Error as error:
        if isinstance(error, duckdb.OutOfMemoryException):
            raise
        raise InputError(f"{source.name}: cannot be read ({str(error).splitlines()[0]}); check that it is a unit file") from None
    if lost:
        raise InputError(f"{source.name}: {abs(lost):,} lines were not read as one row each; check quotes and line ends")
    counts = dict(base.execute("SELECT kind, count(*) FROM staged GROUP BY kind").fetchall())
    synthetic = bool(base.execute("SELECT coalesce(bool_or(synthetic), false) FROM staged").fetchall()[0][0])
    bad = counts.get(BAD, 0) + short
    problems = _problems(base, source, checks) if bad else ()
    if bad and not skip_bad:
        noun, them = ("row is", "it") if bad == 1 else ("rows are", "them")
        more = f"; the first {len(problems)} are above" if bad > len(problems) else ""
        remedy = f"Correct {them}, or leave {them} out with `census ingest --skip-bad`"
        raise InputError([*problems, f"{source.name}: {bad:,} {noun} bad{more}. {remedy}"])
    if not counts.get(checks.kept[0], 0):
        rows = sum(counts.values()) + short
        raise InputError(f"{source.name}: no {kind.file.none} was found among {rows:,} rows; check that this is the right file")
    made = Ingested(counts[0], counts.get(1, 0), counts.get(2, 0), bad, synthetic, problems)
    _write(kind, base, checks, made, draft)
    return made


def _rows(source: Source, checks: RowChecks) -> str:
    """The file as a table of text columns c0, c1, ...; rows with too few or too many fields are put aside."""
    columns = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(source.width))
    return (
        f"SELECT * FROM read_csv('{quoted(str(source.path))}', columns={{{columns}}}, delim='{source.delimiter}', header=false,"
        f" comment='#', quote='\"', escape='\"', auto_detect=false, strict_mode=true,"
        f" store_rejects=true, compression='{source.compression}')"
        # the header is left out by what it says: skipping a number of lines counts comments and blank lines differently
        f" WHERE c{source.columns[checks.header]} IS NULL OR upper(trim(c{source.columns[checks.header]})) <> '{checks.header}'"
    )


def _lines(source: Source) -> str:
    """The file line by line with line numbers, split into the same columns; slow, so only used to name bad rows."""
    fields = ", ".join(f"trim(f[{i + 1}], ' \"') AS c{i}" for i in range(source.width))
    return (
        f"SELECT n, len(f) AS fields, {fields} FROM"
        f" (SELECT n, string_split(line, '{source.delimiter}') AS f FROM ({_text(source, 'row_number() OVER () AS n')}))"
    )


def _text(source: Source, number: str = "0 AS n") -> str:
    """The lines of the file that should be rows: no comments, no blank lines, not the header."""
    return (
        f"SELECT n, line FROM (SELECT {number}, rtrim(line) AS line FROM"
        f" read_csv('{quoted(str(source.path))}', columns={{'line': 'VARCHAR'}}, delim='\x01', quote='', escape='', header=false,"
        f" auto_detect=false, strict_mode=false, compression='{source.compression}'))"
        f" WHERE line <> '' AND line NOT LIKE '#%' AND NOT ends_with(line, '{quoted(source.header)}')"
    )


def _problems(base: duckdb.DuckDBPyConnection, source: Source, checks: RowChecks) -> tuple[str, ...]:
    base.execute("SET preserve_insertion_order = true")
    rows = checks.fields(_lines(source), "n, fields")
    query = (
        f"SELECT n, problem FROM (SELECT n, {checks.problem(source.width)} AS problem FROM ({rows}))"
        f" WHERE problem IS NOT NULL ORDER BY n LIMIT {SHOWN}"
    )
    return tuple(f"{source.name}, row {n}: {problem}" for n, problem in base.execute(query).fetchall())


def _write(kind: RecordKind, base: duckdb.DuckDBPyConnection, checks: RowChecks, made: Ingested, draft: Path) -> None:
    base.execute("SET preserve_insertion_order = true")
    base.execute(
        f"COPY (SELECT {place_sql(BLOCKS, 'state', 'block')} AS state, {place_sql(BLOCKS, 'tract', 'block')} AS tract, block,"
        " columns(* EXCLUDE (block)) FROM ("
        f"SELECT {code_sql('geo')} AS block, {checks.written} FROM staged"
        f" WHERE kind IN ({', '.join(map(str, checks.kept))}) ORDER BY geo, kind, code))"
        f" TO '{quoted(str(draft))}' (FORMAT parquet, COMPRESSION zstd, KV_METADATA {{foregone: '{kind.file.mark} 1',"
        f" synthetic: '{'yes' if made.synthetic else 'no'}', quarters: '{made.quarters}', bad: '{made.bad}'}})"
    )


def _count(base: duckdb.DuckDBPyConnection, query: str) -> int:
    return int(base.execute(query).fetchall()[0][0])
