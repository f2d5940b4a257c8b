"""How a release comes about: release rules, import of tables, tables made of records, several releases as one."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

from foregone.cli.answers import tell
from foregone.cli.options import ReleaseOut, argument, complete_rule, option, rule_option
from foregone.cli.progress import slow
from foregone.cli.show import note, say, say_assumed, say_lines
from foregone.model.errors import InputError


def rules(
    name: Annotated[str | None, argument("NAME", "One rule, such as nhs-hes or round:5.", autocompletion=complete_rule)] = None,
) -> None:
    """List the release rules, or what values mean under one."""
    from foregone.rules.registry import find_rule as find
    from foregone.rules.registry import rule_list, rule_text
    from foregone.rules.registry import rules as known

    tell(rules=[{"name": one, "title": rule.title} for one, rule in known().items() if name in (None, one)])
    say_lines(rule_list(known()) if name is None else rule_text(find(name)))


def import_(
    files: Annotated[
        list[Path],
        argument(
            "FILE...", "Tables about the same records: .csv, .xlsx, .px, .json (JSON-stat), .tab (tau-Argus, beside its .rda)."
        ),
    ],
    out: Annotated[Path | None, option("--out", "The release to write: a new folder, or a .json or .parquet file.")] = None,
    rule: Annotated[
        str, rule_option("The release rule the tables follow; `foregone rules` lists them, `exact` says that nothing is rounded.")
    ] = "",
    token: Annotated[
        list[str] | None, option("--token", "What a token means: n, a..b or a.., such as '*=1..4'; repeatable.", metavar="TEXT=V")
    ] = None,
    layout: Annotated[
        Path | None, option("--layout", "A layout.toml that import wrote, with your changes; keys you removed are found again.")
    ] = None,
    record: Annotated[str, option("--record", "The noun for one record, such as patient.")] = "",
    yes: Annotated[bool, option("--yes", "Answer questions where something speaks for one reading only, and say how.")] = False,
    explain: Annotated[
        bool, option("--explain", "Show how each row and column is read, and why; nothing is written without --out.")
    ] = False,
) -> None:
    """Make a release from spreadsheets, lists and statistical files.

    Reads cross-tabs and lists as they are, with titles, totals, footnotes and signs for small numbers.

    Says how each table was read, and writes that as layout.toml into the release. Exit 2: a token is not known, two readings fit,
    or the tables contradict each other. The layout so far is then RELEASE.layout.toml, with a line for each answer.
    """
    from foregone.formats.beside import LEFT_OUT
    from foregone.formats.folder import check_release_output
    from foregone.formats.outputs import write_text
    from foregone.model.sentences import plural, published_text
    from foregone.tables.importing import NotImported, all_left_out, read_tables
    from foregone.tables.layout_file import read_layout
    from foregone.workflows.tables import write_imported

    if out is None and not explain:
        raise InputError("import: --out is missing; name the release to write, or use --explain to see how the tables are read")
    if out is not None:
        check_release_output(out, [*files, *([layout] if layout else [])])
    try:
        with slow("Reading the tables"):
            given = read_layout(layout) if layout else None
            made = read_tables(files, rule=rule, tokens=token or [], layout=given, record=record, yes=yes)
    except NotImported as error:
        if explain:
            say_lines("\n".join(error.explained))
        if out is not None and error.layout:
            so_far = out.with_name(f"{out.name}.layout.toml")
            write_text(so_far, error.layout, silent=True)
            say(f"The layout so far is in {so_far}; complete it and give it back with --layout.")
        raise
    tell(numbers=len(made.release.published), columns=made.release.domain.names, left_out=len(made.left_out), out=out)
    if explain:
        say_lines("\n".join(made.explained))
    for sentence in made.said:
        say(sentence)
    if made.records:
        say(f"Together {made.records}; if these numbers do not count {plural(made.release.domain.record, 2)}, stop here.")
    if out is None:
        return
    with slow("Do the tables fit together?"):
        remark = write_imported(made, out)
    if remark:
        note(remark)
    single = out.suffix in (".json", ".parquet")
    kept = "" if single else f"; how they were read is in {out / 'layout.toml'}"
    number = f"{len(files)} {'file' if len(files) == 1 else 'files'}"
    published = published_text(made.release)
    say(f"{published[0].upper()}{published[1:]} from {number} written to {out}{kept}.")
    if left_out := all_left_out(made).said:
        say(f"{left_out} {f'A folder has room for the list, {LEFT_OUT}' if single else f'All are in {out / LEFT_OUT}'}.")


def tabulate(
    microdata: Annotated[Path, argument("MICRODATA.csv", "A CSV file: one row per record, one column per variable.")],
    margins: Annotated[list[str], option("--margins", "Columns of one table, separated by commas; repeat for more tables.")],
    out: ReleaseOut,
    record: Annotated[str, option("--record", "The noun for one record, such as household.")] = "record",
    zeros: Annotated[bool, option("--zeros/--no-zeros", "Whether cells with a count of 0 are written.")] = True,
    truth: Annotated[bool, option("--truth", "Keep the microdata beside the release as truth.csv.")] = False,
    rule: Annotated[str | None, rule_option("Publish under a release rule; `foregone rules` lists them.")] = None,
    seed: Annotated[int, option("--seed", "For rules that round at random: the same seed gives the same tables.", min=0)] = 0,
    sums: Annotated[list[str] | None, option("--sum", "As --mean, for sums.", metavar="COLUMN[:BY]")] = None,
    means: Annotated[
        list[str] | None, option("--mean", "Also publish means: AGE, or AGE:SEX,TOWN for each group.", metavar="COLUMN[:BY]")
    ] = None,
    medians: Annotated[list[str] | None, option("--median", "As --mean, for medians.", metavar="COLUMN[:BY]")] = None,
    percents: Annotated[
        list[str] | None,
        option(
            "--percent", "Also publish percentages: SEX,TOWN of all records, or SEX,TOWN:SEX of each sex.", metavar="COLUMNS[:OF]"
        ),
    ] = None,
    decimals: Annotated[
        int, option("--decimals", "How many decimals sums, means, medians and percentages have.", min=0, max=12)
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
        published = under_rule(published, chosen, truth=data, seed=seed)
    write_release(published, out, data if truth else None)
    tell(numbers=len(published.published), records=len(data), out=out)
    under = "" if chosen is None else f" under the rule {chosen.name}" + (f", seed {seed}," if chosen.chance else "")
    say(f"{len(published.published):,} published numbers about {len(data):,} records written{under} to {out}.")


People = StrEnum("People", ["same", "joined", "left", "changed"])


def join(
    releases: Annotated[list[Path], argument("A B ...", "Releases about overlapping people, in order of time.")],
    out: ReleaseOut,
    people: Annotated[
        People, option("--people", "What may have happened in between: nothing, arrivals only, departures only, or either.")
    ] = People.changed,
    crosswalk: Annotated[
        Path | None, option("--crosswalk", "A CSV file (column, old, new) where boundaries changed: TOWN,Old,North|South.")
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
    tell(numbers=len(made.release.published), releases=made.names, out=out)
    say(f"{published[0].upper()}{published[1:]} from {' and '.join(made.names)} written to {out}.")
