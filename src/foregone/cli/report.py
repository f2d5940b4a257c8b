"""`foregone report`: one page that shows who is singled out and why."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from foregone.cli.answers import tell
from foregone.cli.options import LIMIT, GroupsOption, MaxRecords, PriorTable, TimeLimit, argument, option, seconds
from foregone.cli.progress import slow
from foregone.cli.show import DONE, UNDECIDED, note, say, say_assumed, stop, stop_by
from foregone.model.errors import InputError
from foregone.model.families import Groups

if TYPE_CHECKING:
    from foregone.pages.write import Written


def report(
    what: Annotated[Path, argument("RELEASE|RUN", "A release (folder, .json or .parquet), or the folder of a `foregone run`.")],
    out: Annotated[Path, option("--out", "The page to write, such as report.html.")],
    after_gate: Annotated[Path | None, argument("", "The policy file after --gate.", hidden=True)] = None,
    prior: Annotated[
        Path | None, option("--prior", "For a release: microdata (CSV, same columns) to tell how surprising each fact is.")
    ] = None,
    prior_table: PriorTable = None,
    source: Annotated[
        Path | None, option("--source", "For a run: its unit file, to show why the top facts are certain.", metavar="UNITS")
    ] = None,
    redact: Annotated[bool, option("--redact", "Leave out attribute values, table cells, places and names.")] = False,
    policy: Annotated[
        Path | None, option("--policy", "A policy file (TOML): what must not be, and what has to be looked at.", "--thresholds")
    ] = None,
    gate: Annotated[
        bool, option("--gate", "Exit with status 1 if the policy is broken, 3 if undecided; a policy file may follow.")
    ] = False,
    top: Annotated[int, option("--top", "How many facts to show; the page says where the others are.", min=1)] = 200,
    explain: Annotated[
        int | None, option("--explain", "How many facts to explain, most telling first (30; 10 with --source).", min=0)
    ] = None,
    explain_seconds: Annotated[
        float,
        seconds(
            "How long to explain facts, once the page is there (0: not at all; inf: until all are). It is then written again.",
            "--explain-seconds",
        ),
    ] = 20.0,
    title: Annotated[str, option("--title", "A title for the page, in your words.")] = "",
    subtitle: Annotated[str, option("--subtitle", "A line below the title, such as who it is for.")] = "",
    date: Annotated[str | None, option("--date", "The date to print (default: SOURCE_DATE_EPOCH, else today).")] = None,
    groups: GroupsOption = Groups.PUBLISHED,
    time_limit: TimeLimit = None,
    max_records: MaxRecords = LIMIT,
) -> None:
    """Write a page: who is singled out, and the numbers that force it.

    One file that needs no network, about a release or a run.

    Beside report.html goes report.results.json (pass, review or fail, for pipelines) and, when the page about a release
    cannot hold every fact, report.claims.csv. Exit 1 with --gate when the policy is broken, 3 when something stayed undecided.
    """
    from foregone.batch.run_folder import is_run
    from foregone.evaluation import STUDY_PAGE, is_study
    from foregone.pages.commands import Place
    from foregone.workflows.report import StoppedReport, report_run
    from foregone.workflows.report import report as report_release

    if after_gate is not None and what.suffix == ".toml":
        what, after_gate = after_gate, what
    if after_gate is not None and (not gate or policy is not None):
        raise InputError(f"unexpected argument {after_gate}; give a policy file after --gate or --policy")
    policy, many = policy or after_gate, is_run(what)
    if is_study(what):
        every = "for a page about every block, `foregone run` and then `foregone report RUN`"
        raise InputError(f"{what}: a study has its own page, {what / STUDY_PAGE}; {every}")
    if many and (prior is not None or prior_table is not None or time_limit is not None or groups != Groups.PUBLISHED):
        raise InputError("--prior, --prior-table, --time-limit and --groups are for a single release; a run was audited already")
    if source is not None and not many:
        raise InputError(f"--source goes with a run, and {what} is none")
    asked: dict[str, Any] = {"redact": redact, "policy": policy, "top": top, "title": title, "subtitle": subtitle}
    asked |= {"date": date or "", "place": Place(str(what), "" if policy is None else str(policy))}
    asked |= {"explain_seconds": explain_seconds, **({} if explain is None else {"explain": explain})}
    try:
        with slow("Writing the page" if many else "Auditing") as progress:
            if many:
                written = report_run(what, out, source=source, progress=progress, **asked)
            else:
                limits: dict[str, Any] = {"time_limit": time_limit, "max_records": max_records, "groups": groups}
                written = report_release(what, out, prior=prior, prior_table=prior_table, progress=progress, **limits, **asked)
    except StoppedReport as stopped:
        written = stopped.written
        note("stopped while facts were explained; the page is complete otherwise")
    _say_written(written)
    if written.explained < written.wanted:
        are = "is" if written.explained == 1 else "are"
        some = f"{written.explained:,} of {written.wanted:,} facts {are} explained on the page"
        say(f"{some}; each of the others shows the command that explains it (for more: --explain-seconds).")
    outcome = written.judged
    files = {"page": written.page, "results": written.results, "claims": written.claims}
    tell(verdict=outcome.verdict, reasons=outcome.reasons, facts=written.facts, outcome=written.outcome, files=files)
    say(f"Outcome: {outcome.verdict}: {outcome.why}.")
    for reason in outcome.reasons[1:]:
        say(f"Also: {reason}.")
    if gate:
        stop_by(outcome.fail)
    stop(UNDECIDED if written.outcome["undecided"] else DONE)


def _say_written(written: Written) -> None:
    """What is on a page, and where it is."""
    collection = written.collection
    say(written.summary)
    say_assumed(written.assumptions, written.warning)
    if collection is not None and collection.unfinished:
        note(collection.unfinished)
    say(f"The page is {written.page}; the outcome is in {written.results}.")
    if collection is not None and written.shown < written.facts:
        say(f"The page holds {written.shown:,} facts; all {written.facts:,} are in {collection.rest}.")
    if written.claims is not None:
        say(f"The page holds the first {written.shown:,} facts; all {written.facts:,} are in {written.claims}.")
