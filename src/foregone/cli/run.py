"""Many releases: `foregone run` audits them, on this machine or on a cluster, and `foregone query` asks what was found."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from foregone.cli import options as opt
from foregone.cli.answers import tell
from foregone.cli.options import argument, option, seconds
from foregone.cli.progress import Speaker, told
from foregone.cli.show import UNDECIDED, note, room, say, say_lines, stop
from foregone.model.errors import InputError
from foregone.model.families import Groups

if TYPE_CHECKING:
    from foregone.batch.run import RunOutcome, Tally
    from foregone.batch.source import RunQuestions
    from foregone.census.sources import RunOptions
    from foregone.workflows.run import Hands, OpenRun

SHOWN = 60  # rows of an answer on the terminal


def run(
    source: Annotated[
        Path,
        argument(
            "SOURCE", "A unit or person file (csv, gz, zip, or Parquet made by `census ingest`), a folder or a table of releases."
        ),
    ],
    out: Annotated[Path, option("--out", "The folder of the run; the same command on the same folder continues it.")],
    workers: opt.WorkersOption = None,
    scheduler: opt.SchedulerOption = None,
    shard: opt.ShardOption = None,
    limit: opt.LimitOption = None,
    state: opt.StateOption = None,
    time_limit: Annotated[float | None, seconds("For each release; what is not decided by then is undecided.")] = None,
    memory: opt.MemoryOption = None,
    variant: opt.VariantOption = None,
    some: opt.TablesOption = None,
    rules: Annotated[opt.Rules, option("--rules", "edit: take the rules of valid households as known.")] = opt.Rules.none,
    which: opt.UnitsOption = None,
    subject: opt.SubjectOption = opt.SubjectName.household,
    groups: opt.GroupsOption = Groups.PUBLISHED,
    unique: Annotated[
        bool,
        option(
            "--unique",
            "Also tell whether only one dataset fits each release (column unique of the summary); it costs next to nothing.",
        ),
    ] = False,
    farthest: Annotated[
        bool,
        option(
            "--farthest",
            "With --unique: also look for two datasets that are as far apart as possible, and in what share of records two can"
            " differ (columns variability, low, high, detail). This takes far longer than the rest.",
        ),
    ] = False,
    farthest_limit: Annotated[
        float | None,
        seconds("With --farthest: processor time for each release, 60 if not given.", "--farthest-limit"),
    ] = None,
    prior_table: Annotated[
        str | None,
        option(
            "--prior-table",
            "What a guesser would guess from: a CSV file (some of the columns and `weight`, or records); of a census file also"
            " tract or state. Adds the columns chance, guess and modal to the facts.",
            metavar="FILE|tract|state",
        ),
    ] = None,
    max_records: opt.MaxRecords = opt.LIMIT,
    retry_failed: opt.RetryOption = False,
) -> None:
    """Audit many releases, or every block of a census file.

    Results are Parquet files in the folder of the run. Finished parts are kept whatever ends a run (a
    crash, a full disk, kill -9), and the same command continues it.
    """
    with stopped_as_line():
        from foregone.batch.overview import closing
        from foregone.batch.source import FARTHEST, RunQuestions
        from foregone.census.sources import RunOptions
        from foregone.workflows.run import Hands

        tables, units = opt.chosen(subject, variant, which, rules == opt.Rules.edit, some)
        options = RunOptions(tables, rules.value, units, state, limit, subject.value)
        hands = Hands(workers, scheduler, shard, time_limit, memory, retry_failed)
        if farthest_limit is not None and not farthest:
            raise InputError("--farthest-limit goes with --farthest; add that, or leave it out")
        if farthest and not unique:
            raise InputError("--farthest goes with --unique; add that, or leave out --farthest")
        apart = (FARTHEST if farthest_limit is None else farthest_limit) if farthest else None
        ran = watched(source, out, options, RunQuestions(True, unique, groups, apart, max_records, prior_table or ""), hands)
        tell(totals=ran.totals, complete=ran.complete, out=out)
        say_lines(closing(ran, out))
        if not ran.sound:
            stop(UNDECIDED)


def watched(
    source: Path, out: Path, options: RunOptions, asked: RunQuestions, hands: Hands, opened: OpenRun | None = None
) -> RunOutcome:
    """Do what is left of a run, telling how far it is, until it is done or somebody wants it to stop."""
    from foregone.workflows.run import carry_out

    with _Ears() as ears, told("Run") as speaker:
        teller = _Teller(ears, asked.claims, speaker)
        telling = {"report": teller.tally, "progress": teller.stage, "stopping": lambda: ears.asked}
        return carry_out(source, out, options, asked, hands, opened, **telling)


@contextmanager
def stopped_as_line() -> Iterator[None]:
    """A run that had to stop says so in one line; so does one that somebody stopped."""
    from foregone.workers.pool import StoppedError

    try:
        yield
    except StoppedError as error:
        note(str(error), "error")
        stop(UNDECIDED)
    except KeyboardInterrupt:
        note("stopped before the work began; the same command starts again", "error")
        stop(UNDECIDED)


class _Ears:
    """Ctrl-C and a polite kill: while parts are written the run is asked to stop, before that it just stops."""

    def __init__(self) -> None:
        self.working = self.asked = False

    def __enter__(self) -> _Ears:
        self.before = {number: signal.signal(number, self.hear) for number in (signal.SIGINT, signal.SIGTERM)}
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self.before.items():
            signal.signal(number, handler)

    def hear(self, *_: object) -> None:
        if not self.working or self.asked:
            raise KeyboardInterrupt
        self.asked = True


class _Teller:
    """Says how far the run is, through a speaker."""

    def __init__(self, ears: _Ears, claims: bool, speaker: Speaker) -> None:
        self.ears, self.claims, self.speaker = ears, claims, speaker

    def tally(self, tally: Tally) -> None:
        from foregone.batch.overview import line

        self.ears.working = True
        done = tally.done_cost / tally.cost if tally.cost else None
        self.speaker.at(tally.noun, done, lambda left: line(tally, left, self.claims))

    def stage(self, name: str, done: int, total: int, share: float | None = None, /) -> None:
        text = f"{name}: {100 * done // total} %" if total else name
        self.speaker.at(name, share if share is not None or not total else done / total, lambda _: text)


GroupBy = StrEnum("GroupBy", ["state", "county", "tract", "size", "k"])


def query(
    run: Annotated[Path, argument("RUN", "The folder that `foregone run ... --out RUN` wrote.")],
    by: Annotated[
        GroupBy | None, option("--by", "Count records singled out by place, by size of release, or by attributes told (k or more).")
    ] = None,
    columns: Annotated[
        int | None, option("--columns", "With --by: only facts that tell K attributes or more.", metavar="K", min=1)
    ] = None,
    sql: Annotated[
        str | None, option("--sql", "One SELECT over the tables facts, summary and failures; it can read nothing else.")
    ] = None,
    out: Annotated[Path | None, option("--out", "Write all rows to this .csv or .parquet file.")] = None,
) -> None:
    """Ask a finished run who is singled out, and where.

    Prints an overview, a table by place, size or number of attributes, or the answer to an SQL query.
    """
    from foregone.batch.overview import more_questions, overview
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
            say_lines(f"{overview(opened, room())}\n{more_questions(opened)}")
            return
        if opened.unfinished:
            note(opened.unfinished)
        text = checked_sql(opened, sql) if sql is not None else grouped(opened, by.value if by else "", columns)
        if out is not None:
            rows = export(opened, text, out)
            tell(written=rows, out=out)
            say(f"{rows:,} {'row' if rows == 1 else 'rows'} written to {out}.")
            return
        opened.seal()
        found = answer(opened, text, SHOWN)
        tell(rows=lambda: [dict(zip(found.header, row, strict=True)) for row in found.rows], more=bool(found.more))
        say_lines(table_text(found.header, found.rows, room()))
        if found.more:
            say(f"... only the first {SHOWN} rows are shown; --out FILE.csv writes all of them.")
