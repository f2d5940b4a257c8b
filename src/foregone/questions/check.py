"""Check a proofs document against a release in memory. The checker sees plain data only; what is made here has to be trusted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from foregone.checker.check import Checked
from foregone.checker.check import check as run
from foregone.checker.refusal import Refused
from foregone.checker.rows import read_release, release_of
from foregone.model.errors import InputError
from foregone.model.predicate import Predicate
from foregone.model.release import Release
from foregone.model.statement import Statement


def check(release: Release | str | Path, document: Any, complete: bool = False) -> Checked:
    """Check every proof of a document; with `complete`, also that no certain claim is missing.

    >>> from foregone import Domain, Predicate, Statistic, audit, proofs
    >>> domain = Domain.of({"SEX": ["F", "M"]})
    >>> release = Release(domain, (Statistic.exact(Predicate(), 3), Statistic.exact(Predicate.of({"SEX": "F"}), 2)))
    >>> result = check(release, proofs(audit(release)), complete=True)
    >>> result.accepted, result.rejected, result.complete
    (2, [], True)
    """
    try:
        rows = release_of(plain(release)) if isinstance(release, Release) else read_release(Path(release))
    except Refused as error:
        raise InputError(str(error)) from None
    return run(rows, document, complete)


def plain(release: Release) -> dict[str, Any]:
    """A release as the plain data that the checker reads."""
    return {
        "columns": {column.name: list(column.codes) for column in release.domain.columns},
        "statistics": [
            *({"where": _where(s.predicate), "low": s.low, "high": s.high} for s in release.statistics),
            *map(_stated, release.statements),
        ],
        "rules": [_where(rule) for rule in release.rules],
        **({"alternatives": [[_stated(side) for side in e.sides] for e in release.alternatives]} if release.alternatives else {}),
    }


def _stated(s: Statement) -> dict[str, Any]:
    return {"terms": [[w, _where(p)] for w, p in s.terms], "low": s.low, "high": s.high}


def _where(predicate: Predicate) -> dict[str, list[str]]:
    return {name: sorted(codes) for name, codes in predicate.allowed}
