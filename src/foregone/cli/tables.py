"""Tables as people have them: release rules, import of files, several releases as one."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from foregone.cli.options import complete_rule
from foregone.cli.show import errors_as_lines, note, say, say_lines, slow
from foregone.model.errors import InputError


def rules(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="One rule, such as nhs-hes or round:5.", autocompletion=complete_rule)
    ] = None,
) -> None:
    """List the release rules, or what values mean under one."""
    with errors_as_lines():
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
    out: Annotated[Path, typer.Option("--out", help="The release to write: a new folder, or a .json or .parquet file.")],
    rule: Annotated[
        str,
        typer.Option(
            "--rule",
            metavar="NAME",
            help="The release rule the tables follow; `foregone rules` lists them.",
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
) -> None:
    """Make a release from spreadsheets, lists and statistical files.

    Reads cross-tabs and lists as they are, with titles, totals, footnotes and signs for small numbers.

    Says how each table was read, and writes that as layout.toml into the release. Exit 2: a token is not known, two readings fit,
    or the tables contradict each other.
    """
    with errors_as_lines():
        from foregone.formats.beside import LEFT_OUT
        from foregone.formats.folder import check_release_output, write_release
        from foregone.model.sentences import published_text
        from foregone.tables.contradictions import check_tables
        from foregone.tables.importing import all_left_out, beside, read_tables
        from foregone.tables.layout_file import read_layout

        check_release_output(out, [*files, *([layout] if layout else [])])
        with slow("Reading the tables"):
            made = read_tables(files, rule, token or [], read_layout(layout) if layout else None, record)
        for sentence in made.said:
            say(sentence)
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
    with errors_as_lines():
        from foregone.formats.beside import (
            ASSUMPTIONS,
            LEFT_OUT,
            PLACES,
            assumptions_text,
            left_out_text,
            place_rows,
            places_text,
            read_assumptions,
            read_left_out,
        )
        from foregone.formats.folder import check_release_output, read_release, write_release
        from foregone.model.sentences import published_text
        from foregone.tables.joining import join as run
        from foregone.tables.joining import read_crosswalk

        check_release_output(out, [*releases, *([crosswalk] if crosswalk else [])])
        names = short_names(releases)
        read = {name: read_release(path) for name, path in zip(names, releases, strict=True)}
        made = run(read, people.value, read_crosswalk(crosswalk) if crosswalk else None)
        earlier = [f"{name}: {said}" for name, path in zip(names, releases, strict=True) for said in read_assumptions(path)]
        assumed = (*made.assumptions, *earlier)
        standing = [[f"{name}/{row[0]}", *row[1:]] for name, path in zip(names, releases, strict=True) for row in place_rows(path)]
        placed = {PLACES: places_text(standing)} if standing else {}
        left_out = [cell for path in releases for cell in read_left_out(path)]
        placed |= {LEFT_OUT: left_out_text(left_out)} if left_out else {}
        write_release(made.release, out, beside={ASSUMPTIONS: assumptions_text(assumed)} | placed)
        for sentence in assumed:
            say(f"Assumed: {sentence}.")
        if out.suffix in (".json", ".parquet"):
            note(f"{out} cannot hold these assumptions, so later answers will not repeat them; a folder can")
        published = published_text(made.release)
        say(f"{published[0].upper()}{published[1:]} from {' and '.join(names)} written to {out}.")


def short_names(paths: list[Path]) -> list[str]:
    """What releases are called: their folders' names, with the folder above where these are the same."""
    names = [path.stem if path.suffix in (".json", ".parquet") else path.resolve().name for path in paths]
    if len(set(names)) < len(names):
        names = [f"{path.resolve().parent.name}-{name}" for path, name in zip(paths, names, strict=True)]
    if len(set(names)) < len(names):
        raise InputError(f"two of the releases are called {names[0]}; give them folders with different names")
    return names
