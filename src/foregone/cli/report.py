"""`foregone report`: one page that shows who is singled out and why."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from foregone.cli.options import LIMIT, GroupsOption, MaxRecords, TimeLimit
from foregone.cli.show import NO, UNDECIDED, errors_as_lines, note, say, slow, stop
from foregone.model.errors import InputError
from foregone.model.families import Groups

if TYPE_CHECKING:
    from foregone.model.policy import Policies
    from foregone.pages.commands import Place
    from foregone.pages.write import Written

EXPLAINED, EXPLAINED_OF_MANY = 30, 10  # facts that get a derivation unless told otherwise


@dataclass(frozen=True, slots=True)
class Heading:
    """What stands at the top of a page, and where its commands find what it is about."""

    title: str
    subtitle: str
    date: str
    place: Place


def report(
    what: Annotated[
        Path,
        typer.Argument(
            metavar="RELEASE|RUN",
            help="A release (folder, .json or .parquet), or the folder of a `foregone run`.",
        ),
    ],
    out: Annotated[Path, typer.Option("--out", help="The page to write, such as report.html.")],
    after_gate: Annotated[Path | None, typer.Argument(hidden=True, help="The policy file after --gate.")] = None,
    prior: Annotated[
        Path | None,
        typer.Option("--prior", help="For a release: microdata (CSV, same columns) to tell how surprising each fact is."),
    ] = None,
    source: Annotated[
        Path | None,
        typer.Option("--source", metavar="UNITS", help="For a run: its unit file, to show why the top facts are certain."),
    ] = None,
    redact: Annotated[
        bool, typer.Option("--redact", help="Leave out attribute values, table cells, places and names.")
    ] = False,
    policy: Annotated[
        Path | None,
        typer.Option("--policy", "--thresholds", help="A policy file (TOML): what must not be, and what has to be looked at."),
    ] = None,
    gate: Annotated[
        bool,
        typer.Option("--gate", help="Exit with status 1 if the policy is broken, 3 if undecided; a policy file may follow."),
    ] = False,
    top: Annotated[int, typer.Option("--top", min=1, help="How many facts to show; the page says where the others are.")] = 200,
    explain: Annotated[
        int | None,
        typer.Option("--explain", min=0, help="How many facts to explain, most telling first (30; 10 with --source)."),
    ] = None,
    title: Annotated[str, typer.Option("--title", help="A title for the page, in your words.")] = "",
    subtitle: Annotated[str, typer.Option("--subtitle", help="A line below the title, such as who it is for.")] = "",
    date: Annotated[str | None, typer.Option("--date", help="The date to print (default: SOURCE_DATE_EPOCH, else today).")] = None,
    groups: GroupsOption = Groups.PUBLISHED,
    time_limit: TimeLimit = None,
    max_records: MaxRecords = LIMIT,
) -> None:
    """Write a page: who is singled out, and the numbers that force it.

    One file that needs no network, about a release or a run.

    Beside report.html goes report.results.json (pass, review or fail, for pipelines) and, when the page about a release
    cannot hold every fact, report.claims.csv. Exit 1 with --gate when the policy is broken, 3 when something stayed undecided.
    """
    with errors_as_lines(what):
        from foregone.batch.run_folder import is_run
        from foregone.formats.policy import read_policies
        from foregone.model.policy import DEFAULT, OF_MANY, Policies
        from foregone.pages.commands import Place
        from foregone.pages.write import check_page, today
        from foregone.policy.judge import PolicyVerdict
        from foregone.study.folder import STUDY_PAGE, is_study

        if after_gate is not None and what.suffix == ".toml":
            what, after_gate = after_gate, what
        if after_gate is not None and (not gate or policy is not None):
            raise InputError(f"unexpected argument {after_gate}; give a policy file after --gate or --policy")
        policy = policy or after_gate
        check_page(out, [what, prior, source, policy])
        default = OF_MANY if is_run(what) else DEFAULT
        policies = Policies(default) if policy is None else read_policies(policy, default)
        heading = Heading(title, subtitle, date or today(), Place(str(what), "" if policy is None else str(policy)))
        if is_study(what):
            every = "for a page about every block, `foregone run` and then `foregone report RUN`"
            raise InputError(f"{what}: a study has its own page, {what / STUDY_PAGE}; {every}")
        if is_run(what):
            if prior is not None or time_limit is not None or groups != Groups.PUBLISHED:
                given = "--prior, --time-limit and --groups"
                raise InputError(f"{given} are for a single release; a run was audited already")
            written = _many(what, out, source, redact, policies, top, EXPLAINED_OF_MANY if explain is None else explain, heading)
        else:
            if source is not None:
                raise InputError(f"--source goes with a run, and {what} is none")
            number = EXPLAINED if explain is None else explain
            written = _one(what, out, prior, redact, policies, top, number, heading, time_limit, max_records, groups)
        outcome = written.judged
        say(f"Outcome: {outcome.verdict}: {outcome.why}.")
        for reason in outcome.reasons[1:]:
            say(f"Also: {reason}.")
        if gate and outcome.fail == PolicyVerdict.BROKEN:
            stop(NO)
        if outcome.fail == PolicyVerdict.UNDECIDED if gate else written.outcome["undecided"]:
            stop(UNDECIDED)


def _one(
    path: Path,
    out: Path,
    prior: Path | None,
    redact: bool,
    policies: Policies,
    top: int,
    explain: int,
    heading: Heading,
    time_limit: float | None,
    max_records: int,
    groups: Groups,
) -> Written:
    from foregone.census.release_report import report
    from foregone.formats.assumptions import read_assumptions
    from foregone.formats.folder import read_release, read_truth
    from foregone.formats.left_out import left_out_of
    from foregone.formats.rows import read_prior

    published, assumed = read_release(path), read_assumptions(path)
    left_out = left_out_of(path, published)
    drawn = None if prior is None else read_prior(prior, published.domain)
    with slow("Auditing") as progress:
        written = report(
            published,
            out,
            drawn,
            redact,
            policies,
            top,
            explain,
            heading.title,
            "" if prior is None else prior.name,
            heading.date,
            time_limit,
            max_records,
            progress,
            groups,
            assumed,
            truth=read_truth(path, published),
            subtitle=heading.subtitle,
            name=path.name or str(path),
            place=heading.place,
            left_out=left_out,
        )
    say(written.summary)
    for sentence in written.assumptions:
        say(f"Assumed: {sentence}.")
    if left_out.warning:
        say(f"Warning: {left_out.warning}")
    say(f"The page is {written.page}; the outcome is in {written.results}.")
    if written.claims is not None:
        say(f"The page holds the first {written.shown:,} facts; all {written.facts:,} are in {written.claims}.")
    return written


def _many(
    path: Path, out: Path, source: Path | None, redact: bool, policies: Policies, top: int, explain: int, heading: Heading
) -> Written:
    from foregone.census.subjects import subject_of_run
    from foregone.formats.extras import need
    from foregone.pages.collection_page import CollectionPageOptions, headline
    from foregone.pages.explanations import explain_located
    from foregone.pages.run_collection import collection_of_run
    from foregone.pages.write import write_collection_page

    need("duckdb", "pyarrow")
    with slow("Reading"):
        collection = collection_of_run(path, subject_of_run, policies, top)
    if source is not None and collection.subject.republish is None:
        raise InputError("--source explains census blocks; for another release use `foregone report RELEASE`")
    with slow("Writing the page") as progress:
        explained = {} if source is None else explain_located(collection, source, collection.found[:explain], progress)
    options = CollectionPageOptions(heading.date, heading.title, heading.subtitle, heading.place, redact, policies, out)
    written = write_collection_page(collection, explained, options)
    say(headline(collection)[0])
    if collection.unfinished:
        note(collection.unfinished)
    say(f"The page is {written.page}; the outcome is in {written.results}.")
    if written.shown < collection.facts:
        say(f"The page holds {written.shown:,} {collection.stated}; all {collection.facts:,} are in {collection.rest}.")
    return written
