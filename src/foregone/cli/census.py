"""The `foregone census` commands: studies of households and persons, and what they need; and the demo, which is about a block."""

from __future__ import annotations

import os
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from foregone.cli.options import EngineName, EngineOption, Solver, SolverOption
from foregone.cli.progress import slow
from foregone.cli.show import note, say, say_lines
from foregone.model.errors import InputError


class SubjectName(StrEnum):
    household = "household"
    person = "person"


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
    Path,
    typer.Argument(metavar="UNITS", help="A unit or person file (csv, gz or zip), or Parquet made by `census ingest`."),
]
SubjectOption = Annotated[
    SubjectName, typer.Option("--subject", help="What the records of the file are: households (housing units) or persons.")
]
VariantOption = Annotated[
    Variant | None,
    typer.Option(
        "--variant",
        show_default=False,
        help="Which tables: official (the default), 621 (the paper's count of household cells) and others; see `census tables`.",
    ),
]
UnitsOption = Annotated[
    WhichUnits | None,
    typer.Option(
        "--units",
        show_default=False,
        help="Of households: occupied units only (the default), or all housing units (a vacant unit has code 0 in every column).",
    ),
]


TablesOption = Annotated[
    list[str] | None,
    typer.Option("--tables", metavar="P16,H13*", help="Only these tables; H13* means H13 and its iterations. See `census tables`."),
]


def chosen(
    subject: SubjectName,
    variant: Variant | None,
    which: WhichUnits | None,
    edit: bool = False,
    some: list[str] | None = None,
) -> tuple[str, str]:
    """The variant of the tables and which records are meant, where they are given and where they are not."""
    from foregone.census.kinds import KINDS

    kind = KINDS[subject.value]
    problems = []
    if variant is not None and variant.value not in kind.book.variants:
        known = ", ".join(kind.book.variants)
        problems.append(f"--variant {variant.value}: the {kind.name} tables have no such variant; use one of {known}")
    if which is not None and which.value not in kind.records:
        problems.append(f"--units {which.value}: applies to housing units only, and the subject is {kind.name}; leave it out")
    if edit and not kind.edited:
        problems.append(f"edit rules: none are known for a {kind.name}; leave the option out")
    if problems:
        raise InputError(problems)
    named = variant.value if variant else "official"
    return (kind.book.choose(named, some) if some else named), (which.value if which else kind.units)


def tables(
    table: Annotated[str | None, typer.Option("--table", help="Show one table with its conditions, such as P20 or H13B.")] = None,
    variant: VariantOption = None,
    subject: SubjectOption = SubjectName.household,
) -> None:
    """List the block-level tables, or show one of them."""
    from foregone.census.kinds import KINDS
    from foregone.census.tables import describe_table, list_tables

    kind, (tables_of, _) = KINDS[subject.value], chosen(subject, variant, None)
    say_lines(describe_table(kind, table, tables_of) if table else list_tables(kind, tables_of))


def synth(
    out: Annotated[Path, typer.Option("--out", help="The file to write; a name that ends in .gz is compressed.")],
    states: Annotated[int, typer.Option("--states", min=1, help="How many states.")] = 50,
    tracts: Annotated[int, typer.Option("--tracts", min=1, help="Tracts per state.")] = 4,
    blocks: Annotated[int, typer.Option("--blocks", min=1, help="Blocks per tract.")] = 25,
    seed: Annotated[int, typer.Option("--seed", min=0, help="The same seed gives the same file.")] = 0,
    subject: SubjectOption = SubjectName.household,
) -> None:
    """Write a synthetic census file. Nobody in it is real.

    It has the layout of the published files, so you can try every command on it.
    """
    from foregone.census.synthetic.country import write_country
    from foregone.model.sentences import plural

    with slow("Making the file"):
        made = write_country(out, states, tracts, blocks, seed, subject.value)
    homes = f"{made.households:,} households"
    units = f"{homes}, {made.vacant:,} vacant units and {made.quarters:,} group quarters"
    what = units if subject == SubjectName.household else f"{made.persons:,} persons of {homes}"
    say(
        f"Synthetic: {what} in {made.blocks:,} blocks of {made.states} {plural('state', made.states)}"
        f" written to {out}. Nobody in it is real."
    )


def ingest(
    units: Annotated[
        Path, typer.Argument(metavar="UNITS", help="A unit or person file as published: csv, gz or zip, comma or pipe.")
    ],
    out: Annotated[Path, typer.Option("--out", help="The Parquet file to write.")],
    skip_bad: Annotated[bool, typer.Option("--skip-bad", help="Leave bad rows out instead of stopping.")] = False,
    subject: SubjectOption = SubjectName.household,
) -> None:
    """Check a census file row by row and store it as Parquet.

    The other commands read the Parquet file faster, and need less memory.
    """
    from foregone.census.kinds import KINDS
    from foregone.census.unit_files.ingest import ingest as run
    from foregone.model.sentences import plural

    with slow("Reading"):
        found = run(units, out, skip_bad, KINDS[subject.value])
    for problem in found.problems:
        note(problem, "left out")
    if subject == SubjectName.household:
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
    units: UnitsPath,
    place: Annotated[
        list[str],
        typer.Argument(metavar="PLACE...", help="A block (15 digits), a tract (11), a state (2) or several of them."),
    ],
    out: Annotated[Path, typer.Option("--out", help="The release to write: a new folder, or a .json or .parquet file.")],
    truth: Annotated[bool, typer.Option("--truth", help="Keep the records beside the release as truth.csv.")] = False,
    edit: Annotated[bool, typer.Option("--edit", help="Add the edit rules that every valid household obeys.")] = False,
    each: Annotated[
        bool, typer.Option("--each", help="Make a release of every block: a table of releases, for `foregone run`.")
    ] = False,
    by_block: Annotated[
        bool, typer.Option("--by-block", help="Persons: one release of a whole tract, with its tables and a column for the block.")
    ] = False,
    variant: VariantOption = None,
    tables_: TablesOption = None,
    which: UnitsOption = None,
    subject: SubjectOption = SubjectName.household,
) -> None:
    """Publish the tables of a block or a tract as a release.

    Several places become one release, or one release for each block with --each.
    """
    from foregone.census.release import write_by_block, write_each, write_place
    from foregone.model.sentences import plural

    of = chosen(subject, variant, which, edit, tables_)
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
    about = " The file is synthetic: nobody in it is real." if made.synthetic else ""
    say(
        f"{made.statistics:,} published numbers about {made.records:,} {plural(made.noun, made.records)}"
        f" in {made.blocks:,} {plural('block', made.blocks)} written to {out}.{about}"
    )


def study(
    units: UnitsPath,
    out: Annotated[Path, typer.Option("--out", help="A new folder for the tables, figures and the page index.html.")],
    per_state: Annotated[int, typer.Option("--per-state", min=1, help="Blocks per state in each of the two sets.")] = 5,
    min_columns: Annotated[
        int | None,
        typer.Option(
            "--min-columns",
            min=1,
            show_default=False,
            help="Only claims that name this many columns or more (households: 6, persons: 1).",
        ),
    ] = None,
    engine: EngineOption = EngineName.cells,
    solver: SolverOption = Solver.highs,
    variant: VariantOption = None,
    tables_: TablesOption = None,
    rules: Annotated[
        Rules, typer.Option("--rules", help="edit: also show what is certain when the edit rules are known.")
    ] = Rules.none,
    which: UnitsOption = None,
    seed: Annotated[int, typer.Option("--seed", min=0, help="The seed that decides which blocks are drawn.")] = 0,
    workers: Annotated[int | None, typer.Option("--workers", min=1, help="Processes; all cores by default.")] = None,
    time_limit: Annotated[
        float | None,
        typer.Option("--time-limit", metavar="SECONDS", min=0.0, help="For each audit; what is not decided by then is undecided."),
    ] = None,
    subject: SubjectOption = SubjectName.household,
    protect: Annotated[
        bool, typer.Option("--protect", help="Also find which tables could still be published for all blocks; takes minutes.")
    ] = False,
) -> None:
    """Run the paper's whole study on one census file.

    Draws a sample of blocks and writes every table and figure of the paper, and a page.
    """
    from foregone.census.kinds import KINDS
    from foregone.study.run import study as run
    from foregone.study.sample import StudyOptions
    from foregone.study.tables import study_summary

    processes = workers or os.cpu_count() or 1
    kind = KINDS[subject.value]
    _, units_of = chosen(subject, variant, which, rules == Rules.edit)
    options = StudyOptions(
        per_state,
        min_columns or kind.paper_columns,
        engine.value,
        kind.book.choose(variant.value if variant else kind.paper_variant, tables_ or ()),
        rules.value,
        units_of,
        seed,
        processes,
        time_limit,
        solver.value,
        kind.name,
        protect,
    )
    with slow("Study") as progress:
        done = run(units, out, options, progress)
    say_lines(study_summary(done, out))


def demo(
    out: Annotated[Path | None, typer.Option("--out", help="Also copy the demo release to this new folder.")] = None,
    page: Annotated[Path, typer.Option("--page", help="Where to write the page.")] = Path("foregone-demo.html"),
    textbook: Annotated[
        bool, typer.Option("--textbook", help="Show another example: seven people, with published counts, median and mean ages.")
    ] = False,
) -> None:
    """Show what the tables of a synthetic census block give away.

    Says in plain English who is singled out, and writes a page that shows why. It needs no files, and nobody in the block is real.
    """
    from foregone.census.demo import demo_page, run_demo, run_textbook, textbook_page
    from foregone.formats.outputs import check_outputs

    check_outputs([], releases={"--out": out})
    if textbook:
        textbook_page(run_textbook(say_lines, out), page, say)
    else:
        demo_page(run_demo(say_lines, out), page, say)
