"""The `foregone` command. Engines and solvers are imported inside the commands, so that --help and --version are quick."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from time import monotonic
from typing import Annotated

import typer

from foregone.cli.engines import BigM, EngineName, EngineOption, Solutions, Solver, SolverOption
from foregone.cli.options import LIMIT, GroupsOption, MaxRecords, ReleasePath, TimeLimit, complete_rule, left
from foregone.cli.show import UNDECIDED, errors_as_lines, say, say_assumptions, say_left_out, say_lines, slow, stop
from foregone.cli.streams import final_status, open_streams
from foregone.cli.usage import Commands
from foregone.model.errors import InputError
from foregone.model.families import Groups
from foregone.model.shown import shown
from foregone.model.what_if import LARGEST_BASE
from foregone.version import __version__

app = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Find what published tables already give away about individual people: every claim 'exactly m records have these"
    " values' that is true in every dataset matching the tables.",
)


def show_version(wanted: bool) -> None:
    if wanted:
        say(f"foregone {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", callback=show_version, is_eager=True, help="Show the version and stop.")
    ] = False,
) -> None:
    del version


def audit(
    release: ReleasePath,
    more: Annotated[list[str] | None, typer.Argument(hidden=True, help="Further names after --hide.")] = None,
    out: Annotated[Path | None, typer.Option("--out", help="Write the claims here; the ending picks csv, parquet or json.")] = None,
    all_: Annotated[bool, typer.Option("--all", help="List every form of each fact, not only the fullest one.")] = False,
    min_columns: Annotated[int, typer.Option("--min-columns", min=1, help="Only claims that name at least this many columns.")] = 1,
    max_columns: Annotated[
        int | None, typer.Option("--max-columns", min=1, help="With --all: only claims that name at most this many columns.")
    ] = None,
    count: Annotated[int | None, typer.Option("--count", min=1, help="Only claims about exactly this many records.")] = None,
    undecided: Annotated[
        bool, typer.Option("--undecided", help="Write the undecided claims instead; the file has one more column, status.")
    ] = False,
    proofs: Annotated[
        Path | None,
        typer.Option("--proofs", help="Write proofs of every certain claim here (.json), for `foregone check`."),
    ] = None,
    policy: Annotated[
        Path | None,
        typer.Option("--policy", help="A policy file (TOML); if the release breaks it, say how and exit with status 1."),
    ] = None,
    hide: Annotated[
        list[str] | None, typer.Option("--hide", metavar="NAME ...", help="What if these numbers or tables were withheld?")
    ] = None,
    round_: Annotated[
        int | None,
        typer.Option("--round", metavar="BASE", min=1, max=LARGEST_BASE, help="What if counts were rounded to multiples of BASE?"),
    ] = None,
    below: Annotated[
        int | None,
        typer.Option(
            "--below", metavar="N", min=1, max=LARGEST_BASE, help="What if counts from 1 to N - 1 were given as that range?"
        ),
    ] = None,
    page: Annotated[
        Path | None, typer.Option("--page", help="With --hide, --round or --below: also a page (.html), before and after.")
    ] = None,
    groups: GroupsOption = Groups.PUBLISHED,
    engine: EngineOption = EngineName.cells,
    solver: SolverOption = Solver.highs,
    solutions: Solutions = None,
    big_m: BigM = False,
    time_limit: TimeLimit = None,
    max_records: MaxRecords = LIMIT,
) -> None:
    """Find every certain claim of a release, and who is singled out.

    --hide, --round and --below ask what would be certain if the release were changed, and show it before and after. Nothing is
    written unless --out names a file for the claims that would still be certain, or a folder for the changed release.

    A truth.csv beside the release is used only to confirm the claims at the end.
    """
    with errors_as_lines(release):
        from foregone.cli.engines import engine_of
        from foregone.cli.judged import say_judgement, say_pierced
        from foregone.cli.trust import contradiction_to
        from foregone.formats.claims import check_suffix, write_claims

        if hide or more or round_ or below:
            from foregone.cli.what_if import Change, what_if

            if more and not hide:
                raise InputError(f"unexpected argument {shown(more[0])}; names follow --hide; see `foregone audit --help`")
            if all_ or undecided or proofs is not None or engine != EngineName.cells:
                raise InputError("--hide, --round, --below: only --out, --page, --policy, --time-limit, --max-records go with them")
            change = Change((*(hide or ()), *(more or ())), round_ or 1, below or 0)
            what_if(release, change, out, time_limit, max_records, page, policy)
            return
        if page is not None:
            raise InputError("--page goes with --hide, --round or --below; for the release as it is, use `foregone report`")
        from foregone.formats.folder import read_release, read_truth
        from foregone.formats.outputs import check_outputs
        from foregone.formats.policy import read_policy
        from foregone.model.sentences import confirmation, plural
        from foregone.policy.judge import Judged, judge
        from foregone.policy.reader import as_read
        from foregone.policy.sentences import assumed_sentence
        from foregone.questions.cells import Cells

        if out is not None:
            check_suffix(out)
        chosen = engine_of(engine, solver, solutions, big_m, max_records, groups)
        if proofs is not None and not chosen.proves:
            raise InputError("--proofs: a solver's answer is not a proof that can be checked; leave out --engine onehot")
        check_outputs([release, policy], {"--out": out, "--proofs": proofs})
        rules = None if policy is None else read_policy(policy)
        begin = monotonic()
        published = read_release(release)
        truth = read_truth(release, published)
        if isinstance(chosen, Cells):  # for the other engine it is a limit for each integer program
            chosen, time_limit = replace(chosen, truth=truth), left(time_limit, begin)
        with slow("Auditing") as progress, contradiction_to(proofs):
            result = chosen.audit(published, time_limit, progress)
        rows = result.open_rows() if undecided else result.all_rows(max_columns) if all_ else result.rows()
        rows = [row for row in rows if row.columns >= min_columns and (count is None or row.count == count)]
        if max_columns is not None:
            rows = [row for row in rows if row.columns <= max_columns]
        true = None if truth is None else dict(enumerate(truth.counts(s.predicate for s in published.statistics)))
        judged = Judged(result, true=true, time_limit=left(time_limit, begin), max_records=max_records)
        marks = say_pierced(judged, release) if isinstance(chosen, Cells) else None
        say_lines(result.summary())
        say_assumptions(release)
        say_left_out(release, published)
        if truth is not None:
            if any(fact.count == 1 for fact in result):
                found = result.singled_out_in(truth)
                nouns = plural(published.domain.record, found)
                say(f"In the true records {found:,} {nouns} {'is' if found == 1 else 'are'} singled out.")
            say(confirmation(result, truth))
        if out is not None:
            write_claims(out, published.domain, rows, "status" if undecided else "ground")
            say(f"{len(rows):,} {'claim' if len(rows) == 1 else 'claims'} written to {out}.")
        if proofs is not None:
            from foregone.engine import write_proofs
            from foregone.model.audit import Audit

            assert isinstance(result, Audit)
            size = write_proofs(result, proofs)
            say(f"Proofs of all {len(result.facts):,} facts written to {proofs} ({size:,} bytes).")
        if rules is not None and policy is not None:
            known = as_read(published, rules)
            if known is not published:  # claims and proofs are about the release as it is, the policy about what is known besides
                say(f"Assumed: {assumed_sentence(rules)}.")
                with slow("Auditing") as progress:
                    judged = replace(judged, audit=chosen.audit(known, left(time_limit, begin), progress))
            say_judgement(judge(rules, judged), known, release, policy, marks)
        elif result.open or (marks is not None and marks.doubts):
            stop(UNDECIDED)


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
    with errors_as_lines():
        from foregone.formats.folder import check_release_output, write_release
        from foregone.formats.frames import dataset, tabulate_dataset
        from foregone.formats.measured import with_figures
        from foregone.formats.text import read_rows
        from foregone.rules.publish import under_rule
        from foregone.rules.registry import rule as find

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
    with errors_as_lines():
        from foregone.census.demo import run_demo
        from foregone.census.demo_page import demo_page, textbook_page
        from foregone.census.textbook import run_textbook
        from foregone.formats.outputs import check_outputs

        check_outputs([], releases={"--out": out})
        if textbook:
            textbook_page(run_textbook(say_lines, out), page, say)
        else:
            demo_page(run_demo(say_lines, out), page, say)


def main() -> None:
    out = open_streams()
    status = 0
    try:
        app()
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
    sys.exit(final_status(status, out))
