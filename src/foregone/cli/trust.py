"""Why to believe it: check and explain."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from foregone.cli.options import ClaimText, ReleasePath, check_count
from foregone.cli.show import NO, UNDECIDED, errors_as_lines, say, say_assumptions, say_data, say_lines, slow, stop
from foregone.model.groups import Groups

if TYPE_CHECKING:
    from foregone.checker.rows import Release

SHOWN = 40  # rejections that are spelled out


@contextmanager
def contradiction_to(path: Path | None) -> Iterator[None]:
    """If the release contradicts itself, write the proof of that before saying so."""
    from foregone.model.errors import ContradictionError

    try:
        yield
    except ContradictionError as error:
        if path is not None and error.proof is not None:
            from foregone.questions.proofs import write_document

            size = write_document(error.proof, path)
            say(f"A proof that the release contradicts itself was written to {path} ({size:,} bytes).")
        raise


def check(
    release: ReleasePath,
    proofs: Annotated[
        Path,
        typer.Argument(
            metavar="PROOFS.json",
            help="A file written by audit, unique or protect with --proofs; or a folder of them, RELEASE being a folder of releases"
            " with the same names.",
        ),
    ],
    complete: Annotated[
        bool, typer.Option("--complete", help="Also confirm that no certain claim is missing from the file.")
    ] = False,
    groups: Annotated[
        Groups, typer.Option("--groups", help="With --complete: none means claims over single values only; else groups count, too.")
    ] = Groups.PUBLISHED,
) -> None:
    """Check a file of proofs, exactly and without any solver.

    The checker is a program of its own. Exit 0: all accepted. Exit 1: something rejected. Exit 3: with --complete, not known.
    """
    with errors_as_lines():
        from foregone.checker.check import check as run
        from foregone.checker.datasets import SEVERAL, datasets_left
        from foregone.checker.files import read_json, read_release
        from foregone.checker.protection import FORMAT
        from foregone.checker.refusal import Refused
        from foregone.model.errors import InputError

        if proofs.is_dir():
            if complete:
                raise InputError("--complete: for one file at a time; leave it out")
            _folder(release, proofs)
            return
        try:  # the checker's own reading of the files; nothing else of this package comes between
            published, document = read_release(release), read_json(proofs)
        except Refused as error:
            raise InputError(str(error)) from None
        say_assumptions(release)
        if isinstance(document, dict) and document.get("format") == FORMAT:
            _protection(published, document)
            return
        with slow("Checking"):
            result = run(published, document, complete, groups == Groups.PUBLISHED)
        if result.contradiction:
            say("The file proves that the release contradicts itself: no dataset fits it, so no claim about it means anything.")
            stop(NO)
        for reason in result.rejected[:SHOWN]:
            say(f"Rejected: {reason}")
        if len(result.rejected) > SHOWN:
            say(f"... and {len(result.rejected) - SHOWN:,} more.")
        empty = "" if result.accepted or result.rejected else " The file claims nothing, so nothing was shown."
        if empty and datasets_left(published, document, result) == SEVERAL:
            empty = " The file claims nothing, but lists different datasets that fit: the release does not determine one."
        say(f"{result.accepted:,} accepted, {len(result.rejected):,} rejected.{empty}")
        if complete and not result.rejected:
            if result.complete:
                about = "" if groups == Groups.PUBLISHED else " over single values"
                say(f"Complete: every certain claim{about} is in the file; every other is refuted by a listed dataset.")
            else:
                say(f"Not shown to be complete: {result.reason}.")
        if result.rejected or (complete and result.complete is False):
            stop(NO)
        if complete and result.complete is None:
            stop(UNDECIDED)


def _folder(releases: Path, proofs: Path) -> None:
    """Every file of a folder against the release of that name; what they show about the whole dataset is counted."""
    from foregone.checker.check import check as run
    from foregone.checker.datasets import ONE, SEVERAL, datasets_left
    from foregone.checker.files import read_json, read_release
    from foregone.checker.refusal import Refused
    from foregone.model.errors import InputError
    from foregone.model.sentences import plural

    files = sorted(proofs.glob("*.json"))
    if not files:
        raise InputError(f"{proofs}: there is no .json file in this folder; give the folder with the proofs")
    accepted, left, wrong = 0, list[str](), list[str]()
    with slow("Checking"):
        for file in files:
            alone = releases / file.stem
            try:
                published, document = read_release(alone if alone.is_dir() else releases / file.name), read_json(file)
                result = run(published, document)
            except Refused as error:
                wrong.append(f"{file.name}: {error}")
                continue
            reasons = ["it proves that the release contradicts itself"] if result.contradiction else result.rejected
            wrong += [f"{file.name}: {reason}" for reason in reasons[:1]]
            accepted += result.accepted
            left.append(datasets_left(published, document, result))
    for reason in wrong[:SHOWN]:
        say(f"Rejected: {reason}")
    if len(wrong) > SHOWN:
        say(f"... and {len(wrong) - SHOWN:,} more.")
    one, several = left.count(ONE), left.count(SEVERAL)
    rejected = f"{len(wrong):,} {plural('file', len(wrong))} rejected"
    say(f"{len(files):,} {plural('file', len(files))}: {accepted:,} {plural('claim', accepted)} accepted, {rejected}.")
    say(f"{one:,} show that one dataset fits, {several:,} show two that fit, {len(files) - len(wrong) - one - several:,} neither.")
    if wrong:
        stop(NO)


def _protection(published: Release, document: Any) -> None:
    """A certificate that a protection is safe and that none is cheaper."""
    import json

    from foregone.checker.protection import check_protection

    with slow("Checking"):
        result = check_protection(published, document)
    for reason in result.rejected:
        say(f"Rejected: {reason}")
    say(f"{result.accepted:,} accepted, {len(result.rejected):,} rejected.")
    if result.rejected:
        stop(NO)
    for word in result.trusted:
        say(f"Not checked but trusted: {word}.")
    # what it is about is the certificate's word: whoever asked for something else has to see it
    untouched = set(range(len(published.statistics))) - {i for action in document["actions"] for i in action["numbers"]}
    kept = len(untouched - set(document["primary"]))
    say(f"Policy: {json.dumps(document['policy'])}; attacker: {document['attacker']}; groups: {document['groups']}.")
    kinds = ", ".join(sorted({action["kind"] for action in document["actions"]})) or "none"
    say(f"Allowed: {len(document['actions']):,} actions ({kinds}); {kept:,} numbers stay as they are. Costs are the certificate's.")
    cost, bound = document["cost"], document["lower_bound"]
    least = "no protection costs less" if cost == bound else f"no protection costs less than {bound:,}"
    say(f"What is left after a cost of {cost:,} keeps the policy, and {least}.")


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
    most: Annotated[int, typer.Option("--most", min=1, help="Stop after so many different explanations.")] = 100,
    time_limit: Annotated[
        float | None,
        typer.Option(
            "--time-limit",
            metavar="SECONDS",
            min=0.0,
            help="Look for shorter and for further explanations this long; without it, a fixed number of tests is made.",
        ),
    ] = None,
) -> None:
    """Name the few published numbers that force a claim.

    Also how many other sets of numbers force it, and what to withhold so that they do not.
    """
    with errors_as_lines(release):
        import json

        from foregone.formats.assumptions import read_assumptions
        from foregone.formats.folder import read_release
        from foregone.formats.rows import read_prior
        from foregone.model.predicate import Predicate
        from foregone.questions.baseline import surprise
        from foregone.questions.explain import explain as run

        check_count(count)
        published = read_release(release)
        predicate = Predicate.parse(claim, published.domain)
        drawn = None if prior is None else read_prior(prior, published.domain)
        with slow("Explaining"):
            found = run(published, predicate, count, time_limit, most)
        chance = None
        records, largest = published.size_range
        if drawn is not None and found.low == found.high and records == largest:
            chance = float(surprise(drawn, predicate, records, found.low))
        if json_:
            assumed = read_assumptions(release)
            content = {
                **found.json(),
                **({} if chance is None else {"probability": chance}),
                **({"assumptions": assumed} if assumed else {}),
            }
            say_data(json.dumps(content, ensure_ascii=False, indent=1))
            return
        say_lines(found.text())
        say_assumptions(release)
        if chance is not None:
            say(f"Among {records} records drawn at random from {prior}, this would hold with probability {chance:.2g}.")
