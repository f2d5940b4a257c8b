"""Check a proofs document against a release in memory. The checker sees plain data only; what is made here has to be trusted."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

from foregone.checker.check import Checked
from foregone.checker.check import check as run
from foregone.checker.distance import FORMAT as DISTANCE
from foregone.checker.distance import check_distance
from foregone.checker.files import read_content
from foregone.checker.protection import FORMAT as PROTECTION
from foregone.checker.protection import check_protection
from foregone.checker.publication import check_published
from foregone.checker.refusal import Refused
from foregone.checker.rows import release_of
from foregone.model.errors import InputError
from foregone.model.families import Groups
from foregone.model.figure import Figure, number_text
from foregone.model.marks import Ranges, ranges_text
from foregone.model.predicate import Predicate
from foregone.model.release import Release
from foregone.model.statement import Either, Statement, Statistic
from foregone.questions.asked import as_groups


def check(
    release: Release | str | Path,
    document: Any,
    complete: bool = False,
    groups: Groups | str = Groups.PUBLISHED,
    protected: str | Path | None = None,
) -> Checked:
    """Check every proof of a document; with `complete`, also that no certain claim is missing. The certificate of a protection
    is checked against the release that was protected; `reason` then says what a solver's word stands for, if anything. With
    `protected`, the folder that is to be published, also that it holds what the certificate leaves, and nothing else. Of a
    file about two datasets that fit, `reason` says how far apart two can be.

    With `groups` "none" only claims over single values have to be there.

    >>> from foregone import Domain, Predicate, Statistic, audit, proofs
    >>> domain = Domain.of({"SEX": ["F", "M"]})
    >>> release = Release(domain, (Statistic.exact(Predicate(), 3), Statistic.exact(Predicate.of({"SEX": "F"}), 2)))
    >>> result = check(release, proofs(audit(release)), complete=True)
    >>> result.accepted, result.rejected, result.complete
    (2, [], True)
    """
    try:
        content = plain(release) if isinstance(release, Release) else read_content(Path(release))
        rows = release_of(content)
    except Refused as error:
        raise InputError(str(error)) from None
    if isinstance(document, dict) and document.get("format") == PROTECTION:
        judged = check_protection(content, document)
        place = None if isinstance(release, Release) else Path(release)
        wrong = [] if protected is None else check_published(judged, place, Path(protected))
        return Checked(judged.accepted, judged.rejected + wrong, reason="; ".join(judged.trusted))
    if protected is not None:
        raise InputError("protected: only the certificate of a protection says what may be published; give that")
    if isinstance(document, dict) and document.get("format") == DISTANCE:
        apart = check_distance(rows, document)
        return Checked(0 if apart.rejected else 1 if apart.high is None else 2, apart.rejected, reason=apart.text)
    return run(rows, document, complete, as_groups(groups) == Groups.PUBLISHED)


def plain(release: Release) -> dict[str, Any]:
    """A release as the plain data that the checker reads."""
    # a cell can be known to be less than its mark says; then what it can be is its mark
    marks = {ranges_text(s.ranges): s.ranges for s in release.statistics if s.gaps} | dict(release.domain.marks)
    numbers = {
        column.name: {code: number_text(n) for code, n in zip(column.codes, column.numbers, strict=True) if n is not None}
        for column in release.domain.columns
        if column.numbers
    }
    return {
        "columns": {
            column.name: dict(zip(column.codes, column.labels or column.codes, strict=True)) for column in release.domain.columns
        },
        "labels": {column.name: column.title for column in release.domain.columns if column.title},
        "record": release.domain.record,
        "statistics": [
            *(_counted(s, marks) for s in release.statistics),
            *(_stated(s) for s in release.own if isinstance(s, Statement)),
            *map(_figure, release.figures),
        ],
        "rules": [_where(rule) for rule in release.rules],
        "numbers": numbers,
        "alternatives": [[_stated(side) for side in e.sides] for e in release.own if isinstance(e, Either)],
        "groups": {column.name: {label: list(codes) for label, codes in column.groups} for column in release.domain.columns},
        "marks": {mark: ranges_text(ranges) for mark, ranges in marks.items()},
    }


def _counted(s: Statistic, marks: Mapping[str, Ranges]) -> dict[str, Any]:
    about: dict[str, Any] = {"where": _where(s.predicate), "name": s.name, "table": s.table, "mark": s.mark}
    if s.gaps:  # a mark tells by itself what it can stand for
        about |= {} if marks.get(s.mark) == s.ranges else {"mark": ranges_text(s.ranges)}
    else:
        about |= {"low": s.low, "high": s.high}
    return about | ({"status": "withheld"} if s.withheld else {})


def _figure(figure: Figure) -> dict[str, Any]:
    """What was published; what it says about counts is for the checker to find out."""
    given = {"value": figure.value} if figure.value else {"low": _text(figure.low), "high": _text(figure.high)}
    status = {"status": "withheld"} if figure.withheld else {}
    about = {"measure": str(figure.measure), "of": figure.of, "where": _where(figure.predicate)}
    return {**about, "name": figure.name, "table": figure.table, **given, **status}


def _text(number: Fraction | None) -> str:
    return "" if number is None else number_text(number)


def _stated(s: Statement) -> dict[str, Any]:
    return {"terms": [[w, _where(p)] for w, p in s.terms], "low": s.low, "high": s.high}


def _where(predicate: Predicate) -> dict[str, list[str]]:
    return {name: sorted(codes) for name, codes in predicate.allowed}
