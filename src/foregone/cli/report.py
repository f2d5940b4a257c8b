"""`foregone report`: one page that shows who is singled out and why."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from foregone.cli.options import LIMIT, MaxRecords, ReleasePath, TimeLimit
from foregone.cli.show import NO, UNDECIDED, errors_as_lines, say, slow, stop


def report(
    release: ReleasePath,
    out: Annotated[Path, typer.Option("--out", help="The page to write, such as report.html.")],
    prior: Annotated[
        Path | None, typer.Option("--prior", help="Microdata (CSV, same columns) to tell how surprising each fact is.")
    ] = None,
    redact: Annotated[
        bool, typer.Option("--redact", help="Hide attribute values, table cells and the release's name, for sharing.")
    ] = False,
    thresholds: Annotated[
        Path | None, typer.Option("--thresholds", help="A YAML file with your limits for pass, review and fail.")
    ] = None,
    gate: Annotated[bool, typer.Option("--gate", help="Exit with status 1 when the outcome is fail.")] = False,
    top: Annotated[int, typer.Option("--top", min=1, help="Facts on the page; the rest goes to a CSV file beside it.")] = 200,
    explain: Annotated[int, typer.Option("--explain", min=0, help="Facts to work out the derivation of, most telling first.")] = 30,
    date: Annotated[str | None, typer.Option("--date", help="The date to print (default: SOURCE_DATE_EPOCH, else today).")] = None,
    time_limit: TimeLimit = None,
    max_records: MaxRecords = LIMIT,
) -> None:
    """Write one self-contained page: who is singled out, by which attributes, and the published numbers that force it.

    Beside report.html goes report.results.json (pass, review or fail, for pipelines) and, when the page cannot hold every
    fact, report.claims.csv. Exit 1 with --gate when the outcome is fail, 3 when something stayed undecided.
    """
    with errors_as_lines():
        from foregone.files.folder import read_records, read_release
        from foregone.infer.audit import audit
        from foregone.report.demo import stored_explanations
        from foregone.report.findings import findings
        from foregone.report.page import Options, explanations
        from foregone.report.thresholds import Thresholds, read_thresholds
        from foregone.report.write import check_page, today, write_report

        check_page(out)
        limits = Thresholds() if thresholds is None else read_thresholds(thresholds)
        when = date or today()
        published = read_release(release)
        drawn = None if prior is None else read_records(prior, published.domain)
        with slow("Auditing") as progress:
            result = audit(published, time_limit, max_records, progress)
        found = findings(result, drawn)
        with slow("Writing the page") as progress:
            stored = stored_explanations(published.fingerprint())
            explained = explanations(result, found, min(explain, top), stored, progress)
        options = Options(
            when, release.name or str(release), top, explain, redact, "" if prior is None else prior.name, thresholds=limits
        )
        written = write_report(result, found, explained, out, options)
        say(result.summary().splitlines()[1])
        say(f"The page is {written.page}; the outcome is in {written.results}.")
        if written.claims is not None:
            say(f"The page holds the first {min(top, len(found)):,} facts at most; all {len(found):,} are in {written.claims}.")
        verdict = written.outcome["verdict"]
        reasons = written.outcome["reasons"]
        say(f"Outcome: {verdict}{': ' + reasons[0] if reasons else ''}.")
        if gate and verdict == "fail":
            stop(NO)
        if result.found.open:
            stop(UNDECIDED)
