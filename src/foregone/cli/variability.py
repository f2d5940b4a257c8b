"""The `foregone census variability` command: is each block determined, and if not, how far apart can two datasets be?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from foregone.cli.census import SubjectName, SubjectOption, chosen
from foregone.cli.progress import slow
from foregone.cli.run import (
    Hands,
    MemoryOption,
    RetryOption,
    SchedulerOption,
    ShardOption,
    StateOption,
    WorkersOption,
    carry_out,
    cores,
    stopped_as_line,
)
from foregone.cli.show import UNDECIDED, note, say, say_lines, stop
from foregone.model.errors import InputError

RUN = "run"  # the folder of the run, inside the one with its results


def variability(
    persons: Annotated[
        Path,
        typer.Argument(metavar="PERSONS", help="A person file (csv, gz or zip), or Parquet made of it by `census ingest`."),
    ],
    out: Annotated[Path, typer.Option("--out", help="The folder for the results; the same command on the same folder continues.")],
    tract_tables: Annotated[
        bool,
        typer.Option(
            "--tract-tables",
            help="The tract's tables (PCT12, PCT12A to O) are known, too: a block has no more persons of a kind than its tract.",
        ),
    ] = False,
    whole_tracts: Annotated[
        bool,
        typer.Option(
            "--whole-tracts",
            help="The tract's tables are known, too, and its blocks add up to them: the whole tract is solved at once.",
        ),
    ] = False,
    proofs: Annotated[
        bool,
        typer.Option("--proofs", help="Also write the tables of every block and a proof of the answer, for `foregone check`."),
    ] = False,
    workers: WorkersOption = None,
    scheduler: SchedulerOption = None,
    shard: ShardOption = None,
    limit: Annotated[
        int | None,
        typer.Option("--limit", metavar="N", min=1, help="Only the first N blocks by code (tracts with --whole-tracts)."),
    ] = None,
    state: StateOption = None,
    time_limit: Annotated[
        float | None,
        typer.Option(
            "--time-limit",
            metavar="SECONDS",
            min=0.0,
            help="Per block, 60 if not given (with --whole-tracts: per tract, no limit). What is not decided by then is undecided.",
        ),
    ] = None,
    memory: MemoryOption = None,
    retry_failed: RetryOption = False,
    subject: SubjectOption = SubjectName.person,
) -> None:
    """Is each block determined? If not, how far can datasets differ?

    For every block: does only one dataset fit its published tables? If not, in how many persons can two such datasets differ?

    If only one fits, the block is determined: anybody can work out how many persons of each kind live there. That is proved.
    If not, two datasets that fit are written, with a proved limit on the share of persons in which any two can differ.
    """
    with stopped_as_line():
        from foregone.batch.source import RunQuestions
        from foregone.batch.store import Store
        from foregone.census.kinds import KINDS
        from foregone.census.proofs import most_blocks, write_block_proofs, write_tract_proofs
        from foregone.census.sources import RunOptions, open_run_source, open_tracts
        from foregone.census.unit_files.units import open_units
        from foregone.census.variability import tracts_text, variability_text, write_tracts, write_variability

        kind = KINDS[subject.value]
        if (tract_tables or whole_tracts) and kind.tract is None:
            raise InputError(f"--tract-tables, --whole-tracts: there are no tract tables for a {kind.name}; leave it out")
        if tract_tables and whole_tracts:
            raise InputError("--tract-tables and --whole-tracts: the second says more; give one of the two")
        if proofs and whole_tracts:
            most = most_blocks(kind)
            note(
                f"no proofs are written for tracts with more than {most:,} blocks: the checker does not read files that large",
                "note",
            )
        if persons.is_dir():
            raise InputError(f"{persons}: this is a folder; give a file of {kind.counted}")
        tables, units = chosen(subject, None, None)
        options = RunOptions(tables, "none", units, state, limit, kind.name, tract_tables)
        _folder(out)
        hands = Hands(workers, scheduler, shard, time_limit, memory, retry_failed)
        asked = RunQuestions(claims=False, unique=True)
        opened = open_tracts if whole_tracts else open_run_source
        ran = carry_out(persons, out / RUN, options, asked, hands, opened)
        if not ran.complete:
            say(f"Other shards have not finished yet; the last one to do so writes the tables in {out}.")
            return
        if whole_tracts:
            say_lines(tracts_text(kind, write_tracts(kind, Store(out / RUN), out), out, ran.synthetic))
            if proofs:
                with slow("Writing proofs"), open_tracts(persons, options) as source:
                    written = write_tract_proofs(source, kind, out, time_limit, workers or cores())
                say_lines(written.text(out))
        else:
            with slow("Writing"), open_units(persons, tables, units, kind) as file:
                found = write_variability(kind, Store(out / RUN), file, out)
            say_lines(variability_text(kind, found, out, tract_tables, ran.synthetic))
            if proofs:
                with slow("Writing proofs"), open_run_source(persons, options) as source:
                    written = write_block_proofs(source, Store(out / RUN), out, time_limit, workers or cores())
                say_lines(written.text(out))
        if ran.totals["failures"]:
            note(f"{ran.totals['failures']:,} failed, see {out / RUN / 'failures'}; to do them again, add --retry-failed", "note")
        if not ran.sound:
            stop(UNDECIDED)


def _folder(out: Path) -> None:
    """Make the folder, unless there is something else in it."""
    if out.is_dir() and any(out.iterdir()) and not (out / RUN).is_dir():
        raise InputError(f"{out}: already exists and holds something else; choose another name or remove it first")
    if not out.parent.is_dir():
        raise InputError(f"{out.parent}: there is no such folder; make it first")
    try:
        out.mkdir(exist_ok=True)
    except OSError as error:
        raise InputError(f"{out}: cannot be made ({error.strerror}); choose another name") from None
