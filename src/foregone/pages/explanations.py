"""The published tables behind facts of a run or a study, made again from the unit file, and why each fact is certain."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from foregone.census.household.publish import publisher
from foregone.census.unit_files.units import open_units
from foregone.model.errors import InputError, UndecidedError
from foregone.model.release import Release
from foregone.pages.collection import Gathered, Sighted
from foregone.pages.derivation import Why, why
from foregone.pages.ranking import Finding, findings
from foregone.questions.audit import audit

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Behind:
    """A release among many, made again, and the fact with the shortest ways to say it."""

    release: Release
    finding: Finding
    reason: Why


def behind(
    gathered: Gathered, source: Path, chosen: Iterable[Sighted], progress: Progress | None = None
) -> dict[tuple[str, str, int], Behind]:
    """Explanations of the chosen facts, by release, claim and count."""
    if not gathered.blocks:
        raise InputError("--source explains census blocks; for another release use `foregone report RELEASE`")
    _same_file(gathered, source)
    options = gathered.about.get("options", {})
    variant, units, edit = options["variant"], options["units"], gathered.kind == "run" and options.get("rules") == "edit"
    tables = publisher(variant, units, edit)
    wanted = list(chosen)
    made: dict[tuple[str, str, int], Behind] = {}
    with open_units(source, variant, units) as opened:
        records = opened.records(sighted.release for sighted in wanted)
    for i, sighted in enumerate(wanted):
        if progress:
            progress("explaining", i, len(wanted))
        release, finding = tables.release(records[sighted.release]), sighted.finding
        try:
            reason = why(release, finding.predicate, finding.count)
        except UndecidedError:
            continue
        claim = finding.predicate.text(release.domain)
        made[sighted.release, claim, finding.count] = Behind(release, _with_keys(release, finding), reason)
    return made


def _with_keys(release: Release, finding: Finding) -> Finding:
    """The finding with the shortest claims that say the same, which neither runs nor studies store."""
    same = [other for other in findings(audit(release)) if other.count == finding.count]
    held = dict(finding.predicate.allowed)
    for other in same:
        if held.items() <= dict(other.predicate.allowed).items():
            return replace(finding, keys=tuple(key for key in other.keys if set(dict(key.allowed)) <= set(held)))
    return finding


def _same_file(gathered: Gathered, source: Path) -> None:
    try:
        with source.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise InputError(
            f"{source}: cannot be read ({error.strerror}); give the unit file that the {gathered.kind} was made from"
        ) from None
    if found != gathered.fingerprint:
        name = gathered.about.get("input", {}).get("name", "unknown")
        raise InputError(f"{source}: is not the file that {gathered.path} was made from ({name}); its fingerprint is another one")
