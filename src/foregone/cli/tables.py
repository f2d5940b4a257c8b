"""How a release comes about: release rules, import of tables, tables made of records, several releases as one."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from foregone.cli.options import complete_rule
from foregone.cli.progress import slow
from foregone.cli.show import note, say, say_assumed, say_lines
from foregone.model.errors import InputError


def rules(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="One rule, such as nhs-hes or round:5.", autocompletion=complete_rule)
    ] = None,
) -> None:
    """List the release rules, or what values mean under one."""
    from foregone.rules.registry import find_rule as find
    from foregone.rules.registry import rule_list, rule_text
    from foregone.rules.registry import rules as known

    say_lines(rule_list(known()) if name is None else rule_text(find(name)))


def import_(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE...",
            help="Tables about the same records: .csv, .xlsx, .px, .json (JSON-stat), .tab (tau-Argus, beside its .rda).",
        ),
    ],
    out: Annotated[
        Path | None, typer.Option("--out", help="The release to write: a new folder, or a .json or .parquet file.")
    ] = None,
    rule: Annotated[
        str,
        typer.Option(
            "--rule",
            metavar="NAME",
            help="The release rule the tables follow; `foregone rules` lists them, `exact` says that nothing is rounded.",
            autocompletion=complete_rule,
        ),
    ] = "",
    token: Annotated[
        list[str] | None,
        typer.Option("--token", metavar="TEXT=V", help="What a token means: n, a..b or a.., such as '*=1..4'; repeatable."),
    ] = None,
    layout: Annotated[
        Path | None,
        typer.Option("--layout", help="A layout.toml that import wrote, with your changes; keys you removed are found again."),
    ] = None,
    record: Annotated[str, typer.Option("--record", help="The noun for one record, such as patient.")] = "",
    yes: Annotated[
        bool, typer.Option("--yes", help="Answer questions where something speaks for one reading only, and say how.")
    ] = False,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show how each row and column is read, and why; nothing is written without --out.")
    ] = False,
) -> None:
    """Make a release from spreadsheets, lists and statistical files.

    Reads cross-tabs and lists as they are, with titles, totals, footnotes and signs for small numbers.

    Says how each table was read, and writes that as layout.toml into the release. Exit 2: a token is not known, two readings fit,
    or the tables contradict each other. The layout so far is then RELEASE.layout.toml, with a line for each answer.
    """
    from foregone.formats.beside import LEFT_OUT
    from foregone.formats.folder import check_release_output, write_release
    from foregone.formats.outputs import write_text
    from foregone.model.sentences import plural, published_text
    from foregone.tables.contradictions import check_tables
    from foregone.tables.importing import NotImported, all_left_out, beside, read_tables
    from foregone.tables.layout_file import read_layout

    if out is None and not explain:
        raise InputError("import: --out is missing; name the release to write, or use --explain to see how the tables are read")
    if out is not None:
        check_release_output(out, [*files, *([layout] if layout else [])])
    try:
        with slow("Reading the tables"):
            made = read_tables(files, rule, token or [], read_layout(layout) if layout else None, record, yes)
    except NotImported as error:
        if explain:
            say_lines("\n".join(error.explained))
        if out is not None and error.layout:
            so_far = out.with_name(f"{out.name}.layout.toml")
            write_text(so_far, error.layout, silent=True)
            say(f"The layout so far is in {so_far}; complete it and give it back with --layout.")
        raise
    if explain:
        say_lines("\n".join(made.explained))
    for sentence in made.said:
        say(sentence)
    if made.records:
        say(f"Together {made.records}; if these numbers do not count {plural(made.release.domain.record, 2)}, stop here.")
    if out is None:
        return
    with slow("Do the tables fit together?"):
        remark = check_tables(made)
    if remark:
        note(remark)
    write_release(made.release, out, beside=beside(made))
    single = out.suffix in (".json", ".parquet")
    kept = "" if single else f"; how they were read is in {out / 'layout.toml'}"
    number = f"{len(files)} {'file' if len(files) == 1 else 'files'}"
    published = published_text(made.release)
    say(f"{published[0].upper()}{published[1:]} from {number} written to {out}{kept}.")
    if left_out := all_left_out(made).said:
        say(f"{left_out} {f'A folder has room for the list, {LEFT_OUT}' if single else f'All are in {out / LEFT_OUT}'}.")


def tabulate(
    microdata: Annotated[
        Path, typer.Argument(metavar="MICRODATA.csv", help="A CSV file: one row per record, one column per variable.")
    ],
    margins: Annotated[
        list[str], typer.Option("--margins", help="Columns of one table, separated by commas; repeat for more tables.")
    ],
    out: Annotated[Path, typer.Option("--out", help="The release to write: a new folder, or a .json or .parquet file.")],
    record: Annotated[str, typer.Option("--record", help="The noun for one record, such as household.")] = "record",
    zeros: Annotated[bool, typer.Option("--zeros/--no-zeros", help="Whether cells with a count of 0 are written.")] = True,
    truth: Annotated[bool, typer.Option("--truth", help="Keep the microdata beside the release as truth.csv.")] = False,
    rule: Annotated[
        str | None,
        typer.Option(
            "--rule",
            metavar="NAME",
            help="Publish under a release rule; `foregone rules` lists them.",
            autocompletion=complete_rule,
        ),
    ] = None,
    seed: Annotated[
        int, typer.Option("--seed", min=0, help="For rules that round at random: the same seed gives the same tables.")
    ] = 0,
    sums: Annotated[list[str] | None, typer.Option("--sum", metavar="COLUMN[:BY]", help="As --mean, for sums.")] = None,
    means: Annotated[
        list[str] | None,
        typer.Option("--mean", metavar="COLUMN[:BY]", help="Also publish means: AGE, or AGE:SEX,TOWN for each group."),
    ] = None,
    medians: Annotated[list[str] | None, typer.Option("--median", metavar="COLUMN[:BY]", help="As --mean, for medians.")] = None,
    percents: Annotated[
        list[str] | None,
        typer.Option(
            "--percent",
            metavar="COLUMNS[:OF]",
            help="Also publish percentages: SEX,TOWN of all records, or SEX,TOWN:SEX of each sex.",
        ),
    ] = None,
    decimals: Annotated[
        int, typer.Option("--decimals", min=0, max=12, help="How many decimals sums, means, medians and percentages have.")
    ] = 1,
) -> None:
    """Make a release from your own records, as tables of counts.

    With --rule the tables follow a release rule, which hides small counts or rounds all counts.
    """
    from foregone.formats.folder import check_release_output, write_release
    from foregone.formats.frames import dataset, tabulate_dataset, with_figures
    from foregone.formats.text import read_rows
    from foregone.rules.registry import find_rule as find
    from foregone.rules.registry import under_rule

    chosen = None if rule is None else find(rule)
    if chosen is not None and not zeros:
        raise InputError("--no-zeros: the rule says how zeros are shown; leave out --no-zeros or --rule")
    check_release_output(out, [microdata], truth)
    header, rows = read_rows(microdata)
    columns = {name: [values[i] for _, values in rows] for i, name in enumerate(header)}
    data = dataset(columns, record=record)
    published = tabulate_dataset(data, margins, zeros)
    named = {"sum": sums, "mean": means, "median": medians, "percent": percents}
    asked = [(measure, text) for measure, texts in named.items() for text in texts or ()]
    published = with_figures(published, data, asked, decimals)
    if chosen is not None:
        published = under_rule(published, chosen, data, seed)
    write_release(published, out, data if truth else None)
    under = "" if chosen is None else f" under the rule {chosen.name}" + (f", seed {seed}," if chosen.chance else "")
    say(f"{len(published.published):,} published numbers about {len(data):,} records written{under} to {out}.")


class People(StrEnum):
    same = "same"
    joined = "joined"
    left = "left"
    changed = "changed"


def join(
    releases: Annotated[list[Path], typer.Argument(metavar="A B ...", help="Releases about overlapping people, in order of time.")],
    out: Annotated[Path, typer.Option("--out", help="The release to write: a new folder, or a .json or .parquet file.")],
    people: Annotated[
        People,
        typer.Option("--people", help="What may have happened in between: nothing, arrivals only, departures only, or either."),
    ] = People.changed,
    crosswalk: Annotated[
        Path | None,
        typer.Option("--crosswalk", help="A CSV file (column, old, new) where boundaries changed: TOWN,Old,North|South."),
    ] = None,
) -> None:
    """Combine several releases about overlapping people into one.

    An audit then finds what they give away together, such as the one new patient between June and July.
    A new last column IN says which of the releases a record is in.
    """
    from foregone.model.sentences import published_text
    from foregone.workflows.join import join_files

    made = join_files(releases, out, people.value, crosswalk)
    say_assumed(made.assumptions)
    if not made.told:
        note(f"{out} cannot hold these assumptions, so later answers will not repeat them; a folder can")
    published = published_text(made.release)
    say(f"{published[0].upper()}{published[1:]} from {' and '.join(made.names)} written to {out}.")
