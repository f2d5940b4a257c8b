"""Questions about a run: who is singled out, by place, by size and by number of attributes; or any SQL."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from foregone.batch.part_files import ATTRIBUTES
from foregone.batch.run_folder import RunFolder
from foregone.batch.subject import Geography
from foregone.formats.extras import quoted
from foregone.formats.outputs import check_outputs, write_file
from foregone.formats.text import FORMULA, NUMBER, guarded
from foregone.model.errors import InputError
from foregone.model.shown import plain, shown

SIZES = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)  # where a new class of sizes begins


@dataclass(frozen=True, slots=True)
class Answer:
    """A table with its headings; `query` gives it again, so that it can be written without being held in memory."""

    header: tuple[str, ...]
    rows: list[tuple[Any, ...]]
    query: str
    more: bool = False  # there are further rows


def grouped(run: RunFolder, by: str, columns: int | None = None) -> str:
    """The query behind `--by`: singled-out records, their share, and releases with any of them.

    With `columns` only facts that tell so many attributes or more count. Attributes are counted as everywhere: a value that every
    possible record has is none.
    """
    if columns is not None and columns not in run.widths():
        most = max(run.widths(), default=0)
        raise InputError(f"--columns {columns}: facts of this run tell 1 to {most} attributes; give one of these numbers")
    if by == "k":
        parts = [_measures(run, str(k), k, "k") for k in run.widths()]
        return " UNION ALL ".join(parts) + " ORDER BY k"
    if by == "size":
        return f"SELECT * EXCLUDE (first) FROM ({_measures(run, _size(), columns, 'size', 'min(records) AS first')}) ORDER BY first"
    geography = run.subject.geography
    if by not in geography.levels and geography.levels:
        raise InputError(f"--by {shown(by)}: use one of {', '.join([*geography.levels, 'size', 'k'])}")
    if by not in geography.levels or not run.rows(f"SELECT 1 FROM summary WHERE {lies_somewhere(geography)} LIMIT 1"):
        raise InputError(f"--by {by}: the releases of this run are not {geography.ids}, so they have no {by}; use --by size or k")
    place = f"CASE WHEN {lies_somewhere(geography)} THEN {place_sql(geography, by)} ELSE '' END"
    return f"{_measures(run, place, columns, by, _name(run, by))} ORDER BY {by}"


def lies_somewhere(geography: Geography) -> str:
    """Does the id of a release say where it lies? As SQL."""
    return f"regexp_full_match(release, '{quoted(geography.pattern)}')" if geography.levels else "false"


def place_sql(geography: Geography, level: str, release: str = "release") -> str:
    """The code of the place of that level, as SQL."""
    return f"{release}[1:{geography.levels[level]}]"


def told(run: RunFolder, attributes: int | None = None) -> str:
    """The column of the summary with how many true records are singled out: by any fact, or by one that tells so many attributes or
    more. (A run of an early version counted columns.)"""
    if attributes is None:
        return run.counted
    measure = f"{run.counted}_told_{attributes}"
    return measure if measure in run.measures else f"{run.counted}_{attributes}"


def _measures(run: RunFolder, key: str, attributes: int | None, name: str, further: str = "") -> str:
    """One line per group. Where the true records are not known, facts are counted instead. Claims (all forms of facts) are
    told only where no number of attributes is asked for: what a form names in columns is another thing."""
    singled = told(run, attributes) if run.counted else ""
    counted = f"sum({singled})::BIGINT AS singled_out, sum({singled}) / sum(records) AS share," if singled else ""
    group = "" if name == "k" else "GROUP BY 1"
    extra = f", {further}" if further else ""
    determined = " count_if(\"unique\" = 'true') AS determined," if "unique" in run.measures and attributes is None else ""
    claims = "" if attributes else " sum(singletons)::BIGINT AS singletons, sum(verified)::BIGINT AS verified,"
    enough = f"WHERE {ATTRIBUTES} >= {attributes}" if attributes else ""
    facts = f"(SELECT release, count_if(count = 1) AS about_one, count(*) AS told FROM facts {enough} GROUP BY 1)"
    return (
        f"SELECT {key} AS {name}{extra}, count(*) AS releases, sum(records)::BIGINT AS records, {counted}"
        f" count_if({singled or 'about_one'} > 0) AS releases_with_any,{determined}"
        " coalesce(sum(about_one), 0)::BIGINT AS facts_about_one,"
        f" coalesce(sum(told), 0)::BIGINT AS facts,{claims} sum(undecided)::BIGINT AS undecided"
        f" FROM summary LEFT JOIN {facts} USING (release) {group}"
    )


def _size() -> str:
    classes = [(high, f"{low} to {high - 1}" if high - low > 1 else str(low)) for low, high in pairwise(SIZES)]
    cases = " ".join(f"WHEN records < {high} THEN '{words}'" for high, words in classes)
    return f"CASE WHEN records IS NULL THEN 'unknown' WHEN records < 1 THEN '0' {cases} ELSE '{SIZES[-1]} or more' END"


def _name(run: RunFolder, by: str) -> str:
    """What each place is called, where its level is one that people know by name."""
    geography = run.subject.geography
    if by not in geography.named:
        return ""
    place = place_sql(geography, by)
    codes = [code for (code,) in run.rows(f"SELECT DISTINCT {place} FROM summary WHERE {lies_somewhere(geography)} ORDER BY 1")]
    cases = " ".join(f"WHEN '{quoted(code)}' THEN '{quoted(geography.name_of(code, by))}'" for code in codes)
    return f"CASE any_value({place}) {cases} ELSE '' END AS name"


def answer(run: RunFolder, query: str, most: int | None = None) -> Answer:
    """Run a query; at most so many rows are fetched."""
    import duckdb

    try:
        result = run.base.execute(query)
        header = tuple(column[0] for column in result.description or ())
        rows = result.fetchall() if most is None else result.fetchmany(most + 1)
    except duckdb.Error as error:
        raise InputError(_one_line(error)) from None
    return Answer(header, rows[:most], query, most is not None and len(rows) > most)


def checked_sql(run: RunFolder, text: str) -> str:
    """A user's query, if it is one and only reads; which files it can read the seal of the run decides."""
    import duckdb

    asked = text.strip().rstrip(";")
    try:
        asked.encode()
        statements = run.base.extract_statements(asked)
    except (duckdb.Error, UnicodeEncodeError) as error:
        raise InputError(_one_line(error)) from None
    try:  # a PRAGMA passes for a SELECT, but not inside of one
        inside = run.base.extract_statements(f"SELECT * FROM ({asked}\n)")
    except duckdb.Error:
        inside = []
    if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT or len(inside) != 1:
        raise InputError("--sql: give one SELECT over facts, summary and failures; nothing else is run")
    return asked


def _one_line(error: Exception) -> str:
    """What DuckDB says, without the picture of where; its hints are kept."""
    lines = [line.strip() for line in str(error).splitlines()]
    kept = [line for line in lines if line and not line.startswith("LINE ") and set(line) != {"^"}]
    return "--sql: " + " ".join(kept)


def export(run: RunFolder, query: str, out: Path) -> int:
    """Write the rows of a query as CSV or Parquet, straight from the database; how many there were."""
    import duckdb

    how = "FORMAT csv, HEADER" if out.suffix == ".csv" else "FORMAT parquet, COMPRESSION zstd"
    written: list[int] = []

    def write(draft: Path) -> None:
        run.seal(draft.parent)
        try:
            asked = _guarded(run, query) if out.suffix == ".csv" else query
            written.append(int(run.rows(f"COPY ({asked}\n) TO '{quoted(str(draft))}' ({how})")[0][0]))
        except duckdb.Error as error:
            raise InputError(_one_line(error)) from None

    write_file(out, write)
    return written[0]


def check_export(run: Path, out: Path) -> None:
    """Refuse a place where rows cannot go before any work is done."""
    if out.suffix not in (".csv", ".parquet"):
        raise InputError(f"{out}: the ending {shown(out.suffix)} does not name a format; use .csv or .parquet")
    check_outputs([run], {"--out": out})


def _guarded(run: RunFolder, query: str) -> str:
    """The rows of an answer, with texts written as in every CSV file of ours: none is a formula to a spreadsheet."""
    formula, number = quoted(FORMULA.pattern), quoted(NUMBER.pattern)
    cells = []
    for i, (name, kind, *_) in enumerate(run.rows(f"DESCRIBE {query}")):
        risky = f"regexp_matches(c{i}, '^(?:{formula})') AND NOT regexp_full_match(c{i}, '{number}')"
        cell = f"CASE WHEN {risky} THEN '''' || c{i} ELSE c{i} END" if kind == "VARCHAR" else f"c{i}"
        title = guarded(name).replace('"', '""')
        cells.append(f'{cell} AS "{title}"')
    names = ", ".join(f"c{i}" for i in range(len(cells)))
    return f"SELECT {', '.join(cells)} FROM ({query}\n) AS asked({names})"


def table_text(header: Sequence[str], rows: Sequence[Sequence[Any]], most: int | None = None) -> str:
    """A table for the terminal: numbers to the right, shares in percent.

    Columns that do not fit into `most` follow below, with the first column again.

    >>> print(table_text(["state", "records", "share"], [("01", 12345, 0.25), ("02", None, 1.0)]))
    state  records    share
    01      12,345   25.0 %
    02              100.0 %
    >>> print(table_text(["state", "records", "share"], [("01", 12345, 0.25), ("02", None, 1.0)], most=15))
    state  records
    01      12,345
    02
    <BLANKLINE>
    state    share
    01      25.0 %
    02     100.0 %
    """
    header = [plain(name) for name in header]
    cells = [[_cell(name, value) for name, value in zip(header, row, strict=True)] for row in rows]
    right = [any(isinstance(row[i], int | float) for row in rows) for i in range(len(header))]
    widths = [max(map(len, column)) for column in zip(header, *cells, strict=True)]
    parts = []
    for some in _parts(widths, most):
        lines = (
            "  ".join(line[i].rjust(widths[i]) if right[i] else line[i].ljust(widths[i]) for i in some) for line in [header, *cells]
        )
        parts.append("\n".join(line.rstrip() for line in lines))
    return "\n\n".join(parts)


def _parts(widths: Sequence[int], most: int | None) -> list[list[int]]:
    """Which columns stand side by side, so that no line is longer than `most`."""
    parts = [[0]] if widths else []
    for i in range(1, len(widths)):
        taken = sum(widths[j] + 2 for j in parts[-1])
        if most is not None and taken + widths[i] > most and len(parts[-1]) > 1:
            parts.append([0])
        parts[-1].append(i)
    return parts


def _cell(name: str, value: Any) -> str:
    if value is None:
        return ""
    if name == "share" and isinstance(value, float):
        return f"{100 * value:.1f} %"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:g}" if isinstance(value, float) else plain(str(value))
