"""`foregone check`: a file of proofs, or a folder of them, exactly and without any solver."""

from __future__ import annotations

import json
from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from foregone.cli.answers import tell
from foregone.cli.options import ReleasePath, argument, option
from foregone.cli.progress import slow
from foregone.cli.show import DONE, NO, UNDECIDED, say, say_assumptions, say_first, say_rejected, stop
from foregone.model.errors import InputError
from foregone.model.families import Groups

if TYPE_CHECKING:
    from foregone.checker.verdicts.counted import Recounted
    from foregone.checker.verdicts.determined import PartLeft as Part
    from foregone.checker.verdicts.distance import Apart
    from foregone.checker.verdicts.protection import Protected
    from foregone.workflows.check import CertificateChecked, ClaimsChecked, ManyChecked
    from foregone.workflows.check_folder import FolderChecked

ExportFormat = StrEnum("ExportFormat", ["vipr"])
NAMED = 5  # files without a limit that are named


def check(
    release: ReleasePath,
    proofs: Annotated[
        Path,
        argument(
            "PROOFS.json",
            "A file written by audit, unique, protect or likely with --proofs; or a folder of them, RELEASE being a folder of"
            " releases with the same names.",
        ),
    ],
    complete: Annotated[bool, option("--complete", "Also confirm that no certain claim is missing from the file.")] = False,
    groups: Annotated[
        Groups, option("--groups", "With --complete: published (groups count, too) or none (claims over single values only).")
    ] = Groups.PUBLISHED,
    table: Annotated[
        Path | None, option("--table", "Of a folder: also compare variability.csv (blocks.csv, with --by) with its proofs.")
    ] = None,
    by: Annotated[
        str | None, option("--by", "Also count the values of a column for which everything is determined.", metavar="COLUMN")
    ] = None,
    protected: Annotated[
        Path | None,
        option("--protected", "With a certificate of protect: also check the protected release in this folder.", metavar="FOLDER"),
    ] = None,
    policy: Annotated[
        Path | None, option("--policy", "With a certificate of protect: also check that its policy is the one in this file.")
    ] = None,
    export: Annotated[
        tuple[ExportFormat, Path] | None,
        option(
            "--export",
            "Also write the proofs for other people's checkers: VIPR 1.0 certificates in a new folder.",
            metavar="vipr FOLDER",
        ),
    ] = None,
) -> None:
    """Check a file of proofs, exactly and without any solver.

    The checker is a program of its own. Exit 0: all accepted, and all that is printed is proved. Exit 1: something
    rejected. Exit 3: nothing rejected, but something asked for or printed is not proved.
    """
    from foregone.checker.verdicts.counted import Recounted
    from foregone.checker.verdicts.distance import Apart
    from foregone.workflows.check import ClaimsChecked, ManyChecked, check_file
    from foregone.workflows.check_folder import check_folder

    if export is not None:
        from foregone.formats.outputs import check_outputs

        check_outputs([release, proofs], folders={"--export": export[1]})
    if proofs.is_dir():
        if export is not None:
            raise InputError("--export: writes the proofs of one file; leave it out for a folder")
        if protected is not None or policy is not None:
            raise InputError("--protected, --policy: check one certificate at a time; leave them out for a folder")
        if complete:
            raise InputError("--complete: checks one file at a time; leave it out for a folder")
        with slow("Checking"):
            every = check_folder(release, proofs, table, by)
        stop(_folder(every, table, by))
    if table is not None and proofs.is_file():
        raise InputError("--table: needs a folder of proofs; leave it out for one file")
    with slow("Checking"):
        found = check_file(release, proofs, complete=complete, groups=groups, by=by, protected=protected, policy=policy)
    if isinstance(found, ManyChecked):
        if export is not None:
            raise InputError("--export: writes files of claims, and this is none; leave it out")
        stop(_of_many(found))
    say_assumptions(release)
    if isinstance(found, ClaimsChecked):
        status = _claims(found, complete, groups, by)
        if export is not None and (found.result.contradiction or not found.result.rejected):
            _export(release, proofs, export[1])
        stop(status)
    if export is not None:
        raise InputError("--export: writes files of claims, and this is none; leave it out")
    if isinstance(found, Recounted):
        stop(_recounted(found))
    stop(_distance(found) if isinstance(found, Apart) else _certificate(found, protected))


def _claims(found: ClaimsChecked, complete: bool, groups: Groups, by: str | None) -> int:
    """Claims, one by one; and whether the file has all of them."""
    from foregone.checker.verdicts.determined import SEVERAL

    result = found.result
    tell(accepted=result.accepted, rejected=result.rejected, contradiction=result.contradiction)
    if complete:
        tell(complete=result.complete, reason=result.reason)
    if result.contradiction:
        say("The file proves that the release contradicts itself: no dataset fits it, so no claim about it means anything.")
        return NO
    say_rejected(result.rejected)
    empty = "" if result.accepted or result.rejected else " The file claims nothing, so nothing was checked."
    if empty and found.left == SEVERAL:
        empty = " The file claims nothing, but lists different datasets that fit: the release is not determined."
    say(f"{result.accepted:,} accepted, {len(result.rejected):,} rejected.{empty}")
    all_shown = found.parts is None or _say_parts(by or "", found.parts.values())
    if complete and not result.rejected:
        if result.complete:
            about = "" if groups == Groups.PUBLISHED else " over single values"
            say(f"Complete: every certain claim{about} is in the file; every other is refuted by a listed dataset.")
        else:
            say(f"Not shown to be complete: {result.reason}.")
    if result.rejected or (complete and result.complete is False):
        return NO
    return DONE if all_shown and not (complete and result.complete is None) else UNDECIDED


def _export(release: Path, proofs: Path, out: Path) -> None:
    """Write the proofs for other people's checkers, and say where they are."""
    from foregone.workflows.check import export_vipr

    with slow("Exporting"):
        made = export_vipr(release, proofs, out)
    tell(exported=made.files, folder=made.folder)
    files = " and ".join(f"{name} ({size:,} bytes)" for name, size in made.files.items())
    say(f"For VIPR checkers: {files} in {out}, where README.txt says what is what. They tell what is certain: keep them private.")


def _distance(found: Apart) -> int:
    """Two datasets, and how far apart two can be."""
    from foregone.workflows.check import accepted

    say_rejected(found.rejected)
    tell(accepted=accepted(found), rejected=found.rejected, distance={"low": found.low, "high": found.high})
    say(f"{accepted(found)} accepted, {len(found.rejected)} rejected.")
    if found.rejected:
        return NO
    say(found.text)
    return UNDECIDED if found.high is None else DONE  # without a limit the reason given is the file's word


def _recounted(found: Recounted) -> int:
    """How many datasets fit, and shares of them, counted again by the checker."""
    from foregone.model.sentences import plural

    say_rejected(found.rejected)
    tell(accepted=found.accepted, rejected=found.rejected, datasets=found.datasets, not_shown=found.unproved)
    say(f"{found.accepted:,} accepted, {len(found.rejected):,} rejected.")
    if found.datasets is not None:
        verb = "fits" if found.datasets == 1 else "fit"
        say(f"Counted again: {found.datasets:,} {plural('dataset', found.datasets)} {verb} the release.")
    say_first(found.unproved, NAMED, lambda line: f"Computed, not proved: {line}", rest=".")
    return NO if found.rejected else UNDECIDED if found.unproved else DONE


def _certificate(found: CertificateChecked, protected: Path | None) -> int:
    """A certificate that a protection is safe and that none is cheaper."""
    from foregone.checker.encode.asked import in_lines
    from foregone.model.sentences import plural

    result, case, document = found.result, found.case, found.document
    say_rejected(found.rejected)
    tell(accepted=result.accepted, rejected=found.rejected, cost=result.cost, not_shown=result.trusted)
    say(f"{result.accepted:,} accepted, {len(found.rejected):,} rejected.")
    if case is None:
        return NO
    # what was asked is the certificate's word: whoever asked for something else has to see it, and see all of it
    judged = f"Policy: {json.dumps(document['policy'])}; attacker: {document['attacker']}; groups: {document['groups']}."
    for line in in_lines(judged):
        say(line)
    say("Asked (compare this and the policy with what you asked for):")
    for line in case.asked.lines:
        say(f"  {line}")
    kinds = ", ".join(sorted({action.kind for action in case.actions})) or "none"
    actions = f"{len(case.actions):,} {plural('action', len(case.actions))}"
    say(f"So {actions} ({kinds}) and their costs follow; {found.untouched:,} numbers stay as they are.")
    cost, bound = result.cost, document["lower_bound"]
    folder = "" if protected is None else f", and {protected} holds exactly that release"
    less = case.policy.known is not None and not case.policy.zeros_shown
    who = "for a reader who knows no more than the policy says" if less else "as a reader sees it"
    say(f"The protected release, at a cost of {cost:,}, keeps the policy {who}{folder}.")
    if "reader" in document:
        return _for_reader(result)
    if result.trusted:
        say(f"Not shown: {result.trusted[0]}. The certificate says that no choice costs less than {bound:,}.")
        return UNDECIDED
    say(f"No choice costs less{'' if cost == bound else f' than {bound:,}'}.")
    if document["attacker"] == "linear":
        say("The linear attacker only adds and subtracts: whoever works out more may still find out withheld cells.")
    return DONE


def _of_many(found: ManyChecked) -> int:
    """A certificate that one choice of tables protects many releases and that none is cheaper."""
    from foregone.checker.encode.asked import in_lines, quoted
    from foregone.model.sentences import plural

    result = found.result
    unproved = [*result.trusted, *([f"anything about {found.others[0]}"] if found.others else [])]
    say_rejected(found.rejected)
    tell(accepted=result.accepted, rejected=found.rejected, cost=result.cost, not_shown=unproved)
    say(f"{result.accepted:,} accepted, {len(found.rejected):,} rejected.")
    if found.rejected or result.first is None:
        return NO
    judged = f"Policy: {json.dumps(result.about['policy'])}; attacker: exact; groups: {result.about['groups']}."
    for line in in_lines(judged):
        say(line)
    say("Asked (compare this and the policy with what you asked for):")
    for line in result.first.asked.lines:
        say(f"  {line}")
    withheld = f"{len(result.withheld):,} of {result.tables:,} {plural('table', result.tables)}"
    say(f"Without {withheld}, at a cost of {result.cost:,}, all {result.releases:,} releases of the certificate keep the policy:")
    for line in in_lines(", ".join(map(quoted, result.withheld)) or "none is withheld"):
        say(f"  {line}")
    if found.others:
        more = f"{len(found.others):,} further {plural('release', len(found.others))} of the folder"
        say(f"Not shown: anything about {more}, {quoted(found.others[0])} first.")
    if result.trusted:
        say(f"Not shown: {result.trusted[0]}. The certificate says that no choice costs less than {result.bound:,}.")
    else:
        say(f"No choice of tables for all of them costs less{'' if result.cost == result.bound else f' than {result.bound:,}'}.")
    return UNDECIDED if unproved else DONE


def _for_reader(result: Protected) -> int:
    """What a certificate shows about somebody who knows the rule; its cost is compared with nothing else."""
    if result.trusted:
        say(f"Not shown: {result.trusted[0]}.")
        return UNDECIDED
    say("No choice before it in the public order is enough, and it withstands a reader who knows the rule: all cover datasets")
    say("would be published in this way, and together they leave open what the policy forbids to be known.")
    return DONE


def _folder(found: FolderChecked, table: Path | None, by: str | None) -> int:
    """What all files show: is all accepted, and all that is printed proved, with no word of a file believed?"""
    from foregone.checker.verdicts.determined import ONE, SEVERAL
    from foregone.model.sentences import plural

    say_rejected(found.wrong)
    tell(accepted=found.claims, rejected=found.wrong, files=found.files, files_rejected=found.rejected)
    say(f"{found.files:,} {plural('file', found.files)}: {found.claims:,} {plural('claim', found.claims)} accepted,"
        f" {found.rejected:,} {plural('file', found.rejected)} rejected.")  # fmt: skip
    if by:
        proved = _say_parts(by, found.parts)
    else:
        one, several, limits = found.left(ONE), found.left(SEVERAL), found.limits
        say(f"{one:,} prove that only one dataset fits, {several:,} that two fit, {len(found.found) - one - several:,} neither.")
        if several:
            exact = sum(apart.low == apart.high for apart in limits)
            say(f"How far two datasets can differ: proved exactly by {exact:,}, within limits by {len(limits) - exact:,},"
                f" only from below by {several - len(limits):,}.")  # fmt: skip
        say_first(found.without, NAMED, lambda line: f"  without a limit: {line}", rest=".")
        proved = not found.without
    if found.wrong:
        return NO
    if table is not None:
        say(f"{table} agrees with every proof.{found.unproved and f' Without a proof: {found.unproved}.'}")
    return DONE if proved and not found.unproved else UNDECIDED


def _say_parts(column: str, parts: Iterable[Part]) -> bool:
    """How many values of a column have all their records told; returns whether it is shown of every value if it has."""
    from foregone.checker.verdicts.determined import ONE, SEVERAL

    left = [part.left for part in parts]
    one, several = left.count(ONE), left.count(SEVERAL)
    neither = len(left) - one - several
    say(f"By {column}: {one:,} determined, {several:,} not determined, {neither:,} not shown to be either.")
    return not neither
