"""`foregone protect`: provably the least to withhold."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from foregone.cli.options import LIMIT, GroupsOption, MaxRecords
from foregone.cli.repeating import again
from foregone.cli.show import NO, UNDECIDED, errors_as_lines, say, say_assumptions, say_left_out, say_lines, stop
from foregone.cli.stopping import live, stopped_early
from foregone.model.errors import InputError
from foregone.model.families import Groups

if TYPE_CHECKING:
    from foregone.model.policy import Knowledge, Policy
    from foregone.model.protection import Protection


class By(StrEnum):
    cell = "cell"
    table = "table"


class Marks(StrEnum):
    one = "one"
    two = "two"


class AttackerName(StrEnum):
    exact = "exact"
    linear = "linear"


def protect(
    context: typer.Context,
    release: Annotated[
        Path,
        typer.Argument(
            metavar="RELEASE",
            help="A folder with domain.json and statistics.csv, or a .json or .parquet file. With --by table also a unit file, a"
            " run, or a folder of releases: one choice of tables for all of them.",
        ),
    ],
    out: Annotated[
        Path,
        typer.Option(
            "--out", help="The new folder for the protected release, which is what you publish. What you keep goes to OUT-private."
        ),
    ],
    policy: Annotated[
        Path | None,
        typer.Option(
            "--policy",
            help="A policy file (TOML): what must not be certain. Default: nobody is singled out by 2 columns or more, and no cell"
            " that is not shown can be worked out.",
        ),
    ] = None,
    columns: Annotated[
        int | None,
        typer.Option(
            "--columns",
            metavar="N",
            min=1,
            help="The default policy with another number: nobody may be singled out by N columns or more.",
        ),
    ] = None,
    by: Annotated[By, typer.Option("--by", help="What to withhold: single cells, or whole tables.")] = By.cell,
    know: Annotated[
        list[str] | None,
        typer.Option(
            "--know",
            help="What a reader knows besides what is printed: zeros-shown (a cell that is not shown is at least 1), primary<=3."
            " Repeatable. Without it, what follows from what is printed.",
        ),
    ] = None,
    attacker: Annotated[
        AttackerName,
        typer.Option("--attacker", help="exact: works out all that follows. linear: only adds and subtracts; for comparison."),
    ] = AttackerName.exact,
    keep: Annotated[
        list[str] | None,
        typer.Option("--keep", metavar="NAME|TABLE", help="A cell or table that must stay published; june/ and P16* name several."),
    ] = None,
    cost: Annotated[
        str,
        typer.Option(
            "--cost", metavar="one|size|FILE", help="What a withheld cell costs: 1, its count, or a cost from a CSV file."
        ),
    ] = "one",
    round_: Annotated[
        list[int] | None, typer.Option("--round", metavar="BASE", help="Also allow numbers to be rounded to a multiple of this.")
    ] = None,
    merge: Annotated[
        list[str] | None,
        typer.Option("--merge", metavar="COLUMN=CODE|CODE", help="Two values of a column that may be merged into one."),
    ] = None,
    withhold: Annotated[bool, typer.Option("--withhold/--no-withhold", help="Whether numbers may be withheld at all.")] = True,
    marks: Annotated[
        Marks,
        typer.Option(
            "--marks",
            help="one: every cell that is not shown gets the same mark. two: old stars keep theirs, and new ones get another.",
        ),
    ] = Marks.one,
    mark: Annotated[
        str,
        typer.Option("--mark", metavar="TEXT", help="Printed where a number is not shown. Default: the tables' own mark, or [c]."),
    ] = "",
    proofs: Annotated[
        str | None,
        typer.Option(
            "--proofs",
            metavar="[FILE]",
            help="Write the certificate, for `foregone check`: to this file (.json), or to OUT-private. Keep it secret.",
        ),
    ] = None,
    page: Annotated[
        Path | None,
        typer.Option(
            "--page", help="Where the page goes (.html), before and after side by side. Default: OUT-private. Keep it secret."
        ),
    ] = None,
    groups: GroupsOption = Groups.PUBLISHED,
    alternatives: Annotated[int, typer.Option("--alternatives", min=0, help="How many other choices to show, cheapest first.")] = 1,
    limit: Annotated[int | None, typer.Option("--limit", min=1, help="For many releases: only the first N.")] = None,
    workers: Annotated[
        int | None, typer.Option("--workers", min=1, help="For many releases: processes; all cores by default.")
    ] = None,
    time_limit: Annotated[
        float | None,
        typer.Option(
            "--time-limit", metavar="SECONDS", min=0.0, help="Stop after this long, with the best protection found so far."
        ),
    ] = None,
    max_records: MaxRecords = LIMIT,
) -> None:
    """Withhold the least that keeps a policy, and prove it is the least.

    Exit 0: proved smallest. Exit 3: protected, but not proved smallest, or nothing found in time. Exit 1: no allowed choice
    is enough. Stop it with Ctrl-C at any time: the best protection so far is written, with the bound that was proved.
    """
    with errors_as_lines(release), stopped_early() as check:
        import shlex
        from dataclasses import replace

        from foregone.cli.protect_many import Many, is_many, protect_each
        from foregone.formats.folder import read_release
        from foregone.formats.protection import check_protected_output, private_folder, read_costs
        from foregone.model.policy import OF_MANY
        from foregone.protection.protect import protect as run

        rules = _rules(policy, columns)
        costs = Path(cost) if cost not in ("one", "size") else None
        if page is not None and page.suffix not in (".html", ".htm"):
            raise InputError(f"{page}: a page is an .html file; give a name that ends in .html")
        certificate = Path(proofs) if proofs else None
        check_protected_output(out, [release, policy, costs], {"--proofs": certificate, "--page": page})
        if is_many(release):
            other = attacker != AttackerName.exact or cost != "one" or round_ or merge or proofs is not None
            if by != By.table or other:
                options = "--by table, with --policy, --columns, --keep and --limit alone"
                raise InputError(f"{release}: for many releases use {options}")
            if policy is None:  # of many releases claims are judged, and nothing else
                rules = replace(OF_MANY, singled_out_columns=columns or OF_MANY.singled_out_columns)
            asked = Many(rules, tuple(keep or ()), _known(know or []), limit, time_limit, groups, max_records, workers)
            with live() as watch:
                protect_each(release, out, asked, watch, check)
            return
        published = read_release(release)
        check()
        most = len(published.domain.columns)
        if columns is not None and columns > most:
            raise InputError(f"--columns {columns}: a {published.domain.record} has {most} columns here; use 1 to {most}")
        with live() as watch:
            found = run(
                published,
                rules,
                by.value,
                _known(know or []),
                attacker.value,
                keep or (),
                cost if costs is None else read_costs(costs),
                withhold,
                round_ or (),
                [_pair(text) for text in merge or ()],
                time_limit,
                alternatives,
                max_records,
                watch,
                proofs is not None,
                groups,
                marks.value,
                mark,
            )
        say_lines(found.summary())
        _say_stricter(context, found, policy)
        say_assumptions(release)
        if found.release is not None:
            say_left_out(release, found.release)
            _write(found, release, out, page, certificate)
            what = "The protected release is in" if found.done or found.primary else "The release as it was is in"
            say(f"{what} {out}{', which is all that may be published' if found.after == 0 else ''}.")
            where = [f"the page {page}" if page else "the page", *([f"the certificate {certificate}"] if certificate else [])]
            where += ["the certificate"] if proofs == "" and found.certificate is not None else []
            say(f"Keep private: {private_folder(out)} (what was done) and {' and '.join(where)}. They tell what is withheld.")
            say(f"For its page: foregone report {shlex.quote(str(out))} --out {shlex.quote(str(out) + '.html')}")
        if found.impossible:
            stop(NO)
        if not found.optimal or found.after is None or (found.cost and not found.proved):
            stop(UNDECIDED)


def _write(found: Protection, release: Path, out: Path, page: Path | None, certificate: Path | None) -> None:
    """The folder that gets published, and beside it what its owner keeps."""
    import json

    from foregone.census.subjects import subject_of_release
    from foregone.formats.assumptions import read_assumptions
    from foregone.formats.outputs import write_text
    from foregone.formats.protection import still_assumed, write_private, write_protection
    from foregone.formats.standing import place_rows
    from foregone.pages.protection_page import render_protection
    from foregone.pages.write import today

    shown = render_protection(found, subject_of_release(found.original.domain), today())
    proof = "" if found.certificate is None else json.dumps(found.certificate, separators=(",", ":"), ensure_ascii=False) + "\n"
    write_protection(found, out, still_assumed(found, read_assumptions(release)), place_rows(release))
    write_private(found, out, "" if page else shown, "" if certificate else proof)
    if page is not None:
        write_text(page, shown)
    if certificate is not None and proof:
        write_text(certificate, proof)


def _rules(policy: Path | None, columns: int | None) -> Policy | Path | None:
    """What must not be: a file says it, or the default does, perhaps with another number of columns."""
    from foregone.model.policy import by_columns

    if policy is not None and columns is not None:
        raise InputError(f"--columns and --policy: {policy} says how many columns; leave out one of the two")
    return policy if columns is None else by_columns(columns)


def _say_stricter(context: typer.Context, found: Protection, policy: Path | None) -> None:
    """How to forbid what the policy does not: as a command, or as a line of the policy file."""
    if found.still is None or not found.still.facts:
        return
    columns = found.still.columns
    how = again(context, columns=columns) if policy is None else f"in {policy}, singled_out_columns = {columns}"
    say(f"To forbid what is still certain: {how}")


def _known(words: list[str]) -> Knowledge | None:
    from foregone.formats.policy import KNOW, read_knowledge

    known = read_knowledge(words)
    if known is None:
        raise InputError(f"--know: {', '.join(words)}: {KNOW}")
    return known if words else None


def _pair(text: str) -> tuple[str, str, str]:
    name, equals, codes = text.partition("=")
    one, bar, other = codes.partition("|")
    if not equals or not bar or not name.strip() or not one.strip() or not other.strip() or "|" in other:
        raise InputError(f"--merge: {text!r} is not understood; write COLUMN=CODE|CODE, two values of one column")
    return name.strip(), one.strip(), other.strip()
