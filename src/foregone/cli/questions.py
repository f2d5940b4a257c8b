"""Questions about a release: verify, bounds, generate, unique."""

from __future__ import annotations

from math import inf
from pathlib import Path
from time import monotonic
from typing import Annotated

import typer

from foregone.cli.engines import BigM, EngineName, EngineOption, Solver, SolverOption
from foregone.cli.options import LIMIT, ClaimText, MaxRecords, ReleasePath, TimeLimit, check_count, left
from foregone.cli.show import NO, UNDECIDED, errors_as_lines, say, say_assumptions, say_data, say_places, slow, stop
from foregone.model.errors import InputError


def verify(
    release: ReleasePath,
    claim: ClaimText,
    count: Annotated[int, typer.Option("--count", min=0, help="How many records match, says the claim.")],
    possible: Annotated[
        bool, typer.Option("--possible", help="Ask instead whether exactly --count records can match (exit 0: yes, 1: no).")
    ] = False,
    engine: EngineOption = EngineName.cells,
    solver: SolverOption = Solver.highs,
    big_m: BigM = False,
    time_limit: TimeLimit = None,
    max_records: MaxRecords = LIMIT,
) -> None:
    """Is it certain that exactly --count records match?

    Exit 0: verified. Exit 1: refuted, and a matching dataset that breaks the claim is shown. Exit 3: undecided.
    """
    with errors_as_lines(release):
        from foregone.cli.engines import engine_of, show_possible
        from foregone.formats.folder import dataset_csv, read_release
        from foregone.model.claim import Verdict
        from foregone.model.predicate import Predicate
        from foregone.model.sentences import claim_sentence

        check_count(count)
        chosen, begin = engine_of(engine, solver, None, big_m, max_records), monotonic()
        published = read_release(release)
        if engine == EngineName.cells:  # for the other it is a limit for each integer program
            time_limit = left(time_limit, begin)
        predicate = Predicate.parse(claim, published.domain)
        if possible:
            if big_m:
                raise InputError("--big-m is about 'not equal' and --possible about 'equal'; leave out one of them")
            show_possible(published, predicate, count, chosen, time_limit)
            return
        with slow("Verifying"):
            finding = chosen.verify(published, predicate, count, time_limit)
        sentence = claim_sentence(published.domain, predicate, count)
        say_assumptions(release)
        if finding.verdict == Verdict.VERIFIED:
            say(f"Verified ({finding.ground}): {sentence}")
            if finding.reason:
                say(f"{finding.reason[0].upper()}{finding.reason[1:]}.")
        elif finding.verdict == Verdict.REFUTED:
            assert finding.witness is not None
            found = finding.witness.count(predicate)
            say(f"Refuted: {sentence}")
            say(f"This dataset matches every published number and has {found} instead:")
            say_data(dataset_csv(finding.witness).rstrip())
            stop(NO)
        else:
            say(f"Undecided ({finding.reason}): {sentence}")
            stop(UNDECIDED)


def bounds(
    release: ReleasePath,
    claim: Annotated[
        str | None, typer.Argument(metavar="CLAIM", help="Attribute values, such as 'SEX=F, AGE=65-74|75-84'.")
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Instead of a claim: every published count.")] = False,
    hidden: Annotated[
        bool, typer.Option("--hidden", help="Instead of a claim: every count that is withheld or published as a range.")
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option("--out", help="With --all or --hidden: write the intervals here; the ending picks csv, parquet or json."),
    ] = None,
    time_limit: TimeLimit = None,
    max_records: MaxRecords = LIMIT,
) -> None:
    """The least and the greatest number of records that can match.

    With --hidden or --all: the interval of every such cell. Exit 3 when some could not be decided; their intervals are
    true all the same, but may be wider than needed.
    """
    with errors_as_lines(release):
        if (claim is not None) + every + hidden != 1:
            raise InputError("bounds: give a claim, such as 'SEX=F', or --hidden, or --all; one of the three")
        if claim is None:
            _intervals(release, hidden, out, time_limit, max_records)
            return
        if out is not None:
            raise InputError("--out belongs to --hidden or --all; the bounds of one claim are printed")
        from foregone.formats.folder import read_release
        from foregone.model.predicate import Predicate
        from foregone.model.sentences import describe, plural
        from foregone.questions.ask import bounds as run

        begin = monotonic()
        published = read_release(release)
        predicate = Predicate.parse(claim, published.domain)
        with slow("Bounding"):
            least, most = run(published, predicate, left(time_limit, begin), max_records)
        what = describe(predicate, published.domain) or "any values"
        noun = plural(published.domain.record, 2)
        if least == most:
            say(f"{least} to {most}: the number of {noun} with {what} is certain.")
        elif most is None:
            say(f"{least} or more {noun} can have {what}: nothing published sets an upper limit, and any number can be reached.")
        else:
            say(f"{least} to {most} {noun} can have {what}.")
        say_assumptions(release)


def _intervals(release: Path, hidden: bool, out: Path | None, time_limit: float | None, max_records: int) -> None:
    """What each published cell must be: in a file, or line by line."""
    from foregone.formats.claims import check_suffix
    from foregone.formats.folder import read_release, read_truth
    from foregone.formats.intervals import write_intervals
    from foregone.formats.outputs import check_outputs
    from foregone.questions.ask import intervals

    if out is not None:
        check_suffix(out)
    check_outputs([release], {"--out": out})
    begin = monotonic()
    published = read_release(release)
    truth = read_truth(release, published)
    with slow("Bounding") as progress:
        found = intervals(published, hidden, left(time_limit, begin), max_records, progress, truth)
    if out is None:
        for interval in found:
            say(str(interval))
        say_places(published, "\n".join(map(str, found)))
    say_assumptions(release)
    say(found.summary())
    if out is not None:
        write_intervals(out, found)
        say(f"{len(found):,} {'interval' if len(found) == 1 else 'intervals'} written to {out}.")
    if not all(interval.proved for interval in found):
        stop(UNDECIDED)


def generate(
    release: ReleasePath,
    out: Annotated[Path, typer.Option("--out", help="A new folder for dataset-1.csv, dataset-2.csv, ...")],
    k: Annotated[int, typer.Option("-k", min=1, help="How many datasets to look for.")] = 20,
    time_limit: TimeLimit = None,
    max_records: MaxRecords = LIMIT,
) -> None:
    """Write several different datasets that all fit the release.

    Writes up to K of them, and says when there are no more.
    """
    with errors_as_lines(release):
        from foregone.formats.folder import dataset_csv, read_release
        from foregone.formats.outputs import check_outputs, new_folder
        from foregone.model.sentences import plural
        from foregone.questions.ask import generate as run

        check_outputs([release], folders={"--out": out})
        begin = monotonic()
        published = read_release(release)
        with new_folder(out) as folder:
            with slow("Generating"):
                made = run(published, k, left(time_limit, begin), max_records)
            for i, dataset in enumerate(made.datasets, start=1):
                (folder / f"dataset-{i}.csv").write_text(dataset_csv(dataset), "utf-8")
        say_assumptions(release)
        number = len(made.datasets)
        matching = "that matches" if number == 1 else "that match"
        written = f"{number} different {plural('dataset', number)} {matching} the release written to {out}."
        if made.complete is None:
            say(f"{written} Whether there are more is not known.")
            stop(UNDECIDED)
        say(f"{written} {'There are no more.' if made.complete else 'There are more.'}")


def unique(
    release: ReleasePath,
    time_limit: Annotated[
        float | None,
        typer.Option("--time-limit", metavar="SECONDS", min=0.0, help="How long to look for the two datasets that differ most."),
    ] = 60.0,
    max_records: MaxRecords = LIMIT,
    proofs: Annotated[
        Path | None, typer.Option("--proofs", help="Write a proof of the answer here (.json) for `foregone check`.")
    ] = None,
) -> None:
    """Does only one dataset fit? If not, show two that differ much.

    Exit 0: only one fits. Exit 1: several do; the two shown differ as much as was found. Exit 3: undecided.
    """
    with errors_as_lines(release):
        from foregone.engine import distance_proof, write_document
        from foregone.formats.folder import dataset_csv, read_release
        from foregone.formats.outputs import check_outputs
        from foregone.model.claim import Verdict
        from foregone.model.sentences import plural
        from foregone.questions.ask import unique as run
        from foregone.questions.ask import uniqueness_proof

        check_outputs([release], {"--proofs": proofs})
        begin = monotonic()
        published = read_release(release)
        with slow("Comparing datasets"):
            answer = run(published, left(time_limit, begin), max_records)
        noun = plural(published.domain.record, 2)
        say_assumptions(release)
        if answer.verdict == Verdict.VERIFIED:
            say(f"Unique: only one dataset of {len(answer.first)} {noun} matches the release:")
            say_data(dataset_csv(answer.first).rstrip())
            document = None if proofs is None else uniqueness_proof(published, time_limit, max_records)
            if proofs is not None and document is not None:
                say(f"A proof was written to {proofs} ({write_document(document, proofs):,} bytes).")
            elif proofs is not None:
                say("No proof was written: time ran out. Raise --time-limit.")
            return
        if answer.verdict == Verdict.UNDECIDED:
            say(f"Undecided ({answer.reason}): one dataset was found; whether it is the only one is not known.")
            stop(UNDECIDED)
        assert answer.second is not None
        say(f"Not unique: two datasets match the release and differ in {answer.distance:g} of {len(answer.first)} {noun}.")
        if answer.farthest:
            say("No two matching datasets differ more.")
        else:
            most = f"no two differ in more than {answer.limit:,g}"
            known = most if answer.limit < inf else "nothing published limits the number of records"
            say(f"Whether two others differ more is not known: {known}.")
        for title, dataset in (("First", answer.first), ("Second", answer.second)):
            say(f"{title} dataset:")
            say_data(dataset_csv(dataset).rstrip())
        if proofs is not None:
            document = distance_proof(published, answer.first, answer.second, answer.limit, time_limit, max_records)
            say(f"A proof was written to {proofs} ({write_document(document, proofs):,} bytes).")
            if "unknown" in document["limit"]:
                say(f"It shows only that both datasets fit: {document['limit']['unknown']}.")
        stop(NO)
