"""Several releases about overlapping people as one: who is in which of them becomes a column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import combinations

from foregone.model.domain import Column, Domain
from foregone.model.errors import InputError
from foregone.model.predicate import Predicate
from foregone.model.release import Release
from foregone.model.sentences import plural
from foregone.model.shown import listed, shown
from foregone.model.statement import Statement, Statistic
from foregone.tables.spans import pieces, span_of

IN = "IN"
MOST_RELEASES = 6  # who is in which of them has 2^n - 1 answers

Crosswalk = Mapping[str, Sequence[tuple[str, tuple[str, ...]]]]
"""Column -> old code, and the new codes that it lies in."""


class People(StrEnum):
    """What may have happened to the people between one release and the next."""

    SAME = "same"
    JOINED = "joined"
    LEFT = "left"
    CHANGED = "changed"


@dataclass(frozen=True, slots=True)
class Joined:
    """Releases as one, and what was assumed, a sentence each."""

    release: Release
    assumptions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Merged:
    """A column over all releases: for each release and code of it the codes of the column that it covers."""

    column: Column
    covered: tuple[Mapping[str, frozenset[str]], ...]


def join(releases: Mapping[str, Release], people: str = "changed", crosswalk: Crosswalk | None = None) -> Joined:
    """Releases by name, in order of time, as one release.

    `people` says what may have happened from one to the next: `same` nothing, `joined` arrivals only, `left` departures only,
    `changed` either. A record's other values do not change.
    """
    names = list(releases)
    happened = _checked(names, people)
    columns = _columns(releases, crosswalk or {})
    patterns = {} if happened == People.SAME else _patterns(names)
    domain = Domain(
        (*(merged.column for merged in columns), *([Column(IN, tuple(patterns))] if patterns else ())),
        next(iter(releases.values())).domain.record,
    )
    statistics: list[Statistic] = []
    statements: list[Statement] = []
    rules: list[Predicate] = []
    for r, (name, release) in enumerate(releases.items()):
        inside = frozenset(code for code, members in patterns.items() if name in members)
        by_name = {merged.column.name: merged.covered[r] for merged in columns}

        def moved(
            predicate: Predicate, inside: frozenset[str] = inside, known: Mapping[str, Mapping[str, frozenset[str]]] = by_name
        ) -> Predicate:
            conditions = {
                column: frozenset(code for old in codes for code in known[column][old]) for column, codes in predicate.allowed
            }
            return Predicate.of({**conditions, **({IN: inside} if inside else {})})

        statistics += [
            replace(s, predicate=moved(s.predicate), name=f"{name}/{s.label}", table=f"{name}/{s.table}" if s.table else name)
            for s in release.statistics
        ]
        statements += [
            replace(
                s, terms=tuple((weight, moved(predicate)) for weight, predicate in s.terms), name=f"{name}/{s.label}", table=name
            )
            for s in release.statements
        ]
        rules += [moved(rule) for rule in release.rules]
        rules += _absent(columns, r, inside)
    allowed = [code for code, members in patterns.items() if _may_be(members, names, happened)]
    rules += [Predicate.of({IN: code}) for code in patterns if code not in allowed]
    made = Release(domain, statistics, dict.fromkeys(rules), statements)
    return Joined(made, _assumptions(names, happened, domain.record, crosswalk or {}))


def _checked(names: list[str], people: str) -> People:
    if len(names) < 2:
        raise InputError("join: one release is not two; give at least two, in order of time")
    if len(names) > MOST_RELEASES and people != People.SAME:
        raise InputError(
            f"join: {len(names)} releases are more than the {MOST_RELEASES} that can be told apart; join fewer at a time"
        )
    if people not in list(People):
        raise InputError(f"--people {shown(people)}: use one of {', '.join(People)}")
    return People(people)


def _patterns(names: list[str]) -> dict[str, tuple[str, ...]]:
    """Codes of the new column, each with the releases it says a record is in."""
    if len(names) == 2:
        one, other = names
        return {"both": (one, other), f"{one} only": (one,), f"{other} only": (other,)}
    sets = [some for size in range(len(names), 0, -1) for some in combinations(names, size)]
    return {"+".join(some): some for some in sets}


def _may_be(members: tuple[str, ...], names: list[str], happened: People) -> bool:
    """Arrivals only: who is in a release is in every later one. Departures only: in every earlier one."""
    if happened == People.JOINED:
        return members == tuple(names[-len(members) :])
    if happened == People.LEFT:
        return members == tuple(names[: len(members)])
    return True


def _columns(releases: Mapping[str, Release], crosswalk: Crosswalk) -> list[Merged]:
    order = dict.fromkeys(name for release in releases.values() for name in release.domain.names)
    problems = [
        f"crosswalk: {shown(name)} is not a column of these releases ({listed(order)})" for name in crosswalk if name not in order
    ]
    if IN in order:
        problems.append(f"a column is called {IN}, which is what join calls its own; rename it in the releases")
    if problems:
        raise InputError(problems)
    return [_merged(name, list(releases.values()), crosswalk.get(name)) for name in order]


def _merged(name: str, releases: list[Release], walk: Sequence[tuple[str, tuple[str, ...]]] | None) -> Merged:
    """The finest codes of a column that every release's codes are made of."""
    having = [release.domain.column(name) if name in release.domain.index else None for release in releases]
    columns = [column for column in having if column is not None]
    first = columns[0]
    if walk is not None:
        covered = _walked(name, having, walk)
    elif all(set(column.codes) == set(first.codes) for column in columns):
        covered = {code: (code,) for code in first.codes}
    else:
        covered = _refined(columns)
    codes = list(dict.fromkeys(code for codes in covered.values() for code in codes))
    labels = {code: column.label_of(code) for column in columns if column.labels for code in column.codes}
    words = tuple(labels.get(code, code) for code in codes) if labels else ()
    title = next((column.title for column in columns if column.title), "")
    return Merged(
        Column(name, tuple(codes), words, title),
        tuple({code: frozenset(covered[code]) for code in column.codes} if column else {} for column in having),
    )


def _refined(columns: list[Column]) -> dict[str, tuple[str, ...]]:
    """Spans are cut into common pieces; other codes are the same where they are spelled the same."""
    texts = list(dict.fromkeys(code for column in columns for code in column.codes))
    spans = {code: span for code in texts if (span := span_of(code)) is not None}
    if len(spans) < len(texts):
        return {code: (code,) for code in texts}
    cut = pieces(list(spans.values()))
    named = {span: code for code, span in reversed(spans.items())}
    return {code: tuple(named.get(piece, piece.text) for piece in cut if spans[code].holds(piece)) for code in texts}


def _walked(name: str, having: list[Column | None], walk: Sequence[tuple[str, tuple[str, ...]]]) -> dict[str, tuple[str, ...]]:
    """Old and new codes as sets of pieces: a new code that lies in one old one only is a piece itself."""
    known = {code for column in having if column is not None for code in column.codes}
    problems = [
        f"crosswalk: {shown(code)} is not a value of {name} in these releases ({listed(sorted(known))})"
        for code in dict.fromkeys(code for old, new in walk for code in (old, *new))
        if code not in known
    ]
    if problems:
        raise InputError(problems)
    within: dict[str, list[str]] = {}
    for old, new in walk:
        for code in new:
            within.setdefault(code, []).append(old)

    def piece(old: str, new: str) -> str:
        return new if len(within[new]) == 1 else f"{new} ({old})"

    covered = {old: tuple(piece(old, code) for code in new) for old, new in walk}
    for code, olds in within.items():
        covered[code] = tuple(piece(old, code) for old in olds)
    for code in known:
        covered.setdefault(code, (code,))
    order = [code for column in having if column is not None for code in column.codes]
    return {code: covered[code] for code in dict.fromkeys(order)}


def _absent(columns: list[Merged], r: int, inside: frozenset[str]) -> list[Predicate]:
    """Nobody in a release has a value that the release does not know."""
    found = []
    for merged in columns:
        known = merged.covered[r]
        if known and (left := set(merged.column.codes) - {code for codes in known.values() for code in codes}):
            found.append(Predicate.of({merged.column.name: left, **({IN: inside} if inside else {})}))
    return found


def _assumptions(names: list[str], happened: People, record: str, crosswalk: Crosswalk) -> tuple[str, ...]:
    noun, all_ = plural(record, 2), ", ".join(names[:-1]) + f" and {names[-1]}"
    said = {
        People.SAME: f"{all_} are about the same {noun}",
        People.JOINED: f"from {' to '.join(names)} {noun} may have joined, and none has left",
        People.LEFT: f"from {' to '.join(names)} {noun} may have left, and none has joined",
        People.CHANGED: f"from {' to '.join(names)} {noun} may have joined or left",
    }[happened]
    walked = [f"{name}: old values lie in new ones as the crosswalk says" for name in crosswalk]
    return (said, "nobody's other values have changed", *walked)
