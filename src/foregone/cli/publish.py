"""`foregone publish` and `foregone review`: the same files back, and a sheet for whoever signs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from foregone.cli.options import argument, option, seconds
from foregone.cli.progress import slow
from foregone.cli.show import DONE, NO, UNDECIDED, say, say_data, say_first, stop
from foregone.model.errors import InputError

if TYPE_CHECKING:
    from foregone.publishing.outcome import PublishedFiles

NAMED = 30  # cells that are listed on the terminal


def publish(
    protected: Annotated[
        Path, argument("PROTECTED", "The folder that `foregone protect` wrote, with its -private folder beside it.")
    ],
    files: Annotated[Path, option("--files", "The new folder for the files.")],
    json_: Annotated[bool, option("--json", "Print what was changed as JSON.")] = False,
) -> None:
    """Write the imported files back, marked, ready to publish.

    CSV, XLSX, PC-Axis and JSON-stat files keep their layout and format. The mark stands in every cell that is not shown, and
    in cells that would give one back; a footnote explains it. The files are then read again as a reader would.

    Exit 2, and nothing is written: a source is missing or has changed, something cannot be cleaned, or what is read again
    differs from PROTECTED.
    """
    made = publish_or_say(protected, files)
    if json_:
        say_data(json.dumps(made.json(), ensure_ascii=False, indent=1))
    else:
        say_published(made)


def publish_or_say(protected: Path, files: Path) -> PublishedFiles:
    """Write the files, with a word about what takes so long."""
    from foregone.workflows.publish import publish as publish_files

    with slow("Writing the files and reading them again"):
        return publish_files(protected, files)


def say_published(made: PublishedFiles) -> None:
    """Where the files are, which cells changed besides those that are withheld, and what only a person can judge."""
    for file in made.files:
        others = [cell for cell in file.cells if cell.why not in ("withheld", "footnote")]
        number = sum(cell.why == "withheld" for cell in file.cells)
        cells = f"{number} {'cell' if number == 1 else 'cells'} not shown"
        say(f"{made.folder / file.name}: {cells}, {len(others)} more marked or cleaned.")
        lines = [f"  {f'sheet {cell.sheet}, ' if cell.sheet else ''}{cell.cell}: {cell.why}" for cell in others]
        say_first(lines, NAMED, str, rest=", all in published.json, which is private")
        for line in file.taken_out:
            say(f"  {line}")
        for line in file.look_at:
            say(f"  Look at it yourself: {line}.")
    for note in made.footnotes:
        say(f'Footnote: "{note}".')
    say(f"Read again as a reader would: {made.folder} says what the protected release says, and no more.")


def review(
    release: Annotated[Path, argument("RELEASE", "The release to sign off: what `foregone protect` wrote, or any other.")],
    certificate: Annotated[
        Path | None, option("--certificate", "The certificate of protect, or proofs of an audit; checked without a solver.")
    ] = None,
    policy: Annotated[
        Path | None, option("--policy", "The policy file. Default: the policy that protect kept, or the usual one.")
    ] = None,
    out: Annotated[Path | None, option("--out", "The sheet to write, such as sheet.html; it prints on two pages.")] = None,
    accept: Annotated[bool, option("--accept", "Record that the release is accepted.")] = False,
    reject: Annotated[bool, option("--reject", "Record that the release is rejected.")] = False,
    name: Annotated[str, option("--name", "Who decides.")] = "",
    reason: Annotated[str, option("--reason", "Why.")] = "",
    date: Annotated[str | None, option("--date", "The date to print (default: SOURCE_DATE_EPOCH, else today).")] = None,
    json_: Annotated[bool, option("--json", "Print the sheet as JSON, for systems that collect evidence.")] = False,
    time_limit: Annotated[float | None, seconds("Stop auditing after this long; what is not decided then is said.")] = None,
) -> None:
    """Make a sheet for whoever signs a release off.

    What was asked, by which policy, what holds and by which proof, what is assumed, what is not covered, fingerprints of every
    file, and room for a name and a date. A decision is recorded beside the release and is part of the fingerprint.

    Exit 0: the policy is kept, and what is said is proved. Exit 1: it is broken, or a proof is rejected. Exit 3: undecided.
    """
    from foregone.formats.outputs import check_outputs, write_text
    from foregone.workflows.review import Decision, record_decision, sheet_page, today_or
    from foregone.workflows.review import review as review_files

    if accept and reject:
        raise InputError("--accept and --reject: a release is one or the other; leave out one of the two")
    if (accept or reject) and not (name.strip() and reason.strip()):
        raise InputError("--accept, --reject: a decision has a name and a reason; give --name and --reason")
    if (name or reason) and not (accept or reject):
        raise InputError("--name, --reason: go with a decision; add --accept or --reject")
    if out is None and not json_ and not (accept or reject):
        raise InputError("review: --out is missing; name the sheet to write, or use --json")
    check_outputs([release, certificate, policy], {"--out": out})
    day = today_or(date)
    decision = Decision(accept, name.strip(), day, reason.strip()) if accept or reject else None
    with slow("Reviewing"):
        sheet = review_files(release, certificate, policy, decision, time_limit, day)
    if out is not None:
        write_text(out, sheet_page(sheet))
    where = record_decision(sheet, release) if decision is not None else None
    if json_:
        say_data(json.dumps(sheet.json(), ensure_ascii=False, indent=1))
    else:
        say(f"{sheet.name}: {sheet.headline}")
        for section in sheet.sections:
            if section.told:
                say(f"{section.title}: {' '.join(section.lines)}")
        if out is not None:
            say(f"The sheet is in {out}; its fingerprint is {sheet.fingerprint}.")
        if where is not None and decision is not None:
            say(f"{'Accepted' if decision.accepted else 'Rejected'} by {decision.name}; recorded in {where}.")
    stop({"kept": DONE, "broken": NO}.get(sheet.verdict, UNDECIDED))
