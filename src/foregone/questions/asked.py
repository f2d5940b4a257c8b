"""What people hand to a question: a release or where it is, and a condition in any of the ways they write it."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping
from pathlib import Path

from foregone.engine import Case
from foregone.model.claim import Claim
from foregone.model.errors import InputError
from foregone.model.families import Groups
from foregone.model.predicate import Predicate
from foregone.model.release import Release
from foregone.model.shown import shown
from foregone.solvers.deadline import Deadline

Source = Release | Case | str | Path
Condition = Predicate | str | Mapping[str, str | Iterable[str]]


def as_release(source: Source) -> Release:
    """The release itself, or what its folder or file says."""
    if isinstance(source, Release):
        return source
    if isinstance(source, Case):
        return source.release
    if not isinstance(source, str | Path):
        raise InputError(f"a release or the path of one was expected, not {type(source).__name__}; use Release.read or tabulate")
    from foregone.formats.folder import read_release

    return read_release(source)


def as_case(source: Source, limit: float | Deadline | None, max_records: int) -> Case:
    """A release, compiled; a case that was made before is asked again, with this time limit."""
    return source.until(limit) if isinstance(source, Case) else Case(as_release(source), limit, max_records)


def as_claim(source: Source, condition: Condition, count: int) -> Claim:
    """That exactly so many records match a condition."""
    return Claim(as_predicate(condition, as_release(source)), as_count(count))


def as_predicate(condition: Condition, release: Release) -> Predicate:
    """`{"SEX": "F"}`, `'SEX=F, AGE=65-74|75-84'` or a predicate; columns and values must be the release's own."""
    if isinstance(condition, str):
        return Predicate.parse(condition, release.domain)
    if not isinstance(condition, Predicate | Mapping):
        raise InputError(f"a condition was expected, not {type(condition).__name__}; write {{'SEX': 'F'}}, 'SEX=F' or a Predicate")
    predicate = condition if isinstance(condition, Predicate) else Predicate.of(condition)
    predicate.masks(release.domain)
    return predicate


def as_count(count: int) -> int:
    """A whole number of any make (NumPy has its own), as Python's own."""
    try:
        if not isinstance(count, bool):
            return operator.index(count)
    except TypeError:
        pass
    raise InputError(f"the count {shown(count)} is not a whole number; give one, such as 1")


def as_groups(groups: Groups | str) -> Groups:
    """Which groups of values claims may name: "published" or "none"."""
    try:
        return Groups(groups)
    except ValueError:
        raise InputError(f"groups is {shown(groups)}; give 'published' or 'none'") from None
