"""What `foregone review` does: everything that somebody needs who has to sign a release, on one sheet."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from foregone.checker.verdicts.counted import Recounted
from foregone.engine import MAX_RECORDS
from foregone.formats.beside import left_out_of, read_left_out
from foregone.formats.outputs import RECORD, write_text
from foregone.formats.policy import policy_of, read_policy
from foregone.formats.protection import DECISIONS, JOINED, private_folder
from foregone.formats.text import is_there, json_text, parse_json, read_text
from foregone.model.marks import mark_sentence
from foregone.model.policy import DEFAULT, Policy
from foregone.model.protection import NOT_COVERED
from foregone.model.review import Decision, ReviewSheet, SheetSection
from foregone.model.sentences import plural, published_text
from foregone.model.shown import some_of
from foregone.pages.review_page import render_review
from foregone.pages.write import today
from foregone.policy.judge import Judgement, PolicyVerdict
from foregone.policy.sentences import doubt_sentence, placed_sentence
from foregone.publishing.sources import SOURCES, Sources, fingerprint, read_sources
from foregone.questions.ask import CellsEngine
from foregone.version import __version__
from foregone.workflows.audit import AuditedFiles, audit_files, judge_audited
from foregone.workflows.check import CertificateChecked, CheckedFile, ClaimsChecked, check_file
from foregone.workflows.publish import WRITTEN

__all__ = ["Decision", "ReviewSheet", "SheetSection", "record_decision", "review", "sheet_page", "today_or"]
NAMED = 6  # breaches that are named
LIMITS = (
    "Other releases about the same people, and what somebody knows of a person besides, unless they were given.",
    "Whether the numbers are true, and whether they count people: the tables are taken at their word.",
)


def today_or(date: str | None) -> str:
    """A date that was given, or today."""
    return date or today()


def review(
    release: Path,
    certificate: Path | None = None,
    policy: Path | None = None,
    decision: Decision | None = None,
    time_limit: float | None = None,
    date: str | None = None,
) -> ReviewSheet:
    """Judge a release again, check its certificate, and gather what a reviewer has to know.

    A release that `protect` wrote is reviewed with what it kept private beside it. Without a new `decision`, the last one that
    was recorded is on the sheet, as long as all files are what they were then.
    """
    private = private_folder(release)
    record = _json(private / RECORD)
    sources = read_sources(private) if is_there(private / SOURCES) else None
    rules = read_policy(policy) if policy is not None else policy_of(record["policy"]) if "policy" in record else DEFAULT
    audited = audit_files(release, CellsEngine(), time_limit=time_limit, max_records=MAX_RECORDS)
    judged = judge_audited(audited, rules)
    proved, rejected = _proof(release, certificate, sources, private, policy)
    verdict = "broken" if rejected else str(judged.judgement.verdict.value)
    sheet = ReviewSheet(
        release.resolve().name,
        verdict,
        _headline(verdict, judged.judgement, rejected),
        (
            SheetSection("What was asked", _asked(rules, policy, record, sources)),
            SheetSection("What holds", _holds(audited, judged.judgement, record), told=True),
            SheetSection("By which proof", proved, told=True),
            SheetSection("What is assumed", _assumed(audited, rules, sources)),
            SheetSection("What is not covered", _not_covered(release, private, audited, record)),
        ),
        _fingerprints(release, private, certificate, policy),
        date or today(),
        __version__,
        decision,
    )
    return sheet if decision is not None else _with_last(sheet, _decisions_file(release))


def sheet_page(sheet: ReviewSheet) -> str:
    """The sheet as a page that prints on two pages of paper."""
    return render_review(sheet)


def record_decision(sheet: ReviewSheet, release: Path) -> Path:
    """Add a decision to those recorded about a release: in what is kept private, or in a file beside the release."""
    path = _decisions_file(release)
    before = _decisions(path)
    write_text(path, json_text({"decisions": [*before, sheet.json()]}), silent=True)
    return path


def _decisions_file(release: Path) -> Path:
    private = private_folder(release)
    return private / DECISIONS if private.is_dir() else release.with_name(f"{release.resolve().name}-{DECISIONS}")


def _decisions(path: Path) -> list[dict[str, Any]]:
    found = _json(path).get("decisions", [])
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def _json(path: Path) -> dict[str, Any]:
    """What a file of ours says; nothing where it is not there."""
    content = parse_json(read_text(path), str(path)) if is_there(path) else {}
    return content if isinstance(content, dict) else {}


def _with_last(sheet: ReviewSheet, path: Path) -> ReviewSheet:
    decisions = _decisions(path)
    if not decisions:
        return sheet
    last = decisions[-1]
    made = last.get("decision") or {}
    said = Decision(bool(made.get("accepted")), str(made.get("name")), str(made.get("date")), str(made.get("reason")))
    if last.get("files") == dict(sheet.files) and last.get("verdict") == sheet.verdict:
        return replace(sheet, decision=said)
    was = "accepted" if said.accepted else "rejected"
    changed = f"It was {was} by {said.name} on {said.date}, but files or the verdict have changed since: decide again."
    return replace(sheet, sections=(SheetSection("Decided before", (changed,), told=True), *sheet.sections))


def _headline(verdict: str, judgement: Judgement, rejected: int) -> str:
    if rejected:
        return f"The proof is rejected ({rejected:,} {plural('reason', rejected)})."
    number = len(judgement.breaches)
    return {
        "kept": "The release keeps the policy.",
        "broken": f"The release breaks the policy in {number:,} {plural('way', number)}.",
    }.get(verdict, "Whether the release keeps the policy is not decided.")


def _asked(rules: Policy, policy: Path | None, record: dict[str, Any], sources: Sources | None) -> tuple[str, ...]:
    """The policy, where it comes from, and what `protect` was told to do."""
    whence = (
        f"file {policy.name}" if policy else "as protect kept it" if "policy" in record else "the usual one, as no file was given"
    )
    said = [f"Policy ({whence}): {'; '.join(rules.words)}."]
    if record:
        how = {"exact": "anyone who works out all that follows", "linear": "somebody who only adds and subtracts"}
        said.append(f"Protected against {how.get(str(record.get('attacker')), 'a reader')}.")
    if sources is not None:
        asked = [f"{name.replace('_', '-')} = {value}" for name, value in sources.asked.items() if name != "policy"]
        said += [f"Asked of protect: {'; '.join(asked)}."] if asked else []
    return tuple(said)


def _holds(audited: AuditedFiles, judgement: Judgement, record: dict[str, Any]) -> tuple[str, ...]:
    release = audited.release
    numbers = published_text(release)
    said = [f"{numbers[:1].upper()}{numbers[1:]}, read as a reader sees them, marks and footnotes included."]
    if judgement.verdict == PolicyVerdict.KEPT:
        said.append("Nothing is certain that the policy forbids.")
    breaches = [placed_sentence(release, breach) for breach in judgement.breaches]
    said += [f"Broken: {some_of(breaches, '; ', NAMED)}."] if breaches else []
    said += [f"Not decided: {doubt_sentence(doubt)}." for doubt in judgement.doubts]
    if record.get("withheld"):
        number = len(record["withheld"])
        least = "proved to be the least that is enough" if record.get("optimal") else "not proved to be the least"
        said.append(f"Withheld by protect: {number:,}, {least}.")
    return tuple(said)


def _proof(
    release: Path, certificate: Path | None, sources: Sources | None, private: Path, policy: Path | None
) -> tuple[tuple[str, ...], int]:
    """What the checker says of a certificate, and how many things it rejects."""
    if certificate is None:
        return ("Worked out by the engine in exact arithmetic; no certificate was given, so the checker has confirmed nothing.",), 0
    original = private / JOINED if is_there(private / JOINED) else release if sources is None else sources.release
    protected = None if sources is None or is_there(private / JOINED) else release
    document = _json(certificate)
    about_claims = "attacker" not in document
    if about_claims:
        original, protected = release, None
    found = check_file(original, certificate, protected=protected, policy=None if about_claims or protected is None else policy)
    rejected, accepted, trusted = _checked(found)
    said = [
        f"The checker, which uses no solver, accepts {accepted:,} and rejects {len(rejected):,} statements of {certificate.name}."
    ]
    said += [f"Rejected: {some_of(rejected, '; ', NAMED)}."] if rejected else []
    said += [f"Reported by a solver, not proved: {'; '.join(trusted)}."] if trusted else []
    if not rejected and protected is not None:
        said.append("It also confirms that the folder holds what the certificate leaves, and nothing else.")
    return tuple(said), len(rejected)


def _checked(found: CheckedFile) -> tuple[list[str], int, list[str]]:
    if isinstance(found, CertificateChecked):
        return list(found.rejected), found.result.accepted, list(found.result.trusted)
    if isinstance(found, ClaimsChecked):
        return list(found.result.rejected), found.result.accepted, []
    if isinstance(found, Recounted):
        return found.rejected, found.accepted, found.unproved
    return list(found.rejected), 0 if found.rejected else 1, []


def _assumed(audited: AuditedFiles, rules: Policy, sources: Sources | None) -> tuple[str, ...]:
    said = [f"{sentence[:1].upper()}{sentence[1:]}." for sentence in audited.assumptions]
    said += [f"{mark_sentence(mark, meant)}." for mark, meant in audited.release.domain.marks]
    if rules.know is not None:
        said.append(f"A reader knows, besides what is printed: {rules.know.words or 'nothing'}.")
    if sources is not None and "already" in sources.asked:
        people = sources.asked.get("people", "changed")
        said.append(
            f"{sources.asked['already']} is out already; since then people have {people}; nobody's other values have changed."
        )
    return tuple(said) or ("Nothing besides what is printed.",)


def _not_covered(release: Path, private: Path, audited: AuditedFiles, record: dict[str, Any]) -> tuple[str, ...]:
    said = [NOT_COVERED.replace("`", "")] if record and not record.get("reader") else []
    if is_there(private / SOURCES):
        said += _left_out(private)
    elif warning := left_out_of(release, audited.release).said:
        said.append(warning)
    written = _json(private / WRITTEN)
    said += [f"Only a person can judge: {line}." for one in written.get("files", []) for line in one.get("look_at", [])]
    return (*said, *LIMITS)


def _left_out(private: Path) -> list[str]:
    """How much of the sources is no part of the release, and whether anything has looked at it."""
    number = sum(cell.number for cell in read_left_out(private))
    looked = "publish has looked at them" if is_there(private / WRITTEN) else "nothing has looked at them yet; publish does"
    are = "is" if number == 1 else "are"
    return [f"{number:,} {plural('number', number)} of the files {are} no part of the release: {looked}."] if number else []


def _fingerprints(release: Path, private: Path, certificate: Path | None, policy: Path | None) -> tuple[tuple[str, str], ...]:
    """Every file that the sheet is about: of the release, private ones, those written to be published, and their sources."""
    found: dict[str, str] = {}
    for folder in (release, private):
        inside = sorted(folder.iterdir()) if folder.is_dir() else [folder] if folder.is_file() else []
        for path in inside:
            if path.is_file() and path.name != DECISIONS:
                found[f"{folder.name}/{path.name}" if folder.is_dir() else path.name] = fingerprint(path)
    written = _json(private / WRITTEN)
    for one in written.get("files", []):
        path = Path(written["folder"]) / one["file"]
        now = fingerprint(path) if path.is_file() else "not there any more"
        found[f"{path.parent.name}/{path.name}"] = now if now == one["sha256"] else f"{now} (changed since it was published)"
    for given in (certificate, policy):
        if given is not None:
            found[given.name] = fingerprint(given)
    for source in read_sources(private).files if is_there(private / SOURCES) else ():
        found[f"source {source.path.name or source.file}"] = source.sha256
    return tuple(found.items())
