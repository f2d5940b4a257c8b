"""The `foregone census` commands: the household study and what it needs. Libraries are imported inside the commands."""

from __future__ import annotations

import os
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from foregone.cli.engines import EngineName, EngineOption, Solver, SolverOption
from foregone.cli.show import errors_as_lines, note, say, say_lines, slow
from foregone.model.errors import InputError

app = typer.Typer(
    no_args_is_help=True,
    help="The household study: block-level census tables, unit files (real or synthetic), and what the tables give away.",
)


class Variant(StrEnum):
    official = "official"
    paper = "621"
    renter_3 = "renter-3"
    pac = "pac"


class WhichUnits(StrEnum):
    households = "households"
    all = "all"


class Rules(StrEnum):
    none = "none"
    edit = "edit"


UnitsPath = Annotated[
    Path, typer.Argument(metavar="UNITS", help="A unit file (csv, gz or zip, comma or pipe), or Parquet made by `census ingest`.")
]
VariantOption = Annotated[
    Variant,
    typer.Option("--variant", help="Which tables: official (636 cells), 621 (the paper's count) and others; see `census tables`."),
]
UnitsOption = Annotated[
    WhichUnits,
    typer.Option("--units", help="Occupied units only, or all housing units (a vacant unit has code 0 in every column)."),
]


@app.command()
def tables(
    table: Annotated[str | None, typer.Option("--table", help="Show one table with its conditions, such as P20 or H13B.")] = None,
    variant: VariantOption = Variant.official,
) -> None:
    """List the block-level household tables, or show one of them."""
    with errors_as_lines():
        from foregone.census.household.describe import describe_table, list_tables

        say_lines(describe_table(table, variant.value) if table else list_tables(variant.value))


@app.command()
def synth(
    out: Annotated[Path, typer.Option("--out", help="The unit file to write; a name that ends in .gz is compressed.")],
    states: Annotated[int, typer.Option("--states", min=1, help="How many states.")] = 50,
    tracts: Annotated[int, typer.Option("--tracts", min=1, help="Tracts per state.")] = 4,
    blocks: Annotated[int, typer.Option("--blocks", min=1, help="Blocks per tract.")] = 25,
    seed: Annotated[int, typer.Option("--seed", min=0, help="The same seed gives the same file.")] = 0,
) -> None:
    """Write a synthetic unit file in the published layout, to try everything on. Nobody in it is real."""
    with errors_as_lines():
        from foregone.census.synthetic.country import write_country
        from foregone.model.sentences import plural

        with slow("Making households"):
            made = write_country(out, states, tracts, blocks, seed)
        say(
            f"Synthetic: {made.households:,} households, {made.vacant:,} vacant units and {made.quarters:,} group quarters"
            f" in {made.blocks:,} blocks of {made.states} {plural('state', made.states)} written to {out}. Nobody in it is real."
        )


@app.command()
def ingest(
    units: Annotated[Path, typer.Argument(metavar="UNITS", help="A unit file as published: csv, gz or zip, comma or pipe.")],
    out: Annotated[Path, typer.Option("--out", help="The Parquet file to write.")],
    skip_bad: Annotated[bool, typer.Option("--skip-bad", help="Leave bad rows out instead of stopping.")] = False,
) -> None:
    """Check a unit file row by row and store it for the other commands, using little memory."""
    with errors_as_lines():
        from foregone.census.unit_files.ingest import ingest as run

        with slow("Reading"):
            found = run(units, out, skip_bad)
        for problem in found.problems:
            note(problem, "left out")
        say(
            f"{found.households:,} households and {found.vacant:,} vacant units written to {out};"
            f" {found.quarters:,} group quarters dropped, {found.bad:,} bad rows left out."
        )
        if found.synthetic:
            say("The file says that it is synthetic: nobody in it is real.")


@app.command()
def release(
    units: UnitsPath,
    place: Annotated[
        list[str],
        typer.Argument(metavar="PLACE...", help="A block (15 digits), a tract (11), a state (2) or several of them."),
    ],
    out: Annotated[Path, typer.Option("--out", help="The release to write: a new folder, or a .json or .parquet file.")],
    truth: Annotated[bool, typer.Option("--truth", help="Keep the records beside the release as truth.csv.")] = False,
    edit: Annotated[bool, typer.Option("--edit", help="Add the edit rules that every valid household obeys.")] = False,
    each: Annotated[
        bool, typer.Option("--each", help="Publish every block on its own: a table of releases, for `foregone run`.")
    ] = False,
    variant: VariantOption = Variant.official,
    which: UnitsOption = WhichUnits.households,
) -> None:
    """Publish the tables of a block, a tract or a list of blocks as a release folder, or of each block (--each)."""
    with errors_as_lines():
        from foregone.census.release import write_each, write_place
        from foregone.model.sentences import plural

        if each and truth:
            raise InputError("--truth: a table of releases has no room for the truth; leave out --truth or --each")
        if each:
            made = write_each(units, place, out, edit, variant.value, which.value)
        else:
            made = write_place(units, place, out, truth, edit, variant.value, which.value)
        about = " The unit file is synthetic: nobody in it is real." if made.synthetic else ""
        say(
            f"{made.statistics:,} published numbers about {made.records:,} {plural(made.noun, made.records)}"
            f" in {made.blocks:,} {plural('block', made.blocks)} written to {out}.{about}"
        )


@app.command()
def study(
    units: UnitsPath,
    out: Annotated[Path, typer.Option("--out", help="A new folder for the tables, figures and the page index.html.")],
    per_state: Annotated[int, typer.Option("--per-state", min=1, help="Blocks per state in each of the two sets.")] = 5,
    min_columns: Annotated[int, typer.Option("--min-columns", min=1, help="Only claims that fix at least this many columns.")] = 6,
    engine: EngineOption = EngineName.cells,
    solver: SolverOption = Solver.highs,
    variant: VariantOption = Variant.paper,
    rules: Annotated[
        Rules, typer.Option("--rules", help="edit: also show what follows when the rules of valid households are known.")
    ] = Rules.none,
    which: UnitsOption = WhichUnits.households,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Which blocks are drawn.")] = 0,
    workers: Annotated[int | None, typer.Option("--workers", min=1, help="Processes; all cores by default.")] = None,
    time_limit: Annotated[
        float | None, typer.Option("--time-limit", metavar="SECONDS", min=0.0, help="Per audit; what is open then is undecided.")
    ] = None,
) -> None:
    """Run the whole household study: every table and figure of the paper, from one unit file."""
    with errors_as_lines():
        from foregone.study.options import StudyOptions
        from foregone.study.run import study as run
        from foregone.study.sentences import study_summary

        processes = workers or os.cpu_count() or 1
        options = StudyOptions(
            per_state,
            min_columns,
            engine.value,
            variant.value,
            rules.value,
            which.value,
            seed,
            processes,
            time_limit,
            solver.value,
        )
        with slow("Study") as progress:
            done = run(units, out, options, progress)
        say_lines(study_summary(done, out))
