"""The `foregone` command. Engines and solvers are imported inside the commands, so that --help and --version are quick."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from foregone import __version__
from foregone.cli.census import app as census
from foregone.cli.engines import BigM, Engine, EngineOption, Solutions, Solver, SolverOption, solvers
from foregone.cli.report import report
from foregone.cli.show import NO, UNDECIDED, errors_as_lines, say, slow, stop

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Find what published tables already give away about individual people: every statement 'exactly m records have"
    " these values' that is true in every dataset matching the tables.",
)

app.add_typer(census, name="census")


ReleasePath = Annotated[
    Path,
    typer.Argument(metavar="RELEASE", help="A folder with domain.json and statistics.csv, or a .json or .parquet file."),
]
ClaimText = Annotated[
    str, typer.Argument(metavar="CLAIM", help="Attribute values, such as 'SEX=F, AGE=65-74|75-84' ('|' parts alternatives).")
]
TimeLimit = Annotated[
    float | None,
    typer.Option(
        "--time-limit",
        metavar="SECONDS",
        min=0.0,
        help="Stop after this long; what is open then is reported as undecided (--engine onehot: for each claim, default 180).",
    ),
]
MaxRecords = Annotated[
    int, typer.Option("--max-records", min=1, help="Stop with an explanation when more kinds of record than this stay possible.")
]
LIMIT = 2_000_000


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


@app.command()
def audit(
    release: ReleasePath,
    out: Annotated[Path | None, typer.Option("--out", help="Write the claims here; the ending picks csv, parquet or json.")] = None,
    all_: Annotated[
        bool, typer.Option("--all", help="List every column subset of each fact, not only its fullest statement.")
    ] = False,
    min_columns: Annotated[int, typer.Option("--min-columns", min=1, help="Only claims that fix at least this many columns.")] = 1,
    max_columns: Annotated[
        int | None, typer.Option("--max-columns", min=1, help="With --all: only claims that fix at most this many columns.")
    ] = None,
    count: Annotated[int | None, typer.Option("--count", min=1, help="Only claims about exactly this many records.")] = None,
    undecided: Annotated[
        bool, typer.Option("--undecided", help="List the undecided claims instead, in the same layout plus a status.")
    ] = False,
    proofs: Annotated[
        Path | None, typer.Option("--proofs", help="Write a proof of every claim here (.json); `foregone check` checks it.")
    ] = None,
    engine: EngineOption = Engine.cells,
    solver: SolverOption = Solver.highs,
    solutions: Solutions = None,
    big_m: BigM = False,
    time_limit: TimeLimit = None,
    max_records: MaxRecords = LIMIT,
) -> None:
    """Find every certain claim of a release and say who is singled out.

    A truth.csv beside the release is used only to confirm the claims at the end.
    """
    with errors_as_lines():
        from foregone.cli.engines import provable, run_audit
        from foregone.files.claims import check_suffix, write_claims
        from foregone.files.folder import read_release, read_truth
        from foregone.words import confirmation

        if out is not None:
            check_suffix(out)
        if proofs is not None:
            provable(engine)
        published = read_release(release)
        truth = read_truth(release, published)
        with slow("Auditing") as progress:
            result = run_audit(published, engine, solver, solutions, big_m, time_limit, max_records, progress)
        rows = result.open_rows() if undecided else result.all_rows(max_columns) if all_ else result.rows()
        rows = [row for row in rows if row[2] >= min_columns and (count is None or row[1] == count)]
        if max_columns is not None:
            rows = [row for row in rows if row[2] <= max_columns]
        say(result.summary())
        if truth is not None:
            say(confirmation(result, truth))
        if out is not None:
            write_claims(out, published.domain, rows, "status" if undecided else "ground")
            say(f"{len(rows):,} {'claim' if len(rows) == 1 else 'claims'} written to {out}.")
        if proofs is not None:
            from foregone.infer.audit import Audit
            from foregone.infer.proofs import write_proofs

            assert isinstance(result, Audit)
            size = write_proofs(result, proofs)
            say(f"Proofs of all {len(result.found.certain):,} facts written to {proofs} ({size:,} bytes).")
        if result.found.open:
            stop(UNDECIDED)


@app.command()
def verify(
    release: ReleasePath,
    claim: ClaimText,
    count: Annotated[int, typer.Option("--count", min=0, help="The number of matching records that is claimed.")],
    possible: Annotated[
        bool, typer.Option("--possible", help="Ask instead whether exactly --count records can match: exit 0 yes, 1 no.")
    ] = False,
    engine: EngineOption = Engine.cells,
    solver: SolverOption = Solver.highs,
    big_m: BigM = False,
    time_limit: TimeLimit = None,
    max_records: MaxRecords = LIMIT,
) -> None:
    """Is it certain that exactly --count records match?

    Exit 0: verified. Exit 1: refuted, and a matching dataset that breaks the claim is shown. Exit 3: undecided.
    """
    with errors_as_lines():
        from foregone.claim import Verdict
        from foregone.cli.engines import run_verify, show_possible
        from foregone.files.folder import dataset_csv, read_release
        from foregone.predicate import Predicate
        from foregone.words import claim_sentence

        published = read_release(release)
        predicate = Predicate.parse(claim, published.domain)
        if possible:
            show_possible(published, predicate, count, engine, solver, big_m, time_limit, max_records)
            return
        with slow("Verifying"):
            finding = run_verify(published, predicate, count, engine, solver, big_m, time_limit, max_records)
        sentence = claim_sentence(published.domain, predicate, count)
        if finding.verdict == Verdict.VERIFIED:
            say(f"Verified ({finding.ground}): {sentence}")
        elif finding.verdict == Verdict.REFUTED:
            assert finding.witness is not None
            found = finding.witness.count(predicate)
            say(f"Refuted: {sentence}")
            say(f"This dataset matches every published number and has {found} instead:")
            say(dataset_csv(finding.witness).rstrip())
            stop(NO)
        else:
            say(f"Undecided ({finding.reason}): {sentence}")
            stop(UNDECIDED)


@app.command()
def bounds(release: ReleasePath, claim: ClaimText, time_limit: TimeLimit = None, max_records: MaxRecords = LIMIT) -> None:
    """The least and the greatest number of matching records that is possible, exactly."""
    with errors_as_lines():
        from foregone.files.folder import read_release
        from foregone.infer.questions import bounds as run
        from foregone.predicate import Predicate
        from foregone.words import describe, plural

        published = read_release(release)
        predicate = Predicate.parse(claim, published.domain)
        with slow("Bounding"):
            least, most = run(published, predicate, time_limit, max_records)
        what = describe(predicate, published.domain) or "any values"
        noun = plural(published.domain.record, 2)
        if least == most:
            say(f"{least} to {most}: the number of {noun} with {what} is certain.")
        else:
            say(f"{least} to {most} {noun} can have {what}.")


@app.command()
def generate(
    release: ReleasePath,
    out: Annotated[Path, typer.Option("--out", help="A new folder for dataset-1.csv, dataset-2.csv, ...")],
    k: Annotated[int, typer.Option("-k", min=1, help="How many datasets to look for.")] = 20,
    time_limit: TimeLimit = None,
    max_records: MaxRecords = LIMIT,
) -> None:
    """Write up to K different datasets that match the release, and say when there are no more."""
    with errors_as_lines():
        from foregone.files.folder import dataset_csv, read_release
        from foregone.files.text import new_folder
        from foregone.infer.generate import generate as run
        from foregone.words import plural

        published = read_release(release)
        with new_folder(out) as folder:
            with slow("Generating"):
                made = run(published, k, time_limit, max_records)
            for i, dataset in enumerate(made.datasets, start=1):
                (folder / f"dataset-{i}.csv").write_text(dataset_csv(dataset), "utf-8")
        number = len(made.datasets)
        matching = "that matches" if number == 1 else "that match"
        written = f"{number} different {plural('dataset', number)} {matching} the release written to {out}."
        if made.complete is None:
            say(f"{written} Time ran out before it was clear whether there are more.")
            stop(UNDECIDED)
        say(f"{written} {'There are no more.' if made.complete else 'There are more.'}")


@app.command()
def unique(
    release: ReleasePath,
    time_limit: Annotated[
        float | None, typer.Option("--time-limit", metavar="SECONDS", min=0.0, help="How long to look for the farthest pair.")
    ] = 60.0,
    max_records: MaxRecords = LIMIT,
) -> None:
    """Is the whole dataset determined? If not, show two datasets as far apart as possible. Exit 0 unique, 1 not, 3 undecided."""
    with errors_as_lines():
        from foregone.claim import Verdict
        from foregone.files.folder import dataset_csv, read_release
        from foregone.infer.unique import unique as run
        from foregone.words import plural

        published = read_release(release)
        with slow("Comparing datasets"):
            answer = run(published, time_limit, max_records)
        noun = plural(published.domain.record, 2)
        if answer.verdict == Verdict.VERIFIED:
            say(f"Unique: only one dataset of {len(answer.first)} {noun} matches the release:")
            say(dataset_csv(answer.first).rstrip())
            return
        if answer.verdict == Verdict.UNDECIDED:
            say(f"Undecided ({answer.reason}): one dataset was found, but not whether it is the only one.")
            stop(UNDECIDED)
        assert answer.second is not None
        say(f"Not unique: two datasets match the release and differ in {answer.distance:g} of {len(answer.first)} {noun}.")
        if answer.farthest:
            say("No two matching datasets are farther apart.")
        else:
            say(f"This is the farthest pair found, not proved to be the farthest (at most {answer.limit:g}).")
        for title, dataset in (("First", answer.first), ("Second", answer.second)):
            say(f"{title} dataset:")
            say(dataset_csv(dataset).rstrip())
        stop(NO)


@app.command()
def check(
    release: ReleasePath,
    proofs: Annotated[Path, typer.Argument(metavar="PROOFS.json", help="A file written by audit --proofs.")],
    complete: Annotated[
        bool, typer.Option("--complete", help="Also confirm that no certain claim is missing from the file.")
    ] = False,
) -> None:
    """Check every proof, independently and exactly, without any solver. Exit 0: all accepted. Exit 1: something rejected."""
    with errors_as_lines():
        from foregone.files.folder import read_release
        from foregone.trust.check import check as run
        from foregone.trust.check import read_proofs

        published = read_release(release)
        with slow("Checking"):
            result = run(published, read_proofs(proofs), complete)
        for reason in result.rejected:
            say(f"Rejected: {reason}")
        say(f"{result.accepted:,} accepted, {len(result.rejected):,} rejected.")
        if complete and not result.rejected:
            if result.complete:
                say("Complete: every other claim about at least one record is refuted by a listed dataset.")
            else:
                say(f"Not shown to be complete: {result.reason}.")
        if result.rejected or (complete and result.complete is False):
            stop(NO)
        if complete and result.complete is None:
            stop(UNDECIDED)


@app.command()
def explain(
    release: ReleasePath,
    claim: ClaimText,
    count: Annotated[
        int | None, typer.Option("--count", min=0, help="The certain count; without it, the exact bounds are explained.")
    ] = None,
    prior: Annotated[
        Path | None, typer.Option("--prior", help="Microdata (CSV, same columns) to tell how surprising the claim is.")
    ] = None,
    json_: Annotated[bool, typer.Option("--json", help="Print the explanation as JSON.")] = False,
) -> None:
    """The few published numbers that force a claim, in words: leave any one out and it is no longer certain."""
    with errors_as_lines():
        import json

        from foregone.files.folder import read_records, read_release
        from foregone.predicate import Predicate
        from foregone.trust.explain import explain as run
        from foregone.trust.surprise import surprise

        published = read_release(release)
        predicate = Predicate.parse(claim, published.domain)
        drawn = None if prior is None else read_records(prior, published.domain)
        with slow("Explaining"):
            found = run(published, predicate, count)
        chance = None
        records, most = published.size_range
        if drawn is not None and found.low == found.high and records == most:
            chance = float(surprise(drawn, predicate, records, found.low))
        if json_:
            say(json.dumps({**found.json(), **({} if chance is None else {"probability": chance})}, ensure_ascii=False, indent=1))
            return
        say(found.text())
        if chance is not None:
            say(f"Among {records} records drawn at random from {prior}, this would hold with probability {chance:.2g}.")


@app.command()
def tabulate(
    microdata: Annotated[Path, typer.Argument(metavar="MICRODATA.csv", help="One row per record, one column per attribute.")],
    margins: Annotated[
        list[str], typer.Option("--margins", help="Columns of one table, parted by commas; repeat for more tables.")
    ],
    out: Annotated[Path, typer.Option("--out", help="The release to write: a new folder, or a .json or .parquet file.")],
    record: Annotated[str, typer.Option("--record", help="The noun for one record, such as household.")] = "record",
    zeros: Annotated[bool, typer.Option("--zeros/--no-zeros", help="Write out cells that are zero.")] = True,
    truth: Annotated[bool, typer.Option("--truth", help="Keep the microdata beside the release as truth.csv.")] = False,
) -> None:
    """Publish tables of a dataset as a release."""
    with errors_as_lines():
        from foregone.files.folder import write_release
        from foregone.files.frames import dataset, tabulate_dataset
        from foregone.files.text import read_rows

        header, rows = read_rows(microdata)
        columns = {name: [values[i] for _, values in rows] for i, name in enumerate(header)}
        data = dataset(columns, record=record)
        published = tabulate_dataset(data, margins, zeros)
        write_release(published, out, data if truth else None)
        say(f"{len(published.statistics):,} published numbers about {len(data):,} records written to {out}.")


@app.command()
def demo(
    out: Annotated[Path | None, typer.Option("--out", help="Also copy the demo release to this new folder.")] = None,
    page: Annotated[Path, typer.Option("--page", help="Where the page that shows it goes.")] = Path("foregone-demo.html"),
) -> None:
    """Audit a bundled synthetic census block, say in plain English who is singled out, and write a page that shows why."""
    with errors_as_lines():
        from foregone.census.demo import run_demo
        from foregone.report.demo import demo_page

        demo_page(run_demo(say, out), page, say)


app.command()(report)


app.command()(solvers)


def main() -> None:
    app()
