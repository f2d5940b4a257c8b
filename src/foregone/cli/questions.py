"""Questions about a release: verify, bounds, generate, unique, explain; and which solvers there are to ask."""

from __future__ import annotations

from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from foregone.cli import options as opt
from foregone.cli.answers import rows_of_table, tell
from foregone.cli.options import argument, option, seconds
from foregone.cli.progress import slow
from foregone.cli.show import NO, UNDECIDED, say, say_assumptions, say_data, say_lines, say_places, stop
from foregone.model.errors import InputError
from foregone.solvers.deadline import Deadline

if TYPE_CHECKING:
    from foregone.model.audit import Engine
    from foregone.model.dataset import Dataset
    from foregone.model.predicate import Predicate
    from foregone.model.release import Release


def verify(
    release: opt.ReleasePath,
    claim: opt.ClaimText,
    count: Annotated[int, option("--count", "How many records match, says the claim.", min=0)],
    possible: Annotated[
        bool, option("--possible", "Ask instead whether exactly --count records can match (exit 0: yes, 1: no).")
    ] = False,
    engine: opt.EngineOption = opt.EngineName.cells,
    solver: opt.SolverOption = opt.Solver.highs,
    big_m: opt.BigM = False,
    time_limit: opt.TimeLimit = None,
    max_records: opt.MaxRecords = opt.LIMIT,
) -> None:
    """Is it certain that exactly --count records match?

    Exit 0: verified. Exit 1: refuted, and a matching dataset that breaks the claim is shown. Exit 3: undecided.
    """
    from foregone.model.claim import Verdict
    from foregone.model.sentences import claim_sentence

    opt.check_count(count)
    chosen, deadline = opt.engine_of(engine, solver, None, big_m, max_records), Deadline.after(time_limit)
    published, predicate = _read(release, claim)
    if engine == opt.EngineName.cells:  # for the other it is a limit for each integer program
        time_limit = deadline.seconds
    if possible:
        if big_m:
            raise InputError("--big-m is about 'not equal' and --possible about 'equal'; leave out one of them")
        _possible(published, predicate, count, chosen, time_limit)
        return
    with slow("Verifying"):
        finding = chosen.verify(published, predicate, count, time_limit)
    sentence = claim_sentence(published.domain, predicate, count)
    said = {"claim": _where(predicate), "count": count, "sentence": sentence, "reason": finding.reason}
    tell(verdict=finding.verdict, ground=finding.ground, witness=lambda: _records(finding.witness), **said)
    say_assumptions(release)
    if finding.verdict == Verdict.VERIFIED:
        say(f"Verified ({finding.ground}): {sentence}")
        if finding.reason:
            say(f"{finding.reason[0].upper()}{finding.reason[1:]}.")
    elif finding.verdict == Verdict.REFUTED:
        assert finding.witness is not None
        found = finding.witness.count(predicate)
        say(f"Refuted: {sentence}")
        _say_dataset(f"This dataset matches every published number and has {found} instead:", finding.witness)
        stop(NO)
    else:
        say(f"Undecided ({finding.reason}): {sentence}")
        stop(UNDECIDED)


def _read(path: Path, claim: str) -> tuple[Release, Predicate]:
    """A release, and the values that a claim about it names."""
    from foregone.questions.asked import as_predicate, as_release

    release = as_release(path)
    return release, as_predicate(claim, release)


def _where(predicate: Predicate) -> dict[str, list[str]]:
    return {name: sorted(codes) for name, codes in predicate.allowed}


def _records(dataset: Dataset | None) -> list[dict[str, object]] | None:
    """A dataset for JSON: each kind of record with `n`, how many there are of it."""
    if dataset is None:
        return None
    return [{"n": n, "record": dict(zip(dataset.domain.names, record, strict=True))} for record, n in dataset.kinds]


def _say_dataset(title: str, dataset: Dataset) -> None:
    from foregone.formats.folder import dataset_csv

    say(title)
    say_data(dataset_csv(dataset).rstrip())


def _possible(release: Release, predicate: Predicate, count: int, engine: Engine, time_limit: float | None) -> None:
    """The mirrored question: exit 0 when the claim can hold, 1 when it cannot, 3 when that is not known."""
    from foregone.model.sentences import describe, plural

    with slow("Looking for a dataset"):
        answer = engine.possible(release, predicate, count, time_limit)
    noun = plural(release.domain.record, count)
    what = f"exactly {count} {noun} with {describe(predicate, release.domain) or 'any values'}"
    verdict = "possible" if answer.witness is not None else "impossible" if answer.impossible else "undecided"
    tell(verdict=verdict, claim=_where(predicate), count=count, witness=lambda: _records(answer.witness), reason=answer.reason)
    if answer.witness is not None:
        _say_dataset(f"Possible: this dataset matches every published number and has {what}:", answer.witness)
    elif answer.impossible:
        say(f"Impossible: no dataset that matches the published numbers has {what}.")
        stop(NO)
    else:
        say(f"Undecided ({answer.reason}): whether there can be {what}.")
        stop(UNDECIDED)


def bounds(
    release: opt.ReleasePath,
    claim: Annotated[str | None, argument("CLAIM", "Attribute values, such as 'SEX=F, AGE=65-74|75-84'.")] = None,
    every: Annotated[bool, option("--all", "Instead of a claim: every published count.")] = False,
    hidden: Annotated[
        bool, option("--hidden", "Instead of a claim: every count that is withheld or published as a range.")
    ] = False,
    out: Annotated[
        Path | None, option("--out", "With --all or --hidden: write the intervals here; the ending picks csv, parquet or json.")
    ] = None,
    time_limit: opt.TimeLimit = None,
    max_records: opt.MaxRecords = opt.LIMIT,
) -> None:
    """The least and the greatest number of records that can match.

    With --hidden or --all: the interval of every such cell. Exit 3 when some could not be decided; their intervals are
    true all the same, but may be wider than needed.
    """
    if (claim is not None) + every + hidden != 1:
        raise InputError("bounds: give a claim, such as 'SEX=F', or --hidden, or --all; one of the three")
    if claim is None:
        _intervals(release, hidden, out, time_limit, max_records)
        return
    if out is not None:
        raise InputError("--out belongs to --hidden or --all; the bounds of one claim are printed")
    from foregone.model.sentences import describe, plural
    from foregone.questions import ask

    deadline = Deadline.after(time_limit)
    published, predicate = _read(release, claim)
    with slow("Bounding"):
        least, most = ask.bounds(published, predicate, time_limit=deadline.seconds, max_records=max_records)
    what = describe(predicate, published.domain) or "any values"
    noun = plural(published.domain.record, 2)
    tell(claim=_where(predicate), least=least, greatest=most)
    if least == most:
        say(f"{least} to {most}: the number of {noun} with {what} is certain.")
    elif most is None:
        say(f"{least} or more {noun} can have {what}: nothing published sets an upper limit, and any number can be reached.")
    else:
        say(f"{least} to {most} {noun} can have {what}.")
    say_assumptions(release)


def _intervals(release: Path, hidden: bool, out: Path | None, time_limit: float | None, max_records: int) -> None:
    """What each published cell must be: in a file, or line by line."""
    from foregone.formats.claims import check_suffix, write_answer
    from foregone.formats.folder import read_release, read_truth
    from foregone.formats.outputs import check_outputs
    from foregone.questions.ask import intervals

    if out is not None:
        check_suffix(out)
    check_outputs([release], {"--out": out})
    deadline = Deadline.after(time_limit)
    published = read_release(release)
    truth = read_truth(release, published)
    with slow("Bounding") as progress:
        found = intervals(
            published, hidden=hidden, time_limit=deadline.seconds, max_records=max_records, progress=progress, truth=truth
        )
    tell(intervals=rows_of_table(found))
    if out is None:
        for interval in found:
            say(str(interval))
        say_places(published, {interval.name for interval in found})
    say_assumptions(release)
    say(found.summary())
    if out is not None:
        write_answer(out, found)
        say(f"{len(found):,} {'interval' if len(found) == 1 else 'intervals'} written to {out}.")
    if not all(interval.proved for interval in found):
        stop(UNDECIDED)


def generate(
    release: opt.ReleasePath,
    out: Annotated[Path, option("--out", "A new folder for dataset-1.csv, dataset-2.csv, ...")],
    k: Annotated[int, option("-k", "How many datasets to look for.", min=1)] = 20,
    time_limit: opt.TimeLimit = None,
    max_records: opt.MaxRecords = opt.LIMIT,
) -> None:
    """Write several different datasets that all fit the release.

    Writes up to K of them, and says when there are no more.
    """
    from foregone.formats.folder import dataset_csv, read_release
    from foregone.formats.outputs import check_outputs, new_folder
    from foregone.model.sentences import plural
    from foregone.questions import ask

    check_outputs([release], folders={"--out": out})
    deadline = Deadline.after(time_limit)
    published = read_release(release)
    with new_folder(out) as folder:
        with slow("Generating"):
            made = ask.generate(published, k, time_limit=deadline.seconds, max_records=max_records)
        for i, dataset in enumerate(made.datasets, start=1):
            (folder / f"dataset-{i}.csv").write_text(dataset_csv(dataset), "utf-8")
    say_assumptions(release)
    number = len(made.datasets)
    tell(datasets=[out / f"dataset-{i}.csv" for i in range(1, number + 1)], complete=made.complete)
    matching = "that matches" if number == 1 else "that match"
    written = f"{number} different {plural('dataset', number)} {matching} the release written to {out}."
    if made.complete is None:
        say(f"{written} Whether there are more is not known.")
        stop(UNDECIDED)
    say(f"{written} {'There are no more.' if made.complete else 'There are more.'}")


def unique(
    release: opt.ReleasePath,
    time_limit: Annotated[float | None, seconds("How long to look for the two datasets that differ most.")] = 60.0,
    max_records: opt.MaxRecords = opt.LIMIT,
    proofs: Annotated[Path | None, option("--proofs", "Write a proof of the answer here (.json) for `foregone check`.")] = None,
) -> None:
    """Does only one dataset fit? If not, show two that differ much.

    Exit 0: only one fits. Exit 1: several do; the two shown differ as much as was found. Exit 3: undecided.
    """
    from foregone.engine import distance_proof, write_document
    from foregone.formats.folder import read_release
    from foregone.formats.outputs import check_outputs
    from foregone.model.claim import Verdict
    from foregone.model.sentences import plural
    from foregone.questions import ask

    check_outputs([release], {"--proofs": proofs})
    deadline = Deadline.after(time_limit)
    published = read_release(release)
    with slow("Comparing datasets"):
        answer = ask.unique(published, time_limit=deadline.seconds, max_records=max_records)
    noun = plural(published.domain.record, 2)
    tell(verdict=answer.verdict, reason=answer.reason)
    tell(first=lambda: _records(answer.first), second=lambda: _records(answer.second))
    say_assumptions(release)
    if answer.verdict == Verdict.VERIFIED:
        _say_dataset(f"Unique: only one dataset of {len(answer.first)} {noun} matches the release:", answer.first)
        document = None if proofs is None else ask.uniqueness_proof(published, time_limit, max_records)
        if proofs is not None and document is not None:
            say(f"A proof was written to {proofs} ({write_document(document, proofs):,} bytes).")
        elif proofs is not None:
            say("No proof was written: time ran out. Raise --time-limit.")
        return
    if answer.verdict == Verdict.UNDECIDED:
        say(f"Undecided ({answer.reason}): one dataset was found; whether it is the only one is not known.")
        stop(UNDECIDED)
    assert answer.second is not None
    tell(distance=answer.distance, limit=answer.limit, farthest=answer.farthest)
    say(f"Not unique: two datasets match the release and differ in {answer.distance:g} of {len(answer.first)} {noun}.")
    if answer.farthest:
        say("No two matching datasets differ more.")
    else:
        most = f"no two differ in more than {answer.limit:,g}"
        known = most if answer.limit < inf else "nothing published limits the number of records"
        say(f"Whether two others differ more is not known: {known}.")
    for title, dataset in (("First", answer.first), ("Second", answer.second)):
        _say_dataset(f"{title} dataset:", dataset)
    if proofs is not None:
        document = distance_proof(published, answer.first, answer.second, answer.limit, time_limit, max_records)
        say(f"A proof was written to {proofs} ({write_document(document, proofs):,} bytes).")
        if "unknown" in document["limit"]:
            say(f"It shows only that both datasets fit: {document['limit']['unknown']}.")
    stop(NO)


def explain(
    release: opt.ReleasePath,
    claim: opt.ClaimText,
    count: Annotated[
        int | None, option("--count", "The count of the claim; without it, the exact bounds are explained.", min=0)
    ] = None,
    prior: Annotated[Path | None, option("--prior", "Microdata (CSV, same columns) to tell how surprising the claim is.")] = None,
    most: Annotated[int, option("--most", "Stop after this many different explanations.", min=1)] = 100,
    time_limit: Annotated[
        float | None, seconds("How long to look for shorter and for other explanations; without it, a fixed number of tests.")
    ] = None,
) -> None:
    """Show the few published numbers that force a claim.

    Also says how many other sets of numbers force it, and what to withhold so that none does.
    """
    from foregone.formats.rows import read_prior
    from foregone.questions import ask
    from foregone.questions.baseline import surprise

    opt.check_count(count)
    published, predicate = _read(release, claim)
    drawn = None if prior is None else read_prior(prior, published.domain)
    with slow("Explaining"):
        found = ask.explain(published, predicate, count, time_limit=time_limit, most=most)
    chance = None
    records, largest = published.size
    if drawn is not None and found.low == found.high and records == largest:
        chance = float(surprise(drawn, predicate, records, found.low))
    tell(found.json, **({} if chance is None else {"probability": chance}))
    say_lines(found.text())
    say_places(published, found.named)
    say_assumptions(release)
    if chance is not None:
        say(f"Among {records} records drawn at random from {prior}, this would hold with probability {chance:.2g}.")


def solvers() -> None:
    """List the solvers that --engine onehot can use.

    Which are installed, under what licence, and what they can do.
    """
    from foregone.solvers.ip.registry import SOLVERS, installed, load, remedy

    tell(solvers=[{"name": name, "installed": installed(name)} for name in SOLVERS])
    for name in SOLVERS:
        if not installed(name):
            say(f"{name:<8}not installed; {remedy(name)}")
            continue
        try:
            adapter = load(name)
            version, licence, able = adapter.version(), adapter.licence(), adapter.abilities
        except Exception as error:  # one broken installation must not hide the other solvers
            say(f"{name:<8}installed but not usable ({error})")
            continue
        say(
            f"{name:<8}{version:<13}licence: {licence}; computes in {'integers' if able.integer_exact else 'floats'};"
            f" K datasets {'in one search' if able.many_solutions else 'one by one'};"
            f" {'open source' if able.open_source else 'commercial'}"
        )
