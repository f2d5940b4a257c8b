"""Many releases: `foregone run` audits them, on this machine or on a cluster, and `foregone query` asks what was found."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from foregone.cli.census import Rules, SubjectName, SubjectOption, TablesOption, UnitsOption, VariantOption, chosen
from foregone.cli.options import GroupsOption, argument, option, seconds
from foregone.cli.progress import Speaker, told
from foregone.cli.show import UNDECIDED, note, room, say, say_lines, stop
from foregone.model.errors import InputError
from foregone.model.families import Groups
from foregone.model.shown import shown

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from foregone.batch.run import RunOutcome, Tally
    from foregone.batch.source import RunQuestions, RunSource
    from foregone.census.sources import RunOptions

    OpenRun = Callable[..., AbstractContextManager[RunSource]]

SHOWN = 60  # rows of an answer on the terminal

WorkersOption = Annotated[int | None, option("--workers", "Processes on this machine; all cores by default.", min=1)]
SchedulerOption = Annotated[str | None, option("--scheduler", "Use a Dask cluster, such as tcp://host:8786.", metavar="ADDRESS")]
ShardOption = Annotated[str | None, option("--shard", "Do share I of N; for job arrays that share one folder.", metavar="I/N")]
LimitOption = Annotated[int | None, option("--limit", "Only the first N blocks in order of their codes.", metavar="N", min=1)]
StateOption = Annotated[str | None, option("--state", "Only the blocks of one state (2 digits).", metavar="CODE")]
MemoryOption = Annotated[
    float | None, option("--memory", "For each worker; a release that needs more fails.", metavar="GB", min=0.1)
]
RetryOption = Annotated[
    bool, option("--retry-failed", "Do parts with failed or undecided releases again; you may change the limits.")
]


def run(
    source: Annotated[
        Path,
        argument(
            "SOURCE", "A unit or person file (csv, gz, zip, or Parquet made by `census ingest`), a folder or a table of releases."
        ),
    ],
    out: Annotated[Path, option("--out", "The folder of the run; the same command on the same folder continues it.")],
    workers: WorkersOption = None,
    scheduler: SchedulerOption = None,
    shard: ShardOption = None,
    limit: LimitOption = None,
    state: StateOption = None,
    time_limit: Annotated[float | None, seconds("For each release; what is not decided by then is undecided.")] = None,
    memory: MemoryOption = None,
    variant: VariantOption = None,
    some: TablesOption = None,
    rules: Annotated[Rules, option("--rules", "edit: take the rules of valid households as known.")] = Rules.none,
    which: UnitsOption = None,
    subject: SubjectOption = SubjectName.household,
    groups: GroupsOption = Groups.PUBLISHED,
    unique: Annotated[
        bool,
        option(
            "--unique",
            "Also find out whether only one dataset fits each release; if not, show two, and in what share of records two can"
            " differ (columns of the summary: unique, variability, low, high, detail).",
        ),
    ] = False,
    retry_failed: RetryOption = False,
) -> None:
    """Audit many releases, or every block of a census file.

    Results are Parquet files in the folder of the run. Finished parts are kept whatever ends a run (a
    crash, a full disk, kill -9), and the same command continues it.
    """
    with stopped_as_line():
        from foregone.batch.overview import closing
        from foregone.batch.source import RunQuestions
        from foregone.census.sources import RunOptions

        tables, units = chosen(subject, variant, which, rules == Rules.edit, some)
        options = RunOptions(tables, rules.value, units, state, limit, subject.value)
        hands = Hands(workers, scheduler, shard, time_limit, memory, retry_failed)
        ran = carry_out(source, out, options, RunQuestions(unique=unique, groups=groups), hands)
        say_lines(closing(ran, out))
        if not ran.sound:
            stop(UNDECIDED)


@dataclass(frozen=True, slots=True)
class Hands:
    """Who does the work of a run, and within which limits."""

    workers: int | None = None
    scheduler: str | None = None
    shard: str | None = None
    time_limit: float | None = None
    memory: float | None = None
    retry: bool = False


def carry_out(
    source: Path, out: Path, options: RunOptions, asked: RunQuestions, hands: Hands, opened: OpenRun | None = None
) -> RunOutcome:
    """Do what is left of a run, telling how far it is; `opened` opens the source where it is not one of releases or blocks."""
    from foregone.batch.part import audit_part
    from foregone.batch.run import run as audit_all
    from foregone.census.sources import open_run_source
    from foregone.workers.pool import LocalPool

    if hands.scheduler is not None and hands.workers is not None:
        raise InputError("--workers is for this machine and --scheduler for a cluster; give one of the two")
    share = _shard(hands.shard)
    bytes_ = None if hands.memory is None else int(hands.memory * 1e9)
    processes = hands.workers or cores()

    def executor() -> Any:
        if hands.scheduler is not None:
            from foregone.workers.cluster import DaskExecutor

            return DaskExecutor(hands.scheduler, audit_part, bytes_, _patience(hands.time_limit))
        return LocalPool(audit_part, processes, bytes_, _patience(hands.time_limit))

    with _Ears() as ears, told("Run") as speaker:
        teller = _Teller(ears, asked.claims, speaker)
        return audit_all(
            source,
            out,
            asdict(options),
            partial(opened or open_run_source, options=options),
            executor,
            asked=asked,
            shard=share,
            time_limit=hands.time_limit,
            retry=hands.retry,
            settings={"time_limit": hands.time_limit, "memory": hands.memory},
            report=teller.tally,
            progress=teller.stage,
            stopping=lambda: ears.asked,
        )


def cores() -> int:
    """How many cores this process may use: a job on a cluster often has a share of the machine."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _shard(text: str | None) -> tuple[int, int]:
    if text is None:
        return 1, 1
    first, slash, last = text.partition("/")
    numbers = first.isascii() and first.isdigit() and last.isascii() and last.isdigit() and len(text) < 20
    if not slash or not numbers or not 1 <= int(first) <= int(last):
        raise InputError(f"--shard {shown(text)}: write I/N with I from 1 to N, such as 3/40")
    return int(first), int(last)


def _patience(time_limit: float | None) -> float | None:
    """The engine may overshoot its limit, but not by this much."""
    return None if time_limit is None else 3 * time_limit + 30


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
        GroupBy | None, option("--by", "Count records singled out by place, by size of release, or by attributes in the claim (k).")
    ] = None,
    columns: Annotated[
        int | None, option("--columns", "With --by: only claims with exactly K attributes.", metavar="K", min=1)
    ] = None,
    sql: Annotated[
        str | None, option("--sql", "One SELECT over the tables facts, summary and failures; it can read nothing else.")
    ] = None,
    out: Annotated[Path | None, option("--out", "Write all rows to this .csv or .parquet file.")] = None,
) -> None:
    """Ask a finished run who is singled out, and where.

    Prints an overview, a table by place, size or number of attributes, or the answer to an SQL query.
    """
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
