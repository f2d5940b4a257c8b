"""Tables as people have them: release rules, import of files, several releases as one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from foregone.cli.show import errors_as_lines, note, say, say_lines, slow


def rules(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="One rule, such as nhs-hes or round:5.")] = None,
) -> None:
    """List the release rules that are known, or show what each displayed value can mean under one of them."""
    with errors_as_lines():
        from foregone.rules.registry import rule as find
        from foregone.rules.registry import rules as known
        from foregone.rules.sentences import rule_list, rule_text

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
        str, typer.Option("--rule", metavar="NAME", help="The release rule the tables follow; `foregone rules` lists them.")
    ] = "",
    token: Annotated[
        list[str] | None,
        typer.Option("--token", metavar="TEXT=V", help="What a token means: n, a..b or a.., such as '*=1..4'; repeatable."),
    ] = None,
    layout: Annotated[
        Path | None,
        typer.Option("--layout", help="A layout.toml, as import writes it, with what you changed; the rest is found again."),
    ] = None,
    record: Annotated[str, typer.Option("--record", help="The noun for one record, such as patient.")] = "",
) -> None:
    """Read cross-tabs and lists as people have them, and make one release of all of them.

    Says how each table was read, and writes that as layout.toml into the release. Exit 2: a token is not known, two readings fit,
    or the tables contradict each other.
    """
    with errors_as_lines():
        from foregone.formats.folder import check_release_output, write_release
        from foregone.tables.contradictions import check_tables
        from foregone.tables.files import beside
        from foregone.tables.importing import import_tables
        from foregone.tables.layout_file import read_layout

        check_release_output(out, [*files, *([layout] if layout else [])])
        made = import_tables(files, rule, token or [], read_layout(layout) if layout else None, record)
        for sentence in made.said:
            say(sentence)
        with slow("Do the tables fit together?"):
            remark = check_tables(made)
        if remark:
            note(remark)
        write_release(made.release, out, beside=beside(made))
        kept = "" if out.suffix in (".json", ".parquet") else f"; how they were read is in {out / 'layout.toml'}"
        number = f"{len(files)} {'file' if len(files) == 1 else 'files'}"
        say(f"{len(made.release.statistics):,} published numbers of {number} written to {out}{kept}.")
