"""The `foregone census` commands: studies of households and persons, and what they need; and the demo, which is about a block."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from foregone.cli import options as opt
from foregone.cli.answers import tell
from foregone.cli.options import argument, option, seconds
from foregone.cli.progress import slow
from foregone.cli.run import stopped_as_line, watched
from foregone.cli.show import UNDECIDED, note, say, say_lines, stop
from foregone.model.errors import InputError

RUN = "run"  # the folder of the run, inside the one with its results


def tables(
    table: Annotated[str | None, option("--table", "Show one table with its conditions, such as P20 or H13B.")] = None,
    variant: opt.VariantOption = None,
    subject: opt.SubjectOption = opt.SubjectName.household,
) -> None:
    """List the block-level tables, or show one of them."""
    from foregone.census.kinds import KINDS
    from foregone.census.tables import describe_table, list_tables

    kind, (tables_of, _) = KINDS[subject.value], opt.chosen(subject, variant, None)
    tell(subject=kind.name, variant=tables_of)
    say_lines(describe_table(kind, table, tables_of) if table else list_tables(kind, tables_of))


def synth(
    out: Annotated[Path, option("--out", "The file to write; a name that ends in .gz is compressed.")],
    states: Annotated[int, option("--states", "How many states.", min=1)] = 50,
    tracts: Annotated[int, option("--tracts", "Tracts per state.", min=1)] = 4,
    blocks: Annotated[int, option("--blocks", "Blocks per tract.", min=1)] = 25,
    seed: Annotated[int, option("--seed", "The same seed gives the same file.", min=0)] = 0,
    subject: opt.SubjectOption = opt.SubjectName.household,
) -> None:
    """Write a synthetic census file. Nobody in it is real.

    It has the layout of the published files, so you can try every command on it.
    """
    from foregone.census.synthetic.country import write_country
    from foregone.model.sentences import plural

    with slow("Making the file"):
        made = write_country(out, states, tracts, blocks, seed, subject.value)
    tell(households=made.households, persons=made.persons, blocks=made.blocks, states=made.states, out=out)
    homes = f"{made.households:,} households"
    units = f"{homes}, {made.vacant:,} vacant units and {made.quarters:,} group quarters"
    what = units if subject == opt.SubjectName.household else f"{made.persons:,} persons of {homes}"
    say(
        f"Synthetic: {what} in {made.blocks:,} blocks of {made.states} {plural('state', made.states)}"
        f" written to {out}. Nobody in it is real."
    )


def ingest(
    units: Annotated[Path, argument("UNITS", "A unit or person file as published: csv, gz or zip, comma or pipe.")],
    out: Annotated[Path, option("--out", "The Parquet file to write.")],
    skip_bad: Annotated[bool, option("--skip-bad", "Leave bad rows out instead of stopping.")] = False,
    subject: opt.SubjectOption = opt.SubjectName.household,
) -> None:
    """Check a census file row by row and store it as Parquet.

    The other commands read the Parquet file faster, and need less memory.
    """
    from foregone.census.kinds import KINDS
    from foregone.census.unit_files.ingest import ingest as run
    from foregone.model.sentences import plural

    with slow("Reading"):
        found = run(units, out, skip_bad, KINDS[subject.value])
    tell(records=found.records, bad=found.bad, synthetic=found.synthetic, out=out)
    for problem in found.problems:
        note(problem, "left out")
    if subject == opt.SubjectName.household:
        vacant = f" and {found.vacant:,} vacant units"
        say(
            f"{found.records:,} households{vacant} written to {out};"
            f" {found.quarters:,} group quarters dropped, {found.bad:,} bad rows left out."
        )
    else:
        persons = f"{found.records:,} {'person' if found.records == 1 else 'persons'}"
        say(f"{persons} written to {out}; {found.bad:,} bad {plural('row', found.bad)} left out.")
    if found.synthetic:
        say("The file says that it is synthetic: nobody in it is real.")


def release(
    units: opt.UnitsPath,
    place: Annotated[list[str], argument("PLACE...", "A block (15 digits), a tract (11), a state (2) or several of them.")],
    out: opt.ReleaseOut,
    truth: Annotated[bool, option("--truth", "Keep the records beside the release as truth.csv.")] = False,
    edit: Annotated[bool, option("--edit", "Add the edit rules that every valid household obeys.")] = False,
    each: Annotated[bool, option("--each", "Make a release of every block: a table of releases, for `foregone run`.")] = False,
    by_block: Annotated[
        bool, option("--by-block", "Persons: one release of a whole tract, with its tables and a column for the block.")
    ] = False,
    variant: opt.VariantOption = None,
    tables_: opt.TablesOption = None,
    which: opt.UnitsOption = None,
    subject: opt.SubjectOption = opt.SubjectName.household,
) -> None:
    """Publish the tables of a block or a tract as a release.

    Several places become one release, or one release for each block with --each.
    """
    from foregone.census.release import write_by_block, write_each, write_place
    from foregone.model.sentences import plural

    of = opt.chosen(subject, variant, which, edit, tables_)
    if each and truth:
        raise InputError("--truth: a table of releases has no room for the truth; leave out --truth or --each")
    if by_block and (each or len(place) != 1):
        raise InputError("--by-block: makes one release of one tract; leave out --each and other places")
    with slow("Publishing"):
        if by_block:
            made = write_by_block(units, place[0], out, truth, *of, subject.value)
        elif each:
            made = write_each(units, place, out, edit, *of, subject.value)
        else:
            made = write_place(units, place, out, truth, edit, *of, subject.value)
    tell(numbers=made.statistics, records=made.records, blocks=made.blocks, synthetic=made.synthetic, out=out)
    about = " The file is synthetic: nobody in it is real." if made.synthetic else ""
    say(
        f"{made.statistics:,} published numbers about {made.records:,} {plural(made.noun, made.records)}"
        f" in {made.blocks:,} {plural('block', made.blocks)} written to {out}.{about}"
    )


def study(
    units: opt.UnitsPath,
    out: Annotated[Path, option("--out", "A new folder for the tables, figures and the page index.html.")],
    per_state: Annotated[int, option("--per-state", "Blocks per state in each of the two sets.", min=1)] = 5,
    min_columns: Annotated[
        int | None,
        option(
            "--min-columns",
            "Only claims that name this many columns or more (households: 6, persons: 1).",
            min=1,
            show_default=False,
        ),
    ] = None,
    engine: opt.EngineOption = opt.EngineName.cells,
    solver: opt.SolverOption = opt.Solver.highs,
    solutions: opt.Solutions = None,
    big_m: opt.BigM = False,
    variant: Annotated[
        opt.Variant | None,
        option(
            "--variant",
            "Which tables. If not given, both readings of the paper's (621 and renter-3), side by side; see `census tables`.",
            show_default=False,
        ),
    ] = None,
    tables_: opt.TablesOption = None,
    territories: Annotated[
        bool, option("--territories", "Also draw from DC and the territories, not only from the fifty states.")
    ] = False,
    experiments: Annotated[
        int,
        option(
            "--experiments",
            "Blocks for each experiment on what differs from the paper (vacant units, neighbours mixed); 0 leaves them out.",
            metavar="N",
            min=0,
        ),
    ] = 30,
    rules: Annotated[
        opt.Rules, option("--rules", "edit: also show what is certain when the edit rules are known.")
    ] = opt.Rules.none,
    which: opt.UnitsOption = None,
    seed: Annotated[int, option("--seed", "The seed that decides which blocks are drawn.", min=0)] = 0,
    workers: Annotated[int | None, option("--workers", "Processes; all cores by default.", min=1)] = None,
    time_limit: Annotated[float | None, seconds("For each audit; what is not decided by then is undecided.")] = None,
    subject: opt.SubjectOption = opt.SubjectName.household,
    protect: Annotated[
        bool, option("--protect", "Also find which tables could still be published for all blocks; takes minutes.")
    ] = False,
    likely: Annotated[
        bool,
        option("--likely", "Also look beyond what is certain: are shares of datasets to be relied on, and what does a register"
               " make of it? Takes seconds for each block."),
    ] = False,
) -> None:
    """Run the paper's whole study on one census file.

    Draws a sample of blocks and writes every table and figure of the paper, and a page.
    """
    from foregone.evaluation.run import study as run
    from foregone.evaluation.run import study_options
    from foregone.evaluation.tables import study_summary

    opt.check_engine(engine, solver, solutions, big_m)
    _, units_of = opt.chosen(subject, variant, which, rules == opt.Rules.edit)
    options = study_options(
        subject.value,
        None if variant is None else variant.value,
        tables_ or (),
        per_state=per_state,
        min_columns=min_columns,
        engine=engine.value,
        rules=rules.value,
        units=units_of,
        seed=seed,
        workers=workers,
        time_limit=time_limit,
        solver=solver.value,
        protect=protect,
        territories=territories,
        solutions=solutions,
        big_m=big_m,
        experiments=experiments,
        likely=likely,
    )
    with slow("Study") as progress:
        done = run(units, out, options, progress)
    tell(out=out)
    say_lines(study_summary(done, out))


def variability(
    persons: Annotated[Path, argument("PERSONS", "A person file (csv, gz or zip), or Parquet made of it by `census ingest`.")],
    out: Annotated[Path, option("--out", "The folder for the results; the same command on the same folder continues.")],
    tract_tables: Annotated[
        bool,
        option(
            "--tract-tables",
            "The tract's tables (PCT12, PCT12A to O) are known, too: a block has no more persons of a kind than its tract.",
        ),
    ] = False,
    whole_tracts: Annotated[
        bool,
        option(
            "--whole-tracts", "The tract's tables are known, too, and its blocks add up to them: the whole tract is solved at once."
        ),
    ] = False,
    proofs: Annotated[
        bool, option("--proofs", "Also write the tables of every block and a proof of the answer, for `foregone check`.")
    ] = False,
    workers: opt.WorkersOption = None,
    scheduler: opt.SchedulerOption = None,
    shard: opt.ShardOption = None,
    limit: Annotated[
        int | None, option("--limit", "Only the first N blocks by code (tracts with --whole-tracts).", metavar="N", min=1)
    ] = None,
    state: opt.StateOption = None,
    time_limit: Annotated[
        float | None,
        seconds("Per block, 60 if not given (with --whole-tracts: per tract, no limit). What is not decided by then is undecided."),
    ] = None,
    memory: opt.MemoryOption = None,
    retry_failed: opt.RetryOption = False,
    subject: opt.SubjectOption = opt.SubjectName.person,
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
        from foregone.workflows.run import Hands, cores

        kind = KINDS[subject.value]
        if (tract_tables or whole_tracts) and kind.tract is None:
            raise InputError(f"--tract-tables, --whole-tracts: there are no tract tables for a {kind.name}; leave it out")
        if tract_tables and whole_tracts:
            raise InputError("--tract-tables and --whole-tracts: the second says more; give one of the two")
        if proofs and whole_tracts:
            most = most_blocks(kind)
            note(f"no proofs are written for tracts with more than {most:,} blocks: the checker does not read files that large")
        if persons.is_dir():
            raise InputError(f"{persons}: this is a folder; give a file of {kind.counted}")
        tables, units = opt.chosen(subject, None, None)
        options = RunOptions(tables, "none", units, state, limit, kind.name, tract_tables)
        _folder(out)
        hands = Hands(workers, scheduler, shard, time_limit, memory, retry_failed)
        asked = RunQuestions(claims=False, unique=True)
        opened = open_tracts if whole_tracts else open_run_source
        ran = watched(persons, out / RUN, options, asked, hands, opened)
        tell(totals=ran.totals, complete=ran.complete, out=out)
        if not ran.complete:
            say(f"Other shards have not finished yet; the last one to do so writes the tables in {out}.")
            return
        store = Store(out / RUN)
        if whole_tracts:
            say_lines(tracts_text(kind, write_tracts(kind, store, out), out, ran.synthetic))
        else:
            with slow("Writing"), open_units(persons, tables, units, kind) as file:
                found = write_variability(kind, store, file, out)
            say_lines(variability_text(kind, found, out, tract_tables, ran.synthetic))
        if proofs:
            with slow("Writing proofs"), opened(persons, options) as source:
                if whole_tracts:
                    written = write_tract_proofs(source, kind, out, time_limit, workers or cores())
                else:
                    written = write_block_proofs(source, store, out, time_limit, workers or cores())
            say_lines(written.text(out))
        if ran.totals["failures"]:
            note(f"{ran.totals['failures']:,} failed, see {out / RUN / 'failures'}; to do them again, add --retry-failed")
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


def demo(
    out: Annotated[Path | None, option("--out", "Also copy the demo release to this new folder.")] = None,
    page: Annotated[Path, option("--page", "Where to write the page.")] = Path("foregone-demo.html"),
    textbook: Annotated[
        bool, option("--textbook", "Show another example: seven people, with published counts, median and mean ages.")
    ] = False,
) -> None:
    """Show what the tables of a synthetic census block give away.

    Says in plain English who is singled out, and writes a page that shows why. It needs no files, and nobody in the block is real.
    """
    from foregone.census.demo import demo_page, run_demo, run_textbook, textbook_page
    from foregone.formats.outputs import check_outputs

    check_outputs([], releases={"--out": out})
    tell(page=page)
    if textbook:
        textbook_page(run_textbook(say_lines, out), page, say)
    else:
        demo_page(run_demo(say_lines, out), page, say)
