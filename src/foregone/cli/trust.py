"""Why to believe it: check and explain."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from foregone.cli.options import ClaimText, ReleasePath, check_count
from foregone.cli.show import NO, UNDECIDED, errors_as_lines, say, say_assumptions, say_data, say_lines, say_places, slow, stop
from foregone.model.families import Groups

if TYPE_CHECKING:
    from foregone.checker.check import Checked
    from foregone.checker.datasets import Part
    from foregone.checker.rows import Release
    from foregone.checker.weaker import Case

SHOWN = 40  # rejections that are spelled out


@contextmanager
def contradiction_to(path: Path | None) -> Iterator[None]:
    """If the release contradicts itself, write the proof of that before saying so."""
    from foregone.model.errors import ContradictionError

    try:
        yield
    except ContradictionError as error:
        if path is not None and error.proof is not None:
            from foregone.engine import write_document

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
        Groups,
        typer.Option("--groups", help="With --complete: published (groups count, too) or none (claims over single values only)."),
    ] = Groups.PUBLISHED,
    table: Annotated[
        Path | None,
        typer.Option("--table", help="Of a folder: also compare variability.csv (blocks.csv, with --by) with its proofs."),
    ] = None,
    by: Annotated[
        str | None,
        typer.Option("--by", metavar="COLUMN", help="Also count the values of a column for which everything is determined."),
    ] = None,
    protected: Annotated[
        Path | None,
        typer.Option(
            "--protected", metavar="FOLDER", help="With a certificate of protect: also check the protected release in this folder."
        ),
    ] = None,
    policy: Annotated[
        Path | None,
        typer.Option("--policy", help="With a certificate of protect: also check that its policy is the one in this file."),
    ] = None,
) -> None:
    """Check a file of proofs, exactly and without any solver.

    The checker is a program of its own. Exit 0: all accepted, and all that is printed is proved. Exit 1: something
    rejected. Exit 3: nothing rejected, but something asked for or printed is not proved.
    """
    with errors_as_lines():
        from foregone.checker.check import check as run
        from foregone.checker.datasets import SEVERAL, datasets_left
        from foregone.checker.distance import FORMAT as DISTANCE
        from foregone.checker.files import read_content, read_json
        from foregone.checker.protection import FORMAT
        from foregone.checker.refusal import Refused
        from foregone.checker.rows import release_of
        from foregone.cli.check_many import check_folder, parts_text
        from foregone.model.errors import InputError

        if proofs.is_dir():
            if protected is not None or policy is not None:
                raise InputError("--protected, --policy: check one certificate at a time; leave them out for a folder")
            if complete:
                raise InputError("--complete: checks one file at a time; leave it out for a folder")
            stop(check_folder(release, proofs, table, by))
        if table is not None and proofs.is_file():
            raise InputError("--table: needs a folder of proofs; leave it out for one file")
        try:  # the checker's own reading of the files; nothing else of this package comes between
            content, document = read_content(release), read_json(proofs)
            published = release_of(content)
        except Refused as error:
            raise InputError(str(error)) from None
        say_assumptions(release)
        form = document.get("format") if isinstance(document, dict) else None
        if form in (FORMAT, DISTANCE) and (complete or by):
            raise InputError("--complete, --by: are about a file of claims, and this is none; leave them out")
        if form == FORMAT:
            _protection(content, document, release, protected, policy)
            return
        if protected is not None or policy is not None:
            raise InputError(f"{proofs}: not a certificate of protect; leave out --protected and --policy")
        if form == DISTANCE:
            _distance(published, document)
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
        empty = "" if result.accepted or result.rejected else " The file claims nothing, so nothing was checked."
        if empty and datasets_left(published, document, result) == SEVERAL:
            empty = " The file claims nothing, but lists different datasets that fit: the release is not determined."
        say(f"{result.accepted:,} accepted, {len(result.rejected):,} rejected.{empty}")
        all_shown = True
        if by and not result.rejected:
            text, all_shown = parts_text(by, _parts(published, document, result, by).values())
            say(text)
        if complete and not result.rejected:
            if result.complete:
                about = "" if groups == Groups.PUBLISHED else " over single values"
                say(f"Complete: every certain claim{about} is in the file; every other is refuted by a listed dataset.")
            else:
                say(f"Not shown to be complete: {result.reason}.")
        if result.rejected or (complete and result.complete is False):
            stop(NO)
        if not all_shown or (complete and result.complete is None):
            stop(UNDECIDED)


def _parts(published: Release, document: Any, result: Checked, column: str) -> dict[str, Part]:
    from foregone.checker.datasets import parts_left
    from foregone.checker.refusal import Refused
    from foregone.model.errors import InputError

    try:
        return parts_left(published, document, result, column)
    except Refused as error:
        raise InputError(f"--by: {error}; name a column of the release") from None


def _distance(published: Release, document: Any) -> None:
    """Two datasets, and how far apart two can be."""
    from foregone.checker.distance import check_distance

    with slow("Checking"):
        result = check_distance(published, document)
    for reason in result.rejected:
        say(f"Rejected: {reason}")
    accepted = 0 if result.rejected else 1 if result.high is None else 2
    say(f"{accepted} accepted, {len(result.rejected)} rejected.")
    if result.rejected:
        stop(NO)
    say(result.text)
    if result.high is None:  # and the reason given is the file's word
        stop(UNDECIDED)


def _protection(content: Any, document: Any, release: Path, protected: Path | None, policy: Path | None) -> None:
    """A certificate that a protection is safe and that none is cheaper."""
    import json

    from foregone.checker.asked import in_lines
    from foregone.checker.protection import check_protection
    from foregone.checker.publication import check_published
    from foregone.model.sentences import plural

    with slow("Checking"):
        result = check_protection(content, document)
        wrong = list(result.rejected)
        if protected is not None and not wrong:
            wrong += check_published(result, release, protected)
    if policy is not None and not wrong and result.case is not None and not _same_policy(policy, result.case):
        wrong.append(f"the policy of the certificate, {json.dumps(document['policy'])}, is not that of {policy}")
    for reason in wrong:
        say(f"Rejected: {reason}")
    say(f"{result.accepted:,} accepted, {len(wrong):,} rejected.")
    if wrong or result.case is None:
        stop(NO)
    case = result.case
    # what was asked is the certificate's word: whoever asked for something else has to see it, and see all of it
    untouched = set(range(len(case.numbers))).difference(case.primary, *(action.numbers for action in case.actions))
    judged = f"Policy: {json.dumps(document['policy'])}; attacker: {document['attacker']}; groups: {document['groups']}."
    for line in in_lines(judged):
        say(line)
    say("Asked (compare this and the policy with what you asked for):")
    for line in case.asked.lines:
        say(f"  {line}")
    kinds = ", ".join(sorted({action.kind for action in case.actions})) or "none"
    actions = f"{len(case.actions):,} {plural('action', len(case.actions))}"
    say(f"So {actions} ({kinds}) and their costs follow; {len(untouched):,} numbers stay as they are.")
    cost, bound = result.cost, document["lower_bound"]
    folder = "" if protected is None else f", and {protected} holds exactly that release"
    less = case.policy.known is not None and not case.policy.zeros_shown
    who = "for a reader who knows no more than the policy says" if less else "as a reader sees it"
    say(f"The protected release, at a cost of {cost:,}, keeps the policy {who}{folder}.")
    if result.trusted:
        say(f"Not shown: {result.trusted[0]}. The certificate says that no choice costs less than {bound:,}.")
        stop(UNDECIDED)
    say(f"No choice costs less{'' if cost == bound else f' than {bound:,}'}.")
    if document["attacker"] == "linear":
        say("The linear attacker only adds and subtracts: whoever works out more may still find out withheld cells.")


def _same_policy(path: Path, case: Case) -> bool:
    """Is it the policy of a file, in the checker's own reading? `protect --know` may have said more of what a reader knows; that is
    in what is printed.
    """
    from foregone.checker.policy import read_policy
    from foregone.checker.refusal import Refused
    from foregone.model.errors import InputError

    try:
        read = read_policy(case.release.domain, path)
    except Refused as error:
        raise InputError(str(error)) from None
    return case.policy.covers(read)


def explain(
    release: ReleasePath,
    claim: ClaimText,
    count: Annotated[
        int | None, typer.Option("--count", min=0, help="The count of the claim; without it, the exact bounds are explained.")
    ] = None,
    prior: Annotated[
        Path | None, typer.Option("--prior", help="Microdata (CSV, same columns) to tell how surprising the claim is.")
    ] = None,
    json_: Annotated[bool, typer.Option("--json", help="Print the explanation as JSON.")] = False,
    most: Annotated[int, typer.Option("--most", min=1, help="Stop after this many different explanations.")] = 100,
    time_limit: Annotated[
        float | None,
        typer.Option(
            "--time-limit",
            metavar="SECONDS",
            min=0.0,
            help="How long to look for shorter and for other explanations; without it, a fixed number of tests.",
        ),
    ] = None,
) -> None:
    """Show the few published numbers that force a claim.

    Also says how many other sets of numbers force it, and what to withhold so that none does.
    """
    with errors_as_lines(release):
        import json

        from foregone.formats.assumptions import read_assumptions
        from foregone.formats.folder import read_release
        from foregone.formats.rows import read_prior
        from foregone.model.predicate import Predicate
        from foregone.questions.ask import explain as run
        from foregone.questions.baseline import surprise

        check_count(count)
        published = read_release(release)
        predicate = Predicate.parse(claim, published.domain)
        drawn = None if prior is None else read_prior(prior, published.domain)
        with slow("Explaining"):
            found = run(published, predicate, count, time_limit, most)
        chance = None
        records, largest = published.size
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
        say_places(published, found.text())
        say_assumptions(release)
        if chance is not None:
            say(f"Among {records} records drawn at random from {prior}, this would hold with probability {chance:.2g}.")
