"""Outputs of one project that are not about the same people: one has 60 records in all, another, of some of them, 36.

Whoever holds both can subtract one from the other. Each group of outputs with a smaller total gets a column that says who is in it,
so that an audit finds what the differences tell.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from foregone.model.domain import Column
from foregone.model.predicate import Predicate
from foregone.model.release import Release
from foregone.model.sentences import plural
from foregone.model.shown import listed
from foregone.rules.rule import CountRange

YES, NO = "yes", "no"


@dataclass(frozen=True, slots=True)
class ToldApart:
    """A release with a column for each group of outputs about some of the people, and what that takes for granted."""

    release: Release
    assumed: tuple[str, ...] = ()


def told_apart(release: Release, totals: Mapping[str, CountRange], frames: Mapping[str, str]) -> ToldApart:
    """Outputs by the people they are about. `totals` are the records that each output counts, as far as it tells; `frames` what it
    was made from: outputs of equal totals that were made from the same are about the same people.

    Everybody is in the outputs with the largest total; the others are about some of them.
    """
    exact = {name: count.low for name, count in totals.items() if count.low == count.high}
    most = max(exact.values(), default=0)
    smaller: dict[tuple[int, str], list[str]] = {}
    for name, count in totals.items():
        if count.high is not None and count.high < most:
            frame = frames.get(name, "")
            smaller.setdefault((count.low, frame if frame and name in exact else f"{frame} {name}"), []).append(name)
    if not smaller:
        return ToldApart(release)
    columns = [Column(f"IN {some[0]}", (YES, NO), title=f"in {listed(some)}") for some in smaller.values()]
    inside = {name: column.name for column, some in zip(columns, smaller.values(), strict=True) for name in some}
    domain = replace(release.domain, columns=(*release.domain.columns, *columns))
    statistics = [
        replace(s, predicate=Predicate.of({**dict(s.predicate.allowed), inside[s.table]: [YES]})) if s.table in inside else s
        for s in release.statistics
    ]
    everybody = [name for name in totals if name not in inside]
    said = tuple(_sentences(smaller, everybody, most, domain.record))
    return ToldApart(release.changed(domain=domain, statistics=statistics), said)


def _sentences(smaller: Mapping[tuple[int, str], Sequence[str]], everybody: Sequence[str], most: int, record: str) -> list[str]:
    whole = f"the {most:,} {plural(record, most)} of {listed(everybody)}"
    return [
        f"{listed(some)} {'is' if len(some) == 1 else 'are'} about some of {whole}"
        + ("" if len(some) == 1 else ", the same ones in each")
        for some in smaller.values()
    ]
