"""`foregone query`: questions about a finished run."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from foregone.cli.fitting import room
from foregone.cli.show import errors_as_lines, note, say, say_lines
from foregone.model.errors import InputError

SHOWN = 60  # rows on the terminal


class GroupBy(StrEnum):
    state = "state"
    county = "county"
    tract = "tract"
    size = "size"
    k = "k"


def query(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The folder that `foregone run ... --out RUN` wrote.")],
    by: Annotated[
        GroupBy | None,
        typer.Option("--by", help="Count records singled out by place, by size of release, or by attributes in the claim (k)."),
    ] = None,
    columns: Annotated[
        int | None, typer.Option("--columns", metavar="K", min=1, help="With --by: only claims with exactly K attributes.")
    ] = None,
    sql: Annotated[
        str | None, typer.Option("--sql", help="One SELECT over the tables facts, summary and failures; it can read nothing else.")
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", help="Write all rows to this .csv or .parquet file.")] = None,
) -> None:
    """Ask a finished run who is singled out, and where.

    Prints an overview, a table by place, size or number of attributes, or the answer to an SQL query.
    """
    with errors_as_lines():
        from foregone.batch.overview import overview
        from foregone.batch.query import answer, check_export, checked_sql, export, grouped, table_text
        from foregone.batch.run_folder import open_run
        from foregone.census.subjects import subject_of_run

        if by is not None and sql is not None:
            raise InputError("--by and --sql are two different questions; give only one of them")
        if columns is not None and (by is None or by is GroupBy.k):
            raise InputError("--columns goes with --by state, county, tract or size")
        if out is not None and by is None and sql is None:
            raise InputError("--out needs to know what to write: add --by or --sql")
        if out is not None:
            check_export(run, out)
        with open_run(run, subject_of_run) as opened:
            if sql is None and by is None:
                say_lines(overview(opened, room()))
                return
            if opened.unfinished:
                note(opened.unfinished)
            text = checked_sql(opened, sql) if sql is not None else grouped(opened, by.value if by else "", columns)
            if out is not None:
                rows = export(opened, text, out)
                say(f"{rows:,} {'row' if rows == 1 else 'rows'} written to {out}.")
                return
            opened.seal()
            found = answer(opened, text, SHOWN)
            say_lines(table_text(found.header, found.rows, room()))
            if found.more:
                say(f"... only the first {SHOWN} rows are shown; --out FILE.csv writes all of them.")
